import DriveTrials
import Glibc

/// Prints the accuracy on simulated drives as one JSON object: figures by name, as `bench/accuracy` reads them.
@main struct Accuracy {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let name = arguments.first, let count = arguments.dropFirst().first.flatMap({ UInt64($0) }),
            (1...10_000).contains(count)
        else {
            print("usage: posed-accuracy standing|moving|gyro|boat|boat-magnetometer COUNT [--each]")
            exit(64)
        }
        switch name {
        case "standing", "moving": try report(randomDrives(count, movingStart: name == "moving"))
        case "gyro": try report(gyroFaults(count))
        case "boat", "boat-magnetometer": report(voyages(count, hasMagnetometer: name == "boat-magnetometer"))
        default:
            print("unknown name \(name): standing, moving, gyro, boat or boat-magnetometer")
            exit(64)
        }
    }

    /// Whether a line per trial is printed before the figures.
    private static var isEach: Bool { CommandLine.arguments.contains("--each") }

    /// Random ways, tempers, mounts, grades of sensors, biases, rates and lags.
    private static func randomDrives(_ count: UInt64, movingStart: Bool) throws -> [(String, Double)] {
        let trials = try (1...count).map { try RandomDriveTrial(seed: $0, movingStart: movingStart, lags: true) }
        if isEach { for trial in trials { print(trial.line) } }
        let aligned = trials.map { $0.drivingSecondsToAligned ?? .infinity }
        let heading = trials.map(\.headingErrorDegrees)
        // A receiver that is nearly perfect cannot be improved on.
        let ratio = trials.map { $0.horizontalErrorMeters / max($0.receiverErrorMeters, 0.4) }
        return [
            ("not_aligned", Double(trials.count { $0.secondsToAligned == nil })),
            ("aligned_median", median(aligned)), ("aligned_longest", aligned.max() ?? .infinity),
            ("heading_median", median(heading)), ("heading_largest", heading.max() ?? .infinity),
            ("over_receiver", median(ratio)),
        ]
    }

    /// Boats with ten degrees of crab in waves, before and after manoeuvres of 0.5 m/s2.
    private static func voyages(_ count: UInt64, hasMagnetometer: Bool) -> [(String, Double)] {
        let trials = (1...count).map { BoatTrial(BoatTrial.Setup(seed: $0, hasMagnetometer: hasMagnetometer)) }
        if isEach { for trial in trials { print(trial.line) } }
        let before = trials.reduce(BoatTrial.Errors()) { $0 + $1.headingBefore }
        let after = trials.reduce(BoatTrial.Errors()) { $0 + $1.headingAfter }
        let position = trials.reduce(BoatTrial.Errors()) { $0 + $1.position }
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
    private static func gyroFaults(_ count: UInt64) throws -> [(String, Double)] {
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

    private static func median(_ values: [Double]) -> Double {
        values.isEmpty ? .nan : values.sorted()[values.count / 2]
    }

    private static func report(_ figures: [(String, Double)]) {
        let members = figures.map { name, value in
            "\"\(name)\": " + (value.isFinite ? "\(value)" : value.isNaN ? "NaN" : "Infinity")
        }
        print("{\(members.joined(separator: ", "))}")
    }
}
