import Frames
import Geodesy
import Measurements
import PoseMath
import Recording
import Testing

@testable import Conversion

/// Texts of conversions, character by character.
@Suite struct ExactTextTests {
    @Test(arguments: [
        (0.0, 3, "0.000"), (-1.2345, 3, "-1.235"), (1.5, 0, "2"), (-0.4, 0, "0"), (-2.6, 0, "-3"),
        (0.000_000_001, 9, "0.000000001"), (.nan, 2, "0.00"), (.infinity, 1, "0.0"), (1e12, 1, "9000000000.0"),
        (-1e12, 0, "-9000000000"), (1_700_000_000.25, 3, "1700000000.250"), (9e9, 9, "9000000000.000000000"),
        (12.05, 1, "12.1"), (1, 20, "1.000000000"), (7, -3, "7"),
    ])
    func aNumberHasItsDecimals(value: Double, decimals: Int, text: String) {
        #expect(Decimal.text(value, decimals: decimals) == text)
    }

    @Test func secondsHaveNineDecimals() {
        #expect(Decimal.seconds(1_234_567_890_123) == "1234.567890123" && Decimal.seconds(-5) == "-0.000000005")
        #expect(Decimal.seconds(.min) == "-9223372036.854775808")
        // The start of a recording has no sign.
        #expect(Decimal.seconds(0) == "0.000000000" && Decimal.seconds(1) == "0.000000001")
    }

    @Test func markupIsEscaped() {
        #expect(XMLText.escaped("a & <b> \"c\"\n\u{1}'é") == "a &amp; &lt;b&gt; &quot;c&quot;  'é")
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2024-02-29T23:59:59.5Z", 1_709_251_199_500_000_000),
            ("2026-03-01 00:00:00.123456789123", 1_772_323_200_123_456_789),
            ("2000-12-31T12:30:60", 978_265_860_000_000_000),
            ("2099-12-31T23:59:59.000000001Z", 4_102_444_799_000_000_001),
            ("2001-01-01T00:00:00", 978_307_200_000_000_000), ("2100-01-01T00:00:00", nil),
            ("1969-12-31T23:59:59", nil),
            ("2026-13-01T00:00:00", nil), ("2026-00-01T00:00:00", nil), ("2026-01-32T00:00:00", nil),
            ("2026-01-00T00:00:00", nil), ("2026-01-01T24:00:00", nil), ("2026-01-01T00:60:00", nil),
            ("2026-01-01T00:00:61", nil), ("2026-01-01T00:00:00.", nil), ("2026-01-01T00:00:00,5", nil),
            ("2026-01-01T00:00:00.5x", nil), ("2026-01-01_00:00:00", nil), ("2026/01/01T00:00:00", nil),
            ("2026-01/01T00:00:00", nil), ("2026-01-01T00.00:00", nil), ("2026-01-01T00:00.00", nil),
            ("2026-01-01T00:00:0", nil), ("2x26-01-01T00:00:00", nil),
            ("2026-01-01T00:00:00.12345678901234567890", 1_767_225_600_123_456_789),
            ("2026-01-01T00:00:00.123456789012345678901", nil),
        ] as [(String, Int64?)])
    func aTimeIsReadOrRefused(text: String, nanoseconds: Int64?) {
        #expect(UTCText.nanoseconds(Array(text.utf8)[...]) == nanoseconds)
        // A time of whole milliseconds is written as it was read.
        guard let nanoseconds, nanoseconds % 1_000_000 == 0 else { return }
        let again = UTCText.text(nanoseconds)
        #expect(UTCText.nanoseconds(Array(again.utf8)[...]) == nanoseconds && again.count == 24)
    }

    // MARK: - Tracks

    private static func point(_ latitude: String, height: Double?, time: String?) throws -> TrackPoint {
        var frame = RecordedFrame.frame
        frame.pose.latitudeRadians = (Double(latitude) ?? 0) * .pi / 180
        frame.pose.altitudeEllipsoidMeters = height
        frame.pose.altitudeMeanSeaMeters = height.map { $0 - 46.5 }
        frame.utcNanoseconds = time.flatMap { UTCText.nanoseconds(Array($0.utf8)[...]) }
        return try #require(TrackPoint(frame))
    }

    /// A file with a segment of two points and one of a single point.
    private static func file(_ format: some TrackFormat, heights: [Double?], times: [String?]) throws -> String {
        var format = format
        var text = format.head("a \"b\\\" & c")
        text += format.add(try point("1", height: heights[0], time: times[0]))
        text += format.add(try point("2", height: heights[1], time: times[1]))
        text += format.endSegment("s \"1\\\"")
        text += format.add(try point("-3", height: heights[2], time: times[2]))
        text += format.endSegment("s2")
        return text + format.tail
    }

    @Test func theTracksAreThese() throws {
        let times = ["2026-01-01T00:00:00", "2026-01-01T00:00:01.25", "2026-01-01T00:00:02"]
        let none: [Double?] = [nil, nil, nil]
        let gpx = try Self.file(GPXTrack(), heights: [100, 101.2345, nil], times: times)
        let untold = gpx.replacing(/creator="posed [^"]*"/, with: "creator=\"posed\"")
        #expect(untold == Stored.gpx)
        let geoJSON = try Self.file(GeoJSONTrack(), heights: [100, 101.2345, nil], times: times)
        #expect(geoJSON == Stored.geoJSON)
        let flat = try Self.file(GeoJSONTrack(), heights: none, times: [times[0], nil, nil])
        #expect(flat == Stored.geoJSONWithout)
        let kml = try Self.file(KMLTrack(), heights: [100, 101.2345, nil], times: times)
        #expect(kml == Stored.kml)
        let line = try Self.file(KMLTrack(), heights: [100, nil, 3], times: [times[0], nil, times[2]])
        #expect(line == Stored.kmlWithout)
    }

    @Test func aLineEndsAtTheLongitudeOf180Degrees() throws {
        // GIVEN a way to the east across the date line WHEN it is written THEN it is a line on each side
        let folder = try TemporaryFolder()
        let writer = try TrackWriter(path: folder.path + "/a.geojson", name: "n", format: GeoJSONTrack())
        for longitude in [179.998, 179.999, -179.999, -179.998] {
            var frame = RecordedFrame.frame
            frame.pose.longitudeRadians = longitude * .pi / 180
            try writer.write(frame)
        }
        try writer.finish()
        let text = try folder.text(of: "a.geojson")
        #expect(text.matches(of: /LineString/).count == 2 && writer.written == 4)
        #expect(text.contains("[179.999000000,0.000000000]]}},\n{"))
    }

    @Test(
        arguments: [
            ([nil, nil, 340, 341.5, nil], "unknown", ["0.0000", "0.0000", "0.0000", "1.5000", "1.5000"]),
            ([340, nil, 341.5], "340.000 m", ["0.0000", "0.0000", "1.5000"]),
        ] as [([Double?], String, [String])])
    func aHeightThatComesLaterIsNoStep(heights: [Double?], origin: String, up: [String]) throws {
        // GIVEN poses at one place, some of which have no height
        let folder = try TemporaryFolder()
        let writer = try TUMWriter(path: folder.path + "/a.tum")
        for height in heights {
            var frame = RecordedFrame.frame
            (frame.pose.bodyToENU, frame.pose.headingTrueRadians) = (Frame.Quadruple(1, 0, 0, 0), 0)
            frame.pose.altitudeEllipsoidMeters = height
            try writer.write(frame)
        }
        try writer.finish()
        // THEN the first known height is that of the origin, and a pose without one has the last one
        let lines = try folder.text(of: "a.tum").split(separator: "\n")
        #expect(lines.first?.hasSuffix(" height above the ellipsoid \(origin)") == true)
        #expect(lines.dropFirst().map { String($0.split(separator: " ")[3]) } == up)
    }

    // MARK: - Summaries

    private static func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    private static func fix(_ seconds: Double, late: Double = 0.1, _ change: (inout GnssFix) -> Void = { _ in })
        -> SensorEvent
    {
        var fix = GnssFix(validityTime: at(seconds), arrivalTime: at(seconds + late), mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (0.7, 0.2 + seconds * 1e-6)
        change(&fix)
        return .gnss(fix)
    }

    /// A drive of 4000 s with every kind of problem.
    private static var summary: RecordingSummary {
        var summary = RecordingSummary(kinds: [.gps, .imu, .magnetometer, .barometer])
        for index in 0..<4001 where !(100..<110).contains(index) {
            summary.note(
                fix(Double(index), late: index == 50 ? 1.75 : 0.1) { fix in
                    fix.utcNanoseconds = index == 0 ? nil : 1_790_000_000_250_000_000
                    if index % 4 == 1 { fix.mode = .twoDimensional }
                    if index % 1000 == 7 { (fix.latitudeRadians, fix.mode) = (nil, .none) }
                })
        }
        for index in 0..<100 {
            let value = Double(index / 2)
            summary.note(
                .magnetic(MagneticSample(time: at(Double(index) / 10), fluxDensityTesla: Vector3(value, 0, 0))))
        }
        for index in 0..<41 {
            let value = Double(index - index / 20)
            summary.note(
                .inertial(
                    InertialSample(
                        time: at(Double(index) / 10), angularRateRadiansPerSecond: Vector3(value, 0, 0),
                        specificForceMetersPerSecondSquared: .zero)))
        }
        summary.complete(details: ["a detail"], notes: ["a note"])
        return summary
    }

    @Test func theSummaryIsThis() {
        let summary = Self.summary
        #expect(summary.text(name: "a/drive", format: "form") == Stored.summary)
        #expect(summary.isComplete && abs(summary.seconds - 4000.1) < 1e-6)
        // GIVEN a name and a format that just fit a line of 79 columns THEN they share it, and one more does not
        let facts = ", 1 h 6 min 40 s, 19.54 km"
        for (length, lines) in [(77 - facts.count - 4, 1), (78 - facts.count - 4, 2)] {
            let name = String(repeating: "n", count: length)
            let text = summary.text(name: name, format: "form")
            #expect(text.hasPrefix(lines == 1 ? "\(name): form" : "\(name):\nform"), "\(text.prefix(90))")
        }
        for (length, begin) in [(78, "nnnn"), (79, "...n")] {
            #expect(summary.text(name: String(repeating: "n", count: length), format: "form").hasPrefix(begin))
        }
    }

    @Test(arguments: [
        (0.0, "0.0 s"), (59.96, "60.0 s"), (60.2, "1 min 0 s"), (3599.9, "59 min 59 s"), (3600, "1 h 0 min 0 s"),
        (90_061, "25 h 1 min 1 s"),
    ])
    func aDurationHasItsParts(seconds: Double, text: String) {
        var summary = RecordingSummary(kinds: [])
        summary.note(Self.fix(0, late: seconds))
        #expect(summary.text(name: "n", format: "f").hasPrefix("n: f, \(text)\n"))
    }

    @Test func wayAndProblemsHaveTheirLimits() {
        // GIVEN fixes whose step is just above and just below twice their sigma, and above and below 2 m
        func length(_ meters: Double, sigma: Double?) -> Double {
            var summary = RecordingSummary(kinds: [])
            for index in 0..<2 {
                summary.note(
                    Self.fix(0) { fix in
                        // 6,361,990 m is the radius of the meridian at this latitude.
                        fix.latitudeRadians = 0.7 + Double(index) * meters / 6_361_990
                        fix.longitudeRadians = 0.2
                        fix.horizontalSigmaMeters = sigma
                    })
            }
            return summary.lengthMeters
        }
        #expect(length(1.99, sigma: nil) == 0 && abs(length(2.01, sigma: nil) - 2.01) < 0.005)
        #expect(length(9.9, sigma: 5) == 0 && abs(length(10.1, sigma: 5) - 10.1) < 0.02)
        // GIVEN a fix that is late by exactly, and by more than, 1.5 s THEN only the second is a problem
        for (late, expected) in [(1.5, []), (1.51, ["gps: a fix came 1.51 s late"])] {
            var summary = RecordingSummary(kinds: [])
            summary.note(Self.fix(0, late: late))
            summary.complete(details: [], notes: [])
            #expect(summary.problems.filter { $0.contains("late") } == expected)
        }
        // GIVEN one of twenty readings that repeats THEN it is none, and of nineteen it is
        for (count, isProblem) in [(20, false), (19, true)] {
            var summary = RecordingSummary(kinds: [])
            for index in 0..<count {
                let flux = Vector3(index == 1 ? 0 : Double(index), 0, 0)
                summary.note(.magnetic(MagneticSample(time: Self.at(Double(index)), fluxDensityTesla: flux)))
            }
            summary.complete(details: [], notes: [])
            #expect(summary.problems.contains { $0.contains("repeat the one before") } == isProblem)
        }
    }

    @Test func aGapIsThreeCyclesAndATenthOfASecond() {
        func gaps(_ cycle: Double, _ gap: Double) -> Int? {
            var summary = RecordingSummary(kinds: [])
            for index in 0..<10 {
                let time = Double(index) * cycle + (index < 5 ? 0 : gap - cycle)
                summary.note(.pressure(PressureSample(time: Self.at(time), pressurePascal: Double(index))))
            }
            return summary.sensors[.barometer]?.gaps
        }
        #expect(gaps(1, 2.999) == 0 && gaps(1, 3.001) == 1)
        #expect(gaps(0.01, 0.109) == 0 && gaps(0.01, 0.111) == 1)
        // The interval follows a slower sensor: a twentieth of each change.
        #expect(gaps(0.1, 0.29) == 0 && gaps(0.1, 0.31) == 1)
    }
}

/// A frame with a position.
private enum RecordedFrame {
    static var frame: Frame {
        var frame = Frame()
        (frame.pose.state, frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (.aligned, 0, 0.5)
        return frame
    }
}

/// The stored documents.
private enum Stored {
    static let gpx = #"""
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="posed" xmlns="http://www.topografix.com/GPX/1/1">
        <trk><name>a &quot;b\&quot; &amp; c</name>
        <trkseg>
        <trkpt lat="1.000000000" lon="28.647889757"><ele>53.500</ele><time>2026-01-01T00:00:00.000Z</time></trkp\#
        t>
        <trkpt lat="2.000000000" lon="28.647889757"><ele>54.735</ele><time>2026-01-01T00:00:01.250Z</time></trkp\#
        t>
        </trkseg>
        <trkseg>
        <trkpt lat="-3.000000000" lon="28.647889757"><time>2026-01-01T00:00:02.000Z</time></trkpt>
        </trkseg>
        </trk>
        </gpx>

        """#
    static let geoJSON = #"""
        {"type":"FeatureCollection","features":[
        {"type":"Feature","properties":{"name":"s \"1\\\"","coordTimes":["2026-01-01T00:00:00.000Z",
        "2026-01-01T00:00:01.250Z"]},"geometry":{"type":"LineString","coordinates":[[28.647889757,1.000000000,\#
        100.000],
        [28.647889757,2.000000000,101.235]]}},
        {"type":"Feature","properties":{"name":"s2","coordTimes":["2026-01-01T00:00:02.000Z"]},\#
        "geometry":{"type":"Point","coordinates":[28.647889757,-3.000000000]}}
        ]}

        """#
    static let geoJSONWithout = #"""
        {"type":"FeatureCollection","features":[
        {"type":"Feature","properties":{"name":"s \"1\\\""},"geometry":{"type":"LineString",\#
        "coordinates":[[28.647889757,1.000000000],
        [28.647889757,2.000000000]]}},
        {"type":"Feature","properties":{"name":"s2"},"geometry":{"type":"Point","coordinates":[28.647889757,\#
        -3.000000000]}}
        ]}

        """#
    static let kml = #"""
        <?xml version="1.0" encoding="UTF-8"?>
        <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
        <Document><name>a &quot;b\&quot; &amp; c</name>
        <Placemark><name>s &quot;1\&quot;</name>
        <gx:Track><altitudeMode>absolute</altitudeMode>
        <when>2026-01-01T00:00:00.000Z</when>
        <when>2026-01-01T00:00:01.250Z</when>
        <gx:coord>28.647889757 1.000000000 53.500</gx:coord>
        <gx:coord>28.647889757 2.000000000 54.735</gx:coord>
        </gx:Track>
        </Placemark>
        <Placemark><name>s2</name>
        <gx:Track><altitudeMode>clampToGround</altitudeMode>
        <when>2026-01-01T00:00:02.000Z</when>
        <gx:coord>28.647889757 -3.000000000 0</gx:coord>
        </gx:Track>
        </Placemark>
        </Document>
        </kml>

        """#
    static let kmlWithout = #"""
        <?xml version="1.0" encoding="UTF-8"?>
        <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
        <Document><name>a &quot;b\&quot; &amp; c</name>
        <Placemark><name>s &quot;1\&quot;</name>
        <LineString><altitudeMode>clampToGround</altitudeMode><coordinates>
        28.647889757,1.000000000,53.500
        28.647889757,2.000000000,0
        </coordinates></LineString>
        </Placemark>
        <Placemark><name>s2</name>
        <gx:Track><altitudeMode>absolute</altitudeMode>
        <when>2026-01-01T00:00:02.000Z</when>
        <gx:coord>28.647889757 -3.000000000 -43.500</gx:coord>
        </gx:Track>
        </Placemark>
        </Document>
        </kml>

        """#
    static let summary = #"""
        a/drive: form, 1 h 6 min 40 s, 19.54 km
        starts at 40.10705, 11.45916, 2026-09-21T14:13:20.250Z
        a detail

        sensor           count  rate Hz         from s           to s   gaps  longest s
        gps               3991     1.00          0.000       4000.000      1     11.000
        imu                 41    10.00          0.000          4.000      0      0.100
        magnetometer       100    10.00          0.000          9.900      0      0.100
        barometer            0        -          0.000          0.000      0      0.000

        fixes: 2990 with height, 997 without, 4 without position; 1.75 s late at most

        problems:
          gps: 1 gaps, the longest of 11.00 s
          magnetometer: 50 measurements repeat the one before; it was read faster than
           it measures
          barometer: no measurement
          gps: 4 fixes without a position
          gps: a fix came 1.75 s late
          a note

        """#
}
