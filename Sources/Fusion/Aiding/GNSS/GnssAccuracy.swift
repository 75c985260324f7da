import Measurements

/// 1-sigma of an error that no receiver states and no fix shows, metres.
struct UnstatedError: Sendable, Equatable {
    var horizontal = 0.0
    var vertical = 0.0
}

/// A stated accuracy, split into the white error of each fix and the GNSS bias, which is correlated over a minute.
///
/// Most of a receiver's error is correlated over many epochs (atmosphere, multipath, its own filter). Treated as white
/// it would be averaged away, and the covariance would become far too small.
struct GnssAccuracy {
    /// White error of each horizontal axis, 1-sigma, metres.
    var horizontalWhite: Double
    /// GNSS bias of each horizontal axis, 1-sigma, metres.
    var horizontalBias: Double
    /// White error of the height, 1-sigma, metres.
    var verticalWhite: Double
    /// GNSS bias of the height, 1-sigma, metres.
    var verticalBias: Double
    /// What the place and the height may be wrong by beside all that, because the receiver does not state how good they
    /// are, 1-sigma, metres. It is published, and no fix shows it.
    let unstated: UnstatedError

    /// Splits the stated sigmas of a fix, or the usual ones of its kind of solution.
    /// docs/math.md, eq. 5.2.
    init(of fix: GnssFix) {
        let least = fix.quality == .rtkFloat ? Tuning.GNSS.floatSolutionSigma : Tuning.GNSS.leastStatedSigma
        let whole = fix.horizontalSigmaMeters ?? Self.unstatedHorizontalSigma(of: fix.quality)
        let h = max(fix.horizontalSigmaMeters ?? min(whole, Tuning.GNSS.usualHorizontalSigma), least)
        let v = max(fix.verticalSigmaMeters ?? Tuning.GNSS.verticalRatio * h, Tuning.GNSS.verticalRatio * least)
        let hidden = max(whole * whole - h * h, 0).squareRoot()
        unstated = UnstatedError(
            horizontal: fix.horizontalSigmaMeters == nil ? hidden : 0,
            vertical: fix.horizontalSigmaMeters == nil && fix.verticalSigmaMeters == nil
                ? Tuning.GNSS.verticalRatio * hidden : 0)
        horizontalWhite = max(Tuning.GNSS.whiteShare * h, Tuning.GNSS.leastHorizontalWhiteSigma)
        // Both parts together are the stated variance, unless the least white part is larger.
        horizontalBias = max(
            h * h - horizontalWhite * horizontalWhite, Tuning.GNSS.leastBiasVarianceShare * h * h
        )
        .squareRoot()
        verticalWhite = max(Tuning.GNSS.whiteShare * v, Tuning.GNSS.leastVerticalWhiteSigma)
        // The least white part of the height is the body's bounce, which no receiver states. It does not reduce the
        // GNSS bias.
        verticalBias = v
    }

    /// Whether a speed is more than its error, metres per second.
    static func isMotion(_ speed: Double, sigma: Double) -> Bool {
        speed > max(Tuning.Mount.standingSpeed, Tuning.Mount.standingSigmas * sigma)
    }

    /// Horizontal 1-sigma of a fix that states none, metres. Resolved ambiguities are not found with an error of
    /// metres; whoever reports the solution has tested that.
    /// docs/math.md, eq. 5.2.
    static func unstatedHorizontalSigma(of quality: FixQuality) -> Double {
        switch quality {
        case .rtkFixed: Tuning.GNSS.unstatedFixedSigma
        case .rtkFloat: Tuning.GNSS.unstatedFloatSigma
        default: Tuning.GNSS.unstatedHorizontalSigma
        }
    }
}
