import DriveTrials
import Foundation
import Testing

/// Many random drives, one after the other: too long for every run (`make nightly`).
@Suite(
    .enabled(
        if: ProcessInfo.processInfo.environment["POSED_NIGHTLY"] == "1", "set POSED_NIGHTLY=1, or run `make nightly`"))
struct NightlyTests {
    /// Drives; each is begun standing and joined on the move.
    private static let drives = 200
    /// Largest heading error, RMS, degrees.
    private static let largestHeadingDegrees = 1.0
    /// Longest way to the alignment, seconds of driving.
    private static let longestAlignmentSeconds = 60.0

    @Test func randomDrivesAlignAndStayRight() async throws {
        // GIVEN random ways, tempers, mounts, grades of sensors, biases, rates and lags WHEN each is driven
        let trials = try await withThrowingTaskGroup(of: RandomDriveTrial.self) { group in
            for seed in 1...UInt64(Self.drives) {
                for movingStart in [false, true] {
                    group.addTask { try RandomDriveTrial(seed: seed, movingStart: movingStart, lags: true) }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        Self.report(trials)
        // THEN every one aligns, keeps its heading, and its position is as good as its receiver
        for trial in trials {
            let name = Self.describe(trial)
            #expect((trial.drivingSecondsToAligned ?? .infinity) < Self.longestAlignmentSeconds, "late: \(name)")
            #expect(trial.headingErrorDegrees < Self.largestHeadingDegrees, "heading: \(name)")
            #expect(trial.horizontalErrorMeters < trial.largestHorizontalErrorMeters, "position: \(name)")
        }
    }

    /// How far a trial uses up what is allowed; above 1 it fails.
    private static func badness(_ trial: RandomDriveTrial) -> Double {
        max(
            (trial.drivingSecondsToAligned ?? .infinity) / longestAlignmentSeconds,
            trial.headingErrorDegrees / largestHeadingDegrees,
            trial.horizontalErrorMeters / trial.largestHorizontalErrorMeters)
    }

    private static func describe(_ trial: RandomDriveTrial) -> String {
        func text(_ value: Double?) -> String { value.map { String(format: "%.2f", $0) } ?? "never" }
        return
            "seed \(trial.seed) \(trial.movingStart ? "moving" : "standing"): aligned after "
            + "\(text(trial.secondsToAligned)) s, "
            + "\(text(trial.drivingSecondsToAligned)) s of driving; heading \(text(trial.headingErrorDegrees)) deg; "
            + "position \(text(trial.horizontalErrorMeters)) m, receiver \(text(trial.receiverErrorMeters)) m; "
            + "\(trial.resetCount) resets"
    }

    private static func report(_ trials: [RandomDriveTrial]) {
        func quantiles(_ values: [Double]) -> String {
            let sorted = values.sorted()
            return [0.5, 0.9, 1].map { String(format: "%.2f", sorted[Int($0 * Double(sorted.count - 1))]) }.joined(
                separator: " / ")
        }
        for movingStart in [false, true] {
            let some = trials.filter { $0.movingStart == movingStart }
            print(
                "\(some.count) \(movingStart ? "moving" : "standing") starts, median / 90 % / worst: heading "
                    + "\(quantiles(some.map(\.headingErrorDegrees))) deg; position over receiver "
                    + "\(quantiles(some.map { $0.horizontalErrorMeters / max($0.receiverErrorMeters, 0.4) })); "
                    + "seconds of driving to alignment "
                    + "\(quantiles(some.map { $0.drivingSecondsToAligned ?? .infinity })); begun anew or jumped: "
                    + "\(some.count { $0.resetCount > 0 })"
            )
        }
        let failed = trials.count { badness($0) >= 1 }
        print("\(failed) of \(trials.count) fail. The five worst:")
        for trial in trials.sorted(by: { badness($0) > badness($1) }).prefix(5) { print("  " + describe(trial)) }
    }
}
