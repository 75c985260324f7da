import Geodesy
import Glibc
import PoseMath

/// A person on foot (or on a bicycle) who carries a sensor: where they start, how they go, and how the sensor is held.
public struct WalkPlan: Sendable {
    /// Where it starts.
    public var start = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 11, altitudeEllipsoidMeters: 600)
    /// Length, seconds.
    public var durationSeconds = 180.0
    /// Standing before it, seconds.
    public var standingSecondsBefore = 5.0
    /// Speed, m/s.
    public var speedMetersPerSecond = 1.35
    /// How much the speed comes and goes, part of it.
    public var speedChange = 0.08
    /// Steps a second; zero: on wheels.
    public var stepsPerSecond = 1.9
    /// Rise and fall with each step, amplitude, metres.
    public var bobMeters = 0.02
    /// Surge forward with each step, amplitude, metres.
    public var surgeMeters = 0.01
    /// Sway with every other step, amplitude, metres.
    public var swayMeters = 0.02
    /// How strongly the way winds: 1-sigma of the course's slow swings, radians.
    public var winding = 1.2
    /// Where the sensor is held from the body's middle, forward, left, up, metres.
    public var heldAtMeters = Vector3(0.35, 0, 0)
    /// How the sensor is turned in the hand: rotation from its axes to the body's (x forward, y left, z up).
    public var deviceToBody = Quaternion.identity
    /// Swing of the arm that holds it about the shoulder, with every other step: amplitude, radians; zero holds it at
    /// ``heldAtMeters``.
    public var armSwingRadians = 0.0
    /// Length of the swinging arm, metres.
    public var armMeters = 0.6
    /// Of the random phases.
    public var seed: UInt64 = 1

    /// A calm walk with the sensor held ahead.
    public init() {}
}

/// A walk whose truth is known at every instant. The body axes of its truth are those of the device.
public struct Walk: MotionTruth {
    /// What was asked for.
    public let plan: WalkPlan
    private let frame: LocalFrame
    private let swings: [(amplitude: Double, frequency: Double, phase: Double)]
    /// The middle of the body at every hundredth of a second, east, north, metres.
    private let path: [SIMD2<Double>]
    private static let pathSeconds = 0.01
    /// Step of the differences that give rates and accelerations, seconds.
    private static let difference = 1e-3

    /// From the first to the last instant, seconds.
    public var durationSeconds: Double { plan.durationSeconds }

    /// Lays out the way.
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
            // Simpson's rule over each hundredth.
            let t = Double(k) * Self.pathSeconds
            func velocity(_ at: Double) -> SIMD2<Double> { Self.velocity(at, plan, swings) }
            place +=
                (velocity(t) + 4 * velocity(t + Self.pathSeconds / 2) + velocity(t + Self.pathSeconds))
                * (Self.pathSeconds / 6)
            points.append(place)
        }
        path = points
    }

    /// A walk does not repeat.
    public func lapSeconds(_ seconds: Double) -> Double { seconds }

    /// The truth at a time since the start.
    public func truth(atSeconds seconds: Double) -> DriveTruth {
        let h = Self.difference
        let place = position(seconds)
        // Differences of fourth order.
        let (a, b, c, d) = (offset(seconds - 2 * h), offset(seconds - h), offset(seconds + h), offset(seconds + 2 * h))
        let (va, vc) = (Self.velocity(seconds - h, plan, swings), Self.velocity(seconds + h, plan, swings))
        let v = Self.velocity(seconds, plan, swings)
        let velocity = Vector3(v.x, v.y, 0) + (a - d + (c - b) * 8) / (12 * h)
        let middle = (vc - va) / (2 * h)
        let acceleration = Vector3(middle.x, middle.y, 0) + ((b + c) * 16 - a - d - offset(seconds) * 30) / (12 * h * h)
        let (before, after) = (attitude(seconds - h), attitude(seconds + h))
        let now = attitude(seconds)
        let turning = (before.inverse * after).rotationVector / (2 * h)
        let geodetic = frame.position(ofENUMeters: place)
        let gravity = WGS84.normalGravity(
            latitudeRadians: geodetic.latitudeRadians, altitudeEllipsoidMeters: geodetic.altitudeEllipsoidMeters)
        let rate = WGS84.earthRateENU(latitudeRadians: geodetic.latitudeRadians)
        let earth = Vector3(rate.east, rate.north, rate.up)
        let force = acceleration + (earth * 2).cross(velocity) + Vector3(0, 0, gravity)
        return DriveTruth(
            seconds: seconds, distanceMeters: 0, position: geodetic, positionENUMeters: place,
            velocityENUMetersPerSecond: velocity,
            accelerationENUMetersPerSecondSquared: acceleration, bodyToENU: now,
            angularRateBodyRadiansPerSecond: turning + now.inverse.rotate(earth),
            specificForceBodyMetersPerSecondSquared: now.inverse.rotate(force),
            limitMetersPerSecond: 0)
    }

    /// From standing to walking, 0 to 1.
    private static func pace(_ seconds: Double, _ plan: WalkPlan) -> Double {
        let x = min(max((seconds - plan.standingSecondsBefore) / 2, 0), 1)
        return x * x * x * (10 - 15 * x + 6 * x * x)
    }

    /// Time walked: the integral of ``pace(_:_:)``.
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

    /// What the gait and the arm add to the middle of the body, east, north, up.
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
        // Hermite's cubic between the points of the way.
        let (t0, s) = (Double(k) * Self.pathSeconds, (clamped - Double(k) * Self.pathSeconds) / Self.pathSeconds)
        let (v0, v1) = (Self.velocity(t0, plan, swings), Self.velocity(t0 + Self.pathSeconds, plan, swings))
        let (s2, s3) = (s * s, s * s * s)
        let ends = path[k] * (2 * s3 - 3 * s2 + 1) + path[k + 1] * (3 * s2 - 2 * s3)
        let slopes = v0 * ((s3 - 2 * s2 + s) * Self.pathSeconds) + v1 * ((s3 - s2) * Self.pathSeconds)
        let middle = ends + slopes
        return Vector3(middle.x, middle.y, 0) + offset(seconds)
    }
}

/// A walk as its sensors tell it: events in the order of their arrival, the same for the same seed, with the truth
/// beside them.
public struct SimulatedWalk: Sequence, Sendable {
    /// What really happens.
    public let walk: Walk
    /// What is carried.
    public let sensors: SensorSuite
    /// Of all random errors.
    public let seed: UInt64
    private let start: Double

    /// A walk seen by sensors; `from` begins in the middle of it.
    public init(walk: Walk, sensors: SensorSuite, seed: UInt64, from start: Double = 0) {
        self.walk = walk
        self.sensors = sensors
        self.seed = seed
        self.start = start
    }

    /// The truth at an instant of the events.
    public func truth(at time: MonotonicTime) -> DriveTruth { walk.truth(atSeconds: time.seconds) }

    /// The events from the first to the last.
    public func makeIterator() -> SimulatedDrive.Iterator {
        SimulatedDrive.Iterator(walk, sensors, seed: seed, window: start...walk.durationSeconds)
    }
}
