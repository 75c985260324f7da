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
        for (time, isFresh) in [
            (Int64.min, false), (.max, true), (now, true), (now - FrameClient.oldNanoseconds, true),
            (now - FrameClient.oldNanoseconds - 1, false),
        ] {
            #expect(FrameClient.isFresh(timeNanoseconds: time, now: now) == isFresh)
        }
    }
}
