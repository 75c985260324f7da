import CSystem
import Glibc
import Platform
import PoseMath
import SensorInterface
import Synchronization

/// Keeps every wanted role served: scans for devices, starts a worker for each, and restarts a worker that ends.
final class IIOSupervisor: Sendable {
    private struct Running: Sendable {
        let worker: IIODeviceWorker
        let work: DetachedWork
    }

    /// The attempts to open one set of roles since they last streamed.
    private struct Attempts {
        var backoff: Backoff
        var due: MonotonicTime
    }

    private let settings: IIOSettings
    private let output: IIOOutput
    private let signal: StopSignal
    private let workers = Mutex<[Running]>([])
    /// An eventfd that a worker signals when it ends.
    private let wake: Int32
    /// What the kernel and udev say about the devices of this machine.
    private let events: DeviceEvents
    /// An epoll of both; -1 where there are no events.
    private let either: Int32

    init(settings: IIOSettings, output: IIOOutput, signal: StopSignal) {
        self.settings = settings
        self.output = output
        self.signal = signal
        wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        events = settings.isLocal ? DeviceEvents() : DeviceEvents(descriptor: -1)
        either = events.descriptor >= 0 ? epoll_create1(Int32(EPOLL_CLOEXEC)) : -1
        for descriptor in [wake, events.descriptor] where either >= 0 {
            _ = posed_watch(either, descriptor, EPOLLIN.rawValue, 0)
        }
    }

    deinit {
        if wake >= 0 { close(wake) }
        if either >= 0 { close(either) }
    }

    /// Ends all workers, also where they wait for a read. May hang; call it on a thread that may be abandoned.
    func cancel() {
        let running = workers.withLock { $0.map(\.worker) }
        for worker in running { worker.requestStop() }
        for worker in running { worker.cancel() }
    }

    /// The thread's body: runs until the stop signal, and then until the workers have ended or 250 ms are over.
    func run() {
        var schedule = RetrySchedule(settings: settings)
        while !signal.isRaised {
            for (assignment, outcome) in reap() { schedule.workerEnded(assignment, hadData: outcome.hadData) }
            let missing = wanted.subtracting(served)
            let now = SystemClock.monotonicNow
            if !missing.isEmpty, now >= schedule.scanDue { scan(missing, &schedule) }
            wait(isComplete: wanted.subtracting(served).isEmpty, &schedule)
        }
        let deadline = SystemClock.monotonicNow.advanced(bySeconds: 0.25)
        let last = workers.withLock { $0 }
        for running in last { running.worker.requestStop() }
        for running in last {
            _ = running.work.wait(seconds: deadline.seconds(since: SystemClock.monotonicNow))
        }
    }

    private var wanted: IIORoles {
        IIORoles.each.filter { settings.sensor($0).device != .off }.reduce(into: IIORoles()) { $0.insert($1) }
    }

    private var served: IIORoles {
        workers.withLock { $0.reduce(into: IIORoles()) { $0.insert($1.worker.assignment.roles) } }
    }

    private func reap() -> [(IIOPlan.Assignment, IIODeviceWorker.Outcome)] {
        workers.withLock { workers in
            let ended = workers.compactMap { running in running.worker.outcome.map { (running.worker.assignment, $0) } }
            workers.removeAll { $0.worker.outcome != nil }
            return ended
        }
    }

    private func wait(isComplete: Bool, _ schedule: inout RetrySchedule) {
        let pause = isComplete ? 60 : schedule.scanDue.seconds(since: SystemClock.monotonicNow)
        let watched = either >= 0 ? either : wake
        let seconds = settings.isLocal && !isComplete ? min(pause, 0.25) : pause
        if signal.wait(for: watched, seconds: seconds) == .ready {
            var count: eventfd_t = 0
            eventfd_read(wake, &count)
            if events.take() { return schedule.devicesChanged() }
        }
        if settings.isLocal, !isComplete { schedule.checkDeviceList() }
    }

    /// Scans the context and starts what can be started.
    private func scan(_ missing: IIORoles, _ schedule: inout RetrySchedule) {
        let result = ScanResult()
        let uri = settings.contextURI
        let work = DetachedWork.start(name: "iio-scan") { result.set(Self.devices(uri)) }
        guard let work, work.wait(unless: signal), let devices = result.value else {
            // The system has no thread left for it: at once again would only keep this one busy.
            return schedule.postpone(isEssential: !missing.isDisjoint(with: .inertial))
        }
        switch devices {
        case .failure(let problem):
            for role in IIORoles.each where missing.contains(role) {
                setUnserved(role, problem.description, isWanted: true, schedule)
            }
            schedule.postpone(isEssential: !missing.isDisjoint(with: .inertial))
        case .success(let devices):
            apply(IIOPlan(devices: devices, settings: settings), missing, &schedule)
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

    private func apply(_ plan: IIOPlan, _ missing: IIORoles, _ schedule: inout RetrySchedule) {
        for gap in plan.gaps where missing.contains(gap.role) || !gap.isWanted {
            setUnserved(gap.role, gap.explanation, isWanted: gap.isWanted, schedule)
        }
        schedule.postpone(isEssential: plan.gaps.contains { !$0.role.isDisjoint(with: .inertial) && $0.isWanted })
        let running = workers.withLock { $0.map(\.worker) }
        let step = plan.step(beside: running.map(\.assignment))
        // The plan is looked at again when they have ended.
        for worker in running where step.ends.contains(worker.assignment) { worker.requestStop() }
        for assignment in step.starts {
            if let attempt = schedule.attempt(assignment) { start(assignment, attempt) }
        }
    }

    private func start(_ assignment: IIOPlan.Assignment, _ attempt: Int) {
        let worker = IIODeviceWorker(
            assignment: assignment, settings: settings, output: output, signal: StopSignal(), attempt: attempt)
        let wake = dup(wake)
        let work = DetachedWork.start(name: "iio-\(assignment.device.name)") {
            worker.run()
            eventfd_write(wake, 1)
            close(wake)
        }
        guard let work else {
            close(wake)
            output.set(assignment.roles, .lost, "cannot create a thread: the system is out of resources")
            return
        }
        workers.withLock { $0.append(Running(worker: worker, work: work)) }
    }

    private func setUnserved(_ role: IIORoles, _ explanation: String, isWanted: Bool, _ schedule: RetrySchedule) {
        output.set(role, isWanted && schedule.servedBefore.contains(role) ? .lost : .absent, explanation)
    }

    /// When to scan and to open again.
    private struct RetrySchedule {
        let settings: IIOSettings
        var scanDue = SystemClock.monotonicNow
        var servedBefore: IIORoles = []
        private var attempts: [IIORoles: Attempts] = [:]
        private var scanBackoff: Backoff
        private var deviceList: DeviceList

        init(settings: IIOSettings) {
            self.settings = settings
            scanBackoff = Backoff(
                leastSeconds: settings.backoffMinimumSeconds, mostSeconds: settings.backoffMaximumSeconds)
            deviceList = DeviceList.read()
        }

        /// Records the end of a worker: its roles are due again after their back-off.
        mutating func workerEnded(_ assignment: IIOPlan.Assignment, hadData: Bool) {
            servedBefore.insert(assignment.roles)
            var current = attempts[assignment.roles] ?? initialAttempts
            if hadData { current.backoff.reset() }
            current.due = SystemClock.monotonicNow.advanced(bySeconds: current.backoff.nextSeconds())
            attempts[assignment.roles] = current
            scanDue = min(scanDue, current.due)
        }

        /// The number of the attempt that may be made now; `nil` while its back-off is not over.
        mutating func attempt(_ assignment: IIOPlan.Assignment) -> Int? {
            let current = attempts[assignment.roles] ?? initialAttempts
            guard current.due <= SystemClock.monotonicNow else {
                scanDue = min(scanDue, current.due)
                return nil
            }
            scanBackoff.reset()
            return current.backoff.attempt + 1
        }

        /// Sets the time of the next scan while a role is missing. Local contexts cost little and a change shows in the
        /// device list, so that a list without devices needs no scan; remote contexts are scanned less often.
        mutating func postpone(isEssential: Bool) {
            let pause = isEssential ? scanBackoff.nextSeconds() : 30
            let most = isEssential && deviceList.hasDevices ? 1.0 : 5
            scanDue = SystemClock.monotonicNow.advanced(bySeconds: settings.isLocal ? min(pause, most) : pause)
        }

        /// Makes everything due at once when a device was added or removed.
        mutating func checkDeviceList() {
            guard DeviceList.read() != deviceList else { return }
            devicesChanged()
        }

        /// Makes everything due at once: a device was added or removed, or may be opened now.
        mutating func devicesChanged() {
            deviceList = DeviceList.read()
            scanDue = SystemClock.monotonicNow
            for key in attempts.keys { attempts[key]?.due = scanDue }
        }

        private var initialAttempts: Attempts {
            Attempts(
                backoff: Backoff(
                    leastSeconds: settings.backoffMinimumSeconds, mostSeconds: settings.backoffMaximumSeconds),
                due: SystemClock.monotonicNow)
        }

    }
}

/// The names of the IIO devices of this machine.
private struct DeviceList: Equatable {
    /// The sum of FNV-1a over each name, independent of their order.
    var hash: UInt64 = 0
    /// Whether there is a device at all.
    var hasDevices = false

    /// The list now.
    static func read() -> DeviceList {
        var list = DeviceList()
        guard let folder = opendir("/sys/bus/iio/devices") else { return list }
        defer { closedir(folder) }
        list.hash = 1
        while let entry = readdir(folder) {
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            withUnsafeBytes(of: &entry.pointee.d_name) { name in
                if name.starts(with: "iio:device".utf8) { list.hasDevices = true }
                for byte in name {
                    guard byte != 0 else { break }
                    hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
                }
            }
            list.hash &+= hash
        }
        return list
    }
}

/// The result of a scan, passed from the scanning thread.
private final class ScanResult: Sendable {
    private let result = Mutex<Result<[IIODevice], IIOProblem>?>(nil)

    var value: Result<[IIODevice], IIOProblem>? { result.withLock { $0 } }

    func set(_ value: Result<[IIODevice], IIOProblem>) { result.withLock { $0 = value } }
}
