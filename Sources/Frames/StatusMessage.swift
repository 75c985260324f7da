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

        /// A daemon that has done nothing yet.
        public init() {}
    }
}
