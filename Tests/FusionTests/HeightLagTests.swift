import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// A receiver filters heights by themselves: they are as late as its places, or less.
@Suite struct HeightLagTests {
    /// Lags of the receiver's position and velocity, seconds.
    private static let lags = (position: 0.5, velocity: 1.0)

    /// The published height over hills, from two minutes after the start while it moves.
    private struct HillyDrive {
        var within = 0.0
        var count = 0.0

        /// - Parameter share: lag of the heights over that of the places.
        init(seed: UInt64, share: Double) throws {
            var plan = DrivePlan.random(seed: seed, edges: 16)
            plan.standingSecondsBefore = 5
            plan.hillHeightMeters = 15
            var suite = SensorSuite()
            var receiver = SatelliteReceiver.rtk
            receiver.rateHertz = 1
            (receiver.positionLagSeconds, receiver.velocityLagSeconds) = HeightLagTests.lags
            suite.satellite = receiver
            let drive = try Drive(plan)
            var estimator = PoseEstimator()
            for event in SimulatedDrive(drive: drive, sensors: suite, seed: seed) {
                let late = Self.withHeight(of: event, share: share, drive)
                guard estimator.ingest(late), case .inertial(let sample) = event else { continue }
                let truth = drive.truth(atSeconds: sample.time.seconds)
                let estimate = estimator.estimate
                guard sample.time.seconds > 125, truth.velocityENUMetersPerSecond.length > 2,
                    let position = estimate.position, let sigma = estimate.positionSigmaENUMeters
                else { continue }
                let error = position.altitudeEllipsoidMeters - truth.position.altitudeEllipsoidMeters
                within += abs(error) < sigma.z ? 1 : 0
                count += 1
            }
        }

        /// A fix whose height is not as late as its place.
        private static func withHeight(of event: SensorEvent, share: Double, _ drive: Drive) -> SensorEvent {
            guard case .gnss(var fix) = event, let altitude = fix.altitudeEllipsoidMeters else { return event }
            let seconds = fix.validityTime.seconds
            func height(before lag: Double) -> Double {
                drive.truth(atSeconds: seconds - lag).position.altitudeEllipsoidMeters
            }
            let lag = HeightLagTests.lags.position
            fix.altitudeEllipsoidMeters = altitude + height(before: share * lag) - height(before: lag)
            return .gnss(fix)
        }
    }

    @Test(arguments: [0.0, 0.5, 1.0]) func theSigmaOfTheHeightHoldsWhateverItsLag(share: Double) throws {
        // GIVEN drives over hills (seeds kept) with a receiver whose places are 0.5 s late, and its heights by a part
        // of that
        var (within, count) = (0.0, 0.0)
        for seed in UInt64(1)...4 {
            let drive = try HillyDrive(seed: seed, share: share)
            within += drive.within
            count += drive.count
        }
        // THEN the published sigma holds about as often as a Gaussian one, 68 %; more often where the lag is the one
        // assumed
        let percent = 100 * within / count
        #expect(percent > 65 && (percent < 90 || share == Tuning.GNSS.heightLagShare), "within 1-sigma \(percent) %")
    }
}
