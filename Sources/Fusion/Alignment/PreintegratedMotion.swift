import PoseMath

/// What the accelerometer has felt in a level frame of unknown heading: the integrals that carry a velocity and a place
/// from one fix to the next.
///
/// Horizontal only; heights do not suffer from a heading that is unknown.
struct PreintegratedMotion: Sendable {
    /// Change of velocity and of place between two instants, level frame, m/s and metres; the place beside what the
    /// first velocity brings.
    struct Change {
        var velocity: Vector3
        var place: Vector3
    }

    private var velocity = Vector3.zero
    private var place = Vector3.zero
    private var velocities = VectorHistory()
    private var places = VectorHistory()

    /// Adds a stretch of constant level specific force.
    /// docs/math.md, eq. 7.2.
    mutating func add(force: Vector3, seconds: Double, until time: MonotonicTime) {
        let gained = Vector3(force.x, force.y, 0) * seconds
        place += (velocity + gained * 0.5) * seconds
        velocity += gained
        velocities.append(time: time, value: velocity)
        places.append(time: time, value: place)
    }

    /// Forgets everything; the level frame is another one.
    mutating func restart() {
        velocity = .zero
        place = .zero
        velocities.count = 0
        places.count = 0
    }

    /// The felt velocity at an instant.
    func velocity(at time: MonotonicTime) -> Vector3 { velocities.value(at: time, fallback: velocity) }

    /// What was felt from one instant to another.
    func change(from start: MonotonicTime, to end: MonotonicTime) -> Change {
        let (v0, v1) = (velocity(at: start), velocity(at: end))
        let way = places.value(at: end, fallback: place) - places.value(at: start, fallback: place)
        return Change(velocity: v1 - v0, place: way - v0 * end.seconds(since: start))
    }
}
