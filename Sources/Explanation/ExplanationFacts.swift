import Frames

/// What is known of a running daemon, as far as an explanation uses it. Unknown values are `nil`.
package struct ExplanationFacts: Sendable, Equatable {
    /// What the 1-sigma of a quantity consists of; the squares of the parts sum to the square of the whole.
    package struct Parts: Sendable, Equatable {
        /// The receiver, the gyro, the mount with the antenna, the lags of the receiver, the growth since the last fix.
        package var receiver = 0.0
        package var gyro = 0.0
        package var mount = 0.0
        package var lag = 0.0
        package var age = 0.0

        /// All zero.
        package init() {}
        /// Creates the parts.
        package init(receiver: Double, gyro: Double, mount: Double, lag: Double, age: Double) {
            (self.receiver, self.gyro, self.mount, self.lag, self.age) = (receiver, gyro, mount, lag, age)
        }
    }

    /// The latest frame: pose, guidance, speed, states of the sources.
    package var frame = Frame()
    /// What the sigmas consist of: heading in degrees, position in metres, speed in m/s; `nil` while the filter does
    /// not run.
    package var heading: Parts?
    package var position: Parts?
    package var speed: Parts?
    /// Verdict on the receiver by its name in `status`.
    package var verdict = "trusted"
    /// Factor on the accuracy that the receiver states.
    package var sigmaFactor = 1.0
    /// Whether the receiver states a velocity and an accuracy.
    package var isVelocityStated = true
    package var isAccuracyStated = true
    /// Age of a fix on arrival, seconds.
    package var fixLatenessSeconds = 0.0
    /// Lags of the receiver's position and velocity beyond the time stamp, seconds.
    package var positionLagSeconds: Double?
    package var velocityLagSeconds: Double?
    /// Whether no receiver has ever been heard of: no device, and no report, not even one without a fix.
    package var isReceiverUnheard = false
    /// Rates of fixes and IMU samples, Hz.
    package var fixRateHertz: Double?
    /// Density of the gyro's noise, degrees/s/sqrt(Hz).
    package var gyroNoiseDensity = 0.0
    /// Faults of the IMU by their names in `status`.
    package var imuFaults: [String] = []
    /// Share of the IMU's samples that were at the end of the range since the start, 0 to 1.
    package var clippedShare = 0.0
    /// Whether the motion fits the profile.
    package var doesProfileFit = true
    /// Whether the settings' mount was refuted by gravity or the drive.
    package var isMountRefused = false
    /// 1-sigma of the mount about the vertical, degrees.
    package var mountHeadingSigmaDegrees: Double?
    /// Distance of the antenna from the IMU as found, its 1-sigma, metres; `nil` while unknown.
    package var antennaMeters: Double?
    package var antennaSigmaMeters: Double?
    /// Whether the settings state the place of the antenna.
    package var isAntennaTold = false
    /// Whether the wheel speed contradicts the receiver.
    package var areWheelsRefused = false
    /// Share of the rejected positions of the receiver, 0 to 1.
    package var rejectedShare = 0.0
    /// Whether a road file is in use; `nil` where it is not known.
    package var hasRoads: Bool?

    /// Nothing known.
    package init() {}
}
