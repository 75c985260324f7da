import Guidance
import PoseMath
import Testing

@testable import Roads

/// Limits of what is read of a road's tags, just allowed and just refused.
@Suite struct LimitLimitsTests {
    /// The limit in a context where the general one is 100 km/h.
    private static func limit(_ text: String, _ context: LimitContext) -> String {
        let here = LimitEvaluation(context).limit(
            .kilometersPerHour(100), isTagged: true, [LimitRule(form: .conditional, text: text)], isForward: true)
        return here.limit.text + (here.isUncertain ? "?" : "")
    }

    /// A local time on 2026, at 42.5 degrees north and 1.5 degrees east.
    private static func context(month: Int = 6, day: Int = 15, _ hour: Int = 12, _ minute: Int = 0) -> LimitContext {
        let before = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
        var context = LimitContext()
        // 2026 begins 20,454 days after 1970.
        let days = 20_454 + before[month - 1] + day - 1
        (context.utcSeconds, context.utcOffsetSeconds) = (Int64(days * 86_400 + hour * 3600 + minute * 60), 0)
        (context.latitudeDegrees, context.longitudeDegrees) = (42.5, 1.5)
        return context
    }

    @Test(arguments: [
        // Hours: from the first minute on, before the last one; beyond midnight; open end. 2026-06-15 is a Monday.
        ("30 @ (12:00-13:00)", "30 km/h"), ("30 @ (11:00-12:00)", "100 km/h"), ("30 @ (11:00-12:01)", "30 km/h"),
        ("30 @ (12:01-13:00)", "100 km/h"), ("30 @ (22:00-36:01)", "30 km/h"), ("30 @ (22:00-36:00)", "100 km/h"),
        ("30 @ (12:00+)", "30 km/h"), ("30 @ (12:01+)", "100 km/h"), ("30 @ (00:00-24:00)", "30 km/h"),
        ("30 @ (24:00-48:00)", "30 km/h"), ("30 @ (24:01-25:00)", "100 km/h?"), ("30 @ (12:00-48:01)", "100 km/h?"),
        ("30 @ (12:60-13:00)", "100 km/h?"), ("30 @ (12:00)", "100 km/h?"), ("30 @ (1200-1300)", "100 km/h?"),
        ("30 @ (11:00-11:30,11:45-12:15)", "30 km/h"), ("30 @ (11:00-11:30, 12:15-12:45)", "100 km/h"),
        // The sun rises at about 04:15 and sets at about 19:37 UTC.
        ("30 @ (sunrise-sunset)", "30 km/h"), ("30 @ (sunset-sunrise)", "100 km/h"), ("30 @ (dawn-dusk)", "30 km/h"),
        ("30 @ ((sunrise+07:30)-sunset)", "30 km/h"), ("30 @ ((sunrise+08:00)-sunset)", "100 km/h"),
        ("30 @ (sunrise-(sunset-07:30))", "30 km/h"), ("30 @ (sunrise-(sunset-08:00))", "100 km/h"),
        ("30 @ ((sunrise-12:00)-sunset)", "30 km/h"), ("30 @ ((sunrise-12:01)-sunset)", "100 km/h?"),
        ("30 @ ((sunrise+00:30-sunset)", "100 km/h?"), ("30 @ ((sunrise 00:30)-sunset)", "100 km/h?"),
        // Days.
        ("30 @ (Mo)", "30 km/h"), ("30 @ (Tu)", "100 km/h"), ("30 @ (Sa-Mo)", "30 km/h"), ("30 @ (Tu-Su)", "100 km/h"),
        ("30 @ (Su,Mo)", "30 km/h"), ("30 @ (Mo[1])", "100 km/h?"), ("30 @ (Mo-)", "100 km/h?"),
        ("30 @ (Mo 10:00-14:00)", "30 km/h"), ("30 @ (Mo-Fr 13:00-14:00)", "100 km/h"), ("30 @ (Mon)", "100 km/h?"),
        // Dates.
        ("30 @ (Jun)", "30 km/h"), ("30 @ (May-Jul)", "30 km/h"), ("30 @ (Jul-May)", "100 km/h"),
        ("30 @ (Jun 15)", "30 km/h"), ("30 @ (Jun 16)", "100 km/h"), ("30 @ (Jun 1-15)", "30 km/h"),
        ("30 @ (Jun 1-14)", "100 km/h"), ("30 @ (Jun 15-Jul 1)", "30 km/h"), ("30 @ (Jun 16-Jul 1)", "100 km/h"),
        ("30 @ (Jan-May,Jun 14-16)", "30 km/h"), ("30 @ (Jun 31)", "100 km/h?"), ("30 @ (Feb 30)", "100 km/h?"),
        ("30 @ (Jun 0)", "100 km/h?"), ("30 @ (Jun-15)", "100 km/h?"), ("30 @ (Jun: Mo)", "30 km/h"),
        ("30 @ (Jun Mo 12:00-13:00)", "30 km/h"), ("30 @ (June)", "100 km/h?"),
        // Rules: a later one goes before an earlier one.
        ("30 @ (24/7)", "30 km/h"), ("30 @ (24/7; Mo off)", "100 km/h"), ("30 @ (Mo off; 24/7)", "30 km/h"),
        ("30 @ (Mo closed)", "100 km/h"), ("30 @ (Mo open)", "30 km/h"), ("30 @ (Tu, Mo 12:00-13:00)", "30 km/h"),
        ("30 @ (Mo;)", "30 km/h"), ("30 @ (Mo,)", "100 km/h?"), ("30 @ (Mo. Tu)", "100 km/h?"),
        ("30 @ (off)", "100 km/h"), ("30 @ (Mooff)", "100 km/h?"),
        // Several conditions, and parentheses.
        ("30 @ (Mo AND 12:00-13:00)", "30 km/h"), ("30 @ (Mo AND Tu)", "100 km/h"), ("30 @ (MoandTu)", "100 km/h?"),
        ("30 @ ((Mo) and (Jun))", "30 km/h"), ("30 @ ((Mo) and\t(Jun))", "30 km/h"), ("30 @ ((Mo))", "30 km/h"),
        ("30 @ (((Mo)))", "100 km/h?"), ("30 @ (Mo))", "100 km/h?"), ("30 @ Mo", "30 km/h"),
        ("30 @ (Tu); 50 @ (Mo)", "50 km/h"), ("50 @ (Mo); 30 @ (Mo)", "30 km/h"),
    ])
    func timesAreAppliedOrNot(text: String, expected: String) {
        #expect(Self.limit(text, Self.context()) == expected)
    }

    @Test(arguments: [
        ("weight>7.5", 7.5, false), ("weight>7.5", 7.51, true), ("weight>=7.5", 7.5, true),
        ("weight>=7.5", 7.49, false),
        ("weight<7.5", 7.5, false), ("weight<7.5", 7.49, true), ("weight<=7.5", 7.5, true),
        ("weight<=7.5", 7.51, false),
        ("weight=7.5", 7.5, true), ("weight=7.5", 7.4, false), ("gvw > 3500 kg", 3.5, false),
        ("gvw > 3500 kg", 3.51, true), ("maxweightrating>3.5t", 3.6, true), ("WeightRating > 3.5 t", 3.4, false),
    ])
    func weightsAreCompared(condition: String, tonnes: Double, applies: Bool) {
        var context = Self.context()
        context.vehicle.weightTonnes = tonnes
        #expect(Self.limit("60 @ (\(condition))", context) == (applies ? "60 km/h" : "100 km/h"))
    }

    @Test(arguments: ["weight>7.50000000", "weight>", "weight>x", "weight>3 lb", "length>3", "weight>1.2.3"])
    func weightsThatAreNoneAreUncertain(condition: String) {
        #expect(Self.limit("60 @ (\(condition))", Self.context()) == "100 km/h?")
    }

    @Test func aTagHasAtMostSixteenPartsAnd255Bytes() {
        let context = Self.context()
        func list(_ part: String, _ count: Int, _ separator: String) -> String {
            Array(repeating: part, count: count).joined(separator: separator)
        }
        #expect(Self.limit(list("30@Mo", 16, ";"), context) == "30 km/h")
        #expect(Self.limit(list("30@Mo", 17, ";"), context) == "100 km/h?")
        #expect(Self.limit("30 @ " + list("Mo", 16, " and "), context) == "30 km/h")
        #expect(Self.limit("30 @ " + list("Mo", 17, " and "), context) == "100 km/h?")
        #expect(Self.limit("30 @ (\(list("12:00-13:00", 16, ",")))", context) == "30 km/h")
        #expect(Self.limit("30 @ (\(list("12:00-13:00", 17, ",")))", context) == "100 km/h?")
        #expect(Self.limit("30 @ (\(list("Jun", 16, ",")))", context) == "30 km/h")
        #expect(Self.limit("30 @ (\(list("Jun", 17, ",")))", context) == "100 km/h?")
        #expect(Self.limit("30 @ (\(list("Mo", 15, ";")))", context) == "30 km/h")
        #expect(Self.limit("30 @ (\(list("Mo", 17, ";")))", context) == "100 km/h?")
        let blank = String(repeating: " ", count: 255 - "30 @ Mo".utf8.count)
        #expect(
            Self.limit("30 @ Mo\(blank)", context) == "30 km/h"
                && Self.limit("30 @ Mo\(blank) ", context) == "100 km/h?")
    }

    // MARK: - Times

    @Test(arguments: [
        (0, 3, 1, 1), (58, 5, 2, 28), (59, 6, 3, 1), (11_016, 1, 2, 29), (11_017, 2, 3, 1), (20_453, 2, 12, 31),
        (20_454, 3, 1, 1), (47_540, 6, 2, 28), (47_541, 0, 3, 1), (-1, 2, 12, 31),
    ])
    func aDayHasItsDate(day: Int, weekday: Int, month: Int, dayOfMonth: Int) {
        let date = LocalTime.monthAndDay(day)
        #expect(date.month == month && date.day == dayOfMonth && LocalTime.weekday(day) == weekday)
    }

    @Test func aTimeHasItsLimits() {
        func time(_ utc: Int64?, _ offset: Int?) -> LocalTime? {
            var context = LimitContext()
            (context.utcSeconds, context.utcOffsetSeconds) = (utc, offset)
            return context.localTime
        }
        #expect(
            time(0, 0).map { [$0.day, $0.minute] } == [0, 0]
                && time(86_399, 0).map { [$0.day, $0.minute] } == [0, 1439])
        #expect(
            time(0, -1).map { [$0.day, $0.minute] } == [-1, 1439]
                && time(3600, 86_400).map { [$0.day, $0.minute] } == [1, 60])
        #expect(time(7_258_118_399, -86_400) != nil)
        for (utc, offset) in [(-1, 0), (7_258_118_400, 0), (0, 86_401), (0, -86_401), (nil, 0), (0, nil)]
            as [(Int64?, Int?)]
        {
            #expect(time(utc, offset) == nil)
        }
    }

    /// Minutes of the NOAA solar calculator for 2026-03-20 and 2026-12-21 at 48.2 degrees north, 16.37 degrees east, in
    /// UTC+1, which differ by a minute at most.
    @Test(arguments: [
        (79, SunTimes.Event.sunrise, 357), (79, .sunset, 1087), (355, .sunrise, 462), (355, .sunset, 963),
        (79, .dawn, 327), (79, .dusk, 1117), (355, .dawn, 427), (355, .dusk, 998),
    ])
    func theSunHasItsMinutes(dayOfYear: Int, event: SunTimes.Event, minute: Int) throws {
        let found = try #require(
            SunTimes.minute(
                of: event, day: 20_454 + dayOfYear - 1, latitudeDegrees: 48.2, longitudeDegrees: 16.37,
                utcOffsetSeconds: 3600))
        #expect(abs(found - minute) <= 2, "\(found)")
    }

    // MARK: - Numbers

    @Test(arguments: [
        (RoadLimit.kilometersPerHour(1000), "1000 km/h"), (.kilometersPerHour(1000.1), "unknown"),
        (.kilometersPerHour(0), "0 km/h"), (.kilometersPerHour(-0.1), "unknown"), (.milesPerHour(12.34), "12.3 mph"),
        (.kilometersPerHour(7.25), "7.3 km/h"), (RoadLimit(fileCode: 10_000), "1000 km/h"),
        (RoadLimit(fileCode: 10_001), "unknown"), (RoadLimit(fileCode: 0x8000 + 10_000), "1000 mph"),
        (RoadLimit(fileCode: 0x8000 + 10_001), "unknown"), (RoadLimit(fileCode: 0xFFFF), "none"),
    ])
    func aLimitHasItsText(limit: RoadLimit, text: String) { #expect(limit.text == text) }

    @Test(arguments: [
        ("500", "500 km/h"), ("500.1", "unknown"), ("123456", "unknown"), ("0050.0", "50 km/h"), ("00050.0", "unknown"),
        ("50;none", "50 km/h"), ("none;50", "50 km/h"), ("50|30|70", "30 km/h"), ("30 mph;50", "30 mph"),
        ("30 mph;48", "48 km/h"), ("foot", "7 km/h"), ("no", "none"), ("10 kn", "18.5 km/h"), ("US:65", "65 mph"),
        ("DE:zone_30", "30 km/h"), ("DE:zone 30 mph", "30 km/h"), ("DE:1000", "unknown"), ("DE:999", "999 km/h"),
        ("D:30", "unknown"), ("DEU:30", "unknown"), ("D1:30", "unknown"), ("QQ:30", "30 km/h"),
        ("DE:rural x", "unknown"),
    ])
    func aTagIsReadOrUnknown(tag: String, text: String) { #expect(MaxspeedTag(tag).limit.text == text, "\(tag)") }

    @Test func aCurveIsThatOfItsCircle() {
        // GIVEN three points on a circle of 20 m, and on a line THEN the curvature is that of the circle, or none
        let points = [0.0, 0.3, 0.8].map { Vector3(20 * $0.cosine, 20 * $0.sine, 3) }
        #expect(abs(RoadHorizon.curvature(points[0], points[1], points[2]) - 0.05) < 1e-12)
        #expect(RoadHorizon.curvature(Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(5, 0, 0)) == 0)
        #expect(RoadHorizon.curvature(.zero, .zero, .zero) == 0)
        #expect(CurveSpeedSettings().fastestMetersPerSecond == 130 / 3.6)
    }
}

extension Double {
    /// The values of an angle's functions, from those of a rotation.
    fileprivate var cosine: Double { Quaternion(rotationVector: Vector3(0, 0, self)).rotate(.unitX).x }
    fileprivate var sine: Double { Quaternion(rotationVector: Vector3(0, 0, self)).rotate(.unitX).y }
}
