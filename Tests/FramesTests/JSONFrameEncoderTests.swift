import Foundation
import SchemaCheck
import SeededNumbers
import Testing

@testable import Frames

@Suite struct JSONFrameEncoderTests {
    @Test func goldenLine() throws {
        // GIVEN a frame in which everything is known; WHEN it is encoded; THEN the line is equal, to the byte, to the
        // published one.
        var encoder = JSONFrameEncoder()
        let expected = [
            #"{"type":"frame","seq":4294967301,"t_s":12345.678901234,"utc_s":1785000000.250000000,"measured_s":12345.676801234,"published_s":12345.678905678,"simulated":false,"#,
            #""pose":{"state":"aligned","lat_deg":48.137154321,"lon_deg":-11.576123456,"alt_hae_m":565.1250,"alt_msl_m":519.5000,"#,
            #""sigma_enu_m":[0.1100,0.1200,0.2500],"enu_m":[101.5000,-202.2500,3.1250],"#,
            #""origin":{"epoch":7,"lat_deg":48.100000000,"lon_deg":-11.500000000,"alt_hae_m":560.0000},"#,
            #""vel_enu_m_s":[9.5000,-12.0000,0.1250],"vel_sigma_enu_m_s":[0.0100,0.0200,0.0300],"accel_enu_m_s2":[-0.6250,1.3750,0.0625],"course_deg":142.5000,"#,
            #""q_enu_body":[0.500000000,-0.500000000,0.500000000,-0.500000000],"roll_deg":1.5000,"pitch_deg":-2.5000,"heading_deg":141.7500,"#,
            #""heading_magnetic_deg":138.2500,"tilt_sigma_deg":0.2000,"heading_sigma_deg":0.7000,"#,
            #""heading_magnetic_sigma_deg":1.2500,"heading_trim_deg":2.0000,"turn_rate_deg_s":17.5000,"#,
            #""rate_body_rad_s":[0.001000,-0.002000,0.300000],"accel_body_m_s2":[1.5000,0.2500,-0.7500],"#,
            #""gravity_body":[0.100000,0.200000,-0.970000],"slip_m_s2":-0.2500,"standing_still":true,"blending":true,"#,
            #""fix_age_s":0.125,"fix_mode":3,"satellites_used":14,"reset_count":5,"#,
            #""reset_delta_enu_m":[0.5000,-0.2500,0.1250],"reset_delta_heading_deg":-3.0000,"#,
            #""glide_enu_m":[0.3750,-0.1875,0.0938],"glide_heading_deg":-2.2500},"#,
            #""guidance":{"state":"onRoute","route_version":3,"progress_m":1234.500,"cross_track_m":-1.750,"segment_bearing_deg":141.0000,"#,
            #""next_maneuver":4,"distance_to_turn_m":250.250,"straight_distance_to_turn_m":240.500,"turn_angle_deg":-90.000,"#,
            #""distance_left_m":5000.125,"time_left_s":360.500,"jump_count":2,"jump_delta_m":312.750,"in_tunnel":true,"then_distance_m":410.500,"age_s":0.375},"#,
            #""speed":{"speed_m_s":15.2500,"limit_m_s":13.8889,"ratio":1.0980,"colour":"orange","limit_source":"route","#,
            #""next_limit_m_s":8.3333,"next_limit_distance_m":420.500,"next_limit_source":"road","curve_speed_m_s":11.2500,"curve_distance_m":95.750,"#,
            #""has_condition":true,"indicated_m_s":16.5000,"limit_reason":"season","next_limit_reason":"several","age_s":0.500},"#,
            #""sources":{"gps":"streaming","imu":"stale","magnetometer":"absent","barometer":"lost","wheels":"waiting","#,
            #""gps_age_s":0.625,"imu_age_s":1.250,"magnetometer_age_s":2.500,"barometer_age_s":3.750,"wheels_age_s":4.125}}"#,
            "\n",
        ].joined()
        #expect(encoder.text(SampleFrames.full) == expected)
        let problems = try SchemaCheck.frames().problems(line: expected)
        #expect(problems == [])
    }

    @Test func theEarthCentredPositionIsOnlyInThePoseOfWhoAsksForIt() throws {
        // GIVEN a frame; WHEN lines with and without the Earth-centred position are made in turn; THEN those with it
        // differ by that member alone, at the end of the pose, and match the schema; without a height it is null.
        var encoder = JSONFrameEncoder()
        func line(_ topics: Topics) -> String {
            encoder.withLine(topics: topics, dropped: 3) { String(decoding: $0, as: UTF8.self) }
        }
        encoder.encodeParts(SampleFrames.full)
        for topics: Topics in [.inFrames, [.pose], [.pose, .sources]] {
            let plain = line(topics)
            let asked = line(topics.union(.ecef))
            // Computed in Python from the position in the sample, rounded to 0.1 mm.
            let member = ",\"ecef_m\":[4178000.0235,-855805.9576,4727488.1495]"
            let head = "\"glide_heading_deg\":-2.2500"
            #expect(asked == plain.replacingOccurrences(of: head, with: head + member), "\(asked)")
            #expect(line(topics) == plain)
            #expect(try SchemaCheck.frames().problems(line: asked) == [])
        }
        var frame = SampleFrames.full
        frame.pose.altitudeEllipsoidMeters = nil
        encoder.encodeParts(frame)
        #expect(line([.pose, .ecef]).contains(",\"ecef_m\":null}"))
    }

    @Test func otherLinesMatchTheSchema() throws {
        // GIVEN each message that has a line, also with invalid numbers; WHEN encoded; THEN it matches the schema, and
        // is one line.
        let schema = try SchemaCheck.frames()
        var writer = JSONWriter()
        for message in SampleMessages.all + SampleMessages.poisoned {
            writer.clear()
            writer.message(message)
            if writer.count == 0 { continue }
            let problems = try schema.problems(line: writer.text)
            #expect(problems == [], "\(writer.text)")
            #expect(writer.text.filter { $0 == "\n" }.count == 1)
        }
    }

    @Test func theSchemaRejectsInvalidLines() throws {
        // GIVEN a valid line; WHEN a member is missing, unknown, of another type or out of range; THEN the schema check
        // names it.
        let schema = try SchemaCheck.frames()
        var encoder = JSONFrameEncoder()
        let line = encoder.text(SampleFrames.full)
        for (part, other) in [
            ("\"colour\":\"orange\"", "\"colour\":\"green\""), ("\"heading_deg\":141.7500", "\"heading_deg\":360.0"),
            ("\"lat_deg\":48.1371", "\"latitude\":48.1371"),
            ("\"fix_mode\":3", "\"fix_mode\":\"3d\""), ("[0.1100,0.1200,0.2500]", "[0.1100,0.1200]"),
            ("\"type\":\"frame\"", "\"type\":\"fame\""),
        ] {
            #expect(line.contains(part))
            #expect(try !schema.problems(line: line.replacingOccurrences(of: part, with: other)).isEmpty, "\(other)")
        }
    }

    @Test func theSchemaLeavesEveryListOfNamesAndTypesOpen() throws {
        // GIVEN the published schema; WHEN every list of names in it is looked at; THEN beside it any other name is
        // allowed, so that a later release can add one; and so is a line of another type, and another member anywhere.
        let file = URL(fileURLWithPath: SchemaCheck.path)
        let schema = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        var (lists, closed) = (0, [String]())
        func visit(_ value: Any, _ path: String, isOpen: Bool) {
            if let object = value as? [String: Any] {
                if object["enum"] != nil {
                    lists += 1
                    if !isOpen { closed.append(path) }
                }
                if object["additionalProperties"] as? Bool == false { closed.append(path) }
                let later = (object["anyOf"] as? [[String: Any]] ?? []).contains {
                    $0["$ref"] as? String == "#/$defs/laterName"
                }
                for (name, member) in object { visit(member, path + "/" + name, isOpen: name == "anyOf" && later) }
            } else if let list = value as? [Any] {
                for (index, element) in list.enumerated() { visit(element, "\(path)/\(index)", isOpen: isOpen) }
            }
        }
        visit(schema, "", isOpen: false)
        #expect(lists > 15 && closed == ["/$defs/line_later/properties/type/not"], "\(lists) \(closed)")
    }

    @Test func unknownIsNull() throws {
        // GIVEN a frame in which everything is unknown; WHEN it is encoded and parsed by another parser; THEN unknown
        // values are null, never 0.
        var encoder = JSONFrameEncoder()
        let object = try parsed(encoder.text(Frame()))
        let pose = try #require(object["pose"] as? [String: Any])
        for key in [
            "lat_deg", "lon_deg", "alt_hae_m", "alt_msl_m", "q_enu_body", "vel_enu_m_s", "heading_deg", "sigma_enu_m",
            "fix_age_s",
        ] {
            #expect(pose[key] is NSNull, "\(key)")
        }
        let speed = try #require(object["speed"] as? [String: Any])
        #expect(speed["speed_m_s"] is NSNull)
        #expect(speed["colour"] as? String == "unknown")
        #expect(object["utc_s"] is NSNull)
    }

    @Test(arguments: [Double.nan, -.nan, .infinity, -.infinity, 1e300, -1e300, .signalingNaN])
    func nonFiniteNumbersAreNull(_ poison: Double) throws {
        // GIVEN a frame in which every number is invalid; WHEN it is encoded; THEN the line is JSON and every such
        // member is null.
        var encoder = JSONFrameEncoder()
        let line = encoder.text(SampleFrames.poisoned(poison))
        #expect(!line.lowercased().contains("nan") && !line.lowercased().contains("inf"))
        let object = try parsed(line)
        let pose = try #require(object["pose"] as? [String: Any])
        let known: Set = [
            "state", "origin", "standing_still", "blending", "fix_mode", "satellites_used", "reset_count",
        ]
        for (key, value) in pose where !known.contains(key) { #expect(value is NSNull, "\(key)") }
        let guidance = try #require(object["guidance"] as? [String: Any])
        for (key, value) in guidance
        where !["state", "route_version", "next_maneuver", "jump_count", "in_tunnel"].contains(key) {
            #expect(value is NSNull, "\(key)")
        }
    }

    @Test func bearingsStayBelow360AfterRounding() throws {
        // GIVEN headings near a full turn, negative, and beyond it; WHEN encoded with four decimals; THEN they are in
        // [0, 360).
        var encoder = JSONFrameEncoder()
        for (radians, expected) in [
            (2 * Double.pi - 1e-9, 0.0), (-1e-12, 0), (-Double.pi / 2, 270), (2.5 * Double.pi, 90), (0, 0),
        ] {
            var frame = Frame()
            frame.pose.headingTrueRadians = radians
            let pose = try #require(try parsed(encoder.text(frame))["pose"] as? [String: Any])
            #expect(pose["heading_deg"] as? Double == expected)
        }
    }

    @Test(arguments: [(1e6.nextDown, true), (-1e6.nextDown, true), (1e6, false), (-1e6, false)])
    func aBearingIsBelowAMillionRadians(radians: Double, isGiven: Bool) {
        // GIVEN a heading just below a million radians, or of a million WHEN it is written for the stream, and for
        // clients of gpsd and of NMEA 0183 THEN the first is a number, and the second is unknown
        var encoder = JSONFrameEncoder()
        var gpsd = GpsdEncoder()
        var nmea = NMEAEncoder()
        var frame = SampleFrames.full
        frame.pose.headingTrueRadians = radians
        let line = encoder.text(frame)
        #expect(line.contains("\"heading_deg\":null,") == !isGiven)
        let reports = String(decoding: gpsd.reports(frame), as: UTF8.self)
        #expect(reports.contains("\"heading\":") == isGiven)
        let sentences = String(decoding: nmea.sentences(frame), as: UTF8.self)
        #expect(sentences.contains("$GPHDT,,T*") == !isGiven)
    }

    @Test func aBearingThatRoundsToAFullTurnIsZero() {
        // GIVEN a bearing so little below north that adding a turn gives a whole one THEN it is 0, not 360
        #expect(bearingDegrees(-1e-18) == 0)
    }

    @Test func aBearingOfASceneThatIsWrittenAsAFullTurnIsZero() {
        // GIVEN bearings that two decimals turn into 360 degrees, and one that they do not
        for (degrees, text) in [(359.996, "0.00"), (359.994, "359.99"), (-0.003, "0.00")] {
            var sight = Message.Sight()
            (sight.edgeRadians, sight.bearingRadians) = (degrees * .pi / 180, degrees * .pi / 180)
            var (scene, point) = (Message.Scene(), Message.ScenePoint(number: 1, kind: .turn))
            point.sight = sight
            scene.points = [point]
            // WHEN they are written THEN none is 360
            let line = GoldenValues.text(.scene(scene))
            #expect(line.contains("\"edge_deg\":\(text),") && line.contains("\"bearing_deg\":\(text),"), "\(line)")
        }
    }

    @Test func timesAreExact() throws {
        // GIVEN times at the limits, also before the clock's zero; WHEN encoded; THEN all nine decimals are present and
        // no minus sign is lost.
        var encoder = JSONFrameEncoder()
        for (nanoseconds, text) in [
            (Int64(0), "0.000000000"), (-1, "-0.000000001"), (-1_500_000_000, "-1.500000000"),
            (.max, "9223372036.854775807"),
            (.min, "-9223372036.854775808"),
        ] {
            var frame = Frame()
            frame.timeNanoseconds = nanoseconds
            #expect(encoder.text(frame).contains("\"t_s\":\(text),"))
        }
    }

    @Test func selectedTopicsMakeTheLine() {
        // GIVEN an encoded frame; WHEN only some topics are selected; THEN the line has these and no others, and with
        // all topics it is the whole line.
        var encoder = JSONFrameEncoder()
        let whole = encoder.text(SampleFrames.full).dropLast(2)
        encoder.encodeParts(SampleFrames.full)
        for (topics, dropped) in [(Topics.all, UInt64(0)), ([.speed], 17), (.all, .max), ([], 3)] {
            let line = encoder.withLine(topics: topics, dropped: dropped) { String(decoding: $0, as: UTF8.self) }
            #expect(line.hasSuffix(",\"dropped\":\(dropped)}\n"))
            for (name, topic) in [
                ("pose", Topics.pose), ("guidance", .guidance), ("speed", .speed), ("sources", .sources),
            ] {
                #expect(line.contains("\"\(name)\":{") == topics.contains(topic), "\(name) in \(topics)")
            }
            if topics == .all { #expect(line == whole + ",\"dropped\":\(dropped)}\n") }
        }
    }

    @Test func numbersParseBackWithinRounding() {
        // GIVEN many numbers of all sizes from a fixed seed; WHEN written with each number of decimals; THEN parsing
        // the text gives the number within half a unit of its last decimal (and one rounding of the product).
        var random = SplitMix64(seed: 0x5eed_0001)
        var writer = JSONWriter()
        for _ in 0..<20_000 {
            let decimals = Int(random.next() % 10)
            let value = (Double(random.next() >> 11) * 0x1p-53 - 0.5) * pow(10, Double(random.next() % 9))
            writer.clear()
            writer.number(value, decimals: decimals)
            let back = Double(writer.text) ?? .nan
            #expect(
                abs(back - value) <= 0.5 * pow(10, -Double(decimals)) * (1 + 1e-9) + abs(value) * 4e-16,
                "\(value) as \(writer.text)")
        }
    }

    @Test func numbersEqualLongDivision() {
        // GIVEN numbers at the limits of each way of writing them, ties, signed zeros, and many more from a fixed seed;
        // WHEN written with each number of decimals; THEN the text equals, to the byte, the result of rounding half
        // away from zero and long division.
        var random = SplitMix64(seed: 0x5eed_0002)
        var values = [
            0.0, -0.0, 0.5, -0.5, 1e-300, -1e-300, 5e-5, -5e-5, 9.99995, 99_999_998.5, 99_999_999, 100_000_000,
            1e9 - 0.5, 1e9, 8.9e8, 4.9e17,
        ]
        for decimals in 0...9 {
            values += [99_999_998, 99_999_998.5, 99_999_999, 99_999_999.5, 1e8, 8.9e18].map {
                $0 / pow(10, Double(decimals))
            }
        }
        for _ in 0..<20_000 {
            values.append((Double(random.next() >> 11) * 0x1p-53 - 0.5) * pow(10, Double(random.next() % 12) - 2))
        }
        var writer = JSONWriter()
        for value in values + values.map(-) {
            for decimals in 0...9 where abs(value * pow(10, Double(decimals))) < 9e18 {
                writer.clear()
                writer.number(value, decimals: decimals)
                #expect(writer.text == Self.longDivision(value, decimals))
            }
        }
    }

    private static func longDivision(_ value: Double, _ decimals: Int) -> String {
        let scaled = value * pow(10, Double(decimals))
        let units = Int64(scaled + (scaled < 0 ? -0.5 : 0.5))
        let digits = String(units.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return (units < 0 ? "-" : "") + padded.dropLast(decimals) + (decimals > 0 ? "." + padded.suffix(decimals) : "")
    }

    @Test func integersAreExact() {
        // GIVEN integers with one digit more or fewer, and the extremes THEN each is written with all its digits
        var writer = JSONWriter()
        for value in [0, 9, 10, 99_999_999, 100_000_000, .max, -1, -9, -10, .min] as [Int64] {
            writer.clear()
            writer.integer(value)
            #expect(writer.text == "\(value)")
        }
        writer.clear()
        writer.integer(UInt64.max)
        #expect(writer.text == "18446744073709551615")
    }

    @Test func theLongestLineFitsTheBuffer() throws {
        // GIVEN a frame in which every number has its maximum length; WHEN encoded for a client with the largest count
        // of lost messages; THEN the line is valid, and fits into the 4 KiB that a logger's frame may take, less than
        // half of the encoder's buffer.
        var encoder = JSONFrameEncoder()
        var frame = SampleFrames.poisoned(-299_999_999.123_456_7)
        (frame.sequence, frame.timeNanoseconds, frame.utcNanoseconds) = (.max, .min, .min)
        (frame.measuredNanoseconds, frame.publishedNanoseconds) = (.min, .min)
        (frame.pose.resetCount, frame.pose.originEpoch, frame.guidance.jumpCount, frame.guidance.nextManeuver) = (
            .max, .max, .max, .max
        )
        frame.pose.state = .deadReckoning
        let long = Frame.Triple(-299_999_999.123_456_7, -299_999_999.123_456_7, -299_999_999.123_456_7)
        frame.pose.positionENUMeters = long
        frame.pose.angularRateBodyRadiansPerSecond = long
        frame.pose.gravityDirectionBody = long
        encoder.encodeParts(frame)
        let line = encoder.withLine(topics: .all, dropped: .max) { String(decoding: $0, as: UTF8.self) }
        #expect(line.utf8.count > 2300 && line.utf8.count < 4000, "\(line.utf8.count)")
        #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
    }

    @Test func stringsAreEscaped() throws {
        // GIVEN text with everything that JSON does not permit unescaped; WHEN written; THEN another parser reads the
        // same text back.
        var writer = JSONWriter(capacity: 64)
        let text = "a\"b\\c\n\r\t\u{0}\u{1f}\u{7f}/ü漢🛰" + String(repeating: "x", count: 500)
        writer.string(text)
        let data = Data("[\(writer.text)]".utf8)
        #expect(try JSONSerialization.jsonObject(with: data) as? [String] == [text])
    }

    private func parsed(_ line: String) throws -> [String: Any] {
        let problems = try SchemaCheck.frames().problems(line: line)
        #expect(problems == [])
        #expect(line.hasSuffix("}\n") && line.filter { $0 == "\n" }.count == 1)
        return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
}
