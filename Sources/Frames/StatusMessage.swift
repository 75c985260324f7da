extension Message {
    /// The status of the daemon, sent once per second.
    public struct Status: Sendable, Equatable {
        /// Time of the status: CLOCK_MONOTONIC, nanoseconds.
        public var timeNanoseconds: Int64 = 0
        /// Time since the daemon started, seconds.
        public var uptimeSeconds: Double = 0
        /// Frames computed from new measurements, or predicted without one.
        public var framesMade: UInt64 = 0
        /// Frames published again, because the engine made none for 0.1 s.
        public var framesRepeated: UInt64 = 0
        /// Messages lost by all clients together.
        public var messagesLost: UInt64 = 0
        /// Measurements lost because the engine was too late for them.
        public var measurementsLost: UInt64 = 0
        /// Fixes that were accepted.
        public var fixesAccepted: UInt64 = 0
        /// Fixes that were rejected.
        public var fixesRejected: UInt64 = 0
        /// Measured rate of IMU samples, hertz; `nil` while there are none.
        public var imuRateHertz: Double?
        /// Measured rate of fixes, hertz; `nil` while there are none.
        public var fixRateHertz: Double?
        /// Clients connected now.
        public var clients: UInt32 = 0
        /// Maximum number of clients.
        public var clientLimit: UInt32 = 0
        /// How far the pose can be trusted.
        public var poseState: Frame.PoseState = .starting
        /// Position relative to the route.
        public var guidanceState: Frame.GuidanceState = .noRoute
        /// State of each source.
        public var sources = Frame.Sources()
        /// Whether the daemon shows a simulated drive.
        public var isSimulated = false
        /// The reasons why the pose is not better, one sentence each.
        public var why: [String] = []

        /// The mount of the IMU; `nil` while unknown, and elsewhere.
        public var mount: Mount?
        /// The calibration of the magnetometer; `nil` without one.
        public var magnetometer: Magnetometer?

        /// Creates the status of a daemon that has just started.
        public init() {}
    }

    /// The mount of the IMU in the vehicle.
    public struct Mount: Sendable, Equatable {
        /// Rotation from the IMU's axes to the body's axes.
        public var sensorToBody: Frame.Quadruple
        /// 1-sigma of the rotation about each body axis, radians.
        public var sigmaRadians: Frame.Triple
        /// Where the mount comes from.
        public var origin: MountOrigin

        /// Creates a mount from its parts.
        public init(sensorToBody: Frame.Quadruple, sigmaRadians: Frame.Triple, origin: MountOrigin) {
            self.sensorToBody = sensorToBody
            self.sigmaRadians = sigmaRadians
            self.origin = origin
        }
    }

    /// Where a mount comes from; the raw value is the code in the wire format.
    public enum MountOrigin: UInt8, Sendable, CaseIterable {
        /// From a source of a later version.
        case unknown = 0
        /// From the settings; not yet confirmed by the drive.
        case configured = 1
        /// From an earlier drive; not yet confirmed by this drive.
        case kept = 2
        /// Estimated on this drive.
        case found = 3
    }

    /// The calibration of the magnetometer.
    public struct Magnetometer: Sendable, Equatable {
        /// How far the magnetometer can be trusted.
        public var state: MagnetometerState = .unknown
        /// Hard iron: the field of iron that turns with the sensor, sensor axes, tesla.
        public var ironTesla = Frame.Triple(0, 0, 0)
        /// Soft iron and axis errors, three rows: (identity + this) times (reading - hard iron) is the field.
        public var softIron = SoftIron()
        /// Estimated strength of the Earth's field, tesla.
        public var fieldTesla: Double = 0
        /// Estimated magnetic dip, downward positive, radians.
        public var dipRadians: Double = 0
        /// 1-sigma of the magnetic heading, radians.
        public var headingSigmaRadians: Double = 0

        /// Creates an empty calibration.
        public init() {}
    }

    /// The rows of a 3 x 3 matrix.
    public struct SoftIron: Sendable, Equatable {
        /// First row.
        public var x = Frame.Triple(0, 0, 0)
        /// Second row.
        public var y = Frame.Triple(0, 0, 0)
        /// Third row.
        public var z = Frame.Triple(0, 0, 0)

        /// Creates a matrix of zeros: no soft iron.
        public init() {}
    }

    /// How far a magnetometer can be trusted; the raw value is the code in the wire format.
    public enum MagnetometerState: UInt8, Sendable, CaseIterable {
        /// A state of a later version.
        case unknown = 0
        /// Not rotated enough yet to separate hard iron from the Earth's field.
        case collecting = 1
        /// Hard iron and field are known.
        case calibrated = 2
        /// The field here is not the Earth's field; the magnetometer is not used for a while.
        case disturbed = 3
        /// The estimate cannot be the Earth's field.
        case implausible = 4
    }
}
