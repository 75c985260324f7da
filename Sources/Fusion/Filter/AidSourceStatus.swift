/// What the filter can be aided by.
public enum AidSource: UInt8, Sendable, CaseIterable {
    /// Receiver, horizontal position.
    case gnssPosition = 0
    /// Receiver, height.
    case gnssHeight
    /// Receiver, horizontal velocity.
    case gnssVelocity
    /// Receiver, climb.
    case gnssClimb
    /// Standing still: no velocity.
    case zeroVelocity
    /// Standing still: no rotation about the vertical.
    case zeroRotation
    /// Wheels do not slip sideways or leave the road.
    case nonholonomic
    /// Wheel speed.
    case wheelSpeed
    /// The vehicle leans about zero in the mean.
    case levelVehicle
    /// The gait of whoever carries the sensor.
    case pedestrian
    /// Barometer, height.
    case barometer
}

/// Why an observation was not taken.
public enum AidRejection: UInt8, Sendable, CaseIterable {
    /// It was taken.
    case none = 0
    /// The innovation was too large for its variance.
    case innovation
    /// The source stated an accuracy too poor to use.
    case poorAccuracy
    /// Too old to be placed in the history.
    case tooLate
    /// Not finite, or outside any sensible range.
    case invalid
    /// It lies far from the estimate, and no others have confirmed it yet.
    case unconfirmed
    /// The receiver repeats one position while it says that it moves.
    case stuck
    /// The receiver's positions drift away from its own velocity.
    case drifting
    /// The receiver's speed is not the body's own, or the wheels' was not the receiver's.
    case contradicted
    /// The receiver says itself that it is jammed or spoofed.
    case interference
}

/// The last use of one aiding source: one shape for all, so that logs, tests and displays need to know only one.
public struct AidSourceStatus: Sendable, Equatable {
    /// What was observed, in the source's unit, of the component with the largest test ratio: a position as the offset
    /// from the estimate, metres.
    public var observation = 0.0
    /// Variance of the observation's own noise.
    public var observationVariance = 0.0
    /// Innovation of that component, in the source's unit.
    public var innovation = 0.0
    /// Variance of that innovation.
    public var innovationVariance = 0.0
    /// Innovation over the gate; taken below 1.
    public var testRatio = 0.0
    /// Why it was not taken.
    public var rejection = AidRejection.none
    /// Innovations taken of late, squared, over their variances, in the mean: 1 where the variances are right, less
    /// where they are too cautious.
    public var varianceFactor = 1.0
    /// Times taken.
    public var acceptedCount: UInt32 = 0
    /// Times not taken.
    public var rejectedCount: UInt32 = 0

    /// Takes the square of an innovation over its variance into the mean; single large ones hardly count.
    /// docs/math.md, eq. 4.12.
    mutating func noteConsistency(_ square: Double) {
        let share =
            1
            / min(Tuning.PositionSigma.fewestInnovations + Double(acceptedCount), Tuning.PositionSigma.mostInnovations)
        varianceFactor +=
            (min(square, Tuning.PositionSigma.largestSquare * varianceFactor) / Tuning.PositionSigma.limitedMean
                - varianceFactor) * share
    }
}
