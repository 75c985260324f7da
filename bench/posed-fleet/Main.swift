import Glibc

/// Simulates a fleet against a broker on this machine, and tells what the broker and the simulation cost.
///
/// usage: posed-fleet PORT BROKER-PID [BOARDS [SECONDS]]
///        posed-fleet store FOLDER [HOURS]
///        posed-fleet office PORT [HOURS]
@main enum Main {
    static func main() {
        let arguments = CommandLine.arguments
        if arguments.count > 2, ["store", "office"].contains(arguments[1]) { backlog(arguments) }
        let words = arguments.dropFirst().compactMap { Int($0) }
        guard words.count >= 2, let port = UInt16(exactly: words[0]), let broker = pid_t(exactly: words[1]) else {
            print("usage: posed-fleet PORT BROKER-PID [BOARDS [SECONDS]] | store FOLDER [HOURS] | office PORT [HOURS]")
            exit(64)
        }
        let boards = min(max(words.count > 2 ? words[2] : 10_000, 1), 60_000)
        let seconds = min(max(words.count > 3 ? words[3] : 60, 1), 86_400)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let fleet = Fleet(port: port)
        let begin = Fleet.now
        guard fleet.connect(boards) else {
            print("only \(fleet.connected) of \(boards) boards could connect: check the limits of open files")
            exit(1)
        }
        print("\(boards) boards connected in \(tenths(Double(Fleet.now - begin) * 1e-9)) s")
        let (own, other, start) = (cost(getpid()), cost(broker), Fleet.now)
        fleet.run(seconds: seconds)
        let wall = Double(Fleet.now - start) * 1e-9
        let counts = fleet.counts
        let latencies = counts.latencies.sorted()
        func latency(_ share: Double) -> String {
            latencies.isEmpty ? "-" : tenths(Double(latencies[Int(Double(latencies.count - 1) * share)]) * 1e-6)
        }
        print("published \(counts.published), acknowledged \(counts.acknowledged), received \(counts.received)")
        print(
            "lost \(max(counts.lost, counts.published - counts.received)), repeated \(counts.repeated), "
                + "refused \(counts.refused), connections that ended \(counts.ended)")
        print("\(counts.bytes / max(1, counts.published)) bytes per message, \(tenths(wall)) s")
        print("board to office: median \(latency(0.5)) ms, 99th percentile \(latency(0.99)) ms")
        for (name, before, id) in [("simulation", own, getpid()), ("broker", other, broker)] {
            let after = cost(id)
            print(
                "\(name): \(tenths((after.seconds - before.seconds) / wall * 100)) % of a core, \(after.mebibytes) MiB")
        }
        exit(counts.received == counts.published && counts.lost == 0 ? 0 : 1)
    }

    /// Writes the store of a board that was off line, or receives what a bridge delivers of it.
    private static func backlog(_ arguments: [String]) -> Never {
        let hours = min(max(arguments.count > 3 ? Int(arguments[3]) ?? 24 : 24, 1), 240)
        if arguments[1] == "store" { exit(Backlog.write(hours: hours, folder: arguments[2]) ? 0 : 1) }
        let fleet = Fleet(port: UInt16(arguments[2]) ?? 1883)
        let seconds = fleet.receive(hours * 7200, withinSeconds: 600)
        let counts = fleet.counts
        print("received \(counts.received) in \(seconds.map(tenths) ?? "more than 600") s")
        print("lost \(counts.lost), repeated or out of order \(counts.repeated)")
        exit(seconds != nil && counts.lost == 0 && counts.repeated == 0 ? 0 : 1)
    }

    private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    /// Time on the processors and resident memory of a process.
    private static func cost(_ process: pid_t) -> (seconds: Double, mebibytes: Int) {
        let words = text("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard words.count > 21, let user = Double(words[11]), let system = Double(words[12]), let pages = Int(words[21])
        else { return (0, 0) }
        return ((user + system) / Double(sysconf(Int32(_SC_CLK_TCK))), (pages * 4096) >> 20)
    }

    private static func text(_ path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
