import PoseMath

/// The velocity of the last seconds, to look up what a receiver that lags has seen. Fixed capacity, filled once.
struct VelocityTrack: Sendable {
    private var times: ContiguousArray<Int64>
    private var velocities: ContiguousArray<Vector3>
    private let mask: Int
    /// Entries ever written; the only part that a step back in time has to restore.
    var count = 0

    /// Room for 2,048 steps: two seconds at 1 kHz.
    init() {
        let capacity = 2048
        mask = capacity - 1
        times = ContiguousArray(repeating: 0, count: capacity)
        velocities = ContiguousArray(repeating: .zero, count: capacity)
    }

    /// Adds the velocity after a step.
    mutating func append(time: MonotonicTime, velocity: Vector3) {
        times[count & mask] = time.nanoseconds
        velocities[count & mask] = velocity
        count += 1
    }

    /// The velocity at an instant, interpolated; the oldest known before the track, the newest (`fallback` when empty) after it.
    /// docs/math.md, eq. 6.5.
    func velocity(at time: MonotonicTime, fallback: Vector3) -> Vector3 {
        guard count > 0 else { return fallback }
        let oldest = max(0, count - mask)
        var i = count - 1
        guard time.nanoseconds < times[i & mask] else { return velocities[i & mask] }
        while i > oldest, times[i & mask] > time.nanoseconds { i -= 1 }
        let (t0, t1) = (times[i & mask], times[(i + 1) & mask])
        guard t1 > t0, time.nanoseconds >= t0 else { return velocities[i & mask] }
        let part = Double(time.nanoseconds - t0) / Double(t1 - t0)
        let v0 = velocities[i & mask]
        return v0 + (velocities[(i + 1) & mask] - v0) * part
    }
}
