import Geodesy
import PoseMath
import Testing

@testable import Fusion

/// What a fault of the IMU leaves unsure.
@Suite struct OpenedErrorTests {
    /// A filter at rest that knows everything exactly, and has agreed with the receiver through changes of the speed.
    private func filter(profile: MotionProfile = .vehicle, speeds: [Double] = [0, 3, 6]) -> NavigationFilter {
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400),
            velocityENU: .zero, sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: .zero, profile: profile)
        filter.covariance = Covariance()
        for speed in speeds {
            filter.gnssIntegrity.note(
                agrees: true, speedContradicts: false, speed: speed, wheelsTurn: false, at: state.time)
        }
        return filter
    }

    @Test func aFaultOpensBiasScaleAndAttitude() {
        // GIVEN a gyro that seems to turn at rest, four times THEN nothing is open
        var filter = filter()
        for _ in 0..<4 { filter.checkRestRotation(turns: true) }
        let before = filter.covariance[.gyroBias.x, .gyroBias.x]
        #expect(before == 0 && filter.imuFaultCount == 0 && filter.linearizationNoise == 0)
        // WHEN it does a fifth time THEN that is a fault: the bias is open by 0.03 rad/s, the scale by a half, roll and
        // pitch by 0.06 rad and the heading by 0.15 rad
        filter.checkRestRotation(turns: true)
        for axis in 0..<3 {
            let bias = filter.covariance[.gyroBias[axis], .gyroBias[axis]]
            let scale = filter.covariance[.turnCoupling[axis], .turnCoupling[axis]]
            let attitude = filter.covariance[.attitude[axis], .attitude[axis]]
            #expect(abs(bias - 0.000_9) < 1e-12 && abs(scale - 0.25) < 1e-12, "axis \(axis)")
            #expect(abs(attitude - (axis < 2 ? 0.003_6 : 0.022_5)) < 1e-12, "axis \(axis)")
        }
        // AND the gyro has a noise of 0.05 rad/s/sqrt(Hz) for a while
        #expect(filter.imuFaultCount == 1 && abs(filter.linearizationNoise - 0.002_5) < 1e-12)
        // AND nothing else is open
        let (velocity, mount) = (filter.covariance[.velocity.x, .velocity.x], filter.covariance[.mount.z, .mount.z])
        #expect(velocity == 0 && mount == 0)
    }

    @Test func aBodyWithoutWheelsAndAYoungFilterBlameNoGyro() {
        // GIVEN a boat, a person, and a filter that has not agreed with the receiver yet WHEN the gyro seems to turn at
        // rest many times THEN it is not blamed
        let unblaming = [filter(profile: .boat), filter(profile: .wearable), filter(speeds: [0, 3])]
        for before in unblaming {
            var filter = before
            for _ in 0..<20 { filter.checkRestRotation(turns: true) }
            #expect(filter.imuFaultCount == 0 && filter.linearizationNoise == 0)
        }
    }
}
