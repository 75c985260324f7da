import Frames

/// Judges the facts: which fault there is, and what is told of each contribution.
struct Evidence {
    let facts: ExplanationFacts
    private var pose: Frame.Pose { facts.frame.pose }

    /// A receiver whose fixes come less often than this is slow, Hz.
    private static let slowRate = 0.8
    /// A fix that arrives later than this is late, seconds: the fixes of an ordinary receiver arrive within half of it.
    private static let late = 1.0
    /// A last fix that is older than this is an outage, seconds.
    private static let outage = 5.0
    /// A gyro noise beyond this is no sensor's own, but vibration or a bad sensor: consumer sensors have 0.005 to 0.01
    /// degrees/s/sqrt(Hz), and an engine's vibration makes ten times of it.
    private static let noisy = 0.15
    /// A stated accuracy that had to be enlarged by more than this was too small.
    private static let overconfident = 2.0

    /// Share of clipped samples that is more than a door or a pothole.
    private static let oftenClipped = 0.0005

    init(_ facts: ExplanationFacts) { self.facts = facts }

    // MARK: - Faults

    /// A source that the quantity needs and that is not there.
    func sourceFault(of quantity: Explanation.Quantity) -> Action? {
        let sources = facts.frame.sources
        if sources.gps == .absent || sources.gps == .lost || sources.gps == .opening { return .connectReceiver }
        if sources.gps == .waiting, facts.isReceiverUnheard { return .connectReceiver }
        let isIMUGone = sources.imu == .absent || sources.imu == .lost || sources.imu == .opening
        if quantity == .heading, isIMUGone { return .connectIMU }
        return nil
    }

    /// What is wrong with the receiver.
    var receiverFault: Action? {
        switch facts.verdict {
        case "interference": return .removeInterference
        case "stuck": return .restartReceiver
        case "drifting", "contradicted": return .placeAntenna
        case "falseVelocity": return .stateVelocity
        default: break
        }
        // A late fix counts as an old one, too, but a free sky does not make it earlier.
        if facts.fixLatenessSeconds > Self.late { return .fasterLink }
        let isWithoutFix = pose.fixMode == 1 || pose.fixMode == 0 && pose.fixAgeSeconds == nil
        let isOutage = pose.fixAgeSeconds.map { $0 > max(Self.outage, 2.5 * interval) } ?? false
        guard isWithoutFix || isOutage else { return nil }
        // A receiver without a view of the sky still reports; a stale one is silent.
        return facts.frame.sources.gps == .stale ? .connectReceiver : .freeSky
    }

    /// What is wrong with the IMU.
    var imuFault: Action? {
        if facts.imuFaults.contains("gyroStuck") || facts.imuFaults.contains("accelerometerStuck") { return .checkIMU }
        if facts.imuFaults.contains(where: { $0.hasSuffix("Clipped") }) || facts.clippedShare > Self.oftenClipped {
            return .largerRange
        }
        if facts.frame.sources.imu == .stale { return .connectIMU }
        return nil
    }

    /// What is wrong with the installation.
    var installationFault: Action? {
        if facts.isMountRefused { return .correctMount }
        if !facts.doesProfileFit { return .changeProfile }
        if facts.areWheelsRefused { return .checkWheels }
        return nil
    }

    /// What is not wrong, and limits the quantity.
    func weakness(of quantity: Explanation.Quantity) -> Action? {
        if quantity != .position, !facts.isVelocityStated { return .stateVelocity }
        if facts.gyroNoiseDensity > Self.noisy, quantity != .position { return .quieterIMU }
        if quantity == .position, !facts.isAccuracyStated { return .stateAccuracy }
        if facts.sigmaFactor > Self.overconfident || facts.rejectedShare > 0.2 { return .placeAntenna }
        if isSlow { return .fasterReceiver }
        if let antenna = facts.antennaMeters, let sigma = facts.antennaSigmaMeters, quantity == .position {
            if antenna > max(1, 3 * sigma), !facts.isAntennaTold { return .configureAntenna }
        }
        if quantity == .heading, pose.headingTrueRadians == nil { return .driveOn }
        return nil
    }

    /// Whether fixes come seldom.
    var isSlow: Bool { facts.fixRateHertz.map { $0 < Self.slowRate } ?? false }
    /// Interval of the fixes, seconds.
    private var interval: Double { facts.fixRateHertz.map { $0 > 0 ? 1 / $0 : 1 } ?? 1 }

    /// Whether a quantity is as good as it becomes: half a degree, a metre, a tenth of a m/s.
    func isGood(_ quantity: Explanation.Quantity) -> Bool {
        switch quantity {
        case .heading: (pose.headingSigmaRadians ?? .infinity) < 0.5 * .pi / 180
        case .position: pose.positionSigmaENUMeters.map { max($0.x, $0.y) < 1 } ?? false
        default: pose.velocitySigmaENUMetersPerSecond.map { max($0.x, $0.y) < 0.1 } ?? false
        }
    }

    // MARK: - Texts

    var receiverText: String {
        var parts = [
            facts.verdict == "trusted" ? "\(facts.frame.sources.gps)" : facts.verdict,
            facts.fixRateHertz.map { "\(Decimals.text($0, 1)) fixes/s" } ?? "no rate known",
        ]
        if facts.sigmaFactor > 1.05 { parts.append("stated accuracy times \(Decimals.text(facts.sigmaFactor, 1))") }
        if facts.rejectedShare > 0.005 { parts.append("\(Decimals.text(100 * facts.rejectedShare, 0)) % rejected") }
        if !facts.isVelocityStated { parts.append("no velocity") }
        if !facts.isAccuracyStated { parts.append("no accuracy") }
        return parts.joined(separator: ", ")
    }

    var gyroText: String {
        let faults = facts.imuFaults.isEmpty ? "\(facts.frame.sources.imu)" : facts.imuFaults.joined(separator: ", ")
        return "\(faults), noise \(Decimals.text(facts.gyroNoiseDensity, 4)) deg/s/sqrt(Hz)"
    }

    var mountText: String {
        if facts.isMountRefused { return "the mount in the settings is refuted" }
        let mount =
            facts.mountHeadingSigmaDegrees.map { "heading known to \(Decimals.text($0, 2)) deg" } ?? "not known yet"
        guard let antenna = facts.antennaMeters, let sigma = facts.antennaSigmaMeters, sigma < 1 else { return mount }
        return mount + ", antenna \(Decimals.text(antenna, 1)) m from the IMU"
    }

    var lagText: String {
        let lags = [(facts.positionLagSeconds, "position"), (facts.velocityLagSeconds, "velocity")]
        let known = lags.compactMap { lag, name in lag.map { "\(name) \(Decimals.text($0, 2)) s late" } }
        return known.isEmpty ? "not known yet" : known.joined(separator: ", ")
    }

    var ageText: String {
        let age = pose.fixAgeSeconds.map { "last fix \(Decimals.text($0, 1)) s old" } ?? "no fix yet"
        return facts.fixLatenessSeconds > 0.5
            ? age + ", \(Decimals.text(facts.fixLatenessSeconds, 1)) s late on arrival" : age
    }
}
