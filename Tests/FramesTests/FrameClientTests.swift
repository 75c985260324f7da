import Testing

@testable import Frames

/// What needs no daemon; the rest is among the integration tests.
@Suite struct FrameClientTests {
    @Test(arguments: [Double.nan, -Double.infinity, -1, 0, 0.001]) func anyTimeToWaitIsATime(seconds: Double) {
        // GIVEN a socket that is not there; WHEN waited for so long; THEN the client says that there is no connection
        var client = FrameClient(path: "/nonexistent/frames", subscription: .init(topics: .all, rateMillihertz: 0))
        guard case .disconnected = client.next(timeoutSeconds: seconds) else {
            Issue.record("connected to nothing")
            return
        }
        #expect(client.latestFrame(timeoutSeconds: seconds) == nil)
    }

    @Test func aFrameOfAnyTimeIsFreshOrOld() {
        // GIVEN frames whose time is whatever the other side wrote; THEN only what is not older than the limit is fresh
        let now: Int64 = 5_000_000_000
        for (time, isFresh) in [
            (Int64.min, false), (.max, true), (now, true), (now - FrameClient.oldNanoseconds, true),
            (now - FrameClient.oldNanoseconds - 1, false),
        ] {
            #expect(FrameClient.isFresh(timeNanoseconds: time, now: now) == isFresh)
        }
    }
}
