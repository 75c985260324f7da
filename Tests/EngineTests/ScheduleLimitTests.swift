import Foundation
import Frames
import Fusion
import Geodesy
import Guidance
import Measurements
import PoseMath
import Testing

@testable import Engine

/// The limits of times and ways in the engine.
@Suite struct ScheduleLimitTests {
    private static func time(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(milliseconds) * 1_000_000)
    }

    @Test(
        arguments: [
            (0.5, 0, 0, 1000), (1, 0, 0, 1000), (1000, 0, 0, 1), (2000, 0, 0, 1), (50, 5000, 0, 20),
            (50, 5001, 0, 1000), (50, 9000, nil, 20), (50, 5000, 9000, 20),
        ] as [(Double, Int, Int?, Int)])
    func aTickIsAPeriodOrASecondLater(hertz: Double, now: Int, last: Int?, step: Int) {
        // GIVEN a rate, and a time since the last measurement THEN the next tick is a period later, or a second where
        // more than five seconds have passed
        var ticks = TickSchedule(hertz: hertz)
        ticks.advance(from: Self.time(now), lastMeasurement: last.map { Self.time($0) })
        #expect(ticks.next == Self.time(now + step))
    }

    @Test(arguments: [(2.499, false), (2.5, true)])
    func aVelocityIsOutdatedAfterTwoAndAHalfSeconds(seconds: Double, isOutdated: Bool) {
        var fixes = StatedFixes()
        for time in [10, 10 + seconds] {
            fixes.note(
                GnssFix(validityTime: Scenes.time(time), arrivalTime: Scenes.time(time), mode: .threeDimensional))
        }
        #expect(fixes.isVelocityOutdated == isOutdated && !fixes.isAccuracyStated && StatedFixes().isAccuracyStated)
    }

    @Test(arguments: [
        // 20 m, half of the way driven, and three of the larger sigma: 20 + 5 + 6 m beside 10 m.
        (41.0, 10.0, Vector3(1, 2, 50), false), (41.1, 10, Vector3(2, 1, 50), true), (-21, 10, Vector3(2, 1, 0), false),
        (-21.1, 10, Vector3(1, 2, 0), true), (20, 0, Vector3.zero, false), (20.1, 0, Vector3.zero, true),
    ])
    func aJumpIsMoreThanWasDriven(step: Double, speed: Double, sigma: Vector3, isJump: Bool) {
        var watch = ProgressWatch(jumpCount: 5, jumpDeltaMeters: -3)
        for (second, progress) in [100, 100 + step].enumerated() {
            watch.note(
                progress, at: Self.time(1000 * second), speedMetersPerSecond: speed, sigmaENUMeters: sigma)
        }
        #expect(watch.jumpCount == (isJump ? 6 : 5))
        #expect(abs(watch.jumpDeltaMeters - (isJump ? step - speed : -3)) < 1e-9)
    }

    @Test func anAnswerToTheLastForgottenQuestionIsIgnored() {
        // GIVEN a schedule that forgot all questions up to 1 s THEN an answer to that of 1 s is ignored, and to one
        // after it not
        var schedule = HorizonSchedule(after: HorizonSchedule(), forgettingUntil: Self.time(1000))
        schedule.begin(at: Self.time(1000))
        schedule.take(SpeedHorizon(time: Self.time(1000)))
        schedule.begin(at: Self.time(1200))
        #expect(schedule.current == nil && schedule.lateCount == 0)
        schedule.take(SpeedHorizon(time: Self.time(1001)))
        #expect(schedule.current != nil && schedule.lateCount == 1)
        let next = HorizonSchedule(after: schedule, forgettingUntil: Self.time(2000))
        #expect(next.lateCount == 1 && next.current == nil)
    }

    @Test(arguments: [(199, 0), (200, 1), (-199, 0)])
    func aPeriodIsAFifthOfASecond(milliseconds: Int, questions: Int) {
        var schedule = HorizonSchedule()
        schedule.begin(at: Self.time(0))
        schedule.end(hasPosition: true)
        #expect(schedule.isQuestion)
        schedule.begin(at: Self.time(milliseconds))
        schedule.end(hasPosition: true)
        #expect(schedule.isQuestion == (questions == 1))
    }

    @Test(arguments: [1, 2, 3, 4, 15, 16, 30])
    func theLabelIsTheMedianOfTheLastFifteen(count: Int) {
        // GIVEN offsets that rise and fall THEN the label is the upper median of the last fifteen, in any order
        let all = (0..<count).map { Int64(($0 * 7) % count) * 1000 }
        var label = UTCLabel()
        for (number, offset) in all.enumerated() {
            var fix = GnssFix(
                validityTime: Self.time(number), arrivalTime: Self.time(number), mode: .twoDimensional)
            fix.utcNanoseconds = Int64(number) * 1_000_000 + offset
            label.note(fix)
        }
        let kept = Array(all.suffix(15))
        #expect(label.recentOffsets == kept && UTCLabel(recentOffsets: all).recentOffsets == kept)
        #expect(label.utcNanoseconds(at: Self.time(5)) == 5_000_000 + kept.sorted()[kept.count / 2])
    }

    @Test func timesThatOverflowAreUnknown() {
        var fix = GnssFix(
            validityTime: MonotonicTime(nanoseconds: 5), arrivalTime: MonotonicTime(nanoseconds: 5),
            mode: .twoDimensional)
        fix.utcNanoseconds = Int64.min
        var label = UTCLabel()
        label.note(fix)
        #expect(label.recentOffsets.isEmpty)
        fix.utcNanoseconds = Int64.max
        label.note(fix)
        #expect(label.utcNanoseconds(at: MonotonicTime(nanoseconds: 5)) == Int64.max)
        #expect(label.utcNanoseconds(at: MonotonicTime(nanoseconds: 6)) == nil)
    }

    @Test func agesAreThoseOfEachSource() {
        // GIVEN data of each source at its own time WHEN older ones come late THEN the ages are those of the newest
        var newest = NewestData()
        let kinds: [SensorKind] = [.gps, .imu, .magnetometer, .barometer, .wheels]
        for (number, kind) in kinds.enumerated() {
            newest.note(kind, Self.time(1000 + 100 * number))
            newest.note(kind, Self.time(900))
        }
        var sources = Frame.Sources()
        newest.writeAges(at: Self.time(2000), to: &sources)
        func ages() -> [Double?] {
            [
                sources.gpsAgeSeconds, sources.imuAgeSeconds, sources.magnetometerAgeSeconds,
                sources.barometerAgeSeconds, sources.wheelsAgeSeconds,
            ].map { $0.map { ($0 * 10).rounded() / 10 } }
        }
        #expect(ages() == [1, 0.9, 0.8, 0.7, 0.6] && newest.imu == Self.time(1100))
        newest.writeAges(at: Self.time(1150), to: &sources)
        #expect(ages() == [0.2, 0.1, 0, 0, 0])
        newest.forget()
        newest.writeAges(at: Self.time(2000), to: &sources)
        #expect(ages().allSatisfy { $0 == nil })
    }

    @Test func aSimulationIsOneAsLongAsAnySourceIs() {
        // GIVEN two simulated sources, for each pair of kinds THEN the pose is simulated until both are gone
        func report(_ kind: SensorKind, _ state: SourceState, _ isSimulated: Bool) -> SourceReport {
            SourceReport(time: Self.time(0), source: kind, state: state, isSimulated: isSimulated)
        }
        let kinds: [SensorKind] = [.gps, .imu, .magnetometer, .barometer, .wheels]
        for first in kinds {
            for second in kinds where second != first {
                var newest = NewestData()
                newest.note(report(first, .streaming, true))
                newest.note(report(second, .lost, true))
                newest.note(report(first, .streaming, false))
                #expect(newest.isSimulated, "\(first) \(second)")
                newest.forget()
                #expect(newest.isSimulated)
                newest.note(report(second, .absent, true))
                #expect(!newest.isSimulated, "\(first) \(second)")
            }
        }
    }

    @Test(arguments: [
        // The way from the place of the last declination, metres north, days since then, and sigma of the place.
        (9990.0, 0.0, 3.0, false), (10_010, 0, 3, true), (0, 36.5, 3, false), (0, 36.6, 3, true),
        (20_000, 0, 10_000, true), (20_000, 0, 10_001, false),
    ])
    func aDeclinationHoldsForTenKilometersAndATenthOfAYear(
        meters: Double, days: Double, sigma: Double, isDue: Bool
    ) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let model = try GeomagneticModel(
            text: try String(contentsOf: folder.appendingPathComponent("../../data/WMM.COF"), encoding: .utf8))
        var schedule = DeclinationSchedule(model: model, configuredPlace: nil)
        func frame(_ meters: Double, _ days: Double, _ sigma: Double) -> Frame {
            var frame = Frame()
            let place = LocalFrame(origin: Scenes.start).position(ofENUMeters: Vector3(0, meters, 0))
            frame.utcNanoseconds = 1_782_864_000_000_000_000 + Int64(days * 86_400e9)
            (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
            frame.pose.positionSigmaENUMeters = .init(1, sigma, 99_999)
            return frame
        }
        #expect(schedule.update(with: frame(0, 0, 3)) != nil)
        let command = schedule.update(with: frame(meters, days, sigma))
        #expect((command != nil) == isDue && DeclinationSchedule.year(0) == 1970)
        // A mean year of the calendar has 365.2425 days.
        #expect(abs(DeclinationSchedule.year(31_556_952_000_000_000) - 1971) < 1e-12)
    }

    /// A route to the north with maneuvers at these distances, metres.
    private static func route(_ meters: [Double]) throws -> Route {
        let sheet = LocalFrame(origin: Scenes.start)
        return try Route(
            RoutePlan(
                points: ([0] + meters + [5000]).map { sheet.position(ofENUMeters: Vector3(0, $0, 0)) },
                maneuvers: meters.indices.map { PlannedManeuver(point: $0 + 1, kind: .turn) }))
    }

    @Test func aMessageNamesTheManeuverOfItsRoute() throws {
        let route = try Self.route([1000, 1300, 2900])
        let last = route.maneuvers.count - 1
        func message(_ next: UInt32?, version: UInt32 = 7, hasRoute: Bool = true) -> Message.Maneuver {
            var guidance = Frame.Guidance()
            (guidance.routeVersion, guidance.nextManeuver) = (7, next)
            return Message.Maneuver(guidance, route: hasRoute ? route : nil, version: version)
        }
        // GIVEN the number of a maneuver THEN it and the one after it are told, if that is near
        let number = try #require(route.maneuvers.firstIndex { abs($0.alongMeters - 1000) < 1 })
        let first = message(UInt32(number))
        #expect(first.routeVersion == 7 && first.index == UInt32(number) && first.kind == "turn")
        #expect(abs(first.alongRouteMeters - 1000) < 1 && first.latitudeRadians != nil && first.text == "")
        let place = route.position(alongMeters: route.maneuvers[number].alongMeters)
        #expect(first.latitudeRadians == place.latitudeRadians && first.longitudeRadians == place.longitudeRadians)
        #expect(first.then?.index == UInt32(number + 1) && first.then?.then == nil && first.then?.routeVersion == 7)
        #expect(message(UInt32(number + 1)).then == nil && message(UInt32(last)).index == UInt32(last))
        // GIVEN none, one beyond the last, another version or no route THEN only the version is told
        for empty in [
            message(nil), message(UInt32(last + 1)), message(UInt32(number), version: 8),
            message(UInt32(number), hasRoute: false),
        ] { #expect(empty == Message.Maneuver(routeVersion: 7)) }
    }
}
