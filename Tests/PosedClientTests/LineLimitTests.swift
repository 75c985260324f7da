import Frames
import PosedClient
import Testing

/// Numbers of lines at their limits, and what is missing from a line.
@Suite struct LineLimitTests {
    private struct OtherLine: Error {}

    private func message(_ line: String) throws -> Message {
        guard case .message(let message) = try LineDecoder.decode(Array(line.utf8)) else { throw OtherLine() }
        return message
    }

    private func event(_ members: String) throws -> Message.Change {
        guard case .event(let event) = try message(#"{"type":"event","t_s":1,\#(members)}"#) else { throw OtherLine() }
        return event.change
    }

    @Test(arguments: [
        ("0.001", UInt32(1)), ("0.0004", 0), ("0", 0), ("-1", 0), ("3999999.999", 3_999_999_999), ("4e6", 0),
        ("10.0006", 10_001), ("null", 0), ("\"5\"", 0),
    ]) func aRateIsInThousandths(text: String, millihertz: UInt32) throws {
        // GIVEN a rate in each member that has one THEN it is that many frames per 1000 s; none is 0
        guard
            case .hello(let hello) = try message(
                #"{"type":"hello","default_rate_hz":\#(text),"slowest_rate_hz":\#(text),"fastest_rate_hz":\#(text)}"#)
        else { throw OtherLine() }
        #expect(hello.defaultRateMillihertz == millihertz && hello.slowestRateMillihertz == millihertz)
        #expect(hello.fastestRateMillihertz == millihertz && !hello.isSimulated && hello.topics == [])
        let change = try event(#""event":"frameRate","state":"low","rate_hz":\#(text)"#)
        #expect(change == .frameRate(isLow: true, millihertz: millihertz))
        #expect(
            try event(#""event":"frameRate","rate_hz":\#(text)"#) == .frameRate(isLow: false, millihertz: millihertz))
    }

    @Test(arguments: [
        ("4294967295", UInt32.max, UInt16.max), ("4294967296", .max, .max), ("65535", 65_535, 65_535),
        ("65536", 65_536, .max), ("-1", 0, 0), ("1.5", 0, 0), ("null", 0, 0), ("7", 7, 7),
    ]) func aCountIsClamped(text: String, count: UInt32, places: UInt16) throws {
        #expect(try event(#""event":"reset","reset_count":\#(text)"#) == .reset(count: count))
        #expect(try event(#""event":"origin","epoch":\#(text)"#) == .origin(epoch: count))
        #expect(try event(#""event":"route","route_version":\#(text)"#) == .route(version: count))
        #expect(try event(#""event":"departed","route_version":\#(text)"#) == .departed(routeVersion: count))
        let both = #""maneuver":\#(text),"waypoint":\#(text),"count":\#(text)"#
        #expect(try event(#""event":"maneuverReached",\#(both)"#) == .maneuverReached(index: count, count: places))
        #expect(try event(#""event":"waypointReached",\#(both)"#) == .waypointReached(number: count, count: places))
        #expect(try event(#""event":"waypointSkipped",\#(both)"#) == .waypointSkipped(number: count, count: places))
    }

    @Test func whatAnEventDoesNotSayIsTheLesser() throws {
        // GIVEN events without their state THEN a target is far, and a route is not met ahead
        #expect(try event(#""event":"target","target":5"#) == .target(number: 5, isNear: false))
        #expect(try event(#""event":"target","target":5,"state":"near""#) == .target(number: 5, isNear: true))
        #expect(try event(#""event":"rejoined","route_version":3"#) == .rejoined(routeVersion: 3, isAhead: false))
        let ahead = try event(#""event":"rejoined","route_version":3,"ahead":true"#)
        #expect(ahead == .rejoined(routeVersion: 3, isAhead: true))
        #expect(try event(#""event":"source","source":"imu""#) == .source(.imu, .absent))
        #expect(try message(#"{"type":"event","event":"source","source":"radar","state":"lost"}"#) == .unknown(type: 0))
        #expect(try event(#""event":"guidance""#) == .guidanceState(.waiting))
    }

    @Test func aFrameWithoutItsPartsIsEmpty() throws {
        // GIVEN a frame without anything, and one with each part alone THEN its topics are those
        guard case .frame(let frame, let delivery) = try message(#"{"type":"frame"}"#) else { throw OtherLine() }
        #expect(frame == Frame() && delivery == .init(topics: [], dropped: 0))
        for (part, topics): (String, Topics) in [
            (#""pose":{}"#, .pose), (#""guidance":{}"#, .guidance), (#""speed":{}"#, .speed),
            (#""sources":{}"#, .sources), (#""pose":{"ecef_m":null}"#, [.pose, .ecef]),
        ] {
            let line = #"{"type":"frame","seq":9,"simulated":true,\#(part),"dropped":12}"#
            guard case .frame(let frame, let delivery) = try message(line) else { throw OtherLine() }
            #expect(delivery == .init(topics: topics, dropped: 12) && frame.sequence == 9 && frame.isSimulated)
        }
        let negative = #"{"type":"frame","seq":-9,"dropped":-12}"#
        guard case .frame(let other, let loss) = try message(negative) else { throw OtherLine() }
        #expect(other.sequence == 0 && loss.dropped == 0 && !other.isSimulated)
    }

    @Test(arguments: [
        ("[1,2,3]", true), ("[1,2]", false), ("[null,2,3]", false), ("[1,null,3]", false), ("[1,2,null]", false),
        ("7", false), ("null", false),
    ]) func aVectorHasThreeNumbers(text: String, isKnown: Bool) throws {
        let line =
            #"{"type":"frame","pose":{"enu_m":\#(text),"q_enu_body":\#(text.replacing("3]", with: "3,4]")),"#
            + #""glide_enu_m":\#(text)}}"#
        guard case .frame(let frame, _) = try message(line) else { throw OtherLine() }
        #expect(frame.pose.positionENUMeters == (isKnown ? .init(1, 2, 3) : nil))
        #expect(frame.pose.glideENUMeters == (isKnown ? .init(1, 2, 3) : .init(0, 0, 0)))
        let isQuaternion = isKnown
        #expect(frame.pose.bodyToENU == (isQuaternion ? .init(1, 2, 3, 4) : nil))
        // AND so has a point of a route, and the place of a point on a screen two
        let route =
            #"{"type":"route","line":[\#(text.hasPrefix("[") ? text : "[]"),[10,20,30]],"places":[{"lat_deg":1}]}"#
        guard case .route(let told) = try message(route) else { throw OtherLine() }
        #expect(told.points.count == (isKnown ? 2 : 1) && told.places.isEmpty)
        let last = told.points.last
        #expect(last?.alongRouteMeters == 30 && last?.latitudeRadians == 10 * .pi / 180)
        #expect(last?.longitudeRadians == 20 * .pi / 180)
    }

    @Test func theMountOfAStatusHasFourNumbers() throws {
        // GIVEN a status with the mount of the IMU, w first THEN each number is in its place
        func mount(_ q: String) throws -> Message.Mount? {
            let line = #"{"type":"status","mount":{"origin":"found","q":\#(q),"sigma_deg":[1,2,3]}}"#
            guard case .status(let status) = try message(line) else { throw OtherLine() }
            return status.mount
        }
        let found = try #require(try mount("[0.5,-0.25,0.125,0.75]"))
        #expect(found.sensorToBody == .init(0.5, -0.25, 0.125, 0.75) && found.origin == .found)
        // AND without one of them the mount is unknown
        for q in ["[0.5,-0.25,0.125]", "[null,2,3,4]", "[1,null,3,4]", "[1,2,null,4]", "[1,2,3,null]", "null"] {
            #expect(try mount(q) == nil, "\(q)")
        }
    }

    @Test(
        arguments: [
            ("1.5", 1_500_000_000), ("-1.5", -1_500_000_000), ("9199999999", 9_199_999_999_000_000_000), ("9.2e9", 0),
            ("-9.2e9", 0), ("0.000000001", 1), ("null", 0),
        ] as [(String, Int64)]) func aTimeIsInNanoseconds(text: String, nanoseconds: Int64) throws
    {
        guard
            case .frame(let frame, _) = try message(
                #"{"type":"frame","t_s":\#(text),"measured_s":\#(text),"published_s":\#(text)}"#)
        else { throw OtherLine() }
        #expect(frame.timeNanoseconds == nanoseconds && frame.measuredNanoseconds == nanoseconds)
        #expect(frame.publishedNanoseconds == nanoseconds)
    }

    @Test func anErrorSaysWhere() {
        // GIVEN lines that are none, and one with more levels than 16 THEN the column is told
        func error(_ line: String) -> String? {
            do throws(LineError) {
                _ = try LineDecoder.decode(Array(line.utf8))
                return nil
            } catch { return error.description }
        }
        #expect(error("{\"type\" 1}") == "column 9: expected ':' after the member's name but found '1'")
        #expect(error("{}") == "an object without the member type")
        func nested(_ depth: Int) -> String {
            #"{"type":"later","x":\#(String(repeating: "[", count: depth - 1))"#
                + #"\#(String(repeating: "]", count: depth - 1))}"#
        }
        #expect(error(nested(16)) == nil && error(nested(17))?.contains("nested more than 16 deep") == true)
        // AND a line of a mebibyte is read, but not a longer one
        func long(_ count: Int) -> String { #"{"type":"x"}"# + String(repeating: " ", count: count - 12) }
        #expect(error(long(1 << 20)) == nil && error(long((1 << 20) + 1))?.contains("1048577 bytes") == true)
    }
}
