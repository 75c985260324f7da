import Glibc
import PoseMath

/// The place that is published, with its variance before the innovations scale it.
struct PublishedPlace: Sendable {
    /// The state at that place.
    var state: NavigationState
    /// Variance of the place, east, north, up, m2.
    var variance: Vector3
}

/// What the published place is the place of, and at which time.
///
/// Where: an arm of a few centimetres is not found as accurately as the receiver measures. So there are two hypotheses:
/// the antenna is anywhere on the car, and the place is that of the IMU, or it is beside the IMU, as in one housing,
/// and the place is that of the antenna. When: the clocks of IMU and receiver agree, or one of them is early, or the
/// receiver is late. A clock shifts position and velocity alike, a receiver that is late filters the velocity more.
/// Each hypothesis has a place and a variance, and what is published is their mean.
extension NavigationFilter {
    /// The published place.
    /// docs/math.md, eq. 5.22.
    ///
    /// - Parameters:
    ///   - isAntennaTold: whether the settings state the place of the antenna.
    ///   - isLagTold: whether they state the receiver's lag: then every other one is the clock's.
    mutating func publishedPlace(isAntennaTold: Bool, isLagTold: Bool) -> PublishedPlace {
        let place = place(isAntennaTold: isAntennaTold, isLagTold: isLagTold)
        var published = PublishedPlace(state: state, variance: place.variance)
        published.state.move(byENU: place.offset)
        published.state.turnBack(seconds: place.setBackSeconds)
        return published
    }

    private mutating func place(isAntennaTold: Bool, isLagTold: Bool) -> HypotheticalPlace {
        guard !isAntennaTold else { return place(isBeside: false, swingLag: 0, isLagTold: isLagTold) }
        let arm = (state.antennaArmMeters * state.antennaArmMeters).sum().squareRoot()
        let imu = place(isBeside: false, swingLag: Tuning.Antenna.swingLagPerMeter * arm, isLagTold: isLagTold)
        let antenna = place(isBeside: true, swingLag: 0, isLagTold: isLagTold)
        return imu.mean(with: antenna, share: antennaArm.probabilityOfBeside)
    }

    /// The place of the IMU, or of an antenna beside it.
    ///
    /// - Parameter swingLag: a lag up to this, either way, may come from an error of the arm and is left out; seconds.
    private mutating func place(isBeside: Bool, swingLag: Double, isLagTold: Bool) -> HypotheticalPlace {
        let free = PlaceHypothesis(covariance: &covariance, state: state, isBeside: isBeside, doClocksAgree: false)
        func beyondSwing(_ lag: Double) -> Double { lag - min(max(lag, -swingLag), swingLag) }
        let lag = beyondSwing(state.positionLagSeconds + free.change(of: Self.lagRow, in: &covariance))
        let variance = max(free.variance(of: Self.lagRow, in: &covariance), 0)
        let shifted = place(under: free, isBeside: isBeside, lag: lag, sigma: variance.squareRoot())
        guard !isLagTold else { return shifted }
        let late = place(under: free, isBeside: isBeside, lag: 0, sigma: 0)
        let agreed = PlaceHypothesis(covariance: &covariance, state: state, isBeside: isBeside, doClocksAgree: true)
        let near = beyondSwing(state.positionLagSeconds + agreed.change(of: Self.lagRow, in: &covariance))
        let together = place(under: agreed, isBeside: isBeside, lag: near, sigma: Tuning.GNSS.usualLag)
        let other = late.mean(with: shifted, share: clockProbability(lag: lag, variance: variance))
        return other.mean(with: together, share: Self.agreementProbability(lag: lag, variance: variance))
    }

    /// The place at a receiver's stamp under a hypothesis.
    ///
    /// - Parameters:
    ///   - lag: difference of the clocks, seconds, and its 1-sigma.
    private mutating func place(
        under hypothesis: PlaceHypothesis, isBeside: Bool, lag: Double, sigma: Double
    ) -> HypotheticalPlace {
        var place = HypotheticalPlace()
        let axes = state.vehicleToENU.matrix
        for axis in 0..<3 {
            var row = ObservationRow()
            row.add(.position[axis], 1)
            if isBeside {
                row.add(.antennaArm.x, axes[axis, 0])
                row.add(.antennaArm.y, axes[axis, 1])
            }
            place.offset[axis] = hypothesis.change(of: row, in: &covariance)
            if lag != 0 { row.add(.positionLag, -state.velocityENU[axis]) }
            place.variance[axis] =
                max(hypothesis.variance(of: row, in: &covariance), 0) + Self.unseenVariance(overLag: lag)
        }
        if isBeside {
            place.offset += axes * Vector3(state.antennaArmMeters.x, state.antennaArmMeters.y, 0)
        }
        place.offset += state.stampOffset(lag: lag)
        place.setBackSeconds = NavigationState.stampSeconds(lag: lag, sigma: sigma)
        return place
    }

    /// Variance of what a vehicle may have moved since the last samples of an IMU whose clock is late, on each axis,
    /// m2: its acceleration is a random walk.
    /// docs/math.md, eq. 3.4.
    static func unseenVariance(overLag lag: Double) -> Double {
        let seconds = max(-lag, 0)
        let squared = seconds * seconds * Tuning.GNSS.unseenAccelerationWalk
        return 0.25 * squared * squared * (Tuning.Delay.accelerationSeconds / 2 + seconds / 5)
    }

    /// The probability that the clocks agree and the receiver has the lag of any other.
    /// docs/math.md, eq. 5.23.
    private static func agreementProbability(lag: Double, variance: Double) -> Double {
        let wide = Tuning.GNSS.clockSigma * Tuning.GNSS.clockSigma + variance
        let near = Tuning.GNSS.agreeingClockSigma * Tuning.GNSS.agreeingClockSigma + variance
        let odds =
            Tuning.GNSS.agreementProbability / (1 - Tuning.GNSS.agreementProbability) * (wide / near).squareRoot()
            * exp(-0.5 * lag * lag * (1 / near - 1 / wide))
        return odds / (1 + odds)
    }

    /// The probability that a lag of the position is a difference of the clocks, and not a receiver that is late.
    /// docs/math.md, eq. 5.23.
    private mutating func clockProbability(lag: Double, variance: Double) -> Double {
        // A receiver cannot be early.
        guard lag > 0 else { return 1 }
        func below(_ limit: Double, _ value: Double, variance: Double) -> Double {
            0.5 * erfc((value - limit) / max(2 * variance, 1e-12).squareRoot())
        }
        var difference = ObservationRow()
        difference.add(.velocityTimeConstant, 1)
        difference.add(.positionLag, -1)
        return below(Tuning.GNSS.largestClockLag, lag, variance: variance)
            * below(
                Tuning.GNSS.largestUnfilteredLag, state.velocityTimeConstantSeconds - lag,
                variance: covariance.variance(of: difference))
    }

    private static var lagRow: ObservationRow {
        var row = ObservationRow()
        row.add(.positionLag, 1)
        return row
    }
}

/// The place under a hypothesis, as the way from the place of the filter's state.
private struct HypotheticalPlace {
    /// From the place of the state, east, north, up, metres.
    var offset = Vector3.zero
    /// Time by which velocity and attitude are to be set back, seconds.
    var setBackSeconds = 0.0
    /// Variance, east, north, up, m2.
    var variance = Vector3.zero

    /// The mean with another place, which has the probability `share`. Velocity and attitude are those of the more
    /// probable one.
    /// docs/math.md, eq. 5.22.
    func mean(with other: HypotheticalPlace, share: Double) -> HypotheticalPlace {
        let apart = other.offset - offset
        return HypotheticalPlace(
            offset: offset + apart * share, setBackSeconds: share < 0.5 ? setBackSeconds : other.setBackSeconds,
            variance: variance * (1 - share) + other.variance * share + apart * apart * (share * (1 - share)))
    }
}

/// What becomes of the estimate if the antenna is beside the IMU, or the clocks agree: the update of the filter by that
/// knowledge, for the rows that are asked for, without carrying it out.
/// docs/math.md, eq. 5.24.
private struct PlaceHypothesis {
    /// What is known: up to three scalar states that are about zero.
    private var indices = (0, 0, 0)
    private var values = Vector3.zero
    /// Inverse of the innovation's covariance; zero for what is not known.
    private var inverse = Matrix<3, 3>()

    init(covariance: inout Covariance, state: NavigationState, isBeside: Bool, doClocksAgree: Bool) {
        indices = (FilterState.antennaArm.x.index, FilterState.antennaArm.y.index, FilterState.positionLag.index)
        values = Vector3(state.antennaArmMeters.x, state.antennaArmMeters.y, state.positionLagSeconds)
        // What takes a variance from that of the wide hypothesis to that of the narrow one.
        func own(_ wide: Double, _ near: Double, _ isKnown: Bool) -> Double {
            isKnown ? wide * wide * near * near / (wide * wide - near * near) : 0
        }
        let arm = own(Tuning.Antenna.unknownSigma, Tuning.Antenna.besideSigma, isBeside)
        let clock = own(Tuning.GNSS.clockSigma, Tuning.GNSS.agreeingClockSigma, doClocksAgree)
        var p = Matrix<3, 3>()
        for i in 0..<3 { for j in 0..<3 { p[i, j] = covariance[index(i), index(j)] } }
        p[0, 0] += arm
        p[1, 1] += arm
        p[2, 2] += clock
        inverse = Self.inverse(of: p, rows: (isBeside, isBeside, doClocksAgree))
    }

    private func index(_ k: Int) -> Int { k == 0 ? indices.0 : k == 1 ? indices.1 : indices.2 }

    /// Inverse of the part of a symmetric matrix with the chosen rows, zero elsewhere, by elimination.
    private static func inverse(of matrix: Matrix<3, 3>, rows: (Bool, Bool, Bool)) -> Matrix<3, 3> {
        var (left, right) = (matrix, Matrix<3, 3>.identity)
        func isChosen(_ k: Int) -> Bool { k == 0 ? rows.0 : k == 1 ? rows.1 : rows.2 }
        for i in 0..<3 {
            for j in 0..<3 where !isChosen(i) || !isChosen(j) { left[i, j] = i == j ? 1 : 0 }
            if !isChosen(i) { right[i, i] = 0 }
        }
        for k in 0..<3 {
            let pivot = 1 / left[k, k]
            for j in 0..<3 { (left[k, j], right[k, j]) = (left[k, j] * pivot, right[k, j] * pivot) }
            for i in 0..<3 where i != k {
                let factor = left[i, k]
                for j in 0..<3 {
                    left[i, j] -= factor * left[k, j]
                    right[i, j] -= factor * right[k, j]
                }
            }
        }
        return right
    }

    /// Change of what a row observes.
    func change(of row: ObservationRow, in covariance: inout Covariance) -> Double {
        -shared(row, in: &covariance).dot(inverse * values)
    }

    /// Its variance then.
    func variance(of row: ObservationRow, in covariance: inout Covariance) -> Double {
        let shared = shared(row, in: &covariance)
        return covariance.variance(of: row) - shared.dot(inverse * shared)
    }

    /// Covariance of what a row observes with the three states.
    private func shared(_ row: ObservationRow, in covariance: inout Covariance) -> Vector3 {
        var sum = Vector3.zero
        for k in 0..<row.count {
            let (element, value) = row[k]
            let shared = Vector3(
                covariance[element, indices.0], covariance[element, indices.1], covariance[element, indices.2])
            sum += shared * value
        }
        return sum
    }
}
