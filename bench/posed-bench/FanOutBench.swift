import Glibc

/// The running daemon on its simulated drive under load: many clients, each reading every frame. For comparison, at
/// about the same time: a C loop that only sends packets of the same size over the same kind of sockets, and a real
/// gpsd that sends its reports to as many clients.
struct FanOutBench {
    /// Path of posed.
    var program: String

    /// Number of rounds of each load, daemon and loop in turn. The median of each figure is reported, so that a burst
    /// of load from another machine on the same host has no effect.
    private static let rounds = 5

    private static let loads = [
        FanOutLoad(clients: 64, rateHertz: 200, seconds: 5, medianLimit: 0.25, tailLimit: 1, processorLimit: 5),
        FanOutLoad(clients: 256, rateHertz: 200, seconds: 5, tailLimit: 2, processorLimit: 20),
        FanOutLoad(clients: 16, rateHertz: 1000, seconds: 5, tailLimit: 0.2, priority: 50, receiverPriority: 49),
    ]

    /// Measures and reports.
    func run() throws {
        FanOutLoad.allowDescriptors()
        for load in Self.loads {
            let results = try (0..<Self.rounds).map { _ in (try load.measureDaemon(program), try load.measureLoop()) }
            report(load, results.map(\.0), results.map(\.1))
        }
        do {
            Report.add(
                Figure(
                    name: "gpsd, 64 clients x 20 reports/s, 99th percentile",
                    value: try GpsdFanOut().tailMilliseconds(), unit: "ms", limit: .none))
        } catch {
            Report.skip("gpsd, 64 clients", because: "\(error)")
        }
    }

    private func report(_ load: FanOutLoad, _ ours: [FanOutResult], _ plain: [FanOutResult]) {
        let sent = ours.reduce(0) { $0 + $1.ages.count }
        let lost = ours.reduce(0) { $0 + $1.lost }
        Report.add(
            Figure(name: "\(load.name): frames lost", value: Double(lost), unit: "of \(sent)", limit: .atMost(0)))
        let (median, tail) = (middle(ours) { $0.ages.median }, middle(ours) { $0.ages.quantile(0.99) })
        Report.add(
            Figure(
                name: "  publish to receive, median", value: median, unit: "ms",
                limit: load.medianLimit.map { .atMost($0) } ?? .none))
        Report.add(
            Figure(
                name: "  publish to receive, 99 of 100 within", value: tail, unit: "ms", limit: .atMost(load.tailLimit))
        )
        Report.add(
            Figure(
                name: "  processor time of the sockets", value: middle(ours) { $0.processorPercent },
                unit: "% of a core",
                limit: load.processorLimit.map { .atMost($0) } ?? .none))
        Report.add(
            Figure(
                name: "  processor time of the engine beside them", value: middle(ours) { $0.enginePercent },
                unit: "% of a core", limit: .none))
        compare(ours, plain)
    }

    /// The figures of the C loop, with those of posed for comparison.
    private func compare(_ ours: [FanOutResult], _ plain: [FanOutResult]) {
        let (median, tail) = (middle(ours) { $0.ages.median }, middle(ours) { $0.ages.quantile(0.99) })
        let (plainMedian, plainTail) = (middle(plain) { $0.ages.median }, middle(plain) { $0.ages.quantile(0.99) })
        Report.add(Figure(name: "  a plain C loop: median", value: plainMedian, unit: "ms", limit: .none))
        Report.add(Figure(name: "  a plain C loop: 99 of 100 within", value: plainTail, unit: "ms", limit: .none))
        Report.add(
            Figure(
                name: "  a plain C loop: processor time", value: middle(plain) { $0.processorPercent },
                unit: "% of a core", limit: .none))
        for (name, results) in [("posed, with its simulated sensors", ours), ("the C loop", plain)] {
            Report.add(
                Figure(
                    name: "  by getrusage, start to end: \(name)", value: middle(results) { $0.lifePercent },
                    unit: "% of a core", limit: .none))
        }
        Report.add(
            Figure(
                name: "  median over that of the C loop", value: median / plainMedian, unit: "x", limit: .atMost(1.5)))
        Report.add(
            Figure(name: "  99 of 100 over that of the C loop", value: tail / plainTail, unit: "x", limit: .atMost(1.5))
        )
    }

    /// The median of one figure over several rounds.
    private func middle(_ results: [FanOutResult], _ value: (FanOutResult) -> Double) -> Double {
        Distribution(results.map(value)).median
    }
}
