import Fusion
import Glibc
import Measurements
import PoseMath
import Simulation

/// Orientation without satellites: the time per sample of posed and of other filters that are available as packages, on
/// the same readings.
struct OrientationBench {
    private static let rateHertz = 200.0

    /// Measures and reports.
    func run() throws {
        var plan = WalkPlan()
        plan.durationSeconds = 600
        plan.armSwingRadians = 0.5
        var suite = SensorSuite()
        suite.satellite = nil
        suite.inertial?.rateHertz = Self.rateHertz
        suite.magnetometer = SensorSuite.Magnetometer()
        suite.magnetometer?.rateHertz = Self.rateHertz
        let events = Array(SimulatedWalk(walk: Walk(plan), sensors: suite, seed: 3))
        let ours = Distribution((0..<5).map { _ in estimatorNanoseconds(events) }).median
        Report.add(
            Figure(
                name: "orientation alone with magnetometer, \(Int(Self.rateHertz)) Hz, as the daemon runs it, mean",
                value: ours / 1000, unit: "us/sample", limit: .atMost(1)))
        let bare = Distribution((0..<5).map { _ in nanoseconds(events) }).median
        Report.add(
            Figure(
                name: "  its filter without checks and published estimate", value: bare / 1000, unit: "us/sample",
                limit: .none))
        do {
            for peer in try Peers().nanoseconds(events, rateHertz: Self.rateHertz) {
                Report.add(
                    Figure(name: "  \(peer.name)", value: peer.nanoseconds / 1000, unit: "us/sample", limit: .none))
                Report.add(
                    Figure(
                        name: "  posed over \(peer.name)", value: ours / peer.nanoseconds, unit: "times", limit: .none))
            }
        } catch { Report.skip("  peers", because: "\(error)") }
    }

    private func inertialCount(_ events: [SensorEvent]) -> Double {
        Double(events.count { if case .inertial = $0 { true } else { false } })
    }

    /// The filter with what it needs, without checks of the samples and without a published estimate.
    private func nanoseconds(_ events: [SensorEvent]) -> Double {
        var filter = OrientationEstimator(profile: .wearable)
        let start = processorNanoseconds()
        for event in events { filter.ingest(event) }
        return Double(processorNanoseconds() - start) / inertialCount(events)
    }

    /// The whole estimator with only that filter, as the daemon runs it for each sample.
    private func estimatorNanoseconds(_ events: [SensorEvent]) -> Double {
        var settings = FusionSettings()
        settings.profile = .wearable
        settings.estimator = .complementary
        var estimator = PoseEstimator(settings: settings)
        let start = processorNanoseconds()
        for event in events { _ = estimator.ingest(event) }
        return Double(processorNanoseconds() - start) / inertialCount(events)
    }
}

/// Other orientation filters from the Python index, in a temporary environment.
private struct Peers {
    /// The time of one filter.
    struct Result {
        var name: String
        var nanoseconds: Double
    }

    /// VQF processes a batch in one call, so its time is that of its C++ code. imufusion is called for each sample, so
    /// its time includes the Python call.
    private static let program = """
        import sys, time
        import numpy as np
        data = np.fromfile(sys.argv[1]).reshape(-1, 9); dt = 1.0 / float(sys.argv[3]); lines = []
        def processor(run):
            times = []
            for _ in range(5):
                start = time.process_time_ns(); run(); times.append(time.process_time_ns() - start)
            return sorted(times)[2] / len(data)
        gyr, acc, mag = [np.ascontiguousarray(data[:, i:i + 3]) for i in (0, 3, 6)]
        try:
            import vqf
            lines.append('VQF in C++|%f' % (processor(lambda: vqf.VQF(dt).updateBatch(gyr, acc, mag)),))
        except ImportError: pass
        try:
            import imufusion
            g, a = np.degrees(gyr), acc / 9.80665
            def fusion():
                ahrs = imufusion.Ahrs()
                for i in range(len(g)): ahrs.update(g[i], a[i], mag[i])
            lines.append('Fusion, called from Python|%f' % processor(fusion))
        except ImportError: pass
        open(sys.argv[2], 'w').write('\\n'.join(lines))
        """

    func nanoseconds(_ events: [SensorEvent], rateHertz: Double) throws -> [Result] {
        let folder = try TemporaryFolder()
        let environment = "\(folder.path)/environment"
        defer { remove(environment) }
        try run(
            "/usr/bin/env", ["python3", "-m", "venv", environment], "cannot create a Python environment (python3-venv)"
        )
        try run(
            "\(environment)/bin/pip", ["install", "--quiet", "vqf", "imufusion"],
            "cannot install vqf and imufusion")
        try folder.write(Self.program, to: "peers.py")
        try write(samples(events), to: "\(folder.path)/samples.f64")
        let result = "\(folder.path)/result.txt"
        try run(
            "\(environment)/bin/python",
            ["\(folder.path)/peers.py", "\(folder.path)/samples.f64", result, "\(rateHertz)"],
            "the comparison filters did not run")
        let found = TextFile.read(result).split(separator: "\n").compactMap { line -> Result? in
            let parts = line.split(separator: "|")
            guard parts.count == 2, let value = Double(parts[1]) else { return nil }
            return Result(name: String(parts[0]), nanoseconds: value)
        }
        guard !found.isEmpty else { throw BenchError("no comparison filter gave a figure") }
        return found
    }

    private func run(_ program: String, _ arguments: [String], _ problem: String) throws {
        var child = try ChildProcess(program, arguments)
        let code = child.wait()
        guard code == 0 else { throw BenchError("\(problem): exit status \(code)") }
    }

    /// Gyro, accelerometer and magnetometer readings of each sample, in sequence.
    private func samples(_ events: [SensorEvent]) -> [Double] {
        var values: [Double] = []
        var inertial: InertialSample?
        for event in events {
            switch event {
            case .inertial(let sample): inertial = sample
            case .magnetic(let field):
                guard let sample = inertial else { continue }
                for v in [
                    sample.angularRateRadiansPerSecond, sample.specificForceMetersPerSecondSquared,
                    field.fluxDensityTesla * 1e6,
                ] {
                    values += [v.x, v.y, v.z]
                }
            default: break
            }
        }
        return values
    }

    private func write(_ values: [Double], to path: String) throws {
        guard let file = fopen(path, "w") else { throw BenchError("\(path) cannot be written") }
        defer { fclose(file) }
        guard fwrite(values, MemoryLayout<Double>.stride, values.count, file) == values.count else {
            throw BenchError("\(path) cannot be written")
        }
    }

    /// Removes the environment's folder.
    private func remove(_ folder: String) {
        guard var child = try? ChildProcess("/bin/rm", ["-rf", folder]) else { return }
        _ = child.wait()
    }
}
