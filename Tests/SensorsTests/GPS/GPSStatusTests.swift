import Measurements
import PoseMath
import SensorInterface
import Synchronization
import Testing

@testable import GpsdReports
@testable import Sensors

/// What status says of gpsd and its receivers, word by word.
@Suite struct GPSStatusTests {
    private static func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    /// A link that was greeted at 0.
    private static func link(reportedAt seconds: Double? = nil, hasFix: Bool = true) -> GpsdLink {
        var link = GpsdLink(jitterSeed: 1)
        _ = link.advance(to: at(0))
        link.connected(at: at(0))
        link.received(at: at(0))
        if let seconds { link.reported(hasFix: hasFix, at: at(seconds)) }
        return link
    }

    private static func facts(_ reports: [GpsdReport]) -> GpsdFacts {
        reports.reduce(into: GpsdFacts()) { $0.update($1) }
    }

    /// A pipeline that leads with a device and its satellites.
    private static func pipeline(_ device: String, used: UInt16? = nil, visible: UInt16? = nil) -> GPSPipeline {
        var pipeline = GPSPipeline(settings: GPSSettings())
        _ = pipeline.ingest(GPSPipelineTests.fix(1, device: device), at: GPSPipelineTests.arrival(1))
        _ = pipeline.ingest(
            .sky(GpsdSky(devicePath: device, satellitesVisible: visible, satellitesUsed: used)),
            at: GPSPipelineTests.arrival(1.1))
        return pipeline
    }

    private static func text(
        _ facts: GpsdFacts, _ state: SourceState, wanted: String? = nil, link: GpsdLink = GPSStatusTests.link(),
        pipeline: GPSPipeline = GPSPipeline(settings: GPSSettings()), at seconds: Double = 1
    ) -> String {
        facts.explanation(state: state, wanted: wanted, link: link, pipeline: pipeline, at: at(seconds))
    }

    @Test func nothingIsKnownBeforeTheFirstReport() {
        // GIVEN a pipeline without a report, and what a device is that is created by its path
        let pipeline = GPSPipeline(settings: GPSSettings())
        #expect(!pipeline.isPositionStuck && !pipeline.isJammed && pipeline.leadingDevice == nil)
        #expect(pipeline.lastFix == nil && pipeline.acceptedCount == 0 && pipeline.counts.all.isEmpty)
        let device = GpsdDevice(path: "/dev/a")
        #expect(device.isActive && device.driver.isEmpty && device.cycleSeconds == nil)
        // WHEN a device is named before the list of all THEN it is not said that another one is missing
        let facts = Self.facts([.device(device)])
        #expect(
            Self.text(facts, .waiting, wanted: "/dev/b") == "gpsd has /dev/a, which has sent nothing yet")
    }

    @Test func aConnectionThatIsNoneSaysWhy() {
        var failed = GpsdLink(jitterSeed: 1)
        #expect(Self.text(GpsdFacts(), .absent, link: failed) == "not started")
        failed.failed("connection refused", at: Self.at(0))
        for state in [SourceState.absent, .lost] {
            #expect(Self.text(GpsdFacts(), state, wanted: "/dev/a", link: failed) == "connection refused")
        }
        #expect(Self.text(GpsdFacts(), .opening, wanted: "/dev/a") == "connecting to gpsd")
    }

    @Test func aReceiverThatIsWaitedForIsNamed() {
        // GIVEN a gpsd without a receiver, with one that is closed, and with two
        let none = "gpsd has no receiver: plug one in, or name it to gpsd (gpsdctl add DEVICE)"
        #expect(Self.text(GpsdFacts(), .waiting) == none)
        let closed = GpsdDevice(path: "/dev/b", isActive: false)
        #expect(Self.text(Self.facts([.devices([closed])]), .waiting) == none)
        let facts = Self.facts([.devices([GpsdDevice(path: "/dev/a"), closed, GpsdDevice(path: "/dev/c")])])
        #expect(Self.text(facts, .waiting) == "gpsd has /dev/a, /dev/c, which has sent nothing yet")
        // WHEN a receiver reports without a fix THEN the antenna is the remedy, with the satellites if they are known
        let link = Self.link(reportedAt: 0.5, hasFix: false)
        let sky = " has no usable fix yet: give the antenna a view of the sky"
        #expect(Self.text(GpsdFacts(), .waiting, link: link) == "the receiver" + sky)
        #expect(Self.text(facts, .waiting, link: link) == "/dev/c" + sky)
        #expect(
            Self.text(facts, .waiting, link: link, pipeline: Self.pipeline("/dev/a", visible: 7))
                == "/dev/a has no usable fix yet, 7 satellites in view: give the antenna a view of the sky")
        // WHEN jamming has taken the fix THEN its source is the remedy
        var jammed = Self.pipeline("/dev/a", visible: 7)
        for second in 2...4 {
            guard case .fix(var fix) = GPSPipelineTests.fix(Double(second), device: "/dev/a") else { return }
            (fix.mode, fix.jammingIndicator) = (1, 255)
            _ = jammed.ingest(.fix(fix), at: GPSPipelineTests.arrival(Double(second)))
        }
        #expect(
            Self.text(facts, .waiting, link: link, pipeline: jammed)
                == "/dev/a reports jamming and has no fix: find the source of the interference")
    }

    @Test func aReceiverThatStreamsIsNamedWithDriverAndSatellites() {
        let facts = Self.facts([
            .devices([GpsdDevice(path: "/dev/a", driver: "u-blox"), GpsdDevice(path: "/dev/b", driver: "SiRF")])
        ])
        let pipeline = Self.pipeline("/dev/a", used: 12)
        #expect(Self.text(facts, .streaming, pipeline: pipeline) == "fixes from /dev/a (u-blox), 12 satellites used")
        #expect(
            Self.text(GpsdFacts(), .streaming, pipeline: Self.pipeline("/dev/a")) == "fixes from /dev/a")
        #expect(
            Self.text(facts, .stale, link: Self.link(reportedAt: 1), pipeline: pipeline, at: 8.6)
                == "no data from /dev/a for 8 s, but gpsd answers: check its cable and power")
        // GIVEN a receiver that reports jamming THEN that is said in place of the satellites
        var jammed = pipeline
        for second in 2...5 {
            guard case .fix(var fix) = GPSPipelineTests.fix(Double(second), device: "/dev/a") else { return }
            fix.jammingIndicator = 255
            _ = jammed.ingest(.fix(fix), at: GPSPipelineTests.arrival(Double(second)))
        }
        #expect(
            Self.text(facts, .streaming, pipeline: jammed)
                == "/dev/a reports jamming: its fixes are not used until the jamming ends")
    }

    @Test func oneOfTwoReceiversIsNamedWhenItFallsSilent() {
        // GIVEN a gpsd with two receivers, of which the first one is used WHEN it falls silent THEN its cable is meant
        let facts = Self.facts([.devices([GpsdDevice(path: "/dev/a"), GpsdDevice(path: "/dev/b")])])
        var pipeline = Self.pipeline("/dev/a")
        pipeline.receiverFellSilent()
        #expect(
            Self.text(facts, .stale, link: Self.link(reportedAt: 1), pipeline: pipeline, at: 9)
                == "no data from /dev/a for 8 s, but gpsd answers: check its cable and power")
        // WHEN the other one reports without a fix THEN its antenna is meant
        guard case .fix(var fix) = GPSPipelineTests.fix(9, device: "/dev/b") else { return }
        fix.mode = 1
        _ = pipeline.ingest(.fix(fix), at: GPSPipelineTests.arrival(9))
        let link = Self.link(reportedAt: 0.5, hasFix: false)
        let sky = " has no usable fix yet: give the antenna a view of the sky"
        #expect(Self.text(facts, .waiting, link: link, pipeline: pipeline) == "/dev/b" + sky)
        // AND where the settings name the first one, only that is meant, with and without a report
        #expect(Self.text(facts, .waiting, wanted: "/dev/a", link: link) == "/dev/a" + sky)
        #expect(Self.text(facts, .waiting, wanted: "/dev/a") == "gpsd has /dev/a, which has sent nothing yet")
    }

    @Test func aRemarkFollowsWhatIsSaid() {
        // GIVEN another protocol, and an error of gpsd THEN the error is told, at most 120 characters of it
        let version = GpsdReport.version(GpsdVersion(release: "3.99", protocolMajor: 4))
        let pipeline = Self.pipeline("/dev/a")
        #expect(
            Self.text(Self.facts([version]), .streaming, pipeline: pipeline)
                == "fixes from /dev/a; gpsd 3.99 uses protocol 4, supported is 3")
        let same = GpsdReport.version(GpsdVersion(release: "3.22", protocolMajor: 3))
        #expect(Self.text(Self.facts([same]), .streaming, pipeline: pipeline) == "fixes from /dev/a")
        let facts = Self.facts([version, .error("Unrecognized request")])
        #expect(
            Self.text(facts, .streaming, pipeline: pipeline) == "fixes from /dev/a; gpsd reports: Unrecognized request")
        #expect(Self.text(facts, .waiting).hasSuffix("; gpsd reports: Unrecognized request"))
        #expect(!Self.text(facts, .stale, link: Self.link(reportedAt: 1)).contains("gpsd reports"))
    }

    @Test func anErrorOfGpsdIsOverWhenTheReceiverReports() {
        // GIVEN a receiver of the settings that gpsd did not have, which it has said WHEN the receiver is plugged in
        // THEN what is said of its fixes has no error behind it
        var facts = Self.facts([.error("No such device as /dev/a"), .devices([])])
        facts.update(.device(GpsdDevice(path: "/dev/a", driver: "u-blox")))
        #expect(
            Self.text(facts, .waiting, wanted: "/dev/a")
                == "gpsd has /dev/a, which has sent nothing yet; gpsd reports: No such device as /dev/a")
        facts.update(GPSPipelineTests.fix(1, device: "/dev/a"))
        let pipeline = Self.pipeline("/dev/a")
        #expect(
            Self.text(facts, .streaming, wanted: "/dev/a", pipeline: pipeline) == "fixes from /dev/a (u-blox)")
        // AND a later one is told again
        facts.update(.error("Unrecognized request"))
        #expect(
            Self.text(facts, .streaming, wanted: "/dev/a", pipeline: pipeline)
                == "fixes from /dev/a (u-blox); gpsd reports: Unrecognized request")
    }

    @Test(arguments: [(119, 119), (120, 120), (121, 120)]) func anErrorOfGpsdIsCut(length: Int, shown: Int) {
        let text = Self.text(Self.facts([.error(String(repeating: "e", count: length))]), .waiting)
        #expect(text.hasSuffix("; gpsd reports: " + String(repeating: "e", count: shown)))
    }

    @Test func aReceiverThatWasRemovedIsAdvisedToBeAdded() {
        // GIVEN a gpsd whose list has other receivers, then one that comes and one that changes THEN the list is that
        // of gpsd, the newest last, and another name of the setting is told
        var facts = Self.facts([.devices([GpsdDevice(path: "/dev/a"), GpsdDevice(path: "/dev/b")])])
        facts.update(.device(GpsdDevice(path: "/dev/a", driver: "u-blox")))
        #expect(
            facts.explanation(
                state: .stale, wanted: "/dev/x", key: "gps.receivers", link: Self.link(),
                pipeline: GPSPipeline(settings: GPSSettings()), at: Self.at(1))
                == "gpsd has /dev/b, /dev/a, and gps.receivers is /dev/x: set gps.receivers to one that gpsd has, or "
                + "to null")
        facts.update(.devices([]))
        #expect(
            Self.text(facts, .waiting, wanted: "/dev/x")
                == "gpsd has no receiver, and gps.device is /dev/x: plug it in or run `sudo gpsdctl add /dev/x`")
        // A receiver that keeps changing its name does not make the list grow.
        for number in 0..<20 { facts.update(.device(GpsdDevice(path: "/dev/\(number)"))) }
        #expect(Self.text(facts, .waiting, wanted: "/dev/x").hasPrefix("gpsd has /dev/12, /dev/13, "))
    }

    @Test func aRequestNamesTheDeviceWithItsQuotesEscaped() {
        #expect(GpsdRequest.watch(device: nil) == "?WATCH={\"enable\":true,\"json\":true};\n")
        #expect(
            GpsdRequest.watch(device: #"/dev/a"\b"#)
                == "?WATCH={\"enable\":true,\"json\":true,\"device\":\"/dev/a\\\"\\\\b\"};\n?DEVICES;\n")
    }

    /// Collects the states of the source.
    private final class Sink: EventSink {
        let states = Mutex<[SourceState]>([])

        func send(_ event: SensorEvent) {}
        func send(_ report: SourceReport) { states.withLock { $0.append(report.state) } }
    }

    @Test func theBoardIsWrittenAtEachChangeAndNowAndThen() throws {
        // GIVEN a receiver that streams
        let (board, sink) = (SourceStatusBoard(), Sink())
        let entry = board.register(SourceDescription(name: "gps", kind: .gps, place: "gpsd"))
        let outlet = ReceiverSwitch(names: ["gps"], entries: [entry], sink: sink, board: board, at: Self.at(0))
        var reporter = GPSStatusReporter(outlet: outlet, place: 0, board: board, entry: entry)
        let pipeline = Self.pipeline("/dev/a", used: 9)
        func publish(_ state: SourceState, _ seconds: Double, _ text: String) {
            reporter.publish(state, at: Self.at(seconds), every: 0.5, explanation: { text }, pipeline: pipeline)
        }
        publish(.streaming, 1, "one")
        #expect(board.statuses[0].explanation == "one" && board.statuses[0].state == .streaming)
        #expect(board.statuses[0].rateHertz == 1 && board.statuses[0].acceptedCount == pipeline.acceptedCount)
        #expect(board.statuses[0].receiver?.satellitesUsed == 9 && board.statuses[0].receiver?.isInUse == true)
        // A receiver with a cycle of 0.2 s has five fixes per second.
        var fast = pipeline
        _ = fast.ingest(.device(GpsdDevice(path: "/dev/a", cycleSeconds: 0.2)), at: GPSPipelineTests.arrival(2))
        reporter.publish(.streaming, at: Self.at(0.9), every: -1, explanation: { "one" }, pipeline: fast)
        #expect(board.statuses[0].rateHertz == 5)
        reporter.publish(.streaming, at: Self.at(1), every: -1, explanation: { "one" }, pipeline: pipeline)
        // WHEN nothing changes THEN it is written each half second; a change is written at once, and reported
        publish(.streaming, 1.499, "two")
        #expect(board.statuses[0].explanation == "one")
        publish(.streaming, 1.5, "three")
        #expect(board.statuses[0].explanation == "three")
        publish(.stale, 1.6, "four")
        #expect(board.statuses[0].explanation == "four" && board.statuses[0].rateHertz == nil)
        publish(.streaming, 1.7, "five")
        reporter.finish(at: Self.at(2))
        reporter.finish(at: Self.at(3))
        #expect(board.statuses[0].explanation == "stopped" && board.statuses[0].rateHertz == nil)
        #expect(board.statuses[0].state == .absent)
        #expect(sink.states.withLock { $0 } == [.streaming, .stale, .streaming, .absent])
    }
}

/// Limits of the choice among receivers and of the times of fixes.
@Suite struct ReceiverLimitTests {
    private static func at(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(milliseconds) * 1_000_000)
    }

    @Test(arguments: [(2500, false), (2501, true)])
    func theBestReceiverHasTwoAndAHalfSecondsForItsFirstFix(milliseconds: Int, isOverdue: Bool) {
        // GIVEN two receivers that have delivered nothing WHEN the second one delivers THEN it takes over after that
        // time
        var priority = ReceiverPriority(count: 2, at: Self.at(0))
        #expect(priority.isOverdue(0, at: Self.at(milliseconds)) == isOverdue && priority.inUse == 0)
        let change = priority.note(1, isGood: true, intervalSeconds: 1, at: Self.at(milliseconds))
        #expect(priority.inUse == (isOverdue ? 1 : 0) && (change != nil) == isOverdue)
    }

    private static func priority() -> ReceiverPriority {
        var priority = ReceiverPriority(count: 2, at: at(0))
        _ = priority.note(0, isGood: true, intervalSeconds: 1, at: at(0))
        return priority
    }

    @Test(arguments: [(2500, false), (2501, true)])
    func aReceiverIsOverdueAfterTwoIntervalsAndHalfASecond(milliseconds: Int, isOverdue: Bool) {
        var priority = Self.priority()
        #expect(priority.isOverdue(0, at: Self.at(milliseconds)) == isOverdue && priority.limitSeconds(0) == 2.5)
        let change = priority.note(1, isGood: true, intervalSeconds: 0.1, at: Self.at(milliseconds))
        #expect(priority.inUse == (isOverdue ? 1 : 0))
        #expect((change != nil) == isOverdue && change?.silentSeconds.map { abs($0 - 2.501) < 1e-9 } ?? !isOverdue)
    }

    @Test(arguments: [(0.2, 8200), (2, 9200)])
    func theBetterOneProvesItselfForFiveSecondsOrThreeIntervals(interval: Double, milliseconds: Int) {
        // GIVEN a receiver that failed, and is back at 3.2 s WHEN it delivers without a gap THEN it is used again after
        // five seconds, or three of its intervals
        var priority = Self.priority()
        _ = priority.note(1, isGood: true, intervalSeconds: 0.1, at: Self.at(3000))
        var returned: Int?
        for time in stride(from: 3200, through: 12_000, by: 200) where returned == nil {
            _ = priority.note(1, isGood: true, intervalSeconds: 0.1, at: Self.at(time - 100))
            if priority.note(0, isGood: true, intervalSeconds: interval, at: Self.at(time)) != nil { returned = time }
        }
        #expect(returned == milliseconds)
    }

    @Test func aReceiverThatDoesNotExistIsNone() {
        var priority = Self.priority()
        #expect(priority.note(2, isGood: true, intervalSeconds: 1, at: Self.at(9000)) == nil)
        #expect(priority.note(-1, isGood: true, intervalSeconds: 1, at: Self.at(9000)) == nil)
        #expect(priority.note(1, isGood: false, intervalSeconds: 1, at: Self.at(9000)) == nil && priority.inUse == 0)
    }

    @Test(arguments: [(-0.1, 0), (0.0, 0.0), (1.5, 1.5), (1.6, 1.5)])
    func theNominalLatencyIsWithinOneAndAHalfSeconds(nominal: Double, used: Double) {
        // GIVEN a receiver without a time THEN its fixes are valid that much before they arrive
        var clock = FixClock(nominalLatencySeconds: nominal)
        let arrival = ArrivalTime(monotonic: Self.at(9000), realtimeNanoseconds: 0)
        let time = clock.validity(utcNanoseconds: nil, dateNanoseconds: nil, arrival: arrival)
        #expect(abs(arrival.monotonic.seconds(since: time) - used) < 1e-9 && abs(clock.latencySeconds - used) < 1e-9)
        #expect(!clock.isLatencySettled)
    }

    /// A clock that has seen fixes once per second, each some milliseconds late by the system's clock.
    private static func clock(latencies: [Int]) -> FixClock {
        var clock = FixClock(nominalLatencySeconds: 0.15)
        for (second, latency) in latencies.enumerated() {
            let utc = FixClockTests.start + Int64(second) * 1_000_000_000
            _ = clock.validity(
                utcNanoseconds: utc, dateNanoseconds: utc,
                arrival: ArrivalTime(
                    monotonic: at(5000 + second * 1000 + latency),
                    realtimeNanoseconds: utc + Int64(latency) * 1_000_000))
        }
        return clock
    }

    @Test func fiveFixesInARowSettleTheLatency() {
        #expect(!Self.clock(latencies: [80, 90, 100, 70]).isLatencySettled)
        #expect(Self.clock(latencies: [80, 90, 100, 70, 85]).isLatencySettled)
        // A latency beyond 0 to 1.5 s begins anew.
        #expect(Self.clock(latencies: [0, 1500, 0, 1500, 0]).isLatencySettled)
        for bad in [-1, 1501] {
            #expect(!Self.clock(latencies: [80, 80, bad, 80, 80, 80, 80]).isLatencySettled)
            #expect(Self.clock(latencies: [80, 80, bad, 80, 80, 80, 80, 80]).isLatencySettled)
        }
        // The smallest delay that was found is the latency from then on.
        #expect(abs(Self.clock(latencies: [80, 90, 100, 70, 85]).latencySeconds - 0.07) < 1e-9)
    }

    @Test func timesThatWouldNotIncreaseAreAMillisecondApart() {
        // GIVEN a receiver without a time whose fixes arrive at once THEN their times increase, and none is later than
        // its arrival
        var clock = FixClock(nominalLatencySeconds: 0.1)
        let arrival = ArrivalTime(monotonic: Self.at(1000), realtimeNanoseconds: 0)
        let times = (0..<3).map { _ in
            clock.validity(utcNanoseconds: nil, dateNanoseconds: nil, arrival: arrival).nanoseconds / 1_000_000
        }
        #expect(times == [900, 901, 902])
    }

    @Test func theCycleIsTheMedianOfTheLastFiveIntervals() {
        // GIVEN intervals of 1, 1, 1, 0.2, 0.2, 0.2 s and a pause THEN the median follows with the third short one
        var cycle = CycleEstimate()
        var seconds = [0.0]
        for interval in [1.0, 1, 1, 0.2, 0.2, 0.2, 25, 0.2] { seconds.append((seconds.last ?? 0) + interval) }
        let cycles = seconds.map { second in
            let nanoseconds = Int64((second * 1e9).rounded()) + 1
            cycle.add(utcNanoseconds: nanoseconds, arrival: MonotonicTime(nanoseconds: nanoseconds))
            return (cycle.seconds * 10).rounded() / 10
        }
        #expect(cycles == [1, 1, 1, 1, 1, 1, 0.2, 0.2, 0.2])
        // GIVEN reports without a time THEN they are of one epoch if less than 0.15 s apart
        for (gap, expected) in [(0.149, 0.298), (0.15, 0.15)] {
            var untimed = CycleEstimate()
            for number in 0..<8 {
                let nanoseconds = Int64((Double(number) * gap * 1e9).rounded())
                untimed.add(utcNanoseconds: nil, arrival: MonotonicTime(nanoseconds: nanoseconds))
            }
            #expect(abs(untimed.seconds - expected) < 1e-6)
        }
    }
}
