import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Simulation

/// The sensors as they come, and the times at which they measure.
@Suite struct SensorPresetTests {
    @Test("a receiver of each kind has the errors of its kind") func receiversHaveTheirErrors() {
        // GIVEN the receivers THEN the one of textbooks has white errors of a metre and the rest of a usual one
        var white = SatelliteReceiver()
        (white.whiteMeters, white.wanderingMeters) = (1, 0)
        #expect(SatelliteReceiver.white == white)
        // AND the one with fixed ambiguities has centimetres, four times a second
        var rtk = SatelliteReceiver()
        (rtk.rateHertz, rtk.whiteMeters, rtk.wanderingMeters) = (4, 0.01, 0.005)
        (rtk.velocityMetersPerSecond, rtk.latencySeconds) = (0.04, 0.05)
        #expect(SatelliteReceiver.rtk == rtk)
        let usual = SatelliteReceiver()
        #expect(
            [usual.rateHertz, usual.whiteMeters, usual.wanderingMeters, usual.wanderingSeconds] == [1, 0.3, 2.5, 30])
        #expect([usual.verticalFactor, usual.velocityMetersPerSecond, usual.latencySeconds] == [2, 0.1, 0.1])
        #expect([usual.latencySpreadSeconds, usual.multipathMeters, usual.multipathSeconds] == [0.02, 12, 6])
        #expect([usual.multipathEpisodesPerMinute, usual.statedSigmaScale] == [0, 1] && usual.outages.isEmpty)
        #expect(usual.positionLagSeconds == 0 && usual.velocityLagSeconds == 0 && usual.leverArmBodyMeters == .zero)
    }

    @Test("sensors have the rates and errors of usual ones") func sensorsHaveTheirRates() {
        let suite = SensorSuite()
        #expect(suite.inertial?.rateHertz == 100 && suite.inertial?.errors == .consumer && suite.satellite != nil)
        #expect(suite.magnetometer == nil && suite.barometer == nil && suite.wheels == nil)
        let (magnetometer, barometer) = (SensorSuite.Magnetometer(), SensorSuite.Barometer())
        #expect(magnetometer.rateHertz == 50 && magnetometer.hardIronTesla == .zero)
        #expect(abs(magnetometer.fieldENUTesla.length - 48.3e-6) < 0.1e-6 && magnetometer.noiseTesla == 0.4e-6)
        #expect([barometer.rateHertz, barometer.noisePascal, barometer.driftPascal] == [25, 2, 15])
        #expect(barometer.pressureAtEllipsoidPascal == 101_325)
        let wheels = SensorSuite.Wheels()
        #expect([wheels.rateHertz, wheels.scale, wheels.resolutionMetersPerSecond] == [20, 0.02, 0.02])
        #expect(wheels.noiseMetersPerSecond == 0.03)
    }

    /// The fixes of a short drive.
    private func fixes(_ change: (inout SatelliteReceiver) -> Void) throws -> [GnssFix] {
        var suite = SensorSuite()
        var receiver = SatelliteReceiver()
        change(&receiver)
        (suite.inertial, suite.satellite) = (nil, receiver)
        var plan = townPlan()
        plan.vertices = Array(plan.vertices.prefix(2))
        plan.stops = []
        return SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: 3).compactMap { event in
            if case .gnss(let fix) = event { fix } else { nil }
        }
    }

    @Test("below ten centimetres the ambiguities are fixed") func theQualityFollowsTheErrors() throws {
        for (white, wandering, quality) in [
            (0.0625, 0.03125, FixQuality.rtkFixed), (0.05, 0.05, .autonomous), (0.3, 2.5, .autonomous),
            (0.25, 0, .autonomous), (0, 0.25, .autonomous),
        ] {
            let found = try fixes { ($0.whiteMeters, $0.wanderingMeters) = (white, wandering) }
            #expect(!found.isEmpty && found.allSatisfy { $0.quality == quality }, "\(white), \(wandering)")
            // AND the stated sigma is that of both errors
            let stated = (white * white + wandering * wandering).squareRoot()
            #expect(found.allSatisfy { abs(($0.horizontalSigmaMeters ?? 0) - stated) < 1e-12 })
            #expect(found.allSatisfy { abs(($0.verticalSigmaMeters ?? 0) - 2 * stated) < 1e-12 })
        }
    }

    @Test("fixes arrive in their order, however late they are") func fixesArriveInOrder() throws {
        // GIVEN a receiver whose delay changes by more than its interval
        let found = try fixes { ($0.rateHertz, $0.latencySeconds, $0.latencySpreadSeconds) = (10, 0.2, 0.5) }
        let arrivals = found.map(\.arrivalTime)
        // THEN none arrives before the one before it, and each 0.2 s to 0.7 s after its time, or with the one before
        #expect(arrivals == arrivals.sorted())
        var last = MonotonicTime(nanoseconds: 0)
        for fix in found {
            let delay = fix.arrivalTime.seconds(since: fix.validityTime)
            #expect(delay >= 0.2 && (delay <= 0.7001 || fix.arrivalTime == last))
            last = fix.arrivalTime
        }
    }

    @Test("the climb has a smoothing and a lag of its own") func theClimbIsSmoothedByItself() throws {
        // GIVEN a receiver without errors of the velocity on a hill, with a smoothing of each velocity and a spread of
        // the lag of the climb, seconds
        func climbs(_ horizontal: Double, _ vertical: Double, spread: Double = 0) throws -> [Double] {
            let found = try fixes {
                $0.velocityMetersPerSecond = 0
                ($0.velocitySmoothingSeconds, $0.climbSmoothingSeconds) = (horizontal, vertical)
                $0.climbLagSpreadSeconds = spread
            }
            return try found.map { try #require($0.climbMetersPerSecond) }
        }
        func differ(_ a: [Double], _ b: [Double]) -> Bool { zip(a, b).contains { abs($0 - $1) > 1e-3 } }
        let (plain, smooth) = (try climbs(0, 0), try climbs(1, 1))
        // THEN the climb is that of its own smoothing, whatever the other one is
        #expect(try differ(plain, smooth) && climbs(0, 1) == smooth && climbs(1, 0) == plain)
        // AND a lag of the climb alone changes it
        #expect(try differ(climbs(0, 0, spread: 0.5), plain))
    }

    @Test("samples are at multiples of their interval, both ends included") func samplesAreMultiples() {
        func times(_ rate: Double, _ window: ClosedRange<Double>) -> [Double] {
            var clock = SampleClock(rateHertz: rate, window: window)
            var times: [Double] = []
            while times.count < 8, let time = clock.next() { times.append(time) }
            return times
        }
        #expect(times(4, 0...1) == [0, 0.25, 0.5, 0.75, 1])
        #expect(times(4, 0.3...0.99) == [0.5, 0.75] && times(4, 0.5...0.5) == [0.5])
        // AND a rate is at least one in 100 s, and 10 kHz at most
        #expect(times(0, 0...250) == [0, 100, 200] && times(-1, 0...100) == [0, 100])
        #expect(SampleClock(rateHertz: 1e9, window: 0...1).interval == 1e-4)
    }

    @Test("a drive of one metre takes the time by hand") func aDriveOfOneMetreTakesItsTime() throws {
        // GIVEN one metre, which is planned in four parts, with 1.8 m/s2 and 2.2 m/s2
        let frame = LocalFrame(origin: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9))
        let plan = DrivePlan(
            vertices: [frame.position(ofENUMeters: .zero), frame.position(ofENUMeters: Vector3(0, 1, 0))],
            limitsMetersPerSecond: [10])
        // THEN the squares of the speeds between them are 0.9, 1.8 and 1.1 m2/s2: the last is that of braking
        let speeds = [0, 0.9.squareRoot(), 1.8.squareRoot(), 1.1.squareRoot(), 0]
        let seconds = zip(speeds, speeds.dropFirst()).reduce(0) { $0 + 0.5 / ($1.0 + $1.1) }
        // AND it stands for 10 s before and 5 s after; the length is a metre to a millimetre
        #expect(abs(try Drive(plan).durationSeconds - 15 - seconds) < 2e-3)
    }
}
