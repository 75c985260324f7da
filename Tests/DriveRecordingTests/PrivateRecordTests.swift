import Engine
import Frames
import Fusion
import Geodesy
import Guidance
import MCAP
import Measurements
import PoseMath
import Testing

@testable import DriveRecording

/// No record of a private recording has a place, a height or a name, whichever of them is the first.
@Suite struct PrivateRecordTests {
    /// What is written.
    private enum Content {
        case input(EngineInput)
        case frame(Frame)
        case message(Message)
        case line(RecordedLogLine)
        case roads(RoadFileIdentity)
    }

    /// Where everything happens.
    private static let truth = GeodeticPosition(
        latitudeDegrees: 47.3, longitudeDegrees: -120.6, altitudeEllipsoidMeters: 3141)
    /// Where a private recording has it.
    private static let elsewhere = GeodeticPosition(
        latitudeDegrees: -33, longitudeDegrees: 20, altitudeEllipsoidMeters: 500)
    /// The name of every text.
    private static let name = "Secret Street"
    /// The time zone, seconds.
    private static let zone = -25_200.0
    /// Numbers that tell the place, and how near to them a number of a record tells it too.
    private static let numbers: [(value: Double, tolerance: Double)] = [
        (truth.latitudeRadians, 1e-3), (truth.longitudeRadians, 1e-3), (truth.latitudeDegrees, 0.06),
        (truth.longitudeDegrees, 0.06), (truth.altitudeEllipsoidMeters, 100), (zone, 1),
    ]

    // MARK: - Contents

    /// Fixes with everything, and without one of the heights, the longitude, and both coordinates.
    private static var fixes: [EngineInput] {
        var full = Sample.fullFix
        (full.latitudeRadians, full.longitudeRadians) = (truth.latitudeRadians, truth.longitudeRadians)
        (full.altitudeEllipsoidMeters, full.altitudeMeanSeaMeters) = (3141, 3121)
        var (low, half, high) = (full, full, full)
        low.altitudeEllipsoidMeters = nil
        half.longitudeRadians = nil
        (high.latitudeRadians, high.longitudeRadians) = (nil, nil)
        return [full, low, half, high].map { .event(.gnss($0)) }
    }

    private static var rest: RestingPose {
        RestingPose(
            position: truth, horizontalSigmaMeters: 1.5, verticalSigmaMeters: 3, headingTrueRadians: 6.1,
            headingSigmaRadians: 0.02, downBody: Vector3(0, 0, -1))
    }

    private static func commands() throws -> [EngineInput] {
        var plan = Sample.plan
        plan.points = (0..<4).map {
            GeodeticPosition(
                latitudeDegrees: truth.latitudeDegrees + Double($0) * 1e-3, longitudeDegrees: truth.longitudeDegrees)
        }
        plan.elevationsMeters = [3141, nil, 3141, 3141]
        plan.name = name
        (plan.maneuvers[1].instruction, plan.maneuvers[1].roadName) = (name, name)
        var horizon = Sample.fullHorizon
        horizon.utcOffsetSeconds = zone
        let mount = MountEstimate(
            sensorToBody: .identity, sigmaBodyRadians: Vector3(0.01, 0.02, 0.03), origin: .kept)
        return [
            .command(.offerRest(rest)), .command(.setRoute(try Route(plan), version: 1)),
            .command(.setSpeedHorizon(horizon)), .command(.setRoute(nil, version: 2)), .command(.offerMount(mount)),
            .command(.offerSensors(SensorPrior())), .command(.setHeadingTrim(radians: 0.25)),
            .command(.trimHeading(byRadians: 0.5)), .command(.reset(after: Sample.fullPast)),
            .command(.setDeclination(Declination(radians: 0.25, sigmaRadians: 0.01))),
        ]
    }

    private static var measurements: [EngineInput] {
        [
            .event(
                .inertial(
                    InertialSample(
                        time: at(1), angularRateRadiansPerSecond: Vector3(0.1, 0.2, 0.3),
                        specificForceMetersPerSecondSquared: Vector3(0.5, 0.25, 9.75)))),
            .event(.magnetic(MagneticSample(time: at(1), fluxDensityTesla: Vector3(2e-5, 1e-6, -4e-5)))),
            .event(.pressure(PressureSample(time: at(1), pressurePascal: 68_500))),
            .event(.wheelSpeed(WheelSpeedSample(time: at(1), speedMetersPerSecond: 12))),
            .report(SourceReport(time: at(1), source: .imu, state: .streaming)), .tick(at(2)), .repetition(at(3)),
        ]
    }

    /// Frames with everything, with only the heights and the local frame's origin, and with one of two coordinates.
    private static var frames: [Frame] {
        var full = Frame()
        (full.pose.latitudeRadians, full.pose.longitudeRadians) = (truth.latitudeRadians, truth.longitudeRadians)
        (full.pose.altitudeEllipsoidMeters, full.pose.altitudeMeanSeaMeters) = (3141, 3121)
        (full.pose.originLatitudeRadians, full.pose.originLongitudeRadians) =
            (truth.latitudeRadians, truth.longitudeRadians)
        full.pose.originAltitudeEllipsoidMeters = 3140
        full.pose.bodyToENU = .init(1, 0, 0, 0)
        full.pose.positionENUMeters = .init(10, -20, 1)
        var (lost, half) = (full, full)
        (lost.pose.latitudeRadians, lost.pose.longitudeRadians) = (nil, nil)
        (half.pose.longitudeRadians, half.pose.originLatitudeRadians) = (nil, nil)
        return [full, lost, half]
    }

    private static var messages: [Message] {
        var second = Message.Maneuver(routeVersion: 1)
        (second.index, second.text) = (2, name)
        (second.latitudeRadians, second.longitudeRadians) = (truth.latitudeRadians, truth.longitudeRadians)
        var first = second
        (first.index, first.then) = (1, second)
        var half = first
        half.longitudeRadians = nil
        return [
            .maneuver(first), .maneuver(half), .event(.init(timeNanoseconds: 1, change: .route(version: 1))),
            .bye(.init(reason: .stopping, text: name)),
        ]
    }

    private static func contents() throws -> [Content] {
        let inputs = try fixes + commands() + measurements
        var contents = inputs.map { Content.input($0) }
        contents += frames.map { Content.frame($0) }
        contents += messages.map { Content.message($0) }
        contents.append(.line(RecordedLogLine(time: at(4), level: .info, text: "roads from /\(name)")))
        contents.append(.roads(RoadFileIdentity(path: "/\(name).roads", content: name)))
        return contents
    }

    // MARK: - Files

    private static func write(_ contents: [Content], to writer: inout DriveRecordingWriter) {
        for (index, content) in contents.enumerated() {
            switch content {
            case .input(let input): writer.write(input, number: UInt64(index + 1))
            case .frame(let frame): writer.write(frame, number: UInt64(index + 1))
            case .message(let message): writer.write(message, time: at(4))
            case .line(let line): writer.write(line)
            case .roads(let roads): writer.write(roads)
            }
        }
        writer.write([Publication(number: 1, time: at(5), isNewest: true, isRepeat: false)])
        writer.finish()
    }

    private static func file(_ contents: [Content], privatePlace: GeodeticPosition?) -> [UInt8] {
        var info = RecordingInfo(release: "1", session: "s")
        info.isPrivate = privatePlace != nil
        var settings = RecordedSettings()
        settings.file = Array("route_file: \"/\(name).gpx\"\n".utf8)
        settings.options = [.init(path: "profile", value: "vehicle")]
        var writer = DriveRecordingWriter(info: info, settings: settings, privatePlace: privatePlace)
        write(contents, to: &writer)
        return writer.takeBytes()
    }

    /// The doubles of a protobuf message: its fields, its packed lists, and those of the messages in it.
    private static func doubles(_ message: ArraySlice<UInt8>) -> [Double] {
        var reader = ProtobufReader(message)
        var found: [Double] = []
        while let field = try? reader.next() {
            switch field.value {
            case .fixed64(let bits): found.append(Double(bitPattern: bits))
            case .bytes(let inner):
                for start in stride(from: inner.startIndex, to: inner.endIndex - 7, by: 8) {
                    let bits = inner[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                    found.append(Double(bitPattern: bits))
                }
                found += doubles(inner)
            case .varint, .fixed32: break
            }
        }
        return found
    }

    /// Whether a message has the name, or a number that tells the place.
    private static func tellsPlace(_ data: ArraySlice<UInt8>) -> Bool {
        let text = String(decoding: data, as: UTF8.self)
        let isText = data.first == UInt8(ascii: "{")
        let values =
            isText ? text.split { !"+-.eE0123456789".contains($0) }.compactMap { Double($0) } : doubles(data)
        return text.contains(name)
            || values.contains { value in numbers.contains { abs(value - $0.value) < $0.tolerance } }
    }

    /// The channels, metadata and attachments of a file that tell the place.
    private static func tellTales(_ file: [UInt8]) throws -> Set<String> {
        var reader = MCAPReader(bytes: file, path: "test.mcap")
        var topics: [UInt16: String] = [:]
        var found: Set<String> = []
        while let record = try reader.next() {
            switch record {
            case .header, .schema: break
            case .channel(let channel): topics[channel.id] = channel.topic
            case .message(let message):
                if tellsPlace(message.data) { found.insert(topics[message.channel] ?? "?") }
            case .attachment(let attachment):
                if String(decoding: attachment.data, as: UTF8.self).contains(name) { found.insert(attachment.name) }
            case .metadata(let metadata):
                if metadata.values.contains(where: { $0.value.contains(name) }) { found.insert(metadata.name) }
            }
        }
        return found
    }

    // MARK: - Tests

    @Test func noRecordTellsThePlaceWhicheverIsTheFirst() throws {
        // GIVEN every content that tells the place, and those beside them
        let contents = try Self.contents()
        // THEN an ordinary recording has the place in all of these records
        let all: Set<String> = [
            "/posed/fix", "/fix", "/posed/command", "/posed/route", "/posed/road_ahead", "/posed/frame", "/track",
            "/posed/event", "/log", "posed.roads", "posed.yaml",
        ]
        #expect(try Self.tellTales(Self.file(contents, privatePlace: nil)) == all)
        // AND a private one has it in none, whichever of the contents begins it
        for first in contents.indices {
            let turned = Array(contents[first...] + contents[..<first])
            let found = try Self.tellTales(Self.file(turned, privatePlace: Self.elsewhere))
            #expect(found.isEmpty, "beginning with content \(first): \(found)")
        }
    }

    @Test func aLostPoseHasNoOriginBeforeThePlaceIsMoved() throws {
        // GIVEN a private recording that begins while the pose is lost WHEN a position follows
        var writer = DriveRecordingWriter(
            info: RecordingInfo(release: "1", session: "s"), settings: RecordedSettings(), privatePlace: Self.elsewhere)
        for frame in [Self.frames[1], Self.frames[0], Self.frames[1]] { writer.write(frame, number: 1) }
        let lines = try Sample.entries(&writer).compactMap { entry -> String? in
            if case .frame(let line, _) = entry { String(decoding: line, as: UTF8.self) } else { nil }
        }
        // THEN the origin is unknown until then, and lies at the other place from then on
        #expect(lines.count == 3)
        #expect(lines.map { $0.contains("-33.0") } == [false, true, true], "\(lines)")
    }

    @Test func theLastStopIsMovedWithTheFixes() throws {
        // GIVEN a private recording of a last stop, and of a fix 12 m east, 16 m north and 1 m above it
        let position = LocalFrame(origin: Self.truth).position(ofENUMeters: Vector3(12, 16, 1))
        var fix = Sample.fullFix
        (fix.latitudeRadians, fix.longitudeRadians) = (position.latitudeRadians, position.longitudeRadians)
        fix.altitudeEllipsoidMeters = position.altitudeEllipsoidMeters
        var writer = DriveRecordingWriter(
            info: RecordingInfo(release: "1", session: "s"), settings: RecordedSettings(), privatePlace: Self.elsewhere)
        writer.write(.command(.offerRest(Self.rest)), number: 1)
        writer.write(.event(.gnss(fix)), number: 2)
        #expect(writer.anchor == Self.truth)
        let entries = try Sample.entries(&writer)
        // THEN the stop is at the other place with the same heading, and the fix is as far from it
        let stop = try #require(Self.stops(entries).first)
        #expect((stop.position.ecefMeters - Self.elsewhere.ecefMeters).length < 1e-6)
        #expect(stop.headingTrueRadians == Self.rest.headingTrueRadians && stop.downBody == Self.rest.downBody)
        let fixes = entries.compactMap { entry -> GnssFix? in
            if case .input(.event(.gnss(let fix)), _) = entry { fix } else { nil }
        }
        let moved = try #require(fixes.first)
        let there = GeodeticPosition(
            latitudeRadians: moved.latitudeRadians ?? 0, longitudeRadians: moved.longitudeRadians ?? 0,
            altitudeEllipsoidMeters: moved.altitudeEllipsoidMeters ?? 0)
        let offset = LocalFrame(origin: Self.elsewhere).enuMeters(of: there)
        #expect((offset - Vector3(12, 16, 1)).length < 1e-6)
    }

    @Test func aStopThatIsNotValidAtTheOtherPlaceIsLeftOut() throws {
        // GIVEN a recording that moves the equator to the pole, and thus the pole to 21 km below the equator WHEN the
        // last stop was at the pole, or has no latitude
        let (equator, pole) = (
            GeodeticPosition(latitudeDegrees: 0, longitudeDegrees: 0),
            GeodeticPosition(latitudeDegrees: 90, longitudeDegrees: 0)
        )
        var (far, none) = (Self.rest, Self.rest)
        far.position = pole
        none.position.latitudeRadians = .nan
        #expect(far.isValid && !none.isValid)
        for (stop, anchor) in [(far, equator), (none, nil)] as [(RestingPose, GeodeticPosition?)] {
            var writer = DriveRecordingWriter(
                info: RecordingInfo(release: "1", session: "s"), settings: RecordedSettings(), privatePlace: pole,
                shiftingFrom: anchor)
            writer.write(.command(.offerRest(stop)), number: 1)
            #expect(writer.anchor == nil)
            writer.write(.tick(at(1)), number: 2)
            // THEN the stop is left out, no place is moved by it, and the rest is read
            let entries = try Sample.entries(&writer)
            #expect(Self.stops(entries).isEmpty)
            let isRead = entries.contains { if case .input(.tick, number: 2) = $0 { true } else { false } }
            #expect(isRead)
        }
    }

    private static func stops(_ entries: [RecordedEntry]) -> [RestingPose] {
        entries.compactMap { entry -> RestingPose? in
            if case .input(.command(.offerRest(let rest)), _) = entry { rest } else { nil }
        }
    }
}
