import Glibc
import Measurements
import Platform
import PoseMath
import SensorInterface

/// The loop over the samples of one device: waits, reads, checks, delivers. No allocation per sample.
final class IIOStream {
    private let capture: IIOCapture
    private let roles: IIORoles
    private let settings: IIOSettings
    private let output: IIOOutput
    private let title: String
    private var stamping: SampleStamping
    private var tally = IIOTally()
    private var reportedChecks = InlineArray<4, SampleCheck>(
        repeating: SampleCheck(limit: 0, range: nil, stuckLimit: 0))
    private var reportedFaults = InlineArray<3, UInt64>(repeating: 0)
    private var samplesSinceReport = 0
    private var meter = SampleRateMeter()
    private var lastReport = SystemClock.monotonicNow
    private var lastData: MonotonicTime?
    private let opened = SystemClock.monotonicNow
    private var state = SourceState.waiting
    private var lastMagnetic: RawTriple?
    /// Time of the last new reading of the magnetometer, at first that of the first scan, and of the last scan.
    private var (lastMagneticTime, lastScanTime): (MonotonicTime?, MonotonicTime?) = (nil, nil)
    private var hasScans = false
    /// Whether the last read had a reading that passed.
    private var hasPassed = false
    private var celsius: Double?
    /// When the temperature is read next: it changes slowly.
    private var nextTemperature = SystemClock.monotonicNow
    /// Time between two readings of the temperature, seconds.
    static let temperatureSeconds = 1.0
    /// Time between two reports of the counts, seconds.
    static let reportSeconds = 1.0
    /// Whether single readings can replace the buffer.
    var canPoll = false
    /// Time after which single readings replace a buffer that delivers nothing, seconds.
    static let silentBufferSeconds = 2.0

    init(capture: IIOCapture, roles: IIORoles, settings: IIOSettings, output: IIOOutput, title: String) {
        self.capture = capture
        self.roles = roles
        self.settings = settings
        self.output = output
        self.title = title
        celsius = capture.startingCelsius
        stamping = SampleStamping(clock: capture.clock, rateHertz: capture.rateHertz)
        for (i, sensor) in capture.sensors.enumerated() { reportedChecks[i] = sensor.checked }
    }

    /// Runs until the stop signal is raised or the device fails.
    func run(_ signal: StopSignal, _ attempt: Int) -> IIODeviceWorker.Outcome {
        enter(.waiting, "\(title) is open, no sample yet\(triggerText)")
        while !signal.isRaised {
            if let descriptor = capture.pollDescriptor {
                _ = signal.wait(for: descriptor, seconds: min(staleAfter / 2, 0.25))
            }
            guard !signal.isRaised else { break }
            switch capture.read() {
            case .scans(let count): process(count)
            case .nothing: break
            case .failed(let code): return fail(code, attempt, signal)
            }
            let now = SystemClock.monotonicNow
            if let outcome = checkSilence(now, attempt) { return outcome }
            if now.seconds(since: lastReport) >= Self.reportSeconds { report(now) }
        }
        report(SystemClock.monotonicNow)
        return IIODeviceWorker.Outcome(explanation: "stopped", hadData: true)
    }

    private var staleAfter: Double { Self.silence(settings, rateHertz: capture.rateHertz).stale }
    private var reopenAfter: Double { Self.silence(settings, rateHertz: capture.rateHertz).reopen }

    /// The silence after which a device is stale, and after which it is opened again, seconds: at least five and ten of
    /// its periods.
    static func silence(_ settings: IIOSettings, rateHertz: Double) -> (stale: Double, reopen: Double) {
        let period = 1 / max(rateHertz, 0.01)
        return (max(settings.staleAfterSeconds, 5 * period), max(settings.reopenAfterSeconds, 10 * period))
    }

    private var triggerText: String {
        capture.trigger.map { " (buffer enabled, trigger '\($0)' idle)" } ?? " (buffer enabled, no trigger)"
    }

    // MARK: - Samples

    private func process(_ count: Int) {
        let now = SystemClock.monotonicNow.nanoseconds
        var read = ReadTime(
            monotonic: now, realtimeOffset: capture.clock == .realtime ? SystemClock.realtimeNanoseconds &- now : 0)
        var passed = false
        for scan in 0..<count {
            read.samplesAfter = count - 1 - scan
            guard let time = stamping.time(ofStamp: capture.stamp(scan), read: read) else { continue }
            meter.add(time)
            (lastMagneticTime, lastScanTime) = (lastMagneticTime ?? time, time)
            if processScan(scan, at: time) { passed = true }
        }
        samplesSinceReport += count
        hasScans = true
        readTemperature(ofScan: count - 1, MonotonicTime(nanoseconds: now))
        hasPassed = passed
        guard passed else { return }
        lastData = MonotonicTime(nanoseconds: now)
        if state != .streaming { enter(.streaming, streamingText) }
    }

    private func readTemperature(ofScan scan: Int, _ now: MonotonicTime) {
        guard now >= nextTemperature else { return }
        nextTemperature = now.advanced(bySeconds: Self.temperatureSeconds)
        celsius = capture.celsius(scan) ?? celsius
    }

    /// Processes one scan. Returns whether any sensor's reading passed its check.
    private func processScan(_ scan: Int, at time: MonotonicTime) -> Bool {
        var gyro: Vector3?
        var acceleration: Vector3?
        var passed = false
        for i in capture.sensors.indices {
            let role = capture.sensors[i].role
            let raw = capture.raw(i, scan)
            // A slow magnetometer in a fast scan repeats its reading: only a new reading is a measurement.
            if role == .magnetometer, roles != .magnetometer, raw == lastMagnetic { continue }
            guard let value = capture.sensors[i].value(raw) else { continue }
            passed = true
            switch role {
            case .gyro: gyro = value
            case .accelerometer: acceleration = value
            case .magnetometer:
                (lastMagnetic, lastMagneticTime) = (raw, time)
                accept(role, .magnetic(MagneticSample(time: time, fluxDensityTesla: value)))
            default: accept(role, .pressure(PressureSample(time: time, pressurePascal: value.x)))
            }
        }
        guard roles.isSuperset(of: .inertial) else {
            return roles.isDisjoint(with: .inertial) ? passed : pair(gyro, acceleration, time)
        }
        guard let gyro, let acceleration else { return false }
        tally.sensors[0].accepted += 1
        tally.sensors[1].accepted += 1
        output.send(
            .inertial(
                InertialSample(
                    time: time, angularRateRadiansPerSecond: gyro, specificForceMetersPerSecondSquared: acceleration)))
        return true
    }

    /// Delivers the reading of a device with only a gyro or only an accelerometer.
    private func pair(_ gyro: Vector3?, _ acceleration: Vector3?, _ time: MonotonicTime) -> Bool {
        if let gyro {
            output.pair(gyro: AxisSample(time: time, vector: gyro))
        } else if let acceleration {
            output.pair(accelerometer: AxisSample(time: time, vector: acceleration))
        } else {
            return false
        }
        return true
    }

    private func accept(_ role: IIORoles, _ event: SensorEvent) {
        tally.sensors[role == .magnetometer ? 2 : 3].accepted += 1
        output.send(event)
    }

    // MARK: - States

    private func enter(_ new: SourceState, _ explanation: String) {
        state = new
        output.set(roles, new, explanation)
    }

    private var streamingText: String {
        var parts = [title]
        parts += capture.remarks
        if stamping.isRestamping { parts.append("its time stamps are implausible: arrival times are used") }
        let clipped = (0..<capture.sensors.count).reduce(0) { $0 + capture.sensors[$1].checked.clipped }
        if clipped > 0 { parts.append("\(clipped) readings clipped at the end of the range") }
        return parts.joined(separator: "; ")
    }

    /// Rate of slow magnetometers, hertz: beside a faster sensor nobody sees how often one measures.
    static let slowMagnetometerHertz = 10.0

    /// How long a magnetometer beside a faster sensor has given no new reading, seconds; `nil` where that is shorter
    /// than the readings last that count as stuck.
    private var magnetometerSilence: Double? {
        guard roles.contains(.magnetometer), roles != .magnetometer, settings.stuckSampleLimit > 0,
            let lastMagneticTime, let lastScanTime
        else { return nil }
        let silence = lastScanTime.seconds(since: lastMagneticTime)
        let limit = max(staleAfter, Double(settings.stuckSampleLimit) / Self.slowMagnetometerHertz)
        return silence >= limit ? silence : nil
    }

    /// Tells that samples come. A magnetometer that repeats its reading does not end the data of the IMU beside it.
    private func tellStreaming() {
        guard let silence = magnetometerSilence else { return output.set(roles, .streaming, streamingText) }
        output.set(roles.subtracting(.magnetometer), .streaming, streamingText)
        let seconds = IIOText.short(silence.rounded())
        output.set(.magnetometer, .stale, "\(title) has given no new magnetometer reading for \(seconds) s")
    }

    private var stuckSensor: IIORoles? { capture.sensors.first { $0.checked.isStuck }?.role }

    private func checkSilence(_ now: MonotonicTime, _ attempt: Int) -> IIODeviceWorker.Outcome? {
        let silence = now.seconds(since: lastData ?? opened)
        // A magnetometer that repeats what is refused does not end the data of the IMU beside it.
        guard silence >= staleAfter || !hasPassed && stuckSensor != nil else { return nil }
        let seconds = IIOText.short((silence * 10).rounded() / 10)
        let what: String
        if let stuckSensor {
            what = "\(title) repeats the same \(stuckSensor.name) reading"
        } else if lastData == nil {
            what =
                samplesSinceReport > 0
                ? "\(title) sent no usable sample for \(seconds) s"
                : "\(title) sent no sample for \(seconds) s after it was opened\(triggerText)"
        } else {
            what = "\(title) sent its last sample \(seconds) s ago\(triggerText)"
        }
        if state != .stale, lastData != nil || stuckSensor != nil { enter(.stale, what) }
        let isSilentBuffer = canPoll && !hasScans
        guard silence >= (isSilentBuffer ? max(Self.silentBufferSeconds, reopenAfter) : reopenAfter) else { return nil }
        report(now)
        if isSilentBuffer {
            return IIODeviceWorker.Outcome(
                explanation: "its buffer delivered nothing for \(seconds) s\(triggerText)", hadData: false,
                isSilentBuffer: true)
        }
        return IIODeviceWorker.Outcome(
            explanation: "\(what). Reopening (attempt \(attempt + 1)).",
            hadData: lastData.map { $0.seconds(since: opened) > 1 } ?? false)
    }

    private func fail(_ code: Int32, _ attempt: Int, _ signal: StopSignal) -> IIODeviceWorker.Outcome {
        let now = SystemClock.monotonicNow
        report(now)
        let had = lastData.map { $0.seconds(since: opened) > 1 } ?? false
        guard !signal.isRaised else { return IIODeviceWorker.Outcome(explanation: "stopped", hadData: had) }
        let what =
            switch code {
            case ENODEV: "was unplugged"
            case ETIMEDOUT where settings.isLocal: "stopped sending samples\(triggerText)"
            case EPROTO: "sent a broken scan: its layout changed"
            case ETIMEDOUT, EPIPE, ECONNRESET:
                "is unreachable: the connection to \(settings.contextURI) is lost or silent"
            default: "can no longer be read"
            }
        return IIODeviceWorker.Outcome(
            explanation: "\(title) \(what) (\(IIOProblem.text(code))). Reopening (attempt \(attempt + 1)).",
            hadData: had)
    }

    // MARK: - Counts

    private func report(_ now: MonotonicTime) {
        tally.rateHertz = meter.take()
        tally.clockDrift = stamping.drift.partsPerMillion
        tally.lastDataTime = lastData
        tally.celsius = celsius
        // Beside a faster sensor a magnetometer gives fewer measurements than there are scans.
        if roles != .magnetometer, samplesSinceReport > 0 {
            tally.sensors[2].rateShare = Double(tally.sensors[2].accepted) / Double(samplesSinceReport)
        }
        for (i, sensor) in capture.sensors.enumerated() {
            guard let slot = IIORoles.each.firstIndex(of: sensor.role) else { continue }
            let after = sensor.checked
            tally.countRejections(of: after, since: reportedChecks[i], slot)
            reportedChecks[i] = after
            // A time stamp belongs to the whole scan: its faults are counted once, with the first sensor.
            guard i == 0 else { continue }
            for (fault, reason) in [(0, IIORejection.timeNotIncreasing), (1, .timeInFuture), (2, .timeInPast)] {
                tally.count(stamping.faults[fault] - reportedFaults[fault], reason, slot)
            }
            reportedFaults = stamping.faults
        }
        output.add(tally, to: roles)
        if state == .streaming { tellStreaming() }
        tally = IIOTally()
        samplesSinceReport = 0
        lastReport = now
    }
}
