import CIIO
import Glibc
import Measurements
import Platform
import PoseMath
import SensorInterface

/// Capture without a buffer: each reading is a separate sysfs read. Its time is the middle of that read.
///
/// For sensors whose driver has no buffer, mainly barometers, and for those whose buffer delivers nothing: Debian's
/// kernel has no software triggers. Each reading costs one bus transfer per axis, so rates are limited to
/// ``highestRateHertz``. The deadlines are absolute, so that a late reading delays no later one.
final class IIOPolling {
    /// Highest polling rate, hertz.
    static let highestRateHertz = 100.0

    /// Time before a deadline from which the thread sleeps until it and cannot be stopped, seconds.
    private static let lastSleepSeconds = 0.02

    /// Why the buffer is not used; `nil` if the device has none.
    var bufferProblem: String?
    private let settings: IIOSettings
    private let roles: IIORoles
    private var sensors: [IIOSensor] = []
    private var remarks: [String] = []
    private var consecutiveFailures = 0
    private let thermometer: IIOThermometer?
    private var lastTime = MonotonicTime(nanoseconds: Int64.min)

    /// Finds the sensors of the assignment in the context. `adjustment` gets what was changed, also where that fails.
    init(
        context: OpaquePointer, assignment: IIOPlan.Assignment, settings: IIOSettings,
        _ adjustment: inout IIOAdjustment
    ) throws(IIOProblem) {
        self.settings = settings
        roles = assignment.roles
        let device = IIOLibrary.devices(context).first {
            IIOLibrary.string(iio_device_get_id($0)) == assignment.device.id
                && (IIOLibrary.string(iio_device_get_name($0)) ?? "") == assignment.device.name
        }
        guard let device else { throw IIOProblem("the device no longer exists", code: ENODEV) }
        thermometer = IIOThermometer(device)
        sensors = try IIOSensor.all(roles, device, settings, isBuffered: false, &adjustment)
        remarks = adjustment.remarks
    }

    /// Reads at the requested rate until the stop signal is raised or the device fails.
    func run(_ output: IIOOutput, _ signal: StopSignal, _ title: String) -> IIODeviceWorker.Outcome {
        let rate = min(sensors.map { settings.sensor($0.role).rateHertz }.max() ?? 10, Self.highestRateHertz)
        let why = bufferProblem ?? "the device has no buffer"
        output.set(roles, .waiting, "\(title): \(why); single readings are used")
        let opened = SystemClock.monotonicNow
        var deadlines = PollingDeadlines(rateHertz: rate, start: opened)
        var tally = IIOTally()
        var lastReport = opened
        var samples = 0
        while sleep(until: deadlines.next, signal) {
            deadlines.advance(now: SystemClock.monotonicNow)
            if let code = readAll(output, &tally) {
                return IIODeviceWorker.Outcome(
                    explanation: "\(title) can no longer be read (\(IIOProblem.text(code)))",
                    hadData: lastTime.seconds(since: opened) > 1)
            }
            samples += 1
            let now = SystemClock.monotonicNow
            let isFirst = samples == 1 && lastReport == opened && tally.lastDataTime != nil
            guard isFirst || now.seconds(since: lastReport) >= 1 else { continue }
            if tally.lastDataTime != nil {
                output.set(
                    roles, .streaming, ([title, "single readings, because \(why)"] + remarks).joined(separator: "; "),
                    degradation: degradation(rate))
            }
            tally.celsius = thermometer?.celsius()
            tally.rateHertz = isFirst ? nil : Double(samples) / now.seconds(since: lastReport)
            output.add(tally, to: roles)
            (tally, samples, lastReport) = (IIOTally(), 0, now)
        }
        output.add(tally, to: roles)
        return IIODeviceWorker.Outcome(explanation: "stopped", hadData: true)
    }

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

    /// Reads every sensor once. Returns an error that lasted for five rounds, or ENODEV when the device was removed.
    private func readAll(_ output: IIOOutput, _ tally: inout IIOTally) -> Int32? {
        var gyro: Vector3?
        var acceleration: Vector3?
        let before = SystemClock.monotonicNow
        var time = before
        for i in sensors.indices {
            let start = SystemClock.monotonicNow
            let reading: Vector3
            switch fetch(sensors[i].channels) {
            case .success(let vector): reading = vector
            case .failure(let errno):
                consecutiveFailures += 1
                return errno.code == ENODEV || consecutiveFailures >= 5 ? errno.code : nil
            }
            consecutiveFailures = 0
            let end = SystemClock.monotonicNow
            time = MonotonicTime(nanoseconds: start.nanoseconds + (end.nanoseconds - start.nanoseconds) / 2)
            guard let slot = IIORoles.each.firstIndex(of: sensors[i].role),
                let value = sensors[i].value(decimal: reading)
            else { continue }
            tally.lastDataTime = end
            switch sensors[i].role {
            case .gyro: gyro = value
            case .accelerometer: acceleration = value
            case .magnetometer:
                tally.sensors[slot].accepted += 1
                output.send(.magnetic(MagneticSample(time: time, fluxDensityTesla: value)))
            default:
                tally.sensors[slot].accepted += 1
                output.send(.pressure(PressureSample(time: time, pressurePascal: value.x)))
            }
        }
        lastTime = time
        if let gyro { tally.sensors[0].accepted += output.pair(gyro: AxisSample(time: before, vector: gyro)) }
        if let acceleration {
            tally.sensors[1].accepted += output.pair(accelerometer: AxisSample(time: before, vector: acceleration))
        }
        return nil
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
