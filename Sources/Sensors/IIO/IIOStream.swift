import Glibc
import Measurements
import Platform
import PoseMath
import SensorInterface

/// The loop over the samples of one device: waits, reads, checks, hands over. No allocation per sample.
final class IIOStream {
    private let capture: IIOCapture
    private let roles: IIORoles
    private let settings: IIOSettings
    private let output: IIOOutput
    private let title: String
    private var stamping: SampleStamping
    private var tally = IIOTally()
    private var before = InlineArray<4, SampleCheck>(repeating: SampleCheck(limit: 0, range: nil, stuckLimit: 0))
    private var faultsBefore = InlineArray<3, UInt64>(repeating: 0)
    private var samplesSinceReport = 0
    private var lastReport = SystemClock.monotonicNow
    private var lastData: MonotonicTime?
    private let opened = SystemClock.monotonicNow
    private var state = SourceState.waiting
    private var lastMagnetic: RawTriple?

    init(capture: IIOCapture, roles: IIORoles, settings: IIOSettings, output: IIOOutput, title: String) {
        self.capture = capture
        self.roles = roles
        self.settings = settings
        self.output = output
        self.title = title
        stamping = SampleStamping(clock: capture.clock, rateHertz: capture.rateHertz)
        for (i, sensor) in capture.sensors.enumerated() { before[i] = sensor.checked }
    }

    /// Runs until the end is asked for or the device fails.
    func run(_ signal: StopSignal, _ attempt: Int) -> IIOLane.Outcome {
        enter(.waiting, "\(title) is open; no sample yet\(triggerText)")
        while !signal.isRaised {
            if let descriptor = capture.pollDescriptor {
                _ = signal.wait(for: descriptor, seconds: min(staleAfter / 2, 0.25))
            }
            guard !signal.isRaised else { break }
            switch capture.read() {
            case .scans(let count): take(count)
            case .nothing: break
            case .failed(let code): return fail(code, attempt, signal)
            }
            let now = SystemClock.monotonicNow
            if let outcome = checkSilence(now, attempt) { return outcome }
            if now.seconds(since: lastReport) >= 1 { report(now) }
        }
        report(SystemClock.monotonicNow)
        return IIOLane.Outcome(explanation: "stopped", hadData: true)
    }

    private var period: Double { 1 / max(capture.rateHertz, 0.01) }
    private var staleAfter: Double { max(settings.staleAfterSeconds, 5 * period) }
    private var reopenAfter: Double { max(settings.reopenAfterSeconds, 10 * period) }
    private var triggerText: String {
        capture.trigger.map { " (buffer enabled, trigger '\($0)' idle)" } ?? " (buffer enabled, no trigger)"
    }

    // MARK: - Samples

    private func take(_ count: Int) {
        let now = SystemClock.monotonicNow.nanoseconds
        var read = ReadTime(
            monotonic: now, realtimeOffset: capture.clock == .realtime ? SystemClock.realtimeNanoseconds &- now : 0)
        var passed = false
        for scan in 0..<count {
            read.samplesAfter = count - 1 - scan
            guard let time = stamping.time(ofStamp: capture.stamp(scan), read: read) else { continue }
            if takeScan(scan, at: time) { passed = true }
        }
        samplesSinceReport += count
        guard passed else { return }
        lastData = MonotonicTime(nanoseconds: now)
        if state != .streaming { enter(.streaming, streamingText) }
    }

    /// One scan; returns whether any sensor's reading passed its check.
    private func takeScan(_ scan: Int, at time: MonotonicTime) -> Bool {
        var gyro: Vector3?
        var acceleration: Vector3?
        var passed = false
        for i in capture.sensors.indices {
            let role = capture.sensors[i].role
            let raw = capture.raw(i, scan)
            // A slow magnetometer in a fast scan repeats itself: only what is new is a measurement.
            if role == .magnetometer, roles != .magnetometer, raw == lastMagnetic { continue }
            guard let value = capture.sensors[i].value(raw) else { continue }
            passed = true
            switch role {
            case .gyro: gyro = value
            case .accelerometer: acceleration = value
            case .magnetometer:
                lastMagnetic = raw
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

    /// Hands over the reading of a device that has a gyro or an accelerometer alone.
    private func pair(_ gyro: Vector3?, _ acceleration: Vector3?, _ time: MonotonicTime) -> Bool {
        if let gyro {
            tally.sensors[0].accepted += output.pair(gyro: AxisSample(time: time, vector: gyro))
        } else if let acceleration {
            // Whichever half comes later completes a sample; the gyro's entry counts all of them.
            tally.sensors[1].accepted += output.pair(accelerometer: AxisSample(time: time, vector: acceleration))
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
        if stamping.isRestamping { parts.append("its time stamps cannot be right, so times of arrival serve") }
        let clipped = (0..<capture.sensors.count).reduce(0) { $0 + capture.sensors[$1].checked.clipped }
        if clipped > 0 { parts.append("\(clipped) readings at the end of the range") }
        return parts.joined(separator: "; ")
    }

    private var stuckSensor: IIORoles? { capture.sensors.first { $0.checked.isStuck }?.role }

    private func checkSilence(_ now: MonotonicTime, _ attempt: Int) -> IIOLane.Outcome? {
        let silence = now.seconds(since: lastData ?? opened)
        guard silence >= staleAfter || stuckSensor != nil else { return nil }
        let seconds = IIOText.short((silence * 10).rounded() / 10)
        let what: String
        if let stuckSensor {
            what = "\(title) repeats the same \(stuckSensor.name) reading"
        } else if lastData == nil {
            what =
                samplesSinceReport > 0
                ? "\(title) gave no usable sample for \(seconds) s"
                : "\(title) delivered nothing for \(seconds) s after it was opened\(triggerText)"
        } else {
            what = "\(title) stopped delivering samples \(seconds) s ago\(triggerText)"
        }
        if state != .stale, lastData != nil || stuckSensor != nil { enter(.stale, what) }
        guard silence >= reopenAfter else { return nil }
        report(now)
        return IIOLane.Outcome(
            explanation: "\(what). Re-arming (attempt \(attempt + 1)).",
            hadData: lastData.map { $0.seconds(since: opened) > 1 } ?? false)
    }

    private func fail(_ code: Int32, _ attempt: Int, _ signal: StopSignal) -> IIOLane.Outcome {
        let now = SystemClock.monotonicNow
        report(now)
        let had = lastData.map { $0.seconds(since: opened) > 1 } ?? false
        guard !signal.isRaised else { return IIOLane.Outcome(explanation: "stopped", hadData: had) }
        let what =
            switch code {
            case ENODEV: "was unplugged"
            case ETIMEDOUT where settings.isLocal: "stopped delivering samples\(triggerText)"
            case EPROTO: "delivered a broken scan: its layout changed"
            case ETIMEDOUT, EPIPE, ECONNRESET:
                "is out of reach: the connection to \(settings.contextURI) is lost or silent"
            default: "cannot be read any more"
            }
        return IIOLane.Outcome(
            explanation: "\(title) \(what) (\(IIOProblem.text(code))). Re-arming (attempt \(attempt + 1)).",
            hadData: had)
    }

    // MARK: - Counts

    private func report(_ now: MonotonicTime) {
        let span = now.seconds(since: lastReport)
        tally.rateHertz = samplesSinceReport > 0 && span > 0.2 ? Double(samplesSinceReport) / span : nil
        tally.lastDataTime = lastData
        for (i, sensor) in capture.sensors.enumerated() {
            guard let slot = IIORoles.each.firstIndex(of: sensor.role) else { continue }
            let after = sensor.checked
            count(after.notFinite - before[i].notFinite, .notFinite, slot)
            count(after.outOfRange - before[i].outOfRange, .outOfRange, slot)
            count(after.stuck - before[i].stuck, .stuck, slot)
            before[i] = after
            // A stamp belongs to the whole scan: it is counted once, with the first sensor.
            guard i == 0 else { continue }
            for (fault, reason) in [(0, IIORejection.timeNotIncreasing), (1, .timeInFuture), (2, .timeInPast)] {
                count(stamping.faults[fault] - faultsBefore[fault], reason, slot)
            }
            faultsBefore = stamping.faults
        }
        output.add(tally, to: roles)
        if state == .streaming { output.set(roles, .streaming, streamingText) }
        tally = IIOTally()
        samplesSinceReport = 0
        lastReport = now
    }

    private func count(_ number: UInt64, _ reason: IIORejection, _ slot: Int) {
        guard number > 0, let index = IIORejection.allCases.firstIndex(of: reason) else { return }
        tally.sensors[slot].rejections[index] += number
    }
}
