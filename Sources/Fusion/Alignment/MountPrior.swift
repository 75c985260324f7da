import PoseMath

/// What is known of the mount before the drive has shown it, and whether the drive agrees.
///
/// A prior comes from the settings, from an earlier drive, or from the filter that ran until a moment ago. A filter
/// that begins with one is on probation: until the felt accelerations have shown the same heading for a while, a
/// contradiction drops the prior, and the mount is found anew.
struct MountPrior: Sendable {
    /// The prior; `nil` where there is none, or where it was contradicted.
    private(set) var prior: MountEstimate?
    /// How often a prior was dropped because gravity or the drive contradicted it.
    private(set) var contradictionCount: UInt64 = 0
    /// Whether the mount of the settings was contradicted.
    private(set) var isConfiguredRefused = false
    /// Whether the running filter began with the prior, and nothing has confirmed it yet.
    private(set) var isUnconfirmed = false

    private var agreedSeconds = 0.0
    private var watchedSeconds = 0.0
    private var contradictedSeconds = 0.0
    private var slippingSeconds = 0.0
    private var nonholonomicCounts: (accepted: UInt32, rejected: UInt32) = (0, 0)
    private var lastTime: MonotonicTime?

    /// Begins with what the settings say.
    init(settings: FusionSettings) {
        guard settings.profile == .vehicle, let given = settings.sensorToBody else { return }
        let sigma = settings.sensorToBodySigmaRadians
        prior = MountEstimate(sensorToBody: given, sigmaBodyRadians: Vector3(repeating: sigma), origin: .configured)
    }

    /// Takes the mount of an earlier drive, unless the settings name another one.
    ///
    /// - Returns: whether it was taken.
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

    /// A filter ends though its mount was right: the next one begins with it.
    mutating func carryOver(_ mount: MountEstimate) { prior = mount }

    /// A filter has begun, with the prior or without.
    mutating func begin(withPrior: Bool) {
        isUnconfirmed = withPrior
        (agreedSeconds, watchedSeconds, contradictedSeconds, slippingSeconds) = (0, 0, 0, 0)
        nonholonomicCounts = (0, 0)
        lastTime = nil
    }

    /// Drops the prior: it is not true.
    mutating func contradict() {
        if prior?.origin == .configured { isConfiguredRefused = true }
        prior = nil
        isUnconfirmed = false
        contradictionCount += 1
    }

    /// Takes how far the heading that was felt is from the filter's, where it is known.
    ///
    /// - Parameters:
    ///   - difference: radians, with its 1-sigma.
    ///   - nonholonomic: the record of the wheels that do not slip.
    ///   - time: of the fix.
    /// - Returns: whether the prior is contradicted for good.
    mutating func judge(
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
