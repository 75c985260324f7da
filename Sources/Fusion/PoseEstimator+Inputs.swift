import Geodesy
import Measurements
import PoseMath

/// Input checks: physical ranges and the order of time. Comparisons are written so that NaN fails.
extension PoseEstimator {
    /// Whether an IMU sample is valid; counts the reason where it is not.
    mutating func accept(_ sample: InertialSample) -> Bool {
        guard sample.angularRateRadiansPerSecond.isFinite, sample.specificForceMetersPerSecondSquared.isFinite else {
            rejections.inertialNotFinite += 1
            return false
        }
        let largestRate =
            traits.isFastened ? Tuning.Input.largestRateVehicle : Tuning.Input.largestRateWearable
        guard sample.angularRateRadiansPerSecond.length <= largestRate,
            sample.specificForceMetersPerSecondSquared.length <= Tuning.Input.largestForce
        else {
            rejections.inertialOutOfRange += 1
            return false
        }
        guard !isFromBeforeSuspension(sample.time) else {
            rejections.beforeSuspension += 1
            return false
        }
        if let last = lastSample, sample.time <= last.time {
            rejections.inertialTimeBackwards += 1
            return false
        }
        return true
    }

    /// The fix without its unusable parts, or `nil` where nothing remains; counts the reasons.
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
            !(sigma >= Tuning.Input.leastSigma && sigma * 2.0.squareRoot() < settings.worstUsableFixSigmaMeters)
        {
            rejections.fixPoorAccuracy += 1
            return nil
        }
        guard fix.validityTime <= fix.arrivalTime,
            fix.arrivalTime.seconds(since: fix.validityTime) < Tuning.Input.longestDelaySeconds
        else {
            rejections.fixTimeInvalid += 1
            return nil
        }
        fixLatenessSeconds = fix.arrivalTime.seconds(since: fix.validityTime)
        guard !isReceiverTooLate else {
            rejections.fixTooLate += 1
            return nil
        }
        return withoutNonsense(fix)
    }

    /// Whether a valid fix is used; counts the reason where it is not.
    mutating func canUse(_ fix: GnssFix) -> Bool {
        isReceiverInterfered = fix.isInterfered
        if fix.isInterfered {
            rejections.fixInterfered += 1
            // The filter records the veto. Without a filter, a jammed receiver must not start anything.
            if isNavigating, hasFreshSample(at: fix.arrivalTime) { _ = insert(fix) }
            return false
        }
        // The filter puts a late fix where it belongs. Without it, what follows the last fix must not become older.
        guard !isNavigating, let lastFix, fix.validityTime <= lastFix.validityTime else { return true }
        rejections.fixUnconfirmed += 1
        return false
    }

    /// Whether the last fix was too old on arrival to be used.
    public var isReceiverTooLate: Bool { fixLatenessSeconds > Tuning.Delay.longestSeconds }

    /// A fix without the parts that are not finite or out of range; counts it where there are some.
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
            usable(sigma) { $0 >= Tuning.Input.leastSigma && $0 <= Tuning.Input.largestSigma }
        }
        if let v = fix.horizontalVelocity, !(v.speedMetersPerSecond < Tuning.Input.largestSpeed) {
            fix.horizontalVelocity = nil
            dropped = true
        }
        fix.climbMetersPerSecond = usable(fix.climbMetersPerSecond) { abs($0) < Tuning.Input.largestSpeed }
        fix.verticalSigmaMeters = usableSigma(fix.verticalSigmaMeters)
        fix.speedSigmaMetersPerSecond = usableSigma(fix.speedSigmaMetersPerSecond)
        fix.climbSigmaMetersPerSecond = usableSigma(fix.climbSigmaMetersPerSecond)
        fix.geoidSeparationMeters = usable(fix.geoidSeparationMeters) { abs($0) <= Tuning.Input.largestGeoidSeparation }
        fix.magneticVariationRadians = usable(fix.magneticVariationRadians) { abs($0) <= .pi }
        fix.headingTrueRadians = usable(fix.headingTrueRadians) { abs($0) <= 2 * .pi }
        fix.headingSigmaRadians = usable(fix.headingSigmaRadians) { $0 > 0 && $0 <= .pi }
        fix.timeSigmaSeconds = usable(fix.timeSigmaSeconds) { $0 >= 0 && $0 <= Tuning.Input.longestDelaySeconds }
        if fix.mode == .twoDimensional { fix.altitudeEllipsoidMeters = nil }
        if dropped { rejections.fixPartUnusable += 1 }
        return fix
    }
}
