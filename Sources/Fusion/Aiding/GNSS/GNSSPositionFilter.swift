import Geodesy
import Glibc
import Measurements
import PoseMath

/// The best position that fixes alone give: carried on by the receiver's velocity, or held while the body stands.
///
/// For the time before the heading is known, and for drives without an IMU. Each axis is a Kalman filter of two states,
/// position and the GNSS bias (a first-order Gauss-Markov process), so that a minute of
/// standing tells more than one fix does, and no more than it can.
struct GNSSPositionFilter: Sendable {
    /// One axis: its variances, the states themselves being kept together.
    struct Axis: Sendable, Equatable {
        /// Variance of the position, m2.
        var position = 0.0
        /// Covariance of position and GNSS bias, m2.
        var both = 0.0
        /// Variance of the GNSS bias, m2.
        var bias = 0.0

        /// One fix: all of its GNSS bias is in the position.
        init(slow: Double, fast: Double) {
            position = slow * slow + fast * fast
            both = -slow * slow
            bias = slow * slow
        }

        /// docs/math.md, eq. 7.8.
        fileprivate mutating func predict(factor: Double, slow: Double, motion: Double) {
            position += motion
            both *= factor
            bias = bias * factor * factor + (1 - factor * factor) * slow * slow
        }

        /// Gains of position and GNSS bias for an observation of their sum.
        /// docs/math.md, eq. 7.9.
        fileprivate mutating func observe(fast: Double) -> (position: Double, bias: Double) {
            let sum = innovationVariance(fast: fast)
            let (kp, kb) = ((position + both) / sum, (both + bias) / sum)
            let (pp, pb) = (position + both, both + bias)
            position -= kp * pp
            both -= kp * pb
            bias -= kb * pb
            return (kp, kb)
        }

        fileprivate func innovationVariance(fast: Double) -> Double { position + 2 * both + bias + fast * fast }
    }

    /// Where the antenna is.
    private(set) var position: GeodeticPosition
    /// Slow error of the receiver's position, east, north, up, metres.
    private(set) var biasENU = Vector3.zero
    /// Variances of the horizontal axes, alike for both.
    private(set) var horizontal: Axis
    /// Variances of the height.
    private(set) var vertical: Axis
    private var time: MonotonicTime
    private var velocity: Vector3?
    /// Whether the last fix lay where nothing can have got to, and was passed over.
    private var isInterrupted = false
    private let quality: FixQuality

    /// Fixes further apart than this have nothing to do with each other, seconds.
    private static let longestGapSeconds = 5.0
    /// For so long the velocity before stands in for one that a fix leaves out, seconds.
    private static let missingVelocitySeconds = 0.6
    /// Nothing moves faster, m/s.
    private static let largestSpeed = 600.0
    /// Gate for a fix that the motion does not explain, sigmas.
    private static let gate = 4.0
    /// Drift of a body that stands, m/sqrt(s).
    private static let stillDrift = 0.02
    /// What a velocity once a second leaves open of the way between, m/s per s.
    private static let unseenAcceleration = 0.5

    /// Begins at a fix; `nil` where that has no position.
    init?(fix: GnssFix) {
        guard let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians else { return nil }
        position = GeodeticPosition(
            latitudeRadians: latitude, longitudeRadians: longitude,
            altitudeEllipsoidMeters: fix.altitudeEllipsoidMeters ?? 0)
        let accuracy = GnssAccuracy(of: fix)
        horizontal = Axis(slow: accuracy.horizontalSlow, fast: accuracy.horizontalFast)
        vertical = Axis(slow: accuracy.verticalSlow, fast: accuracy.verticalFast)
        time = fix.validityTime
        velocity = Self.velocity(of: fix)
        quality = fix.quality
    }

    /// Takes the next fix; passes over one that is late; begins anew at one that comes after a gap, is of another kind,
    /// or lies where the motion cannot have led; passes over a single one that lies where nothing can have got to.
    /// docs/math.md, eq. 7.7.
    ///
    /// - Parameters:
    ///   - isStill: whether the body has stood since the last one.
    ///   - correlationSeconds: of the GNSS bias.
    ///   - velocityLagSeconds: by how much the receiver's velocity is late.
    mutating func update(_ fix: GnssFix, isStill: Bool, correlationSeconds: Double, velocityLagSeconds: Double) {
        guard let fresh = GNSSPositionFilter(fix: fix) else { return }
        let seconds = fix.validityTime.seconds(since: time)
        guard seconds > 0 else { return }
        let now = Self.velocity(of: fix) ?? (seconds < Self.missingVelocitySeconds ? velocity : nil)
        guard seconds < Self.longestGapSeconds, fix.quality == quality, let before = velocity, let now else {
            self = fresh
            return
        }
        let accuracy = GnssAccuracy(of: fix)
        guard isInterrupted || isReachable(fresh.position, within: seconds, accuracy) else {
            isInterrupted = true
            return
        }
        isInterrupted = false
        var motion = Self.stillDrift * Self.stillDrift * seconds
        if !isStill {
            let (sigma, lagSigma) = (
                fix.speedSigmaMetersPerSecond ?? Tuning.UnstatedVelocitySigma.horizontal, NoiseModel.velocityLagSigma
            )
            let unseen = Self.unseenAcceleration * seconds * seconds / 6
            // A velocity that comes late leaves the way behind by the lag times what it has changed.
            let change = now - before
            move(by: (before + now) * (0.5 * seconds) + change * velocityLagSeconds)
            motion = sigma * sigma * seconds * seconds + unseen * unseen + lagSigma * lagSigma * change.lengthSquared
        }
        let factor = exp(-seconds / correlationSeconds)
        biasENU *= factor
        horizontal.predict(factor: factor, slow: accuracy.horizontalSlow, motion: motion)
        vertical.predict(factor: factor, slow: accuracy.verticalSlow, motion: 2 * motion)
        time = fix.validityTime
        velocity = now
        observe(fresh, accuracy, hasHeight: fix.altitudeEllipsoidMeters != nil)
    }

    private func isReachable(_ place: GeodeticPosition, within seconds: Double, _ accuracy: GnssAccuracy) -> Bool {
        let offset = position.surfaceOffsetMeters(to: place)
        let distance = (offset.east * offset.east + offset.north * offset.north).squareRoot()
        return distance < Self.largestSpeed * seconds + 2 * Self.gate * accuracy.horizontalSlow
    }

    private mutating func observe(_ fresh: GNSSPositionFilter, _ accuracy: GnssAccuracy, hasHeight: Bool) {
        let offset = position.surfaceOffsetMeters(to: fresh.position)
        let (east, north) = (offset.east - biasENU.x, offset.north - biasENU.y)
        let variance = horizontal.innovationVariance(fast: accuracy.horizontalFast)
        guard east * east + north * north < Self.gate * Self.gate * 2 * variance else {
            self = fresh
            return
        }
        let gain = horizontal.observe(fast: accuracy.horizontalFast)
        var step = Vector3(gain.position * east, gain.position * north, 0)
        biasENU += Vector3(gain.bias * east, gain.bias * north, 0)
        if hasHeight {
            let up = fresh.position.altitudeEllipsoidMeters - position.altitudeEllipsoidMeters - biasENU.z
            let gain = vertical.observe(fast: accuracy.verticalFast)
            step.z = gain.position * up
            biasENU.z += gain.bias * up
        }
        move(by: step)
    }

    private mutating func move(by enu: Vector3) {
        var state = NavigationState(time: time, position: position, velocityENU: .zero, sensorToENU: .identity)
        state.move(byENU: enu)
        position = state.position
    }

    private static func velocity(of fix: GnssFix) -> Vector3? {
        fix.horizontalVelocity.map {
            Vector3($0.eastMetersPerSecond, $0.northMetersPerSecond, fix.climbMetersPerSecond ?? 0)
        }
    }
}
