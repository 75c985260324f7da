import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// By how much a receiver's velocity is older than its position, from its fixes alone.
@Suite struct LagDifferenceTests {
    /// The estimate at the end of a simulated drive.
    private func found(
        seed: UInt64, _ receiver: SatelliteReceiver, change: (inout GnssFix) -> Void = { _ in }
    ) throws -> LagDifferenceEstimator.Difference? {
        var plan = DrivePlan.random(seed: seed, edges: 6)
        plan.standingSecondsBefore = 5
        var suite = SensorSuite()
        suite.satellite = receiver
        var estimator = LagDifferenceEstimator()
        for event in SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: seed) {
            guard case .gnss(var fix) = event else { continue }
            change(&fix)
            estimator.add(fix)
        }
        return estimator.found
    }

    private func receiver(rtk: Bool, rate: Double, position: Double, velocity: Double) -> SatelliteReceiver {
        var receiver = rtk ? SatelliteReceiver.rtk : SatelliteReceiver()
        receiver.rateHertz = rate
        receiver.positionLagSeconds = position
        receiver.velocityLagSeconds = velocity
        return receiver
    }

    @Test(arguments: [(0.0, 0.0), (0.0, 1.2), (0.4, 0.9), (1.0, 1.8), (0.7, 0.4)], [UInt64(1), 2, 3])
    func theDifferenceOfPreciseFixesIsFound(lags: (position: Double, velocity: Double), seed: UInt64) throws {
        for rate in [1.0, 4, 10] {
            // GIVEN positions good to a centimetre, whose velocity is older than they are WHEN the vehicle has driven
            // for some minutes
            let fixes = receiver(rtk: true, rate: rate, position: lags.position, velocity: lags.velocity)
            let found = try #require(try found(seed: seed, fixes))
            // THEN the difference is found to a tenth of a second, the step of the bank
            #expect(abs(found.seconds - (lags.velocity - lags.position)) < 0.1)
            #expect(found.sigma < 0.1)
        }
    }

    @Test(arguments: [UInt64(1), 2, 3, 4, 5]) func theSigmaOfConsumerFixesHolds(seed: UInt64) throws {
        // GIVEN positions that wander by metres THEN the difference is within three sigmas, which are honest
        let found = try #require(try found(seed: seed, receiver(rtk: false, rate: 1, position: 0.6, velocity: 1.4)))
        #expect(abs(found.seconds - 0.8) < 3 * found.sigma)
        #expect(found.sigma < 0.5)
    }

    @Test func aPositionThatJumpsSaysNothing() throws {
        // GIVEN a receiver that is 40 m to the east for ten seconds WHEN the rest fits a difference THEN that is found
        var begin: MonotonicTime?
        let precise = receiver(rtk: true, rate: 1, position: 0, velocity: 0.8)
        let found = try #require(
            try found(seed: 2, precise) { fix in
                begin = begin ?? fix.validityTime
                let age = fix.validityTime.seconds(since: begin ?? fix.validityTime)
                if age > 60, age < 70 { fix.longitudeRadians = fix.longitudeRadians.map { $0 + 40 / 4.3e6 } }
            })
        #expect(abs(found.seconds - 0.8) < 0.1)
    }

    @Test func fixesWithoutVelocityOrMotionFindNothing() throws {
        // GIVEN fixes without a velocity THEN nothing is found
        let fixes = receiver(rtk: true, rate: 1, position: 0, velocity: 0)
        #expect(try found(seed: 1, fixes) { $0.horizontalVelocity = nil }?.seconds == nil)
        // AND none at rest
        var estimator = LagDifferenceEstimator()
        for k in 0..<100 {
            let time = MonotonicTime(nanoseconds: Int64(k) * 1_000_000_000)
            var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
            (fix.latitudeRadians, fix.longitudeRadians) = (0.8, 0.2)
            fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0.1, northMetersPerSecond: 0)
            estimator.add(fix)
        }
        #expect(estimator.found?.seconds == nil)
    }

    @Test(arguments: [(0.45, 0.06, true), (0.43, 0.06, false), (0.21, 0, true), (0.19, 0, false)])
    func aDelayIsMoreThanASmoothing(seconds: Double, sigma: Double, isDelay: Bool) {
        // GIVEN a velocity that is later than the position THEN it is delayed where that is more than the 0.2 s of a
        // smoothing by four sigmas
        #expect(LagDifferenceEstimator.Difference(seconds: seconds, sigma: sigma).isDelay == isDelay)
    }
}
