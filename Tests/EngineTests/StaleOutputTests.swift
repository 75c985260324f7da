import Engine
import Foundation
import Frames
import Geodesy
import Guidance
import Measurements
import PoseMath
import Testing

/// No stale value looks current: data that end, in every form in which a frame is sent. The frame in shared memory is
/// the packet of the frames socket, byte for byte.
@Suite struct StaleOutputTests {
    /// A vehicle on a route, and what the outputs tell of it.
    private final class Outputs {
        private var engine = Engine()
        private var json = JSONFrameEncoder()
        private var nmea = NMEAEncoder()
        private var gpsd = GpsdEncoder()
        private let sheet = LocalFrame(origin: Scenes.start)

        init() throws {
            let points = [0.0, 1000, 3000].map { sheet.position(ofENUMeters: Vector3(0, $0, 0)) }
            engine.setRoute(
                try Route(RoutePlan(points: points, maneuvers: [PlannedManeuver(point: 1, kind: .turn)])), version: 1)
            engine.ingest(SourceReport(time: Scenes.time(0), source: .gps, state: .streaming))
        }

        /// A fix of a vehicle that drives at 10 m/s to the north.
        func fix(at second: Int) {
            var place = sheet.position(ofENUMeters: Vector3(0, 10 * Double(second), 0))
            place.altitudeEllipsoidMeters = 340
            _ = engine.ingest(
                Scenes.fix(at: Double(second), place, velocity: Scenes.moving(headingDegrees: 0)) {
                    $0.utcNanoseconds = (1_790_000_000 + Int64(second)) * 1_000_000_000
                    $0.altitudeMeanSeaMeters = 300
                })
        }

        /// A frame without a measurement.
        func tick(at seconds: Double) { _ = engine.tick(at: Scenes.time(seconds)) }

        func loseReceiver(at seconds: Double) {
            engine.ingest(SourceReport(time: Scenes.time(seconds), source: .gps, state: .lost))
        }

        /// The frame as a client of the frames socket reads it.
        func binary() throws -> Frame {
            let packet = Message.frame(engine.frame, .init(topics: .all, dropped: 0)).packet(sequence: 1)
            let received = try packet.withUnsafeBytes { try ReceivedMessage(packet: $0) }
            guard case .frame(let frame, _) = received.message else { throw CancellationError() }
            return frame
        }

        /// The line of the stream socket.
        func line() throws -> [String: Any] {
            let object = try JSONSerialization.jsonObject(with: Data(json.text(engine.frame).utf8))
            return try #require(object as? [String: Any])
        }

        /// The fields of an NMEA sentence.
        func sentence(_ name: String) throws -> [String] {
            let text = String(decoding: nmea.sentences(engine.frame), as: UTF8.self)
            let line = try #require(text.split(separator: "\r\n").first { $0.hasPrefix("$GP\(name)") }, "\(text)")
            return line.prefix { $0 != "*" }.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
        }

        /// The report of the position for programs of gpsd.
        func report() throws -> [String: Any] {
            let text = String(decoding: gpsd.reports(engine.frame), as: UTF8.self)
            let line = try #require(text.split(separator: "\r\n").first { $0.contains("TPV") })
            return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    /// Outputs after 20 s with fixes.
    private func underWay() throws -> Outputs {
        let outputs = try Outputs()
        for second in 1...20 { outputs.fix(at: second) }
        return outputs
    }

    @Test func underWayEverythingIsTold() throws {
        let outputs = try underWay()
        let frame = try outputs.binary()
        #expect(frame.speed.speedMetersPerSecond != nil && frame.speed.colour != .unknown)
        #expect(frame.guidance.distanceToTurnMeters != nil && frame.pose.latitudeRadians != nil)
        let speed = try #require(try outputs.line()["speed"] as? [String: Any])
        #expect(speed["speed_m_s"] is Double && speed["colour"] is String)
        #expect(try outputs.sentence("RMC")[2] == "A" && outputs.sentence("GGA")[6] == "1")
        #expect(try outputs.report()["mode"] as? Int == 3 && outputs.report()["speed"] is Double)
    }

    @Test func everyValueHasItsAge() throws {
        // GIVEN fixes that end WHEN frames without a measurement follow for two minutes
        let outputs = try underWay()
        for tenth in 1...1200 {
            outputs.tick(at: 20 + Double(tenth) / 10)
            let frame = try outputs.binary()
            // THEN what is told has an age, in the frames and in the lines, and the age of the fix grows
            let pose = frame.pose
            #expect(
                pose.latitudeRadians == nil || pose.fixAgeSeconds.map { abs($0 - Double(tenth) / 10) < 0.11 } == true)
            #expect(frame.speed.speedMetersPerSecond == nil || frame.speed.ageSeconds != nil)
            #expect((frame.speed.speedMetersPerSecond == nil) == (frame.speed.colour == .unknown))
            #expect(frame.sources.gpsAgeSeconds.map { abs($0 - Double(tenth) / 10) < 0.11 } == true)
            guard tenth % 50 == 0 else { continue }
            let line = try outputs.line()
            let speed = try #require(line["speed"] as? [String: Any])
            #expect(speed["speed_m_s"] is NSNull || speed["age_s"] is Double, "\(speed)")
        }
    }

    @Test func afterTwoMinutesNothingLooksCurrent() throws {
        // GIVEN fixes that ended two minutes ago
        let outputs = try underWay()
        for second in 21...140 { outputs.tick(at: Double(second)) }
        outputs.loseReceiver(at: 140)
        outputs.tick(at: 141)
        // THEN a frame tells neither place nor speed nor colour, in binary form
        let frame = try outputs.binary()
        #expect(frame.pose.state == .lost && frame.sources.gps == .lost)
        #expect(frame.speed.speedMetersPerSecond == nil && frame.speed.ratio == nil && frame.speed.colour == .unknown)
        #expect(frame.pose.velocityENUMetersPerSecond == nil && frame.pose.courseOverGroundRadians == nil)
        // AND as a line
        let line = try outputs.line()
        let speed = try #require(line["speed"] as? [String: Any])
        #expect(speed["speed_m_s"] is NSNull && speed["ratio"] is NSNull && speed["colour"] as? String != "blue")
        #expect(!["orange", "red"].contains(speed["colour"] as? String))
        let pose = try #require(line["pose"] as? [String: Any])
        #expect(pose["course_deg"] is NSNull && pose["vel_enu_m_s"] is NSNull && pose["state"] as? String == "lost")
        // AND NMEA is void, without a place, a speed and a fix
        let minimum = try outputs.sentence("RMC")
        #expect(minimum[2] == "V" && minimum[3].isEmpty && minimum[7].isEmpty && minimum.last == "N")
        #expect(try outputs.sentence("GGA")[6] == "0" && outputs.sentence("GGA")[2].isEmpty)
        #expect(try outputs.sentence("VTG")[5].isEmpty)
        // AND gpsd's form has no fix
        let report = try outputs.report()
        #expect(report["mode"] as? Int == 1 && report["lat"] == nil && report["speed"] == nil && report["track"] == nil)
    }
}
