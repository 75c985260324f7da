import Foundation
import Frames
import Testing

/// Stored packets of version 1 in hexadecimal: every later reader must understand them, and every writer of version 1
/// must write them. They contain ``SampleFrames/full`` and ``SampleMessages/all``, with the sequence number 41.
/// One after the other: when they are written, the values are those of the new packets.
@Suite(.serialized) struct GoldenTests {
    private static let topics: Topics = [.pose, .guidance, .speed, .sources]

    private static var messages: [(name: String, message: Message)] {
        let names = [
            "hello", "subscribe", "maneuver", "no-maneuver", "maneuver-then", "route", "no-route",
            "bye-too-many", "bye-stopping", "status", "scene",
            "points", "shared", "event-pose",
            "event-guidance", "event-source", "event-route", "event-reset", "event-origin",
            "event-target", "event-maneuver-reached", "event-waypoint-reached", "event-departed", "event-rejoined",
            "event-waypoint-skipped", "event-frame-rate",
        ]
        return [
            ("frame", .frame(SampleFrames.full, .init(topics: topics, dropped: 3))),
            ("frame-ecef", .frame(SampleFrames.full, .init(topics: [.pose, .speed, .ecef], dropped: 3))),
        ] + Array(zip(names, SampleMessages.all))
    }

    @Test func theBytesAreThoseOfVersion1() throws {
        #expect(Self.messages.count == SampleMessages.all.count + 2)
        for (name, message) in Self.messages {
            let packet = message.packet(sequence: 41)
            // For a new message: its file is written once by hand, and never changed.
            if ProcessInfo.processInfo.environment["POSED_WRITE_GOLDEN"] != nil { try Golden.write(packet, name) }
            #expect(try Golden.bytes(name) == packet, "\(name)")
        }
    }

    @Test func theBytesOfVersion1AreRead() throws {
        for (name, message) in Self.messages where !name.hasPrefix("frame") {
            #expect(try received(name) == ReceivedMessage(sequence: 41, message: message), "\(name)")
        }
        guard case .frame(let frame, let delivery) = try received("frame").message else {
            Issue.record("no frame")
            return
        }
        var encoder = JSONFrameEncoder()
        #expect(encoder.text(frame) == encoder.text(SampleFrames.full))
        #expect(delivery == .init(topics: Self.topics, dropped: 3))
        guard case .frame(let pose, let parts) = try received("frame-ecef").message else {
            Issue.record("no frame")
            return
        }
        #expect(parts == .init(topics: [.pose, .speed, .ecef], dropped: 3))
        #expect(pose.pose.ecefMeters == frame.pose.ecefMeters && pose.pose.ecefMeters != nil)
    }

    @Test func theValuesOfThePacketsAreThoseOfVersion1() throws {
        // GIVEN every stored packet, also those of older writers; WHEN it is decoded and written as a line; THEN the
        // line is the one beside it, which the tests of all clients read.
        for name in try Golden.names() {
            let text = GoldenValues.text(try received(name).message)
            if ProcessInfo.processInfo.environment["POSED_WRITE_GOLDEN"] != nil { try Golden.write(text, name) }
            #expect(try Golden.values(name) == text, "\(name)")
        }
    }

    @Test func shorterStructsOfAnOlderWriterAreRead() throws {
        // GIVEN messages of a writer without the newest fields; WHEN decoded; THEN the sent values are read, and the
        // others are unknown or empty.
        guard case .frame(let frame, let delivery) = try received("shorter-frame").message else {
            Issue.record("no frame")
            return
        }
        var encoder = JSONFrameEncoder()
        #expect(encoder.text(frame) == encoder.text(Self.frameOfAnOlderWriter))
        #expect(delivery == .init(topics: Self.topics, dropped: 3))
        var maneuver = SampleMessages.all[2]
        if case .maneuver(var whole) = maneuver {
            whole.lanes = []
            maneuver = .maneuver(whole)
        }
        #expect(try received("shorter-maneuver").message == maneuver)
        guard let last = Self.messages.first(where: { $0.name == "status" }), case .status(var status) = last.message
        else {
            Issue.record("no status")
            return
        }
        (status.mount, status.magnetometer, status.isSimulated) = (nil, nil, false)
        #expect(try received("shorter-status").message == .status(status))
        #expect(
            try received("shorter-subscribe").message
                == .subscribe(.init(topics: [.pose, .events], rateMillihertz: 200_000)))
    }

    /// The full frame without the fields that the first writers did not have.
    private static let frameOfAnOlderWriter: Frame = {
        var frame = SampleFrames.full
        frame.measuredNanoseconds = 0
        frame.publishedNanoseconds = 0
        frame.pose.accelerationENUMetersPerSecondSquared = nil
        frame.pose.turnRateRadiansPerSecond = nil
        frame.pose.headingMagneticSigmaRadians = nil
        frame.pose.isBlending = false
        frame.pose.glideENUMeters = .init(0, 0, 0)
        frame.pose.glideHeadingRadians = 0
        frame.guidance.jumpCount = 0
        frame.guidance.jumpDeltaMeters = 0
        frame.guidance.isInTunnel = false
        frame.speed.nextLimitMetersPerSecond = nil
        frame.speed.distanceToNextLimitMeters = nil
        frame.speed.nextLimitSource = .none
        frame.speed.curveSpeedMetersPerSecond = nil
        frame.speed.distanceToCurveMeters = nil
        frame.speed.hasCondition = false
        (frame.speed.limitReason, frame.speed.nextLimitReason) = (.none, .none)
        frame.speed.indicatedMetersPerSecond = nil
        (frame.guidance.distanceToThenMeters, frame.guidance.ageSeconds, frame.speed.ageSeconds) = (nil, nil, nil)
        (frame.sources.gpsAgeSeconds, frame.sources.imuAgeSeconds) = (nil, nil)
        (frame.sources.magnetometerAgeSeconds, frame.sources.barometerAgeSeconds) = (nil, nil)
        frame.sources.wheelsAgeSeconds = nil
        return frame
    }()

    private func received(_ name: String) throws -> ReceivedMessage {
        try Golden.bytes(name).withUnsafeBytes { try ReceivedMessage(packet: $0) }
    }
}

/// The stored packet files.
enum Golden {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "Golden/version1")

    /// The bytes of one stored packet.
    static func bytes(_ name: String) throws -> [UInt8] {
        bytes(hexadecimal: try String(contentsOf: folder.appendingPathComponent("\(name).hex"), encoding: .utf8))
    }

    /// The names of all stored packets.
    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".hex") }.map {
            String($0.dropLast(4))
        }.sorted()
    }

    /// The values of one stored packet: its line on the stream socket.
    static func values(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent("\(name).json"), encoding: .utf8)
    }

    /// Stores the values of a packet.
    static func write(_ values: String, _ name: String) throws {
        try values.write(to: folder.appendingPathComponent("\(name).json"), atomically: true, encoding: .utf8)
    }

    /// The bytes of pairs of hexadecimal digits; spaces and newlines between them are ignored.
    static func bytes(hexadecimal text: String) -> [UInt8] {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    static func write(_ bytes: [UInt8], _ name: String) throws {
        let lines = stride(from: 0, to: bytes.count, by: 32).map { begin in
            bytes[begin..<min(begin + 32, bytes.count)].map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                .joined()
        }
        try (lines.joined(separator: "\n") + "\n").write(
            to: folder.appendingPathComponent("\(name).hex"), atomically: true, encoding: .utf8)
    }
}

/// A message as one line of JSON.
enum GoldenValues {
    /// The line of the stream socket. Messages that have none, because only the binary socket has them, get a line of
    /// the same kind.
    static func text(_ message: Message) -> String {
        var writer = JSONWriter()
        switch message {
        case .frame(let frame, let delivery):
            var encoder = JSONFrameEncoder()
            encoder.encodeParts(frame)
            return encoder.withLine(topics: delivery.topics, dropped: delivery.dropped) {
                String(decoding: $0, as: UTF8.self)
            }
        case .subscribe(let wish):
            writer.literal("{\"type\":\"subscribe\"")
            writer.topics(wish.topics)
            writer.number(",\"rate_hz\":", Double(wish.rateMillihertz) / 1000, decimals: 3)
            writer.boolean(",\"every\":", wish.wantsEvery)
            writer.boolean(",\"smooth\":", wish.isSmooth)
            writer.boolean(",\"shared\":", wish.wantsSharedMemory)
            writer.boolean(",\"ecef\":", wish.wantsECEF)
            writer.integer(",\"lead_ms\":", wish.leadMilliseconds)
            writer.literal("}\n")
        case .shared(let size):
            writer.integer("{\"type\":\"shared\",\"size\":", size)
            writer.literal("}\n")
        default: writer.message(message)
        }
        return writer.text
    }
}
