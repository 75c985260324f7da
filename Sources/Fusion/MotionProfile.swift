import PoseMath

/// What the sensors are mounted on.
public enum MotionProfile: String, Sendable, CaseIterable {
    /// A wheeled vehicle: moves along its own axis.
    case vehicle
    /// Carried by a person: no axis of motion is assumed.
    case wearable
    /// A boat or a ship: drifts sideways by current and wind, and rolls and pitches in waves.
    case boat
}

/// What a profile says of the motion. A new profile is a case of ``MotionProfile``, its entry in
/// ``MotionProfile/traits`` and its row in `StateTable.ByProfile`; the compiler finds them.
public struct MotionTraits: Sendable, Equatable {
    /// Whether it rolls on wheels along its own axis. The constraints of a vehicle hold then, and what follows from
    /// them: the mount and the place of the antenna are found by driving, the course shows the heading, a wheel speed
    /// is one along the axis, and without fixes the course turns with the gyro.
    public var rollsOnWheels: Bool
    /// Whether it walks, so that the steps tell the speed.
    public var hasGait: Bool
    /// Whether a sensor that feels nothing but steady vibration rests. A boat that drifts on calm water feels nothing
    /// either.
    public var restsWhenQuiet: Bool
    /// Whether all lags of a receiver show in the motion. A gait repeats, so that many fit; those of a receiver that
    /// filters the gait away still show.
    public var showsLags: Bool
    /// Whether the sensor is fastened to a rigid body of some mass, and not to a limb.
    public var isFastened: Bool
    /// Whether the running filter uses the magnetic heading: where nothing else holds the heading on a straight way.
    public var usesMagneticHeading: Bool
    /// 1-sigma of the place of an antenna that nobody has told, forward and left, metres: it is found, because turns
    /// swing it about the IMU. `nil`: it is not. In a boat waves swing it as well.
    public var antennaSigma: Double?
    /// Whether the sigma of a told mount is a part of the published sigmas: nothing corrects the mount.
    public var statesMountSigma: Bool
    /// 1-sigma of the heading against the course where nothing else shows it, radians; `nil`: the course says nothing.
    public var courseHeadingSigma: Double?
}

extension MotionTraits {
    /// Whether the place of an antenna that nobody has told is found.
    var findsAntenna: Bool { antennaSigma != nil }
}

extension MotionProfile {
    /// What it says of the motion.
    public var traits: MotionTraits {
        switch self {
        case .vehicle:
            MotionTraits(
                rollsOnWheels: true, hasGait: false, restsWhenQuiet: true, showsLags: true, isFastened: true,
                usesMagneticHeading: false, antennaSigma: Tuning.Antenna.unknownSigma, statesMountSigma: false,
                courseHeadingSigma: Tuning.Output.courseSigmaVehicle)
        case .wearable:
            MotionTraits(
                rollsOnWheels: false, hasGait: true, restsWhenQuiet: true, showsLags: false, isFastened: false,
                usesMagneticHeading: false, antennaSigma: Tuning.Antenna.carriedSigma, statesMountSigma: true,
                courseHeadingSigma: Tuning.Output.courseSigmaWearable)
        case .boat:
            MotionTraits(
                rollsOnWheels: false, hasGait: false, restsWhenQuiet: false, showsLags: true, isFastened: true,
                usesMagneticHeading: true, antennaSigma: nil, statesMountSigma: true, courseHeadingSigma: nil)
        }
    }
}
