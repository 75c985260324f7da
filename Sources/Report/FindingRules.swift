import Conversion
import Frames
import Fusion
import Measurements
import PoseMath

/// Derives the findings of a drive from its figures. Each rule is one function; the thresholds are stated with it.
struct FindingRules {
    private let figures: DriveFigures
    private var drive: DriveCollector { figures.drive }
    /// The findings, the most severe first.
    private(set) var findings: [Finding] = []

    init(_ figures: DriveFigures) {
        self.figures = figures
        findSensors()
        findReceiver()
        findStates()
        findErrors()
        findInstallation()
        findIMU()
        findInnovations()
        for note in figures.notes { add(.note, note) }
        let sorted = findings.enumerated().sorted {
            ($0.element.severity.rawValue, $1.offset) > ($1.element.severity.rawValue, $0.offset)
        }
        findings = sorted.map(\.element)
    }

    private mutating func add(_ severity: Finding.Severity, _ text: String, _ remedy: String = "", at: Double? = nil) {
        findings.append(Finding(severity: severity, text: text, remedy: remedy, atSeconds: at))
    }

    // MARK: - Sensors

    private mutating func findSensors() {
        let sensors = drive.summary.sensors
        if sensors[.gps, default: .init()].count == 0 {
            add(.problem, "no fix of a receiver", "connect one, and look at posectl doctor")
        }
        if sensors[.imu, default: .init()].count == 0 {
            add(.advice, "no motion sensor: no attitude, and outages are not bridged", "add a gyro and accelerometer")
        }
        for kind in SensorKind.allCases {
            guard let sensor = sensors[kind], sensor.count > 0 else { continue }
            if sensor.gaps > 0 {
                let first = sensor.gapSpans.max { $0.upperBound - $0.lowerBound < $1.upperBound - $1.lowerBound }
                add(
                    kind == .imu ? .problem : .advice,
                    "\(kind.title): \(counted(sensor.gaps, "gap")), the longest of \(text(sensor.longestGap, 2)) s",
                    kind == .gps
                        ? "look at the antenna's view of the sky at these places"
                        : "look at the load of the machine, the bus and the cable of the sensor",
                    at: first.map { $0.lowerBound - figures.begin.seconds })
            }
            if kind == .imu || kind == .magnetometer, sensor.repeats * 20 > sensor.count {
                add(
                    .advice,
                    "\(kind.title): \(percent(sensor.repeats, sensor.count)) of the readings repeat the one before",
                    "it is read faster than it measures: set a lower rate in imu")
            }
        }
    }

    // MARK: - Receiver

    private mutating func findReceiver() {
        var latencies = drive.latencies
        if let median = latencies.quantile(0.5), median > 500 {
            add(
                .advice, "fixes arrive \(text(median / 1000, 2)) s after they were valid (median)",
                "let the receiver send faster: a higher baud rate, fewer messages")
        }
        let trust = drive.innovations.trust
        if let rate = drive.summary.sensors[.gps]?.rateHertz, rate < 0.9 {
            add(.advice, "one fix in \(text(1 / rate, 1)) s", "set the receiver to 5 fixes per second")
        }
        if trust.isVelocityUnstated {
            add(.advice, "the receiver states no velocity", "let it send speed and course (RMC or VTG)")
        }
        if trust.isAccuracyUnstated {
            add(.advice, "the receiver states no accuracy; 8 m is assumed", "let it send its error estimates (GST)")
        }
        let texts: [(ReceiverVerdict, String)] = [
            (.stuck, "repeated one position while it reported motion"),
            (.drifting, "gave positions that drifted from its own velocity (reflections, or spoofing)"),
            (.contradicted, "gave a speed that contradicted the motion"), (.interference, "reported jamming"),
            (.falseVelocity, "gave a speed or course that is not that of its positions"),
        ]
        for (verdict, what) in texts {
            guard let seconds = drive.verdictSeconds[verdict], seconds >= 1 else { continue }
            let remedy =
                verdict == .falseVelocity ? "let it send true ones (RMC or VTG)" : "look at its antenna and its place"
            add(.problem, "the receiver \(what) for \(text(seconds, 0)) s", remedy)
        }
        let lag = trust.velocityLagSeconds
        if trust.isFilterRunning, abs(lag) > 0.3 {
            add(.note, "the receiver's velocity is \(text(lag, 2)) s late, which is taken into account")
        }
    }

    // MARK: - Pose

    private mutating func findStates() {
        let poses = drive.poses
        if poses.secondsToAligned == nil, poses.seconds > 60 {
            add(
                .problem, "the pose was never aligned",
                "drive with turns under an open sky; see posectl explain heading")
        }
        let longest = poses.longestWithoutFix
        if longest.seconds > 5 {
            // A person and a boat have no wheels whose speed is used.
            let isOfUse = drive.summary.sensors[.wheels] == nil && figures.settings.profile.traits.rollsOnWheels
            add(
                longest.seconds > 60 ? .problem : .note,
                "\(text(longest.seconds, 0)) s without a usable fix; the pose was carried by dead reckoning",
                isOfUse ? "wheel speeds would bridge it better (docs/can.md)" : "",
                at: longest.at - longest.seconds)
        }
        if figures.share(.lost) > 0.01 {
            add(.problem, "\(text(100 * figures.share(.lost), 1)) % of the time the place was lost")
        }
        if poses.jumps > 0 {
            add(.advice, "the pose jumped \(counted(poses.jumps, "time")), as announced to clients")
        }
        findMisfit(ofSeconds: drive.misfitSeconds)
    }

    /// Finds that the motion did not fit the profile for more than ten seconds.
    mutating func findMisfit(ofSeconds seconds: Double) {
        guard seconds > 10 else { return }
        add(
            .problem, "the body slipped sideways as no vehicle does for \(text(seconds, 0)) s",
            "set profile to wearable, or fix the device to the vehicle")
    }

    private mutating func findErrors() {
        guard let errors = figures.errors, errors.judged >= 100, let worst = errors.worst else { return }
        let name = figures.referenceName ?? "the reference"
        let beyond = Double(errors.judged - errors.within[2]) / Double(errors.judged)
        // Of distances in a plane exp(-9) = 0.01 % lie beyond three sigmas, which are sqrt(east^2 + north^2); where all
        // errors are along one axis, 0.3 %. A twentieth is not chance.
        if beyond > 0.05 {
            add(
                figures.isReferenceSmoothed ? .note : .advice,
                "\(text(100 * beyond, 1)) % of the positions are farther from \(name) than three times their sigma",
                "the receiver may be overconfident: compare its stated accuracy", at: figures.at(worst.time))
        }
        if worst.meters > 20 {
            add(.advice, "largest error \(text(worst.meters, 1)) m", at: figures.at(worst.time))
        }
    }

    // MARK: - Installation

    private mutating func findInstallation() {
        let calibration = drive.calibration
        if calibration.isConfiguredMountRefused {
            add(
                .problem, "the mount in the settings contradicts gravity or the drive and is not used",
                "correct fusion.sensor_to_body, or leave it out")
        }
        if let antenna = calibration.mount?.antenna { find(antenna) }
        if calibration.magnetometer?.state == .disturbed || calibration.magnetometer?.state == .implausible {
            add(.advice, "the magnetometer is disturbed", "mount it away from iron and currents")
        }
        guard let wheels = drive.innovations.trust.wheels else { return }
        if abs(wheels.scale - 1) > 0.03 {
            add(.note, "the wheels state \(text(100 * (1 / wheels.scale - 1), 1)) % more speed, which is corrected")
        }
        if !wheels.isUsed { add(.advice, "the wheel speed contradicted the receiver and is not used") }
    }

    private mutating func find(_ antenna: AntennaArm) {
        let (forward, left) = (antenna.meters.x, antenna.meters.y)
        let distance = (forward * forward + left * left).squareRoot()
        guard antenna.isWellKnown, distance > max(0.3, 3 * antenna.sigmaMeters.max()) else { return }
        var places: [String] = []
        if abs(forward) >= 0.2 { places.append("\(text(abs(forward), 1)) m \(forward < 0 ? "behind" : "ahead of") ") }
        if abs(left) >= 0.2 { places.append("\(text(abs(left), 1)) m \(left < 0 ? "right" : "left") of ") }
        let place = places.joined(separator: "and ") + "the IMU"
        guard let told = figures.settings.antennaLeverArmBodyMeters else {
            add(
                .advice, "antenna \(place), not configured",
                "set fusion.antenna_lever_arm_m: [\(text(forward, 2)), \(text(left, 2)), HEIGHT]")
            return
        }
        let (x, y) = (told.x - forward, told.y - left)
        guard (x * x + y * y).squareRoot() > max(0.5, 3 * antenna.sigmaMeters.max()) else { return }
        add(
            .advice, "antenna \(place), but configured at [\(text(told.x, 2)), \(text(told.y, 2)), \(text(told.z, 2))]",
            "correct fusion.antenna_lever_arm_m")
    }

    private mutating func findIMU() {
        let faults = drive.inertialFaults
        if !faults.isDisjoint(with: [.gyroStuck, .accelerometerStuck]) {
            add(.problem, "the IMU repeated a reading", "check its cable and driver")
        }
        if !faults.isDisjoint(with: [.gyroClipped, .accelerometerClipped]) {
            add(.problem, "the IMU was saturated", "choose a larger range, or a softer mount")
        }
        if faults.contains(.inconsistent) {
            add(.problem, "the IMU contradicted the receiver for a time", "check its range, its axes and its mount")
        }
        if faults.contains(.turned) { add(.problem, "the IMU turned in the vehicle", "fix its holder") }
    }

    private mutating func findInnovations() {
        // The constraints are applied where they may hold, and refused where they do not: that is their use.
        let measured: [AidSource] = [
            .gnssPosition, .gnssHeight, .gnssVelocity, .gnssClimb, .wheelSpeed, .barometer, .receiverHeading,
        ]
        for source in measured {
            guard let record = drive.innovations.sources[source] else { continue }
            findRejections(of: source, accepted: record.accepted, rejected: record.rejected)
        }
    }

    /// Finds that more than a twentieth of a source's observations, of fifty at least, were rejected.
    mutating func findRejections(of source: AidSource, accepted: UInt64, rejected: UInt64) {
        let total = accepted + rejected
        guard total >= 50, rejected * 20 > total else { return }
        let share = percent(Int(clamping: rejected), Int(clamping: total))
        add(
            .advice, "\(EventText.words("\(source)")): \(share) of the observations were rejected",
            "see docs/rejections.md")
    }

    // MARK: - Text

    private func text(_ value: Double, _ decimals: Int) -> String { Decimal.text(value, decimals: decimals) }

    private func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private func percent(_ part: Int, _ whole: Int) -> String {
        "\(text(100 * Double(part) / Double(max(whole, 1)), 1)) %"
    }
}
