import ArgumentParser
import DriveTrials

/// Prints the accuracy on simulated drives as one JSON object: figures by name, as `bench/accuracy` reads them.
@main struct Accuracy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "posed-accuracy",
        abstract: "Measures the accuracy on simulated drives, and prints it as one JSON object.")

    enum Kind: String, CaseIterable, ExpressibleByArgument {
        case standing, moving, walk, gyro, boat
        case walkJoined = "walk-joined"
        case boatMagnetometer = "boat-magnetometer"
    }

    @Argument(help: "What is simulated.")
    var kind: Kind
    @Argument(help: "How many, 1 to 10000.")
    var count: UInt64
    @Flag(help: "Print a line for each before the figures.")
    var each = false
    @OptionGroup(title: "Installation, for standing, moving and walks") var options: InstallationOptions

    func validate() throws {
        guard (1...10_000).contains(count) else { throw ValidationError("COUNT must be 1 to 10000, not \(count).") }
    }

    func run() throws {
        switch kind {
        case .standing, .moving: try report(randomDrives())
        case .walk, .walkJoined: report(walks())
        case .gyro: try report(gyroFaults())
        case .boat, .boatMagnetometer: report(voyages())
        }
    }

    /// Random ways, tempers, mounts, grades of sensors, biases, rates and lags.
    private func randomDrives() throws -> [(String, Double)] {
        let trials = try (1...count).map { seed in
            try RandomDriveTrial(
                seed: seed, movingStart: kind == .moving, lags: true, installation: options.installation)
        }
        if each { for trial in trials { print(trial.line) } }
        let aligned = trials.map { $0.drivingSecondsToAligned ?? .infinity }
        let heading = trials.map(\.headingErrorDegrees)
        // A receiver that is nearly perfect cannot be improved on.
        let ratio = trials.map { $0.horizontalErrorMeters / max($0.receiverErrorMeters, 0.4) }
        let consistency = trials.reduce(PublishedConsistency()) { $0 + $1.consistency }
        let shares = [
            ("position_within", consistency.position), ("velocity_within", consistency.velocity),
            ("heading_within", consistency.heading), ("tilt_share", consistency.tilt),
        ].map { ($0, 100 * $1.shareWithin) }
        return [
            ("not_aligned", Double(trials.count { $0.secondsToAligned == nil })),
            ("aligned_median", median(aligned)), ("aligned_longest", aligned.max() ?? .infinity),
            ("heading_median", median(heading)), ("heading_largest", heading.max() ?? .infinity),
            ("over_receiver", median(ratio)), ("share_most", shares.map(\.1).max() ?? .infinity),
        ] + shares
    }

    /// Random walks, ways to hold the sensor, grades of sensors, rates and lags, with three outages of 15 s;
    /// from the start, or joined on the way.
    private func walks() -> [(String, Double)] {
        let trials = (1...count).map {
            WalkTrial(seed: $0, movingStart: kind == .walkJoined, installation: options.installation)
        }
        if each { for trial in trials { print(trial.line) } }
        let heading = trials.reduce(TrialErrors()) { $0 + $1.heading }
        let position = trials.reduce(TrialErrors()) { $0 + $1.position }
        let ratio = trials.map { $0.position.root / max($0.fixes.root, 0.4) }
        return [
            ("not_aligned", Double(trials.count { $0.secondsToHeading == nil })),
            ("heading", heading.root.radiansInDegrees),
            ("heading_largest", trials.map { $0.heading.root.radiansInDegrees }.max() ?? .infinity),
            ("heading_within", 100 * heading.shareWithin), ("position_within", 100 * position.shareWithin),
            ("over_receiver", median(ratio)), ("outage_ratio", median(trials.map(\.outageRatio))),
        ]
    }

    /// Boats with ten degrees of crab in waves, before and after manoeuvres of 0.5 m/s2.
    private func voyages() -> [(String, Double)] {
        let hasMagnetometer = kind == .boatMagnetometer
        let trials = (1...count).map { BoatTrial(BoatTrial.Setup(seed: $0, hasMagnetometer: hasMagnetometer)) }
        if each { for trial in trials { print(trial.line) } }
        let before = trials.reduce(TrialErrors()) { $0 + $1.headingBefore }
        let after = trials.reduce(TrialErrors()) { $0 + $1.headingAfter }
        let position = trials.reduce(TrialErrors()) { $0 + $1.position }
        // As in the drives, no better than half a metre is asked of a perfect receiver: 0.4 on each axis.
        let ratio = trials.map { $0.position.root / max($0.fixes.root, 0.4) }
        return [
            ("heading", after.root.radiansInDegrees),
            ("heading_largest", trials.map { $0.headingAfter.root.radiansInDegrees }.max() ?? .infinity),
            ("heading_within", 100 * after.shareWithin), ("heading_within_before", 100 * before.shareWithin),
            ("heading_sigmas", max(before.largestRatio, after.largestRatio)),
            ("position_within", 100 * position.shareWithin), ("over_receiver", median(ratio)),
        ]
    }

    /// A bias of one degree per second about each axis, and a doubled scale.
    private func gyroFaults() throws -> [(String, Double)] {
        let faults: [InertialFaultTrial.Fault] = [.scaleDoubled, .biasYaw, .biasRoll, .biasPitch]
        var (longest, largest) = (0.0, 0.0)
        for seed in InertialFaultTrial.seeds.prefix(Int(count)) {
            let trial = try InertialFaultTrial(seed: seed)
            for fault in faults {
                let outcome = trial.run(fault)
                longest = max(longest, outcome?.secondsToFlag ?? .infinity)
                largest = max(largest, outcome?.errorAtFlagDegrees ?? .infinity)
            }
        }
        return [("flagged_longest", longest), ("attitude_by_then", largest)]
    }

    private func median(_ values: [Double]) -> Double {
        values.isEmpty ? .nan : values.sorted()[values.count / 2]
    }

    private func report(_ figures: [(String, Double)]) {
        let members = figures.map { name, value in
            "\"\(name)\": " + (value.isFinite ? "\(value)" : value.isNaN ? "NaN" : "Infinity")
        }
        print("{\(members.joined(separator: ", "))}")
    }
}

/// Options of an installation, as ``Installation`` explains them.
struct InstallationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How late every fix arrives, seconds.", valueName: "s"))
    var fixDelay = 0.0
    @Option(help: ArgumentHelp("One fix of so many arrives.", valueName: "n"))
    var everyNthFix = 1
    @Flag(help: "The receiver states no velocity.")
    var withoutVelocity = false
    @Flag(help: "The receiver states no true velocity: zero, a magnetic course, or a speed in another unit.")
    var falseVelocity = false
    @Flag(help: "The receiver does not state how accurate it is.")
    var withoutAccuracy = false
    @Flag(help: "The receiver is as late as those of telephones and loggers: places 0 to 1.2 s, velocities up to 2 s.")
    var lateReceiver = false
    @Flag(help: "The gyro becomes warm: its bias changes by 0.1 to 1 deg/s within one to five minutes.")
    var warmingGyro = false
    @Flag(help: "The gyro is biased by 5 to 20 deg/s about a random axis.")
    var biasedGyro = false
    @Flag(help: "The holder of the IMU turns on the way by 20 to 90 degrees, in a vehicle.")
    var turningHolder = false
    @Flag(help: "The antenna is 0.2 to 1 m away from the IMU of a person, to 2 m in a vehicle; nobody tells it.")
    var antennaElsewhere = false
    @Option(help: ArgumentHelp("One sample of the IMU of so many arrives.", valueName: "n"))
    var everyNthSample = 1
    @Option(help: ArgumentHelp("Length of a gap of the IMU every 20 s, seconds.", valueName: "s"))
    var gaps = 0.0

    var installation: Installation {
        var installation = Installation(fixDelaySeconds: fixDelay)
        installation.everyNthFix = everyNthFix
        installation.statesVelocity = !withoutVelocity
        installation.isVelocityFalse = falseVelocity
        installation.statesAccuracy = !withoutAccuracy
        installation.isReceiverLate = lateReceiver
        installation.isGyroWarming = warmingGyro
        installation.isGyroBiased = biasedGyro
        installation.isHolderTurning = turningHolder
        installation.isAntennaElsewhere = antennaElsewhere
        installation.everyNthSample = everyNthSample
        installation.gapSeconds = gaps
        return installation
    }

    func validate() throws {
        guard fixDelay >= 0, fixDelay <= 60, gaps >= 0, gaps < 20 else {
            throw ValidationError("A fix is 0 to 60 s late, and a gap is 0 to 20 s long.")
        }
        guard (1...1_000).contains(everyNthFix), (1...1_000).contains(everyNthSample) else {
            throw ValidationError("One of 1 to 1000 arrives.")
        }
    }
}
