import Configuration
import Frames
import MQTT
import Testing

@testable import Bridge

/// The messages for other programs, byte by byte, and the limits of the gate and the schedule.
@Suite struct ExactMessagesTests {
    // MARK: - OwnTracks

    private func location(_ id: String = "board7", _ change: (inout Frame) -> Void) -> String? {
        var frame = Frame()
        frame.utcNanoseconds = 1_785_000_000_999_999_999
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (-.pi / 4, .pi / 2)
        change(&frame)
        return OwnTracks.location(frame, id: id).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func aLocationHasOnlyWhatIsKnown() {
        let place = "{\"_type\":\"location\",\"lat\":-45.0000000,\"lon\":90.0000000,\"tst\":1785000000"
        // GIVEN a place alone THEN nothing else is written, and the name has at most two letters
        #expect(location { _ in } == place + ",\"tid\":\"d7\"}")
        #expect(location("x") { _ in } == place + ",\"tid\":\"x\"}")
        // GIVEN each other value alone THEN it is a whole number in its unit
        #expect(location { $0.pose.positionSigmaENUMeters = .init(3, 4.1, 50) } == place + ",\"acc\":6,\"tid\":\"d7\"}")
        #expect(
            location { $0.pose.positionSigmaENUMeters = .init(2e6, 0, 0) } == place + ",\"acc\":1000000,\"tid\":\"d7\"}"
        )
        #expect(location { $0.pose.altitudeMeanSeaMeters = -7.6 } == place + ",\"alt\":-8,\"tid\":\"d7\"}")
        #expect(location { $0.pose.courseOverGroundRadians = 6.28 } == place + ",\"cog\":359,\"tid\":\"d7\"}")
        #expect(
            location { $0.pose.velocityENUMetersPerSecond = .init(3, -4, 12) } == place + ",\"vel\":18,\"tid\":\"d7\"}")
        // GIVEN no time, or one before 1970 THEN nothing is written
        for utc in [nil, 0, -1] as [Int64?] { #expect(location { $0.utcNanoseconds = utc } == nil) }
        #expect(location { $0.utcNanoseconds = 1 }?.contains("\"tst\":0") == true)
        #expect(location { $0.pose.longitudeRadians = nil } == nil)
    }

    // MARK: - Home Assistant

    @Test func homeAssistantGetsTheseMessages() {
        let topics = BoardTopics(prefix: "fleet/a", id: "b.1")
        let messages = HomeAssistant.discovery(
            prefix: "ha", identity: BoardIdentity(id: "b.1", boot: ""), topics: topics, release: "1.2", rateHertz: 1)
        func end(_ key: String, isSensor: Bool = true) -> String {
            let available =
                ",\"availability_topic\":\"fleet/a/b.1/link\",\"availability_template\":"
                + "\"{{ 'online' if value_json.online else 'offline' }}\""
            return (isSensor ? available : "")
                + ",\"device\":{\"identifiers\":\"posed_b.1\",\"name\":\"posed b.1\",\"model\":\"posed\""
                + ",\"sw_version\":\"1.2\"}}"
        }
        func begin(_ name: String, _ key: String) -> String {
            "{\"name\":\"\(name)\",\"unique_id\":\"posed_b.1_\(key)\""
        }
        let pose = "\"fleet/a/b.1/pose\""
        let expected = [
            "ha/device_tracker/b_1/posed_place/config": begin("place", "place")
                + ",\"json_attributes_topic\":\(pose),\"json_attributes_template\":\"{% set p = value_json.pose %}{{ "
                + "({'latitude': p.lat_deg, 'longitude': p.lon_deg, 'gps_accuracy': ((p.sigma_enu_m or [0, 0, 0])[:2] "
                + "| max | round(1)), 'course': p.course_deg, 'altitude': p.alt_msl_m} if p.lat_deg is not none "
                + "else {}) | tojson }}\",\"source_type\":\"gps\"" + end("place"),
            "ha/sensor/b_1/posed_speed/config": begin("speed", "speed")
                + ",\"state_topic\":\(pose),\"value_template\":\"{% set v = value_json.pose.vel_enu_m_s %}"
                + "{{ (sqrt(v[0] ** 2 + v[1] ** 2) * 3.6) | round(1) if v else none }}\""
                + ",\"unit_of_measurement\":\"km/h\",\"device_class\":\"speed\",\"expire_after\":30"
                + end("speed"),
            "ha/sensor/b_1/posed_pose_state/config": begin("pose state", "pose_state")
                + ",\"state_topic\":\(pose),\"value_template\":\"{{ value_json.pose.state }}\""
                + ",\"expire_after\":30" + end("pose_state"),
            "ha/binary_sensor/b_1/posed_connected/config": begin("connected", "connected")
                + ",\"state_topic\":\"fleet/a/b.1/link\""
                + ",\"value_template\":\"{{ 'ON' if value_json.online else 'OFF' }}\""
                + ",\"device_class\":\"connectivity\",\"entity_category\":\"diagnostic\""
                + end("connected", isSensor: false),
        ]
        // THEN the messages are these, and a device that is away is not told to be unavailable by its own sensor
        #expect(messages.count == expected.count && messages.allSatisfy(\.isRetained))
        for message in messages {
            #expect(String(decoding: message.payload, as: UTF8.self) == expected[message.topic], "\(message.topic)")
        }
    }

    // MARK: - Topics

    @Test func theTopicsAreThoseOfTheBoard() {
        let topics = BoardTopics(prefix: "fleet/a", id: "b1")
        let found = Channel.allCases.map { topics.topic($0) }
        let names = ["pose", "guidance", "maneuver", "events", "status"]
        #expect(found == names.map { "fleet/a/b1/\($0)" } + ["owntracks/fleet-a/b1"])
        #expect(
            [topics.link, topics.command, topics.reply] == ["link", "command", "reply"].map { "fleet/a/b1/\($0)" })
        // THEN the broker keeps what describes the present, and only series are thinned
        #expect(Channel.allCases.filter(\.isRetained) == [.maneuver, .status, .ownTracks])
        #expect(Channel.allCases.filter(\.isThinnable) == [.pose, .guidance, .status, .ownTracks])
    }

    @Test func anAnswerGoesBelowTheBoardsOwnTopic() {
        let topics = BoardTopics(prefix: "p", id: "b")
        let longest = "p/b/reply/" + String(repeating: "x", count: 246)
        #expect(topics.replyTopic(wanted: nil) == "p/b/reply" && topics.replyTopic(wanted: "p/b/reply") == "p/b/reply")
        #expect(
            topics.replyTopic(wanted: "p/b/reply/x") == "p/b/reply/x" && topics.replyTopic(wanted: longest) == longest)
        for refused in [longest + "x", "p/b/reply2", "p/b", "p/b/reply/+", "p/b/reply/#", "p/b/reply/\u{0}", ""] {
            #expect(topics.replyTopic(wanted: refused) == nil, "\(refused.prefix(20))")
        }
    }

    // MARK: - The gate

    private func judge(_ gate: inout CommandGate, at seconds: Double, _ text: String = "{\"cmd\":\"reset\"}") -> Bool {
        let delivery = Delivery(topic: "p/b/command", payload: Array(text.utf8))
        if case .accepted = gate.judge(delivery, nowNanoseconds: Int64(seconds * 1e9)) { return true }
        return false
    }

    @Test func tenCommandsAtOnceAndOnePerSecond() {
        var gate = CommandGate(topics: BoardTopics(prefix: "p", id: "b"), allowed: [.reset])
        // GIVEN eleven commands at once THEN ten pass
        let passed = (0..<11).map { _ in judge(&gate, at: 100) }
        #expect(passed == Array(repeating: true, count: 10) + [false])
        // THEN the next passes after a second, and not before
        let later = [100.99, 101.01, 101.5, 102.02].map { judge(&gate, at: $0) }
        #expect(later == [false, true, false, true])
        // THEN a clock that went back gives nothing, and an hour gives ten again
        let back = judge(&gate, at: 50)
        #expect(!back)
        let again = (0..<11).map { _ in judge(&gate, at: 3700) }
        #expect(again == Array(repeating: true, count: 10) + [false])
        #expect(gate.accepted == 0 && gate.refusals == [.tooMany: 5])
        // AND one counts as passed on when the daemon gets it
        gate.notePassed()
        #expect(gate.accepted == 1)
    }

    @Test func aCommandMayHaveAMillionBytes() {
        let text = "{\"cmd\":\"reset\"}"
        for (bytes, passes) in [(1_000_000, true), (1_000_001, false)] {
            var gate = CommandGate(topics: BoardTopics(prefix: "p", id: "b"), allowed: [.reset])
            let isAccepted = judge(&gate, at: 0, text + String(repeating: " ", count: bytes - text.utf8.count))
            #expect(isAccepted == passes)
        }
    }

    @Test func everyRefusalSaysWhatToDo() {
        func refusal(_ allowed: [BridgeCommand], _ text: String) -> String {
            var gate = CommandGate(topics: BoardTopics(prefix: "p", id: "b"), allowed: allowed)
            let delivery = Delivery(topic: "p/b/command", payload: Array(text.utf8))
            guard case .refused(_, let reply) = gate.judge(delivery, nowNanoseconds: 0) else { return "accepted" }
            return reply.map { String(decoding: $0.payload, as: UTF8.self) } ?? "no answer"
        }
        func answer(_ remedy: String) -> String {
            "{\"type\":\"reply\",\"cmd\":null,\"ok\":false,\"error\":{\"what\":\"the bridge refuses it\","
                + "\"where\":\"command\",\"remedy\":\"\(remedy)\"}}"
        }
        #expect(refusal([], "{\"cmd\":\"reset\"}") == answer("bridge.commands allows no command"))
        #expect(
            refusal([.target, .routeTo], "{\"cmd\":\"reset\"}") == answer("bridge.commands allows route_to, target"))
        #expect(refusal([.reset], "[]") == answer("is no object with the member cmd"))
        #expect(
            refusal([.reset], "{\"cmd\":\"reset\",\"path\":1}")
                == answer("path is for programs of the board; send the route itself"))
        // GIVEN a command that the daemon does not answer THEN it is counted once
        var gate = CommandGate(topics: BoardTopics(prefix: "p", id: "b"), allowed: [.reset])
        let command = CommandGate.Accepted(line: "", command: .reset, replyTopic: "p/b/reply", correlation: [7])
        let reply = gate.unanswered(command, "start posed")
        #expect(String(decoding: reply.payload, as: UTF8.self) == answer("start posed"))
        #expect(reply.correlation == [7] && reply.topic == "p/b/reply" && gate.refusals == [.unanswered: 1])
    }

    // MARK: - The schedule

    private func schedule(rate: Double, meters: Double? = nil, degrees: Double? = nil) -> PoseSchedule {
        var settings = BridgeSettings()
        (settings.rateHertz, settings.changeMeters, settings.changeDegrees) = (rate, meters, degrees)
        return PoseSchedule(settings)
    }

    @Test func aPoseMayBeATwentiethEarlier() {
        // GIVEN a pose per 0.1 s and one per second WHEN frames come a little early THEN a twentieth of the interval is
        // enough, at most 20 ms
        for (rate, early, isSent) in [
            (10.0, 0.005, true), (10, 0.0051, false), (1, 0.02, true), (1, 0.0201, false), (0.1, 0.02, true),
            (0.1, 0.0201, false),
        ] {
            var schedule = schedule(rate: rate)
            let first = schedule.isDue(Frame.Pose(), nowNanoseconds: 5_000_000_000_000)
            let second = schedule.isDue(
                Frame.Pose(), nowNanoseconds: 5_000_000_000_000 + Int64(((1 / rate - early) * 1e9).rounded()))
            #expect(first && second == isSent, "\(rate) Hz, \(early) s")
        }
    }

    @Test func theRhythmIsKept() {
        // GIVEN a pose per second WHEN frames are late and one is missing THEN the rhythm stays that of the first one
        var schedule = schedule(rate: 1)
        let times = [10, 11.4, 12, 12.5, 13, 15.5, 16.2, 16.6].map { seconds in
            (seconds, schedule.isDue(Frame.Pose(), nowNanoseconds: Int64(seconds * 1e9)))
        }
        #expect(times.filter(\.1).map(\.0) == [10, 11.4, 12, 13, 15.5, 16.6])
    }

    @Test func onlyWhatIsAskedForIsAChange() {
        var pose = Frame.Pose()
        (pose.state, pose.latitudeRadians, pose.longitudeRadians, pose.headingTrueRadians) = (.aligned, 0.8, 0.1, 1)
        /// Whether a pose is sent after a change of the first one.
        func isSent(_ meters: Double?, _ degrees: Double?, _ change: (inout Frame.Pose) -> Void) -> Bool {
            var schedule = schedule(rate: 0, meters: meters, degrees: degrees)
            let first = schedule.isDue(pose, nowNanoseconds: 0)
            var next = pose
            change(&next)
            let second = schedule.isDue(next, nowNanoseconds: 1)
            #expect(first == (meters != nil || degrees != nil))
            return second
        }
        let meter = 1 / 6_371_000.0
        // THEN a way counts from its distance on, north as well as east
        #expect(!isSent(10, nil) { $0.latitudeRadians = 0.8 + 9.99 * meter })
        #expect(isSent(10, nil) { $0.latitudeRadians = 0.8 + 10.01 * meter })
        #expect(!isSent(10, nil) { $0.longitudeRadians = 0.1 + 14.33 * meter })
        #expect(isSent(10, nil) { $0.longitudeRadians = 0.1 + 14.37 * meter })
        // THEN a turn counts from its angle on; where no heading is known, the course
        #expect(!isSent(nil, 10) { $0.headingTrueRadians = 1 - 9.99 * .pi / 180 })
        #expect(isSent(nil, 10) { $0.headingTrueRadians = 1 - 10.01 * .pi / 180 })
        #expect(!isSent(nil, 10) { $0.headingTrueRadians = 1 + 2 * .pi })
        #expect(isSent(nil, 10) { ($0.headingTrueRadians, $0.courseOverGroundRadians) = (nil, 1.2) })
        // THEN a state counts, an unknown heading does not, and what is not asked for does not
        #expect(isSent(10, nil) { $0.state = .lost } && !isSent(nil, 10) { $0.headingTrueRadians = nil })
        #expect(!isSent(10, nil) { $0.headingTrueRadians = 2 } && !isSent(nil, 10) { $0.latitudeRadians = 0.9 })
        #expect(!isSent(nil, nil) { $0.state = .lost })
    }

    @Test func theDaemonIsAskedForEnoughFrames() {
        for (rate, meters, degrees, expected) in [
            (0.1, nil, nil, 1000), (3, nil, nil, 3000), (50, nil, nil, 10_000), (0.1, 5, nil, 10_000),
            (0.1, nil, 5, 10_000),
        ] as [(Double, Double?, Double?, UInt32)] {
            var settings = BridgeSettings()
            (settings.rateHertz, settings.changeMeters, settings.changeDegrees) = (rate, meters, degrees)
            #expect(PoseSchedule.frameRate(settings) == expected)
        }
    }

    // MARK: - Reasons of the broker

    @Test func onlyWhatIsWrongItselfIsRefusedForGood() {
        // GIVEN every code of MQTT 5 THEN a message is given up where it is malformed, too large, of another format, or
        // its topic is not allowed; else it waits
        #expect((UInt8.min...UInt8.max).filter(ReasonCode.isPermanent) == [0x81, 0x82, 0x90, 0x95, 0x99])
        #expect(ReasonCode.tooLarge == 0x95)
        // AND a code that the standard does not have is told by its number
        #expect(["0x7f", "0x8c", "0xa1"] == [0x7F, 0x8C, 0xA1].map { String(ReasonCode.text($0).dropFirst(7)) })
        #expect(ReasonCode.text(0x9C) == ReasonCode.text(0x9D) && ReasonCode.text(0xA0).hasPrefix("the broker ends"))
        let known = (0x80...0xA0).map { ReasonCode.text($0) }.filter { !$0.hasPrefix("reason 0x") }
        #expect(known.count == 26 && Set(known).count == 25)
    }

    // MARK: - Numbers of messages

    @Test func theSequenceBeginsWithTheMillisecondsSinceTheBoot() {
        var sequence = MessageSequence(sinceBootNanoseconds: 12_345_999_999)
        let numbers = [sequence.next(), sequence.next()]
        #expect(sequence.first == 12_345 && numbers == [12_345, 12_346])
        let birth = MessageWriter.link(
            BoardIdentity(id: "b", boot: "c"), isOnline: true, firstSequence: 7, release: "1.2")
        #expect(
            String(decoding: birth, as: UTF8.self)
                == "{\"type\":\"link\",\"online\":true,\"id\":\"b\",\"boot\":\"c\","
                + "\"first_sequence\":7,\"release\":\"1.2\"}"
        )
    }

    // MARK: - Metrics

    @Test func aHistogramCountsUpToEachBound() {
        var histogram = LatencyHistogram()
        // GIVEN a latency on a bound, one above the last, and those that are none
        for seconds in [0, 0.001, 0.0011, 1, 1.5, 999_999, 1e6, -0.001, .infinity] { histogram.add(seconds: seconds) }
        #expect(histogram.counts == [2, 1, 0, 0, 0, 0, 0, 0, 1] && histogram.total == 6)
        var text = MetricsText()
        text.histogram("x", "Help.", histogram)
        let rows = zip(
            ["0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "1.0"], [2, 3, 3, 3, 3, 3, 3, 3, 4]
        ).map { "x_bucket{le=\"\($0)\"} \($1)\n" }
        #expect(
            text.text
                == "# HELP x Help.\n# TYPE x histogram\n" + rows.joined()
                + "x_bucket{le=\"+Inf\"} 6\nx_sum 1000001.5021\nx_count 6\n")
    }

    @Test func aMetricWithoutSamplesIsNotWritten() {
        var text = MetricsText()
        text.metric("a", .counter, "Help.", nil)
        text.metric("b", .counter, "Help.", [])
        #expect(text.text.isEmpty)
        text.state("s", "Help.", "on", of: ["off", "on"], labels: [("k", "v")])
        #expect(text.text == "# HELP s Help.\n# TYPE s gauge\ns{k=\"v\",state=\"off\"} 0\ns{k=\"v\",state=\"on\"} 1\n")
    }

    @Test func theSourcesOfAFrameAreMetrics() {
        var facts = DaemonFacts()
        var frame = Frame()
        (frame.sources.gps, frame.sources.gpsAgeSeconds, frame.isSimulated) = (.streaming, 0.25, true)
        frame.pose.headingSigmaRadians = .pi / 180
        frame.pose.positionSigmaENUMeters = .init(1, 2, 3)
        facts.frame = frame
        var text = MetricsText()
        text.add(facts)
        let lines = Set(text.text.split(separator: "\n").map(String.init))
        for line in [
            "posed_up 1", "posed_simulated 1", "posed_source_state{source=\"gps\",state=\"streaming\"} 1",
            "posed_source_state{source=\"gps\",state=\"absent\"} 0",
            "posed_source_state{source=\"imu\",state=\"absent\"} 1",
            "posed_source_age_seconds{source=\"gps\"} 0.25", "posed_heading_sigma_degrees 1",
            "posed_position_sigma_meters{axis=\"east\"} 1", "posed_position_sigma_meters{axis=\"north\"} 2",
            "posed_position_sigma_meters{axis=\"up\"} 3", "posed_pose_resets_total 0",
            "posed_pose_state{state=\"starting\"} 1", "posed_guidance_state{state=\"noRoute\"} 1",
        ] { #expect(lines.contains(line), "\(line)") }
        // THEN without a frame the daemon is down
        var down = MetricsText()
        down.add(DaemonFacts())
        #expect(down.text.contains("\nposed_up 0\n") && !down.text.contains("posed_pose_state"))
    }
}
