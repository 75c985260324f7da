import PoseMath
import Simulation

/// A drive to simulate: way, driver, sensors, disturbances, and the result that is expected.
package struct Scenario: Sendable {
    /// Where the way comes from.
    package enum Way: Sendable, Equatable {
        /// Random streets; the number of edges.
        case random(edges: Int)
        /// Corners, degrees: latitude and longitude.
        case corners([[Double]])
        /// A route file: a router's response, GPX or GeoJSON.
        case file(String)
        /// The shortest way on the roads of a road file or an extract (.osm.pbf) between two places, degrees.
        case roads(path: String, from: [Double], to: [Double])
        /// The way of the demo drive.
        case demo
    }

    /// A time from the start of the drive, seconds.
    package struct Span: Sendable, Equatable {
        /// Its begin and length.
        package var from: Double
        package var seconds: Double

        /// Whether it contains a time.
        func contains(_ time: Double) -> Bool { time >= from && time < from + seconds }
    }

    /// A fault of a sensor.
    package struct Fault: Sendable, Equatable {
        /// The faults by their names in a scenario.
        package enum Kind: String, CaseIterable, Sendable {
            case imuGap = "imu_gap"
            case gyroStuck = "gyro_stuck"
            case gyroClipped = "gyro_clipped"
            case receiverStuck = "receiver_stuck"
            case receiverJump = "receiver_jump"
            case noVelocity = "no_velocity"
            case noAccuracy = "no_accuracy"
        }

        /// What breaks, and when.
        package var kind: Kind
        package var span: Span
    }

    /// What a replay has to reach; `nil` where nothing is expected.
    package struct Expectation: Sendable, Equatable {
        /// Seconds to the first aligned pose at most.
        package var alignedWithinSeconds: Double?
        /// Root mean square errors from half a minute after the alignment at most.
        package var horizontalMeters: Double?
        package var headingDegrees: Double?
        package var heightMeters: Double?
        /// Largest horizontal error at any time after the alignment.
        package var worstMeters: Double?
        /// Share of the time in which the pose must be lost at most, 0 to 1.
        package var lostShare: Double?
        /// Share of the errors that must be within three sigmas at least, 0 to 1.
        package var withinThreeSigmas: Double?

        /// Nothing expected.
        package init() {}
    }

    /// Name of the scenario: that of its file.
    package var name: String
    /// What it is about, one sentence.
    package var title = ""
    /// Seed of everything random.
    package var seed: UInt64 = 1
    /// The way.
    package var way = Way.random(edges: 20)
    /// The driver; way, limits and stops are filled in by ``plan()``.
    package var driver = DrivePlan(vertices: [], limitsMetersPerSecond: [])
    /// Speed limit everywhere, m/s, where the way states none; `nil` takes that of the way.
    package var limitMetersPerSecond: Double?
    /// Stops: index of the corner, seconds.
    package var stops: [DrivePlan.Stop] = []
    /// The sensors.
    package var sensors = SensorSuite()
    /// Times without satellites, and times in which the receiver reports jamming.
    package var tunnels: [Span] = []
    package var jamming: [Span] = []
    /// Faults of the sensors.
    package var faults: [Fault] = []
    /// Whether the receiver or the IMU is left out.
    package var hasReceiver = true
    package var hasIMU = true
    /// The expected result.
    package var expected = Expectation()

    /// A scenario with the defaults: random streets, a consumer receiver and IMU.
    package init(name: String) { self.name = name }
}
