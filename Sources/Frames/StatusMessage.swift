extension Message {
    /// How the daemon is, once a second.
    public struct Status: Sendable, Equatable {
        /// When: CLOCK_MONOTONIC, nanoseconds.
        public var timeNanoseconds: Int64 = 0
        /// Seconds since the daemon started.
        public var uptimeSeconds: Double = 0
        /// Frames made from new measurements.
        public var framesMade: UInt64 = 0
        /// Frames published again because nothing new had come.
        public var framesRepeated: UInt64 = 0
        /// Messages lost by all clients together.
        public var messagesLost: UInt64 = 0
        /// Measurements that the engine came too late for.
        public var measurementsLost: UInt64 = 0
        /// Fixes of the receiver that were taken.
        public var fixesAccepted: UInt64 = 0
        /// Fixes of the receiver that were refused.
        public var fixesRejected: UInt64 = 0
        /// IMU samples a second as measured; `nil` while there are none.
        public var imuRateHertz: Double?
        /// Fixes a second as measured; `nil` while there are none.
        public var fixRateHertz: Double?
        /// Clients connected now.
        public var clients: UInt32 = 0
        /// Clients served at most.
        public var clientLimit: UInt32 = 0
        /// How far the pose can be trusted.
        public var poseState: Frame.PoseState = .starting
        /// Where on or off the route.
        public var guidanceState: Frame.GuidanceState = .noRoute
        /// Each source.
        public var sources = Frame.Sources()
        /// Why the pose is not better, in sentences.
        public var why: [String] = []

        /// How the IMU sits in the vehicle; `nil` while it is not known, and on a wearable.
        public var mount: Mount?
        /// What was found of the magnetometer; `nil` without one.
        public var magnetometer: Magnetometer?

        /// A daemon that has done nothing yet.
        public init() {}
    }

    /// How the IMU sits in the vehicle.
    public struct Mount: Sendable, Equatable {
        /// Rotation from the IMU's axes to the body's.
        public var sensorToBody: Frame.Quadruple
        /// 1-sigma of a turn about each of the body's axes, radians.
        public var sigmaRadians: Frame.Triple
        /// How it is known.
        public var origin: MountOrigin

        /// The mount, taken as it is.
        public init(sensorToBody: Frame.Quadruple, sigmaRadians: Frame.Triple, origin: MountOrigin) {
            self.sensorToBody = sensorToBody
            self.sigmaRadians = sigmaRadians
            self.origin = origin
        }
    }

    /// How a mount is known; the raw value is the wire's.
    public enum MountOrigin: UInt8, Sendable, CaseIterable {
        /// In a way of a later version.
        case unknown = 0
        /// The settings say so; the drive has not shown it yet.
        case configured = 1
        /// From an earlier drive; this one has not shown it yet.
        case kept = 2
        /// Found on this drive.
        case found = 3
    }

    /// What was found of the magnetometer.
    public struct Magnetometer: Sendable, Equatable {
        /// How far it can be trusted.
        public var state: MagnetometerState = .unknown
        /// Iron that turns with the sensor, sensor axes, tesla.
        public var ironTesla = Frame.Triple(0, 0, 0)
        /// Soft iron and errors of the axes, three rows: one and this, times a reading less the iron, is the field.
        public var softIron = SoftIron()
        /// Strength of the Earth's field as found, tesla.
        public var fieldTesla: Double = 0
        /// How far it points down, radians.
        public var dipRadians: Double = 0
        /// 1-sigma of the magnetic heading, radians.
        public var headingSigmaRadians: Double = 0

        /// Nothing found yet.
        public init() {}
    }

    /// The rows of a three by three matrix.
    public struct SoftIron: Sendable, Equatable {
        /// First row.
        public var x = Frame.Triple(0, 0, 0)
        /// Second row.
        public var y = Frame.Triple(0, 0, 0)
        /// Third row.
        public var z = Frame.Triple(0, 0, 0)

        /// No soft iron.
        public init() {}
    }

    /// How far a magnetometer can be trusted; the raw value is the wire's.
    public enum MagnetometerState: UInt8, Sendable, CaseIterable {
        /// In a state of a later version.
        case unknown = 0
        /// Not turned enough yet to tell the iron from the Earth's field.
        case collecting = 1
        /// Iron and field are known.
        case calibrated = 2
        /// The field here is not the Earth's; it is not used for a while.
        case disturbed = 3
        /// What was found cannot be the Earth's field.
        case implausible = 4
    }
}
