import Measurements
import PoseMath

/// What an earlier drive has found of sensors and receiver beside the mount, for the start of the next one.
public struct SensorPrior: Hashable, Sendable {
    /// Bias of the gyro.
    public struct GyroBias: Hashable, Sendable {
        /// Sensor axes, rad/s.
        public var radiansPerSecond: Vector3
        /// 1-sigma of each axis, rad/s.
        public var sigmaRadiansPerSecond: Vector3

        /// A bias.
        public init(radiansPerSecond: Vector3, sigmaRadiansPerSecond: Vector3) {
            (self.radiansPerSecond, self.sigmaRadiansPerSecond) = (radiansPerSecond, sigmaRadiansPerSecond)
        }

        /// Whether it is known well enough to be kept.
        public var isWellKnown: Bool { sigmaRadiansPerSecond.max() < Tuning.SensorPrior.knownGyroBiasSigma }

        /// Whether it is finite, and that of a sensor.
        public var isValid: Bool {
            let (bias, sigma) = (radiansPerSecond, sigmaRadiansPerSecond)
            return bias.length <= Tuning.SensorPrior.largestGyroBias && sigma.isFinite && sigma.min() > 0
                && sigma.max() <= Tuning.SensorPrior.largestGyroBias
        }
    }

    /// Bias of the accelerometer.
    public struct AccelerometerBias: Hashable, Sendable {
        /// Sensor axes, m/s2.
        public var metersPerSecondSquared: Vector3
        /// 1-sigma of each axis, m/s2.
        public var sigmaMetersPerSecondSquared: Vector3

        /// A bias.
        public init(metersPerSecondSquared: Vector3, sigmaMetersPerSecondSquared: Vector3) {
            self.metersPerSecondSquared = metersPerSecondSquared
            self.sigmaMetersPerSecondSquared = sigmaMetersPerSecondSquared
        }

        /// Whether it is known well enough to be kept.
        public var isWellKnown: Bool {
            sigmaMetersPerSecondSquared.max() < Tuning.SensorPrior.knownAccelerometerBiasSigma
        }

        /// Whether it is finite, and that of a sensor.
        public var isValid: Bool {
            let (bias, sigma) = (metersPerSecondSquared, sigmaMetersPerSecondSquared)
            return bias.length <= Tuning.SensorPrior.largestAccelerometerBias && sigma.isFinite && sigma.min() > 0
                && sigma.max() <= Tuning.SensorPrior.largestAccelerometerBias
        }
    }

    /// Scale and lag of a wheel speed.
    public struct Wheels: Hashable, Sendable {
        /// True speed over the stated speed, and its 1-sigma.
        public var (scale, scaleSigma): (Double, Double)
        /// Age of a reading beyond its time stamp, seconds, and its 1-sigma.
        public var (lagSeconds, lagSigmaSeconds): (Double, Double)

        /// A calibration.
        public init(scale: Double, scaleSigma: Double, lagSeconds: Double, lagSigmaSeconds: Double) {
            (self.scale, self.scaleSigma) = (scale, scaleSigma)
            (self.lagSeconds, self.lagSigmaSeconds) = (lagSeconds, lagSigmaSeconds)
        }

        /// Whether it is known well enough to be kept.
        public var isWellKnown: Bool {
            scaleSigma < Tuning.SensorPrior.knownWheelScaleSigma && lagSigmaSeconds < Tuning.Wheels.knownLagSigma
        }

        /// Whether it is that of wheels.
        public var isValid: Bool {
            scale >= Tuning.Wheels.leastScale && scale <= Tuning.Wheels.largestScale && scaleSigma > 0
                && scaleSigma <= 1 && lagSeconds.magnitude <= Tuning.Wheels.longestLagSeconds && lagSigmaSeconds > 0
                && lagSigmaSeconds <= 10
        }
    }

    /// Bias of the gyro; `nil` while it is unknown.
    public var gyroBias: GyroBias?
    /// Bias of the accelerometer; `nil` while it is unknown.
    public var accelerometerBias: AccelerometerBias?
    /// Lags of the receiver; `nil` while they are unknown.
    public var lags: LagCalibration?
    /// Scale and lag of the wheels; `nil` without a calibration.
    public var wheels: Wheels?

    /// Nothing known.
    public init() {}

    /// Whether nothing is known.
    public var isEmpty: Bool { self == SensorPrior() }

    /// The same without what is not valid.
    public var valid: SensorPrior {
        var prior = self
        if prior.gyroBias?.isValid != true { prior.gyroBias = nil }
        if prior.accelerometerBias?.isValid != true { prior.accelerometerBias = nil }
        if prior.lags?.isValid != true { prior.lags = nil }
        if prior.wheels?.isValid != true { prior.wheels = nil }
        return prior
    }

    /// The same on the next drive, with larger sigmas.
    /// docs/math.md, eq. 7.32.
    ///
    /// - Parameter kelvin: the difference of temperature to the nearest one at which the gyro bias was learned; `nil`
    ///   if it is unknown.
    public func onTheNextDrive(kelvin: Double? = nil) -> SensorPrior {
        func grown(_ sigma: Double, _ by: Double) -> Double { (sigma * sigma + by * by).squareRoot() }
        var next = self
        if let own = gyroBias?.sigmaRadiansPerSecond {
            let by =
                kelvin.map {
                    grown(Tuning.SensorPrior.betweenDrivesGyroBias, Tuning.SensorPrior.gyroBiasPerKelvin * $0)
                } ?? Tuning.SensorPrior.otherTemperatureGyroBias
            next.gyroBias?.sigmaRadiansPerSecond = Vector3(grown(own.x, by), grown(own.y, by), grown(own.z, by))
        }
        if let own = accelerometerBias?.sigmaMetersPerSecondSquared {
            let by = Tuning.SensorPrior.betweenDrivesAccelerometerBias
            next.accelerometerBias?.sigmaMetersPerSecondSquared = Vector3(
                grown(own.x, by), grown(own.y, by), grown(own.z, by))
        }
        if let lags {
            let by = Tuning.SensorPrior.betweenDrivesLag
            next.lags?.positionSigmaSeconds = grown(lags.positionSigmaSeconds, by)
            next.lags?.velocitySigmaSeconds = grown(lags.velocitySigmaSeconds, by)
        }
        if let wheels {
            next.wheels?.scaleSigma = grown(wheels.scaleSigma, Tuning.SensorPrior.betweenDrivesWheelScale)
            next.wheels?.lagSigmaSeconds = grown(wheels.lagSigmaSeconds, Tuning.SensorPrior.betweenDrivesLag)
        }
        return next
    }
}

extension LagCalibration {
    /// Whether they are those of a receiver.
    public var isValid: Bool {
        func isLag(_ value: Double) -> Bool { value.magnitude <= Tuning.SensorPrior.longestLag }
        func isSigma(_ value: Double) -> Bool { value > 0 && value <= Tuning.SensorPrior.longestLag }
        return isLag(positionSeconds) && isLag(velocitySeconds) && isSigma(positionSigmaSeconds)
            && isSigma(velocitySigmaSeconds)
    }
}

extension PoseEstimator {
    /// Uses what an earlier drive has found of sensors and receiver. While the filter runs it is of no use.
    /// docs/math.md, eq. 7.33.
    ///
    /// - Returns: whether any of it was used.
    @discardableResult
    public mutating func offer(sensors kept: SensorPrior) -> Bool {
        let prior = kept.valid
        guard !prior.isEmpty, !isNavigating else { return false }
        offeredSensors = prior
        attitude.offer(prior)
        guard traits.rollsOnWheels else { return prior.gyroBias != nil || prior.accelerometerBias != nil }
        (wheelPrior, accelerometerPrior) = (prior.wheels, prior.accelerometerBias)
        // They are those of the first receiver.
        let isOfOther = (lastFix?.receiver ?? 0) != 0
        if let lags = prior.lags, carriedLags == nil, settings.gnssPositionLagSeconds == 0, !isOfOther {
            carriedLags = ReceiverLags(
                velocity: lags.velocitySeconds,
                velocitySigma: max(lags.velocitySigmaSeconds, Tuning.GNSS.assumedVelocityLagSigma),
                position: lags.positionSeconds, positionSigma: lags.positionSigmaSeconds,
                difference: lags.velocitySeconds - lags.positionSeconds)
            aligner.restart(prior: (lags.velocitySeconds, Tuning.GNSS.assumedVelocityLagSigma))
        }
        return true
    }

    /// Forgets the lags that an earlier drive has found, which are those of the first receiver, where the first fix
    /// comes from another one.
    mutating func forgetKeptLags(before fix: GnssFix) {
        guard lastFix == nil, fix.receiver != 0, carriedLags != nil else { return }
        carriedLags = nil
        aligner.restart(prior: nil)
    }

    /// What is known now of sensors and receiver, for the next drive. `mutating` so that the call does not copy the
    /// estimator.
    var sensorPrior: SensorPrior {
        mutating get {
            var prior = SensorPrior()
            prior.gyroBias = gyroBiasNow
            guard isNavigating, traits.rollsOnWheels else { return prior }
            prior.accelerometerBias = accelerometerBiasNow
            // A wrong system clock of today says nothing of the next drive.
            let hasOwnLag = filter.isPositionLagEstimated && filter.receiver == 0 && filter.fixTimeSigma == 0
            if hasOwnLag, let lags = lagCalibration, lags.isKnown {
                prior.lags = lags
            }
            prior.wheels = wheelsNow
            return prior
        }
    }

    /// Scale and lag of the wheels by the running filter, if they are known well and have agreed with the fixes.
    private var wheelsNow: SensorPrior.Wheels? {
        mutating get {
            guard filter.isWheelSpeedTrusted, let wheels = wheelCalibration else { return nil }
            let own = SensorPrior.Wheels(
                scale: wheels.scale, scaleSigma: wheels.scaleSigma, lagSeconds: wheels.lagSeconds,
                lagSigmaSeconds: wheels.lagSigmaSeconds)
            return own.isWellKnown ? own : nil
        }
    }

    /// Carries scale, lag and sign of the wheels over to the next filter, and forgets those of an earlier drive that
    /// this one has refuted.
    /// docs/math.md, eq. 7.33.
    ///
    /// - Parameter filterHolds: whether the filter was right: what a wrong one has found of the wheels is not used.
    mutating func carryWheelsOver(filterHolds: Bool) {
        guard filter.wheels.isCalibrated else {
            (wheelPrior, wheelSign) = (nil, nil)
            return
        }
        guard filterHolds, let own = wheelsNow, own.isValid else { return }
        (wheelPrior, wheelSign) = (own, filter.wheels.isSignKnown ? filter.wheels.sign : nil)
    }

    /// The accelerometer bias of the running filter, if it is known well.
    private var accelerometerBiasNow: SensorPrior.AccelerometerBias? {
        mutating get {
            let variance = Vector3(
                filter.covariance[.accelerometerBias.x, .accelerometerBias.x],
                filter.covariance[.accelerometerBias.y, .accelerometerBias.y],
                filter.covariance[.accelerometerBias.z, .accelerometerBias.z])
            let bias = SensorPrior.AccelerometerBias(
                metersPerSecondSquared: filter.state[vector: .accelerometerBias],
                sigmaMetersPerSecondSquared: variance.squareRoot())
            return bias.isWellKnown && bias.isValid ? bias : nil
        }
    }

    /// The gyro bias of the running filter, else that of the attitude filter, if it is known well.
    private var gyroBiasNow: SensorPrior.GyroBias? {
        mutating get {
            var bias = SensorPrior.GyroBias(
                radiansPerSecond: attitude.gyroBias, sigmaRadiansPerSecond: attitude.findings.gyroBiasSigmas)
            if isNavigating {
                let variance = Vector3(
                    filter.covariance[.gyroBias.x, .gyroBias.x], filter.covariance[.gyroBias.y, .gyroBias.y],
                    filter.covariance[.gyroBias.z, .gyroBias.z])
                bias = SensorPrior.GyroBias(
                    radiansPerSecond: filter.state.gyroBias, sigmaRadiansPerSecond: variance.squareRoot())
            }
            return bias.isWellKnown && bias.isValid ? bias : nil
        }
    }
}
