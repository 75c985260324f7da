import CPosed
import Foundation
import Frames
import SeededNumbers
import Testing

@Suite struct BinaryTests {
    @Test func aFrameSurvivesEncodingAndDecoding() throws {
        // GIVEN a frame in which everything is known; WHEN it is encoded and decoded; THEN it is equal, with angles
        // within one rounding of degrees.
        let delivery = Message.Delivery(topics: [.pose, .guidance, .speed, .sources], dropped: 12)
        let packet = Message.frame(SampleFrames.full, delivery).packet(sequence: 77)
        #expect(packet.count == BinaryFrameEncoder.longestPacket)
        let received = try decoded(packet)
        #expect(received.sequence == 77)
        guard case .frame(let frame, delivery) = received.message else {
            Issue.record("not that frame: \(received)")
            return
        }
        #expect(rounded(frame) == rounded(SampleFrames.full))
    }

    @Test func everyFieldOfTheTablesIsEncodedAndDecoded() throws {
        // GIVEN a frame in which every field of the tables has a different value; WHEN it is encoded and decoded; THEN
        // it is equal. This tests a new field without another line here.
        let filled = FieldFiller<UInt8>.filled()
        let packet = Message.frame(filled, .init(topics: .inFrames, dropped: 0)).packet(sequence: 1)
        guard case .frame(let frame, _) = try decoded(packet).message else {
            Issue.record("no frame")
            return
        }
        var encoder = JSONFrameEncoder()
        #expect(encoder.text(frame) == encoder.text(filled))
        // In the whole line only UTC is unknown.
        #expect(encoder.text(frame).components(separatedBy: "null").count == 2)
    }

    @Test func aBearingJustBelowNorthIsWrittenAsNorth() throws {
        // GIVEN a bearing of 359.999 99 degrees, which is 360 in single precision
        var scene = Message.Scene()
        var turn = Message.ScenePoint(number: 1, kind: .turn)
        turn.sight.bearingRadians = 359.999_99 * Double.pi / 180
        scene.points = [turn]
        // WHEN it is encoded THEN it is 0: bearings are below 360
        guard case .scene(let received) = try decoded(Message.scene(scene).packet(sequence: 1)).message else {
            Issue.record("no scene")
            return
        }
        #expect(received.points.first?.sight.bearingRadians == 0)
    }

    @Test func aRouteHas500PointsAnd256PlacesAtMost() throws {
        // GIVEN a route with more of both WHEN it is encoded THEN the first ones are sent
        var route = Message.RouteLine()
        route.points = (0..<700).map {
            .init(latitudeRadians: 0.5, longitudeRadians: 0.25, alongRouteMeters: Double($0))
        }
        route.places = (0..<700).map {
            .init(
                kind: .waypoint, number: UInt32($0), latitudeRadians: 0.5, longitudeRadians: 0.25, alongRouteMeters: 1)
        }
        guard case .route(let received) = try decoded(Message.route(route).packet(sequence: 1)).message else {
            Issue.record("no route")
            return
        }
        #expect(received.points.map(\.alongRouteMeters) == (0..<500).map { Double($0) })
        #expect(received.places.map(\.number) == Array(0..<256))
    }

    @Test func unknownValuesStayUnknown() throws {
        let packet = Message.frame(Frame(), .init(topics: [.pose, .guidance, .speed, .sources], dropped: 0)).packet(
            sequence: 1)
        guard case .frame(let frame, _) = try decoded(packet).message else {
            Issue.record("no frame")
            return
        }
        #expect(frame == Frame())
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
    func nonFiniteNumbersAreNotSent(_ poison: Double) throws {
        // GIVEN a frame with invalid numbers; WHEN encoded; THEN the packet has no byte pattern of an invalid number,
        // and its bits are cleared.
        let packet = Message.frame(SampleFrames.poisoned(poison), .init(topics: .all, dropped: 0)).packet(sequence: 1)
        for offset in stride(from: 88, to: packet.count, by: 8) {
            let value = packet.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Double.self) }
            #expect(value.isFinite && abs(value) < 1e200, "at \(offset)")
        }
        let pose = packet.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 88, as: posed_pose.self) }
        #expect(pose.block.valid == POSED_POSE_SATELLITES)
    }

    @Test func topicsChooseBlocks() throws {
        // GIVEN one encoder; WHEN clients with different topics take their packets in turn; THEN each packet has its
        // own blocks and counters.
        var encoder = BinaryFrameEncoder()
        encoder.encode(SampleFrames.full)
        for (index, topics) in [Topics.all, [.speed], [], [.pose, .sources], .all].enumerated() {
            let packet = encoder.withPacket(topics: topics, sequence: UInt64(index), dropped: UInt64(index) * 10) {
                Array($0)
            }
            let received = try decoded(packet)
            guard case .frame(let frame, let delivery) = received.message else {
                Issue.record("no frame")
                return
            }
            #expect(packet.count == BinaryFrameEncoder.length(topics: topics))
            #expect(received.sequence == UInt64(index))
            #expect(delivery == .init(topics: topics.intersection(.inFrames), dropped: UInt64(index) * 10))
            #expect((frame.speed.speedMetersPerSecond == nil) == !topics.contains(.speed))
            #expect(frame.sequence == SampleFrames.full.sequence)
        }
    }

    @Test func otherMessagesSurviveEncodingAndDecoding() throws {
        for message in SampleMessages.all {
            let packet = message.packet(sequence: 5)
            #expect(packet.count % 8 == 0)
            #expect(try decoded(packet) == ReceivedMessage(sequence: 5, message: message))
        }
    }

    @Test func longTextsAreCutAtACharacter() throws {
        let packet = Message.bye(.init(reason: .malformed, text: String(repeating: "🛰", count: 50_000))).packet(
            sequence: 1)
        guard case .bye(let bye) = try decoded(packet).message else {
            Issue.record("no bye")
            return
        }
        #expect(!bye.text.isEmpty && bye.text.utf8.count <= 4096 && bye.text.allSatisfy { $0 == "🛰" })
    }

    @Test func longerStructsUnknownBlocksAndTypesAreSkipped() throws {
        // GIVEN a packet of a later version: a longer speed block, and a block of an unknown id before it; WHEN
        // decoded; THEN the known content is read.
        var packet = Message.frame(SampleFrames.full, .init(topics: [.speed], dropped: 3)).packet(sequence: 9)
        let speed = Array(packet[88...])
        packet.removeLast(speed.count)
        packet += [0x30, 0x75, 16, 0, 0xFF, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0xEE, count: 8)
        var longer = speed + [UInt8](repeating: 0xDD, count: 24)
        longer[2] = UInt8(longer.count)
        packet += longer
        packet[8] = UInt8(packet.count & 255)
        packet[9] = UInt8(packet.count >> 8)
        packet[12] = 3
        guard case .frame(let frame, let delivery) = try decoded(packet).message else {
            Issue.record("no frame")
            return
        }
        #expect(frame.speed == SampleFrames.full.speed && delivery == .init(topics: [.speed], dropped: 3))
        #expect(try decoded(Message.unknown(type: 999).packet(sequence: 4)).message == .unknown(type: 999))
    }

    @Test func codesOfALaterReleaseAreReadAsUnknown() throws {
        // GIVEN messages with states, flags, validity bits, an event and a reason that this release does not know; WHEN
        // decoded; THEN a state is the least trusted one, an event is unknown, and all other content is as sent.
        var packet = Message.frame(SampleFrames.full, .init(topics: .inFrames, dropped: 0)).packet(sequence: 1)
        let guidance = 88 + MemoryLayout<posed_pose>.size
        let speed = guidance + MemoryLayout<posed_guidance>.size
        let sources = speed + MemoryLayout<posed_speed>.size
        for place in [24, 88, guidance, speed, sources] { packet[place + 7] |= 0xE0 }
        for place in [88, guidance, speed, speed + 1, sources, sources + 4] { packet[place + 8] = 200 }
        packet[88 + 15] |= 0x80
        guard case .frame(let frame, _) = try decoded(packet).message else {
            Issue.record("no frame")
            return
        }
        var expected = rounded(SampleFrames.full)
        (expected.pose.state, expected.guidance.state) = (.lost, .waiting)
        (expected.speed.colour, expected.speed.limitSource) = (.unknown, .none)
        (expected.sources.gps, expected.sources.wheels) = (.absent, .absent)
        #expect(rounded(frame) == expected)
        var event = Message.event(.init(timeNanoseconds: 5, change: .reset(count: 1))).packet(sequence: 1)
        event[24 + 16] = 200
        #expect(try decoded(event).message == .unknown(type: 5))
        var bye = Message.bye(.init(reason: .stopping, text: "until later")).packet(sequence: 1)
        bye[24 + 8] = 200
        #expect(try decoded(bye).message == .bye(.init(reason: .unknown, text: "until later")))
    }

    @Test func everyTruncationIsRefused() {
        // GIVEN each message truncated at each byte, with the original and with the actual length in the header; WHEN
        // decoded; THEN it is rejected, and nothing traps.
        for message in SampleMessages.all + [.frame(SampleFrames.full, .init(topics: .all, dropped: 0))] {
            let whole = message.packet(sequence: 1)
            for length in 0..<whole.count {
                var cut = Array(whole[..<length])
                #expect(throws: BinaryError.self) { try decoded(cut) }
                guard length >= 12 else { continue }
                cut.replaceSubrange(8..<12, with: [UInt8(length & 255), UInt8(length >> 8), 0, 0])
                #expect(throws: BinaryError.self) { try decoded(cut) }
            }
        }
    }

    @Test func noiseNeverTraps() {
        // GIVEN valid packets with some changed bytes, from a fixed seed; WHEN decoded; THEN the result is a message or
        // an error, and every number in a message is finite.
        var random = SplitMix64(seed: 0x5eed_0002)
        let packets = (SampleMessages.all + [.frame(SampleFrames.full, .init(topics: .all, dropped: 0))]).map {
            $0.packet(sequence: 1)
        }
        var understood = 0
        for _ in 0..<30_000 {
            var packet = packets[Int(random.next() % UInt64(packets.count))]
            for _ in 0...(random.next() % 4) {
                packet[Int(random.next() % UInt64(packet.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            guard let received = try? decoded(packet) else { continue }
            understood += 1
            if case .frame(let frame, _) = received.message {
                #expect(frame.pose.latitudeRadians?.isFinite ?? true)
                #expect(
                    frame.pose.velocityENUMetersPerSecond.map { $0.x.isFinite && $0.y.isFinite && $0.z.isFinite }
                        ?? true)
            }
        }
        #expect(understood > 1000)
    }

    @Test func bothFormsHaveTheSameContent() throws {
        // GIVEN the golden frame; WHEN the decoded binary form is written as JSON; THEN the line equals that of the
        // frame itself.
        let packet = Message.frame(SampleFrames.full, .init(topics: .all, dropped: 0)).packet(sequence: 1)
        guard case .frame(let frame, _) = try decoded(packet).message else {
            Issue.record("no frame")
            return
        }
        var encoder = JSONFrameEncoder()
        #expect(encoder.text(frame) == encoder.text(SampleFrames.full))
    }

    private func decoded(_ packet: [UInt8]) throws -> ReceivedMessage {
        try packet.withUnsafeBytes { try ReceivedMessage(packet: $0) }
    }

    /// The frame with its angles rounded to a relative 1e-13, after two conversions to degrees.
    private func rounded(_ frame: Frame) -> Frame {
        func round(_ value: inout Double?) { value = value.map { ($0 * 1e13).rounded() * 1e-13 } }
        var frame = frame
        round(&frame.pose.latitudeRadians)
        round(&frame.pose.longitudeRadians)
        round(&frame.pose.originLatitudeRadians)
        round(&frame.pose.originLongitudeRadians)
        round(&frame.pose.rollRadians)
        round(&frame.pose.pitchRadians)
        round(&frame.pose.headingTrueRadians)
        round(&frame.pose.headingMagneticRadians)
        round(&frame.pose.courseOverGroundRadians)
        round(&frame.pose.tiltSigmaRadians)
        round(&frame.pose.headingSigmaRadians)
        round(&frame.pose.turnRateRadiansPerSecond)
        round(&frame.guidance.segmentBearingRadians)
        round(&frame.guidance.turnAngleRadians)
        frame.pose.headingTrimRadians = (frame.pose.headingTrimRadians * 1e13).rounded() * 1e-13
        frame.pose.resetDeltaHeadingRadians = (frame.pose.resetDeltaHeadingRadians * 1e13).rounded() * 1e-13
        frame.pose.glideHeadingRadians = (frame.pose.glideHeadingRadians * 1e13).rounded() * 1e-13
        return frame
    }
}
