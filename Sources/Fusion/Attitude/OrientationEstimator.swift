import Measurements
import PoseMath

/// Orientation alone, for those who have no satellites and want no more: the attitude filter and the stillness detector
/// that it needs.
///
/// Inputs are taken as they are; ``PoseEstimator`` checks them first.
public struct OrientationEstimator: Sendable {
    private var stillness = StillnessDetector()
    private var ranges = IMUStuckClipDetector()
    private var filter: AttitudeFilter

    /// An estimator that has seen nothing.
    public init(profile: MotionProfile) { filter = AttitudeFilter(profile: profile) }

    /// Takes a sample of the IMU or the magnetometer; anything else is passed over.
    public mutating func ingest(_ event: SensorEvent) {
        switch event {
        case .inertial(let sample):
            stillness.update(sample)
            _ = ranges.update(sample)
            filter.update(
                sample, still: stillness.isStill, meanAngularRate: stillness.meanAngularRate,
                quietSeconds: stillness.quietSeconds, saturated: ranges.saturated)
        case .magnetic(let sample): filter.update(magneticField: sample.fluxDensityTesla)
        default: break
        }
    }

    /// Sensor axes to magnetic east-north-up, or, while no magnetometer has delivered a reading, to a level
    /// frame turned by an arbitrary angle; `nil` before the second sample.
    public var sensorToENU: Quaternion? { filter.findings.sensorToMagneticENU ?? filter.findings.sensorToLevel }

    /// 1-sigma of roll and pitch, radians.
    public var tiltSigmaRadians: Double { filter.findings.tiltSigma }

    /// 1-sigma of the magnetic heading, radians; `nil` without a magnetometer.
    public var magneticHeadingSigmaRadians: Double? {
        filter.findings.levelToMagnetic == nil ? nil : filter.findings.magneticHeadingSigma
    }
}
