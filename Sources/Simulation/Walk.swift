import Geodesy
import Glibc
import PoseMath

/// A pedestrian (or cyclist) carrying a sensor: start, gait, and how the sensor is held.
public struct WalkPlan: Sendable {
    /// Start position.
    public var start = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 11, altitudeEllipsoidMeters: 600)
    /// Duration, seconds.
    public var durationSeconds = 180.0
    /// Standstill before the walk, seconds.
    public var standingSecondsBefore = 5.0
    /// Speed, m/s.
    public var speedMetersPerSecond = 1.35
    /// Relative amplitude of the speed's variation.
    public var speedChange = 0.08
    /// Steps per second; 0: on wheels.
    public var stepsPerSecond = 1.9
    /// Vertical oscillation with each step, amplitude, metres.
    public var bobMeters = 0.02
    /// Forward oscillation with each step, amplitude, metres.
    public var surgeMeters = 0.01
    /// Lateral oscillation with every other step, amplitude, metres.
    public var swayMeters = 0.02
    /// 1-sigma of the slow variation of the course, radians.
    public var winding = 1.2
    /// Offset of the sensor from the body's centre, forward, left, up, metres.
    public var heldAtMeters = Vector3(0.35, 0, 0)
    /// Orientation of the sensor in the hand: rotation from its axes to the body's (x forward, y left, z up).
    public var deviceToBody = Quaternion.identity
    /// Swing of the arm about the shoulder with every other step, amplitude, radians; 0 holds the sensor at
    /// ``heldAtMeters``.
    public var armSwingRadians = 0.0
    /// Length of the swinging arm, metres.
    public var armMeters = 0.6
    /// Seed of the random phases.
    public var seed: UInt64 = 1

    /// Creates a calm walk with the sensor held in front.
    public init() {}
}

/// A walk with known truth at every instant. The body axes of its truth are those of the device.
public struct Walk: MotionTruth {
    /// The plan.
    public let plan: WalkPlan
    private let frame: LocalFrame
    private let swings: [(amplitude: Double, frequency: Double, phase: Double)]
    /// Centre of the body every 0.01 s, east, north, metres.
    private let path: [SIMD2<Double>]
    private static let pathSeconds = 0.01
    /// Step of the differences for rates and accelerations, seconds.
    private static let difference = 1e-3

    /// Duration, seconds.
    public var durationSeconds: Double { plan.durationSeconds }

    /// Computes the path of a plan.
    public init(_ plan: WalkPlan) {
        self.plan = plan
        frame = LocalFrame(origin: plan.start)
        var random = RandomSource(seed: plan.seed, use: 31)
        swings = [90.0, 47, 23, 13].map { period in
            (
                plan.winding * random.uniform(0.5, 1.5) * (period / 90).squareRoot(),
                2 * .pi / (period * random.uniform(0.8, 1.2)),
                random.uniform(-.pi, .pi)
            )
        }
        var place = SIMD2<Double>.zero
        var points = [place]
        let count = Int(plan.durationSeconds / Self.pathSeconds) + 2
        points.reserveCapacity(count + 1)
        let swings = swings
        for k in 0..<count {
            // Simpson's rule over each interval of 0.01 s.
            let t = Double(k) * Self.pathSeconds
            func velocity(_ at: Double) -> SIMD2<Double> { Self.velocity(at, plan, swings) }
            place +=
                (velocity(t) + 4 * velocity(t + Self.pathSeconds / 2) + velocity(t + Self.pathSeconds))
                * (Self.pathSeconds / 6)
            points.append(place)
        }
        path = points
    }

    /// Returns the time unchanged: a walk does not repeat.
    public func lapSeconds(_ seconds: Double) -> Double { seconds }

    /// The truth at a time since the start, seconds.
    public func truth(atSeconds seconds: Double) -> DriveTruth {
        let h = Self.difference
        let place = position(seconds)
        // Differences of fourth order.
        let (a, b, c, d) = (offset(seconds - 2 * h), offset(seconds - h), offset(seconds + h), offset(seconds + 2 * h))
        let (va, vc) = (Self.velocity(seconds - h, plan, swings), Self.velocity(seconds + h, plan, swings))
        let v = Self.velocity(seconds, plan, swings)
        let velocity = Vector3(v.x, v.y, 0) + (a - d + (c - b) * 8) / (12 * h)
        let middle = (vc - va) / (2 * h)
        let curve = (b + c) * 16 - a - d - offset(seconds) * 30
        let acceleration = Vector3(middle.x, middle.y, 0) + curve / (12 * h * h)
        let (before, after) = (attitude(seconds - h), attitude(seconds + h))
        let now = attitude(seconds)
        let turning = (before.inverse * after).rotationVector / (2 * h)
        return DriveTruth(
            seconds: seconds, frame: frame, place: place, velocity: velocity, acceleration: acceleration,
            bodyToENU: now, turning: turning)
    }

    /// Transition from standing to walking, 0 to 1.
    private static func pace(_ seconds: Double, _ plan: WalkPlan) -> Double {
        let x = min(max((seconds - plan.standingSecondsBefore) / 2, 0), 1)
        return x * x * x * (10 - 15 * x + 6 * x * x)
    }

    /// Time walked, seconds: the integral of ``pace(_:_:)``.
    private static func walked(_ seconds: Double, _ plan: WalkPlan) -> Double {
        let since = (seconds - plan.standingSecondsBefore) / 2
        guard since < 1 else { return 1 + 2 * (since - 1) }
        let x = max(since, 0)
        return 2 * x * x * x * x * (2.5 - 3 * x + x * x)
    }

    private static func course(_ seconds: Double, _ swings: [(amplitude: Double, frequency: Double, phase: Double)])
        -> Double
    {
        swings.reduce(0) { $0 + $1.amplitude * sin($1.frequency * seconds + $1.phase) }
    }

    private static func velocity(
        _ seconds: Double, _ plan: WalkPlan, _ swings: [(amplitude: Double, frequency: Double, phase: Double)]
    ) -> SIMD2<Double> {
        let speed = plan.speedMetersPerSecond * pace(seconds, plan) * (1 + plan.speedChange * sin(0.31 * seconds))
        let course = course(walked(seconds, plan), swings)
        return SIMD2(sin(course), cos(course)) * speed
    }

    /// Offset of the sensor from the body's centre by gait and arm, east, north, up, metres.
    private func offset(_ seconds: Double) -> Vector3 {
        let pace = Self.pace(seconds, plan)
        let step = 2 * Double.pi * plan.stepsPerSecond * seconds
        let gait =
            Vector3(plan.surgeMeters * sin(step), plan.swayMeters * sin(step / 2), -plan.bobMeters * cos(step)) * pace
        let arm = armSwing(seconds)
        let hand = plan.armSwingRadians > 0 ? Vector3(-sin(arm), 0, -cos(arm)) * plan.armMeters : plan.heldAtMeters
        return bodyToENU(seconds).rotate(gait + hand)
    }

    private func armSwing(_ seconds: Double) -> Double {
        plan.armSwingRadians * Self.pace(seconds, plan) * sin(Double.pi * plan.stepsPerSecond * seconds)
    }

    private func bodyToENU(_ seconds: Double) -> Quaternion {
        Quaternion(rotationVector: Vector3(0, 0, .pi / 2 - Self.course(Self.walked(seconds, plan), swings)))
    }

    private func attitude(_ seconds: Double) -> Quaternion {
        let swing = Quaternion(rotationVector: Vector3(0, armSwing(seconds), 0))
        return (bodyToENU(seconds) * swing * plan.deviceToBody).normalized
    }

    private func position(_ seconds: Double) -> Vector3 {
        let clamped = min(max(seconds, 0), plan.durationSeconds)
        let k = min(Int(clamped / Self.pathSeconds), path.count - 2)
        // Cubic Hermite interpolation between the points of the path.
        let (t0, s) = (Double(k) * Self.pathSeconds, (clamped - Double(k) * Self.pathSeconds) / Self.pathSeconds)
        let (v0, v1) = (Self.velocity(t0, plan, swings), Self.velocity(t0 + Self.pathSeconds, plan, swings))
        let (s2, s3) = (s * s, s * s * s)
        let ends = path[k] * (2 * s3 - 3 * s2 + 1) + path[k + 1] * (3 * s2 - 2 * s3)
        let slopes = v0 * ((s3 - 2 * s2 + s) * Self.pathSeconds) + v1 * ((s3 - s2) * Self.pathSeconds)
        let middle = ends + slopes
        return Vector3(middle.x, middle.y, 0) + offset(seconds)
    }
}

/// The sensor events of a walk in the order of their arrival, with the truth. Identical for the same seed.
public struct SimulatedWalk: Sequence, Sendable {
    /// The true motion.
    public let walk: Walk
    /// The sensors.
    public let sensors: SensorSuite
    /// Seed of all random errors.
    public let seed: UInt64
    private let start: Double

    /// Creates a simulation; `from` starts it within the walk.
    public init(walk: Walk, sensors: SensorSuite, seed: UInt64, from start: Double = 0) {
        self.walk = walk
        self.sensors = sensors
        self.seed = seed
        self.start = start
    }

    /// The truth at the time of an event.
    public func truth(at time: MonotonicTime) -> DriveTruth { walk.truth(atSeconds: time.seconds) }

    /// Iterates over the events.
    public func makeIterator() -> SimulatedDrive.Iterator {
        SimulatedDrive.Iterator(walk, sensors, seed: seed, window: start...walk.durationSeconds)
    }
}
