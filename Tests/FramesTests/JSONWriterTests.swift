import Testing

@testable import Frames

/// The parts of a JSON line, character by character.
@Suite struct JSONWriterTests {
    /// What is written into an empty writer.
    private func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        #expect(writer.count == writer.text.utf8.count)
        return writer.text
    }

    @Test func listsAndCountsHaveTheirCommas() {
        #expect(text { $0.counts(",\"lost\":", []) } == ",\"lost\":{}")
        #expect(text { $0.counts("\"n\":", [("a", 1)]) } == "\"n\":{\"a\":1}")
        #expect(text { $0.counts("", [("a\"b", 0), ("c", .max)]) } == #"{"a\"b":0,"c":18446744073709551615}"#)
        #expect(text { $0.strings("\"why\":", []) } == "\"why\":[]")
        #expect(text { $0.strings("", ["a", "", "\\"]) } == #"["a","","\\"]"#)
        #expect(text { $0.numbers("", [1, -2.5, .nan], decimals: 2) } == "[1.00,-2.50,null]")
        #expect(text { $0.list([UInt64(7)]) { $0.integer($1) } } == "[7]")
        #expect(text { $0.topics([.pose, .route]) } == ",\"topics\":[\"pose\",\"route\"]")
    }

    @Test func membersHaveTheirForms() {
        #expect(text { $0.integer(",\"a\":", Int32(-5)) } == ",\"a\":-5")
        #expect(text { $0.integer("", UInt8(0)) } == "0")
        #expect(text { $0.integer("", Int64.min) } == "-9223372036854775808")
        #expect(text { $0.number("\"n\":", nil, decimals: 3) } == "\"n\":null")
        #expect(text { $0.number("\"n\":", 0.5, decimals: 0) } == "\"n\":1")
        #expect(text { $0.degrees("\"d\":", .pi / 2, decimals: 1) } == "\"d\":90.0")
        #expect(text { $0.name("\"k\":", "turn") } == "\"k\":\"turn\"")
        #expect(text { $0.name("\"k\":", nil) } == "\"k\":null")
        #expect(text { $0.string("\"s\":", nil) } == "\"s\":null")
        #expect(text { $0.boolean("\"b\":", true) } == "\"b\":true")
        #expect(text { $0.boolean("", false) } == "false")
        #expect(text { $0.triple("\"t\":", .init(1, -2, 0.0625)) } == "\"t\":[1.000,-2.000,0.063]")
        #expect(text { $0.triple("\"t\":", .init(1, .nan, 2)) } == "\"t\":null")
    }

    @Test func aTextIsEscapedByItsCharacters() {
        // GIVEN the characters on both sides of those that JSON escapes THEN each has its form
        #expect(text { $0.string("\u{0}\u{F}\u{10}\u{1F} \u{7E}\u{7F}") } == #""\u0000\u000f\u0010\u001f ~\u007f""#)
        #expect(text { $0.string("\n\t\r\"\\/!#[]é") } == #""\n\t\r\"\\/!#[]é""#)
        // Both digits are hexadecimal.
        #expect(text { $0.string("\u{9}\u{B}\u{19}\u{1A}\u{1B}") } == #""\t\u000b\u0019\u001a\u001b""#)
    }

    @Test func agesOfAllSourcesHaveRoom() {
        // GIVEN a small writer WHEN the sources are written with the longest ages THEN the text is whole
        var sources = Frame.Sources()
        let age = 123_456_789_012.345
        (sources.gpsAgeSeconds, sources.imuAgeSeconds, sources.magnetometerAgeSeconds) = (age, age, age)
        (sources.barometerAgeSeconds, sources.wheelsAgeSeconds) = (age, age)
        var writer = JSONWriter(capacity: 0)
        writer.sources(sources)
        writer.literal("|")
        #expect(writer.text.matches(of: /_age_s":123456789012.345/).count == 5)
        #expect(writer.text.hasPrefix(",\"sources\":{") && writer.text.hasSuffix("}|"))
    }

    @Test func bytesAreAppendedBehindWhatIsThere() {
        // GIVEN text in a small writer WHEN parts of other bytes are appended, and more than it has room for THEN all
        // is there in its order; and it begins anew when it is cleared
        var writer = JSONWriter(capacity: 0)
        writer.literal("{\"a\":")
        let other = Array("0123456789".utf8)
        other.withUnsafeBytes { writer.append($0[2..<5]) }
        other.withUnsafeBytes { writer.append($0[9...]) }
        other.withUnsafeBytes { writer.append($0[4..<4]) }
        #expect(writer.text == "{\"a\":2349" && writer.count == 9)
        let long = [UInt8](repeating: 0x20, count: 1000)
        long.withUnsafeBytes { writer.append($0[...]) }
        writer.literal("}")
        #expect(writer.text == "{\"a\":2349" + String(repeating: " ", count: 1000) + "}")
        #expect(writer.withBytes { Array($0) } == Array(writer.text.utf8))
        writer.clear()
        #expect(writer.text.isEmpty && writer.count == 0)
        writer.integer(UInt64(12))
        #expect(writer.text == "12")
    }

    @Test func aWriterKeepsItsBufferUpToItsCapacity() {
        // GIVEN a writer for 4096 bytes WHEN 4000 are written in small pieces THEN all of them are where the first one
        // was to come: the buffer was not replaced by a larger one
        var writer = JSONWriter(capacity: 4096)
        let place = writer.withBytes { $0.baseAddress }
        for _ in 0..<400 { writer.literal("0123456789") }
        let later = writer.withBytes { $0.baseAddress }
        #expect(later == place && writer.count == 4000)
    }

    @Test func aDaemonThatHasJustStartedShowsNoSimulatedDrive() {
        // GIVEN a status of which nothing was told yet WHEN it is written THEN the daemon is starting, without a route,
        // without reasons, and not on a simulated drive
        let status = text { $0.message(.status(Message.Status())) }
        #expect(status.hasPrefix(#"{"type":"status","t_s":0.000000000,"uptime_s":0.000,"frames_made":0,"#))
        #expect(status.contains(#","pose_state":"starting","guidance_state":"noRoute","#))
        #expect(status.hasSuffix(#","simulated":false,"why":[],"mount":null,"magnetometer":null}"# + "\n"))
    }

    @Test func aTopicIsKnownByItsName() {
        let names = ["pose", "guidance", "speed", "sources", "events", "status", "scene", "points", "route"]
        for (bit, name) in names.enumerated() { #expect(Topics(name: name)?.rawValue == 1 << UInt32(bit)) }
        for name in ["", "Pose", "ecef", "poses"] { #expect(Topics(name: name) == nil) }
        #expect(Topics.all.rawValue == 511 && Topics.inFrames.rawValue == 15 && Topics.ecef.rawValue == 1 << 31)
        // AND an option of the subscription adds the Earth-centred position to the pose alone
        var wish = Message.Subscription(topics: [.pose, .events], rateMillihertz: 0)
        #expect(wish.frameTopics == [.pose] && !wish.wantsEvery && !wish.isSmooth && !wish.wantsSharedMemory)
        wish.wantsECEF = true
        #expect(wish.frameTopics == [.pose, .ecef])
        wish.topics = [.speed, .scene]
        #expect(wish.frameTopics == [.speed])
    }

    @Test func eachSourceHasItsState() {
        // GIVEN a state for one source WHEN it is set by its name THEN that source alone has it
        for name in Message.SourceName.allCases {
            var sources = Frame.Sources()
            sources[name] = .streaming
            #expect(
                Message.SourceName.allCases.map { sources[$0] == .streaming }
                    == Message.SourceName.allCases.map { $0 == name })
            let states = [sources.gps, sources.imu, sources.magnetometer, sources.barometer, sources.wheels]
            #expect(states.firstIndex(of: .streaming) == Int(name.rawValue))
        }
    }

    @Test func logsAreEqualIfTheyHaveTheSameChanges() {
        var (one, other) = (GuidanceLog(), GuidanceLog())
        #expect(one == other && one.count == 0)
        one.add(.departed(routeVersion: 1))
        #expect(one != other && one.count == 1)
        other.add(.departed(routeVersion: 2))
        #expect(one != other)
        // The ninth change takes the place of the first one.
        for version in UInt32(2)...9 { one.add(.departed(routeVersion: version)) }
        for version in UInt32(2)...9 { other.add(.departed(routeVersion: version)) }
        #expect(one == other && one.count == 9)
    }
}
