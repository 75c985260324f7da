import Glibc

/// Measures a fleet on this machine: many simulated boards and one broker, the delivery of a day off line, and the cost
/// of a bridge.
@main enum Main {
    private static let usage = """
        usage: posed-fleet                             all of the following
               posed-fleet boards [COUNT [SECONDS]]    10,000 boards for 60 s, with a mosquitto of its own
               posed-fleet at PORT BROKER-PID [COUNT [SECONDS]]    the same with a broker that runs
               posed-fleet backlog [HOURS]             a bridge that comes back after 24 hours off line
               posed-fleet bridge [SECONDS]            a bridge at 10 Hz for 60 s
        posed and posed-bridge are taken from the folder of this program. Ends with 1 if a message was lost.
        """

    static func main() {
        raiseLimit()
        let words = Array(CommandLine.arguments.dropFirst())
        let numbers = words.dropFirst().compactMap { Int($0) }
        func number(_ index: Int, _ usual: Int, _ range: ClosedRange<Int>) -> Int {
            min(max(numbers.count > index ? numbers[index] : usual, range.lowerBound), range.upperBound)
        }
        let isGood: Bool
        switch words.first {
        case nil where words.isEmpty:
            let results = [
                ManyBoards(count: 10_000, seconds: 60).run(), Backlog.run(hours: 24), Bridge.run(seconds: 60),
            ]
            isGood = results.allSatisfy { $0 }
        case "boards":
            isGood = ManyBoards(count: number(0, 10_000, 1...60_000), seconds: number(1, 60, 1...86_400)).run()
        case "at":
            guard numbers.count >= 2, let port = UInt16(exactly: numbers[0]), let id = pid_t(exactly: numbers[1]) else {
                end(usage, 64)
            }
            isGood = ManyBoards(count: number(2, 10_000, 1...60_000), seconds: number(3, 60, 1...86_400))
                .run(port: port, broker: id)
        case "backlog": isGood = Backlog.run(hours: number(0, 24, 1...240))
        case "bridge": isGood = Bridge.run(seconds: number(0, 60, 1...86_400))
        default: end(usage, 64)
        }
        exit(isGood ? 0 : 1)
    }

    /// Ten thousand connections need as many descriptors, here and in the broker.
    private static func raiseLimit() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func end(_ text: String, _ code: Int32) -> Never {
        print(text)
        exit(code)
    }

    /// A number with one decimal.
    static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    /// The folder of this program, in which the other programs are.
    static let folder: String = {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count - 1)
        let text = String(decoding: path[..<max(0, length)].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        return text.lastIndex(of: "/").map { String(text[..<$0]) } ?? "."
    }()
}

/// The measurement with many boards.
struct ManyBoards {
    /// Number of boards.
    var count: Int
    /// How long each publishes a pose per second.
    var seconds: Int

    /// Measures with a broker of its own; `false` if a message was lost.
    func run() -> Bool {
        guard let broker = Broker.start() else {
            print("boards: no mosquitto: install the package mosquitto")
            return false
        }
        return run(port: broker.port, broker: broker.id)
    }

    /// Measures with a broker that runs.
    func run(port: UInt16, broker: pid_t) -> Bool {
        let fleet = Fleet(port: port)
        let begin = Fleet.now
        guard fleet.connect(count) else {
            print("only \(fleet.connected) of \(count) boards could connect: check the limits of open files")
            return false
        }
        print("\(count) boards connected in \(Main.tenths(Double(Fleet.now - begin) * 1e-9)) s")
        let names = [("simulation", getpid()), ("broker", broker)]
        let (before, start) = (names.map { Program.processorSeconds(of: $0.1) }, Fleet.now)
        fleet.run(seconds: seconds)
        let wall = Double(Fleet.now - start) * 1e-9
        report(fleet.counts, wall)
        for ((name, id), before) in zip(names, before) {
            let share = Main.tenths((Program.processorSeconds(of: id) - before) / wall * 100)
            print("\(name): \(share) % of a core, \(Main.tenths(Program.mebibytes(of: id, "VmRSS"))) MiB")
        }
        return fleet.counts.received == fleet.counts.published && fleet.counts.lost == 0
    }

    private func report(_ counts: Fleet.Counts, _ wall: Double) {
        let latencies = counts.latencies.sorted()
        func latency(_ share: Double) -> String {
            latencies.isEmpty ? "-" : Main.tenths(Double(latencies[Int(Double(latencies.count - 1) * share)]) * 1e-6)
        }
        print("published \(counts.published), acknowledged \(counts.acknowledged), received \(counts.received)")
        print(
            "lost \(max(counts.lost, counts.published - counts.received)), repeated \(counts.repeated), "
                + "refused \(counts.refused), connections that ended \(counts.ended)")
        print("\(counts.bytes / max(1, counts.published)) bytes per message, \(Main.tenths(wall)) s")
        print("board to office: median \(latency(0.5)) ms, 99th percentile \(latency(0.99)) ms")
    }
}
