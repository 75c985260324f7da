import CBench
import CPosed
import Frames
import Glibc

/// The running daemon on its simulated drive under load: many clients, each taking every frame. Beside it, over the same sockets at the same moment of the machine, a C loop that
/// does nothing but send packets of the same size, and a real gpsd that hands its reports to as many clients.
struct FanOutBench {
    /// posed.
    var program: String

    /// One load and what is demanded of it.
    private struct Load {
        var clients: Int
        var rateHertz: Double
        var seconds: Double
        var medianLimit: Double?
        var tailLimit: Double
        var processorLimit: Double?
        /// SCHED_FIFO for whoever sends and receives.
        var priority: Int32 = 0

        var name: String { "\(clients) clients x \(Int(rateHertz)) Hz\(priority > 0 ? ", real-time priority" : "")" }
    }

    /// What was measured of one sender.
    private struct Result {
        var ages: Distribution
        var lost: UInt64
        var processorPercent: Double
    }

    private static let loads = [
        Load(clients: 64, rateHertz: 200, seconds: 12, medianLimit: 0.25, tailLimit: 1, processorLimit: 5),
        Load(clients: 256, rateHertz: 200, seconds: 12, tailLimit: 2, processorLimit: 20),
        Load(clients: 16, rateHertz: 1000, seconds: 12, tailLimit: 0.2, priority: 50),
    ]

    /// Measures and reports.
    func run() throws {
        var limit = rlimit(rlim_cur: 4096, rlim_max: 4096)
        setrlimit(__rlimit_resource_t(7), &limit)
        for load in Self.loads { report(load, try measureDaemon(load), try measureLoop(load)) }
        do {
            Report.add(
                Figure(
                    name: "gpsd, 60 clients x 20 reports/s, 99 of 100 within", value: try GpsdFanOut().tailMilliseconds(), unit: "ms", limit: .none))
        } catch {
            Report.skip("gpsd, 60 clients", because: "\(error)")
        }
    }

    private func report(_ load: Load, _ ours: Result, _ plain: Result) {
        Report.add(Figure(name: "\(load.name): frames lost", value: Double(ours.lost), unit: "of \(ours.ages.count)", limit: .atMost(0)))
        let (median, tail) = (ours.ages.median, ours.ages.quantile(0.99))
        Report.add(Figure(name: "  publish to receive, median", value: median, unit: "ms", limit: load.medianLimit.map { .atMost($0) } ?? .none))
        Report.add(Figure(name: "  publish to receive, 99 of 100 within", value: tail, unit: "ms", limit: .atMost(load.tailLimit)))
        Report.add(
            Figure(
                name: "  processor time of engine and sockets", value: ours.processorPercent, unit: "% of a core",
                limit: load.processorLimit.map { .atMost($0) } ?? .none))
        Report.add(Figure(name: "  a plain C loop: median", value: plain.ages.median, unit: "ms", limit: .none))
        Report.add(Figure(name: "  a plain C loop: 99 of 100 within", value: plain.ages.quantile(0.99), unit: "ms", limit: .none))
        Report.add(Figure(name: "  a plain C loop: processor time", value: plain.processorPercent, unit: "% of a core", limit: .none))
        Report.add(Figure(name: "  median over that of the C loop", value: median / plain.ages.median, unit: "x", limit: .atMost(1.5)))
        Report.add(Figure(name: "  99 of 100 over that of the C loop", value: tail / plain.ages.quantile(0.99), unit: "x", limit: .atMost(1.5)))
    }

    private func measureDaemon(_ load: Load) throws -> Result {
        let folder = try TemporaryFolder(files: ["posed.yaml", "frames", "stream"])
        try folder.write("", to: "posed.yaml")
        var arguments = [
            "--config", "\(folder.path)/posed.yaml", "--source", "simulated", "--log-level", "error", "--set", "sockets.folder=\(folder.path)",
            "--set",
            "sockets.client_limit=512", "--set", "simulated_rate_hz=\(load.rateHertz)",
        ]
        if load.priority > 0 { arguments += ["--set", "process.real_time_priority=\(load.priority)"] }
        var daemon = try ChildProcess(program, arguments)
        defer { _ = daemon.stop() }
        let deadline = monotonicNanoseconds() + 5_000_000_000
        var sockets: [FrameSocket] = []
        defer { for socket in sockets { socket.close() } }
        while sockets.count < load.clients, monotonicNanoseconds() < deadline {
            if let socket = FrameSocket(path: "\(folder.path)/frames") { sockets.append(socket) } else { usleep(1000) }
        }
        guard sockets.count == load.clients else { throw BenchError("posed let in \(sockets.count) clients of \(load.clients)") }
        for socket in sockets { socket.subscribeToEveryFrame() }
        // Time in the stamp: its moment of publishing. It is the third field of the first block.
        let layout = bench_layout(
            time_offset: Int32(MemoryLayout<posed_header>.size + 16), number_offset: Int32(BinaryFrameEncoder.sequenceOffset),
            type: Int32(POSED_FRAME), least_length: 80)
        return try receive(sockets.map(\.descriptor), layout, load, from: daemon.id)
    }

    private func measureLoop(_ load: Load) throws -> Result {
        var pairs: [(Int32, Int32)] = []
        defer { for pair in pairs { close(pair.0) } }
        for _ in 0..<load.clients {
            var pair: [Int32] = [0, 0]
            guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &pair) == 0 else { throw BenchError("no socket pair") }
            pairs.append((pair[0], pair[1]))
        }
        let child = bench_start_fan_out(
            pairs.map(\.1), Int32(pairs.count), Int32(BinaryFrameEncoder.longestPacket), Int64(1e9 / load.rateHertz),
            Int32(load.rateHertz * (load.seconds + 2)), load.priority)
        for pair in pairs { close(pair.1) }
        guard child > 0 else { throw BenchError("no process for the comparison") }
        defer {
            var status: Int32 = 0
            kill(child, SIGKILL)
            waitpid(child, &status, 0)
        }
        return try receive(pairs.map(\.0), bench_layout(time_offset: 0, number_offset: 8, type: 0, least_length: 16), load, from: child)
    }

    private func receive(_ sockets: [Int32], _ layout: bench_layout, _ load: Load, from sender: pid_t) throws -> Result {
        let capacity = Int(Double(load.clients) * load.rateHertz * load.seconds * 1.5)
        let ages = UnsafeMutableBufferPointer<Int64>.allocate(capacity: capacity)
        ages.initialize(repeating: 0)
        defer { ages.deallocate() }
        var reception = bench_reception(ages_ns: ages.baseAddress, capacity: capacity, count: 0, lost: 0)
        if load.priority > 0, bench_set_priority(load.priority) != 0 { Report.say("  real-time priority was refused; the figures are without it") }
        defer { if load.priority > 0 { _ = bench_set_priority(0) } }
        let (begin, processor) = (monotonicNanoseconds(), ProcessorTime.seconds(of: sender))
        guard bench_receive(sockets, Int32(sockets.count), layout, load.seconds, 2, &reception) == 0 else { throw BenchError("the receiver failed") }
        let wall = Double(monotonicNanoseconds() - begin) / 1e9
        let used = ProcessorTime.seconds(of: sender) - processor
        guard reception.count > 0 else { throw BenchError("nothing was received") }
        return Result(
            ages: Distribution(ages[..<reception.count].map { Double($0) / 1e6 }), lost: reception.lost, processorPercent: used / wall * 100)
    }
}

/// Processor time of another process.
enum ProcessorTime {
    /// User and system time so far of all its threads but the one that simulates the sensors, seconds, to a hundredth for each.
    static func seconds(of process: pid_t) -> Double {
        guard let folder = opendir("/proc/\(process)/task") else { return 0 }
        defer { closedir(folder) }
        var sum = 0.0
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            guard let thread = pid_t(name) else { continue }
            let text = TextFile.read("/proc/\(process)/task/\(thread)/stat")
            if !text.contains("(demo)") { sum += seconds(stat: text) }
        }
        return sum
    }

    private static func seconds(stat text: String) -> Double {
        guard let end = text.lastIndex(of: ")") else { return 0 }
        let fields = text[end...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
