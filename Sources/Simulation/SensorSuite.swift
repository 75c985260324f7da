import PoseMath

/// The sensors of a simulated vehicle. What is `nil` is not fitted.
public struct SensorSuite: Sendable {
    /// Gyro and accelerometer.
    public var inertial: InertialSensor? = InertialSensor()
    /// Satellite receiver.
    public var satellite: SatelliteReceiver? = SatelliteReceiver()
    /// Magnetometer.
    public var magnetometer: Magnetometer?
    /// Barometer.
    public var barometer: Barometer?
    /// Wheel speed.
    public var wheels: Wheels?

    /// A consumer IMU and a consumer receiver.
    public init() {}

    /// An IMU as it is built in.
    public struct InertialSensor: Sendable {
        /// Readings a second.
        public var rateHertz = 100.0
        /// What is wrong with it.
        public var errors = InertialErrors.consumer
        /// How it sits: rotation from its own axes to the body's.
        public var sensorToBody = Quaternion.identity

        /// A consumer IMU at 100 Hz along the body's axes.
        public init() {}
    }

    /// A magnetometer in the IMU's axes.
    public struct Magnetometer: Sendable {
        /// Readings a second.
        public var rateHertz = 50.0
        /// The Earth's field here, east, north, up, tesla (the default is a middle European one, declination 3
        /// degrees).
        public var fieldENUTesla = Vector3(1.05e-6, 20.0e-6, -44.0e-6)
        /// Field of the vehicle itself, in the sensor's axes, tesla.
        public var hardIronTesla = Vector3(0, 0, 0)
        /// What soft iron and the errors of the axes make of the field, sensor axes.
        public var softIron = Matrix<3, 3>.identity
        /// White noise of a reading, 1-sigma, tesla.
        public var noiseTesla = 0.4e-6

        /// A magnetometer at 50 Hz in a vehicle without iron.
        public init() {}
    }

    /// A barometer.
    public struct Barometer: Sendable {
        /// Readings a second.
        public var rateHertz = 25.0
        /// Air pressure at the ellipsoid, pascal.
        public var pressureAtEllipsoidPascal = 101_325.0
        /// White noise of a reading, 1-sigma, pascal.
        public var noisePascal = 2.0
        /// 1-sigma of the weather's drift over ten minutes, pascal.
        public var driftPascal = 15.0

        /// A barometer at 25 Hz.
        public init() {}
    }

    /// A wheel speed sensor.
    public struct Wheels: Sendable {
        /// Readings a second.
        public var rateHertz = 20.0
        /// Bound of its scale error, drawn once (tyre wear, pressure).
        public var scale = 0.02
        /// Step of a reading, m/s.
        public var resolutionMetersPerSecond = 0.02
        /// White noise of a reading, 1-sigma, m/s.
        public var noiseMetersPerSecond = 0.03

        /// A wheel speed at 20 Hz, good to 2 %.
        public init() {}
    }
}

/// A satellite receiver and what is wrong with it. Sizes are 1-sigma on each horizontal axis.
public struct SatelliteReceiver: Sendable, Hashable {
    /// Fixes a second.
    public var rateHertz = 1.0
    /// Error of the position that comes anew with each fix, metres.
    public var whiteMeters = 0.3
    /// Error of the position that wanders, metres.
    public var wanderingMeters = 2.5
    /// Time constant of the wandering, seconds.
    public var wanderingSeconds = 30.0
    /// The height is worse than a horizontal axis by this factor.
    public var verticalFactor = 2.0
    /// Error of each axis of the velocity, m/s.
    public var velocityMetersPerSecond = 0.1
    /// From the time of validity to the arrival, seconds.
    public var latencySeconds = 0.1
    /// Even spread of the latency on top, seconds.
    public var latencySpreadSeconds = 0.02
    /// The position is older than the stated time of validity by this, seconds.
    public var positionLagSeconds = 0.0
    /// The velocity is older than the stated time of validity by this, seconds.
    public var velocityLagSeconds = 0.0
    /// Time constant of the low-pass, of first order, that the receiver has for its horizontal velocity, seconds; 0:
    /// none.
    public var velocitySmoothingSeconds = 0.0
    /// The same for the climb.
    public var climbSmoothingSeconds = 0.0
    /// How much that lag differs from fix to fix, as the receiver filters more or less, seconds, 1-sigma.
    public var velocityLagSpreadSeconds = 0.0
    /// The same for the climb.
    public var climbLagSpreadSeconds = 0.0
    /// Antenna from the reference point, body axes, metres.
    public var leverArmBodyMeters = Vector3(0, 0, 0)
    /// Reflections off houses: mean number of episodes a minute.
    public var multipathEpisodesPerMinute = 0.0
    /// Size of such an episode's error, metres, 1-sigma on each axis.
    public var multipathMeters = 12.0
    /// Mean length of an episode, seconds.
    public var multipathSeconds = 6.0
    /// Times without a fix: from and to, seconds since the start of the drive, or of each lap.
    public var outages: [ClosedRange<Double>] = []
    /// What the receiver says of its own errors, times this; below 1 it boasts.
    public var honesty = 1.0

    /// A consumer receiver at 1 Hz under an open sky.
    public init() {}

    /// A carrier-phase receiver at 4 Hz, ambiguities fixed.
    public static var rtk: SatelliteReceiver {
        var receiver = SatelliteReceiver()
        receiver.rateHertz = 4
        receiver.whiteMeters = 0.01
        receiver.wanderingMeters = 0.005
        receiver.velocityMetersPerSecond = 0.04
        receiver.latencySeconds = 0.05
        return receiver
    }

    /// Errors that are independent from fix to fix, as textbooks and consistency tests assume.
    public static var white: SatelliteReceiver {
        var receiver = SatelliteReceiver()
        receiver.whiteMeters = 1
        receiver.wanderingMeters = 0
        return receiver
    }
}
