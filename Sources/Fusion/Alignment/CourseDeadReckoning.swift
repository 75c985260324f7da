import Glibc
import Measurements
import PoseMath

/// Dead reckoning of a vehicle before its heading is found: from the receiver's last course, turned by the gyro about
/// the vertical, and the last speed.
///
/// Two states are estimated from the courses of the fixes: the course against the integral of the gyro, and its drift,
/// which is what is left of the gyro bias. The speed is that of the last fix, changed by the acceleration along the
/// course where the direction of the level frame is known, or that of the wheels.
struct CourseDeadReckoning: Sendable {
    /// One interval of the IMU.
    struct Motion {
        /// Turn about the vertical, counterclockwise, radians.
        var turn: Double
        /// Acceleration, level, east, north, m/s2; `nil` where the direction of the level frame is unknown.
        var acceleration: Vector3?
        /// 1-sigma of that direction, and of roll and pitch, radians.
        var directionSigma = 0.0
        var tiltSigma = 0.0
        /// Whether samples are missing.
        var isGap = false
        /// Its length, seconds.
        var seconds: Double
    }

    /// Integral of the gyro about the vertical, radians.
    private var yaw = 0.0
    /// Way so far, east and north, metres, with ``yaw`` as third element, and its history.
    private var way = Vector3.zero
    private var ways = VectorHistory()
    /// Course minus ``yaw``, counterclockwise from east, radians, and its drift, rad/s; `nil` before the first course.
    private var offset: Double?
    private var drift = 0.0
    /// Variances of both, and their covariance.
    private var offsetVariance = 0.0
    private var driftVariance = 0.0
    private var covariance = 0.0
    /// When the last course held.
    private var lastCourseTime: MonotonicTime?

    /// Speed along the course, m/s, and its variance at the last fix.
    private(set) var speed = 0.0
    private var startVariance = 0.0
    /// Since the last fix: time, seconds, way, metres, and the integral of the sideways acceleration, m/s.
    private var seconds = 0.0
    private var distance = 0.0
    private var sideways = 0.0
    /// Variance of the speed from changes that are not seen, (m/s)2.
    private var unseenVariance = 0.0
    /// Largest 1-sigma of the acceleration along the course, m/s2, and of its direction, radians.
    private var accelerationSigma = 0.0
    private var directionSigma = 0.0

    /// Wheels: the scale that the receiver's speed gives, and their readings as first elements: a late fix states the
    /// speed of an earlier one.
    private var wheels = WheelScale()
    private var readings = VectorHistory()

    /// Rate at which the course turns against the integral of the gyro, counterclockwise, rad/s, and its 1-sigma, slip
    /// included: minus what is left of the gyro bias about the vertical. `nil` before the first course.
    /// docs/math.md, eq. 7.21.
    var courseDrift: (rate: Double, sigma: Double)? {
        offset.map { _ in (drift, hypot(max(driftVariance, 0).squareRoot(), Tuning.DeadReckoning.slipRate)) }
    }

    /// Whether a course has been seen.
    var isStarted: Bool { offset != nil }

    /// A reckoning without a course.
    init() {}

    /// Starts again, without a past: the navigation filter has run since.
    mutating func restart() {
        ways.count = 0
        self = CourseDeadReckoning(yaw: 0, way: .zero, ways: ways, readings: readings)
    }

    /// Forgets the course and the drift: the level or the gyro bias was wrong. The turns so far are kept, since the
    /// next fix may be older than this.
    mutating func forgetCourse() { self = CourseDeadReckoning(yaw: yaw, way: way, ways: ways, readings: readings) }

    private init(yaw: Double, way: Vector3, ways: VectorHistory, readings: VectorHistory) {
        self.yaw = yaw
        self.way = way
        self.ways = ways
        self.readings = readings
        self.readings.count = 0
    }

    /// Course now, counterclockwise from east, radians, and its 1-sigma; `nil` before the first one.
    var heading: (radians: Double, sigma: Double)? {
        offset.map { ($0 + yaw, offsetVariance.squareRoot()) }
    }

    /// Course at an instant that has passed, counterclockwise from east, radians, and its 1-sigma: what the drift has
    /// made of it since is not in it. `nil` before the first one.
    /// docs/math.md, eq. 7.21.
    func heading(at time: MonotonicTime) -> (radians: Double, sigma: Double)? {
        let age = age(of: time)
        return offset.map { ($0 - drift * age + yaw(at: time), max(offsetVariance(before: age), 0).squareRoot()) }
    }

    /// Variance of the offset some time ago, seconds, as far as the present one and the drift tell it, rad2.
    private func offsetVariance(before age: Double) -> Double {
        offsetVariance + age * (age * driftVariance - 2 * covariance)
    }

    /// 1-sigma of the speed, m/s.
    /// docs/math.md, eq. 7.22.
    var speedSigma: Double {
        if let sigma = wheels.speedSigma { return sigma }
        let grown = accelerationSigma * seconds
        let turned = directionSigma * sideways
        return min(
            (startVariance + grown * grown + turned * turned + unseenVariance).squareRoot(),
            Tuning.DeadReckoning.largestSpeedSigma)
    }

    /// Moves on by an interval that ends at an instant.
    /// docs/math.md, eq. 7.21.
    mutating func advance(_ motion: Motion, until time: MonotonicTime) {
        yaw += motion.turn
        let scaled = Tuning.DeadReckoning.gyroScaleSigma * motion.turn
        offsetVariance +=
            (2 * covariance + driftVariance * motion.seconds) * motion.seconds
            + Tuning.DeadReckoning.headingWalk * Tuning.DeadReckoning.headingWalk * motion.seconds
            + abs(scaled) * Tuning.DeadReckoning.gyroScaleSigma
        covariance += driftVariance * motion.seconds
        if motion.isGap {
            let (turn, change) = (Tuning.Gap.rate * motion.seconds, Tuning.Gap.acceleration * motion.seconds)
            offsetVariance += turn * turn
            startVariance += change * change
        }
        wheels.age += motion.seconds
        guard let before = offset else { return ways.append(time: time, value: Vector3(way.x, way.y, yaw)) }
        let course = before + drift * motion.seconds
        offset = course
        let ahead = Vector3(cos(course + yaw), sin(course + yaw), 0)
        seconds += motion.seconds
        updateSpeed(motion, ahead: ahead)
        way += ahead * (speed * motion.seconds)
        distance += speed * motion.seconds
        ways.append(time: time, value: Vector3(way.x, way.y, yaw))
    }

    private mutating func updateSpeed(_ motion: Motion, ahead: Vector3) {
        if let wheelSpeed = wheels.speed {
            speed = wheelSpeed
            return
        }
        if let acceleration = motion.acceleration {
            speed += acceleration.dot(ahead) * motion.seconds
            sideways += (ahead.x * acceleration.y - ahead.y * acceleration.x) * motion.seconds
            accelerationSigma = max(
                accelerationSigma,
                hypot(motion.tiltSigma * InertialSample.standardGravity, Tuning.DeadReckoning.accelerationSigma))
            directionSigma = max(directionSigma, motion.directionSigma)
        } else {
            let walk = Tuning.DeadReckoning.unseenSpeedWalk
            unseenVariance += walk * walk * motion.seconds
        }
        speed = max(speed, 0)
    }

    /// The speed since the velocity of a fix.
    struct Speed {
        /// Now, m/s.
        var now: Double
        /// 1-sigma of the acceleration by which it has changed, m/s2; `nil` where it is the one of the fix.
        var accelerationSigma: Double?
    }

    /// The velocity of a fix.
    struct Observation {
        /// The velocity, m/s.
        var velocity: HorizontalVelocity
        /// When it held, the receiver's lag taken into account.
        var time: MonotonicTime
        /// Its 1-sigma on each axis, m/s.
        var speedSigma: Double
        /// 1-sigma of that lag, seconds.
        var lagSigma = 0.0
        /// Time over which it is a mean, seconds; 0 where the receiver states it.
        var meanSeconds = 0.0
        /// 1-sigma of the gyro bias about the vertical, rad/s.
        var driftSigma: Double
    }

    /// Takes the velocity of a fix. The way since then is reckoned again.
    /// docs/math.md, eq. 7.21.
    ///
    /// - Parameter speed: the speed since then.
    mutating func note(_ seen: Observation, speed: Speed) {
        if let reading = reading(at: seen.time) {
            wheels.note(speed: seen.velocity.speedMetersPerSecond, sigma: seen.speedSigma, reading: reading)
        }
        self.speed = speed.now
        startVariance =
            seen.speedSigma * seen.speedSigma + Tuning.DeadReckoning.speedSigma * Tuning.DeadReckoning.speedSigma
        noteCourse(seen)
        let age = age(of: seen.time)
        let walk = Tuning.DeadReckoning.unseenSpeedWalk
        let first = seen.velocity.speedMetersPerSecond
        (seconds, distance, sideways) = (age, 0.5 * (first + speed.now) * age, 0)
        unseenVariance = speed.accelerationSigma == nil ? walk * walk * age : 0
        (accelerationSigma, directionSigma) = (speed.accelerationSigma ?? 0, 0)
        reckonAgain(since: seen.time, age: age, from: first)
    }

    /// Reckons the way since an instant again, with a speed that has changed evenly since then.
    private mutating func reckonAgain(since time: MonotonicTime, age: Double, from first: Double) {
        guard let offset, age > 0 else { return }
        let (slope, drift, end) = ((speed - first) / age, drift, age)
        var (place, last) = (ways.value(at: time, fallback: way), 0.0)
        ways.replace(after: time) { instant, old in
            let now = instant.seconds(since: time)
            let course = offset + old.z - drift * (end - now)
            let moved = (first + slope * 0.5 * (last + now)) * (now - last)
            (place, last) = (Vector3(place.x + cos(course) * moved, place.y + sin(course) * moved, old.z), now)
            return place
        }
        (way.x, way.y) = (place.x, place.y)
    }

    /// Takes the course of a fix.
    private mutating func noteCourse(_ seen: Observation) {
        let speed = seen.velocity.speedMetersPerSecond
        guard speed > Tuning.Output.courseSpeed else { return }
        let sigma = hypot(seen.speedSigma / speed, Tuning.DeadReckoning.courseSigma)
        let turned = yaw(at: seen.time)
        let unsure = turned - yaw(at: seen.time.advanced(bySeconds: -seen.lagSigma)) + drift * seen.lagSigma
        let course = atan2(seen.velocity.northMetersPerSecond, seen.velocity.eastMetersPerSecond) - turned
        let age = age(of: seen.time)
        let innovation = offset.map { Angle.wrappedToPi(course - ($0 - drift * age)) } ?? 0
        let own = sigma * sigma + unsure * unsure
        let gate = Tuning.DeadReckoning.courseGate
        // Covariances of both states with the offset at the time of the fix.
        let (atOffset, atDrift) = (offsetVariance - age * covariance, covariance - age * driftVariance)
        let known = max(offsetVariance(before: age), 0)
        guard offset != nil, innovation * innovation < gate * gate * (known + own) else {
            let ownDrift = seen.driftSigma * seen.driftSigma
            driftVariance = offset == nil ? ownDrift : max(driftVariance, ownDrift)
            (offset, covariance) = (course + drift * age, driftVariance * age)
            offsetVariance = own + covariance * age
            return
        }
        let variance = known + own * shared(seen)
        let (first, second) = (atOffset / variance, atDrift / variance)
        offset = (offset ?? 0) + first * innovation
        drift += second * innovation
        driftVariance -= second * atDrift
        covariance -= first * atDrift
        offsetVariance -= first * atOffset
    }

    /// Time from an instant to the last sample, seconds, at least 0.
    private func age(of time: MonotonicTime) -> Double {
        max(ways.newest.map { $0.time.seconds(since: time) } ?? 0, 0)
    }

    /// The turn up to an instant, radians.
    private func yaw(at time: MonotonicTime) -> Double { ways.value(at: time, fallback: Vector3(0, 0, yaw)).z }

    /// The number of courses, from 1 on, that are means over the same time: together they tell as much as one.
    private mutating func shared(_ seen: Observation) -> Double {
        defer { lastCourseTime = seen.time }
        guard let lastCourseTime, seen.time > lastCourseTime else { return 1 }
        return max(seen.meanSeconds / seen.time.seconds(since: lastCourseTime), 1)
    }

    /// Takes a wheel speed.
    mutating func note(wheelSpeed reading: Double) {
        // Nothing is known between two readings that are far apart.
        if wheels.age > 2 * Tuning.DeadReckoning.wheelSeconds { readings.count = 0 }
        wheels.note(reading: abs(reading))
        if let now = ways.newest?.time { readings.append(time: now, value: Vector3(abs(reading), 0, 0)) }
    }

    /// The reading of the wheels at an instant; `nil` before the first one.
    private func reading(at time: MonotonicTime) -> Double? {
        guard let oldest = readings.oldest else { return wheels.reading }
        return oldest <= time ? readings.value(at: time, fallback: .zero).x : nil
    }

    /// The way from an instant until now, east and north, metres, and its 1-sigma along each axis.
    /// docs/math.md, eq. 7.22.
    func way(since time: MonotonicTime) -> (meters: Vector3, sigma: Double) {
        let from = ways.value(at: time, fallback: way)
        let (across, along) = (distance * offsetVariance.squareRoot(), alongSigma)
        return (Vector3(way.x - from.x, way.y - from.y, 0), hypot(across, along))
    }

    /// 1-sigma of the way along the course since the last fix, metres.
    private var alongSigma: Double {
        let start = startVariance.squareRoot()
        if let scaleSigma = wheels.relativeSigma {
            return hypot(scaleSigma * distance, Tuning.DeadReckoning.speedSigma * seconds.squareRoot() + start)
        }
        let grown = hypot(0.5 * accelerationSigma * seconds, 0.5 * directionSigma * sideways)
        let changed = hypot(grown, (unseenVariance / 3).squareRoot())
        return hypot(start, min(changed, Tuning.DeadReckoning.largestSpeedSigma)) * seconds
    }
}

extension CourseDeadReckoning {
    /// The scale of the wheels from the receiver's speeds.
    struct WheelScale: Sendable {
        /// Time since the last reading, seconds.
        var age = Double.infinity
        private(set) var reading: Double?
        private var readingAtFix: Double?
        private var readingSquares = 0.0
        private var products = 0.0
        private var agreeing = 0

        /// Takes a reading.
        mutating func note(reading: Double) { (self.reading, age) = (reading, 0) }

        /// Takes the receiver's speed with the reading of its time.
        /// docs/math.md, eq. 7.23.
        mutating func note(speed: Double, sigma: Double, reading: Double) {
            guard age < Tuning.DeadReckoning.wheelSeconds else { return }
            let change = abs(reading - (readingAtFix ?? reading))
            readingAtFix = reading
            guard speed > Tuning.Output.courseSpeed, reading > 0 else { return }
            // While the speed changes, readings and receiver are not equally late.
            let late = Tuning.DeadReckoning.lateShare * change * speed / reading
            let variance =
                sigma * sigma + Tuning.DeadReckoning.speedSigma * Tuning.DeadReckoning.speedSigma + late * late
            if let known = estimate {
                let error = speed - known.scale * reading
                let allowed = variance + known.variance * reading * reading
                let gate = Tuning.DeadReckoning.courseGate
                if error * error > gate * gate * allowed { (readingSquares, products, agreeing) = (0, 0, 0) }
            }
            agreeing += 1
            readingSquares += reading * reading / variance
            products += speed * reading / variance
        }

        /// Scale and its variance; `nil` before any.
        private var estimate: (scale: Double, variance: Double)? {
            guard readingSquares > 0 else { return nil }
            let own = products / readingSquares
            let prior = Tuning.DeadReckoning.scaleSigma * Tuning.DeadReckoning.scaleSigma
            // Readings in m/s are true to a few percent.
            let gate = Tuning.DeadReckoning.courseGate
            guard (own - 1) * (own - 1) < gate * gate * (prior + 1 / readingSquares) else {
                return (own, 1 / readingSquares)
            }
            let sum = readingSquares + 1 / prior
            return ((products + 1 / prior) / sum, 1 / sum)
        }

        private var usable: (scale: Double, variance: Double)? {
            guard age < Tuning.DeadReckoning.wheelSeconds, agreeing >= Tuning.DeadReckoning.agreeingFixes else {
                return nil
            }
            return estimate
        }

        /// 1-sigma of the scale over it; `nil` while the wheels are not used.
        var relativeSigma: Double? { usable.map { $0.variance.squareRoot() / $0.scale } }
        /// Speed of the wheels, m/s; `nil` while they are not used.
        var speed: Double? {
            guard let usable, let reading else { return nil }
            return usable.scale * reading
        }
        /// 1-sigma of that speed, m/s.
        var speedSigma: Double? {
            guard let usable, let reading else { return nil }
            return hypot(Tuning.DeadReckoning.speedSigma, usable.variance.squareRoot() * reading)
        }
    }
}
