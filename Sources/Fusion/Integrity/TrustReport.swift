/// What the estimator makes of its sources: one record for each aid, and what receiver and IMU were caught at. Flat, so
/// that it can be handed from thread to thread without allocation.
public struct TrustReport: Sendable {
    /// The last use of each aiding source, by its raw value; without meaning while ``isFilterRunning`` is false.
    public var aids = InlineArray<11, AidSourceStatus>(repeating: AidSourceStatus())
    /// Whether the Kalman filter runs.
    public var isFilterRunning = false
    /// What the receiver was caught at.
    public var receiver = ReceiverVerdict.trusted
    /// The factor on the sigmas that the receiver states; 1 or more.
    public var receiverSigmaFactor = 1.0
    /// What is wrong with the IMU.
    public var inertial: InertialFaults = []
    /// What the estimator refused, by reason.
    public var rejections = RejectionCounters()

    /// Nothing known.
    public init() {}

    /// The record of one source.
    public subscript(source: AidSource) -> AidSourceStatus { aids[Int(source.rawValue)] }
}

extension PoseEstimator {
    /// What the estimator makes of its sources now.
    public func describeTrust(_ report: inout TrustReport) {
        report.isFilterRunning = isNavigating
        report.receiver = receiverVerdict
        report.inertial = inertialFaults
        report.rejections = rejections
        report.receiverSigmaFactor = isNavigating ? filter.trust.factor : 1
        if isNavigating { report.aids = filter.aids }
    }
}
