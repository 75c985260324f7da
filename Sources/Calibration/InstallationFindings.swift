import Glibc
import PoseMath

/// What a drive shows of an installation, for a verdict.
public struct InstallationFindings: Hashable, Sendable {
    /// The mount of the IMU.
    public struct Mount: Hashable, Sendable {
        /// Rotation from sensor to body axes.
        public var sensorToBody: Quaternion
        /// 1-sigma about the body's axes, radians.
        public var sigmaBodyRadians: Vector3
        /// Whether this drive has found it; else it is from settings or an earlier drive, and not confirmed.
        public var isFound: Bool

        /// A mount.
        public init(sensorToBody: Quaternion, sigmaBodyRadians: Vector3, isFound: Bool) {
            (self.sensorToBody, self.sigmaBodyRadians, self.isFound) = (sensorToBody, sigmaBodyRadians, isFound)
        }

        /// Roll, pitch and yaw of the rotation (yaw first), degrees, as in `status`.
        var rollPitchYawDegrees: [Double] {
            let q = sensorToBody
            let pitch = asin(min(max(2 * (q.w * q.y - q.z * q.x), -1), 1))
            let roll = atan2(2 * (q.w * q.x + q.y * q.z), 1 - 2 * (q.x * q.x + q.y * q.y))
            let yaw = atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z))
            return [roll, pitch, yaw].map { $0 * 180 / .pi }
        }
    }

    /// The place of the antenna from the IMU.
    public struct Antenna: Hashable, Sendable {
        /// Forward and left, metres.
        public var meters: SIMD2<Double>
        /// 1-sigma of them, metres.
        public var sigmaMeters: SIMD2<Double>

        /// A place.
        public init(meters: SIMD2<Double>, sigmaMeters: SIMD2<Double>) {
            (self.meters, self.sigmaMeters) = (meters, sigmaMeters)
        }
    }

    /// Lags of the receiver, seconds, with their 1-sigma.
    public struct Lags: Hashable, Sendable {
        /// Of the position.
        public var positionSeconds: Double
        /// 1-sigma of it.
        public var positionSigmaSeconds: Double
        /// Of the velocity.
        public var velocitySeconds: Double
        /// 1-sigma of it.
        public var velocitySigmaSeconds: Double

        /// Lags.
        public init(
            positionSeconds: Double, positionSigmaSeconds: Double, velocitySeconds: Double, velocitySigmaSeconds: Double
        ) {
            (self.positionSeconds, self.positionSigmaSeconds) = (positionSeconds, positionSigmaSeconds)
            (self.velocitySeconds, self.velocitySigmaSeconds) = (velocitySeconds, velocitySigmaSeconds)
        }
    }

    /// Scale and lag of the wheel speed, with their 1-sigma.
    public struct Wheels: Hashable, Sendable {
        /// True speed over the stated one.
        public var scale: Double
        /// 1-sigma of it.
        public var scaleSigma: Double
        /// Lag, seconds.
        public var lagSeconds: Double
        /// 1-sigma of it, seconds.
        public var lagSigmaSeconds: Double

        /// A calibration.
        public init(scale: Double, scaleSigma: Double, lagSeconds: Double, lagSigmaSeconds: Double) {
            (self.scale, self.scaleSigma) = (scale, scaleSigma)
            (self.lagSeconds, self.lagSigmaSeconds) = (lagSeconds, lagSigmaSeconds)
        }
    }

    /// The mount; `nil` if it is not known.
    public var mount: Mount?
    /// The antenna; `nil` if nothing is known of it.
    public var antenna: Antenna?
    /// The lags; `nil` while the filter does not run.
    public var lags: Lags?
    /// The wheels; `nil` without, and before they are calibrated.
    public var wheels: Wheels?
    /// Whether the drive has contradicted the mount of the settings.
    public var isConfiguredMountRefused = false
    /// Whether the motion fits a vehicle.
    public var doesProfileFit = true

    /// Largest 1-sigma of the mount about forward, left and up, degrees.
    static let (largestTilt, largestYaw) = (1.0, 0.5)
    /// Largest 1-sigma of the antenna's place, metres: as for the next drive.
    static let largestAntenna = 0.3
    /// Largest 1-sigma of a lag, seconds.
    static let largestLag = 0.1
    /// Largest 1-sigma of the scale of the wheels.
    static let largestScale = 0.01

    /// Nothing known.
    public init() {}

    /// Values, checks and notes.
    public func report() -> CalibrationReport {
        var values: [CalibrationValue] = []
        var checks: [CalibrationCheck] = []
        describeMount(&values, &checks)
        if let antenna {
            values.append(CalibrationValue("antenna_forward_left_m", [antenna.meters.x, antenna.meters.y]))
            values.append(CalibrationValue("antenna_sigma_m", [antenna.sigmaMeters.x, antenna.sigmaMeters.y]))
        }
        if let lags {
            values.append(CalibrationValue("position_lag_s", [lags.positionSeconds]))
            values.append(CalibrationValue("velocity_lag_s", [lags.velocitySeconds]))
            values.append(CalibrationValue("lag_sigma_s", [lags.positionSigmaSeconds, lags.velocitySigmaSeconds]))
        }
        if let wheels {
            values.append(CalibrationValue("wheel_scale", [wheels.scale, wheels.scaleSigma]))
            values.append(CalibrationValue("wheel_lag_s", [wheels.lagSeconds, wheels.lagSigmaSeconds]))
        }
        describeRest(&checks)
        return CalibrationReport(values: values, checks: checks, notes: notes)
    }

    private func describeMount(_ values: inout [CalibrationValue], _ checks: inout [CalibrationCheck]) {
        var sigma = mount.map { $0.sigmaBodyRadians * (180 / .pi) } ?? Vector3(repeating: .infinity)
        for axis in 0..<3 where !sigma[axis].isFinite { sigma[axis] = .infinity }
        if let mount {
            values.append(CalibrationValue("mount_roll_pitch_yaw_deg", mount.rollPitchYawDegrees))
            values.append(CalibrationValue("mount_sigma_deg", sigma.list))
            let m = mount.sensorToBody.matrix
            values += (0..<3).map { CalibrationValue("sensor_to_body_row_\($0 + 1)", m.row($0).list) }
        }
        let drive = "drive some minutes with turns, braking and 40 km/h or more, under open sky"
        checks += [
            CalibrationCheck(
                "mount found on this drive", mount?.isFound == true ? 1 : 0, "", .atLeast(1), remedy: drive),
            CalibrationCheck(
                "sigma of the mount's tilt", max(sigma.x, sigma.y), "deg", .atMost(Self.largestTilt), remedy: drive),
            CalibrationCheck(
                "sigma of the mount's heading", sigma.z, "deg", .atMost(Self.largestYaw), remedy: drive),
        ]
        if isConfiguredMountRefused {
            checks.append(
                CalibrationCheck(
                    "mount of the settings", 0, "", .atLeast(1),
                    remedy: "the drive contradicts fusion.sensor_to_body: remove it, or write the rows found here"))
        }
        if !doesProfileFit {
            checks.append(
                CalibrationCheck(
                    "motion of a vehicle", 0, "", .atLeast(1),
                    remedy: "the body slips sideways as no vehicle does: fix the IMU to the vehicle, or set profile"))
        }
    }

    private func describeRest(_ checks: inout [CalibrationCheck]) {
        checks.append(
            CalibrationCheck(
                "sigma of the antenna's place", antenna.map { $0.sigmaMeters.max() } ?? .infinity, "m",
                .atMost(Self.largestAntenna), remedy: "drive ten turns or more, a roundabout for example"))
        let worst = lags.map { max($0.positionSigmaSeconds, $0.velocitySigmaSeconds) } ?? .infinity
        checks.append(
            CalibrationCheck(
                "sigma of the lags", worst, "s", .atMost(Self.largestLag),
                remedy: "brake and accelerate firmly some times, at 30 km/h or more"))
        if let wheels {
            checks.append(
                CalibrationCheck(
                    "sigma of the wheels' scale", wheels.scaleSigma, "", .atMost(Self.largestScale),
                    remedy: "drive straight on for some minutes"))
        }
    }

    private var notes: [String] {
        wheels == nil ? ["no wheel speed, or it is not calibrated yet"] : []
    }
}
