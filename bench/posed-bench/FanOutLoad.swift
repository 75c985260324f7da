import CBench
import CPosed
import Frames
import Glibc

/// One load for the daemon or the C loop, and its limits.
struct FanOutLoad {
    /// Number of clients; each reads every frame.
    var clients: Int
    /// Frames per second.
    var rateHertz: Double
    /// Duration, seconds.
    var seconds: Double
    /// Limit for the median age, milliseconds.
    var medianLimit: Double?
    /// Limit for the 99th percentile of the ages, milliseconds.
    var tailLimit: Double
    /// Limit for the processor time, per cent of a core.
    var processorLimit: Double?
    /// SCHED_FIFO priority of the sender; 0: the ordinary scheduler.
    var priority: Int32 = 0
    /// SCHED_FIFO priority of the receiver. It must not exceed that of the socket thread, which is one below
    /// `priority`; otherwise the receiver would preempt the sender.
    var receiverPriority: Int32 = 0

    /// Additional settings, `key=value`.
    var settings: [String] = []

    /// Name for the report.
    var name: String { "\(clients) clients x \(Int(rateHertz)) Hz\(priority > 0 ? ", real-time priority" : "")" }

    /// Raises the limit of open descriptors to what the largest load needs.
    static func allowDescriptors() {
        var limit = rlimit(rlim_cur: 4096, rlim_max: 4096)
        setrlimit(__rlimit_resource_t(7), &limit)
    }

    /// Runs the daemon under this load. `during` is called with its process and socket path as soon as all clients are
    /// served, `afterwards` while the clients are still connected.
    func measureDaemon(
        _ program: String, during: (pid_t, String) throws -> Void = { _, _ in }, afterwards: (pid_t) -> Void = { _ in }
    ) throws -> FanOutResult {
        let folder = try TemporaryFolder()
        try folder.write("", to: "posed.yaml")
        var arguments = [
            "--config", "\(folder.path)/posed.yaml", "--source", "simulated", "--log-level", "error", "--set",
            "sockets.folder=\(folder.path)",
            "--set",
            "sockets.client_limit=512", "--set", "simulated_rate_hz=\(rateHertz)",
        ]
        arguments += settings.flatMap { ["--set", $0] }
        if priority > 0 { arguments += ["--set", "process.real_time_priority=\(priority)"] }
        let begin = monotonicNanoseconds()
        var daemon = try ChildProcess(program, arguments)
        let deadline = monotonicNanoseconds() + 5_000_000_000
        var sockets: [FrameSocket] = []
        defer { for socket in sockets { socket.close() } }
        while sockets.count < clients, monotonicNanoseconds() < deadline {
            if let socket = FrameSocket(path: "\(folder.path)/frames") { sockets.append(socket) } else { usleep(1000) }
        }
        guard sockets.count == clients else {
            throw BenchError("posed accepted \(sockets.count) of \(clients) clients")
        }
        for socket in sockets { socket.subscribeToEveryFrame() }
        // The time of publishing is the stamp's last field, and the stamp is the first block.
        let layout = bench_layout(
            time_offset: Int32(MemoryLayout<posed_header>.size + 56),
            number_offset: Int32(BinaryFrameEncoder.sequenceOffset),
            dropped_offset: Int32(BinaryFrameEncoder.droppedOffset), type: Int32(POSED_FRAME), least_length: 88)
        try during(daemon.id, "\(folder.path)/frames")
        var result = try receive(sockets.map(\.descriptor), layout, from: daemon.id)
        afterwards(daemon.id)
        let life = Double(monotonicNanoseconds() - begin) / 1e9
        guard daemon.stop() == 0 else { throw BenchError("posed ended with an error") }
        result.lifePercent = daemon.processorSeconds / life * 100
        return result
    }

    /// Runs the C loop under this load.
    func measureLoop() throws -> FanOutResult {
        var pairs: [(Int32, Int32)] = []
        defer { for pair in pairs { close(pair.0) } }
        for _ in 0..<clients {
            var pair: [Int32] = [0, 0]
            guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &pair) == 0 else {
                throw BenchError("cannot create a socket pair")
            }
            pairs.append((pair[0], pair[1]))
        }
        let child = bench_start_fan_out(
            pairs.map(\.1), Int32(pairs.count), Int32(BinaryFrameEncoder.longestPacket), Int64(1e9 / rateHertz),
            Int32(rateHertz * (seconds + 2)), priority)
        for pair in pairs { close(pair.1) }
        guard child > 0 else { throw BenchError("cannot start the process for the comparison") }
        let begin = monotonicNanoseconds()
        let received = Result {
            try receive(
                pairs.map(\.0),
                bench_layout(time_offset: 0, number_offset: 8, dropped_offset: -1, type: 0, least_length: 16),
                from: child)
        }
        let life = Double(monotonicNanoseconds() - begin) / 1e9
        var status: Int32 = 0
        var usage = rusage()
        kill(child, SIGKILL)
        wait4(child, &status, 0, &usage)
        var result = try received.get()
        result.lifePercent = (ChildProcess.seconds(usage.ru_utime) + ChildProcess.seconds(usage.ru_stime)) / life * 100
        return result
    }

    private func receive(_ sockets: [Int32], _ layout: bench_layout, from sender: pid_t) throws -> FanOutResult {
        let capacity = Int(Double(clients) * rateHertz * seconds * 1.5)
        let ages = UnsafeMutableBufferPointer<Int64>.allocate(capacity: capacity)
        ages.initialize(repeating: 0)
        defer { ages.deallocate() }
        var reception = bench_reception(ages_ns: ages.baseAddress, capacity: capacity, count: 0, lost: 0, told: 0)
        if receiverPriority > 0, bench_set_priority(receiverPriority) != 0 {
            Report.say("  real-time priority was refused; the figures are without it")
        }
        defer { if receiverPriority > 0 { _ = bench_set_priority(0) } }
        let (begin, processor) = (monotonicNanoseconds(), ProcessorTime(of: sender))
        guard bench_receive(sockets, Int32(sockets.count), layout, seconds, 1, &reception) == 0 else {
            throw BenchError("the receiver failed")
        }
        let wall = Double(monotonicNanoseconds() - begin) / 1e9
        let used = ProcessorTime(of: sender) - processor
        guard reception.count > 0 else { throw BenchError("nothing was received") }
        let (times, tenth) = (ages[..<reception.count].map { Double($0) / 1e6 }, reception.count / 10)
        return FanOutResult(
            ages: Distribution(times),
            tailDrift: Distribution(Array(times.suffix(tenth))).quantile(0.99)
                / Distribution(Array(times.prefix(tenth))).quantile(0.99), lost: reception.lost,
            told: reception.told,
            processorPercent: used.publishing / wall * 100, enginePercent: used.engine / wall * 100)
    }
}

/// The measurement of one sender under one load.
struct FanOutResult {
    /// Ages from publishing to receiving, milliseconds.
    var ages: Distribution
    /// The age that 99 of 100 do not exceed in the last tenth of the time, relative to that in the first tenth.
    var tailDrift: Double
    /// Number of missing sequence numbers.
    var lost: UInt64
    /// Number of packets that the sender reported as dropped.
    var told: UInt64
    /// Processor time of the sender during the measurement: the socket thread, or the whole C loop.
    var processorPercent: Double
    /// Processor time of the engine thread, which is not part of the fan-out.
    var enginePercent: Double
    /// Processor time of the whole process, from getrusage.
    var lifePercent = 0.0
}

/// Processor time of another process so far, seconds, measured by the scheduler in nanoseconds. The simulation of
/// sensors is excluded.
struct ProcessorTime {
    /// Processor time of the engine thread.
    var engine = 0.0
    /// Processor time of all other threads: those that send frames.
    var publishing = 0.0

    private init(engine: Double, publishing: Double) { (self.engine, self.publishing) = (engine, publishing) }

    /// Reads the current values of a process.
    init(of process: pid_t) {
        for thread in Folder.names(in: "/proc/\(process)/task") {
            let place = "/proc/\(process)/task/\(thread)"
            let seconds =
                (TextFile.read("\(place)/schedstat").split(separator: " ").first.flatMap { Double($0) } ?? .nan) * 1e-9
            switch TextFile.read("\(place)/comm") {
            case "demo\n": continue
            case "engine\n": engine += seconds
            default: publishing += seconds
            }
        }
    }

    static func - (left: Self, right: Self) -> Self {
        Self(engine: left.engine - right.engine, publishing: left.publishing - right.publishing)
    }
}
