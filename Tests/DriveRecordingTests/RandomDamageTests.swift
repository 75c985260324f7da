import Engine
import MCAP
import Measurements
import PoseMath
import SeededNumbers
import Testing

@testable import DriveRecording

/// Messages of any bytes inside intact chunks give entries or one problem, and never stop the program.
@Suite struct RandomDamageTests {
    /// Seeds of failures found by this test stay in the list.
    @Test(arguments: [11, 12, 13, 14] as [UInt64]) func randomMessagesAreReadOrRefused(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        // GIVEN a valid message for each kind of input
        var samples: [(Topic, [UInt8])] = []
        var fields = ProtobufWriter()
        MeasurementLayouts.fix.encode(Sample.fullFix, to: &fields)
        samples.append((.fix, fields.bytes))
        fields.clear()
        RouteLayout.route.encode(RouteMessage(Sample.plan, version: 1, time: at(1)), to: &fields)
        samples.append((.route, fields.bytes))
        fields.clear()
        CommandLayouts.roadAhead.encode(Sample.fullHorizon, to: &fields)
        samples.append((.roadAhead, fields.bytes))
        fields.clear()
        if let reset = CommandMessage(.reset(after: Sample.fullPast), time: at(2)) {
            CommandLayouts.command.encode(reset, to: &fields)
        }
        samples.append((.command, fields.bytes))
        for topic in Topic.allCases { samples.append((topic, [0x09, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 1, 0x1A, 2, 1, 2])) }
        for _ in 0..<1500 {
            // WHEN some of its bytes are changed, removed or repeated
            var (topic, bytes) = samples[Int(random.next() % UInt64(samples.count))]
            for _ in 0...Int(random.next() % 4) where !bytes.isEmpty {
                let place = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 3 {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.removeSubrange(place..<min(place + Int(random.next() % 20), bytes.count))
                default: bytes.insert(contentsOf: bytes[place..<min(place + 9, bytes.count)], at: place)
                }
            }
            // THEN the engine takes what is read, or the file is named in the problem
            var engine = Engine()
            let problem = read(topic, bytes) { _ = engine.apply($0) }
            #expect(problem?.hasPrefix("random.mcap: byte ") ?? true)
        }
    }

    private func read(_ topic: Topic, _ data: [UInt8], _ body: (EngineInput) -> Void) -> String? {
        var writer = MCAPWriter(profile: "posed", library: "test")
        let channel = writer.addChannel(topic: topic.rawValue, encoding: topic.messageEncoding, schema: 0)
        writer.add(MCAPMessage(channel: channel, sequence: 1, logTime: 0, publishTime: 0, data: data[...]))
        writer.finish()
        var reader = DriveRecordingReader(bytes: writer.takeBytes(), path: "random.mcap")
        do throws(MCAPProblem) {
            while let entry = try reader.next() { if case .input(let input, _) = entry { body(input) } }
            return nil
        } catch { return error.description }
    }
}
