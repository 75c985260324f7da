import PoseMath
import Testing

@testable import Roads

/// How the text of a condition is divided, and what just is none.
@Suite struct ConditionTextTests {
    /// The limit of a road with the general limit of 100 km/h, at a time in June 2026 in UTC.
    private static func limit(_ text: String, day: Int = 15, hour: Int = 12, minute: Int = 0) -> String {
        var context = LimitContext()
        // 2026-06-01 is 20,605 days after 1970, and a Monday.
        context.utcSeconds = Int64((20_605 + day - 1) * 86_400 + hour * 3600 + minute * 60)
        context.utcOffsetSeconds = 0
        (context.latitudeDegrees, context.longitudeDegrees) = (42.5, 1.5)
        let here = LimitEvaluation(context).limit(
            .kilometersPerHour(100), isTagged: true, [LimitRule(form: .conditional, text: text)], isForward: true)
        return here.limit.text + (here.isUncertain ? "?" : "")
    }

    @Test(arguments: [
        // A text with parentheses of more than four levels is not read at all: the limit beside it is not either.
        ("30 @ (24/7); 50 @ ((((x))))", "30 km/h?"), ("30 @ (24/7); 50 @ (((((x)))))", "100 km/h?"),
        ("50 @ Tu and x((((y))))", "100 km/h"), ("50 @ Tu and x(((((y)))))", "100 km/h?"),
        ("50 @ Tu and x)y(", "100 km/h?"), ("50 @ Tu and x(y", "100 km/h?"), ("30 @ (24/7); 50 @ (x", "100 km/h?"),
        // Parentheses around each of two conditions are none around both.
        ("30 @ (Mo) and (Jun)", "30 km/h"), ("30 @ (Mo) and (Jul)", "100 km/h"), ("30 @ (Tu) and (Jun)", "100 km/h"),
        ("30 @ ((Mo) and (Tu and Jun))", "100 km/h?"),
        // The word stands between two conditions, with a border on both sides.
        ("30 @ (Mo AND)", "100 km/h?"), ("30 @ (AND Mo)", "100 km/h?"), ("30 @ Mo and", "100 km/h?"),
        ("30 @ (Mo and Jun)and(12:00-13:00)", "100 km/h?"), ("30 @ (Mo)and(Jun)", "30 km/h"),
        ("30 @ Mo\tand\tJun", "30 km/h"), ("30\t@\t(Mo\t12:00-13:00)\t", "30 km/h"),
        // Without a limit, or without a condition.
        ("@ (Mo)", "100 km/h?"), ("30", "100 km/h?"), ("30 @", "100 km/h?"), ("30 @ ()", "100 km/h?"),
        ("fast @ (Mo)", "100 km/h?"), ("fast @ (Tu)", "100 km/h"), (" ; ", "100 km/h"),
    ])
    func aConditionIsDividedWhereItsPartsEnd(text: String, expected: String) {
        #expect(Self.limit(text) == expected)
    }

    @Test(arguments: [
        // A part that begins with a comma, a word with a letter after it, and a number with a digit too many.
        ("30 @ (,Mo)", "100 km/h?"), ("30 @ (Mo,,Tu)", "100 km/h?"), ("30 @ (JunApr)", "100 km/h?"),
        ("30 @ (Jun Apr)", "30 km/h"), ("30 @ (Jun 015)", "100 km/h?"), ("30 @ (Jun 15)", "30 km/h"),
        ("30 @ (012:00-13:00)", "100 km/h?"), ("30 @ (12:000-13:00)", "100 km/h?"), ("30 @ (12:0-13:00)", "100 km/h?"),
        ("30 @ (sunsets-sunrise)", "100 km/h?"), ("30 @ (Mo openly)", "100 km/h?"), ("30 @ (Mo offs)", "100 km/h?"),
        // Rules with and without a blank between them.
        ("30 @ (Tu;Mo)", "30 km/h"), ("30 @ (Tu;We)", "100 km/h"), ("30 @ (Mo;Tu)", "30 km/h"),
        ("30 @ (Mo off;24/7)", "30 km/h"), ("30 @ (24/7;Mo off)", "100 km/h"), ("30 @ (Mo ; ;Tu)", "100 km/h?"),
        // Weekdays around the end of the week, and of one day.
        ("30 @ (Mo-Mo)", "30 km/h"), ("30 @ (Fr-Tu)", "30 km/h"), ("30 @ (Tu-Tu)", "100 km/h"),
        // Holidays: nobody knows whether it is one.
        ("30 @ (SH)", "100 km/h?"), ("30 @ (SH,Mo)", "30 km/h"), ("30 @ (Mo,SH)", "30 km/h"),
        ("30 @ (SH Mo)", "100 km/h?"), ("30 @ (PH,SH Tu)", "100 km/h"), ("30 @ (SH Mo,PH)", "100 km/h?"),
        ("30 @ (PH off)", "100 km/h"), ("30 @ (Mo; PH off)", "30 km/h?"),
        // Weekdays in the holidays that are not read to their end, or with holidays among them, are none at all.
        ("30 @ (SH Tu,We)", "100 km/h"), ("30 @ (SH Tu,We-)", "100 km/h?"),
        ("30 @ (SH Tu 13:00-14:00)", "100 km/h"), ("30 @ (SH Tu,PH 13:00-14:00)", "100 km/h?"),
    ])
    func aTimeIsReadToItsLastLetter(text: String, expected: String) {
        #expect(Self.limit(text) == expected)
    }

    @Test(arguments: [
        // A rule that closes for some hours, and one that is added to it.
        ("30 @ (08:00-09:00 off, Mo)", "30 km/h"), ("30 @ (11:00-13:00 off, Mo)", "100 km/h"),
        ("30 @ (Mo, 11:00-13:00 off)", "100 km/h"), ("30 @ (24/7; 11:00-12:00 off)", "30 km/h"),
        ("30 @ (24/7; 11:00-12:01 off)", "100 km/h"), ("30 @ (11:00-13:00 off; 24/7)", "30 km/h"),
        // Hours added after a day that is closed, and hours that replace it.
        ("30 @ (24/7; Mo off, 12:00-13:00)", "30 km/h"), ("30 @ (24/7; Mo off, 13:00-14:00)", "100 km/h"),
        ("30 @ (Mo off; 12:00-13:00)", "30 km/h"), ("30 @ (12:00-13:00; Mo off)", "100 km/h"),
        ("30 @ (Mo 12:00-13:00; Mo 14:00-15:00)", "100 km/h"), ("30 @ (Mo 12:00-13:00, Mo 14:00-15:00)", "30 km/h"),
    ])
    func laterRulesReplaceOrAdd(text: String, expected: String) {
        #expect(Self.limit(text) == expected)
    }

    @Test(arguments: [
        // Sunday is the 14th: its last minute, and the first one of Monday.
        ("Su", 14, 23, 59, true), ("Su", 15, 0, 0, false), ("Mo", 14, 23, 59, false), ("Mo", 15, 0, 0, true),
        ("Jun 14", 14, 23, 59, true), ("Jun 14", 15, 0, 0, false), ("Su 22:00-24:00", 14, 23, 59, true),
        ("Su 22:00-24:00", 15, 0, 0, false), ("Su 22:00-00:00", 15, 0, 0, false), ("Su 22:00-00:01", 15, 0, 0, true),
        ("Su 22:00-24:01", 15, 0, 0, true), ("Su 22:00+", 15, 0, 0, false), ("Su 22:00-22:00", 15, 21, 59, true),
        ("Su 22:00-22:00", 15, 22, 0, false), ("Su 22:00-48:00", 15, 23, 59, true), ("24/7", 15, 0, 0, true),
    ])
    func aDayEndsAtMidnight(times: String, day: Int, hour: Int, minute: Int, isWithin: Bool) {
        let found = Self.limit("30 @ (\(times))", day: day, hour: hour, minute: minute)
        #expect(found == (isWithin ? "30 km/h" : "100 km/h"))
    }

    @Test func aNewRuleHoldsInBothDirections() {
        let rule = LimitRule(form: .limit, text: "50")
        #expect(rule.isForward && rule.isBackward && rule.vehicle == .every)
        #expect(rule.fileBytes == [0, 0, 3, 2, 0x35, 0x30] && rule.reversed == rule)
        // AND its limit is that of a road in either one
        for isForward in [true, false] {
            let here = LimitEvaluation(LimitContext()).limit(.unknown, isTagged: false, [rule], isForward: isForward)
            #expect(here.limit == .kilometersPerHour(50) && here.isTagged)
        }
    }
}
