import PoseMath

/// The sensors of a simulated vehicle; `nil` means not installed.
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

    /// An IMU and its mounting.
    public struct InertialSensor: Sendable {
        /// Sample rate, Hz.
        public var rateHertz = 100.0
        /// Its errors.
        public var errors = InertialErrors.consumer
        /// Mount: rotation from its own axes to the body's.
        public var sensorToBody = Quaternion.identity
        /// How its holder turns on the way; `nil`: it does not.
        public var holderTurn: HolderTurn?

        /// A consumer IMU at 100 Hz along the body's axes.
        public init() {}
    }

    /// A turn of the IMU in the body, at a constant rate.
    public struct HolderTurn: Sendable {
        /// When it begins, seconds of the drive.
        public var begin: Double
        /// How long it lasts, seconds.
        public var seconds: Double
        /// Axis and angle, sensor axes, radians.
        public var rotationVector: Vector3

        /// A turn.
        public init(begin: Double, seconds: Double, rotationVector: Vector3) {
            (self.begin, self.seconds, self.rotationVector) = (begin, seconds, rotationVector)
        }

        /// The part of it that is done, 0 to 1, and the rate of turn, sensor axes, rad/s.
        func progress(atSeconds time: Double) -> (part: Double, rate: Vector3) {
            let part = min(max((time - begin) / seconds, 0), 1)
            return (part, part > 0 && part < 1 ? rotationVector * (1 / seconds) : .zero)
        }
    }

    /// A magnetometer in the IMU's axes.
    public struct Magnetometer: Sendable {
        /// Sample rate, Hz.
        public var rateHertz = 50.0
        /// The Earth's magnetic field, east, north, up, tesla (the default is for central Europe, declination 3
        /// degrees).
        public var fieldENUTesla = Vector3(1.05e-6, 20.0e-6, -44.0e-6)
        /// Hard iron: field of the vehicle itself, in the sensor's axes, tesla.
        public var hardIronTesla = Vector3(0, 0, 0)
        /// Soft iron and errors of the axes: matrix applied to the field, sensor axes.
        public var softIron = Matrix<3, 3>.identity
        /// White noise of a reading, 1-sigma, tesla.
        public var noiseTesla = 0.4e-6

        /// A magnetometer at 50 Hz in a vehicle without iron.
        public init() {}
    }

    /// A barometer.
    public struct Barometer: Sendable {
        /// Sample rate, Hz.
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
        /// Sample rate, Hz.
        public var rateHertz = 20.0
        /// Bound of its scale error, drawn once (tyre wear, pressure).
        public var scale = 0.02
        /// Resolution of a reading, m/s.
        public var resolutionMetersPerSecond = 0.02
        /// White noise of a reading, 1-sigma, m/s.
        public var noiseMetersPerSecond = 0.03

        /// A wheel speed at 20 Hz, good to 2 %.
        public init() {}
    }
}

/// A satellite receiver and its errors. Sizes are 1-sigma on each horizontal axis.
public struct SatelliteReceiver: Sendable, Hashable {
    /// Fix rate, Hz.
    public var rateHertz = 1.0
    /// White error of the position, independent for each fix, metres.
    public var whiteMeters = 0.3
    /// Correlated error of the position, metres.
    public var wanderingMeters = 2.5
    /// Time constant of the correlated error, seconds.
    public var wanderingSeconds = 30.0
    /// Ratio of the height error to the error of a horizontal axis.
    public var verticalFactor = 2.0
    /// Error of each axis of the velocity, m/s.
    public var velocityMetersPerSecond = 0.1
    /// Delay from validity to arrival, seconds.
    public var latencySeconds = 0.1
    /// Additional uniformly distributed latency, seconds.
    public var latencySpreadSeconds = 0.02
    /// Delay of the position relative to the stated time of validity, seconds.
    public var positionLagSeconds = 0.0
    /// Delay of the velocity relative to the stated time of validity, seconds.
    public var velocityLagSeconds = 0.0
    /// Time constant of the receiver's first-order low-pass on the horizontal velocity, seconds; 0: none.
    public var velocitySmoothingSeconds = 0.0
    /// Time constant of the receiver's first-order low-pass on the climb, seconds; 0: none.
    public var climbSmoothingSeconds = 0.0
    /// Variation of the velocity delay from fix to fix, seconds, 1-sigma.
    public var velocityLagSpreadSeconds = 0.0
    /// Variation of the climb delay from fix to fix, seconds, 1-sigma.
    public var climbLagSpreadSeconds = 0.0
    /// Lever arm from the reference point to the antenna, body axes, metres.
    public var leverArmBodyMeters = Vector3(0, 0, 0)
    /// Multipath: mean number of episodes per minute.
    public var multipathEpisodesPerMinute = 0.0
    /// Error during an episode, metres, 1-sigma on each axis.
    public var multipathMeters = 12.0
    /// Mean duration of an episode, seconds.
    public var multipathSeconds = 6.0
    /// Outages: start and end, seconds since the start of the drive, or of each lap.
    public var outages: [ClosedRange<Double>] = []
    /// Ratio of the stated sigma to the true sigma; below 1 the receiver is overconfident.
    public var statedSigmaScale = 1.0

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

    /// A receiver with white errors only, as assumed by textbooks and consistency tests.
    public static var white: SatelliteReceiver {
        var receiver = SatelliteReceiver()
        receiver.whiteMeters = 1
        receiver.wanderingMeters = 0
        return receiver
    }
}
