import EngineRuntime
import Frames
import PoseMath
import Testing

@testable import Publishing

/// A display is told when the engine makes no frames, although the last one is sent again and again.
@Suite struct StalledEngineTests {
    @Test(arguments: [false, true]) func repeatedFramesAreNotTheRateThatWasAskedFor(keepsEvery: Bool) {
        // GIVEN a client that asked for 10 Hz, as a display or as a logger
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 1000))
        let pair = SocketPair(.frames)
        fanOut.admit(pair.client, now: at(0))
        var wish = Message.Subscription(topics: .all, rateMillihertz: 10_000)
        wish.wantsEvery = keepsEvery
        fanOut.subscribe(pair.client, wish, now: at(0))
        var (tenth, sequence, frames) = (0, UInt64(0), 0)
        /// Publishes at 10 Hz for some seconds; the changes of the rate that the client was told.
        func run(seconds: Int, isStalled: Bool) -> [Message.Change] {
            var told: [Message.Change] = []
            for _ in 0..<(10 * seconds) {
                var frame = Frame()
                if !isStalled { sequence += 1 }
                frame.sequence = sequence
                fanOut.publish(PublishedFrame(frame: frame, isRepeat: isStalled), now: at(Double(tenth) / 10))
                fanOut.sweep(now: at(Double(tenth) / 10))
                tenth += 1
                for message in pair.messages().map(\.message) {
                    if case .event(let event) = message { told.append(event.change) }
                    if case .frame = message { frames += 1 }
                }
            }
            return told
        }
        // WHEN the engine makes frames THEN nothing is told
        #expect(run(seconds: 6, isStalled: false) == [])
        // WHEN it stalls THEN the client still gets frames, and is told once that they come too seldom
        let before = frames
        let stalled = run(seconds: 10, isStalled: true)
        #expect(frames - before >= 99)
        guard case .frameRate(isLow: true, let millihertz)? = stalled.first, stalled.count == 1 else {
            Issue.record("\(stalled)")
            return
        }
        #expect(millihertz < 9000 && pair.client.isRateLow)
        // WHEN it goes on THEN that is told too
        #expect(run(seconds: 10, isStalled: false).count == 1 && !pair.client.isRateLow)
    }

    private func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(seconds * 1e9))
    }
}
