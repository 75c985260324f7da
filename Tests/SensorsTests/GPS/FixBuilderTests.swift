import Measurements
import PoseMath
import SeededNumbers
import Testing

@testable import GpsdReports
@testable import SensorInterface
@testable import Sensors

@Suite struct FixBuilderTests {
    /// A valid fix in Munich at 10 m/s to the east.
    static var good: GpsdFix {
        var fix = EpochAssemblerTests.fix(utcSeconds: 1_795_219_200, height: 560, speed: 10)
        fix.altitudeMeanSeaMeters = 514
        fix.courseDegrees = 90
        fix.climbMetersPerSecond = 0.5
        fix.horizontalErrorMeters = 4.895
        fix.verticalErrorMeters = 9.8
        fix.geoidSeparationMeters = 46
        fix.magneticVariationDegrees = 4
        return fix
    }

    static func build(_ source: GpsdFix, driver: String = "NMEA0183", confidence: GPSErrorConfidence = .automatic) -> (
        GnssFix?, [GPSRejection]
    ) {
        var builder = FixBuilder(
            maximumSpeedMetersPerSecond: 150, estimates: ErrorEstimates(confidence: confidence, driver: driver))
        let time = MonotonicTime(nanoseconds: 5_000_000_000)
        let fix = builder.build(source, validityTime: time, arrivalTime: time, intervalSeconds: 1)
        return (fix, builder.rejections)
    }

    @Test func allValuesAreConvertedToRadiansAndOneSigma() throws {
        let (built, rejections) = Self.build(Self.good)
        let fix = try #require(built)
        #expect(rejections.isEmpty)
        #expect(fix.mode == .threeDimensional && fix.quality == .unknown)
        #expect(abs((fix.latitudeRadians ?? 0) - 48 * .pi / 180) < 1e-12)
        #expect(
            fix.altitudeEllipsoidMeters == 560 && fix.altitudeMeanSeaMeters == 514 && fix.geoidSeparationMeters == 46)
        let velocity = try #require(fix.horizontalVelocity)
        #expect(abs(velocity.eastMetersPerSecond - 10) < 1e-12 && abs(velocity.northMetersPerSecond) < 1e-12)
        // 4.895 m is the 95 % radius of 2 m on each axis; 9.8 m is 1.96 times 5 m
        #expect(abs((fix.horizontalSigmaMeters ?? 0) - 2) < 0.001)
        #expect(abs((fix.verticalSigmaMeters ?? 0) - 5) < 0.001)
        #expect(
            fix.climbMetersPerSecond == 0.5
                && fix.climbSigmaMetersPerSecond == ErrorEstimates.defaultClimbSigmaMetersPerSecond)
        #expect(abs((fix.magneticVariationRadians ?? 0) - 4 * .pi / 180) < 1e-12)
    }

    @Test func ubloxEstimatesCountAsOneSigma() throws {
        // GIVEN gpsd's report for a NEO-M8N: hAcc, vAcc, sAcc passed on, epx and epc modelled by gpsd
        var source = Self.good
        source.horizontalErrorMeters = 1.133
        source.verticalErrorMeters = 1.603
        source.eastErrorMeters = 1.866
        source.northErrorMeters = 1.908
        source.speedErrorMetersPerSecond = 0.17
        source.climbErrorMetersPerSecond = 16.02
        let fix = try #require(Self.build(source, driver: "u-blox").0)
        // THEN the radius is divided between two axes, the other values are unchanged, and the modelled climb is
        // ignored
        #expect(abs((fix.horizontalSigmaMeters ?? 0) - 0.801) < 0.001)
        #expect(fix.verticalSigmaMeters == 1.603)
        #expect(fix.speedSigmaMetersPerSecond == 0.17)
        #expect(abs((fix.climbSigmaMetersPerSecond ?? 0) - 0.255) < 0.001)
    }

    @Test func modelledSpeedErrorsAreIgnored() throws {
        // GIVEN gpsd's report for a SiRF receiver: eps and epc are twice the position error per second
        var source = Self.good
        source.horizontalErrorMeters = nil
        source.eastErrorMeters = 25.475
        source.northErrorMeters = 25.404
        source.verticalErrorMeters = 80.249
        source.speedErrorMetersPerSecond = 50.95
        source.climbErrorMetersPerSecond = 160.5
        let fix = try #require(Self.build(source, driver: "SiRF").0)
        #expect(fix.speedSigmaMetersPerSecond == ErrorEstimates.defaultSpeedSigmaMetersPerSecond)
        #expect(fix.climbSigmaMetersPerSecond == ErrorEstimates.defaultClimbSigmaMetersPerSecond)
        #expect(abs((fix.horizontalSigmaMeters ?? 0) - 25.44 / 1.96) < 0.01)
    }

    @Test func missingErrorEstimatesGetDefaults() throws {
        var source = Self.good
        source.horizontalErrorMeters = nil
        source.verticalErrorMeters = nil
        #expect(Self.build(source).0?.horizontalSigmaMeters == 7)
        #expect(Self.build(source).0?.verticalSigmaMeters == 10.5)
        source.status = 3
        #expect(Self.build(source).0?.horizontalSigmaMeters == 0.05)
        source.status = 0
        source.mode = 2
        #expect(Self.build(source).0?.horizontalSigmaMeters == 25)
        #expect(Self.build(source).0?.altitudeEllipsoidMeters == nil)
        // the error in three dimensions is used if there is nothing better
        source.sphericalErrorMeters = 2.795
        #expect(abs((Self.build(source).0?.horizontalSigmaMeters ?? 0) - 1) < 0.001)
    }

    @Test func aStandingReceiverWithoutCourseHasZeroVelocity() throws {
        var source = Self.good
        source.courseDegrees = nil
        #expect(Self.build(source).0?.horizontalVelocity == nil)
        source.speedMetersPerSecond = 0.4
        let fix = try #require(Self.build(source).0)
        #expect(fix.horizontalVelocity == HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 0))
        #expect(fix.speedSigmaMetersPerSecond == 0.5)
    }

    @Test func ellipsoidHeightFollowsFromMeanSeaHeightAndGeoid() {
        var source = Self.good
        source.altitudeEllipsoidMeters = nil
        #expect(Self.build(source).0?.altitudeEllipsoidMeters == 560)
        source.geoidSeparationMeters = nil
        #expect(Self.build(source).0?.altitudeEllipsoidMeters == nil)
        // AND that of the geoid from both heights
        source.altitudeEllipsoidMeters = 560
        #expect(Self.build(source).0?.geoidSeparationMeters == 46)
    }

    @Test func eachInvalidValueHasItsReason() {
        func refused(_ change: (inout GpsdFix) -> Void) -> [GPSRejection] {
            var source = Self.good
            change(&source)
            let (fix, rejections) = Self.build(source)
            return fix == nil ? rejections : []
        }
        #expect(refused { $0.mode = 1 } == [.noFix])
        #expect(refused { $0.mode = .max } == [.noFix])
        #expect(refused { $0.latitudeDegrees = nil } == [.positionMissing])
        #expect(refused { $0.longitudeDegrees = .infinity } == [.notFinite])
        #expect(refused { $0.latitudeDegrees = 90.000001 } == [.latitudeOutOfRange])
        #expect(refused { $0.longitudeDegrees = -180.1 } == [.longitudeOutOfRange])
        #expect(refused { ($0.latitudeDegrees, $0.longitudeDegrees) = (0, 0) } == [.zeroPosition])
        #expect(refused { $0.horizontalErrorMeters = 1.1e4 } == [.sigmaOutOfRange])
        #expect(refused { $0.eastErrorMeters = .infinity } == [.sigmaOutOfRange])
    }

    @Test func anInvalidQuantityLeavesTheOthers() throws {
        func kept(_ reason: GPSRejection, _ change: (inout GpsdFix) -> Void) throws -> GnssFix {
            var source = Self.good
            change(&source)
            let (fix, rejections) = Self.build(source)
            #expect(rejections == [reason])
            return try #require(fix)
        }
        // a receiver was observed to report a course of 14225 degrees
        #expect(try kept(.courseOutOfRange) { $0.courseDegrees = 14_225 }.horizontalVelocity == nil)
        #expect(try kept(.speedOutOfRange) { $0.speedMetersPerSecond = -0.1 }.horizontalVelocity == nil)
        #expect(try kept(.speedOutOfRange) { $0.speedMetersPerSecond = 150.1 }.horizontalVelocity == nil)
        #expect(try kept(.notFinite) { $0.speedMetersPerSecond = .infinity }.horizontalVelocity == nil)
        #expect(try kept(.climbOutOfRange) { $0.climbMetersPerSecond = -400 }.climbMetersPerSecond == nil)
        #expect(try kept(.altitudeOutOfRange) { $0.altitudeMeanSeaMeters = 1e9 }.altitudeMeanSeaMeters == nil)
        #expect(try kept(.sigmaOutOfRange) { $0.horizontalErrorMeters = 0 }.horizontalSigmaMeters == 7)
        let unsaid = try kept(.sigmaOutOfRange) { $0.verticalErrorMeters = -3 }
        #expect(unsaid.verticalSigmaMeters == 1.5 * (unsaid.horizontalSigmaMeters ?? 0))
    }

    @Test func nonFiniteValuesNeverComeOut() {
        // GIVEN 20,000 fixes with extreme values in random fields
        var random = SplitMix64(seed: 0x5EED_0005)
        let wild: [Double] = [
            .nan, .infinity, -.infinity, 1e308, -1e308, 1e30, -0.0, .leastNonzeroMagnitude, 0, 14_225, 90, 180, -180,
            360,
        ]
        for _ in 0..<20_000 {
            var source = Self.good
            for quantity in GpsdFix.quantities where random.next() % 4 == 0 {
                source[keyPath: quantity] = wild[Int(random.next() % UInt64(wild.count))]
            }
            source.mode = Int32(truncatingIfNeeded: random.next() % 5)
            source.status = Int32(truncatingIfNeeded: random.next())
            guard let fix = Self.build(source, driver: random.next() % 2 == 0 ? "u-blox" : "").0 else { continue }
            let numbers = [
                fix.latitudeRadians, fix.longitudeRadians, fix.altitudeEllipsoidMeters, fix.altitudeMeanSeaMeters,
                fix.climbMetersPerSecond,
                fix.horizontalVelocity?.eastMetersPerSecond, fix.horizontalVelocity?.northMetersPerSecond,
                fix.geoidSeparationMeters,
                fix.magneticVariationRadians,
            ]
            #expect(numbers.allSatisfy { ($0 ?? 0).isFinite })
            let sigmas = [
                fix.horizontalSigmaMeters, fix.verticalSigmaMeters, fix.speedSigmaMetersPerSecond,
                fix.climbSigmaMetersPerSecond,
            ]
            #expect(sigmas.allSatisfy { ($0 ?? 1) > 0 && ($0 ?? 1) <= 1e4 })
            #expect(fix.horizontalSigmaMeters != nil)
        }
    }
}
