import PoseMath

/// Number of elements of the error state: the end of the last entry of the state table, as a test checks.
typealias StateArray = InlineArray<31, Double>
/// The covariance of the error state.
typealias Covariance = Matrix<31, 31>

/// The state table: one entry for each state, in the order of the error vector.
///
/// An error is true minus estimated. The attitude's error is a rotation vector in east-north-up, `true = Exp(error) *
/// estimated` (Sola 2017, section 7, the global form); the mount's error is one in vehicle axes.
///
/// To add a state, write its entry, name it in ``all``, and raise the number above. Then use it in an observation:
/// `row.add(.name, coefficient)`, `state[.name]`, `covariance[.name, .name]`.
extension FilterState {
    @inline(__always) static var position: Self {
        Self(
            "position", after: 0, symbol: "dp", unit: "m", length: 3, limit: .infinity,
            initialSigma: .joint("from the GNSS position filter (7.9), correlated with gnssBias"), noise: .integrated,
            "Place of the IMU, east, north, up.")
    }
    @inline(__always) static var velocity: Self {
        Self(
            "velocity", after: position.end, symbol: "dv", unit: "m/s", length: 3, limit: 1e4,
            initialSigma: .start({ Vector3(repeating: $0.velocity) }, "0.3"), noise: .samples,
            "Velocity over ground, east, north, up.")
    }
    @inline(__always) static var attitude: Self {
        Self(
            "attitude", after: velocity.end, symbol: "a", unit: "rad", length: 3, limit: .infinity,
            initialSigma: .start(
                { Vector3($0.tilt, $0.tilt, $0.heading) },
                "level 0.02 found at rest, 0.08 on the move; heading from 7.3 or 7.6"),
            noise: .samples, "Attitude of the sensor axes against east-north-up.")
    }
    @inline(__always) static var gyroBias: Self {
        Self(
            "gyroBias", after: attitude.end, symbol: "db", unit: "rad/s", length: 3, limit: 10,
            initialSigma: .start({ Vector3(repeating: $0.gyroBias) }, "from the attitude filter, at most 0.06"),
            noise: .walk(1e-4 * 0.017_453_3), "Gyro bias, sensor axes.")
    }
    @inline(__always) static var accelerometerBias: Self {
        Self(
            "accelerometerBias", after: gyroBias.end, symbol: "dd", unit: "m/s2", length: 3, limit: 1e3,
            initialSigma: .constant(0.15, ""), noise: .walk(5e-4), "Accelerometer bias, sensor axes.")
    }
    @inline(__always) static var mount: Self {
        Self(
            "mount", after: accelerometerBias.end, symbol: "m", unit: "rad", length: 3, limit: .infinity,
            initialSigma: .start(
                { Vector3($0.mountTilt, $0.mountTilt, $0.mountHeading) },
                "of the prior; else tilt 0.03 at rest, 0.06 on the move; heading 0.15 with the sensor's (4.8)"),
            noise: .walk(1e-5), profile: .vehicle, "Rotation of the sensor in the vehicle: a holder settles.")
    }
    @inline(__always) static var rearAxleOffset: Self {
        Self(
            "rearAxleOffset", after: mount.end, symbol: "do", unit: "m", length: 1, limit: 1e3,
            initialSigma: .constant(1, ""), noise: .none, profile: .vehicle,
            "Forward distance from the IMU to the point that does not slip sideways: the rear axle of a car.")
    }
    @inline(__always) static var positionLag: Self {
        Self(
            "positionLag", after: rearAxleOffset.end, symbol: "dT_p", unit: "s", length: 1, limit: 1e3,
            initialSigma: .constant(0.002, "plus 0.03 once the heading is settled: unsettled turns look like a lag"),
            noise: .walkOnceHeadingIsSettled(0.0003), "Age of the receiver's position beyond its time stamp.")
    }
    @inline(__always) static var velocityTimeConstant: Self {
        Self(
            "velocityTimeConstant", after: positionLag.end, symbol: "dT_v", unit: "s", length: 1, limit: 1e3,
            initialSigma: .constant(0.1, "receivers differ by 0 to 0.2"), noise: .walk(0.001),
            "Time constant of the receiver's low-pass on its velocity; below zero a delay of the IMU.")
    }
    @inline(__always) static var gnssBias: Self {
        Self(
            "gnssBias", after: velocityTimeConstant.end, symbol: "dg", unit: "m", length: 3, limit: 1e9,
            initialSigma: .joint("from the GNSS position filter (7.9), correlated with position"),
            noise: .gaussMarkov(40),
            "Slowly varying error of the receiver's position, east, north, up: reflections, atmosphere, orbits.")
    }
    @inline(__always) static var wheelScale: Self {
        Self(
            "wheelScale", after: gnssBias.end, symbol: "ds", unit: "1", length: 1, limit: 1e6, initialValue: 1,
            initialSigma: .constant(0.03, "0.02 once calibrated (5.17)"), noise: .walk(1e-5), profile: .vehicle,
            "True speed over the stated speed of the wheels: pressure and temperature of the tyres.")
    }
    @inline(__always) static var squat: Self {
        Self(
            "squat", after: wheelScale.end, symbol: "dk", unit: "rad/(m/s2)", length: 1, limit: 1e3,
            initialSigma: .constant(0.01, "cars have 2 to 5 degrees per g"), noise: .none, profile: .vehicle,
            "Rise of the nose against the road per forward acceleration.")
    }
    @inline(__always) static var turnCoupling: Self {
        Self(
            "turnCoupling", after: squat.end, symbol: "dc", unit: "1", length: 3, limit: 1e3,
            initialSigma: .constant(0.005, "data sheets of consumer sensors allow one to two times this"),
            noise: .none, profile: .vehicle,
            "False rate of the gyro per rate of turn about the vehicle's vertical: scale and cross-axis errors.")
    }
    @inline(__always) static var sideslip: Self {
        Self(
            "sideslip", after: turnCoupling.end, symbol: "dy", unit: "rad/(m/s2)", length: 1, limit: 1e3,
            initialSigma: .constant(0.005, "tyres of cars have 1 to 4 degrees per g"), noise: .none,
            profile: .vehicle, "Slip angle of the rear wheels per sideways acceleration.")
    }
    @inline(__always) static var barometerOffset: Self {
        Self(
            "barometerOffset", after: sideslip.end, symbol: "dB", unit: "m", length: 1, limit: 1e6,
            initialSigma: .joint("0.4 and the height's, correlated with it, at the first reading (5.13)"),
            noise: .withMeasurement("0.02 m/sqrt(s) and a share of the climb (5.13)"),
            "Barometric height minus height above the ellipsoid; absent, and free, until a barometer is read.")
    }

    /// Every state, in the order of the error vector.
    static let all: [FilterState] = [
        .position, .velocity, .attitude, .gyroBias, .accelerometerBias, .mount, .rearAxleOffset, .positionLag,
        .velocityTimeConstant, .gnssBias, .wheelScale, .squat, .turnCoupling, .sideslip, .barometerOffset,
    ]
    /// Length of the error state.
    @inline(__always) static var count: Int { StateArray.count }
    /// Number of leading elements that change from sample to sample; what follows changes slowly.
    @inline(__always) static var dynamicCount: Int { attitude.end }
    /// Number of elements without those at the end that only an optional sensor needs.
    @inline(__always) static var permanentCount: Int { sideslip.end }
}
