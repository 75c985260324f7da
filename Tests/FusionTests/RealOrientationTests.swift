import Foundation
import Geodesy
import PoseMath
import Recording
import Testing

@testable import Fusion

/// The recorded trials with an optical reference: the figures that are promised, reached on real sensors.
@Suite struct RealOrientationTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "../../../shared/data/orientation"
    )
    .standardizedFileURL.path
    private static let isPresent = FileManager.default.fileExists(atPath: folder)

    /// Total error of VQF 2.1 with its default settings, RMS, degrees, by the number of the trial.
    private static let peerDegrees = [
        "01": 1.99, "04": 1.07, "07": 1.75, "11": 0.90, "15": 2.31, "21": 4.08, "24": 1.55, "28": 4.04, "33": 3.75,
        "36": 2.39,
    ]

    /// The reference while it moves: seconds, and the attitude.
    private func truth(_ path: String) throws -> [(seconds: Double, sensorToENU: Quaternion)] {
        try String(contentsOfFile: path + "/truth.csv", encoding: .utf8).split(separator: "\n").dropFirst().compactMap {
            line in
            let values = line.split(separator: ",", omittingEmptySubsequences: false).compactMap { Double($0) }
            guard values.count == 6, values[5] == 1, values.allSatisfy(\.isFinite) else { return nil }
            return (values[0], Quaternion(w: values[1], x: values[2], y: values[3], z: values[4]).normalized)
        }
    }

    /// Total error and its part that is no turn about the vertical, RMS over the truth, degrees; the share of the truth
    /// at which the magnetic heading is within its sigma.
    private func errors(of path: String) throws -> (total: Double, inclination: Double, within: Double) {
        var settings = FusionSettings()
        settings.profile = .wearable
        var estimator = PoseEstimator(settings: settings)
        var found: [(seconds: Double, attitude: Quaternion, sigma: Double)] = []
        var recording = try RecordingReader(folder: path)
        while let event = try recording.next() {
            if estimator.ingest(event), let attitude = estimator.estimate.bodyToENU {
                let sigma = estimator.estimate.headingMagneticSigmaRadians ?? 0
                found.append((estimator.estimate.time.seconds, attitude, sigma))
            }
        }
        var (total, inclination, within, count, k) = (0.0, 0.0, 0.0, 0.0, 0)
        for reference in try truth(path) {
            while k + 1 < found.count, found[k + 1].seconds <= reference.seconds + 1e-6 { k += 1 }
            let e = (found[k].attitude * reference.sensorToENU.inverse).normalized
            let all = 2 * acos(min(abs(e.w), 1))
            let tilt = 2 * acos(min((e.w * e.w + e.z * e.z).squareRoot(), 1))
            let heading = 2 * atan2(abs(e.z), abs(e.w))
            (total, inclination, count) = (total + all * all, inclination + tilt * tilt, count + 1)
            if heading < found[k].sigma { within += 1 }
        }
        return (
            (total / count).squareRoot().radiansInDegrees, (inclination / count).squareRoot().radiansInDegrees,
            within / count
        )
    }

    @Test(.enabled(if: isPresent, "the recordings are not beside the project"))
    func tenTrialsWithMagnetometer() throws {
        // GIVEN ten trials, slow and fast, undisturbed, tapped on and with magnets; the wearable profile as it is
        let trials = try FileManager.default.contentsOfDirectory(atPath: Self.folder).sorted().filter {
            FileManager.default.fileExists(atPath: Self.folder + "/\($0)/truth.csv")
        }
        #expect(trials.count == 10)
        var (total, inclination, within) = (0.0, 0.0, 0.0)
        for trial in trials {
            let error = try errors(of: Self.folder + "/" + trial)
            // No trial may be lost for a good mean of the others: none is more than 0.1 deg worse than VQF's.
            let peer = try #require(Self.peerDegrees[String(trial.prefix(2))])
            #expect(error.total < peer + 0.1, "\(trial)")
            #expect(error.inclination < 1.2, "\(trial)")
            total += error.total / Double(trials.count)
            inclination += error.inclination / Double(trials.count)
            within += error.within / Double(trials.count)
        }
        // THEN the means are within the promise
        #expect(total <= 1.55)
        #expect(inclination <= 0.75)
        // and the sigma of the magnetic heading is neither too small (60 %) nor three times the error, which was 99.7 %
        #expect(within > 0.6 && within < 0.9, "\(within)")
    }
}
