import Foundation
import Guidance
import SeededNumbers
import Testing

@testable import Roads

/// Limits for some vehicles and under conditions, against another evaluator (Resources/conditional_limits.py).
@Suite struct ConditionalLimitTests {
    /// The table: contexts, and tags with the result in each context.
    struct Table {
        var contexts: [LimitContext] = []
        var rows: [(tags: String, results: [String])] = []

        init() throws {
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("Resources/conditional_limits.txt")
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#")
            {
                let parts = line.split(separator: "\t").map { String($0) }
                if line.hasPrefix("@") {
                    contexts.append(try #require(Self.context(parts)))
                } else {
                    rows.append((parts[0], parts[1].split(separator: " ").map { String($0) }))
                }
            }
        }

        /// Local time, UTC offset (h), place, vehicle, trailer, weight, surface.
        private static func context(_ parts: [String]) -> LimitContext? {
            var context = LimitContext()
            let format = DateFormatter()
            format.dateFormat = "yyyy-MM-dd HH:mm"
            format.timeZone = TimeZone(secondsFromGMT: 0)
            format.locale = Locale(identifier: "en_US_POSIX")
            guard parts.count == 8, let local = format.date(from: String(parts[0].dropFirst())),
                let hours = Int(parts[1]), let kind = VehicleKind(rawValue: parts[4]),
                let surface = RoadSurface(rawValue: parts[7])
            else { return nil }
            context.utcSeconds = Int64(local.timeIntervalSince1970) - Int64(hours) * 3600
            context.utcOffsetSeconds = hours * 3600
            (context.latitudeDegrees, context.longitudeDegrees) = (Double(parts[2]), Double(parts[3]))
            context.vehicle.kind = kind
            context.vehicle.hasTrailer = parts[5] == "True"
            context.vehicle.weightTonnes = Double(parts[6]) ?? 0
            context.vehicle.surface = surface
            return context
        }
    }

    static func rules(_ tags: String) -> [LimitRule] {
        tags.split(separator: "|").compactMap { tag in
            let parts = tag.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? LimitRule(key: String(parts[0]), value: String(parts[1])) : nil
        }
    }

    static func text(_ here: LimitHere) -> String {
        let limit =
            switch here.limit.limit {
            case .unknown: "unknown"
            case .unlimited: "none"
            case .metersPerSecond(let value): String(format: "%.2f", value * 3.6)
            }
        return "\(limit)/\(here.reason)\(here.isUncertain ? "?" : "")"
    }

    /// GIVEN the tags of a road whose general limit is 100 km/h WHEN evaluated for several vehicles, times and places
    /// THEN limit, reason and uncertainty are those of the other evaluator.
    @Test func agreeWithAnotherEvaluator() throws {
        let table = try Table()
        #expect(table.contexts.count == 12 && table.rows.count >= 300)
        for row in table.rows {
            let rules = Self.rules(row.tags)
            let found = table.contexts.map { context in
                Self.text(
                    LimitEvaluation(context).limit(.kilometersPerHour(100), isTagged: true, rules, isForward: true))
            }
            #expect(found == row.results, "\(row.tags)")
        }
    }

    /// GIVEN no time WHEN a limit depends on it THEN the general limit holds and is uncertain; one that depends on the
    /// vehicle alone is certain.
    @Test func withoutTime() {
        let evaluation = LimitEvaluation(LimitContext())
        func limit(_ tags: String) -> String {
            Self.text(evaluation.limit(.kilometersPerHour(100), isTagged: true, Self.rules(tags), isForward: true))
        }
        #expect(limit("maxspeed:conditional=30 @ (22:00-06:00)") == "100.00/none?")
        #expect(limit("maxspeed:motorcar=80") == "80.00/vehicle")
        #expect(limit("maxspeed:conditional=60 @ (weight>7.5)") == "100.00/none")
        #expect(limit("maxspeed:conditional=60 @ (weight>2)") == "100.00/none?")
        // A mass has up to seven characters.
        #expect(limit("maxspeed:conditional=60 @ (weight>2.00000)") == "100.00/none?")
        #expect(limit("maxspeed:conditional=60 @ (weight>7500.00 kg)") == "100.00/none")
    }

    /// GIVEN a place where the sun does not set WHEN a limit depends on it THEN it is not applied and uncertain.
    @Test func midnightSun() {
        var context = LimitContext()
        (context.utcSeconds, context.utcOffsetSeconds) = (1_782_000_000, 7200)
        (context.latitudeDegrees, context.longitudeDegrees) = (70, 25)
        let here = LimitEvaluation(context).limit(
            .kilometersPerHour(100), isTagged: true, Self.rules("maxspeed:conditional=80 @ (sunset-sunrise)"),
            isForward: true)
        #expect(Self.text(here) == "100.00/none?")
    }

    /// GIVEN a place east of the 180th meridian, whose zone has the date of the places west of it WHEN a limit depends
    /// on the sun THEN sunrise and sunset are those of the local day.
    @Test(arguments: [
        ("80 @ (sunset-sunrise)", 1, true), ("80 @ (sunset-sunrise)", 12, false), ("80 @ (sunset-06:00)", 22, true),
        ("80 @ (sunrise-sunset)", 12, true), ("80 @ (sunrise-sunset)", 1, false),
    ])
    func theSunInAZoneAcrossTheDateLine(text: String, hour: Int64, applies: Bool) {
        // 2026-06-20 in Apia, which is 13 h before UTC at 171.8 degrees west.
        var context = LimitContext()
        (context.utcSeconds, context.utcOffsetSeconds) = (1_781_913_600 + (hour - 13) * 3600, 13 * 3600)
        (context.latitudeDegrees, context.longitudeDegrees) = (-13.8, -171.8)
        let here = LimitEvaluation(context).limit(
            .kilometersPerHour(100), isTagged: true, Self.rules("maxspeed:conditional=\(text)"), isForward: true)
        #expect(Self.text(here) == (applies ? "80.00/time" : "100.00/none"))
    }

    /// GIVEN tags for one direction WHEN the way is reversed THEN they hold in the other one.
    @Test func directions() throws {
        let rule = try #require(LimitRule(key: "maxspeed:hgv:backward:conditional", value: "50 @ (24/7)"))
        #expect(rule.isBackward && !rule.isForward && rule.vehicle == .hgv && rule.form == .conditional)
        #expect(rule.reversed.isForward && !rule.reversed.isBackward)
        for key in [
            "maxspeed", "maxspeed:forward", "maxspeed:lanes", "maxspeed:type", "maxspeed:hgv:bus", "maxspeed:", "name",
            "maxspeed:conditional:hgv", "maxspeed:bicycle", "maxspeed:a:b:c:d:e",
        ] { #expect(LimitRule(key: key, value: "50") == nil, "\(key)") }
    }

    /// GIVEN hostile values WHEN evaluated THEN nothing traps, and what is not read is not applied.
    @Test func hostileValues() {
        var context = LimitContext()
        (context.utcSeconds, context.utcOffsetSeconds) = (.max, .min)
        #expect(context.localTime == nil)
        (context.utcSeconds, context.utcOffsetSeconds) = (7_258_118_399, 86_400)
        (context.latitudeDegrees, context.longitudeDegrees) = (.nan, .infinity)
        let hostile = [
            String(repeating: "(", count: 250), String(repeating: "9", count: 250) + " @ (24/7)",
            "30 @ (99999999999999999999:00-06:00)", "30 @ (weight>99999999999999999999999999)",
            "30 @ (sunset-sunrise)", "30 @ (" + String(repeating: "Mo,", count: 80) + ")",
            String(repeating: "1@Mo;", count: 51), "30 @ ((sunset+99:99)-(sunrise-00:30))", "\u{0}@\u{ff}", "@@@@",
            ";;;;",
            "30 @ (\u{1F697} AND \u{1F6B2})", String(repeating: "30 @ (24/7);", count: 100),
        ]
        for text in hostile {
            let rule = LimitRule(form: .conditional, text: text)
            let here = LimitEvaluation(context).limit(.unknown, isTagged: false, [rule], isForward: true)
            #expect(here.limit == .unknown, "\(text.prefix(40))")
        }
        #expect(LimitRule(key: "maxspeed:conditional", value: String(repeating: "x", count: 256)) == nil)
    }

    /// GIVEN random pieces of the grammar in random order, and random bytes WHEN evaluated THEN nothing traps, and the
    /// result is one of the limits in the text.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func randomValues(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let pieces = [
            "30", " @ ", "(", ")", "Mo", "-", "Fr", ",", ";", " ", "22:00", "06:00", "24/7", "PH", "off", "Nov", "15",
            "sunset", "sunrise", "+", "wet", " AND ", "weight", ">", "7.5", "hgv", "99999999999", ":", "[", "\"",
            "49:00",
        ]
        var context = LimitContext()
        (context.utcSeconds, context.utcOffsetSeconds) = (1_782_000_000, 3600)
        (context.latitudeDegrees, context.longitudeDegrees) = (42.5, 1.5)
        for round in 0..<400 {
            var text = round % 2 == 0 ? "30 @ (" : ""
            while text.utf8.count < 120, Int.random(in: 0..<20, using: &random) > 0 {
                text +=
                    round % 5 == 4
                    ? String(UnicodeScalar(UInt8.random(in: 0...127, using: &random)))
                    : pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }
            let rule = LimitRule(form: .conditional, text: text)
            let here = LimitEvaluation(context).limit(
                .kilometersPerHour(100), isTagged: true, [rule], isForward: true)
            #expect([.kilometersPerHour(100), .unlimited].contains(here.limit) || text.contains("@"), "\(text)")
        }
    }
}
