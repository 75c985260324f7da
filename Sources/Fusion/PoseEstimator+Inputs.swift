import Geodesy
import Measurements
import PoseMath

/// The gate in front of the filters: physical ranges and the order of time. Comparisons are written so that NaN fails.
extension PoseEstimator {
    /// Largest believable rate of turn, rad/s: of a hand 4,000 deg/s and a little, of a vehicle (vibration included)
    /// twice what throws it on its roof.
    private static let largestAngularRate = (wearable: 80.0, vehicle: 20.0)
    /// Largest believable specific force, m/s2: 32 g.
    private static let largestSpecificForce = 320.0
    /// Largest believable speed, m/s.
    private static let largestSpeed = 600.0

    /// Whether an IMU sample may be used; counts why not.
    mutating func accept(_ sample: InertialSample) -> Bool {
        guard sample.angularRateRadiansPerSecond.isFinite, sample.specificForceMetersPerSecondSquared.isFinite else {
            rejections.inertialNotFinite += 1
            return false
        }
        let largestRate =
            settings.profile == .vehicle ? Self.largestAngularRate.vehicle : Self.largestAngularRate.wearable
        guard sample.angularRateRadiansPerSecond.length <= largestRate,
            sample.specificForceMetersPerSecondSquared.length <= Self.largestSpecificForce
        else {
            rejections.inertialOutOfRange += 1
            return false
        }
        if let last = lastSample, sample.time <= last.time {
            rejections.inertialTimeBackwards += 1
            return false
        }
        return true
    }

    /// The fix with all that is unusable taken out, or `nil` where nothing is left; counts why.
    mutating func accept(_ fix: GnssFix) -> GnssFix? {
        guard fix.mode != .none, let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians else {
            rejections.fixWithoutPosition += 1
            return nil
        }
        guard fix.quality != .notMeasured, fix.quality != .deadReckoning else {
            rejections.fixNotMeasured += 1
            return nil
        }
        guard
            GeodeticPosition(
                latitudeRadians: latitude, longitudeRadians: longitude,
                altitudeEllipsoidMeters: fix.altitudeEllipsoidMeters ?? 0
            )
            .isValid
        else {
            rejections.fixOutOfRange += 1
            return nil
        }
        if let sigma = fix.horizontalSigmaMeters,
            !(sigma >= Self.smallestSigma && sigma < settings.worstUsableFixSigmaMeters)
        {
            rejections.fixPoorAccuracy += 1
            return nil
        }
        guard fix.validityTime <= fix.arrivalTime, fix.arrivalTime.seconds(since: fix.validityTime) < 30 else {
            rejections.fixTimeInvalid += 1
            return nil
        }
        return withoutNonsense(fix)
    }

    /// Smallest sigma that is believed, metres or m/s: a tenth of what the best receivers reach. Smaller ones are no
    /// numbers of a receiver.
    private static let smallestSigma = 1e-4
    /// Largest sigma that is taken for one, metres or m/s.
    private static let largestSigma = 1e4
    /// Largest separation of geoid and ellipsoid, metres: anywhere on Earth it is about half of this.
    private static let largestGeoidSeparation = 200.0

    private mutating func withoutNonsense(_ fix: GnssFix) -> GnssFix {
        var fix = fix
        var dropped = false
        func usable(_ value: Double?, _ isUsable: (Double) -> Bool) -> Double? {
            guard let value else { return nil }
            if isUsable(value) { return value }
            dropped = true
            return nil
        }
        func usableSigma(_ sigma: Double?) -> Double? {
            usable(sigma) { $0 >= Self.smallestSigma && $0 <= Self.largestSigma }
        }
        if let v = fix.horizontalVelocity, !(v.speedMetersPerSecond < Self.largestSpeed) {
            fix.horizontalVelocity = nil
            dropped = true
        }
        fix.climbMetersPerSecond = usable(fix.climbMetersPerSecond) { abs($0) < Self.largestSpeed }
        fix.verticalSigmaMeters = usableSigma(fix.verticalSigmaMeters)
        fix.speedSigmaMetersPerSecond = usableSigma(fix.speedSigmaMetersPerSecond)
        fix.climbSigmaMetersPerSecond = usableSigma(fix.climbSigmaMetersPerSecond)
        fix.geoidSeparationMeters = usable(fix.geoidSeparationMeters) { abs($0) <= Self.largestGeoidSeparation }
        fix.magneticVariationRadians = usable(fix.magneticVariationRadians) { abs($0) <= .pi }
        if fix.mode == .twoDimensional { fix.altitudeEllipsoidMeters = nil }
        if dropped { rejections.fixPartUnusable += 1 }
        return fix
    }
}
