import Measurements
import PoseMath
import SeededNumbers
import Testing

@testable import Sensors

/// Drives a link by its deadlines, as the thread does, with a simulated gpsd and receiver.
struct LinkSimulator {
    var link = GpsdLink(jitterSeed: 1)
    var now = 0.0
    /// Whether gpsd accepts connections, answers, and whether its receiver reports, each as a function of time.
    var accepts: (Double) -> Bool = { _ in true }
    var answers: (Double) -> Bool = { _ in true }
    var reports: (Double) -> Bool = { _ in true }
    var hasFix: (Double) -> Bool = { _ in true }
    var cycleSeconds = 1.0
    private(set) var states: [(time: Double, state: SourceState)] = []
    private(set) var connects: [Double] = []
    private(set) var requests: [Double] = []
    private(set) var steps = 0
    private var isOpen = false
    private var isAnswerDue = false
    private var nextReport = 0.0

    private var time: MonotonicTime { MonotonicTime(nanoseconds: Int64((now * 1e9).rounded())) }

    /// Runs until the given time.
    mutating func run(until end: Double) {
        while now < end {
            steps += 1
            for action in link.advance(to: time) { perform(action) }
            if isOpen, isAnswerDue, answers(now) {
                isAnswerDue = false
                link.received(at: time)
            }
            if nextReport <= now {
                nextReport = now + cycleSeconds
                if isOpen, answers(now), reports(now) {
                    link.received(at: time)
                    link.cycleSeconds = cycleSeconds
                    link.reported(hasFix: hasFix(now), at: time)
                }
            }
            let state = link.state(at: time)
            if states.last?.state != state { states.append((now, state)) }
            let deadline = link.deadline?.seconds ?? end
            // An answer is checked every 50 ms; a deadline in the past costs a step, so that a busy loop is detected.
            now = max(min(deadline, nextReport, isAnswerDue ? now + 0.05 : end, end), now + 1e-6)
        }
    }

    private mutating func perform(_ action: GpsdLink.Action) {
        switch action {
        case .connect:
            connects.append(now)
            isOpen = accepts(now)
            if isOpen {
                isAnswerDue = true
                link.connected(at: time)
            } else {
                link.failed("refused", at: time)
            }
        case .watch:
            requests.append(now)
            isAnswerDue = true
        case .close:
            isOpen = false
        }
    }

    /// The first time of a state at or after the given time.
    func reached(_ state: SourceState, after moment: Double = 0) -> Double? {
        states.first { $0.state == state && $0.time >= moment }?.time
    }
}

@Suite struct GpsdLinkTests {
    @Test func aReceiverConnectsAndStreams() {
        var simulator = LinkSimulator()
        simulator.run(until: 10)
        #expect(
            simulator.states.map(\.state) == [.waiting, .streaming] || simulator.states.map(\.state) == [.streaming])
        #expect(simulator.connects == [0])
        #expect(simulator.requests.isEmpty)
    }

    @Test func withoutGpsdRetriesBackOffFrom100MsTo1000Ms() {
        var simulator = LinkSimulator()
        simulator.accepts = { _ in false }
        simulator.run(until: 60)
        let waits = zip(simulator.connects.dropFirst(), simulator.connects).map { $0 - $1 }
        #expect(waits.allSatisfy { $0 >= 0.08 && $0 <= 1 })
        #expect((waits.first ?? 9) <= 0.1 && (waits.last ?? 0) >= 0.8)
        #expect(simulator.link.state(at: MonotonicTime(nanoseconds: 60_000_000_000)) == .absent)
    }

    @Test(arguments: [0.1, 1, 5])
    func silenceIsFoundWithinOneCycleAndOneSecond(cycle: Double) {
        // GIVEN a receiver that becomes silent at 100 s while gpsd continues
        var simulator = LinkSimulator()
        simulator.cycleSeconds = cycle
        simulator.reports = { $0 < 100 }
        simulator.run(until: 120)
        // THEN the source is stale one cycle and 1 s after the last report, and a new watch request is sent
        let stale = simulator.reached(.stale, after: 95)
        #expect((stale ?? 999) <= 100 + cycle + 1)
        #expect(!simulator.requests.isEmpty)
        // and the connection stays, because gpsd answers
        #expect(simulator.connects.count == 1)
    }

    @Test func aReturningReceiverStreamsAtOnce() {
        var simulator = LinkSimulator()
        simulator.reports = { $0 < 10 || $0 > 22.5 }
        simulator.run(until: 40)
        #expect((simulator.reached(.streaming, after: 20) ?? 99) <= 23.6)
    }

    @Test func halfAMinuteOfSilenceReconnects() {
        var simulator = LinkSimulator()
        simulator.reports = { $0 < 10 }
        simulator.run(until: 100)
        #expect(simulator.connects.count > 1)
        #expect((simulator.reached(.stale) ?? 99) <= 12)
    }

    @Test(arguments: [29.9, 30, 30.1])
    func aReceiverAsSlowAsTheLimitKeepsItsConnection(cycle: Double) {
        // GIVEN a receiver that reports about as seldom as a silent one is connected anew WHEN it does so for ten
        // minutes THEN it streams on one connection
        var simulator = LinkSimulator()
        simulator.cycleSeconds = cycle
        simulator.run(until: 600)
        #expect(simulator.connects == [0] && simulator.states.last?.state == .streaming)
        #expect(simulator.reached(.stale) == nil && simulator.requests.isEmpty)
        // WHEN it then falls silent THEN it is connected anew after twice the time after which it is stale
        simulator.reports = { $0 <= 600 }
        simulator.run(until: 700)
        // The first delay before a connection is at most 0.1 s; the rest is for the steps of the simulation.
        let again = simulator.connects.dropFirst().first ?? .infinity
        #expect(simulator.connects.count == 2 && again <= 600 + 2 * (cycle + 1) + 0.11, "\(simulator.connects)")
    }

    @Test func aReceiverThatNeverSpeaksIsOpenedAgainEverMoreSeldom() {
        // GIVEN a gpsd that answers, and a receiver that is silent from the first moment on
        var simulator = LinkSimulator()
        simulator.reports = { _ in false }
        simulator.run(until: 1000)
        // THEN it is connected again after 30, 60, 120 and 240 s, and then every 240 s
        let waits = zip(simulator.connects.dropFirst(), simulator.connects).map { $0 - $1 }
        #expect(waits.count >= 5 && zip(waits, [30.0, 60, 120, 240, 240]).allSatisfy { abs($0 - $1) < 1 }, "\(waits)")
    }

    @Test(arguments: Array(stride(from: 20.0, through: 30, by: 0.7)))
    func aServerThatIsSilentIsFoundWithinTwoSecondsWhenDataReturn(back: Double) {
        // GIVEN a server that accepts every connection and says nothing until some moment
        var simulator = LinkSimulator()
        simulator.answers = { $0 > back }
        simulator.run(until: 40)
        #expect((simulator.reached(.streaming) ?? 999) <= back + 2)
    }

    @Test(arguments: [10.0, 60])
    func aGpsdThatHangsIsLeftAndFoundAgain(duration: Double) {
        // GIVEN a gpsd that is stopped for 10 or 60 s; the kernel still accepts connections for it
        var simulator = LinkSimulator()
        simulator.answers = { $0 < 20 || $0 > 20 + duration }
        simulator.run(until: 120)
        #expect((simulator.reached(.stale) ?? 999) <= 22)
        // THEN the link reconnects, and streams within 2 s after gpsd continues
        #expect((simulator.reached(.streaming, after: 20 + duration) ?? 999) <= 20 + duration + 2)
        #expect(simulator.states.last?.state == .streaming)
    }

    @Test(arguments: [0.5, 3, 60])
    func aGpsdThatIsRestartedIsFoundWithinTwoSeconds(away: Double) {
        // GIVEN a gpsd that does not run for a while
        var simulator = LinkSimulator()
        simulator.run(until: 20)
        simulator.accepts = { $0 > 20 + away }
        simulator.link.failed("closed", at: MonotonicTime(nanoseconds: 20_000_000_000))
        simulator.run(until: 20 + away + 10)
        #expect((simulator.connects.first { $0 > 20 + away } ?? 999) <= 20 + away + 1)
        #expect((simulator.reached(.streaming, after: 20 + away) ?? 999) <= 20 + away + 2)
        #expect(simulator.reached(.lost) != nil)
        #expect(simulator.states.last?.state == .streaming)
    }

    @Test func reportsWithoutAFixKeepTheSourceWaiting() {
        var simulator = LinkSimulator()
        simulator.hasFix = { $0 < 10 || $0 > 50 }
        simulator.run(until: 60)
        #expect(simulator.states.map(\.state).filter { $0 != .opening } == [.streaming, .waiting, .streaming])
        #expect(simulator.requests.isEmpty && simulator.connects.count == 1)
    }

    @Test func theThreadNeverRunsABusyLoop() {
        // GIVEN a gpsd and a receiver that appear and disappear at random for half an hour
        for seed in UInt64(1)...20 {
            var simulator = LinkSimulator()
            var random = SplitMix64(seed: seed)
            let pattern = (0..<601).map { _ in random.next() % 8 }
            let bit = { (time: Double, mask: UInt64) in pattern[Int(time / 3)] & mask != 0 }
            simulator.accepts = { bit($0, 1) }
            simulator.answers = { bit($0, 2) }
            simulator.reports = { bit($0, 4) }
            simulator.run(until: 1800)
            // THEN the number of steps is bounded: 20 per second for expected answers and some for the rest
            #expect(simulator.steps < 45_000, "\(simulator.steps) steps")
        }
    }
}
