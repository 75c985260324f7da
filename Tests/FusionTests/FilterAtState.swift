import Geodesy
import Measurements
import PoseMath

@testable import Fusion

extension NavigationFilter {
    /// A filter that believes to be at a state, its antenna beside the IMU (body axes, metres).
    init(at state: NavigationState, leverArm: Vector3, profile: MotionProfile = .vehicle) {
        var settings = FusionSettings()
        settings.profile = profile
        settings.antennaLeverArmBodyMeters = leverArm
        var fix = GnssFix(validityTime: state.time, arrivalTime: state.time, mode: .threeDimensional)
        fix.latitudeRadians = state.position.latitudeRadians
        fix.longitudeRadians = state.position.longitudeRadians
        fix.altitudeEllipsoidMeters = state.position.altitudeEllipsoidMeters
        (fix.horizontalSigmaMeters, fix.verticalSigmaMeters) = (8, 16)
        guard let known = GNSSPositionFilter(fix: fix) else {
            self.init(idleWith: settings)
            return
        }
        let sigma = StartSigmas(
            position: known, velocity: 1, tilt: 0.1, heading: 0.1, gyroBias: Vector3(repeating: 0.01),
            isLevelKnown: true, mountTilt: 0.1, mountHeading: 0.1,
            coupling: .independent)
        self.init(state: state, sigma: sigma, settings: settings)
        self.state = state
        self.state.antennaArmMeters = SIMD2(leverArm.x, leverArm.y)
    }

    /// A filter at a standstill that believes in an arm of the antenna, known to 0.3 m, where another one was told.
    init(believing arm: SIMD2<Double>, told: Vector3 = .zero) {
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 0),
            velocityENU: .zero, sensorToENU: .identity)
        self.init(at: state, leverArm: told)
        self.state.antennaArmMeters = arm
        covariance.restart(.position, variance: 1e-4)
        covariance.restart(.attitude, variance: 1e-6)
        covariance.restart(.mount, variance: 1e-6)
        for axis in [FilterState.antennaArm.x, .antennaArm.y] { covariance.restart(axis, variance: 0.1) }
    }

    /// A filter at a standstill on a level road that knows its velocity (m2/s2), with wheels that are calibrated.
    init(withWheelsAndVelocityVariance variance: Double) {
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400),
            velocityENU: .zero, sensorToENU: .identity)
        self.init(at: state, leverArm: .zero)
        wheels.isCalibrated = true
        covariance.restart(.velocity, variance: variance)
        covariance.restart(.attitude, variance: 1e-6)
        covariance.restart(.mount, variance: 1e-6)
        covariance.restart(.wheelScale, variance: 1e-4)
        covariance.restart(.wheelLag, variance: 1e-4)
    }

    /// 1-sigma of the position after the fixes so far, east, north, up, metres.
    mutating func positionSigma(of place: PublishedPlace) -> Vector3 {
        let fixes = fixEvidence
        return positionSigma(of: place, after: fixes)
    }

    /// The constraints of rolling wheels at one instant, from an acceleration, east, north, up, m/s2.
    mutating func nonholonomicComponents(now acceleration: Vector3) -> (lateral: Component, vertical: Component)? {
        nonholonomicComponents(
            ConstraintInterval(
                seconds: 0, accelerationENU: acceleration, angularRateSensor: state.angularRateSensor))
    }
}

extension ObservationRow {
    /// The coefficient of one element of the error.
    func coefficient(of index: Int) -> Double {
        (0..<count).reduce(0) { $0 + (self[$1].index == index ? self[$1].value : 0) }
    }
}
