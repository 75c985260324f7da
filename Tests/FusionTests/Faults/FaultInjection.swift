import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Wrong values, and where they can be put.
enum FaultInjection {
    /// Values that no quantity has, and must be refused by name.
    static let absurd: [Double] = [.nan, .infinity, -.infinity, 1e30]
    /// Values that a quantity may have, though rarely.
    static let odd: [Double] = [-0.0, .leastNonzeroMagnitude]

    /// One number of one kind of event.
    struct Field: Sendable, CustomTestStringConvertible {
        let name: String
        /// The event with another number there; `nil` where it is of another kind.
        let set: @Sendable (SensorEvent, Double) -> SensorEvent?
        var testDescription: String { name }
    }

    /// Every number of every source.
    static let fields: [Field] =
        (0..<3).flatMap { axis in
            [
                inertial("gyro \(axis)") { $0.angularRateRadiansPerSecond[axis] = $1 },
                inertial("accelerometer \(axis)") { $0.specificForceMetersPerSecondSquared[axis] = $1 },
                Field(name: "magnetometer \(axis)") { event, value in
                    guard case .magnetic(var sample) = event else { return nil }
                    sample.fluxDensityTesla[axis] = value
                    return .magnetic(sample)
                },
            ]
        } + [
            Field(name: "pressure") { event, value in
                guard case .pressure(var sample) = event else { return nil }
                sample.pressurePascal = value
                return .pressure(sample)
            },
            Field(name: "wheel speed") { event, value in
                guard case .wheelSpeed(var sample) = event else { return nil }
                sample.speedMetersPerSecond = value
                return .wheelSpeed(sample)
            },
            fix("latitude") { $0.latitudeRadians = $1 }, fix("longitude") { $0.longitudeRadians = $1 },
            fix("altitude") { $0.altitudeEllipsoidMeters = $1 },
            fix("velocity east") { $0.horizontalVelocity?.eastMetersPerSecond = $1 },
            fix("velocity north") { $0.horizontalVelocity?.northMetersPerSecond = $1 },
            fix("climb") { $0.climbMetersPerSecond = $1 }, fix("horizontal sigma") { $0.horizontalSigmaMeters = $1 },
            fix("vertical sigma") { $0.verticalSigmaMeters = $1 },
            fix("speed sigma") { $0.speedSigmaMetersPerSecond = $1 },
            fix("climb sigma") { $0.climbSigmaMetersPerSecond = $1 },
            fix("geoid separation") { $0.geoidSeparationMeters = $1 },
            fix("magnetic variation") { $0.magneticVariationRadians = $1 },
            fix("receiver's heading") { $0.headingTrueRadians = $1 },
            fix("sigma of the receiver's heading") { $0.headingSigmaRadians = $1 },
        ]

    private static func inertial(_ name: String, _ set: @escaping @Sendable (inout InertialSample, Double) -> Void)
        -> Field
    {
        Field(name: name) { event, value in
            guard case .inertial(var sample) = event else { return nil }
            set(&sample, value)
            return .inertial(sample)
        }
    }

    private static func fix(_ name: String, _ set: @escaping @Sendable (inout GnssFix, Double) -> Void) -> Field {
        Field(name: name) { event, value in
            guard case .gnss(var fix) = event else { return nil }
            set(&fix, value)
            return .gnss(fix)
        }
    }

    /// A vehicle with every sensor there is; fixes five times a second.
    static var fullSuite: SensorSuite {
        var suite = SensorSuite()
        suite.satellite?.rateHertz = 5
        suite.magnetometer = .init()
        suite.barometer = .init()
        suite.wheels = .init()
        return suite
    }
}

extension PoseEstimate {
    /// Whether nothing published is NaN or infinite.
    var isFinite: Bool {
        let vectors = [
            positionSigmaENUMeters, velocityENUMetersPerSecond, velocitySigmaENUMetersPerSecond,
            angularRateBodyRadiansPerSecond,
            linearAccelerationBodyMetersPerSecondSquared, resetDeltaENUMeters,
        ]
        let numbers = [
            tiltSigmaRadians, headingSigmaRadians, headingMagneticRadians, headingMagneticSigmaRadians,
            magneticVariationRadians,
            geoidSeparationMeters, fixAgeSeconds, resetDeltaHeadingRadians,
        ]
        return (position?.isValid ?? true) && (bodyToENU?.isFinite ?? true)
            && vectors.allSatisfy { $0?.isFinite ?? true }
            && numbers.allSatisfy { $0?.isFinite ?? true }
    }

    /// Horizontal distance from another place, metres; `nil` where either is unknown.
    func distanceMeters(to place: GeodeticPosition?) -> Double? {
        guard let position, let place else { return nil }
        let offset = place.surfaceOffsetMeters(to: position)
        return (offset.east * offset.east + offset.north * offset.north).squareRoot()
    }

    /// Angle to another attitude, degrees; `nil` where either is unknown.
    func turnDegrees(to attitude: Quaternion?) -> Double? {
        guard let bodyToENU, let attitude else { return nil }
        return (bodyToENU * attitude.inverse).rotationVector.length.radiansInDegrees
    }
}

extension RejectionCounters {
    /// All refusals of inputs that were wrong by themselves together: not those of good ones that found no filter.
    var total: UInt64 { named.reduce(0) { $0 + ($1.name.hasSuffix("WithoutFilter") ? 0 : $1.count) } }
}
