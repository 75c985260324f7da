import Foundation
import Measurements
import PoseMath
import Recording
import StoredTexts
import Testing

@testable import Conversion

/// What each reader gives of a recording with every field, to the last digit.
@Suite struct StoredReadersTests {
    /// Every measurement with all of its values, then sensors and notes.
    private static func text(_ path: String, _ format: InputFormat) throws -> String {
        let reader = try Conversion.open(path, format)
        let found = try events(reader).map { "\($0)".replacing(", ", with: "\n  ") }
        let kinds = reader.kinds.map { "\($0)" }.sorted().joined(separator: " ")
        return (found + [kinds, "\(reader.progress)"] + reader.notes).joined(separator: "\n")
    }

    /// A report of a position with every member, each of another value.
    private static func full(_ second: String, device: String = "/dev/a", more: String = "") -> String {
        #"{"class":"TPV","device":"\#(device)","mode":3,"status":2,"time":"2026-03-01T12:00:\#(second)Z","#
            + #""lat":47.5,"lon":-8.25,"altHAE":500.5,"altMSL":450.25,"alt":1,"speed":12.5,"track":123.5,"#
            + #""climb":-0.75,"eph":3.5,"epx":2.5,"epy":1.5,"epv":4.5,"eps":0.35,"epc":0.45,"sep":9.5,"#
            + #""geoidSep":50.125,"magvar":3.25,"jam":12\#(more)}"#
    }

    private static func plain(_ second: String, _ more: String, device: String = "/dev/a") -> String {
        #"{"class":"TPV","device":"\#(device)","mode":2,"time":"2026-03-01T12:00:\#(second)Z","lat":47.5,"lon":8.5"#
            + "\(more)}"
    }

    @Test(arguments: ["u-blox", "NMEA0183", ""]) func gpsdsReportsGiveTheStoredFixes(driver: String) throws {
        // GIVEN reports with every member, with few of them, in the forms of old releases, and of other classes
        let lines = [
            #"{"class":"VERSION","release":"3.25","proto_major":3}"#,
            #"{"class":"DEVICES","devices":[{"path":"/dev/a","driver":"\#(driver)","activated":1,"cycle":0.5},{}]}"#,
            #"{"class":"SKY","device":"/dev/a","satellites":[{"used":true},{"used":false},{"used":true},{}]}"#,
            Self.full("01.000"), Self.full("02.500"),
            #"{"class":"ATT","device":"/dev/a","heading":271.5,"pitch":1,"roll":2}"#,
            #"{"class":"SKY","device":"/dev/a","nSat":1000,"uSat":1001}"#, Self.plain("03.000", ""),
            #"{"class":"ATT","device":"/dev/a","heading":10.5,"mag_st":"N"}"#,
            #"{"class":"ATT","device":"/dev/b","heading":20.5}"#, #"{"class":"ATT","device":"/dev/a","heading":400}"#,
            Self.plain("04.000", #","alt":450.5,"epx":1.5,"jam":70000"#),
            #"{"class":"SKY","device":"/dev/b","nSat":3,"uSat":2}"#,
            #"{"class":"SKY","device":"/dev/a","nSat":-1,"uSat":0}"#, Self.plain("05.000", #","epy":2.5,"jam":255"#),
            #"{"class":"TPV","device":"/dev/a","mode":2,"time":1772366406.25,"lat":1,"lon":2}"#,
            #"{"class":"TPV","device":"/dev/a","mode":2,"time":0,"lat":1,"lon":2}"#,
            #"{"class":"TPV","device":"/dev/a","mode":2,"time":4102444800,"lat":1,"lon":2}"#,
            #"{"class":"TPV","device":"/dev/a","mode":2,"time":"soon","lat":1,"lon":2}"#,
            #"{"class":"TPV","device":"/dev/a","mode":2,"lat":1,"lon":2}"#,
            #"{"class":"TPV","device":"/dev/a","mode":1}"#, #"{"class":"ERROR","message":"x"}"#, #"{"class":"PPS"}"#,
            #"{"class":"DEVICE","driver":"u-blox"}"#, #"{"noclass":1}"#, Self.full("07.000", device: "/dev/b"),
            #"{"class":"DEVICE","path":"/dev/a","driver":"SiRF"}"#, Self.full("08.000", more: #","sep":1"#),
        ]
        let folder = try TemporaryFolder(["log": lines.joined(separator: "\n")])
        // THEN fixes and notes are the stored ones
        let name = driver.isEmpty ? "gpsd-unknown" : "gpsd-\(driver)"
        #expect(try StoredText.differences(of: try Self.text("\(folder.path)/log", .gpsd), from: name) == [])
    }

    @Test func theDriversOf64ReceiversAreKept() throws {
        /// The accuracy of the first fix in a log in which gpsd names other receivers before the one with fixes.
        func sigma(others: Int, isNamed: Bool = true) throws -> Double? {
            let before = (0..<others).map { #"{"class":"DEVICE","path":"/dev/x\#($0)","driver":"SiRF"}"# }
            let own = isNamed ? [#"{"class":"DEVICE","path":"/dev/a","driver":"u-blox"}"#] : []
            let lines = before + own + [Self.full("01.000"), Self.full("02.000")]
            let folder = try TemporaryFolder(["log": lines.joined(separator: "\n")])
            return try events("\(folder.path)/log", .gpsd).fixes.first?.horizontalSigmaMeters
        }
        // GIVEN 63 others THEN the stated errors are taken as this receiver's driver gives them
        let known = try #require(try sigma(others: 0))
        #expect(try sigma(others: 63) == known)
        // AND with one more as those of an unknown driver
        let unknown = try #require(try sigma(others: 0, isNamed: false))
        #expect(try unknown != known && sigma(others: 64) == unknown)
    }

    @Test func theFirstDeviceWithAPositionLeads() throws {
        // GIVEN a log of two receivers, of which the first one with a position has no height THEN its fixes are read
        let lines = [
            #"{"class":"TPV","device":"/dev/c","mode":1}"#, Self.plain("01.000", "", device: "/dev/b"),
            Self.full("02.000"), Self.plain("03.000", "", device: "/dev/b"), Self.full("04.000"),
        ]
        let folder = try TemporaryFolder(["log": lines.joined(separator: "\n")])
        let found = try events("\(folder.path)/log", .gpsd).fixes
        #expect(found.map(\.mode) == [.twoDimensional, .twoDimensional])
    }

    @Test func aPhoneGivesTheStoredMeasurements() throws {
        // GIVEN a phone's sensors with gaps at the limit of what is interpolated, and positions at the limits of age
        let start: Int64 = 1_770_000_000_000_000_000
        func row(_ milliseconds: Int64, _ values: String) -> String {
            "\(start + milliseconds * 1_000_000),0,\(values)\n"
        }
        let axes = "time,seconds_elapsed,z,y,x\n"
        let gyro = [0, 10, 15, 120, 210, 300, 411, 500, 600].map { row($0, "0.3,-0.2,\(Double($0) / 1000)") }
        let force = [0, 10, 210, 411, 420, 550].map { row($0, "9.5,\(Double($0) / 100),\($0)") }
        let places = [
            row(-2001, "0,0,0,0,0,0,0,0,400,10,8.5,47.5"), row(-2000, "1,2,3,4,5,6,7,8,401,11,8.25,47.25"),
            row(100, "-1,0,0,0,0,0,0,0,402,12,8,47"), row(200, "1,0.1,0.1,0.1,0.1,0.1,0,360,403,13,-180,-90"),
            row(300, "1,-1,-1,-1,-1,-1,-1,90,404,14,180,90"), row(400, "1,1,1,1,,1,5,-1,405,15,1,2"),
            row(500, "1,1,1,1,1,1,3,60,,16,1,2"), row(600, "1,1,1,,1,1,4,210,407,,1,2"),
        ]
        let columns =
            "time,seconds_elapsed,bearingAccuracy,speedAccuracy,x1,verticalAccuracy,horizontalAccuracy,x2,speed,"
            + "bearing,altitude,altitudeAboveMeanSeaLevel,longitude,latitude\n"
        let folder = try TemporaryFolder([
            "Metadata.csv": "version,platform\n3,android\n", "Gyroscope.csv": axes + gyro.joined(),
            "TotalAcceleration.csv": axes + force.joined(),
            "Magnetometer.csv": axes + [5, 10, 10, 20].map { row($0, "\($0),-5,20.5") }.joined(),
            "Barometer.csv": "time,seconds_elapsed,pressure\n" + row(7, "10") + row(9, "2000") + row(11, "965.25"),
            "Location.csv": columns + places.joined(),
        ])
        // THEN measurements and notes are the stored ones
        let text = try Self.text(folder.path, .sensorLogger)
        #expect(try StoredText.differences(of: text, from: "phone") == [])
    }

    @Test(arguments: [
        ("Gyroscope.csv", "x", 200.0), ("Gyroscope.csv", "z", 200), ("TotalAcceleration.csv", "y", 5000),
        ("Magnetometer.csv", "x", 100_000), ("Barometer.csv", "pressure", 2000), ("Location.csv", "latitude", 90),
        ("Location.csv", "longitude", 180), ("Location.csv", "altitude", 100_000),
        ("Location.csv", "altitudeAboveMeanSeaLevel", 100_000), ("Location.csv", "speed", 2000),
        ("Location.csv", "bearing", 360), ("Location.csv", "horizontalAccuracy", 1e9),
        ("Location.csv", "verticalAccuracy", 1e9), ("Location.csv", "speedAccuracy", 1e9),
    ])
    func aPhonesColumnHasItsLimits(file: String, column: String, limit: Double) throws {
        // GIVEN a recording in which one value is at its limit, and just beyond it THEN it is read, or its place named
        let contents: [String: (columns: [String], values: [String])] = [
            "Gyroscope.csv": (["z", "y", "x"], ["0", "0", "0"]),
            "TotalAcceleration.csv": (["z", "y", "x"], ["0", "0", "0"]),
            "Magnetometer.csv": (["z", "y", "x"], ["0", "0", "0"]), "Barometer.csv": (["pressure"], ["1000"]),
            "Location.csv": (
                [
                    "latitude", "longitude", "altitude", "altitudeAboveMeanSeaLevel", "speed", "bearing",
                    "horizontalAccuracy", "verticalAccuracy", "speedAccuracy",
                ], ["1", "2", "3", "4", "5", "6", "7", "8", "9"]
            ),
        ]
        func isRead(_ value: Double) throws -> Bool {
            let folder = try TemporaryFolder(["Metadata.csv": "platform\nandroid\n"])
            for (name, content) in contents {
                var values = content.values
                if name == file, let index = content.columns.firstIndex(of: column) { values[index] = "\(value)" }
                let head = "time,\(content.columns.joined(separator: ","))\n"
                try folder.write(head + "1770000000000000000,\(values.joined(separator: ","))\n", to: name)
            }
            do { return try events(folder.path, .sensorLogger).count == 4 } catch let error as RecordingError {
                #expect(error.description.contains("/\(file):2:"), "\(error)")
                return false
            }
        }
        let low: [String: Double] = [
            "pressure": 10, "altitude": -11_000, "altitudeAboveMeanSeaLevel": -11_000, "speed": -1, "bearing": -1,
            "horizontalAccuracy": -1, "verticalAccuracy": -1, "speedAccuracy": -1,
        ]
        let lowest = low[column] ?? -limit
        #expect(try isRead(limit) && isRead(lowest))
        let beyond = [limit + max(limit * 1e-6, 0.01), lowest - 0.01]
        for value in beyond { #expect(try !isRead(value), "\(value)") }
    }

    // MARK: - KITTI

    /// A row in which the number at an index is another one.
    private static func row(_ changes: [Int: String] = [:]) -> String {
        (0..<30).map { changes[$0] ?? "\($0 + 1).5" }.joined(separator: " ")
    }

    private static func drive(_ row: String) throws -> TemporaryFolder {
        try TemporaryFolder([
            "oxts/timestamps.txt": "2011-09-26 13:02:20.5\n2011-09-26 13:02:20.6\n",
            "oxts/data/0000000000.txt": Self.row(), "oxts/data/0000000001.txt": row,
        ])
    }

    @Test(arguments: [
        (0, "90", true), (0, "-90", true), (0, "90.001", false), (0, "-90.001", false), (1, "180", true),
        (1, "180.001", false), (1, "-180.001", false), (2, "100000", true), (2, "100000.1", false),
        (2, "-100000.1", false), (6, "2000", true), (6, "2000.1", false), (7, "-2000", true), (7, "-2000.1", false),
        (10, "2000", true), (10, "2000.1", false), (11, "5000", true), (12, "-5000", true), (13, "5000.1", false),
        (11, "-5000.1", false), (17, "200", true), (18, "-200.1", false), (19, "200.1", false), (14, "1e9", true),
        (20, "1e9", true), (16, "1e9", true),
    ])
    func aNumberOfKITTIHasItsLimits(index: Int, value: String, isRead: Bool) throws {
        let folder = try Self.drive(Self.row([index: value]))
        let found = Result { try events(folder.path, .kitti).count }
        #expect((try? found.get()) == (isRead ? 4 : nil))
    }

    @Test(arguments: [
        (23, "0"), (23, "-1"), (23, "9999"), (23, "10000"), (24, "0"), (24, "9999"), (24, "10000"), (26, "65535"),
        (26, "65536"), (26, "-1"), (26, "11"), (5, "77"),
    ])
    func accuraciesOfKITTIHaveTheirRange(index: Int, value: String) throws {
        let folder = try Self.drive(Self.row([index: value]))
        let fix = try #require(try events(folder.path, .kitti).fixes.last)
        // GIVEN accuracies from 0 to 10,000 THEN they are those of an axis, a height's is 1.5 times as large; others
        // are unknown
        let position = index == 23 ? value == "9999" ? 9999.0 : nil : 24.5
        let velocity = index == 24 ? value == "9999" ? 9999.0 : nil : 25.5
        #expect(fix.horizontalSigmaMeters == position && fix.verticalSigmaMeters == position.map { 1.5 * $0 })
        #expect(fix.speedSigmaMetersPerSecond == velocity && fix.climbSigmaMetersPerSecond == velocity)
        #expect(fix.satellitesUsed == (index == 26 ? UInt16(value) : nil))
        // AND the other values are at their places
        #expect(fix.latitudeRadians == 1.5.degreesInRadians && fix.longitudeRadians == 2.5.degreesInRadians)
        #expect(fix.altitudeMeanSeaMeters == 3.5 && fix.altitudeEllipsoidMeters == 51.5)
        #expect(fix.climbMetersPerSecond == 11.5)
        #expect(fix.horizontalVelocity == HorizontalVelocity(eastMetersPerSecond: 8.5, northMetersPerSecond: 7.5))
        let sample = try #require(try events(folder.path, .kitti).samples.last)
        #expect(sample.specificForceMetersPerSecondSquared == Vector3(12.5, 13.5, 14.5))
        #expect(sample.angularRateRadiansPerSecond == Vector3(18.5, 19.5, 20.5))
        #expect(sample.time.nanoseconds == 100_000_000)
    }

    // MARK: - Clock of a log

    @Test func theClockOfALogHasItsLimits() {
        let (day, second) = (86_400_000_000_000, 1_000_000_000) as (Int64, Int64)
        let start = 1_700_000_000 * second
        /// The times after the first, in nanoseconds, and the intervals, in seconds; `nil` where an epoch is rejected.
        func times(_ steps: [Int64]) -> (times: [Int64?], intervals: [Double?], changes: Int) {
            var clock = LogClock()
            let found = ([0] + steps).map { clock.time(utcNanoseconds: start + $0) }
            return (found.map { $0?.time.nanoseconds }, found.map { $0?.intervalSeconds }, clock.steps)
        }
        // GIVEN epochs ahead THEN the clock follows up to a day, and beyond it goes on a second later
        let ahead = times([1, 20_000_000, second + 20_000_000, 12 * second, 12 * second + day, 13 * second + 2 * day])
        let expected = [0, 1, 20_000_000, second + 20_000_000, 12 * second, 12 * second + day, 13 * second + day]
        #expect(ahead.times == expected)
        #expect(ahead.intervals == [1, 0.02, 0.02, 1, 10, 10, 1] && ahead.changes == 1)
        // GIVEN epochs back THEN two are rejected, and the third one that goes on is used
        let back = times([second, second, second + 1, second - 5, second - 4, second - 3, second - 2])
        #expect(back.times == [0, second, nil, second + 1, nil, nil, 2 * second + 1, 2 * second + 2])
        #expect(back.changes == 1)
        // GIVEN epochs back that do not go on THEN they are counted anew
        let scattered = times([9 * second, 5 * second, 4 * second, 3 * second, 4 * second, 5 * second])
        #expect(scattered.times == [0, 9 * second, nil, nil, nil, nil, 10 * second] && scattered.changes == 1)
    }

    // MARK: - Formats

    @Test func aSentenceHasItsChecksum() {
        func sentence(_ body: String, _ change: UInt8 = 0, lower: Bool = false) -> [UInt8] {
            let sum = body.utf8.reduce(0) { $0 ^ $1 } ^ change
            let digits = String(sum + 0, radix: 16, uppercase: !lower)
            return Array("$\(body)*\(digits.count < 2 ? "0" : "")\(digits)".utf8)
        }
        #expect(ReceiverSignature.format(of: sentence("GPGGA,")) == .nmea)
        #expect(ReceiverSignature.format(of: sentence("GPGGA,", lower: true)) == .nmea)
        #expect(ReceiverSignature.format(of: sentence("GPGGA")) == nil)
        #expect(ReceiverSignature.format(of: sentence("GPGGA,", 1)) == nil)
        #expect(ReceiverSignature.format(of: sentence("GPGGA,").dropLast()) == nil)
        #expect(ReceiverSignature.format(of: sentence("GP\u{1F}GA,1")) == nil)
        #expect(ReceiverSignature.format(of: sentence("GP\u{7F}GA,1")) == nil)
        let long = String(repeating: "x", count: 120)
        #expect(ReceiverSignature.format(of: sentence(String(long.prefix(119)))) == .nmea)
        #expect(ReceiverSignature.format(of: sentence(long + "x")) == nil)
    }

    @Test(arguments: [0, 1, 255, 256, 300]) func aBinaryMessageHasItsLengthAndItsChecksum(length: Int) {
        let content = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
        let (low, high) = (UInt8(length & 0xFF), UInt8(length >> 8))
        // GIVEN a message of u-blox
        var body: [UInt8] = [1, 7, low, high] + content
        var (a, b): (UInt8, UInt8) = (0, 0)
        for byte in body {
            a &+= byte
            b &+= a
        }
        let ubx = [0xB5, 0x62] + body + [a, b]
        #expect(ReceiverSignature.format(of: ubx) == .ubx && ReceiverSignature.format(of: [1, 2] + ubx + [3]) == .ubx)
        // GIVEN a message of SiRF, which has at least one byte
        let sum = content.reduce(0) { $0 + Int($1) } & 0x7FFF
        body = [0xA0, 0xA2, high, low] + content + [UInt8(sum >> 8), UInt8(sum & 0xFF), 0xB0, 0xB3]
        #expect(ReceiverSignature.format(of: body) == (length > 0 ? .receiver : nil))
        // WHEN any byte is another one, or the last is missing THEN they are none
        for message in [ubx, body] {
            #expect(ReceiverSignature.format(of: message.dropLast()) == nil)
            for index in message.indices {
                var changed = message
                changed[index] ^= 0x10
                #expect(ReceiverSignature.format(of: changed) == nil, "\(index)")
            }
        }
    }

    @Test(
        arguments: [
            (["imu.csv"], InputFormat.csv), (["gnss.csv"], .csv), (["mag.csv"], .csv), (["wheel.csv"], .csv),
            (["pressure.csv"], .csv), (["baro.csv"], .csv), (["oxts/timestamps.txt"], .kitti),
            (["timestamps.txt", "data/x"], .kitti), (["timestamps.txt"], nil), (["data/x"], nil),
            (["Gyroscope.csv"], .sensorLogger), (["Location.csv"], .sensorLogger),
            (["Accelerometer.csv"], .sensorLogger),
            (["TotalAcceleration.csv"], .sensorLogger), (["Gravity.csv"], nil), (["imu.csv", "Location.csv"], .csv),
        ] as [([String], InputFormat?)])
    func aFolderHasItsFormat(names: [String], format: InputFormat?) throws {
        let folder = try TemporaryFolder(Dictionary(uniqueKeysWithValues: names.map { ($0, "x") }))
        #expect((try? InputFormat.detect(path: folder.path)) == format)
    }
}
