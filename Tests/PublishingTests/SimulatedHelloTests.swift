import EngineRuntime
import Frames
import PoseMath
import Testing

@testable import Publishing

/// A client learns that a simulated drive begins before its first frame.
@Suite struct SimulatedHelloTests {
    @Test(arguments: [true, false]) func theHelloPrecedesTheFirstSimulatedFrame(follows: Bool) {
        // GIVEN clients that were told of real sensors WHEN frames of sensors and then of a simulated drive are
        // published, and of sensors again
        let fanOut = FanOut(hello: .init(release: "test"))
        #expect(!fanOut.followsFrames)
        fanOut.followsFrames = follows
        let (frames, stream) = (SocketPair(.frames), SocketPair(.stream))
        for pair in [frames, stream] {
            fanOut.admit(pair.client, now: at(0))
            fanOut.subscribe(pair.client, .init(topics: [.pose], rateMillihertz: 0), now: at(0))
        }
        for (k, isSimulated) in [false, true, true, false].enumerated() {
            var frame = Frame()
            (frame.sequence, frame.isSimulated) = (UInt64(k), isSimulated)
            fanOut.publish(PublishedFrame(frame: frame, isRepeat: false), now: at(Double(k)))
        }
        // THEN the new hello comes before the first frame of each kind
        let told = frames.messages().map { received in
            switch received.message {
            case .hello(let hello): "hello \(hello.isSimulated)"
            case .frame(let frame, _): "frame \(frame.isSimulated)"
            default: "other"
            }
        }
        let frameWords = ["frame false", "frame true", "frame true", "frame false"]
        #expect(
            told
                == (follows
                    ? [
                        "hello false", "frame false", "hello true", "frame true", "frame true", "hello false",
                        "frame false",
                    ]
                    : ["hello false"] + frameWords))
        let lines = String(decoding: stream.receive() ?? [], as: UTF8.self).split(separator: "\n")
        let types = lines.map { $0.contains("\"hello\"") ? "h" : "f" }.joined()
        #expect(types == (follows ? "hfhffhf" : "hffff"), "\(types)")
    }

    private func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(seconds * 1e9))
    }
}
