import Glibc
import Simulation

/// A plan of many recordings, done by one worker and by one for each core: the same plan, the same results.
struct BatchBench {
    /// Path of posectl.
    var program: String

    /// Recordings of the plan.
    private static let recordings = 100
    /// The shortest duration of each, seconds.
    private static let duration = 600.0

    /// What a number of workers took for the whole plan.
    private struct Run {
        var seconds: Double
        var processorSeconds: Double
        var peakMebibytes: Double
    }

    /// Measures and reports.
    func run() throws {
        let folder = try TemporaryFolder()
        let edges = try Self.edges()
        let seconds = try ReplayBench.record(edges: edges, into: folder)
        try Self.copies(in: folder.path)
        let cores = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        let all = try measure(folder.path, results: "all", workers: cores)
        let one = try measure(folder.path, results: "one", workers: 1)
        let name = "batch of \(Self.recordings) recordings of \(Text.number(seconds)) s"
        // 60 s on two cores.
        let limit = Figure.Limit.atMost(120 / Double(cores))
        add("\(name), \(cores) workers", all.seconds, "s", limit)
        add("  the same plan, 1 worker", one.seconds, "s", .none)
        add(
            "  what each worker does, 1 is a worker alone", one.seconds / all.seconds / Double(cores), "x each",
            .atLeast(0.9))
        add(
            "  processor time of \(cores) workers against 1", all.processorSeconds / one.processorSeconds, "x",
            .atMost(1.1))
        add("  memory of a task, at most", max(one.peakMebibytes, all.peakMebibytes), "MiB", .atMost(128))
    }

    private func add(_ name: String, _ value: Double, _ unit: String, _ limit: Figure.Limit) {
        Report.add(Figure(name: name, value: value, unit: unit, limit: limit))
    }

    /// The size of a drive that is long enough.
    private static func edges() throws -> Int {
        for edges in 20..<200 where try Drive(.random(seed: 11, edges: edges)).durationSeconds >= duration {
            return edges
        }
        throw BenchError("no drive of \(duration) s")
    }

    /// Makes folders of four vehicles with the recording: the same file under other names.
    private static func copies(in folder: String) throws {
        guard mkdir("\(folder)/drives", 0o755) == 0 else { throw BenchError("cannot create \(folder)/drives") }
        for bus in 0..<4 { mkdir("\(folder)/drives/bus\(bus)", 0o755) }
        for index in 0..<recordings {
            let place = "\(folder)/drives/bus\(index % 4)/drive\(index)"
            mkdir(place, 0o755)
            for file in ["imu.csv", "gnss.csv"] where link("\(folder)/\(file)", "\(place)/\(file)") != 0 {
                throw BenchError("\(place)/\(file): \(String(cString: strerror(errno)))")
            }
        }
    }

    /// Plans the recordings and lets so many workers do the tasks, as a scheduler does.
    private func measure(_ folder: String, results: String, workers: Int) throws -> Run {
        try end(ChildProcess(program, ["batch", "plan", "\(folder)/drives", "-o", "\(folder)/\(results)"]))
        let manifest = "\(folder)/\(results)/manifest.json"
        var run = Run(seconds: 0, processorSeconds: 0, peakMebibytes: 0)
        let start = monotonicNanoseconds()
        var children: [pid_t] = []
        for worker in 0..<workers {
            let part = ["--task", "\(worker)", "--of", "\(workers)"]
            children.append(try ChildProcess.start(program, ["batch", "run", manifest] + part))
        }
        for child in children {
            var (status, usage) = (Int32(0), rusage())
            while wait4(child, &status, 0, &usage) < 0, errno == EINTR {}
            guard status == 0 else { throw BenchError("posectl batch run failed") }
            run.processorSeconds += ChildProcess.seconds(usage.ru_utime) + ChildProcess.seconds(usage.ru_stime)
            run.peakMebibytes = max(run.peakMebibytes, Double(usage.ru_maxrss) / 1024)
        }
        run.seconds = Double(monotonicNanoseconds() - start) * 1e-9
        try end(ChildProcess(program, ["batch", "collect", manifest]))
        return run
    }

    private func end(_ child: consuming ChildProcess) throws {
        let code = child.wait()
        guard code == 0 else { throw BenchError("posectl batch ended with \(code)") }
    }
}
