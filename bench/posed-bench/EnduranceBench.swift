import CBench
import Glibc

/// What must hold for minutes: no frame lost that is not told, none at all by a client that reads, and no descriptor kept of a thousand connections.
///
/// Times are told as they are. Counts are held to what they must be; a wrong one is a ``BrokenCount``. Whoever receives has real-time priority where the
/// system grants it: what a reader loses that was not run in time says nothing of the sender.
struct EnduranceBench {
    /// posed.
    var program: String

    private static let loads = [
        FanOutLoad(clients: 64, rateHertz: 200, seconds: 60, medianLimit: 0.25, tailLimit: 1, processorLimit: 5, receiverPriority: 10),
        FanOutLoad(clients: 256, rateHertz: 200, seconds: 60, tailLimit: 2, processorLimit: 20, receiverPriority: 10),
    ]
    /// Connections a second that come and go again.
    private static let stormHertz = 100.0
    private static let storm = FanOutLoad(clients: 64, rateHertz: 200, seconds: 60, tailLimit: 2, receiverPriority: 10)

    /// Measures and reports.
    func run() throws {
        FanOutLoad.allowDescriptors()
        for load in Self.loads { try check(load, load.measureDaemon(program), "\(load.name), a minute") }
        let connections = Int32(Self.stormHertz * (Self.storm.seconds - 2))
        var (before, after) = (0, 0)
        let result = try Self.storm.measureDaemon(program) { daemon, socket in
            before = Self.descriptors(of: daemon)
            guard bench_start_storm(socket, Int64(1e9 / Self.stormHertz), connections) > 0 else { throw BenchError("no process for the storm") }
        } afterwards: { daemon in
            after = Self.descriptors(of: daemon)
        }
        try check(Self.storm, result, "\(Self.storm.name), a minute of \(Int(Self.stormHertz)) connections a second")
        Report.add(Figure(name: "  descriptors kept of \(connections) connections", value: Double(after - before), unit: "", limit: .atMost(0)))
        guard after <= before else { throw BrokenCount(description: "\(after) descriptors where there were \(before)") }
    }

    private func check(_ load: FanOutLoad, _ result: FanOutResult, _ name: String) throws {
        Report.add(Figure(name: "\(name): frames lost", value: Double(result.lost), unit: "of \(result.ages.count)", limit: .atMost(0)))
        Report.add(
            Figure(name: "  publish to receive, median", value: result.ages.median, unit: "ms", limit: load.medianLimit.map { .atMost($0) } ?? .none))
        Report.add(
            Figure(name: "  publish to receive, 99 of 100 within", value: result.ages.quantile(0.99), unit: "ms", limit: .atMost(load.tailLimit)))
        Report.add(Figure(name: "  publish to receive, longest", value: result.ages.quantile(1), unit: "ms", limit: .atMost(10)))
        Report.add(
            Figure(
                name: "  processor time of engine and sockets", value: result.processorPercent, unit: "% of a core",
                limit: load.processorLimit.map { .atMost($0) } ?? .none))
        guard result.lost == result.told else { throw BrokenCount(description: "\(name): \(result.lost) frames lost, \(result.told) told") }
        guard result.lost == 0 else { throw BrokenCount(description: "\(name): \(result.lost) frames lost, all of them told") }
    }

    /// Open descriptors of a process.
    private static func descriptors(of process: pid_t) -> Int {
        guard let folder = opendir("/proc/\(process)/fd") else { return -1 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }
}
