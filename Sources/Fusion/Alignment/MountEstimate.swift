import PoseMath

/// Mount of the IMU in the vehicle, with its accuracy and origin.
public struct MountEstimate: Hashable, Sendable {
    /// Origin of a mount.
    public enum Origin: UInt8, Sendable, CaseIterable {
        /// From the settings; not yet confirmed by the drive.
        case configured = 1
        /// From an earlier drive; not yet confirmed by this one.
        case kept = 2
        /// Found on this drive.
        case found = 3
    }

    /// Rotation from the sensor's axes to the body's (x forward, y left, z up).
    public var sensorToBody: Quaternion
    /// 1-sigma of a turn of it about each of the body's axes, radians.
    public var sigmaBodyRadians: Vector3
    /// Its origin.
    public var origin: Origin
    /// Place of the antenna from the IMU in the vehicle; `nil` while nothing is known of it.
    public var antenna: AntennaArm?

    /// The mount, taken as it is.
    public init(
        sensorToBody: Quaternion, sigmaBodyRadians: Vector3, origin: Origin, antenna: AntennaArm? = nil
    ) {
        self.sensorToBody = sensorToBody
        self.sigmaBodyRadians = sigmaBodyRadians
        self.origin = origin
        self.antenna = antenna
    }

    /// 1-sigma about the forward and the left axis, the worse of the two, radians.
    public var tiltSigmaRadians: Double { max(sigmaBodyRadians.x, sigmaBodyRadians.y) }

    /// Whether it is accurate enough for the next drive.
    public var isWellKnown: Bool {
        sigmaBodyRadians.z < Tuning.Mount.knownHeadingSigma && tiltSigmaRadians < Tuning.Mount.knownTiltSigma
    }

    /// The same mount on the next drive, with a larger sigma.
    /// docs/math.md, eq. 7.10.
    public var onTheNextDrive: MountEstimate {
        func grown(_ sigma: Double, _ by: Double) -> Double { (sigma * sigma + by * by).squareRoot() }
        let own = sigmaBodyRadians
        let (tilt, heading) = (Tuning.Mount.betweenDrivesTilt, Tuning.Mount.betweenDrivesHeading)
        return MountEstimate(
            sensorToBody: sensorToBody,
            sigmaBodyRadians: Vector3(grown(own.x, tilt), grown(own.y, tilt), grown(own.z, heading)), origin: .kept,
            antenna: antenna.map { known in
                let sigma = known.sigmaMeters
                return AntennaArm(
                    meters: known.meters,
                    sigmaMeters: SIMD2(
                        grown(sigma.x, Tuning.Antenna.betweenDrives), grown(sigma.y, Tuning.Antenna.betweenDrives)))
            })
    }

    /// Whether it is finite, a rotation, and has valid sigmas.
    public var isValid: Bool {
        let q = sensorToBody
        let norm = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z
        let s = sigmaBodyRadians
        func isSigma(_ value: Double) -> Bool { value > 0 && value <= .pi }
        return (antenna?.isValid ?? true) && abs(norm - 1) < 1e-6 && isSigma(s.x) && isSigma(s.y) && isSigma(s.z)
    }
}
