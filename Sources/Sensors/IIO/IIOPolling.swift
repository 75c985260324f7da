import CIIO
import Glibc
import Measurements
import Platform
import PoseMath
import SensorInterface

/// Capture without a buffer: each reading is a separate sysfs read.
///
/// For sensors whose driver has no buffer, mainly barometers, and for those whose buffer delivers nothing: Debian's
/// kernel has no software triggers. Each reading costs one bus transfer per axis, so rates are limited to
/// ``highestRateHertz``. The deadlines are absolute, so that a late reading delays no later one. The time of gyro and
/// accelerometer is the start of their round, that of the others is ``time(start:end:isLocal:)``.
final class IIOPolling {
    /// What became of the readings of one sensor.
    private struct Progress {
        /// The counts since the last report.
        var tally = IIOTally()
        /// Readings that passed since the last report.
        var passed = 0
        /// The counts of the check at the last report.
        var reported: SampleCheck
        var state = SourceState.waiting
        var lastPassed: MonotonicTime?
        /// Rounds since a reading passed.
        var missed = 0
        /// The error of the last reading; `nil` if it was read.
        var error: Int32?
    }

    /// Highest polling rate, hertz.
    static let highestRateHertz = 100.0
    /// A read that takes longer has waited for the measurement of the chip, seconds.
    static let waitingReadSeconds = 0.02

    /// Time before a deadline from which the thread sleeps until it and cannot be stopped, seconds.
    private static let lastSleepSeconds = 0.02

    /// Why the buffer is not used; `nil` if the device has none.
    var bufferProblem: String?
    private let settings: IIOSettings
    private let roles: IIORoles
    /// Without these the device is opened again: gyro and accelerometer, otherwise all that it has.
    private let vital: IIORoles
    private var sensors: [IIOSensor] = []
    private var progress: [Progress] = []
    private var remarks: [String] = []
    private var consecutiveFailures = 0
    private let thermometer: IIOThermometer?
    private let opened = SystemClock.monotonicNow

    /// Finds the sensors of the assignment in the context, and sets their rates. `adjustment` gets what was changed,
    /// also where that fails.
    init(
        context: OpaquePointer, assignment: IIOPlan.Assignment, settings: IIOSettings,
        _ adjustment: inout IIOAdjustment
    ) throws(IIOProblem) {
        self.settings = settings
        roles = assignment.roles
        let inertial = assignment.roles.intersection(.inertial)
        vital = inertial.isEmpty ? assignment.roles : inertial
        let device = IIOLibrary.devices(context).first {
            IIOLibrary.string(iio_device_get_id($0)) == assignment.device.id
                && (IIOLibrary.string(iio_device_get_name($0)) ?? "") == assignment.device.name
        }
        guard let device else { throw IIOProblem("the device no longer exists", code: ENODEV) }
        thermometer = IIOThermometer(device)
        sensors = try IIOSensor.all(roles, device, settings, isBuffered: false, &adjustment)
        progress = sensors.map { Progress(reported: $0.checked) }
        var setup = IIOSetup(device: device, context: context, settings: settings)
        _ = setup.setRate(of: sensors)
        remarks = setup.remarks + adjustment.remarks
    }

    /// Reads at the requested rate until the stop signal is raised or the device fails.
    func run(_ output: IIOOutput, _ signal: StopSignal, _ title: String) -> IIODeviceWorker.Outcome {
        let rate = min(sensors.map { settings.sensor($0.role).rateHertz }.max() ?? 10, Self.highestRateHertz)
        let why = bufferProblem ?? "the device has no buffer"
        output.set(roles, .waiting, "\(title): \(why); single readings are used")
        let degradation = degradation(rate)
        let streaming = ([title, "single readings, because \(why)"] + remarks).joined(separator: "; ")
        var deadlines = PollingDeadlines(rateHertz: rate, start: SystemClock.monotonicNow)
        var lastReport: MonotonicTime?
        while sleep(until: deadlines.next, signal) {
            deadlines.advance(now: SystemClock.monotonicNow)
            let failure = readAll(output).map { "\(title) can no longer be read (\(IIOProblem.text($0)))" }
            let now = SystemClock.monotonicNow
            enterStreaming(output, streaming, degradation)
            if let explanation = failure ?? checkSilence(output, now, title) {
                report(output)
                return IIODeviceWorker.Outcome(explanation: explanation, hadData: hadData)
            }
            // The first report is that of the first data.
            let isFirst = lastReport == nil && progress.contains { $0.passed > 0 }
            let seconds = now.seconds(since: lastReport ?? opened)
            guard isFirst || seconds >= 1 else { continue }
            report(output, celsius: thermometer?.celsius(), seconds: isFirst ? nil : seconds)
            lastReport = now
        }
        report(output)
        return IIODeviceWorker.Outcome(explanation: "stopped", hadData: true)
    }

    private var hadData: Bool { progress.compactMap(\.lastPassed).contains { $0.seconds(since: opened) > 1 } }

    private func degradation(_ rate: Double) -> String? {
        bufferProblem.map {
            "by single readings at \(IIOText.short(rate)) Hz, because \($0); connect a trigger to the device, and "
                + "restart posed"
        }
    }

    /// Sleeps until a deadline; `false` when a stop was requested.
    private func sleep(until deadline: MonotonicTime, _ signal: StopSignal) -> Bool {
        let coarse = deadline.seconds(since: SystemClock.monotonicNow) - Self.lastSleepSeconds
        if coarse > 0, signal.wait(seconds: coarse) == .stopped { return false }
        var until = timespec(
            tv_sec: Int(deadline.nanoseconds / 1_000_000_000), tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &until, nil) == EINTR {}
        return !signal.isRaised
    }

    // MARK: - Readings

    /// Reads every sensor once, also where another one fails. Returns an error that kept the vital sensors from
    /// delivering for five rounds, or ENODEV when the device was removed.
    private func readAll(_ output: IIOOutput) -> Int32? {
        var gyro: Vector3?
        var acceleration: Vector3?
        let before = SystemClock.monotonicNow
        for i in sensors.indices {
            let start = SystemClock.monotonicNow
            let result = fetch(sensors[i].channels)
            let end = SystemClock.monotonicNow
            progress[i].missed += 1
            progress[i].error = nil
            guard case .success(let reading) = result else {
                if case .failure(let errno) = result { progress[i].error = errno.code }
                if progress[i].error == ENODEV { return ENODEV }
                continue
            }
            guard let value = sensors[i].value(decimal: reading) else { continue }
            let time = Self.time(start: start, end: end, isLocal: settings.isLocal)
            switch sensors[i].role {
            case .gyro: gyro = value
            case .accelerometer: acceleration = value
            case .magnetometer: deliver(.magnetic(MagneticSample(time: time, fluxDensityTesla: value)), of: i, output)
            default: deliver(.pressure(PressureSample(time: time, pressurePascal: value.x)), of: i, output)
            }
        }
        pair(gyro, acceleration, at: before, output)
        var (error, isAlive): (Int32?, Bool) = (nil, false)
        for i in sensors.indices where vital.contains(sensors[i].role) {
            error = error ?? progress[i].error
            isAlive = isAlive || progress[i].missed == 0
        }
        consecutiveFailures = error != nil && !isAlive ? consecutiveFailures + 1 : 0
        return consecutiveFailures >= 5 ? error : nil
    }

    /// The time of a reading: the middle of the read, or its end where the driver has waited for the chip. A read of
    /// another machine is slow by the network.
    static func time(start: MonotonicTime, end: MonotonicTime, isLocal: Bool) -> MonotonicTime {
        if isLocal, end.seconds(since: start) > waitingReadSeconds { return end }
        return MonotonicTime(nanoseconds: start.nanoseconds + (end.nanoseconds - start.nanoseconds) / 2)
    }

    private func deliver(_ event: SensorEvent, of i: Int, _ output: IIOOutput) {
        if let slot = IIORoles.each.firstIndex(of: sensors[i].role) { progress[i].tally.sensors[slot].accepted += 1 }
        output.send(event)
        notePassed(sensors[i].role)
    }

    /// Passes gyro and accelerometer on. Where the device has both, one alone is no data.
    private func pair(_ gyro: Vector3?, _ acceleration: Vector3?, at time: MonotonicTime, _ output: IIOOutput) {
        var completed: UInt64 = 0
        if let gyro { completed += output.pair(gyro: AxisSample(time: time, vector: gyro)) }
        if let acceleration {
            completed += output.pair(accelerometer: AxisSample(time: time, vector: acceleration))
        }
        if roles.isSuperset(of: .inertial) {
            if completed > 0 { notePassed(.inertial) }
        } else if gyro != nil || acceleration != nil {
            notePassed(roles.intersection(.inertial))
        }
    }

    private func notePassed(_ passed: IIORoles) {
        let now = SystemClock.monotonicNow
        for i in sensors.indices where passed.contains(sensors[i].role) {
            progress[i].passed += 1
            (progress[i].lastPassed, progress[i].missed) = (now, 0)
        }
    }

    // MARK: - States

    private func enterStreaming(_ output: IIOOutput, _ explanation: String, _ degradation: String?) {
        for i in sensors.indices where progress[i].missed == 0 && progress[i].state != .streaming {
            progress[i].state = .streaming
            output.set(sensors[i].role, .streaming, explanation, degradation: degradation)
        }
    }

    /// Marks the sensors that deliver nothing, at least for five rounds. Returns why the device is opened again: its
    /// vital sensors have delivered nothing for longer, at least for ten rounds.
    private func checkSilence(_ output: IIOOutput, _ now: MonotonicTime, _ title: String) -> String? {
        var firstSilent: (place: Int, seconds: Double)?
        var isAlive = false
        for i in sensors.indices {
            let isVital = vital.contains(sensors[i].role)
            let (missed, last) = (progress[i].missed, progress[i].lastPassed)
            let silence = now.seconds(since: last ?? opened)
            if isVital, missed < 10 || silence < settings.reopenAfterSeconds { isAlive = true }
            guard missed >= 5, silence >= settings.staleAfterSeconds else { continue }
            if isVital, firstSilent == nil { firstSilent = (i, silence) }
            guard progress[i].state != .stale, last != nil || !isVital else { continue }
            progress[i].state = .stale
            output.set(sensors[i].role, .stale, problem(of: i, title, silence))
        }
        return isAlive ? nil : firstSilent.map { problem(of: $0.place, title, $0.seconds) }
    }

    /// Why a sensor delivers nothing. Of gyro and accelerometer either may be the reason.
    private func problem(of place: Int, _ title: String, _ silence: Double) -> String {
        let places = sensors.indices.filter {
            $0 == place || IIORoles.inertial.isSuperset(of: [sensors[$0].role, sensors[place].role])
        }
        for i in places {
            if let error = progress[i].error {
                return "\(title): its \(sensors[i].role.name) cannot be read (\(IIOProblem.text(error)))"
            }
            if sensors[i].checked.isStuck { return "\(title) repeats the same \(sensors[i].role.name) reading" }
        }
        let seconds = IIOText.short((silence * 10).rounded() / 10)
        return "\(title) sent no usable \(sensors[place].role.name) reading for \(seconds) s"
    }

    /// Adds the counts since the last report; `seconds`: the time since then, where it gives a rate.
    private func report(_ output: IIOOutput, celsius: Double? = nil, seconds: Double? = nil) {
        for i in sensors.indices {
            guard let slot = IIORoles.each.firstIndex(of: sensors[i].role) else { continue }
            var tally = progress[i].tally
            tally.celsius = celsius
            tally.rateHertz = progress[i].passed > 0 ? seconds.map { Double(progress[i].passed) / $0 } : nil
            tally.lastDataTime = progress[i].lastPassed
            tally.countRejections(of: sensors[i].checked, since: progress[i].reported, slot)
            output.add(tally, to: sensors[i].role)
            (progress[i].tally, progress[i].passed) = (IIOTally(), 0)
            progress[i].reported = sensors[i].checked
        }
    }

    private func fetch(_ channels: [OpaquePointer]) -> Result<Vector3, IIOLibrary.Errno> {
        var values = Vector3()
        for (i, channel) in channels.enumerated() {
            let key = iio_channel_find_attr(channel, "raw") != nil ? "raw" : "input"
            switch IIOLibrary.text(channel: channel, key) {
            case .failure(let errno): return .failure(errno)
            case .success(let text):
                guard let value = IIOText.number(text) else { return .failure(IIOLibrary.Errno(EINVAL)) }
                values[i] = value
            }
        }
        return .success(values)
    }
}

/// The times of single readings: a grid from the start, without those that have passed. Pure.
struct PollingDeadlines: Sendable {
    /// The next time.
    private(set) var next: MonotonicTime
    /// Number of times that were left out because the reading before took too long.
    private(set) var missed: UInt64 = 0
    private let periodNanoseconds: Int64

    /// Creates a grid with that rate, 0.001 to 1000 Hz.
    init(rateHertz: Double, start: MonotonicTime) {
        periodNanoseconds = Int64(1e9 / min(max(rateHertz, 0.001), 1000))
        next = start
    }

    /// Goes on to the first time of the grid after now.
    mutating func advance(now: MonotonicTime) {
        next = MonotonicTime(nanoseconds: next.nanoseconds &+ periodNanoseconds)
        let late = now.nanoseconds &- next.nanoseconds
        guard late >= 0 else { return }
        let steps = late / periodNanoseconds + 1
        missed &+= UInt64(steps)
        next = MonotonicTime(nanoseconds: next.nanoseconds &+ steps &* periodNanoseconds)
    }
}
