import Frames
import Fusion
import PoseMath
import Testing

@testable import Commands

/// The reasons why the pose is not better, in `status`.
@Suite struct DiagnosisTests {
    /// A frame of an attitude with a magnetic heading, without a true one.
    private static var magnetic: Frame {
        var frame = Frame()
        frame.pose.state = .attitudeOnly
        frame.pose.bodyToENU = .init(1, 0, 0, 0)
        (frame.pose.headingMagneticRadians, frame.pose.headingMagneticSigmaRadians) = (1, 0.1)
        return frame
    }

    /// A calibration with a magnetometer.
    private static var calibration: SensorCalibration {
        var estimator = PoseEstimator()
        for k in 0..<200 {
            let time = MonotonicTime(nanoseconds: Int64(k) * 10_000_000)
            _ = estimator.ingest(
                .inertial(
                    .init(
                        time: time, angularRateRadiansPerSecond: .zero,
                        specificForceMetersPerSecondSquared: Vector3(0, 0, 9.81))))
            _ = estimator.ingest(.magnetic(.init(time: time, fluxDensityTesla: Vector3(2e-5, 0, -4e-5))))
        }
        return estimator.calibration
    }

    private func reasons(_ frame: Frame, _ north: MagneticNorth) -> [String] {
        Diagnosis.reasons(frame: frame, sources: [], calibration: Self.calibration, north: north)
    }

    @Test func aMagneticHeadingAloneSaysWhatWouldHelp() throws {
        // GIVEN a magnetometer and no model WHEN the heading is magnetic THEN the reason is the model's problem
        var north = MagneticNorth()
        north.problem = "no WMM.COF beside the program"
        #expect(Self.calibration.magnetometer != nil)
        let withoutModel = reasons(Self.magnetic, north)
        #expect(withoutModel.contains { $0.contains("declination is unknown") && $0.contains("no WMM.COF") })
        #expect(withoutModel.contains { $0.contains("a position needs a satellite receiver") }, "\(withoutModel)")
        // AND with a true heading there is none
        var known = Self.magnetic
        known.pose.headingTrueRadians = 1
        #expect(!reasons(known, north).contains { $0.contains("declination") })
        // AND where the mount is unknown, that is the reason
        var unmounted = Self.magnetic
        unmounted.pose.headingMagneticRadians = nil
        #expect(reasons(unmounted, north).contains { $0.contains("the mount of the IMU is unknown") })
    }

    @Test(arguments: [Frame.PoseState.starting, .aligning, .lost]) func firstFixesThatContradictEachOtherAreTold(
        state: Frame.PoseState
    ) {
        // GIVEN a receiver with fixes and no position THEN that is the reason before there was one, with how it ends;
        // not where the position was lost
        var frame = Frame()
        (frame.pose.state, frame.pose.fixMode, frame.pose.fixAgeSeconds) = (state, 3, 1)
        let found = Diagnosis.reasons(frame: frame, sources: [])
        let isTold = found.contains {
            $0 == "the receiver's first fixes contradict each other: a position follows when four of them agree"
        }
        #expect(isTold == (state != .lost), "\(found)")
        #expect(!found.contains("no usable measurement yet"))
        // AND no more when there is one
        frame.pose.latitudeRadians = 0.8
        #expect(!Diagnosis.reasons(frame: frame, sources: []).contains { $0.contains("contradict each other") })
    }

    @Test(arguments: [(4.9, nil), (7.5, "7"), (1e300, "1000000000"), (.infinity, "1000000000")])
    func theAgeOfAnOldFixIsTold(_ age: Double, _ told: String?) {
        // GIVEN a pose whose last fix is of some age, however large THEN it is a reason from 5 s on, in whole seconds
        var frame = Self.magnetic
        (frame.pose.fixMode, frame.pose.fixAgeSeconds) = (3, age)
        let found = reasons(frame, MagneticNorth()).first { $0.hasPrefix("the last usable fix is") }
        #expect(found == told.map { "the last usable fix is \($0) s old" })
    }
}
