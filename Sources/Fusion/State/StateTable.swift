import PoseMath

/// Number of elements of the error state: the end of the last state, as a test checks.
typealias StateArray = InlineArray<37, Double>
/// The covariance of the error state.
typealias Covariance = Matrix<37, 37>

// To add a state:
// 1. Insert its line below before `barometerOffset`, which must stay the last one, and let `barometerOffset` follow it.
//    Raise both numbers above by its length.
// 2. Insert its entry at the same place in `StateTable.entries`. `initialValue` is for states of length 1.
//    - `.start` takes the sigma from `NavigationFilter.StartSigmas`: add a member there, its value in
//      `PoseEstimator+Start.swift`, and one in the test helper `FilterAtState.swift`.
//    - `.gaussMarkov` and `.withMeasurement` only describe what code elsewhere does: `NavigationFilter.decayGNSSBias`
//      (and `SmoothingJournal`), `NavigationFilter.fuseBarometricHeight`. A new state with one needs such code.
// 3. Use it in an observation: `row.add(.name, coefficient)` (a row has room for 16 coefficients), `state[.name]`,
//    `covariance[.name, .name]`. Where the observation is one of `docs/derivation/jacobians.py`, add the state to
//    `LAYOUT` there and run it.
// 4. `make generated` writes the table in docs/math.md.

/// The states in the order of the error vector.
extension FilterState {
    @inline(__always) static var position: Self { Self(after: nil, length: 3) }
    @inline(__always) static var velocity: Self { Self(after: position, length: 3) }
    @inline(__always) static var attitude: Self { Self(after: velocity, length: 3) }
    @inline(__always) static var gyroBias: Self { Self(after: attitude, length: 3) }
    @inline(__always) static var accelerometerBias: Self { Self(after: gyroBias, length: 3) }
    @inline(__always) static var mount: Self { Self(after: accelerometerBias, length: 3) }
    @inline(__always) static var rearAxleOffset: Self { Self(after: mount, length: 1) }
    @inline(__always) static var positionLag: Self { Self(after: rearAxleOffset, length: 1) }
    @inline(__always) static var velocityLag: Self { Self(after: positionLag, length: 1) }
    @inline(__always) static var gnssBias: Self { Self(after: velocityLag, length: 3) }
    @inline(__always) static var wheelScale: Self { Self(after: gnssBias, length: 1) }
    @inline(__always) static var squat: Self { Self(after: wheelScale, length: 1) }
    @inline(__always) static var turnCoupling: Self { Self(after: squat, length: 3) }
    @inline(__always) static var sideslip: Self { Self(after: turnCoupling, length: 1) }
    @inline(__always) static var antennaArm: Self { Self(after: sideslip, length: 2) }
    @inline(__always) static var wheelLag: Self { Self(after: antennaArm, length: 1) }
    @inline(__always) static var forceCoupling: Self { Self(after: wheelLag, length: 3) }
    @inline(__always) static var barometerOffset: Self { Self(after: forceCoupling, length: 1) }

    /// Length of the error state.
    @inline(__always) static var count: Int { StateArray.count }
    /// Number of leading elements that change from sample to sample; what follows changes slowly.
    @inline(__always) static var dynamicCount: Int { attitude.end }
    /// Number of elements without those at the end that only an optional sensor needs.
    @inline(__always) static var permanentCount: Int { barometerOffset.index }
}

/// The state table: one entry for each state, in the order of the error vector.
///
/// An error is true minus estimated. The attitude's error is a rotation vector in east-north-up, `true = Exp(error) *
/// estimated` (Sola 2017, section 7, the global form); the mount's error is one in vehicle axes.
enum StateTable {
    /// Every state.
    static let entries: [StateEntry] = [
        StateEntry(
            .position, "position", symbol: "dp", unit: "m", limit: .infinity,
            initialSigma: .joint("from the GNSS position filter (7.9), correlated with gnssBias"), noise: .integrated,
            "Place of the IMU, east, north, up."),
        StateEntry(
            .velocity, "velocity", symbol: "dv", unit: "m/s", limit: 1e4,
            initialSigma: .start(
                { Vector3(repeating: $0.velocity) }, "\(Tuning.Start.velocitySigma), and that of the fix"),
            noise: .samples,
            "Velocity over ground, east, north, up."),
        StateEntry(
            .attitude, "attitude", symbol: "a", unit: "rad", limit: .infinity,
            initialSigma: .start(
                { Vector3($0.tilt, $0.tilt, $0.heading) },
                "tilt \(Tuning.Start.knownTiltSigma) found at rest, \(Tuning.Start.unknownTiltSigma) in motion; "
                    + "heading of 7.3 (\(Tuning.Start.leastHeadingSigmaKnownLevel) and "
                    + "\(Tuning.Start.leastHeadingSigmaUnknownLevel) at least), or of 7.6"),
            noise: .samples, "Attitude of the sensor axes against east-north-up."),
        StateEntry(
            .gyroBias, "gyroBias", symbol: "db", unit: "rad/s", limit: 10,
            initialSigma: .start(
                { $0.gyroBias }, "from the attitude filter, at most \(Tuning.Start.largestGyroBiasSigma)"),
            noise: .walk(Tuning.GyroBias.walk, carried: Tuning.GyroBias.carriedWalk),
            "Gyro bias, sensor axes; and its drift (4.21)."),
        StateEntry(
            .accelerometerBias, "accelerometerBias", symbol: "dd", unit: "m/s2", limit: 1e3,
            initialSigma: .constant(0.15, ""), noise: .walk(5e-4), "Accelerometer bias, sensor axes."),
        StateEntry(
            .mount, "mount", symbol: "m", unit: "rad", limit: .infinity,
            initialSigma: .start(
                { Vector3($0.mountTilt, $0.mountTilt, $0.mountHeading) },
                "that of the prior; else tilt \(Tuning.Start.restingMountTiltSigma) at rest, "
                    + "\(Tuning.Start.movingMountTiltSigma) in motion, heading \(Tuning.Start.mountHeadingSigma) and "
                    + "the attitude's (4.8)"
            ),
            noise: .walk(1e-5), profiles: [.vehicle], "Rotation of the sensor in the vehicle: a holder settles."),
        StateEntry(
            .rearAxleOffset, "rearAxleOffset", symbol: "do", unit: "m", limit: 1e3,
            initialSigma: .constant(1, ""), noise: .none, profiles: [.vehicle],
            "Forward distance from the IMU to the point that does not slip sideways: the rear axle of a car."),
        StateEntry(
            .positionLag, "positionLag", symbol: "dT_p", unit: "s", limit: 1e3,
            initialSigma: .constant(
                0.002,
                "its variance + that of eq. 7.18, + \(Tuning.Start.settledPositionLagSigma)^2 once the heading is "
                    + "settled: unsettled turns look like a lag"),
            noise: .walkOnceHeadingIsSettled(0.0003), "Age of the receiver's position beyond its time stamp."),
        StateEntry(
            .velocityLag, "velocityLag", symbol: "dT_v", unit: "s", limit: 1e3,
            initialSigma: .constant(0.1, "or that of eq. 7.18, if larger; receivers differ by 0 to 0.2"),
            noise: .walk(0.001),
            "Lag of the receiver's velocity: a low-pass, beyond 0.2 s a delay; below zero a delay of the IMU."),
        StateEntry(
            .gnssBias, "gnssBias", symbol: "dg", unit: "m", limit: 1e9,
            initialSigma: .joint("from the GNSS position filter (7.9), correlated with position"),
            noise: .gaussMarkov(40),
            "Slowly varying error of the receiver's position, east, north, up: reflections, atmosphere, orbits."),
        StateEntry(
            .wheelScale, "wheelScale", symbol: "ds", unit: "1", limit: 1e6, initialValue: 1,
            initialSigma: .constant(0.03, "0.02 once calibrated (5.17)"), noise: .walk(1e-5), profiles: [.vehicle],
            "True speed over the stated speed of the wheels: pressure and temperature of the tyres."),
        StateEntry(
            .squat, "squat", symbol: "dk", unit: "rad/(m/s2)", limit: 1e3,
            initialSigma: .constant(0.01, "cars have 2 to 5 degrees per g"), noise: .none, profiles: [.vehicle],
            "Rise of the nose against the road per forward acceleration."),
        StateEntry(
            .turnCoupling, "turnCoupling", symbol: "dc", unit: "1", limit: 1e3,
            initialSigma: .constant(0.005, "data sheets of consumer sensors allow one to two times this"),
            noise: .none, profiles: [.vehicle, .boat],
            "False rate of the gyro per rate of turn about the body's vertical: scale and cross-axis errors."),
        StateEntry(
            .sideslip, "sideslip", symbol: "dy", unit: "rad/(m/s2)", limit: 1e3,
            initialSigma: .constant(0.005, "tyres of cars have 1 to 4 degrees per g"), noise: .none,
            profiles: [.vehicle], "Slip angle of the rear wheels per sideways acceleration."),
        StateEntry(
            .antennaArm, "antennaArm", symbol: "dl", unit: "m", limit: 1e3,
            initialSigma: .start(
                { Vector3($0.antenna.sigmaMeters.x, $0.antenna.sigmaMeters.y, 0) },
                "\(Tuning.Antenna.unknownSigma) where nothing was told, \(Tuning.Antenna.carriedSigma) on a person, "
                    + "\(Tuning.Antenna.toldSigma) of what was; correlated with position (5.21)"),
            noise: .none, profiles: [.vehicle, .wearable],
            "Place of the antenna from the IMU, forward and left; on a person in the axes of 7.43."),
        StateEntry(
            .wheelLag, "wheelLag", symbol: "dT_w", unit: "s", limit: 1e3,
            initialSigma: .constant(0.3, "that of 5.17 once calibrated"), noise: .walk(0.002), profiles: [.vehicle],
            "Age of a wheel speed beyond its time stamp: the vehicle's bus, a diagnostic adapter, a radio link."),
        StateEntry(
            .forceCoupling, "forceCoupling", symbol: "dj", unit: "1", limit: 1e3,
            initialSigma: .constant(0.01, "data sheets of consumer sensors allow one to three times this"),
            noise: .none, profiles: [.vehicle],
            "False force of the accelerometer in vehicle axes: forward per forward, forward per left, left per left."),
        StateEntry(
            .barometerOffset, "barometerOffset", symbol: "dB", unit: "m", limit: 1e6,
            initialSigma: .joint("0.4 and the height's, correlated with it, at the first reading (5.13)"),
            noise: .withMeasurement("0.02 m/sqrt(s) and a share of the climb (5.13)"),
            "Barometric height minus height above the ellipsoid; absent, and free, until a barometer is read."),
    ]

    /// The entry of a state.
    static func entry(_ state: FilterState) -> StateEntry? { entries.first { $0.state == state } }

    /// Largest magnitude of each element.
    static let limits = perElement { $0.limit }
    /// Random walks of the elements, as variances per second, of the profiles.
    static let walks = ByProfile { $0.walkVariance(on: $1) }
    /// The same of random walks that begin once the heading is settled.
    static let settledWalks = ByProfile { $0.settledWalkVariance(on: $1) }

    /// One number of each element for each profile.
    struct ByProfile: Sendable {
        private let vehicle, wearable, boat: StateArray

        fileprivate init(_ value: (StateEntry, MotionProfile) -> Double) {
            vehicle = perElement { value($0, .vehicle) }
            wearable = perElement { value($0, .wearable) }
            boat = perElement { value($0, .boat) }
        }

        /// The numbers of a profile.
        subscript(profile: MotionProfile) -> StateArray {
            switch profile {
            case .vehicle: vehicle
            case .wearable: wearable
            case .boat: boat
            }
        }
    }

    /// One number of the entry for each element.
    private static func perElement(_ value: (StateEntry) -> Double) -> StateArray {
        var array = StateArray(repeating: 0)
        for entry in entries { for i in entry.state.elements { array[i] = value(entry) } }
        return array
    }
}

extension StateEntry {
    /// Variance of the random walk, per second; zero on a profile without the state.
    fileprivate func walkVariance(on profile: MotionProfile) -> Double {
        guard case .walk(let fastened, let carried) = noise, exists(on: profile) else { return 0 }
        let walk = profile.traits.isFastened ? fastened : carried ?? fastened
        return walk * walk
    }

    /// The same of a random walk that begins once the heading is settled.
    fileprivate func settledWalkVariance(on profile: MotionProfile) -> Double {
        if case .walkOnceHeadingIsSettled(let walk) = noise, exists(on: profile) { walk * walk } else { 0 }
    }
}
