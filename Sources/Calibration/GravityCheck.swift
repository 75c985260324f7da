import Measurements
import PoseMath

/// Compares what an accelerometer measures at rest with gravity: a wrong scale or unit shows another length.
public struct GravityCheck: Sendable {
    /// Length of the mean specific force of the last rest of two seconds, m/s2; `nil` before the first.
    public private(set) var restingForce: Double?

    private var windows = RestWindows()
    private var force = Vector3.zero
    private var count = 0

    /// Windows of a rest: two seconds.
    private static let neededWindows = 4
    /// Largest deviation of a working sensor from standard gravity, m/s2: data sheets of consumer sensors promise an
    /// offset of 0.5 and a scale of 3 %; gravity at a place differs by half a per cent at most.
    static let largestDeviation = 0.8

    /// A check without samples.
    public init() {}

    /// Takes a sample. Does not allocate.
    public mutating func add(_ sample: InertialSample) {
        guard let window = windows.add(sample) else { return }
        guard window.isStill else {
            (force, count) = (.zero, 0)
            return
        }
        force += window.force
        count += 1
        guard count == Self.neededWindows else { return }
        restingForce = (force / Double(count)).length
        (force, count) = (.zero, 0)
    }

    /// Whether the length contradicts gravity.
    public var isContradicted: Bool {
        restingForce.map { !(abs($0 - InertialSample.standardGravity) <= Self.largestDeviation) } ?? false
    }
}
