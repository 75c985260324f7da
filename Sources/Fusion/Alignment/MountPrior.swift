import PoseMath

/// Prior of the mount, and its confirmation by the drive.
///
/// A prior comes from the settings, from an earlier drive, or from the filter that ran before. A filter that starts
/// with one is unconfirmed: until the heading from accelerations has agreed for some time, a contradiction drops the
/// prior, and the mount is estimated without it.
struct MountPrior: Sendable {
    /// The prior; `nil` where there is none, or where it was contradicted.
    private(set) var prior: MountEstimate?
    /// Number of priors that gravity or the drive contradicted.
    private(set) var contradictionCount: UInt64 = 0
    /// Whether the mount of the settings was contradicted.
    private(set) var isConfiguredRefused = false
    /// Whether the running filter started with the prior and is not confirmed yet.
    private(set) var isUnconfirmed = false

    private var agreedSeconds = 0.0
    private var watchedSeconds = 0.0
    private var contradictedSeconds = 0.0
    private var slippingSeconds = 0.0
    private var nonholonomicCounts: (accepted: UInt32, rejected: UInt32) = (0, 0)
    private var lastTime: MonotonicTime?

    /// Starts with the mount of the settings.
    init(settings: FusionSettings) {
        guard settings.profile.traits.rollsOnWheels, let given = settings.sensorToBody else { return }
        let sigma = settings.sensorToBodySigmaRadians
        prior = MountEstimate(sensorToBody: given, sigmaBodyRadians: Vector3(repeating: sigma), origin: .configured)
    }

    /// Sets the mount of an earlier drive as prior, unless it contradicts that of the settings.
    ///
    /// - Returns: whether it was used.
    mutating func offer(_ kept: MountEstimate) -> Bool {
        guard kept.isValid else { return false }
        if let prior {
            let turn = (kept.sensorToBody * prior.sensorToBody.inverse).rotationVector.length
            let (a, b) = (prior.sigmaBodyRadians, kept.sigmaBodyRadians)
            guard turn < Tuning.Mount.gate * (a.lengthSquared + b.lengthSquared).squareRoot() else { return false }
        }
        prior = kept
        return true
    }

    /// Takes the lean of a vehicle that was not moved since the last stop: what has changed is the mount.
    /// docs/math.md, eq. 7.35.
    ///
    /// - Parameter lean: turn of the body to how it leaned then, body axes, radians.
    mutating func settle(lean: Vector3) {
        guard var mount = prior, mount.origin == .kept else { return }
        let seen = Tuning.WarmStart.leanSigma * Tuning.WarmStart.leanSigma
        let (x, y) = (mount.sigmaBodyRadians.x, mount.sigmaBodyRadians.y)
        let gain = Vector3(x * x / (x * x + seen), y * y / (y * y + seen), 0)
        let turn = Vector3(gain.x * lean.x, gain.y * lean.y, 0)
        mount.sensorToBody = (Quaternion(rotationVector: turn) * mount.sensorToBody).normalized
        mount.sigmaBodyRadians.x = (gain.x * seen).squareRoot()
        mount.sigmaBodyRadians.y = (gain.y * seen).squareRoot()
        prior = mount
    }

    /// Carries the mount of a stopped filter over to the next one.
    mutating func carryOver(_ mount: MountEstimate) { prior = mount }

    /// Restarts with a prior that outlasted a restart; without one, with that of the settings unless it is refused.
    mutating func restart(with mount: MountEstimate?, isConfiguredRefused: Bool) {
        if mount != nil || isConfiguredRefused { prior = mount }
        self.isConfiguredRefused = isConfiguredRefused
    }

    /// Resets the confirmation: a filter has started, with the prior or without.
    mutating func begin(withPrior: Bool) {
        isUnconfirmed = withPrior
        (agreedSeconds, watchedSeconds, contradictedSeconds, slippingSeconds) = (0, 0, 0, 0)
        nonholonomicCounts = (0, 0)
        lastTime = nil
    }

    /// Drops a contradicted prior.
    mutating func contradict() {
        if prior?.origin == .configured { isConfiguredRefused = true }
        prior = nil
        isUnconfirmed = false
        contradictionCount += 1
    }

    /// Updates the confirmation with the difference of the heading from accelerations and the filter's.
    ///
    /// - Parameters:
    ///   - difference: radians, with its 1-sigma.
    ///   - nonholonomic: status of the rolling constraint.
    ///   - time: of the fix.
    /// - Returns: whether the prior is contradicted.
    mutating func check(
        difference: (radians: Double, sigma: Double)?, nonholonomic: AidSourceStatus, at time: MonotonicTime
    )
        -> Bool
    {
        let seconds = lastTime.map { min(max(time.seconds(since: $0), 0), Tuning.Mount.longestFixGap) } ?? 0
        lastTime = time
        let isSlipping =
            nonholonomic.rejectedCount > nonholonomicCounts.rejected
            && nonholonomic.acceptedCount <= nonholonomicCounts.accepted
        nonholonomicCounts = (nonholonomic.acceptedCount, nonholonomic.rejectedCount)
        slippingSeconds = isSlipping ? slippingSeconds + seconds : 0
        if let difference {
            let isContradicted =
                !(abs(difference.radians) < max(Tuning.Mount.gate * difference.sigma, Tuning.Mount.leastDifference))
            contradictedSeconds = isContradicted ? contradictedSeconds + seconds : 0
            if !isContradicted { agreedSeconds += seconds }
        }
        if slippingSeconds > Tuning.Mount.slippingSeconds || contradictedSeconds > Tuning.Mount.contradictingSeconds {
            return true
        }
        if nonholonomic.acceptedCount > 0 { watchedSeconds += seconds }
        if agreedSeconds > Tuning.Mount.confirmingSeconds || watchedSeconds > Tuning.Mount.longestUnconfirmedSeconds {
            isUnconfirmed = false
        }
        return false
    }
}
