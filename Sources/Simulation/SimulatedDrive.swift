import Measurements
import PoseMath

/// A drive as its sensors tell it: events in the order of their arrival, the same for the same seed, with the truth
/// beside them.
///
/// Time zero is the start of the drive. Events of one instant come inertial, magnetic, pressure, wheels, satellites.
public struct SimulatedDrive: Sequence, Sendable {
    /// What really happens.
    public let drive: Drive
    /// What is fitted.
    public let sensors: SensorSuite
    /// Of all random errors.
    public let seed: UInt64
    /// The part of the drive that is told, seconds since its start; without end where the plan repeats.
    public let window: ClosedRange<Double>

    /// A drive seen by sensors; `from` begins in the middle of it, as when the daemon starts on the way.
    public init(drive: Drive, sensors: SensorSuite = SensorSuite(), seed: UInt64, from start: Double = 0) {
        self.drive = drive
        self.sensors = sensors
        self.seed = seed
        window =
            Swift.min(
                Swift.max(start, 0), drive.durationSeconds)...(drive.plan.repeats ? .infinity : drive.durationSeconds)
    }

    /// The truth at an instant of the events.
    public func truth(at time: MonotonicTime) -> DriveTruth { drive.truth(atSeconds: time.seconds) }

    /// The errors that the IMU has in this drive; `nil` without one.
    public var inertialErrors: InertialErrorsDrawn? {
        sensors.inertial.map { InertialGenerator($0, seed: seed, window: window).drawn }
    }

    /// The events from the first to the last.
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

        /// The next event, or `nil` at the end of the drive.
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
