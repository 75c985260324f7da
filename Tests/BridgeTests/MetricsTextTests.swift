import BoundedJSON
import Frames
import MQTT
import MessageStore
import StoredTexts
import Testing

@testable import Bridge

/// The text of all metrics, whole, with everything known and with nothing.
@Suite struct MetricsTextTests {
    /// An answer to `status` with all members that metrics are made of, each with another number.
    private static let status = """
        {"uptime_s":12.5,"sources":[{"name":"gps1","kind":"gps","accepted":101,"rate_hz":4.5,"rejected":
        {"old":2,"late":3}},{"name":"icm","kind":"imu","accepted":102,"rate_hz":null,"rejected":{}},{}],
        "trust":{"receiver_sigma_factor":2.25,"rejected":{"fixOld":4},"aids":[
        {"source":"gnssPosition","innovation":-3,"innovation_variance":4,"test_ratio":0.75,"accepted_count":5,
        "rejected_count":6},{"source":"wheelSpeed","innovation":1,"innovation_variance":0,"test_ratio":null,
        "accepted_count":7,"rejected_count":8},{"innovation_variance":1}]},
        "clients":{"connected":9,"dropped":10},"engine":{"frames":11,"repeats":13,"frames_dropped":14,
        "measurements_dropped":{"gps1":15,"icm":16}}}
        """

    /// A frame in which every value that becomes a metric is known.
    private static var frame: Frame {
        var frame = Frame()
        (frame.guidance.state, frame.isSimulated) = (.onRoute, true)
        (frame.pose.state, frame.pose.fixAgeSeconds, frame.pose.resetCount) = (.deadReckoning, 0.75, 17)
        frame.pose.positionSigmaENUMeters = .init(1.5, 2.5, 3.5)
        (frame.pose.headingSigmaRadians, frame.pose.tiltSigmaRadians) = (0.5, 0.25)
        frame.pose.satellitesUsed = 18
        (frame.sources.gps, frame.sources.imu) = (.streaming, .stale)
        (frame.sources.gpsAgeSeconds, frame.sources.imuAgeSeconds) = (0.125, 0.25)
        (frame.sources.magnetometerAgeSeconds, frame.sources.barometerAgeSeconds) = (0.375, 0.5)
        frame.sources.wheelsAgeSeconds = 0.625
        return frame
    }

    @Test func everythingKnownIsWritten() throws {
        // GIVEN a frame, a status, a connection and a store in which every number is known THEN the text is the stored
        // one
        var facts = DaemonFacts()
        (facts.frame, facts.status) = (Self.frame, try JSONDocument(Self.status))
        for seconds in [0.002, 0.002, 0.5] { facts.latency.add(seconds: seconds) }
        var link = LinkStatus()
        (link.isConnected, link.connections, link.commands) = (true, 21, 22)
        (link.refusedMessages, link.deferredMessages) = (23, 24)
        for (index, kind) in BrokerFault.Kind.allCases.enumerated() { link.faults[kind] = UInt64(30 + index) }
        for (index, reason) in CommandRefusal.allCases.enumerated() { link.refusals[reason] = UInt64(40 + index) }
        var store = StoreCounters()
        (store.appended, store.acknowledged, store.thinned) = (51, 52, 53)
        (store.recovered, store.damaged, store.failedWrites) = (54, 55, 56)
        var text = MetricsText()
        text.add(facts)
        text.add(link: link)
        text.add(store: store, diskSize: 57)
        #expect(try StoredText.differences(of: text.text, from: "metrics") == [])
    }

    @Test func whatIsUnknownIsLeftOut() throws {
        // GIVEN a frame and a status without content, and a bridge that has just started THEN what is unknown is left
        // out, and counters are 0
        var facts = DaemonFacts()
        (facts.frame, facts.status) = (Frame(), try JSONDocument("{}"))
        var text = MetricsText()
        text.add(facts)
        text.add(link: LinkStatus())
        text.add(store: StoreCounters(), diskSize: 0)
        #expect(try StoredText.differences(of: text.text, from: "metrics-empty") == [])
    }

    @Test func aNumberIsWholeWhereItCanBe() {
        // GIVEN numbers below and from 1e15 on, a fraction, and signs that a label may not have THEN the first are
        // whole
        var text = MetricsText()
        text.metric(
            "m", .gauge, "Help.",
            [
                ([], -3), ([], 999_999_999_999_999), ([], 1e15), ([], 0.5), ([], .infinity),
                ([("a", "\u{1F}\u{20}\u{7E}\u{7F}"), ("b", String(repeating: "x", count: 201))], 1),
            ])
        #expect(
            text.text == "# HELP m Help.\n# TYPE m gauge\nm -3\nm 999999999999999\nm 1000000000000000.0\nm 0.5\n"
                + "m{a=\"  ~ \",b=\"\(String(repeating: "x", count: 200))\"} 1\n")
    }

    @Test func theBoardTellsReleaseAndLosses() {
        // GIVEN a board without broker WHEN a frame arrives, and the daemon is lost THEN it says so; what was lost
        // stays
        let board = MetricsBoard(id: "b1", link: nil, queue: nil)
        var frame = Self.frame
        frame.measuredNanoseconds = 1_000_000_000
        board.note(frame, arrivedNanoseconds: 1_250_000_000, lost: 7)
        let known = board.text(status: nil).split(separator: "\n")
        #expect(known.contains("posed_bridge_frames_lost_total 7") && known.contains("posed_up 1"))
        #expect(known.contains("posed_frame_latency_seconds_sum 0.25"))
        #expect(known.contains { $0.hasPrefix("posed_bridge_info{release=\"") && $0.hasSuffix("\",board=\"b1\"} 1") })
        #expect(!known.contains { $0.contains("_stored_bytes") || $0.contains("_connected") })
        board.noteLoss()
        let down = board.text(status: nil).split(separator: "\n")
        #expect(down.contains("posed_bridge_frames_lost_total 7") && down.contains("posed_up 0"))
    }

    /// The lines of a board's text.
    private func lines(_ board: MetricsBoard) -> [Substring] { board.text(status: nil).split(separator: "\n") }

    @Test func onlyANewMeasurementHasALatency() {
        // GIVEN a frame before the first measurement, one with a measurement, the same again later, and one with the
        // next measurement WHEN they arrive THEN the latencies are those of the two measurements
        let board = MetricsBoard(id: "b1", link: nil, queue: nil)
        var frame = Self.frame
        for (measured, arrived, count, sum) in [
            (0, 90_000_000_000, 0, "0"), (100_000_000_000, 100_250_000_000, 1, "0.25"),
            (100_000_000_000, 160_000_000_000, 1, "0.25"), (200_000_000_000, 200_500_000_000, 2, "0.75"),
        ] as [(Int64, Int64, Int, String)] {
            frame.measuredNanoseconds = measured
            board.note(frame, arrivedNanoseconds: arrived, lost: 0)
            let lines = lines(board)
            #expect(lines.contains("posed_frame_latency_seconds_count \(count)"), "\(arrived)")
            #expect(lines.contains("posed_frame_latency_seconds_sum \(sum)"), "\(arrived)")
        }
    }

    @Test func aDaemonThatIsSilentIsNotUp() {
        // GIVEN a frame WHEN nothing comes THEN the daemon is up for five seconds, and again with the next frame
        let board = MetricsBoard(id: "b1", link: nil, queue: nil)
        board.note(Self.frame, arrivedNanoseconds: 10_000_000_000, lost: 0)
        board.noteSilence(nowNanoseconds: 15_000_000_000)
        #expect(lines(board).contains("posed_up 1"))
        board.noteSilence(nowNanoseconds: 15_000_000_001)
        #expect(lines(board).contains("posed_up 0"))
        board.note(Self.frame, arrivedNanoseconds: 20_000_000_000, lost: 0)
        #expect(lines(board).contains("posed_up 1"))
    }
}
