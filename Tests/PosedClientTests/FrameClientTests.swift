import Frames
import Testing

@testable import PosedClient

/// Tests without a daemon; the others are integration tests.
@Suite struct FrameClientTests {
    @Test(arguments: [Double.nan, -Double.infinity, -1, 0, 0.001]) func anyTimeoutIsAccepted(seconds: Double) {
        // GIVEN a socket that does not exist; WHEN waiting with that timeout; THEN the client reports that there is no
        // connection
        var client = FrameClient(path: "/nonexistent/frames", subscription: .init(topics: .all, rateMillihertz: 0))
        guard case .disconnected = client.next(timeoutSeconds: seconds) else {
            Issue.record("connected to nothing")
            return
        }
        #expect(client.latestFrame(timeoutSeconds: seconds) == nil)
    }

    @Test func frameAgeIsCheckedForAnyTime() {
        // GIVEN frames with any time that the daemon may write; THEN only those not older than the limit are fresh
        let now: Int64 = 5_000_000_000
        let client = FrameClient(path: "/nonexistent/frames", subscription: .init(topics: .pose, rateMillihertz: 0))
        for (time, isFresh) in [
            (Int64.min, false), (.max, true), (now, true), (now - FrameClient.oldNanoseconds, true),
            (now - FrameClient.oldNanoseconds - 1, false),
        ] {
            let result = client.isFresh(timeNanoseconds: time, now: now)
            #expect(result == isFresh)
        }
    }

    @Test func theLeadMakesNoFrameFresh() {
        // GIVEN a subscription to frames that are predicted 100 ms beyond their publishing THEN only those are fresh
        // that were published at most 50 ms ago, at least 50 ms ahead of now
        let now: Int64 = 5_000_000_000
        var wish = Message.Subscription(topics: .pose, rateMillihertz: 60_000)
        wish.leadMilliseconds = 100
        let client = FrameClient(path: "/nonexistent/frames", subscription: wish)
        for (time, isFresh) in [
            (now + 50_000_000, true), (now + 50_000_000 - 1, false), (now, false), (Int64.min, false), (.max, true),
        ] {
            let result = client.isFresh(timeNanoseconds: time, now: now)
            #expect(result == isFresh)
        }
    }
}
