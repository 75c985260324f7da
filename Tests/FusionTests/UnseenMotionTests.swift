import Geodesy
import PoseMath
import Testing

@testable import Fusion

/// What gaps in the samples may have hidden, and when it counts.
@Suite struct UnseenMotionTests {
    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    /// A vehicle that goes north at 4 m/s, after a gap of 2 s that ended at 2 s; it is 2.5 s now.
    private func afterGap(profile: MotionProfile = .vehicle) -> NavigationFilter {
        let state = NavigationState(
            time: Self.time(0),
            position: GeodeticPosition(latitudeDegrees: 40, longitudeDegrees: 8, altitudeEllipsoidMeters: 0),
            velocityENU: Vector3(0, 4, 0), sensorToENU: Quaternion(rotationVector: Vector3(0, 0, .pi / 2)))
        var filter = NavigationFilter(at: state, leverArm: .zero, profile: profile)
        let bridge = GapBridge(from: filter, before: nil, after: nil, seconds: nil)
        for _ in 0..<40 { _ = filter.predict(across: bridge, seconds: 0.05) }
        filter.state.time = Self.time(2.5)
        filter.covariance = Covariance()
        return filter
    }

    @Test func aGapIsUnseen() throws {
        // GIVEN a gap of 2 s at 4 m/s THEN all of it is unseen: with 0.75 rad/s, 3 m/s2 across, the turn may be 1.5 rad
        let unseen = try #require(afterGap().unseenMotion)
        #expect(abs(unseen.seconds - 2) < 1e-9)
        #expect(abs(unseen.turn - 1.5) < 1e-3)
        #expect(unseen.end == Self.time(2))
        // AND nothing of a person's, whose motion no wheels hold
        #expect(afterGap(profile: .wearable).unseenMotion == nil)
    }

    @Test func whatAVelocityHasSeenIsLeftOut() throws {
        // GIVEN a gap from 0 to 2 s THEN a velocity of 1.5 s leaves a quarter, one before it all, one after it nothing
        let unseen = try #require(afterGap().unseenMotion)
        let left = try #require(unseen.after(Self.time(1.5)))
        #expect(abs(left.seconds - 0.5) < 1e-9 && abs(left.turn - unseen.turn / 4) < 1e-9 && left.end == unseen.end)
        #expect(unseen.after(Self.time(-1))?.seconds == unseen.seconds)
        #expect(unseen.after(Self.time(2)) == nil)
    }

    @Test func twoVelocitiesThatContradictOpenTheCovariance() {
        // GIVEN a filter after a gap WHEN one velocity contradicts it THEN nothing changes yet
        var filter = afterGap()
        filter.checkUnseenMotion(true, seenAt: Self.time(2.3))
        #expect(filter.covariance[.velocity.y, .velocity.y] == 0)
        // WHEN the next one does, too THEN it may have gained or lost 6 m/s2 for 2 s, uniform, since the middle of the
        // gap, 1.5 s ago, and turned by a radian, uniform, and its velocity of 4 m/s with it
        filter.checkUnseenMotion(true, seenAt: Self.time(2.4))
        let (speed, turn) = (12 * 12 / 3.0, 1 / 3.0)
        let since = 1.5
        func expect(_ row: FilterState, _ column: FilterState, _ value: Double) {
            #expect(abs(filter.covariance[row, column] - value) < 2e-2 * abs(value), "\(row), \(column)")
        }
        expect(.velocity.y, .velocity.y, speed)
        expect(.velocity.y, .position.y, speed * since)
        expect(.position.y, .position.y, speed * since * since)
        expect(.attitude.z, .attitude.z, turn)
        expect(.attitude.z, .velocity.x, -turn * 4)
        expect(.velocity.x, .velocity.x, turn * 16)
        expect(.velocity.x, .attitude.z, -turn * 4)
        expect(.position.x, .attitude.z, -turn * 4 * since)
        // AND once only
        let before = filter.covariance[.velocity.y, .velocity.y]
        filter.checkUnseenMotion(true, seenAt: Self.time(2.5))
        #expect(filter.unseenMotion == nil && filter.covariance[.velocity.y, .velocity.y] == before)
    }

    @Test func aVelocityThatAgreesEndsTheDoubt() {
        // GIVEN a filter after a gap, doubted once WHEN the next velocity agrees THEN later ones open nothing
        var filter = afterGap()
        filter.checkUnseenMotion(true, seenAt: Self.time(2.3))
        filter.checkUnseenMotion(false, seenAt: Self.time(2.4))
        #expect(filter.unseenMotion == nil)
        filter.checkUnseenMotion(true, seenAt: Self.time(2.45))
        filter.checkUnseenMotion(true, seenAt: Self.time(2.5))
        #expect(filter.covariance[.velocity.y, .velocity.y] == 0)
    }

    @Test func aVelocityFromBeforeTheGapTellsNothing() {
        // GIVEN a filter after a gap WHEN velocities from before it come late THEN they neither doubt nor prove it
        for isBeyondGate in [true, false] {
            var filter = afterGap()
            for _ in 0..<3 { filter.checkUnseenMotion(isBeyondGate, seenAt: Self.time(-0.1)) }
            #expect(filter.unseenMotion?.isDoubted == false)
            #expect(filter.covariance[.velocity.y, .velocity.y] == 0)
        }
    }

    @Test func onlyThePartThatWasSeenOpens() {
        // GIVEN a gap of 2 s WHEN two velocities from the middle of it contradict THEN one second of it counts, and the
        // rest is still unseen
        var filter = afterGap()
        filter.checkUnseenMotion(true, seenAt: Self.time(0.9))
        filter.checkUnseenMotion(true, seenAt: Self.time(1))
        #expect(abs(filter.covariance[.velocity.y, .velocity.y] - 12) < 1e-6)
        #expect(abs(filter.covariance[.attitude.z, .attitude.z] - 0.75 * 0.75 / 3) < 1e-3)
        #expect(abs((filter.unseenMotion?.seconds ?? 0) - 1) < 1e-9)
        #expect(filter.unseenMotion?.isDoubted == false)
    }
}
