/// State of all sources: a status for each aiding source, and the faults of receiver and IMU. Flat, so that it is
/// handed from thread to thread without allocation.
public struct TrustReport: Sendable {
    /// Status of each aiding source, by its raw value; valid while ``isFilterRunning``.
    public var aids = AidSourceStatuses(repeating: AidSourceStatus())
    /// Whether the Kalman filter runs.
    public var isFilterRunning = false
    /// Verdict on the receiver.
    public var receiver = ReceiverVerdict.trusted
    /// The factor on the sigmas that the receiver states; 1 or more.
    public var receiverSigmaFactor = 1.0
    /// Whether the last fix stated no velocity.
    public var isVelocityUnstated = false
    /// Whether the last fix stated no horizontal accuracy.
    public var isAccuracyUnstated = false
    /// Age of the last fix on arrival, seconds.
    public var fixLatenessSeconds = 0.0
    /// Whether that is too much for the fix to be used.
    public var isReceiverTooLate = false
    /// Calibration of the wheel speed; `nil` before it is found.
    public var wheels: WheelCalibration?
    /// Lags of the receiver; `nil` while the filter does not run.
    public var lags: LagCalibration?
    /// Baseline of the receiver's antennas; `nil` where the last fix states no heading.
    public var heading: HeadingCalibration?
    /// Faults of the IMU.
    public var inertial: InertialFaults = []
    /// Whether the motion fits the profile: false where the body slips sideways as no vehicle does.
    public var doesProfileFit = true
    /// Rejected inputs by reason.
    public var rejections = RejectionCounters()
    /// What the sigmas consist of; valid while ``isFilterRunning``.
    public var budget = UncertaintyBudget()
    /// Lag of the receiver's position beyond the time stamp, seconds; valid while ``isFilterRunning``.
    public var positionLagSeconds = 0.0
    /// The same of the velocity.
    public var velocityLagSeconds = 0.0
    /// Density of the gyro's noise in the last moments, rad/s/sqrt(Hz), vibration included; 0 without a sample.
    public var gyroNoiseDensity = 0.0

    /// Nothing known.
    public init() {}

    /// Status of one source.
    public subscript(source: AidSource) -> AidSourceStatus { aids[Int(source.rawValue)] }
}

/// Scale and lag of the wheel speed as estimated.
public struct WheelCalibration: Sendable, Equatable {
    /// True speed over the stated one.
    public var scale: Double
    /// 1-sigma of the scale.
    public var scaleSigma: Double
    /// Age of a reading beyond its time stamp, seconds; below zero the IMU is the later one.
    public var lagSeconds: Double
    /// 1-sigma of the lag, seconds.
    public var lagSigmaSeconds: Double
    /// Whether the wheels agree with the receiver and are used.
    public var isUsed: Bool
}

/// Lags of the receiver as estimated: by how much its position and velocity are older than their time stamp.
public struct LagCalibration: Hashable, Sendable {
    /// Of the position, seconds.
    public var positionSeconds: Double
    /// 1-sigma of it, seconds.
    public var positionSigmaSeconds: Double
    /// Of the velocity, seconds.
    public var velocitySeconds: Double
    /// 1-sigma of it, seconds.
    public var velocitySigmaSeconds: Double

    /// Lags with their 1-sigma, seconds.
    public init(
        positionSeconds: Double, positionSigmaSeconds: Double, velocitySeconds: Double, velocitySigmaSeconds: Double
    ) {
        (self.positionSeconds, self.positionSigmaSeconds) = (positionSeconds, positionSigmaSeconds)
        (self.velocitySeconds, self.velocitySigmaSeconds) = (velocitySeconds, velocitySigmaSeconds)
    }

    /// Whether both are known well enough for an accurate position while driving: 0.1 s.
    public var isKnown: Bool { max(positionSigmaSeconds, velocitySigmaSeconds) < Tuning.Start.knownLagSigma }
}

/// The heading of the receiver's antennas as the course has shown it.
public struct HeadingCalibration: Sendable, Equatable {
    /// Angle from the vehicle's forward axis to the baseline, clockwise, radians.
    public var baselineRadians: Double
    /// 1-sigma of it, radians.
    public var baselineSigmaRadians: Double
    /// Observed errors over the stated or assumed ones, 1 or more.
    public var scatterFactor: Double
    /// Whether it agrees with the course and is used.
    public var isUsed: Bool
    /// Whether it has contradicted the course for so long that it is given up.
    public var isGivenUp: Bool
}

extension PoseEstimator {
    /// Fills in the present state of all sources.
    public mutating func describeTrust(_ report: inout TrustReport) {
        report.isFilterRunning = isNavigating
        report.receiver = receiverVerdict
        report.isVelocityUnstated = lastFix != nil && !isVelocityStated && !velocityProof.isRefuted
        report.isAccuracyUnstated = lastFix.map { $0.horizontalSigmaMeters == nil } ?? false
        report.fixLatenessSeconds = fixLatenessSeconds
        report.isReceiverTooLate = isReceiverTooLate
        report.inertial = inertialFaults
        report.gyroNoiseDensity = gyroNoiseDensity
        report.doesProfileFit = doesProfileFit
        report.rejections = rejections
        report.receiverSigmaFactor = isNavigating ? filter.noiseScaling.factor : 1
        report.heading = headingCalibration
        if isNavigating {
            report.aids = filter.aids
            report.budget = filter.uncertaintyBudget()
            report.positionLagSeconds = filter.state[.positionLag]
            report.velocityLagSeconds = filter.state[.velocityLag]
        }
        report.wheels = wheelCalibration
        report.lags = lagCalibration
    }

    /// Lags of the receiver; `nil` while the filter does not run.
    var lagCalibration: LagCalibration? {
        mutating get {
            guard isNavigating else { return nil }
            return LagCalibration(
                positionSeconds: filter.state.positionLagSeconds,
                positionSigmaSeconds: max(filter.covariance[.positionLag, .positionLag], 0).squareRoot(),
                velocitySeconds: filter.state.velocityLagSeconds,
                velocitySigmaSeconds: max(filter.covariance[.velocityLag, .velocityLag], 0).squareRoot())
        }
    }

    /// Density of the gyro's noise, the mean of the axes, rad/s/sqrt(Hz). `mutating` so that it copies no estimator.
    private var gyroNoiseDensity: Double {
        mutating get {
            guard let variance = lastSample?.noise.gyro.diagonal else { return 0 }
            return (max(variance.x + variance.y + variance.z, 0) / 3).squareRoot()
        }
    }

    /// Whether the constraints of the profile fit the motion, by the running filter or the one before.
    var doesProfileFit: Bool {
        mutating get { isNavigating ? filter.constraintFit.isFitting : carriedFit.isFitting }
    }

    /// Calibration of the wheel speed; `nil` before it is found. Reading is `mutating` so that it copies no filter.
    var wheelCalibration: WheelCalibration? {
        mutating get {
            guard isNavigating, filter.wheels.isCalibrated else { return nil }
            return WheelCalibration(
                scale: filter.state.wheelScale,
                scaleSigma: max(filter.covariance[.wheelScale, .wheelScale], 0).squareRoot(),
                lagSeconds: filter.state.wheelLagSeconds,
                lagSigmaSeconds: max(filter.covariance[.wheelLag, .wheelLag], 0).squareRoot(),
                isUsed: filter.isWheelSpeedTrusted)
        }
    }
}
