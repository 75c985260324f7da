import Measurements
import PoseMath

/// The sensor events of a drive in the order of their arrival, with the truth. Identical for the same seed.
///
/// Time zero is the start of the drive. Events of the same time are ordered inertial, magnetic, pressure, wheels,
/// satellites.
public struct SimulatedDrive: Sequence, Sendable {
    /// The true motion.
    public let drive: Drive
    /// The sensors.
    public let sensors: SensorSuite
    /// Seed of all random errors.
    public let seed: UInt64
    /// The simulated part of the drive, seconds since its start; unbounded if the plan repeats.
    public let window: ClosedRange<Double>

    /// Creates a simulation; `from` starts it within the drive, as if the daemon were started on the way.
    public init(drive: Drive, sensors: SensorSuite = SensorSuite(), seed: UInt64, from start: Double = 0) {
        self.drive = drive
        self.sensors = sensors
        self.seed = seed
        window =
            Swift.min(
                Swift.max(start, 0), drive.durationSeconds)...(drive.plan.repeats ? .infinity : drive.durationSeconds)
    }

    /// The truth at the time of an event.
    public func truth(at time: MonotonicTime) -> DriveTruth { drive.truth(atSeconds: time.seconds) }

    /// The errors of the IMU in this drive; `nil` without an IMU.
    public var inertialErrors: InertialErrorRealization? {
        sensors.inertial.map { InertialGenerator($0, seed: seed, window: window).drawn }
    }

    /// Iterates over the events.
    public func makeIterator() -> Iterator { Iterator(drive, sensors, seed: seed, window: window) }

    /// Merges the sensors' events.
    public struct Iterator: IteratorProtocol, Sendable {
        private let drive: any MotionTruth
        private var streams: [Stream] = []

        private struct Stream: Sendable {
            var generator: any EventGenerator
            var pending: SensorEvent
        }

        init(_ drive: any MotionTruth, _ sensors: SensorSuite, seed: UInt64, window: ClosedRange<Double>) {
            self.drive = drive
            if let imu = sensors.inertial { add(InertialGenerator(imu, seed: seed, window: window)) }
            if let magnetometer = sensors.magnetometer {
                let mount = sensors.inertial?.sensorToBody ?? .identity
                add(MagneticGenerator(magnetometer, sensorToBody: mount, seed: seed, window: window))
            }
            if let barometer = sensors.barometer { add(PressureGenerator(barometer, seed: seed, window: window)) }
            if let wheels = sensors.wheels { add(WheelGenerator(wheels, seed: seed, window: window)) }
            if let receiver = sensors.satellite { add(SatelliteGenerator(receiver, seed: seed, window: window)) }
        }

        private mutating func add(_ fresh: some EventGenerator) {
            var generator = fresh
            if let first = generator.next(drive) { streams.append(Stream(generator: generator, pending: first)) }
        }

        /// The next event; `nil` at the end of the drive.
        public mutating func next() -> SensorEvent? {
            guard var earliest = streams.indices.first else { return nil }
            for index in streams.indices
            where streams[index].pending.arrivalTime < streams[earliest].pending.arrivalTime {
                earliest = index
            }
            let event = streams[earliest].pending
            if let following = streams[earliest].generator.next(drive) {
                streams[earliest].pending = following
            } else {
                streams.remove(at: earliest)
            }
            return event
        }
    }
}
