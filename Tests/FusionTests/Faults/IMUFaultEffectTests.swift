import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// What the filter does about a fault of the IMU, and when the slip of the wheels shows one.
@Suite struct IMUFaultEffectTests {
    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    /// A filter that knows everything exactly.
    ///
    /// - Parameter agreed: whether it has agreed with the receiver through changes of speed.
    private static func filter(agreed: Bool = true) -> NavigationFilter {
        let state = NavigationState(
            time: time(0),
            position: GeodeticPosition(latitudeDegrees: 48, longitudeDegrees: 11, altitudeEllipsoidMeters: 0),
            velocityENU: Vector3(10, 0, 0), sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: .zero)
        filter.covariance = Covariance()
        for speed in agreed ? [0.0, 3, 6] : [] {
            filter.gnssIntegrity.note(
                agrees: true, speedContradicts: false, speed: speed, wheelsTurn: false, at: state.time)
        }
        return filter
    }

    @Test func aFaultOpensWhatTheGyroHasSaid() {
        // GIVEN a gyro that seems to turn at rest WHEN it does for the fifth time THEN its bias is open to 0.03 rad/s,
        // its scale to a half, the level to 0.06 rad, and the heading to 0.15 rad; and never before
        var filter = Self.filter()
        for _ in 0..<4 { filter.checkRestRotation(turns: true) }
        let before = filter.covariance.sigma(of: .gyroBias)
        #expect(filter.imuFaultCount == 0 && before == .zero)
        filter.checkRestRotation(turns: true)
        #expect(filter.imuFaultCount == 1)
        let (bias, scale) = (filter.covariance.sigma(of: .gyroBias), filter.covariance.sigma(of: .turnCoupling))
        #expect((bias - Vector3(repeating: 0.03)).length < 1e-9 && (scale - Vector3(repeating: 0.5)).length < 1e-9)
        let attitude = filter.covariance.sigma(of: .attitude)
        #expect((attitude - Vector3(0.06, 0.06, 0.15)).length < 1e-9, "\(attitude)")
        #expect(abs(filter.linearizationNoise - 0.0025) < 1e-12)
    }

    @Test func aFilterThatHasNotAgreedYetBlamesNoIMU() {
        // GIVEN a filter that has not agreed with a receiver yet THEN turns at rest may be its own error
        var filter = Self.filter(agreed: false)
        for _ in 0..<10 { filter.checkRestRotation(turns: true) }
        #expect(filter.imuFaultCount == 0)
    }

    /// Number of faults that slips of the wheels show, five a second from 12 s on, the first of them zero, while
    /// velocities that agree come once a second.
    ///
    /// - Parameters:
    ///   - slip: of each, m/s, where the slip itself has a 1-sigma of 0.04 m/s.
    ///   - count: of them.
    ///   - change: of the filter, before the first one.
    private func faults(slip: Double, count: Int, change: (inout NavigationFilter) -> Void = { _ in }) -> UInt32 {
        var filter = Self.filter()
        for second in 0..<12 { _ = filter.imuFaults.note(innovation: .zero, at: Self.time(Double(second))) }
        change(&filter)
        for number in 0...count {
            let seconds = 12 + 0.2 * Double(number)
            filter.state.time = Self.time(seconds)
            if number % 5 == 0 { _ = filter.imuFaults.note(innovation: .zero, at: filter.state.time) }
            filter.checkLateralSlip(
                NavigationFilter.Component(
                    row: ObservationRow(), innovation: number == 0 ? 0 : slip, variance: 0.044 * 0.044))
        }
        return filter.imuFaultCount
    }

    @Test func aSlipShowsAFaultWhereTheVelocityIsTaken() {
        // GIVEN wheels that slip by three sigmas THEN the mean over a second exceeds 1.6 sigmas with the fourth, and it
        // never does where they slip by 1.5
        #expect(faults(slip: 0.12, count: 3) == 0 && faults(slip: 0.12, count: 4) == 1)
        #expect(faults(slip: 0.06, count: 40) == 0)
        // AND none is shown where the receiver's velocity is rejected, or its course is held
        let rejected = faults(slip: 0.12, count: 40) {
            $0.aids[Int(AidSource.gnssVelocity.rawValue)].reject(because: .innovation)
        }
        #expect(rejected == 0)
        let held = faults(slip: 0.12, count: 40) { $0.heldCourse.isHeld = true }
        #expect(held == 0)
    }
}
