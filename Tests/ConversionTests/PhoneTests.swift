import Foundation
import Measurements
import PoseMath
import Recording
import Testing

@testable import Conversion

/// Recordings of the phone app Sensor Logger.
@Suite struct PhoneTests {
    /// Rows of a sensor with three axes.
    private static func rows(_ count: Int, from first: Int64, stepMilliseconds: Int64, _ values: (Int) -> String)
        -> String
    {
        "time,seconds_elapsed,z,y,x\n"
            + (0..<count).map { "\(first + Int64($0) * stepMilliseconds * 1_000_000),0,\(values($0))\n" }.joined()
    }

    private static let start: Int64 = 1_770_000_000_000_000_000
    private static let location = """
        time,seconds_elapsed,bearingAccuracy,speedAccuracy,verticalAccuracy,horizontalAccuracy,speed,bearing,\
        altitude,longitude,latitude
        1769999990000000000,-10,0,0,0,0,0,0,400,8.5,47.5
        1770000000500000000,0.5,1,0.5,4,2.8284271247461903,12,180,412.5,8.25,47.25
        1770000001500000000,1.5,-1,-1,-1,10,-1,-1,0,8.25,47.249

        """

    private static func android() throws -> TemporaryFolder {
        try TemporaryFolder([
            "Metadata.csv": "version,device name,platform,standardisation\n3,\"A, phone\",android,false\n",
            "Gyroscope.csv": rows(200, from: start, stepMilliseconds: 10) { "0.3,0.2,\(Double($0) / 1000)" },
            // Twice as often, 5 ms later: x grows by 1 m/s2 in 5 ms.
            "TotalAcceleration.csv": rows(400, from: start + 2_500_000, stepMilliseconds: 5) { "9.8,0.1,\($0)" },
            "Accelerometer.csv": rows(10, from: start, stepMilliseconds: 10) { _ in "0,0,0" },
            "Magnetometer.csv": rows(20, from: start, stepMilliseconds: 100) { _ in "-40,5,20" },
            "Barometer.csv":
                "time,seconds_elapsed,relativeAltitude,pressure\n1770000000100000000,0.1,0,965.25\n",
            "Location.csv": location,
        ])
    }

    @Test func anAndroidPhoneGivesAllItsSensors() throws {
        // GIVEN a recording of an Android phone, with a position from before its start
        let folder = try Self.android()
        #expect(try InputFormat.detect(path: folder.path) == .sensorLogger)
        let reader = try Conversion.open(folder.path, .sensorLogger)
        #expect(reader.kinds == [.imu, .magnetometer, .barometer, .gps])
        // WHEN it is read
        let all = try events(reader)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.arrivalTime <= $1.arrivalTime })
        // THEN the acceleration is that between two readings at the time of the gyro, and the axes are x, y, z
        let samples = all.samples
        #expect(samples.count == 199 && samples[0].time.nanoseconds == 10_000_000)
        #expect(samples[0].angularRateRadiansPerSecond == Vector3(0.001, 0.2, 0.3))
        // 10 ms is half between the readings number 1 (7.5 ms) and 2 (12.5 ms).
        #expect((samples[0].specificForceMetersPerSecondSquared - Vector3(1.5, 0.1, 9.8)).length < 1e-12)
        // AND the fixes have UTC, 1-sigma per axis, and no velocity or height where the phone marks them as unknown
        let fixes = all.fixes
        #expect(fixes.count == 2 && fixes[0].validityTime.nanoseconds == 500_000_000)
        #expect(fixes[0].utcNanoseconds == 1_770_000_000_500_000_000)
        #expect(fixes[0].horizontalSigmaMeters == 2 && fixes[0].altitudeEllipsoidMeters == 412.5)
        #expect(abs((fixes[0].horizontalVelocity?.northMetersPerSecond ?? 0) + 12) < 1e-12)
        #expect(fixes[1].horizontalVelocity == nil && fixes[1].mode == .twoDimensional)
        let pressures = all.compactMap { if case .pressure(let sample) = $0 { sample.pressurePascal } else { nil } }
        #expect(pressures == [96_525])
        let fields = all.compactMap { if case .magnetic(let sample) = $0 { sample.fluxDensityTesla } else { nil } }
        #expect(fields.count == 20 && (fields[0] - Vector3(20e-6, 5e-6, -40e-6)).length < 1e-15)
        #expect(
            reader.notes == [
                "1 gyro readings without acceleration around them", "1 positions from before the recording",
            ])
    }

    @Test(arguments: [("ios,false", -1.0), ("iOS,true", 1.0), ("android,false", 1.0)])
    func accelerationAndGravityAreAddedWithTheSignOfThePlatform(_ platform: String, _ sign: Double) throws {
        // GIVEN acceleration without gravity, and gravity
        let folder = try TemporaryFolder([
            "Metadata.csv": "version,platform,standardisation\n3,\(platform)\n",
            "Gyroscope.csv": Self.rows(5, from: Self.start, stepMilliseconds: 10) { _ in "0,0,0" },
            "Accelerometer.csv": Self.rows(5, from: Self.start, stepMilliseconds: 10) { _ in "1,2,3" },
            "Gravity.csv": Self.rows(5, from: Self.start, stepMilliseconds: 10) { _ in "-9.5,0,0" },
        ])
        // THEN the specific force is their sum, pointing up at rest
        let samples = try events(folder.path, .sensorLogger).samples
        #expect(samples.count == 5)
        #expect(
            samples.allSatisfy {
                ($0.specificForceMetersPerSecondSquared - Vector3(3, 2, -8.5) * sign).length < 1e-12
            })
    }

    @Test func accelerationWithGravityNeedsNoPlatform() throws {
        // GIVEN acceleration with gravity, and no description of the phone WHEN it is read THEN its signs stay: at rest
        // the specific force points up
        let folder = try TemporaryFolder([
            "Gyroscope.csv": Self.rows(5, from: Self.start, stepMilliseconds: 10) { _ in "0,0,0" },
            "TotalAcceleration.csv": Self.rows(5, from: Self.start, stepMilliseconds: 10) { _ in "9.75,0.25,-0.5" },
        ])
        let samples = try events(folder.path, .sensorLogger).samples
        #expect(samples.count == 5)
        // The mean of equal readings may differ in its last bit.
        #expect(
            samples.allSatisfy { ($0.specificForceMetersPerSecondSquared - Vector3(-0.5, 0.25, 9.75)).length < 1e-12 })
    }

    @Test func positionsOfTheReceiverAloneArePreferred() throws {
        // GIVEN the fused positions of a recent release of the app, with columns that may be empty, and a phone without
        // bearing at standstill
        let header =
            "time,seconds_elapsed,mslAltitudeAccuracy,bearingAccuracy,speedAccuracy,verticalAccuracy,"
            + "horizontalAccuracy,speed,altitudeAboveMeanSeaLevel,bearing,altitude,longitude,latitude\n"
        func row(_ latitude: String) -> String {
            "\(Self.start),0.000000000,,45,1.5,3.700000047683716,5,1.399999976158142,,0,50.5,9.5,\(latitude)\n"
        }
        let folder = try TemporaryFolder(["Location.csv": header + row("47.5")])
        let fused = try #require(try events(folder.path, .sensorLogger).fixes.first)
        #expect(fused.latitudeRadians == 47.5.degreesInRadians && fused.altitudeMeanSeaMeters == nil)
        #expect(fused.altitudeEllipsoidMeters == 50.5 && fused.speedSigmaMetersPerSecond == 1.5)
        // WHEN the receiver gave no position THEN the fused ones are used
        try folder.write(header, to: "LocationGps.csv")
        #expect(try events(folder.path, .sensorLogger).fixes.count == 1)
        // WHEN it gave some THEN these are used
        try folder.write(header + row("48"), to: "LocationGps.csv")
        #expect(try events(folder.path, .sensorLogger).fixes.map(\.latitudeRadians) == [48.degreesInRadians])
    }

    @Test(arguments: ["LocationGps.csv", "Location.csv", "Magnetometer.csv", "Barometer.csv"])
    func eachSensorAloneIsARecordingOfTheApp(name: String) throws {
        // GIVEN a folder with one file of the app that can be read by itself THEN its format is found, and it is read
        let columns = "time,z,y,x,pressure,latitude,longitude\n"
        let folder = try TemporaryFolder([name: columns + "\(Self.start),1,2,3,965.25,47.5,8.5\n"])
        #expect(try InputFormat.detect(path: folder.path) == .sensorLogger)
        #expect(try events(folder.path, .sensorLogger).count == 1)
    }

    @Test func whatIsMissingIsNamed() throws {
        let gyro = Self.rows(3, from: Self.start, stepMilliseconds: 10) { _ in "0,0,0" }
        // GIVEN a gyro without acceleration THEN the files to add are named
        let alone = try TemporaryFolder(["Gyroscope.csv": gyro])
        let first = #expect(throws: RecordingError.self) { try events(alone.path, .sensorLogger) }
        #expect(first?.remedy.contains("TotalAcceleration.csv") == true)
        // GIVEN acceleration and gravity without the platform THEN the sign is not guessed
        let unknown = try TemporaryFolder(["Gyroscope.csv": gyro, "Accelerometer.csv": gyro, "Gravity.csv": gyro])
        let second = #expect(throws: RecordingError.self) { try events(unknown.path, .sensorLogger) }
        #expect(second?.path.hasSuffix("Metadata.csv") == true)
        // GIVEN a broken number THEN its place is named
        let broken = try TemporaryFolder(["Location.csv": "time,latitude,longitude\n1770000000000000000,47.5,x\n"])
        let third = #expect(throws: RecordingError.self) { try events(broken.path, .sensorLogger) }
        #expect(third?.description.contains("Location.csv:2:26: longitude is not a number: \"x\"") == true)
    }

    @Test func bothHeightsGiveTheGeoid() throws {
        // GIVEN rows with both heights, with heights too far apart, and with one of them
        let rows = ["450.5,400.25", "450.5,200", "450.5,", ",400.25"].enumerated().map { index, heights in
            "177000000\(index)000000000,1,1,\(heights)\n"
        }
        let folder = try TemporaryFolder([
            "Location.csv": "time,latitude,longitude,altitude,altitudeAboveMeanSeaLevel\n" + rows.joined()
        ])
        // WHEN they are read THEN the height of the geoid is their difference, where that can be one
        let fixes = try events(folder.path, .sensorLogger).fixes
        #expect(fixes.map(\.geoidSeparationMeters) == [50.25, nil, nil, nil])
        #expect(fixes.map(\.altitudeEllipsoidMeters) == [450.5, 450.5, 450.5, nil])
    }

    @Test func rowsThatGoBackAreCounted() throws {
        let folder = try TemporaryFolder([
            "Location.csv": "time,latitude,longitude\n1770000002000000000,1,1\n1770000001000000000,2,2\n"
                + "1770000003000000000,,3\n1770000004000000000,4,4\n"
        ])
        let reader = try Conversion.open(folder.path, .sensorLogger)
        #expect(try events(reader).fixes.map(\.validityTime.seconds) == [0, 2])
        #expect(reader.notes == ["2 rows without a value or with a time that does not go forward"])
    }

    @Test func aVelocityThatThePhoneDoesNotKnowIsNone() throws {
        // GIVEN positions of a phone: one that drives east, one of the mobile network, for which Android writes zeros,
        // one at standstill, and one of a release that tells no accuracy
        let rows = ["0.5,12,90", "0,0,0", "0.5,0,0", ",0,0"].enumerated().map { index, velocity in
            "177000000\(index)000000000,1,1,\(velocity)\n"
        }
        let folder = try TemporaryFolder([
            "Location.csv": "time,latitude,longitude,speedAccuracy,speed,bearing\n" + rows.joined()
        ])
        // WHEN they are read THEN only the zeros are no velocity
        let fixes = try events(folder.path, .sensorLogger).fixes
        #expect(fixes.map { $0.horizontalVelocity?.eastMetersPerSecond } == [12, nil, 0, 0])
    }
}
