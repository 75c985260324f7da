import CBench
import Engine
import Fusion
import Measurements
import Simulation

/// The engine alone: the time per IMU sample and the number of heap allocations.
struct EngineBench {
    /// IMU samples per second.
    var rateHertz: Double

    /// Events of a drive with every sensor.
    private func events() throws -> [SensorEvent] {
        var sensors = SensorSuite()
        sensors.inertial?.rateHertz = rateHertz
        sensors.magnetometer = SensorSuite.Magnetometer()
        sensors.barometer = SensorSuite.Barometer()
        sensors.wheels = SensorSuite.Wheels()
        return Array(SimulatedDrive(drive: try Drive(.random(seed: 7)), sensors: sensors, seed: 7))
    }

    /// Measures and reports.
    func run() throws {
        let events = try events()
        let samples = events.count { if case .inertial = $0 { true } else { false } }
        let runs = (0..<5).map { _ in nanoseconds(events) / Double(samples) / 1000 }
        Report.add(
            Figure(
                name: "filter step, all sensors, \(Int(rateHertz)) Hz IMU, mean of a drive",
                value: Distribution(runs).median, unit: "us/sample",
                limit: .atMost(5)))
        Report.add(
            Figure(
                name: "  the filter alone, IMU and receiver, mean of a drive",
                value: Distribution(filterRuns(events)).median / 1000,
                unit: "us/sample", limit: .atMost(2)))
        let single = Distribution(inertialNanoseconds(events))
        Report.add(
            Figure(name: "  one IMU sample alone, median", value: single.median / 1000, unit: "us", limit: .none))
        Report.add(
            Figure(
                name: "  one IMU sample alone, 99 of 100 within", value: single.quantile(0.99) / 1000, unit: "us",
                limit: .none))
        let allocations = allocations(events)
        Report.add(
            Figure(
                name: "heap allocations after warm-up, \(Int(rateHertz)) Hz, \(allocations.samples) samples",
                value: Double(allocations.count),
                unit: "in all", limit: .atMost(0)))
    }

    /// The whole drive with all events; processor time of this thread, so that other programs do not count.
    private func nanoseconds(_ events: [SensorEvent]) -> Double {
        var engine = Engine()
        let start = processorNanoseconds()
        for event in events { _ = engine.ingest(event) }
        return Double(processorNanoseconds() - start)
    }

    /// The estimator without the engine and without the sensors that not every car has; nanoseconds per IMU sample, for
    /// each run.
    private func filterRuns(_ events: [SensorEvent]) -> [Double] {
        let wanted = events.filter {
            switch $0 {
            case .inertial, .gnss: true
            default: false
            }
        }
        let samples = wanted.count { if case .inertial = $0 { true } else { false } }
        return (0..<5).map { _ in
            var estimator = PoseEstimator()
            let start = processorNanoseconds()
            for event in wanted { _ = estimator.ingest(event) }
            return Double(processorNanoseconds() - start) / Double(samples)
        }
    }

    /// The time of each single IMU sample, including the cost of reading the clock.
    private func inertialNanoseconds(_ events: [SensorEvent]) -> [Double] {
        var engine = Engine()
        var values: [Double] = []
        values.reserveCapacity(events.count)
        for event in events {
            let start = monotonicNanoseconds()
            _ = engine.ingest(event)
            let end = monotonicNanoseconds()
            if case .inertial = event { values.append(Double(end - start)) }
        }
        return values
    }

    /// Allocations in the second half of the drive, when every buffer has its final size.
    private func allocations(_ events: [SensorEvent]) -> (count: UInt64, samples: Int) {
        var engine = Engine()
        let half = events.count / 2
        for event in events[..<half] { _ = engine.ingest(event) }
        var samples = 0
        let before = bench_allocation_count()
        for event in events[half...] {
            if case .inertial = event { samples += 1 }
            _ = engine.ingest(event)
        }
        return (bench_allocation_count() - before, samples)
    }
}
