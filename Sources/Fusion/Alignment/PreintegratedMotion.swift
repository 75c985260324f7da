import Measurements
import PoseMath

/// Preintegrated motion: integrals of the specific force in a level frame of unknown heading. They extrapolate velocity
/// and position from one fix to the next.
///
/// Horizontal only; the height does not depend on the unknown heading.
struct PreintegratedMotion: Sendable {
    /// Change of velocity and position between two instants, level frame, m/s and metres; the position without the part
    /// of the initial velocity.
    struct Change {
        var velocity: Vector3
        var place: Vector3
    }

    private var velocity = Vector3.zero
    private var place = Vector3.zero
    private var velocities = VectorHistory()
    private var places = VectorHistory()

    /// Adds an interval of constant level specific force.
    /// docs/math.md, eq. 7.2.
    mutating func add(force: Vector3, seconds: Double, until time: MonotonicTime) {
        let gained = Vector3(force.x, force.y, 0) * seconds
        place += (velocity + gained * 0.5) * seconds
        velocity += gained
        velocities.append(time: time, value: velocity)
        places.append(time: time, value: place)
    }

    /// Restarts, because the level frame is another one.
    mutating func restart() {
        velocity = .zero
        place = .zero
        velocities.count = 0
        places.count = 0
    }

    /// Whether it began after an instant: its values before that are not the motion.
    func began(after time: MonotonicTime) -> Bool { velocities.oldest.map { $0 > time } ?? false }

    /// The integral of the specific force at an instant, m/s.
    func velocity(at time: MonotonicTime) -> Vector3 { velocities.value(at: time, fallback: velocity) }

    /// The mean of the integral of the specific force around an instant, m/s; without an interval its value.
    func meanVelocity(around time: MonotonicTime, seconds: Double) -> Vector3 {
        guard seconds > 0 else { return velocity(at: time) }
        let (start, end) = (time.advanced(bySeconds: -0.5 * seconds), time.advanced(bySeconds: 0.5 * seconds))
        return (places.value(at: end, fallback: place) - places.value(at: start, fallback: place)) / seconds
    }

    /// The change from one instant to another.
    func change(from start: MonotonicTime, to end: MonotonicTime) -> Change {
        let (v0, v1) = (velocity(at: start), velocity(at: end))
        let way = places.value(at: end, fallback: place) - places.value(at: start, fallback: place)
        return Change(velocity: v1 - v0, place: way - v0 * end.seconds(since: start))
    }

    /// Appends the integrals of the specific force of the last seconds before an instant to another history, turned to
    /// east-north-up, less the one at the instant.
    /// docs/math.md, eq. 7.27.
    func copyForces(to history: inout VectorHistory, before time: MonotonicTime, levelToENU: Quaternion) {
        let last = velocity(at: time)
        guard let oldest = velocities.oldest else { return }
        var k = Int(Tuning.Start.longestPastSeconds / Tuning.Start.pastStepSeconds)
        while k > 0 {
            let instant = time.advanced(bySeconds: -Double(k) * Tuning.Start.pastStepSeconds)
            if instant >= oldest {
                let fallen = Vector3(0, 0, InertialSample.standardGravity * instant.seconds(since: time))
                history.append(time: instant, value: levelToENU.rotate(velocity(at: instant) - last) + fallen)
            }
            k -= 1
        }
    }

    /// By how much earlier the search in motion finds the lag of a receiver for each metre that its antenna is ahead of
    /// the IMU, s/m. An antenna swings across the motion, so that its swing looks like a lag as far as the changes of
    /// acceleration that show the lag are across, too: all of it in a turn, nothing on a straight road.
    /// docs/math.md, eq. 7.39.
    ///
    /// - Parameters:
    ///   - time: the end of the motion.
    ///   - velocity: over ground at that time, level frame, m/s.
    func lagPerMeter(until time: MonotonicTime, velocity end: Vector3) -> Double {
        let step = Tuning.Alignment.shortestPairSeconds
        let now = self.velocity(at: time)
        var (later, next) = (now, Vector3?.none)
        var (swing, all) = (0.0, 0.0)
        for k in 1...Tuning.Alignment.swingSteps {
            let earlier = self.velocity(at: time.advanced(bySeconds: -Double(k) * step))
            let acceleration = (later - earlier) / step
            if let next {
                let change = next - acceleration
                let ground = end - (now - later)
                let speed = max(ground.horizontalLength, Tuning.Start.leastSpeed)
                let across = (ground.x * change.y - ground.y * change.x) / speed
                swing += across * across / speed
                all += change.x * change.x + change.y * change.y
            }
            (later, next) = (earlier, acceleration)
        }
        // What a turn at the last speed shows, at most: the bank of lags holds no slow turn before it.
        let largest = 1 / max(end.horizontalLength, Tuning.Start.leastSpeed)
        return all > 0 ? min(swing / all, largest) : 0
    }
}
