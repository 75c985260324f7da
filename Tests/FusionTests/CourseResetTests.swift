import Geodesy
import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// When the course of a receiver, or its refused velocities, show that the heading is lost.
@Suite struct CourseResetTests {
    /// How a vehicle that points to the east has been compared with velocities of a receiver.
    private struct Comparison {
        /// Course of the receiver, radians, left of east positive, and speed, m/s.
        var course = 0.6
        var speed = 10.0
        /// Speed and course of the velocity as it was predicted for the receiver.
        var seenSpeed = 10.0
        var seenCourse = 0.0
        /// Speed of the estimate, m/s.
        var ownSpeed = 10.0
        /// Turn that the receiver hides, radians.
        var hiddenTurn = 0.0
        /// Number of fixes, and seconds from each to the next.
        var fixes = 3
        var spacing = 0.5
        var profile = MotionProfile.vehicle

        /// Time of the contradiction, seconds, and whether the heading is lost.
        var result: (seconds: Double, isLost: Bool) {
            let state = NavigationState(
                time: MonotonicTime(nanoseconds: 0),
                position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 0),
                velocityENU: Vector3(ownSpeed, 0, 0), sensorToENU: .identity)
            var filter = NavigationFilter(at: state, leverArm: .zero, profile: profile)
            filter.heldCourse.hiddenTurn = hiddenTurn
            for _ in 0..<fixes {
                filter.state.time = filter.state.time.advanced(bySeconds: spacing)
                filter.checkHeading(
                    against: HorizontalVelocity(
                        eastMetersPerSecond: speed * cos(course), northMetersPerSecond: speed * sin(course)),
                    seen: Vector3(cos(seenCourse), sin(seenCourse), 0) * seenSpeed, velocityTaken: true)
            }
            let isLost = filter.hasLostHeading
            return (filter.contradictedSeconds, isLost)
        }
    }

    @Test func aHeadingIsLostAfterFourSecondsOfAnotherCourse() {
        // GIVEN a course half a radian beside the heading, and a little more WHEN fixes come for seconds THEN only the
        // latter contradicts it, and the heading is lost beyond 4 s
        for course in [0.51, -0.51, .pi] {
            let (short, long) = (Comparison(course: course, fixes: 9), Comparison(course: course, fixes: 10))
            #expect(short.result.seconds == 4 && !short.result.isLost, "\(course)")
            #expect(long.result.seconds == 4.5 && long.result.isLost, "\(course)")
        }
        for course in [0.49, -0.49] { #expect(Comparison(course: course, fixes: 10).result.seconds == 0) }
        // AND a slow receiver counts for 2 s with each fix
        #expect(Comparison(fixes: 3, spacing: 5).result.seconds == 4)
    }

    @Test func onlyAVehicleThatIsNotSlowGoesWhereItPoints() {
        // GIVEN a course that is not the heading THEN it counts from 4 m/s on, and not for a person or a boat
        #expect(Comparison(speed: 3.9).result.seconds == 0 && Comparison(speed: 4.1).result.seconds == 1)
        #expect(Comparison(profile: .wearable).result.seconds == 0)
        #expect(Comparison(profile: .boat).result.seconds == 0)
        // AND a turn that a held course hides is allowed beside the half radian
        #expect(Comparison(course: 0.79, hiddenTurn: 0.3).result.seconds == 0)
        #expect(Comparison(course: 0.81, hiddenTurn: 0.3).result.seconds == 1)
    }

    @Test func anOldVelocityHasAnOldCourse() {
        // GIVEN a vehicle that has turned by 0.6 rad since the moment of the receiver's velocity THEN the course from
        // before contradicts nothing, as long as both speeds are above a metre a second
        #expect(Comparison(seenCourse: 0.6).result.seconds == 0)
        let slower: [(Double, Double, Double)] = [(1.1, 10, 0), (0.9, 10, 1), (10, 1.1, 0), (10, 0.9, 1)]
        for (seen, own, seconds) in slower {
            let slow = Comparison(seenSpeed: seen, seenCourse: 0.6, ownSpeed: own)
            #expect(slow.result.seconds == seconds, "\(seen) \(own)")
        }
        // AND a turn to the other side makes it worse: 0.3 rad beside a heading that was 0.3 rad to the right
        #expect(Comparison(course: 0.3, seenCourse: -0.3).result.seconds == 1)
    }

    private static let still = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 0)

    /// A filter at rest that has refused velocities in a row.
    private func filter(refused: Int, hertz: Double) -> NavigationFilter {
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 0),
            velocityENU: .zero, sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: .zero)
        for _ in 0..<refused {
            filter.state.time = filter.state.time.advanced(bySeconds: 1 / hertz)
            filter.checkHeading(against: Self.still, seen: .zero, velocityTaken: false)
        }
        return filter
    }

    @Test(arguments: [(5, false, false), (6, false, true), (1, true, false), (2, true, true)])
    func refusedVelocitiesInARowLoseTheHeading(refused: Int, hasJumpedAgain: Bool, isExpected: Bool) {
        // GIVEN a filter that has refused velocities in a row THEN the sixth loses the heading, and after a second jump
        // the second one
        var filter = filter(refused: refused, hertz: 1)
        filter.hasJumpedAgain = hasJumpedAgain
        let isLost = filter.hasLostHeading
        #expect(isLost == isExpected)
        // WHEN one is taken THEN they no longer count
        filter.checkHeading(against: Self.still, seen: .zero, velocityTaken: true)
        #expect(filter.refusedVelocities == 0 && filter.velocitiesRefusedSince == nil)
    }

    @Test(arguments: [(20.0, 81, false), (20, 82, true), (5, 21, false), (5, 22, true), (1, 5, false), (1, 6, true)])
    func refusalsCountByTheirTimeToo(hertz: Double, refused: Int, isExpected: Bool) {
        // GIVEN a receiver at some rate WHEN its velocities are refused as an antenna swings THEN the heading is lost
        // only when that has lasted for more than 4 s since the first, and six have been refused
        var filter = filter(refused: refused, hertz: hertz)
        let isLost = filter.hasLostHeading
        #expect(isLost == isExpected)
    }

    @Test(arguments: [(1.0, 2.4, true), (1, 2.6, false), (10, 60, false)])
    func refusalsBeforeASilenceAreNotInARowWithThoseAfterIt(hertz: Double, silence: Double, isExpected: Bool) {
        // GIVEN five velocities that are refused in a row WHEN the receiver is silent, and the next one is refused THEN
        // the heading is lost where that silence is shorter than two and a half seconds, the usual interval being one
        var filter = filter(refused: 5, hertz: hertz)
        filter.state.time = filter.state.time.advanced(bySeconds: silence)
        filter.checkHeading(against: Self.still, seen: .zero, velocityTaken: false)
        let isLost = filter.hasLostHeading
        #expect(isLost == isExpected && filter.refusedVelocities == (isExpected ? 6 : 1))
    }

    @Test(arguments: [(29.9, true), (30.1, false)]) func twoJumpsAreForgottenAfterHalfAMinute(
        seconds: Double, isExpected: Bool
    ) {
        // GIVEN a filter that has jumped twice WHEN two velocities are refused later THEN the heading is lost within
        // 30 s of the second jump, and not after that
        var filter = filter(refused: 0, hertz: 1)
        let jump = filter.state.time
        (filter.hasJumpedAgain, filter.lastJumpTime) = (true, jump)
        for later in [seconds - 0.5, seconds] {
            filter.state.time = jump.advanced(bySeconds: later)
            filter.checkHeading(against: Self.still, seen: .zero, velocityTaken: false)
        }
        let isLost = filter.hasLostHeading
        #expect(isLost == isExpected && filter.refusedVelocities == 2)
    }
}
