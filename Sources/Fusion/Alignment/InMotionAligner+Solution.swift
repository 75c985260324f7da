import Glibc
import Measurements

/// The angle, the lag and the rate that explain the changes best.
extension InMotionAligner {
    /// How well a lag and a rate explain the changes.
    private struct Fit {
        /// Sum of squares that they leave.
        var misfit: Double
        /// Product of both changes; its angle is the turn.
        var product: Complex
        /// Power of the accelerometer's changes, m2/s2.
        var power: Double
        /// Numbers of the arm that the pairs fit.
        var armNumbers = 0.0
    }

    /// The least-squares force from a wrong level, its change with time, and the arm of an antenna that turns swing are
    /// eliminated from the sums.
    /// docs/math.md, eq. 7.43.
    ///
    /// - Parameter armWeight: of what is known of the arm before.
    private func fit(_ l: Int, _ k: Int, level: LevelForce, armWeight: Double) -> Fit {
        let (inertial, receiver) = (lags[l].inertialSum, receiverSums[k])
        let arm = lags[l].swing.reduced(
            k, level: level, inertialSum: inertial, receiverSum: receiver, known: armWeight)
        let power = lags[l].inertialPower - level.explains(inertial, inertial).real - arm.inertialPower
        let product = lags[l].products[k] + level.explains(inertial, receiver) * -1 + arm.product * -1
        let receiverPower = receiverPowers[k] - level.explains(receiver, receiver).real - arm.receiverPower
        return Fit(
            misfit: power + receiverPower - 2 * product.length, product: product, power: power,
            armNumbers: arm.fittedNumbers)
    }

    /// How well all lags and rates explain the changes.
    ///
    /// - Parameter variance: of a change of velocity, (m/s)2.
    private func eachFit(variance: Double, level: LevelForce, _ use: (_ lag: Int, _ rate: Int, Fit) -> Void) {
        let armWeight = variance / (armSigma * armSigma)
        for l in tried {
            for k in receiverSums.indices { use(l, k, fit(l, k, level: level, armWeight: armWeight)) }
        }
    }

    /// The weights of that force, from those of the pairs and of what is known of it before.
    ///
    /// - Parameter variance: of a change of velocity, (m/s)2.
    private func levelForce(variance: Double, isLevelKnown: Bool) -> LevelForce {
        let force = isLevelKnown ? Tuning.Alignment.knownLevelForceSigma : Tuning.Alignment.unknownLevelForceSigma
        // On a person, whose gait shows no small lag, there is nothing that the change of the force could be taken for.
        let drift =
            isLevelKnown || hasGait
            ? Tuning.Alignment.knownLevelDriftSigma : Tuning.Alignment.unknownLevelDriftSigma
        return LevelForce(
            known: (variance / (force * force), variance / (drift * drift)), sum: forcePower.sum,
            byAge: forcePower.byAge, byAgeSquared: forcePower.byAgeSquared)
    }

    /// What is known of the rate at which the level frame turns, rad/s, before any pair.
    private static func turn(isLevelKnown: Bool, shown: (rate: Double, sigma: Double)?) -> Turn {
        guard !isLevelKnown else { return Turn(rate: 0, sigma: Tuning.Alignment.knownTurnSigma) }
        guard let shown, shown.sigma < Tuning.Alignment.unknownTurnSigma else {
            return Turn(rate: 0, sigma: Tuning.Alignment.unknownTurnSigma)
        }
        return Turn(rate: shown.rate, sigma: shown.sigma)
    }

    /// A rate and its 1-sigma, rad/s.
    private struct Turn {
        var rate: Double
        var sigma: Double

        /// Minus twice the logarithm of the probability of a rate of the bank, up to a constant.
        func cost(_ k: Int) -> Double {
            let off = (InMotionAligner.rate(k) - rate) / sigma
            return off * off
        }
    }

    /// The mean angle and lag, weighted by how well each lag and rate explains the changes.
    /// docs/math.md, eq. 7.3.
    func solve(
        variance: Double, isLevelKnown: Bool, levelTurn: (rate: Double, sigma: Double)?
    ) -> Alignment? {
        let turn = Self.turn(isLevelKnown: isLevelKnown, shown: levelTurn)
        let level = levelForce(variance: variance, isLevelKnown: isLevelKnown)
        var best = (fit: Fit(misfit: .infinity, product: Complex(), power: 0), cost: Double.infinity, lag: 0.0)
        eachFit(variance: variance, level: level) { l, k, fit in
            let cost = fit.misfit + variance * (turn.cost(k) + priorCosts[l])
            if fit.power > 0, cost < best.cost { best = (fit, cost, Self.lagSeconds(l)) }
        }
        guard best.cost.isFinite else { return nil }
        // Two numbers for each pair, less the fitted ones: the residual is the noise, where it is larger than expected.
        let fitted = (hasGait ? 2 : 3) + level.fittedNumbers + best.fit.armNumbers
        let noise = max(variance, best.fit.misfit / max(2 * pairCount - fitted, 1))
        let strength = best.fit.product.squared
        let isUsual = best.lag <= Tuning.Alignment.usualLagSeconds
        // Some rate of an unknown bias and some lag fit most walks.
        guard isUsual || isLevelKnown || !hasGait else { return nil }
        let significance = leastSignificance + (isUsual ? 0 : Tuning.Alignment.unusualSignificance)
        guard strength > significance * noise * best.fit.power else { return nil }
        return mean(about: best.fit, variance: variance, noise: noise, level: level, turn: turn)
    }

    /// The mean over all lags and rates, each weighted by its likelihood.
    private func mean(
        about best: Fit, variance: Double, noise: Double, level: LevelForce, turn: Turn
    ) -> Alignment? {
        var (sum, rate, lag, squaredLag, total) = (Complex(), 0.0, 0.0, 0.0, 0.0)
        eachFit(variance: variance, level: level) { l, k, fit in
            let cost = (fit.misfit - best.misfit) / noise + turn.cost(k) + priorCosts[l]
            guard cost < Tuning.Alignment.largestCost, fit.product.length > 0 else { return }
            let likelihood = exp(-0.5 * cost)
            // What the receiver has seen is older than the fix: the level frame has turned on since.
            let since = Complex(turnedBy: Self.rate(k) * (Self.lagSeconds(l) + lastAge))
            sum = sum + fit.product * since * (likelihood / fit.product.length)
            rate += likelihood * Self.rate(k)
            lag += likelihood * Self.lagSeconds(l)
            squaredLag += likelihood * Self.lagSeconds(l) * Self.lagSeconds(l)
            total += likelihood
        }
        guard total > 0 else { return nil }
        let agreement = min(max(sum.length / total, Tuning.Alignment.leastAgreement), 1)
        // The noise across the accelerometer's changes turns their product with the receiver's.
        let own = noise * best.power / best.product.squared
        lag /= total
        let step = Tuning.Alignment.lagStepSeconds
        let lagVariance = max(squaredLag / total - lag * lag, 0) + step * step / 12
        return Alignment(
            radians: sum.angle, sigma: (own - 2 * log(agreement)).squareRoot(), rate: rate / total, lagSeconds: lag,
            lagSigma: lagVariance.squareRoot())
    }
}
