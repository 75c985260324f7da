import Measurements
import PoseMath
import Testing

@testable import GpsdReports
@testable import SensorInterface
@testable import Sensors

/// The limits of what a receiver reports, on both sides.
@Suite struct FixLimitTests {
    /// The fix of the good report with a change, and the reasons for what was left out.
    private static func built(_ change: (inout GpsdFix) -> Void) -> (fix: GnssFix?, reasons: [GPSRejection]) {
        var source = FixBuilderTests.good
        change(&source)
        let (fix, reasons) = FixBuilderTests.build(source)
        return (fix, reasons)
    }

    @Test(
        arguments: [
            (\.latitudeDegrees, 90), (\.latitudeDegrees, -90), (\.longitudeDegrees, 180), (\.longitudeDegrees, -180),
            (\.latitudeDegrees, 0), (\.longitudeDegrees, 0), (\.horizontalErrorMeters, 1e-4),
            (\.horizontalErrorMeters, 1e4), (\.eastErrorMeters, 1e4), (\.northErrorMeters, 1e-4),
            (\.verticalErrorMeters, 1e-4), (\.verticalErrorMeters, 1e4), (\.altitudeMeanSeaMeters, -11_000),
            (\.altitudeMeanSeaMeters, 100_000), (\.altitudeEllipsoidMeters, -11_000),
            (\.altitudeEllipsoidMeters, 100_000), (\.speedMetersPerSecond, 0), (\.speedMetersPerSecond, 150),
            (\.courseDegrees, 0), (\.courseDegrees, 360), (\.climbMetersPerSecond, 150),
            (\.climbMetersPerSecond, -150), (\.geoidSeparationMeters, 200), (\.geoidSeparationMeters, -200),
            (\.magneticVariationDegrees, 180), (\.magneticVariationDegrees, -180),
        ] as [(WritableKeyPath<GpsdFix, Double?> & Sendable, Double)])
    func whatIsJustPossibleIsTaken(quantity: WritableKeyPath<GpsdFix, Double?> & Sendable, value: Double) throws {
        // GIVEN a report with a quantity at its limit THEN nothing is refused, and everything is in the fix
        let (built, reasons) = Self.built { $0[keyPath: quantity] = value }
        let fix = try #require(built)
        #expect(reasons.isEmpty)
        #expect(fix.altitudeMeanSeaMeters != nil && fix.altitudeEllipsoidMeters != nil)
        #expect(fix.horizontalVelocity != nil && fix.climbMetersPerSecond != nil && fix.verticalSigmaMeters != nil)
        #expect(fix.geoidSeparationMeters != nil && fix.magneticVariationRadians != nil)
    }

    @Test(
        arguments: [
            (\.latitudeDegrees, 90.0001, .latitudeOutOfRange), (\.latitudeDegrees, -90.0001, .latitudeOutOfRange),
            (\.longitudeDegrees, 180.0001, .longitudeOutOfRange), (\.latitudeDegrees, -.infinity, .notFinite),
            (\.horizontalErrorMeters, 10_000.1, .sigmaOutOfRange), (\.eastErrorMeters, 10_000.1, .sigmaOutOfRange),
            (\.northErrorMeters, 10_000.1, .sigmaOutOfRange),
        ] as [(WritableKeyPath<GpsdFix, Double?> & Sendable, Double, GPSRejection)])
    func whatIsJustImpossibleRefusesThePosition(
        quantity: WritableKeyPath<GpsdFix, Double?> & Sendable, value: Double, reason: GPSRejection
    ) {
        let (fix, reasons) = Self.built { $0[keyPath: quantity] = value }
        #expect(fix == nil && reasons == [reason])
    }

    @Test(
        arguments: [
            (\.horizontalErrorMeters, 0.9e-4, .sigmaOutOfRange), (\.verticalErrorMeters, 0.9e-4, .sigmaOutOfRange),
            (\.verticalErrorMeters, 10_000.1, .sigmaOutOfRange), (\.verticalErrorMeters, .infinity, .notFinite),
            (\.altitudeMeanSeaMeters, -11_000.1, .altitudeOutOfRange),
            (\.altitudeMeanSeaMeters, 100_000.1, .altitudeOutOfRange),
            (\.altitudeEllipsoidMeters, -11_000.1, .altitudeOutOfRange),
            (\.altitudeEllipsoidMeters, -.infinity, .notFinite),
            (\.speedMetersPerSecond, -0.001, .speedOutOfRange), (\.speedMetersPerSecond, 150.001, .speedOutOfRange),
            (\.courseDegrees, -0.001, .courseOutOfRange), (\.courseDegrees, 360.001, .courseOutOfRange),
            (\.courseDegrees, .infinity, .notFinite), (\.climbMetersPerSecond, 150.001, .climbOutOfRange),
            (\.climbMetersPerSecond, -150.001, .climbOutOfRange),
        ] as [(WritableKeyPath<GpsdFix, Double?> & Sendable, Double, GPSRejection)])
    func whatIsJustImpossibleIsLeftOut(
        quantity: WritableKeyPath<GpsdFix, Double?> & Sendable, value: Double, reason: GPSRejection
    ) throws {
        // GIVEN a report with one quantity beyond its limit THEN that is counted, the fix goes without it, and the rest
        // is as in the good one
        let (built, reasons) = Self.built { $0[keyPath: quantity] = value }
        let fix = try #require(built)
        let good = try #require(Self.built { _ in }.fix)
        #expect(reasons == [reason])
        func isOf(_ other: WritableKeyPath<GpsdFix, Double?>) -> Bool { quantity == other }
        #expect((fix.altitudeMeanSeaMeters == nil) == isOf(\.altitudeMeanSeaMeters))
        #expect((fix.altitudeEllipsoidMeters == nil) == isOf(\.altitudeEllipsoidMeters))
        let isVelocity = isOf(\.speedMetersPerSecond) || isOf(\.courseDegrees)
        #expect((fix.horizontalVelocity == nil) == isVelocity && (fix.speedSigmaMetersPerSecond == nil) == isVelocity)
        #expect((fix.climbMetersPerSecond == nil) == isOf(\.climbMetersPerSecond))
        #expect((fix.horizontalSigmaMeters != good.horizontalSigmaMeters) == isOf(\.horizontalErrorMeters))
        #expect((fix.verticalSigmaMeters != good.verticalSigmaMeters) == isOf(\.verticalErrorMeters))
    }

    @Test func unlikelySeparationsAndVariationsAreUnknown() {
        let alone = Self.built { ($0.geoidSeparationMeters, $0.altitudeMeanSeaMeters) = (200.1, nil) }
        #expect(alone.fix?.altitudeEllipsoidMeters == 560 && alone.fix?.geoidSeparationMeters == nil)
        // Both heights give a likely one in its place.
        #expect(Self.built { $0.geoidSeparationMeters = 200.1 }.fix?.geoidSeparationMeters == 46)
        #expect(Self.built { $0.magneticVariationDegrees = -180.1 }.fix?.magneticVariationRadians == nil)
    }

    @Test func onlyBothZeroIsNoPosition() {
        #expect(Self.built { ($0.latitudeDegrees, $0.longitudeDegrees) = (0, -0.0) }.reasons == [.zeroPosition])
        #expect(Self.built { ($0.latitudeDegrees, $0.longitudeDegrees) = (0, 1e-9) }.reasons.isEmpty)
    }

    @Test func aFixWithoutAHeightHasNoSigmaOfOne() throws {
        // GIVEN a report in three dimensions without a height, and with an error of it that cannot be THEN neither that
        // nor a default is taken
        let (built, reasons) = Self.built {
            ($0.altitudeEllipsoidMeters, $0.altitudeMeanSeaMeters, $0.verticalErrorMeters) = (nil, nil, -1)
        }
        let fix = try #require(built)
        #expect(fix.verticalSigmaMeters == nil && reasons.isEmpty)
        // GIVEN one height THEN there is a sigma
        #expect(Self.built { $0.altitudeEllipsoidMeters = nil }.fix?.verticalSigmaMeters != nil)
        #expect(Self.built { $0.altitudeMeanSeaMeters = nil }.fix?.verticalSigmaMeters != nil)
        // GIVEN two dimensions THEN neither heights nor climb
        let flat = try #require(Self.built { $0.mode = 2 }.fix)
        #expect(
            flat.altitudeMeanSeaMeters == nil && flat.verticalSigmaMeters == nil && flat.climbMetersPerSecond == nil)
    }

    @Test(arguments: [(0.0, true), (0.5, true), (0.501, false)])
    func aReceiverWithoutACourseStandsUpToHalfAMeterPerSecond(speed: Double, stands: Bool) throws {
        let fix = try #require(
            Self.built { ($0.courseDegrees, $0.speedMetersPerSecond, $0.speedErrorMetersPerSecond) = (nil, speed, nil) }
                .fix)
        #expect((fix.horizontalVelocity != nil) == stands)
        // The default sigma of a speed is 0.3 m/s.
        let sigma = (0.09 + speed * speed).squareRoot()
        #expect(fix.speedSigmaMetersPerSecond.map { abs($0 - sigma) < 1e-12 } ?? !stands)
    }

    @Test func theVelocityHasTheDirectionOfTheCourse() throws {
        // GIVEN 10 m/s at 30 degrees THEN 5 m/s are eastward, and 8.66 northward; headings are in radians
        let fix = try #require(Self.built { ($0.courseDegrees, $0.headingDegrees) = (30, 90) }.fix)
        let velocity = try #require(fix.horizontalVelocity)
        #expect(abs(velocity.eastMetersPerSecond - 5) < 1e-9)
        #expect(abs(velocity.northMetersPerSecond - 75.0.squareRoot()) < 1e-9)
        #expect(fix.headingTrueRadians.map { abs($0 - .pi / 2) < 1e-12 } == true)
    }

    @Test func modesAndMethodsAreGpsds() {
        #expect((-1...5).map { FixBuilder.mode($0) } == [nil, nil, nil, .twoDimensional, .threeDimensional, nil, nil])
        #expect(
            (-1...10).map { FixBuilder.quality($0) } == [
                .unknown, .unknown, .autonomous, .differential, .rtkFixed, .rtkFloat, .deadReckoning,
                .combinedDeadReckoning, .notMeasured, .notMeasured, .autonomous, .unknown,
            ])
    }

    @Test(arguments: [
        (Int32(0), 7.0, 25.0), (1, 7, 25), (2, 4, 15), (3, 0.05, 0.05), (4, 0.5, 0.5), (5, 20, 20), (6, 7, 25),
        (7, 7, 25), (8, 7, 25), (9, 7, 25),
    ])
    func withoutAnErrorTheMethodGivesOne(status: Int32, three: Double, two: Double) {
        // GIVEN a report without error estimates THEN position and height have those of method and mode
        func fix(_ mode: Int32) -> GnssFix? {
            Self.built {
                ($0.horizontalErrorMeters, $0.verticalErrorMeters, $0.mode, $0.status) = (nil, nil, mode, status)
            }
            .fix
        }
        #expect(fix(3)?.horizontalSigmaMeters == three && fix(2)?.horizontalSigmaMeters == two)
        #expect(fix(3)?.verticalSigmaMeters == 1.5 * three)
    }
}

/// Sigmas of gpsd's error estimates.
@Suite struct ErrorEstimatesTests {
    private static func estimates(_ confidence: GPSErrorConfidence, _ driver: String) -> ErrorEstimates {
        ErrorEstimates(confidence: confidence, driver: driver)
    }

    private static func fix(_ values: [(WritableKeyPath<GpsdFix, Double?>, Double)]) -> GpsdFix {
        var fix = GpsdFix()
        for (quantity, value) in values { fix[keyPath: quantity] = value }
        return fix
    }

    /// Whether the estimates are taken as they are, by confidence and driver.
    private static let kinds: [(GPSErrorConfidence, String, Bool)] = [
        (.automatic, "u-blox", true), (.automatic, "NMEA0183", false), (.automatic, "", false),
        (.oneSigma, "NMEA0183", true), (.oneSigma, "u-blox", true), (.ninetyFivePercent, "u-blox", false),
        (.ninetyFivePercent, "SiRF", false),
    ]

    @Test(arguments: kinds) func aRadiusIsDividedBetweenTwoAxes(kind: (GPSErrorConfidence, String, Bool)) throws {
        // GIVEN a radius of 10 m, and errors of height and speed THEN a 1-sigma radius is that of two equal axes, and
        // one of 95 % is 2.4477 sigmas (1.96 in one dimension)
        let estimates = Self.estimates(kind.0, kind.1)
        let fix = Self.fix([(\.horizontalErrorMeters, 10), (\.eastErrorMeters, 3), (\.northErrorMeters, 3)])
        #expect(abs(try #require(estimates.horizontalSigma(fix)) - (kind.2 ? 7.071_068 : 4.085_390)) < 1e-6)
        let others = Self.fix([(\.verticalErrorMeters, 10), (\.speedErrorMetersPerSecond, 1)])
        #expect(abs(try #require(estimates.verticalSigma(others)) - (kind.2 ? 10 : 5.102_134)) < 1e-6)
        let speed = estimates.speedSigma(others, intervalSeconds: 1)
        #expect(abs(try #require(speed) - (kind.2 ? 1 : 0.510_213)) < 1e-6)
        let climb = estimates.climbSigma(Self.fix([(\.climbErrorMetersPerSecond, 1)]), intervalSeconds: 1)
        #expect(abs(try #require(climb) - (kind.2 ? 1 : 0.510_213)) < 1e-6)
    }

    @Test(arguments: kinds) func whatGpsdComputesIsNeverThatOfTheReceiver(
        kind: (GPSErrorConfidence, String, Bool)
    ) throws {
        // GIVEN errors of both axes, or in three dimensions, which gpsd always computes itself THEN they are of 95 %
        // unless the settings say 1-sigma, whatever the driver
        let estimates = Self.estimates(kind.0, kind.1)
        let isOneSigma = kind.0 == .oneSigma
        let axes = estimates.horizontalSigma(Self.fix([(\.eastErrorMeters, 6), (\.northErrorMeters, 8)]))
        // The root of the mean square of 6 and 8 m is 7.0711 m.
        #expect(abs(try #require(axes) - (isOneSigma ? 7.071_068 : 3.607_754)) < 1e-6)
        let sphere = estimates.horizontalSigma(Self.fix([(\.sphericalErrorMeters, 9), (\.eastErrorMeters, 6)]))
        #expect(abs(try #require(sphere) - (isOneSigma ? 5.196_152 : 3.219_479)) < 1e-6)
        #expect(estimates.horizontalSigma(Self.fix([(\.eastErrorMeters, 6)])) == nil)
        #expect(estimates.horizontalSigma(GpsdFix()) == nil && estimates.verticalSigma(GpsdFix()) == nil)
    }

    @Test(arguments: [
        // The limit is 0.6 times twice the larger error of the position, divided by the interval.
        ("NMEA0183", 12.0, 1.0, true), ("NMEA0183", 12.01, 1, false), ("NMEA0183", 24, 0.5, true),
        ("NMEA0183", 24.01, 0.5, false), ("u-blox", 500, 1, true),
    ])
    func aModelledErrorOfTheSpeedIsNone(driver: String, error: Double, interval: Double, isOwn: Bool) {
        let estimates = Self.estimates(.oneSigma, driver)
        for (east, north) in [(10.0, 4.0), (4, 10)] {
            let fix = Self.fix([
                (\.speedErrorMetersPerSecond, error), (\.eastErrorMeters, east), (\.northErrorMeters, north),
            ])
            #expect(estimates.speedSigma(fix, intervalSeconds: interval) == (isOwn ? error : nil))
        }
        // The climb is judged by the error of the height, with every driver.
        let climb = Self.fix([(\.climbErrorMetersPerSecond, error), (\.verticalErrorMeters, 10)])
        let isOwnClimb = isOwn && driver != "u-blox"
        #expect(estimates.climbSigma(climb, intervalSeconds: interval) == (isOwnClimb ? error : nil))
    }

    @Test(arguments: [(1e-4, true), (0.9e-4, false), (1e4, true), (1.1e4, false), (-1, false), (.infinity, false)])
    func anEstimateIsWithinATenthOfAMillimeterAndTenKilometers(meters: Double, isUsed: Bool) {
        // GIVEN errors at the limits, with an estimate of 1-sigma THEN they are used as they are, or not at all
        let estimates = Self.estimates(.oneSigma, "")
        let used = isUsed ? meters : nil
        #expect(estimates.verticalSigma(Self.fix([(\.verticalErrorMeters, meters)])) == used)
        #expect(
            estimates.horizontalSigma(Self.fix([(\.horizontalErrorMeters, meters)])) == used.map { $0 / 2.squareRoot() }
        )
        #expect(estimates.speedSigma(Self.fix([(\.speedErrorMetersPerSecond, meters)]), intervalSeconds: 1) == used)
        #expect(estimates.climbSigma(Self.fix([(\.climbErrorMetersPerSecond, meters)]), intervalSeconds: 1) == used)
    }

    @Test func onlyAnErrorAboveTenKilometersRefusesAPosition() {
        // GIVEN an error that is too small, beside one of 10 km, or of more THEN the fix is used, or refused
        for (meters, isUsed) in [(1e4, true), (10_000.1, false)] {
            var source = FixBuilderTests.good
            (source.horizontalErrorMeters, source.eastErrorMeters, source.northErrorMeters) = (1e-5, meters, 1)
            let (fix, reasons) = FixBuilderTests.build(source)
            #expect((fix != nil) == isUsed && reasons == [.sigmaOutOfRange])
        }
    }

    @Test func withoutAnErrorOfThePositionTheSpeedsIsOwn() {
        let fix = Self.fix([(\.speedErrorMetersPerSecond, 50), (\.climbErrorMetersPerSecond, 60)])
        let estimates = Self.estimates(.oneSigma, "")
        #expect(estimates.speedSigma(fix, intervalSeconds: 1) == 50)
        #expect(estimates.climbSigma(fix, intervalSeconds: 1) == 60)
        #expect(estimates.speedSigma(GpsdFix(), intervalSeconds: 1) == nil)
        #expect(estimates.climbSigma(GpsdFix(), intervalSeconds: 1) == nil)
    }

    @Test func defaultsAreThoseOfTheDataSheets() throws {
        // GIVEN a report of a receiver without errors of speed and climb THEN 0.3 and 1 m/s stand for them
        let (built, _) = FixBuilderTests.build(FixBuilderTests.good)
        let fix = try #require(built)
        #expect(fix.speedSigmaMetersPerSecond == 0.3 && fix.climbSigmaMetersPerSecond == 1)
        #expect(ErrorEstimates.defaultVerticalSigma(horizontalSigmaMeters: 9000) == 10_000)
        // A u-blox receiver has one error of its velocity: the climb's is 1.5 times that.
        var source = FixBuilderTests.good
        source.speedErrorMetersPerSecond = 0.2
        let climb = FixBuilderTests.build(source, driver: "u-blox").0?.climbSigmaMetersPerSecond
        #expect(abs(try #require(climb) - 0.3) < 1e-12)
        #expect(FixBuilderTests.build(source, driver: "SiRF").0?.climbSigmaMetersPerSecond == 1)
        source.climbErrorMetersPerSecond = 0.7
        #expect(FixBuilderTests.build(source, driver: "u-blox").0?.climbSigmaMetersPerSecond == 0.7)
    }
}
