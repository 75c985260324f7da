/// The corrections of the sensors of one device; `nil` where none was measured.
public struct SensorCorrections: Hashable, Sendable {
    /// Of the gyro, rad/s.
    public var gyro: SensorCorrection?
    /// Of the accelerometer, m/s2.
    public var accelerometer: SensorCorrection?
    /// Of the magnetometer, tesla.
    public var magnetometer: SensorCorrection?

    /// No correction.
    public init() {}
}
