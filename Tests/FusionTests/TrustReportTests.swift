import Testing

@testable import Fusion

/// What the report of all sources says before the filter runs, and which profiles use which source.
@Suite struct TrustReportTests {
    @Test func beforeTheFilterRunsNothingOfItIsReported() {
        // GIVEN nothing known THEN no filter runs
        var report = TrustReport()
        #expect(!report.isFilterRunning && report.lags == nil && report.wheels == nil)
        // WHEN an estimator that has seen nothing fills it in THEN that is still so, though it has a lag to begin with
        var estimator = PoseEstimator()
        estimator.describeTrust(&report)
        #expect(!report.isFilterRunning && report.lags == nil && report.wheels == nil)
        #expect(report.gyroNoiseDensity == 0 && report.receiverSigmaFactor == 1)
    }

    @Test func aBoatAloneUsesTheMagneticHeading() {
        // GIVEN all profiles THEN that of a boat uses the magnetic heading in the filter: a car is full of iron, and a
        // person turns about all axes
        #expect(MotionProfile.allCases.filter { $0.traits.usesMagneticHeading } == [.boat])
    }

    @Test func aReportOfNothingFindsNoFault() {
        // GIVEN a report that nobody has filled in THEN nothing is said against receiver, IMU or profile
        let report = TrustReport()
        #expect(report.receiver == .trusted && report.receiverSigmaFactor == 1)
        #expect(!report.isVelocityUnstated && !report.isAccuracyUnstated)
        #expect(!report.isReceiverTooLate && report.fixLatenessSeconds == 0)
        #expect(report.inertial.isEmpty && report.doesProfileFit && report.rejections.total == 0)
        #expect(report.positionLagSeconds == 0 && report.velocityLagSeconds == 0 && report.heading == nil)
    }
}
