/// Aiding sources of the filter.
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
    /// Rolling wheels: no velocity sideways or normal to the road. Without wheels: no climb in the mean, where the
    /// receiver tells neither height nor climb.
    case nonholonomic
    /// Wheel speed.
    case wheelSpeed
    /// The vehicle is level in the mean.
    case levelVehicle
    /// Gait of a person.
    case pedestrian
    /// Barometer, height.
    case barometer
    /// Receiver, heading of its antennas.
    case receiverHeading
    /// Magnetometer, heading.
    case magneticHeading
}

/// One status for each aiding source, by its raw value. The number is that of the sources, as a test checks.
public typealias AidSourceStatuses = InlineArray<13, AidSourceStatus>

/// Reason of a rejected observation.
public enum AidRejection: UInt8, Sendable, CaseIterable {
    /// None: it was accepted.
    case none = 0
    /// The innovation was too large for its variance.
    case innovation
    /// Not finite, or outside any sensible range.
    case invalid
    /// It lies far from the estimate and is not confirmed yet.
    case unconfirmed
    /// The receiver repeats one position while it states a speed.
    case stuck
    /// The receiver's positions drift away from its own velocity.
    case drifting
    /// The receiver's speed is not that of IMU and wheels, or the wheels contradicted the receiver.
    case contradicted
    /// The receiver reports jamming or spoofing.
    case interference
}

/// Status of one aiding source; the same structure for all, so that logs, tests and displays treat them alike.
public struct AidSourceStatus: Sendable, Equatable {
    /// Observed value in the source's unit, of the component with the largest test ratio; for a position the offset
    /// from the estimate, metres.
    public var observation = 0.0
    /// Variance of the observation's own noise.
    public var observationVariance = 0.0
    /// Innovation of that component, in the source's unit.
    public var innovation = 0.0
    /// Variance of that innovation.
    public var innovationVariance = 0.0
    /// Innovation over the gate; accepted below 1.
    public var testRatio = 0.0
    /// Why the last observation was rejected.
    public private(set) var rejection = AidRejection.none
    /// Why the last rejected observation was rejected; `none` if none has been.
    public private(set) var lastRejection = AidRejection.none
    /// Mean of the normalised squared innovations that were accepted recently: 1 where the variances are right, less
    /// where they are too large.
    public var varianceFactor = 1.0
    /// Number of accepted observations.
    public private(set) var acceptedCount: UInt32 = 0
    /// Number of rejected observations.
    public private(set) var rejectedCount: UInt32 = 0

    /// Counts an accepted observation.
    mutating func accept() {
        rejection = .none
        acceptedCount &+= 1
    }

    /// Counts a rejected observation.
    mutating func reject(because reason: AidRejection) {
        (rejection, lastRejection) = (reason, reason)
        rejectedCount &+= 1
    }

    /// Updates the variance factor with a normalised squared innovation; single large ones hardly count.
    /// docs/math.md, eq. 4.12.
    mutating func updateVarianceFactor(_ square: Double) {
        varianceFactor +=
            (min(square, Tuning.PositionSigma.largestSquare * varianceFactor) / Tuning.PositionSigma.limitedMean
                - varianceFactor) * newestWeight
    }

    /// Weight of the newest innovation in the variance factor.
    /// docs/math.md, eq. 4.12.
    var newestWeight: Double {
        1 / min(Tuning.PositionSigma.fewestInnovations + Double(acceptedCount), Tuning.PositionSigma.mostInnovations)
    }
}
