import CSystem
import Glibc
import Platform
import PoseMath
import SensorInterface
import Synchronization

/// Keeps every wanted role served: looks for devices, starts a lane for each, starts it again when it ends.
final class IIOSupervisor: Sendable {
    private struct Running: Sendable {
        let lane: IIOLane
        let work: DetachedWork
    }

    /// The openings of one set of roles since they last streamed.
    private struct Attempts {
        var backoff: Backoff
        var due: MonotonicTime
    }

    private let settings: IIOSettings
    private let output: IIOOutput
    private let signal: StopSignal
    private let lanes = Mutex<[Running]>([])
    /// Raised by a lane that ends.
    private let wake: Int32

    init(settings: IIOSettings, output: IIOOutput, signal: StopSignal) {
        self.settings = settings
        self.output = output
        self.signal = signal
        wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    }

    deinit {
        if wake >= 0 { close(wake) }
    }

    /// Ends reads that wait in a lane. May hang; to be called on a thread that can be left.
    func cancel() { for running in lanes.withLock({ $0 }) { running.lane.cancel() } }

    /// The thread's body: until the end is asked for, and then until the lanes have ended or 250 ms are over.
    func run() {
        var rounds = Rounds(settings: settings)
        while !signal.isRaised {
            for (assignment, outcome) in reap() { rounds.note(assignment, hadData: outcome.hadData) }
            let missing = wanted.subtracting(served)
            let now = SystemClock.monotonicNow
            if !missing.isEmpty, now >= rounds.scanDue { scan(missing, &rounds) }
            wait(isComplete: wanted.subtracting(served).isEmpty, &rounds)
        }
        let deadline = SystemClock.monotonicNow.advanced(bySeconds: 0.25)
        for running in lanes.withLock({ $0 }) {
            _ = running.work.wait(seconds: deadline.seconds(since: SystemClock.monotonicNow))
        }
    }

    private var wanted: IIORoles {
        IIORoles.each.filter { settings.sensor($0).device != .off }.reduce(into: IIORoles()) { $0.insert($1) }
    }

    private var served: IIORoles {
        lanes.withLock { $0.reduce(into: IIORoles()) { $0.insert($1.lane.assignment.roles) } }
    }

    private func reap() -> [(IIOPlan.Assignment, IIOLane.Outcome)] {
        lanes.withLock { lanes in
            let ended = lanes.compactMap { running in running.lane.outcome.map { (running.lane.assignment, $0) } }
            lanes.removeAll { $0.lane.outcome != nil }
            return ended
        }
    }

    private func wait(isComplete: Bool, _ rounds: inout Rounds) {
        let pause = isComplete ? 60 : rounds.scanDue.seconds(since: SystemClock.monotonicNow)
        _ = signal.wait(for: wake, seconds: settings.isLocal && !isComplete ? min(pause, 0.25) : pause)
        var count: eventfd_t = 0
        eventfd_read(wake, &count)
        if settings.isLocal, !isComplete { rounds.look() }
    }

    /// Looks at the context and starts what can be started.
    private func scan(_ missing: IIORoles, _ rounds: inout Rounds) {
        let result = ScanResult()
        let uri = settings.contextURI
        let work = DetachedWork.start(name: "iio-scan") { result.set(Self.devices(uri)) }
        guard let work, work.wait(unless: signal), let devices = result.value else { return }
        switch devices {
        case .failure(let problem):
            for role in IIORoles.each where missing.contains(role) {
                setGone(role, problem.description, isWanted: true, rounds)
            }
            rounds.postpone(isEssential: !missing.isDisjoint(with: .inertial))
        case .success(let devices):
            carryOut(IIOPlan(devices: devices, settings: settings), missing, &rounds)
        }
    }

    private static func devices(_ uri: String) -> Result<[IIODevice], IIOProblem> {
        do throws(IIOProblem) {
            let context = try IIOLibrary.open(uri)
            defer { IIOHandles(context: context, buffer: nil).destroy() }
            return .success(IIOLibrary.devices(context).map { IIODevice(handle: $0, withAttributes: false) })
        } catch {
            return .failure(error)
        }
    }

    private func carryOut(_ plan: IIOPlan, _ missing: IIORoles, _ rounds: inout Rounds) {
        for gap in plan.gaps where missing.contains(gap.role) || !gap.isWanted {
            setGone(gap.role, gap.explanation, isWanted: gap.isWanted, rounds)
        }
        rounds.postpone(isEssential: plan.gaps.contains { !$0.role.isDisjoint(with: .inertial) && $0.isWanted })
        let busy = lanes.withLock { $0.filter(\.lane.assignment.isBuffered).map(\.lane.assignment.device.id) }
        for assignment in plan.assignments {
            // A device in use serves on with what it has; its new roles wait until it is opened again.
            guard assignment.roles.isDisjoint(with: served),
                !(assignment.isBuffered && busy.contains(assignment.device.id))
            else { continue }
            if let attempt = rounds.attempt(assignment) { start(assignment, attempt) }
        }
    }

    private func start(_ assignment: IIOPlan.Assignment, _ attempt: Int) {
        let lane = IIOLane(assignment: assignment, settings: settings, output: output, signal: signal, attempt: attempt)
        let wake = dup(wake)
        let work = DetachedWork.start(name: "iio-\(assignment.device.name)") {
            lane.run()
            eventfd_write(wake, 1)
            close(wake)
        }
        guard let work else {
            close(wake)
            output.set(assignment.roles, .lost, "the system has no thread to give")
            return
        }
        lanes.withLock { $0.append(Running(lane: lane, work: work)) }
    }

    private func setGone(_ role: IIORoles, _ explanation: String, isWanted: Bool, _ rounds: Rounds) {
        if isWanted, rounds.seen.contains(role) {
            output.set(role, .lost, explanation)
        } else {
            output.set(absent: role, explanation, isWanted: isWanted)
        }
    }

    /// When to look and to open again.
    private struct Rounds {
        let settings: IIOSettings
        var scanDue = SystemClock.monotonicNow
        var seen: IIORoles = []
        private var attempts: [IIORoles: Attempts] = [:]
        private var scanBackoff: Backoff
        private var listing: UInt64

        init(settings: IIOSettings) {
            self.settings = settings
            scanBackoff = Backoff(
                leastSeconds: settings.backoffMinimumSeconds, mostSeconds: settings.backoffMaximumSeconds)
            listing = Self.fingerprint()
        }

        /// A lane ended: its roles are due again after their back-off.
        mutating func note(_ assignment: IIOPlan.Assignment, hadData: Bool) {
            seen.insert(assignment.roles)
            var mine = attempts[assignment.roles] ?? fresh
            if hadData { mine.backoff.reset() }
            mine.due = SystemClock.monotonicNow.advanced(bySeconds: mine.backoff.nextSeconds())
            attempts[assignment.roles] = mine
            scanDue = min(scanDue, mine.due)
        }

        /// The number of the attempt that may be made now; `nil`: its time has not come.
        mutating func attempt(_ assignment: IIOPlan.Assignment) -> Int? {
            let mine = attempts[assignment.roles] ?? fresh
            guard mine.due <= SystemClock.monotonicNow else {
                scanDue = min(scanDue, mine.due)
                return nil
            }
            scanBackoff.reset()
            return mine.backoff.attempt + 1
        }

        /// Something is missing: when to look again. Local contexts cost little and tell by their listing; remote ones
        /// are asked more rarely.
        mutating func postpone(isEssential: Bool) {
            let pause = isEssential ? scanBackoff.nextSeconds() : 30
            scanDue = SystemClock.monotonicNow.advanced(
                bySeconds: settings.isLocal ? min(pause, isEssential ? 1 : 5) : pause)
        }

        /// A device that comes or goes makes everything due at once.
        mutating func look() {
            let now = Self.fingerprint()
            guard now != listing else { return }
            listing = now
            scanDue = SystemClock.monotonicNow
            for key in attempts.keys { attempts[key]?.due = scanDue }
        }

        private var fresh: Attempts {
            Attempts(
                backoff: Backoff(
                    leastSeconds: settings.backoffMinimumSeconds, mostSeconds: settings.backoffMaximumSeconds),
                due: SystemClock.monotonicNow)
        }

        /// A number that changes with the names of the IIO devices, by FNV-1a over each, in any order.
        private static func fingerprint() -> UInt64 {
            guard let folder = opendir("/sys/bus/iio/devices") else { return 0 }
            defer { closedir(folder) }
            var sum: UInt64 = 1
            while let entry = readdir(folder) {
                var hash: UInt64 = 0xCBF2_9CE4_8422_2325
                withUnsafeBytes(of: &entry.pointee.d_name) { name in
                    for byte in name {
                        guard byte != 0 else { break }
                        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
                    }
                }
                sum &+= hash
            }
            return sum
        }
    }
}

/// Where the thread that looks at the context leaves what it found.
private final class ScanResult: Sendable {
    private let result = Mutex<Result<[IIODevice], IIOProblem>?>(nil)

    var value: Result<[IIODevice], IIOProblem>? { result.withLock { $0 } }

    func set(_ value: Result<[IIODevice], IIOProblem>) { result.withLock { $0 = value } }
}
