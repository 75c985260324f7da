import CBench
import Glibc

/// The running daemon: start-up time, age of a frame at a client, and memory.
struct DaemonBench {
    /// Path of posed.
    var program: String

    private static let clients = 8
    /// Twice the cores of the smallest machine that is meant.
    private static let spinners = 4

    /// Measures and reports.
    func run() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "posed.yaml")
        try measureStart(in: folder)
        try measureDemo(in: folder)
        if EmulatedIMU.isInstalled {
            try measureIMU(in: folder)
        } else {
            Report.skip("IMU sample to client frame", because: "umockdev is not installed: scripts/packages test")
        }
    }

    /// The daemon with its own folder: settings and sockets of this machine are not used.
    private func command(_ source: String, in folder: borrowing TemporaryFolder) -> [String] {
        [
            "--config", "\(folder.path)/posed.yaml", "--source", source, "--set", "sockets.folder=\(folder.path)",
            "--log-level", "error",
        ]
    }

    private func start(in folder: borrowing TemporaryFolder) throws -> ChildProcess {
        try ChildProcess(program, command("simulated", in: folder))
    }

    /// Retries until a client is accepted.
    private func waitForSocket(in folder: borrowing TemporaryFolder, _ daemon: pid_t) throws {
        try FrameSocket.whenServed(path: "\(folder.path)/frames", by: daemon).close()
    }

    /// From the start of the program to its sockets, and to the first frame that a client reads.
    private func measureStart(in folder: borrowing TemporaryFolder) throws {
        var (starts, frames): ([Double], [Double]) = ([], [])
        for _ in 0..<5 {
            let begin = monotonicNanoseconds()
            var daemon = try start(in: folder)
            let socket = try FrameSocket.whenServed(path: "\(folder.path)/frames", by: daemon.id)
            defer { socket.close() }
            starts.append(Double(monotonicNanoseconds() - begin) / 1e6)
            socket.subscribeToEveryFrame()
            guard socket.waitForFrame(seconds: 10) else { throw BenchError("no frame within 10 s after the start") }
            frames.append(Double(monotonicNanoseconds() - begin) / 1e6)
            try daemon.stopCleanly()
        }
        for (name, times) in [("start to listening sockets", starts), ("start to the first frame", frames)] {
            Report.add(Figure(name: name, value: Distribution(times).median, unit: "ms", limit: .atMost(300)))
        }
    }

    /// The simulated drive: route, all sources, all messages published.
    private func measureDemo(in folder: borrowing TemporaryFolder) throws {
        var daemon = try start(in: folder)
        try waitForSocket(in: folder, daemon.id)
        let ages = try serveClients(in: folder)
        report(memoryOf: daemon.id, "the demo drive, 8 clients, after 12 s")
        guard let bytes = StreamBench.bytesPerSecond(path: "\(folder.path)/stream") else {
            throw BenchError("posed does not serve a client of the stream")
        }
        let name = "stream client without a rate, worst of two times 10 s"
        Report.add(Figure(name: name, value: bytes / 1000, unit: "kB/s", limit: .atMost(64)))
        try daemon.stopCleanly()
        report(ages, name: "  simulated sample to client frame", limits: nil)
        Report.add(
            Figure(
                name: "  frames to each client", value: ages.perSecond / Double(Self.clients), unit: "Hz", limit: .none)
        )
    }

    /// Real libiio on an emulated device.
    private func measureIMU(in folder: borrowing TemporaryFolder) throws {
        var imu = try EmulatedIMU.start([program] + command("live", in: folder), in: folder)
        defer { imu.stop() }
        try waitForSocket(in: folder, imu.program)
        let ages = try serveClients(in: folder)
        report(ages, name: "IIO sample to client frame, \(Self.clients) clients", limits: (2, 5))
        Report.add(
            Figure(
                name: "  frames to each client", value: ages.perSecond / Double(Self.clients), unit: "Hz", limit: .none)
        )
        report(memoryOf: imu.program, "a 200 Hz IIO device, 8 clients, after 12 s")
        try measureBesideSpinners(in: folder)
    }

    /// The same device while other programs want every core. When a frame comes is then the scheduler's doing, but no
    /// sample may be lost.
    private func measureBesideSpinners(in folder: borrowing TemporaryFolder) throws {
        let before = try acceptedSamples(in: folder)
        let begin = monotonicNanoseconds()
        let spinners = try (0..<Self.spinners).map { _ in
            // With a limit of its own, so that none outlives a bench that is killed.
            try ChildProcess.start("/bin/sh", ["-c", "ulimit -t 60; while :; do :; done"])
        }
        let ages = Result { try serveClients(in: folder) }
        for spinner in spinners {
            kill(spinner, SIGKILL)
            waitpid(spinner, nil, 0)
        }
        // What is late arrives now.
        usleep(1_000_000)
        let expected = Double(monotonicNanoseconds() - begin) * 1e-9 * EmulatedIMU.rateHertz
        let lost = expected - Double(try acceptedSamples(in: folder) - before)
        let name = "IIO samples lost beside \(Self.spinners) spinning processes"
        // The two counts are of instants that are a sample off.
        Report.add(Figure(name: name, value: lost > 2 ? lost : 0, unit: "", limit: .atMost(0)))
        report(try ages.get(), name: "  sample to client frame", limits: nil)
        guard lost <= 2 else { throw BrokenCount(description: "\(lost) IMU samples lost beside spinning processes") }
    }

    /// Number of IMU samples that the daemon has accepted so far.
    private func acceptedSamples(in folder: borrowing TemporaryFolder) throws -> Int {
        guard let status = StreamBench.status(path: "\(folder.path)/stream"),
            let imu = status.firstRange(of: "\"kind\":\"imu\""),
            let accepted = status[imu.upperBound...].firstRange(of: "\"accepted\":"),
            let count = Int(status[accepted.upperBound...].prefix { $0.isNumber })
        else { throw BenchError("posed does not tell how many samples it accepted") }
        return count
    }

    private func serveClients(in folder: borrowing TemporaryFolder) throws -> FrameAges {
        let sockets = (0..<Self.clients).compactMap { _ in FrameSocket(path: "\(folder.path)/frames") }
        defer { for socket in sockets { socket.close() } }
        guard sockets.count == Self.clients else {
            throw BenchError("posed accepted \(sockets.count) of \(Self.clients) clients")
        }
        for socket in sockets { socket.subscribeToEveryFrame() }
        let ages = FrameAges.collect(sockets.map(\.descriptor), seconds: 12, discardingFirst: 2) {
            FrameSocket.time(ofPacket: $0)
        }
        guard !ages.milliseconds.isEmpty else { throw BenchError("posed sent no frame") }
        return ages
    }

    private func report(memoryOf process: pid_t, _ what: String) {
        // A size that is not known is over its limit.
        let memory = ChildProcess.residentKibibytes(of: process) ?? .nan
        Report.add(Figure(name: "resident memory, \(what)", value: memory / 1024, unit: "MiB", limit: .atMost(24)))
    }

    private func report(_ ages: FrameAges, name: String, limits: (Double, Double)?) {
        let spread = Distribution(ages.milliseconds)
        Report.add(
            Figure(
                name: "\(name), median", value: spread.median, unit: "ms", limit: limits.map { .atMost($0.0) } ?? .none)
        )
        Report.add(
            Figure(
                name: "\(name), 99 of 100 within", value: spread.quantile(0.99), unit: "ms",
                limit: limits.map { .atMost($0.1) } ?? .none))
    }
}
