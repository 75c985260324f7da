import Foundation
import Geodesy
import Measurements
import PoseMath
import Recording
import Testing

@testable import Fusion

/// What the vibration of the recorded drive does: the figures that ``IMUNoiseEstimator`` rests on.
@Suite struct RecordedVibrationTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "../../../shared/data/car_drive"
    )
    .standardizedFileURL.path
    private static let isPresent = FileManager.default.fileExists(atPath: folder)
    /// The part of the recording that is driven, seconds.
    private static let driven = 60.0..<520

    @Test(.enabled(if: isPresent, "the recordings are not beside the project"))
    func theMountSwingsAboutOneAxis() throws {
        // GIVEN the drive WHEN what two gyro axes shake from sample to sample is compared
        var (meter, sum, count) = (IMUNoiseEstimator(), 0.0, 0.0)
        var recording = try RecordingReader(folder: Self.folder)
        while let event = try recording.next() {
            guard case .inertial(let sample) = event else { continue }
            let noise = meter.update(sample).gyro
            guard Self.driven.contains(sample.time.seconds) else { continue }
            sum += noise.offDiagonal.z / (noise.diagonal.x * noise.diagonal.y).squareRoot()
            count += 1
        }
        print(String(format: "car drive, gyro x against y: noise correlates by %.2f in the mean", sum / count))
        // THEN they shake in step, which is what the matrix is for: axis by axis it would be 0
        #expect(count > 40_000 && sum / count < -0.6)
    }

    private struct Height {
        var seconds: Double
        var meters: Double
    }

    /// The drive with all fixes: the heights of the fixes, the height that the accelerometer alone gives, and the
    /// density of its vertical axis' samples, were they white, (m/s2)2/Hz: the sensor lies about level.
    private func heights() throws -> (seen: [Height], felt: [Height], density: Double) {
        var estimator = PoseEstimator()
        var recording = try RecordingReader(folder: Self.folder)
        var (seen, felt): ([Height], [Height]) = ([], [])
        var (height, climb, withVibration) = (0.0, 0.0, 0.0)
        var last: InertialSample?
        while let event = try recording.next() {
            _ = estimator.ingest(event)
            switch event {
            case .gnss(let fix) where Self.driven.contains(fix.validityTime.seconds):
                seen.append(
                    Height(seconds: fix.validityTime.seconds, meters: try #require(fix.altitudeEllipsoidMeters)))
            case .inertial(let sample) where Self.driven.contains(sample.time.seconds):
                defer { last = sample }
                guard let last else { continue }
                let (seconds, force) = (
                    sample.time.seconds(since: last.time), sample.specificForceMetersPerSecondSquared
                )
                let state = estimator.filter.state
                height += climb * seconds
                // What is constant in gravity or bias is one and the same in all second differences.
                climb += (state.sensorToENU.rotate(force - state.accelerometerBias).z - 9.8) * seconds
                let change = force.z - last.specificForceMetersPerSecondSquared.z
                withVibration += change * change * 0.5 * seconds
                felt.append(Height(seconds: sample.time.seconds, meters: height))
            default: continue
            }
        }
        return (seen, felt, withVibration / Double(felt.count))
    }

    /// Second differences of what is felt against what is seen, over some fixes to either side, metres.
    private func differences(_ seen: [Height], _ felt: [Height], fixes: Int, seconds: Double) -> [Double] {
        var k = 0
        let beside = seen.dropLast().map { place -> Double in
            while k + 2 < felt.count, felt[k + 1].seconds <= place.seconds { k += 1 }
            let part = (place.seconds - felt[k].seconds) / (felt[k + 1].seconds - felt[k].seconds)
            return place.meters - (felt[k].meters + (felt[k + 1].meters - felt[k].meters) * part)
        }
        return (fixes..<(beside.count - fixes)).compactMap { i in
            let isWhole = abs(seen[i + fixes].seconds - seen[i - fixes].seconds - 2 * seconds) < 0.02
            return isWhole ? beside[i - fixes] - 2 * beside[i] + beside[i + fixes] : nil
        }
    }

    @Test(.enabled(if: isPresent, "the recordings are not beside the project"))
    func theVelocityWalksLessThanTheAngle() throws {
        // GIVEN the heights that fixes and accelerometer give WHEN their second differences over 4 s (16 fixes) are
        // compared
        let (seen, felt, density) = try heights()
        let found = differences(seen, felt, fixes: 16, seconds: 4).sorted()
        let middle = found[found.count / 2]
        let spread = 1.4826 * found.map { abs($0 - middle) }.sorted()[found.count / 2]
        // White noise of density q would give them the variance q 2/3 (4 s)^3.
        let share = spread / (density * 2 / 3 * 64).squareRoot()
        print(String(format: "car drive, vertical: the velocity walks by %.2f of the vibration at most", share))
        // THEN that is less than the gyro's 0.45; the fixes' own noise is in it
        #expect(found.count > 1000 && share < 0.4)
    }
}
