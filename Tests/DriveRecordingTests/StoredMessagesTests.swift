import Engine
import Frames
import Fusion
import Geodesy
import Guidance
import MCAP
import Measurements
import PoseMath
import StoredTexts
import Testing

@testable import DriveRecording

/// Every message of a recording, byte for byte: other releases, and Foxglove, read them.
@Suite struct StoredMessagesTests {
    /// One line for each record of a file: of a message its channel, number and times, and its bytes as text where they
    /// are text, else in hexadecimal digits. Schemas are compared elsewhere.
    private static func lines(_ bytes: [UInt8]) throws -> String {
        let digits = Array("0123456789abcdef")
        var reader = MCAPReader(bytes: bytes, path: "x.mcap")
        var (lines, topics): ([String], [UInt16: String]) = ([], [:])
        while let record = try reader.next() {
            switch record {
            case .header(let profile, let library): lines.append("\(profile) \(library)")
            case .schema(let schema): lines.append("schema \(schema.id) \(schema.name)")
            case .channel(let channel):
                topics[channel.id] = channel.topic
                lines.append("channel \(channel.id) \(channel.topic) \(channel.encoding) \(channel.schema)")
            case .message(let message):
                let isText = message.data.first == UInt8(ascii: "{")
                let data =
                    isText
                    ? String(decoding: message.data, as: UTF8.self)
                    : String(message.data.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
                let head = "\(topics[message.channel] ?? "?") \(message.sequence) \(message.logTime)"
                lines.append("\(head) \(message.publishTime) \(data)")
            case .attachment(let attachment):
                let text = String(decoding: attachment.data, as: UTF8.self)
                lines.append("attachment \(attachment.name) \(attachment.mediaType) \(text)")
            case .metadata(let metadata):
                let values = metadata.values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                lines.append("metadata \(metadata.name): \(values.joined(separator: ", "))")
            }
        }
        return lines.joined(separator: "\n")
    }

    /// A frame with what Foxglove's messages contain, and one without it.
    private static var frames: [Frame] {
        var full = Frame()
        (full.sequence, full.timeNanoseconds) = (4, 2_500_000_000)
        (full.pose.latitudeRadians, full.pose.longitudeRadians) = (0.75, 0.03)
        (full.pose.altitudeEllipsoidMeters, full.pose.altitudeMeanSeaMeters) = (1070, 1020)
        full.pose.positionSigmaENUMeters = .init(1, 2, 3)
        full.pose.bodyToENU = .init(0.5, -0.5, 0.5, 0.5)
        full.pose.positionENUMeters = .init(10, -20, 30)
        (full.pose.originLatitudeRadians, full.pose.originLongitudeRadians) = (0.750_1, 0.030_1)
        full.pose.originAltitudeEllipsoidMeters = 1000
        var flat = full
        flat.pose.altitudeEllipsoidMeters = nil
        flat.pose.positionSigmaENUMeters = nil
        (flat.pose.bodyToENU, flat.pose.originAltitudeEllipsoidMeters) = (nil, nil)
        var lying = Frame()
        lying.pose.bodyToENU = .init(1, 0, 0, 0)
        return [full, flat, lying, Frame()]
    }

    /// Fixes with both heights, with one of them, with none, without a place, and without sigmas.
    private static var fixes: [GnssFix] {
        let full = Sample.fullFix
        var (low, flat, placeless, plain) = (full, full, full, full)
        low.altitudeEllipsoidMeters = nil
        (flat.altitudeEllipsoidMeters, flat.altitudeMeanSeaMeters, flat.verticalSigmaMeters) = (nil, nil, nil)
        placeless.longitudeRadians = nil
        (plain.horizontalSigmaMeters, plain.horizontalVelocity) = (nil, nil)
        return [placeless, full, low, flat, plain]
    }

    private static func write(_ writer: inout DriveRecordingWriter) throws {
        writer.write(RoadFileIdentity(path: "/r.posed", content: "12 roads"))
        for (index, fix) in fixes.enumerated() { writer.write(.event(.gnss(fix)), number: UInt64(index + 1)) }
        writer.write(.tick(at(11.5)), number: 1 << 32)
        writer.write(.repetition(at(11.75)), number: (1 << 32) - 1)
        writer.write(.command(.setHeadingTrim(radians: 0.25)), number: 0)
        writer.write(.command(.setRoute(try Route(Sample.plan), version: 3)), number: 8)
        writer.write(.command(.setSpeedHorizon(Sample.fullHorizon)), number: 9)
        writer.write(.command(.reset(after: Sample.fullPast)), number: 10)
        for (index, frame) in frames.enumerated() { writer.write(frame, number: UInt64(index + 20)) }
        writer.write([
            Publication(number: 20, time: at(2), isNewest: true, isRepeat: false),
            Publication(number: 23, time: at(1.5), isNewest: false, isRepeat: true),
        ])
        writer.write([])
        writer.write(.event(.init(timeNanoseconds: 1_000_000_000, change: .route(version: 2))), time: at(1))
        var maneuver = Message.Maneuver(routeVersion: 1)
        (maneuver.index, maneuver.text) = (1, "turn")
        (maneuver.latitudeRadians, maneuver.longitudeRadians) = (0.741_79, 0.026_18)
        writer.write(.maneuver(maneuver), time: at(13))
        for level in [RecordedLogLine.Level.unknown, .debug, .info, .warning, .error, .fatal] {
            writer.write(RecordedLogLine(time: at(14), level: level, text: "a line"))
        }
        writer.finish()
    }

    @Test(arguments: [0, 1_700_000_000_123_456_789, -20_000_000_000] as [Int64])
    func aRecordingHasTheStoredMessages(offset: Int64) throws {
        // GIVEN a recording of every kind of message, whose clock is ahead of or behind UTC
        var info = RecordingInfo(release: "1.2", session: "s")
        (info.part, info.clockOffsetNanoseconds, info.publishedBefore) = (2, offset, 7)
        var settings = RecordedSettings()
        settings.file = Array("gps: {port: 1}".utf8)
        settings.options = (0..<3).map { RecordedSettings.Option(path: "a.b c", value: "\($0)") }
        var writer = DriveRecordingWriter(info: info, settings: settings)
        try Self.write(&writer)
        #expect(writer.anchor == nil)
        // THEN its messages are the stored ones
        let name = offset == 0 ? "messages" : offset > 0 ? "messages-ahead" : "messages-behind"
        #expect(try StoredText.differences(of: try Self.lines(writer.takeBytes()), from: name) == [])
    }

    @Test(arguments: [false, true]) func aPrivateRecordingHasTheStoredMessages(isLaterPart: Bool) throws {
        // GIVEN a private recording, which begins with a place or continues another part
        var info = RecordingInfo(release: "1.2", session: "s")
        (info.isPrivate, info.startsWithEngine, info.hasPublications, info.convertedFrom) = (true, true, true, "KITTI")
        let place = GeodeticPosition(latitudeDegrees: -33, longitudeDegrees: 20, altitudeEllipsoidMeters: 500)
        let first = GeodeticPosition(latitudeRadians: 0.7414, longitudeRadians: 0.0265, altitudeEllipsoidMeters: 900)
        var writer = DriveRecordingWriter(
            info: info, settings: RecordedSettings(), privatePlace: place, shiftingFrom: isLaterPart ? first : nil)
        try Self.write(&writer)
        // THEN its messages are the stored ones, and the first place is told to the next part
        let fix = Sample.fullFix
        let anchor = GeodeticPosition(
            latitudeRadians: fix.latitudeRadians ?? 0, longitudeRadians: fix.longitudeRadians ?? 0,
            altitudeEllipsoidMeters: fix.altitudeEllipsoidMeters ?? 0)
        #expect(writer.anchor == (isLaterPart ? nil : anchor))
        let name = isLaterPart ? "messages-private-later" : "messages-private"
        #expect(try StoredText.differences(of: try Self.lines(writer.takeBytes()), from: name) == [])
    }

    // MARK: - Facts

    @Test(
        arguments: [
            (nil, 0, true, false), (nil, 0, false, true), (nil, 1, true, true), (nil, 1, false, true),
            ("KITTI", 0, false, false), ("KITTI", 1, true, false),
        ] as [(String?, Int, Bool, Bool)])
    func aPartBeginsInMidRunOrNot(source: String?, part: Int, startsWithEngine: Bool, isMidRun: Bool) {
        var info = RecordingInfo(release: "", session: "")
        #expect(!info.startsWithEngine && !info.hasPublications && !info.isPrivate && info.part == 0)
        (info.convertedFrom, info.part, info.startsWithEngine) = (source, part, startsWithEngine)
        #expect(info.beginsInMidRun == isMidRun)
    }

    @Test func factsHaveTheirDefaultsAndTheirLimits() throws {
        // GIVEN only a format THEN the facts are the defaults
        let plain = try RecordingInfo(values: ["format": "1"])
        #expect(plain == RecordingInfo(release: "unknown", session: ""))
        // AND texts are shown without control characters, 64 at most
        let long = "\u{1B}[31m\u{7F}~ \u{1F}é" + String(repeating: "x", count: 80)
        let shown = try RecordingInfo(values: ["format": "1", "release": long, "converted_from": long])
        let expected = "[31m~ " + String(repeating: "x", count: 54)
        #expect(shown.release == expected && shown.convertedFrom == expected)
        for (format, problem) in [
            ("0", "the recording does not state its format"), ("x", "the recording does not state its format"),
            ("2", "the recording has format 2, this release reads up to 1"),
        ] {
            let fault = #expect(throws: LayoutFault.self) { try RecordingInfo(values: ["format": format]) }
            #expect(fault?.problem == problem)
            #expect(fault?.remedy == (format == "2" ? "read it with release newer or a later one" : nil))
        }
        for (name, found) in [
            ("starts_with_engine", \RecordingInfo.startsWithEngine), ("has_publications", \.hasPublications),
            ("is_private", \.isPrivate),
        ] {
            for (word, value) in [("true", true), ("false", false), ("TRUE", false)] {
                #expect(try RecordingInfo(values: ["format": "1", name: word])[keyPath: found] == value)
            }
        }
    }

    // MARK: - Bytes

    @Test(
        arguments: [
            (0, [0]), (1, [1]), (127, [127]), (128, [128, 1]), (300, [0xAC, 2]), (16_383, [0xFF, 0x7F]),
            (16_384, [0x80, 0x80, 1]), (.max, [255, 255, 255, 255, 255, 255, 255, 255, 255, 1]),
        ] as [(UInt64, [UInt8])])
    func aNumberHasItsBytes(number: UInt64, bytes: [UInt8]) throws {
        var writer = ProtobufWriter()
        writer.varint(number)
        #expect(writer.bytes == bytes)
        var reader = ProtobufReader(bytes[...])
        #expect(try reader.varint() == number && reader.isAtEnd)
        var short = ProtobufReader(bytes.dropLast())
        #expect(throws: LayoutFault.self) { try short.varint() }
        let signed = Int64(bitPattern: number)
        #expect(ZigZag.decode(ZigZag.encode(signed)) == signed)
        #expect(ZigZag.encode(-1) == 1 && ZigZag.encode(1) == 2 && ZigZag.encode(.min) == .max)
    }

    @Test(
        arguments: [
            ([], true), ([0x08, 5], true), ([0x00, 5], false), ([0x0B], false), ([0x0E, 0], false),
            ([0x0D, 1, 2, 3, 4], true), ([0x0D, 1, 2, 3], false), ([0x09, 1, 2, 3, 4, 5, 6, 7, 8], true),
            ([0x09, 1, 2, 3, 4, 5, 6, 7], false), ([0x0A, 2, 1, 2], true), ([0x0A, 3, 1, 2], false), ([0x0A, 0], true),
            ([0x08, 128, 128, 128, 128, 128, 128, 128, 128, 128, 1], true),
            ([0x08, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 1], false),
            // Field numbers have at most 32 bits here.
            ([0xF8, 0xFF, 0xFF, 0xFF, 0x7F, 0], true), ([0x80, 0x80, 0x80, 0x80, 0x80, 1, 0], false),
        ] as [([UInt8], Bool)])
    func aFieldIsReadOrDamaged(bytes: [UInt8], isRead: Bool) {
        let found = Result { () throws -> Int in
            var (reader, count) = (ProtobufReader(bytes[...]), 0)
            while try reader.next() != nil { count += 1 }
            return count
        }
        #expect((try? found.get()) == (isRead ? (bytes.isEmpty ? 0 : 1) : nil))
    }
}
