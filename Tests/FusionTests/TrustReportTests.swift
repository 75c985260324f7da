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
}
