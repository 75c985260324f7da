import Engine
import Frames
import Geodesy
import Guidance
import Measurements
import PoseMath
import Testing

@testable import DriveRecording

/// A private recording tells how the vehicle moved, but not where.
@Suite struct PrivateRecordingTests {
    private static let place = GeodeticPosition(
        latitudeDegrees: -33, longitudeDegrees: 20, altitudeEllipsoidMeters: 500)

    /// A drive of ten fixes to the north-east, 1 s and 20 m apart, in the Pyrenees.
    private func fixes() -> [GnssFix] {
        let frame = LocalFrame(
            origin: GeodeticPosition(latitudeDegrees: 42.5, longitudeDegrees: 1.5, altitudeEllipsoidMeters: 1073))
        return (0..<10).map { number in
            let position = frame.position(ofENUMeters: Vector3(12, 16, 1) * Double(number))
            var fix = Sample.fullFix
            (fix.validityTime, fix.arrivalTime) = (at(Double(number)), at(Double(number) + 0.1))
            (fix.latitudeRadians, fix.longitudeRadians) = (position.latitudeRadians, position.longitudeRadians)
            fix.altitudeEllipsoidMeters = position.altitudeEllipsoidMeters
            fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 12, northMetersPerSecond: 16)
            return fix
        }
    }

    private func recording() throws -> (bytes: [UInt8], entries: [RecordedEntry]) {
        var info = RecordingInfo(release: "1", session: "s")
        info.isPrivate = true
        var writer = DriveRecordingWriter(info: info, settings: RecordedSettings(), privatePlace: Self.place)
        for (index, fix) in fixes().enumerated() { writer.write(.event(.gnss(fix)), number: UInt64(index + 1)) }
        writer.write(.command(.setRoute(try Route(Sample.plan), version: 1)), number: 11)
        var frame = Frame()
        frame.timeNanoseconds = 9_000_000_000
        frame.pose.latitudeRadians = fixes()[9].latitudeRadians
        frame.pose.longitudeRadians = fixes()[9].longitudeRadians
        frame.pose.altitudeEllipsoidMeters = 1082
        frame.pose.altitudeMeanSeaMeters = 1030
        (frame.pose.originLatitudeRadians, frame.pose.originLongitudeRadians) = (0.741_764_9, 0.026_18)
        frame.pose.originAltitudeEllipsoidMeters = 1073
        writer.write(frame, number: 1)
        var maneuver = Message.Maneuver(routeVersion: 1)
        (maneuver.index, maneuver.text) = (1, "turn into Secret Street")
        (maneuver.latitudeRadians, maneuver.longitudeRadians) = (0.741_79, 0.026_18)
        writer.write(.maneuver(maneuver), time: at(9))
        writer.write(RecordedLogLine(time: at(9), level: .info, text: "roads from /home/anna/andorra.roads"))
        writer.write(RoadFileIdentity(path: "/home/anna/andorra.roads", content: "12"))
        writer.finish()
        let bytes = writer.takeBytes()
        var reader = DriveRecordingReader(bytes: bytes, path: "test.mcap")
        var entries: [RecordedEntry] = []
        while let entry = try reader.next() { entries.append(entry) }
        return (bytes, entries)
    }

    @Test func distancesStayAndThePlaceIsLost() throws {
        // GIVEN a private recording of a drive
        let moved = try recording().entries.compactMap { entry -> GnssFix? in
            if case .input(.event(.gnss(let fix)), _) = entry { fix } else { nil }
        }
        #expect(moved.count == 10)
        let positions = moved.map {
            GeodeticPosition(
                latitudeRadians: $0.latitudeRadians ?? 0, longitudeRadians: $0.longitudeRadians ?? 0,
                altitudeEllipsoidMeters: $0.altitudeEllipsoidMeters ?? 0)
        }
        // THEN it starts at the random place, and the steps are 12 m east, 16 m north, 1 m up to the micrometre
        #expect((positions[0].ecefMeters - Self.place.ecefMeters).length < 1e-6)
        let frame = LocalFrame(origin: Self.place)
        for (number, position) in positions.enumerated() {
            let difference = frame.enuMeters(of: position) - Vector3(12, 16, 1) * Double(number)
            #expect(difference.length < 1e-6)
        }
        // THEN velocities agree with the steps: over 200 m the direction of north turns by less than 1e-4
        for fix in moved {
            #expect(abs((fix.horizontalVelocity?.eastMetersPerSecond ?? 0) - 12) < 2e-3)
            #expect(abs((fix.horizontalVelocity?.northMetersPerSecond ?? 0) - 16) < 2e-3)
        }
        // THEN what depends on the place is left out
        #expect(moved.allSatisfy { $0.geoidSeparationMeters == nil && $0.altitudeMeanSeaMeters == nil })
    }

    @Test func nothingElseTellsThePlace() throws {
        // GIVEN a private recording with route, frame, maneuver, log and roads
        let (bytes, entries) = try recording()
        var lines = ""
        var routes: [RoutePlan] = []
        for entry in entries {
            switch entry {
            case .frame(let line, _), .event(let line, _): lines += String(decoding: line, as: UTF8.self)
            case .input(.command(.setRoute(let route?, _)), _): routes.append(route.plan)
            case .log, .roads: Issue.record("\(entry)")
            default: break
            }
        }
        // THEN no position lies near the true one, in the lines and in the route
        for word in [":42.", ":1.5", "msl_m\":1", "Secret", "anna"] { #expect(!lines.contains(word), "\(word)") }
        #expect(lines.contains(#""lat_deg":-3"#))
        #expect(routes.count == 1)
        #expect(routes[0].points.allSatisfy { $0.latitudeDegrees < -32 && $0.longitudeDegrees > 19 })
        #expect(routes[0].name == nil && routes[0].elevationsMeters.isEmpty)
        #expect(routes[0].maneuvers.allSatisfy { $0.instruction == nil && $0.roadName == nil })
        // THEN no text of the drive is in the bytes, which are compressed only in the chunks read above
        #expect(!String(decoding: bytes, as: UTF8.self).contains("andorra"))
    }
}
