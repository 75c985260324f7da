import SeededNumbers
import Testing

@testable import GpsdReports
@testable import Sensors

@Suite struct GpsdParserTests {
    let parser = GpsdParser()

    func parse(_ text: String) -> GpsdReport { parser.parse(Array(text.utf8)[...]) }

    func fix(_ text: String) throws -> GpsdFix {
        guard case .fix(let fix) = parse(text) else { throw Unexpected(text: text) }
        return fix
    }

    struct Unexpected: Error { var text: String }

    @Test func aFixIsParsedCompletely() throws {
        let fix = try fix(
            """
            {"class":"TPV","device":"/dev/ttyACM0","status":2,"mode":3,"time":"2026-11-21T08:50:01.250Z","ept":0.005,"lat":-34.9062266,\
            "lon":138.6081199,"altHAE":25.378,"altMSL":28.849,"epx":1.866,"epy":1.908,"epv":1.603,"track":31.4718,"magvar":7.9,"speed":0.016,\
            "climb":-0.230,"eps":0.17,"epc":16.02,"geoidSep":-1.662,"eph":1.133,"sep":12.35,"ecefpAcc":2.8,"newer":5}
            """)
        #expect(fix.devicePath == "/dev/ttyACM0")
        #expect(fix.mode == 3 && fix.status == 2)
        #expect(fix.utcNanoseconds == 1_795_251_001_250_000_000 && !fix.hasUnusableTime)
        #expect(fix.latitudeDegrees == -34.9062266 && fix.longitudeDegrees == 138.6081199)
        #expect(
            fix.altitudeEllipsoidMeters == 25.378 && fix.altitudeMeanSeaMeters == 28.849
                && fix.geoidSeparationMeters == -1.662)
        #expect(fix.courseDegrees == 31.4718 && fix.speedMetersPerSecond == 0.016 && fix.climbMetersPerSecond == -0.23)
        #expect(fix.horizontalErrorMeters == 1.133 && fix.eastErrorMeters == 1.866 && fix.northErrorMeters == 1.908)
        #expect(
            fix.verticalErrorMeters == 1.603 && fix.speedErrorMetersPerSecond == 0.17
                && fix.climbErrorMetersPerSecond == 16.02)
        #expect(fix.sphericalErrorMeters == 12.35 && fix.magneticVariationDegrees == 7.9)
    }

    @Test func correctionsHaveAnAgeAndAStation() throws {
        // GIVEN a fix with corrections, then one without
        let text = #"{"class":"TPV","device":"/dev/a","mode":3,"status":3,"lat":1,"lon":2,"dgpsAge":1.5,"dgpsSta":22}"#
        let corrected = try fix(text)
        #expect(corrected.correctionsAgeSeconds == 1.5 && corrected.correctionsStation == 22)
        let plain = try fix(#"{"class":"TPV","device":"/dev/a","mode":3,"lat":1,"lon":2}"#)
        #expect(plain.correctionsAgeSeconds == nil && plain.correctionsStation == nil)
        // WHEN the age or the station cannot be THEN they are unknown
        let false_ = try fix(
            #"{"class":"TPV","device":"/dev/a","mode":3,"lat":1,"lon":2,"dgpsAge":-3,"dgpsSta":70000}"#)
        #expect(false_.correctionsAgeSeconds == nil && false_.correctionsStation == nil)
    }

    @Test func missingValuesAreNotTakenFromThePreviousLine() throws {
        // GIVEN a complete fix, then a sky report, then a fix with only a position
        _ = try fix(
            #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-11-21T08:50:01Z","lat":1,"lon":2,"altHAE":3,"eph":4,"speed":5}"#
        )
        #expect(parse(#"{"class":"SKY","hdop":0.9}"#) == .sky(GpsdSky(horizontalDilution: 0.9)))
        #expect(
            try fix(#"{"class":"TPV","mode":2,"lat":48,"lon":11}"#)
                == {
                    var expected = GpsdFix()
                    expected.mode = 2
                    expected.latitudeDegrees = 48
                    expected.longitudeDegrees = 11
                    return expected
                }())
    }

    @Test(
        arguments: [
            (#""alt":123.4375"#, nil, 123.4375), (#""alt":123,"altHAE":170.5,"altMSL":125"#, 170.5, 125),
            (#""alt":123,"altHAE":170.5"#, 170.5, nil), (#""alt":123,"altMSL":125"#, nil, 125),
            (#""epv":3"#, nil, nil),
        ] as [(String, Double?, Double?)])
    func anOldGpsdHasOnlyTheHeightAboveTheSea(text: String, ellipsoid: Double?, sea: Double?) throws {
        // GIVEN the heights of gpsd before 3.20, and of later ones, whose "alt" may be any
        let fix = try fix(#"{"class":"TPV","device":"/dev/a","mode":3,"lat":48,"lon":11,"# + text + "}")
        #expect(fix.altitudeEllipsoidMeters == ellipsoid && fix.altitudeMeanSeaMeters == sea)
    }

    func attitude(_ text: String) throws -> GpsdAttitude {
        guard case .attitude(let attitude) = parse(text) else { throw Unexpected(text: text) }
        return attitude
    }

    @Test func anAttitudeIsParsed() throws {
        // GIVEN a heading of two antennas THEN it is usable
        let two = try attitude(#"{"class":"ATT","device":"/dev/a","heading":274.07,"pitch":2.5,"roll":-1}"#)
        #expect(two.devicePath == "/dev/a" && two.headingDegrees == 274.07)
        #expect(two.pitchDegrees == 2.5 && two.rollDegrees == -1)
        #expect(try two.usableHeading()?.get() == 274.07)
        // GIVEN reports without a heading, of a compass, of an unknown attitude, and out of range THEN they are not
        #expect(try attitude(#"{"class":"ATT","device":"/dev/a","pitch":0.135}"#).usableHeading() == nil)
        for (report, reason) in [
            (#"{"class":"ATT","heading":143,"mag_st":"N","pitch":169,"roll":-43}"#, GPSRejection.headingMagnetic),
            (#"{"class":"ATT","heading":0.0,"pitch":0.0,"roll":0.0}"#, .headingZero),
            (#"{"class":"ATT","heading":14223.0}"#, .headingOutOfRange),
            (#"{"class":"ATT","heading":-1.0}"#, .headingOutOfRange),
        ] {
            #expect(try attitude(report).usableHeading() == .failure(reason), "\(report)")
        }
    }

    @Test func satelliteCountsAreGpsds() {
        #expect(
            parse(#"{"class":"SKY","device":"/dev/a","hdop":0.49,"nSat":19,"uSat":12}"#)
                == .sky(
                    GpsdSky(devicePath: "/dev/a", satellitesVisible: 19, satellitesUsed: 12, horizontalDilution: 0.49)))
        #expect(parse(#"{"class":"SKY","uSat":99999999}"#) == .sky(GpsdSky()))
    }

    @Test func devicesVersionAndErrorsAreParsed() {
        #expect(
            parse(#"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":4,"proto_minor":0}"#)
                == .version(GpsdVersion(release: "3.22", protocolMajor: 4)))
        #expect(parse(#"{"class":"DEVICES","devices":[]}"#) == .devices([]))
        let device =
            #"{"class":"DEVICE","path":"/dev/x","driver":"u-blox","activated":"2026-11-21T00:00:00.000Z","bps":9600,"cycle":0.25}"#
        let expected = GpsdDevice(path: "/dev/x", driver: "u-blox", isActive: true, cycleSeconds: 0.25)
        #expect(parse(device) == .device(expected))
        // libgps omits the cycle in a list
        let listed = GpsdDevice(path: "/dev/x", driver: "u-blox", isActive: true, cycleSeconds: nil)
        #expect(parse(#"{"class":"DEVICES","devices":["# + device + "]}") == .devices([listed]))
        #expect(parse(#"{"class":"ERROR","message":"Unrecognized request"}"#) == .error("Unrecognized request"))
        #expect(parse(#"{"class":"AIS","type":1}"#) == .other)
        #expect(parse(#"{"class":"WATCH","enable":true}"#) == .other)
    }

    @Test func aListOfManyDevicesIsParsed() {
        // GIVEN more devices than libgps holds WHEN their list comes THEN all are known
        let devices = (0..<7).map {
            #"{"class":"DEVICE","path":"/dev/x"# + "\($0)"
                + #"","driver":"u-blox","activated":"2026-11-21T00:00:00.000Z"}"#
        }
        let expected = (0..<7).map {
            GpsdDevice(path: "/dev/x\($0)", driver: "u-blox", isActive: true, cycleSeconds: nil)
        }
        let line = #"{"class":"DEVICES","devices":["# + devices.joined(separator: ",")
        #expect(parse(line + "]}") == .devices(expected))
        // WHEN it is cut off, or has something else THEN it is refused
        #expect(parse(line) == .unreadable && parse(line + #",{"class":"AIS"}]}"#) == .unreadable)
        #expect(parse(line + #",{"class":"DEVICES","devices":[{"class":"DEVICES"}]}]}"#) == .unreadable)
    }

    @Test(arguments: [
        "", "{", "{}", "nonsense", "$GPGGA,123", #"{"class":"TPV""#, #"{"class":"TPV","lat":4"#, #"{"class":}"#,
        #"{"class":"TPV","mode":"#,
        #"{"klass":"TPV"}"#, "{\"class\":\"TPV\",\"mode\":3\u{0}}",
    ])
    func whatIsNoReportIsUnreadable(text: String) {
        #expect(parse(text) == .unreadable)
    }

    @Test(arguments: [
        #"{"class":"TPV","mode":3,"lat":48,lon":11}"#, #"{"class":"TPV","mode":3,"lat":48,"lon":"x"}"#,
        #"{"class":"ATT","heading":3,pitch":2}"#, #"{"class":"SKY","hdop":0.9,nSat":3}"#,
    ])
    func aReportThatIsDamagedInTheMiddleIsNone(text: String) {
        // GIVEN a report whose first values can be read, and a later one cannot THEN none of them is used
        #expect(parse(text) == .unreadable)
    }

    @Test func invalidTimesAreMarked() throws {
        for time in ["", "garbage", "9999-99-99T99:99:99Z"] {
            let fix = try fix(#"{"class":"TPV","mode":3,"time":""# + time + #"","lat":1,"lon":2}"#)
            #expect(fix.utcNanoseconds == nil && fix.hasUnusableTime, "\(time)")
        }
        // the 61st second of a minute is the first second of the next
        #expect(
            try fix(#"{"class":"TPV","mode":3,"time":"2016-12-31T23:59:60.500Z"}"#).utcNanoseconds
                == 1_483_228_800_500_000_000)
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:01Z", 1_000_000_000),
            ("2026-11-21T08:50:01Z", 1_795_251_001_000_000_000),
            ("2099-12-31T23:59:59Z", 4_102_444_799_000_000_000), ("2100-01-01T00:00:00Z", nil),
        ] as [(String, Int64?)])
    func aTimeIsOneOf1970To2100(time: String, nanoseconds: Int64?) throws {
        // GIVEN a report with a whole second of UTC THEN it is a time after the first second of 1970 and before 2100
        let fix = try fix(#"{"class":"TPV","mode":3,"time":""# + time + #"","lat":1,"lon":2}"#)
        #expect(fix.utcNanoseconds == nanoseconds && fix.hasUnusableTime == (nanoseconds == nil))
    }

    @Test func infinitiesArePassedToTheChecks() throws {
        #expect(try fix(#"{"class":"TPV","mode":3,"lat":1e999,"lon":-1e999}"#).latitudeDegrees == .infinity)
    }

    @Test func damagedLinesNeverTrap() {
        // GIVEN valid lines with random bytes changed, removed and doubled
        let lines = [
            #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-11-21T08:50:01Z","lat":1,"lon":2,"altHAE":3,"eph":4,"speed":5}"#,
            #"{"class":"SKY","nSat":2,"uSat":1,"satellites":[{"PRN":66,"az":78.0,"el":37.0,"ss":27.0,"used":true},{"PRN":67,"used":false}]}"#,
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/x","activated":"2026-11-21T00:00:00.000Z"}]}"#,
            #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#,
            #"{"class":"ERROR","message":"no"}"#,
        ]
        var random = SplitMix64(seed: 0x5EED_0006)
        for round in 0..<50_000 {
            var bytes = Array(lines[round % lines.count].utf8)
            for _ in 0...(random.next() % 4) {
                let index = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 3 {
                case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: index)
                default: bytes.insert(contentsOf: bytes[..<index].suffix(9), at: index)
                }
            }
            _ = parser.parse(bytes[...])
        }
        // THEN the parser still parses a valid line
        #expect(parse(lines[3]) == .version(GpsdVersion(release: "3.22", protocolMajor: 3)))
    }

    @Test func moreDataThanLibgpsHoldsIsHandled() {
        let satellite = #"{"PRN":1,"az":1,"el":1,"ss":1,"used":true},"#
        _ = parse(
            #"{"class":"SKY","nSat":500,"satellites":["# + String(repeating: satellite, count: 500).dropLast() + "]}")
        let device = #"{"class":"DEVICE","path":"/dev/x","activated":"2026-11-21T00:00:00.000Z"},"#
        _ = parse(#"{"class":"DEVICES","devices":["# + String(repeating: device, count: 50).dropLast() + "]}")
        for reportClass in ["TPV", "DEVICE", "ERROR", "VERSION"] {
            for key in ["device", "path", "message", "release", "driver", "time"] {
                _ = parse(
                    #"{"class":""# + reportClass + #"",""# + key + #"":""# + String(repeating: "x", count: 60_000)
                        + #""}"#)
            }
        }
        #expect(parse(#"{"class":"ERROR","message":"still here"}"#) == .error("still here"))
    }
}

@Suite struct GpsdLineBufferTests {
    static func lines(_ chunks: [[UInt8]]) -> (lines: [String], overlong: UInt64) {
        var buffer = GpsdLineBuffer()
        var lines: [String] = []
        for chunk in chunks { buffer.append(chunk) { lines.append(String(decoding: $0, as: UTF8.self)) } }
        return (lines, buffer.overlongCount)
    }

    @Test func linesDoNotDependOnPacketBoundaries() {
        let bytes = Array("one\r\ntwo\n\n\r\nthree\nrest".utf8)
        for size in 1...bytes.count {
            let chunks = stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min($0 + size, bytes.count)])
            }
            #expect(Self.lines(chunks).lines == ["one", "two", "three"])
        }
    }

    @Test func anEndlessLineUsesBoundedMemoryAndOneCount() {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000)
        let result = Self.lines([Array("a\n".utf8), long, long, Array("\nb\n".utf8)])
        #expect(result.lines == ["a", "b"])
        #expect(result.overlong == 1)
    }

    @Test func theLongestLineIsAccepted() {
        let longest = [UInt8](repeating: UInt8(ascii: "x"), count: GpsdLineBuffer.longestLine)
        #expect(Self.lines([longest, [10]]).lines.first?.utf8.count == GpsdLineBuffer.longestLine)
        #expect(Self.lines([longest, [120, 10]]).lines.isEmpty)
    }
}
