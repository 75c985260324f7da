import Geodesy
import Glibc
import PoseMath

/// A voyage of a boat: its legs, what drives it sideways, and the sea.
public struct VoyagePlan: Sendable {
    /// A turn or a change of speed.
    public struct Manoeuvre: Sendable {
        /// Begin, seconds since the start.
        public var begin: Double
        /// Duration, seconds.
        public var seconds: Double
        /// Turn to the right, radians.
        public var turnRadians = 0.0
        /// Change of the speed through the water, m/s.
        public var speedChange = 0.0

        /// A manoeuvre.
        public init(begin: Double, seconds: Double, turnRadians: Double = 0, speedChange: Double = 0) {
            (self.begin, self.seconds, self.turnRadians, self.speedChange) = (begin, seconds, turnRadians, speedChange)
        }
    }

    /// Start position.
    public var start = GeodeticPosition(latitudeDegrees: 54, longitudeDegrees: 10.5, altitudeEllipsoidMeters: 40)
    /// Duration, seconds.
    public var durationSeconds = 600.0
    /// First heading, radians.
    public var headingRadians = 0.0
    /// First speed through the water, m/s.
    public var speedMetersPerSecond = 5.0
    /// Turns and changes of speed.
    public var manoeuvres: [Manoeuvre] = []
    /// Mean current, east, north, m/s.
    public var current = SIMD2(0.4, -0.2)
    /// Mean drift by wind to the left of the hull, m/s.
    public var leeway = 0.4
    /// Slow changes of both, relative.
    public var drifting = 0.3
    /// Significant height of the waves, metres.
    public var waveHeight = 0.5
    /// Period of the highest waves, seconds.
    public var wavePeakSeconds = 4.5
    /// 1-sigma of roll, pitch and yaw by the waves, radians.
    public var waveAngles = Vector3(4, 2, 0.7) * Angle.radiansPerDegree
    /// Seed of the random phases.
    public var seed: UInt64 = 1

    /// A voyage straight ahead.
    public init() {}
}

/// A voyage with known truth at every instant. The reference point is the hull's centre, where the IMU is.
public struct Voyage: MotionTruth {
    /// The plan.
    public let plan: VoyagePlan
    private let frame: LocalFrame
    private let waves: SeaWaves
    private let phases: [Double]
    /// Place without waves every 0.05 s, east, north, metres.
    private let path: [SIMD2<Double>]
    private static let pathSeconds = 0.05
    /// Step of the differences for rates and accelerations, seconds.
    private static let difference = 2e-3

    /// Duration, seconds.
    public var durationSeconds: Double { plan.durationSeconds }

    /// Computes the path of a plan.
    public init(_ plan: VoyagePlan) {
        self.plan = plan
        frame = LocalFrame(origin: plan.start)
        var random = RandomSource(seed: plan.seed, use: 43)
        let phases = (0..<3).map { _ in random.uniform(-.pi, .pi) }
        waves = SeaWaves(
            height: plan.waveHeight, peakSeconds: plan.wavePeakSeconds, rollSeconds: random.uniform(3.5, 6),
            angles: plan.waveAngles, courseRadians: random.uniform(-.pi, .pi), seed: plan.seed)
        var place = SIMD2<Double>.zero
        var points = [place]
        func velocity(_ at: Double) -> SIMD2<Double> { Self.velocity(at, plan, phases) }
        for k in 0..<(Int(plan.durationSeconds / Self.pathSeconds) + 2) {
            // Simpson's rule over each interval.
            let t = Double(k) * Self.pathSeconds
            place +=
                (velocity(t) + 4 * velocity(t + Self.pathSeconds / 2) + velocity(t + Self.pathSeconds))
                * (Self.pathSeconds / 6)
            points.append(place)
        }
        (path, self.phases) = (points, phases)
    }

    /// Returns the time unchanged: a voyage does not repeat.
    public func lapSeconds(_ seconds: Double) -> Double { seconds }

    /// The truth at a time since the start, seconds.
    public func truth(atSeconds seconds: Double) -> DriveTruth {
        let h = Self.difference
        let here = waves.offset(seconds)
        // Differences of fourth order.
        let (a, b) = (waves.offset(seconds - 2 * h), waves.offset(seconds - h))
        let (c, d) = (waves.offset(seconds + h), waves.offset(seconds + 2 * h))
        let (before, after) = (velocity(seconds - h), velocity(seconds + h))
        let v = velocity(seconds)
        let slow = (after - before) / (2 * h)
        let now = attitude(seconds)
        let turning = (attitude(seconds - h).inverse * attitude(seconds + h)).rotationVector / (2 * h)
        let place = place(seconds)
        let curve = (b + c) * 16 - a - d - here * 30
        return DriveTruth(
            seconds: seconds, frame: frame, place: Vector3(place.x, place.y, 0) + here,
            velocity: Vector3(v.x, v.y, 0) + (a - d + (c - b) * 8) / (12 * h),
            acceleration: Vector3(slow.x, slow.y, 0) + curve / (12 * h * h),
            bodyToENU: now, turning: turning)
    }

    /// Share of a manoeuvre that is done, 0 to 1: two continuous derivatives.
    private static func done(_ manoeuvre: VoyagePlan.Manoeuvre, _ seconds: Double) -> Double {
        let x = min(max((seconds - manoeuvre.begin) / max(manoeuvre.seconds, 1e-3), 0), 1)
        return x * x * x * (10 - 15 * x + 6 * x * x)
    }

    private static func heading(_ seconds: Double, _ plan: VoyagePlan) -> Double {
        plan.manoeuvres.reduce(plan.headingRadians) { $0 + $1.turnRadians * done($1, seconds) }
    }

    /// Velocity over ground without waves, east, north, m/s.
    private static func velocity(_ seconds: Double, _ plan: VoyagePlan, _ phases: [Double]) -> SIMD2<Double> {
        let speed = plan.manoeuvres.reduce(plan.speedMetersPerSecond) { $0 + $1.speedChange * done($1, seconds) }
        let heading = heading(seconds, plan)
        func slow(_ period: Double, _ k: Int) -> Double {
            1 + plan.drifting * sin(2 * .pi * seconds / period + phases[k])
        }
        let ahead = SIMD2(sin(heading), cos(heading))
        let left = SIMD2(-cos(heading), sin(heading))
        let current = SIMD2(plan.current.x * slow(410, 0), plan.current.y * slow(290, 1))
        return ahead * speed + left * (plan.leeway * slow(130, 2)) + current
    }

    private func velocity(_ seconds: Double) -> SIMD2<Double> { Self.velocity(seconds, plan, phases) }

    private func attitude(_ seconds: Double) -> Quaternion {
        let angles = waves.angles(seconds)
        return EulerAngles(
            rollRadians: angles.x, pitchRadians: angles.y, headingTrueRadians: Self.heading(seconds, plan) + angles.z
        ).bodyToENU
    }

    /// Place without waves, by cubic Hermite interpolation between the points of the path.
    private func place(_ seconds: Double) -> SIMD2<Double> {
        let clamped = min(max(seconds, 0), plan.durationSeconds)
        let k = min(Int(clamped / Self.pathSeconds), path.count - 2)
        let (t0, s) = (Double(k) * Self.pathSeconds, (clamped - Double(k) * Self.pathSeconds) / Self.pathSeconds)
        let (v0, v1) = (velocity(t0), velocity(t0 + Self.pathSeconds))
        let (s2, s3) = (s * s, s * s * s)
        let ends = path[k] * (2 * s3 - 3 * s2 + 1) + path[k + 1] * (3 * s2 - 2 * s3)
        return ends + v0 * ((s3 - 2 * s2 + s) * Self.pathSeconds) + v1 * ((s3 - s2) * Self.pathSeconds)
    }
}

/// The sensor events of a voyage in the order of their arrival, with the truth. Identical for the same seed.
public struct SimulatedVoyage: Sequence, Sendable {
    /// The true motion.
    public let voyage: Voyage
    /// The sensors.
    public let sensors: SensorSuite
    /// Seed of all random errors.
    public let seed: UInt64

    /// Creates a simulation.
    public init(voyage: Voyage, sensors: SensorSuite, seed: UInt64) {
        (self.voyage, self.sensors, self.seed) = (voyage, sensors, seed)
    }

    /// The truth at the time of an event.
    public func truth(at time: MonotonicTime) -> DriveTruth { voyage.truth(atSeconds: time.seconds) }

    /// Iterates over the events.
    public func makeIterator() -> SimulatedDrive.Iterator {
        SimulatedDrive.Iterator(voyage, sensors, seed: seed, window: 0...voyage.durationSeconds)
    }
}
