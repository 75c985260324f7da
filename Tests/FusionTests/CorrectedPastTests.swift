import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// A correction of the attitude holds for the moments before as well: what a late sensor is predicted to have seen
/// moves as the row of its observation says.
@Suite struct CorrectedPastTests {
    /// A vehicle that turns and speeds up under an even force, and its history of three seconds.
    private static func vehicle(_ random: inout RandomSource) -> (filter: NavigationFilter, history: VectorHistory) {
        var state = NavigationState(
            time: MonotonicTime(nanoseconds: 10_000_000_000),
            position: GeodeticPosition(latitudeDegrees: 52, longitudeDegrees: 13, altitudeEllipsoidMeters: 40),
            velocityENU: random.gaussianVector() * 10,
            sensorToENU: Quaternion(rotationVector: random.gaussianVector()))
        state.apply(attitudeError(random.gaussianVector() * 0.1))
        var filter = NavigationFilter(at: state, leverArm: .zero)
        let force = random.gaussianVector() * 2 + Vector3(0, 0, InertialSample.standardGravity)
        var history = VectorHistory()
        for k in 0...300 {
            filter.forceIntegral = state.corrections.inverse.rotate(force) * (Double(k) * 0.01)
            history.append(
                time: state.time.advanced(bySeconds: Double(k - 300) * 0.01), value: filter.forceIntegral)
        }
        return (filter, history)
    }

    private static func attitudeError(_ vector: Vector3) -> ErrorVector {
        var error = ErrorVector()
        for axis in 0..<3 { error[FilterState.attitude[axis].index] = vector[axis] }
        return error
    }

    @Test func aLevelThatWasWrongWasSoBefore() {
        // GIVEN a vehicle that has seemed to slow down by 1 m/s2 for 3 s, because its level is wrong by 0.1 rad
        var (filter, history) = (NavigationFilter(idleWith: FusionSettings()), VectorHistory())
        filter.state.time = MonotonicTime(nanoseconds: 3_000_000_000)
        filter.state.velocityENU = Vector3(10, 0, 0)
        for k in 0...300 {
            filter.forceIntegral = Vector3(-0.980_665, 0, InertialSample.standardGravity) * (Double(k) * 0.01)
            history.append(time: MonotonicTime(nanoseconds: Int64(k) * 10_000_000), value: filter.forceIntegral)
        }
        let before = filter.velocity(delayedBySeconds: 1, forceHistory: history)
        #expect(abs(before.x - 10.980_665) < 1e-6)
        // WHEN the level is corrected THEN it has not slowed down: to the square of the angle
        filter.state.apply(Self.attitudeError(Vector3(0, 0.1, 0)))
        let after = filter.velocity(delayedBySeconds: 1, forceHistory: history)
        #expect(abs(after.x - 10) < 0.01)
        let (seen, slope) = filter.velocity(lagSeconds: 0.15, forceHistory: history)
        #expect(abs(seen.x - 10) < 0.01 && abs(slope.x) < 0.01)
    }

    @Test func beforeTheHistoryTheVelocityIsConstant() {
        // GIVEN a vehicle that has gone straight on for half a second since its history began, leaning by 0.2 rad as
        // the corrections say
        var (filter, history) = (NavigationFilter(idleWith: FusionSettings()), VectorHistory())
        filter.state.time = MonotonicTime(nanoseconds: 500_000_000)
        filter.state.velocityENU = Vector3(10, 0, 0.5)
        filter.state.apply(Self.attitudeError(Vector3(0, 0.2, 0)))
        for k in 0...50 {
            filter.forceIntegral = filter.gravityInHistory * (Double(k) * 0.01)
            history.append(time: MonotonicTime(nanoseconds: Int64(k) * 10_000_000), value: filter.forceIntegral)
        }
        // WHEN the velocity of two seconds ago is asked for THEN it is that of now: nothing was seen to change it
        let before = filter.velocity(delayedBySeconds: 2, forceHistory: history)
        #expect((before - filter.state.velocityENU).length < 1e-9)
        let (seen, slope) = filter.velocity(lagSeconds: 2, forceHistory: history)
        #expect((seen - filter.state.velocityENU).length < 1e-9 && slope.length < 1e-9)
    }

    @Test(arguments: [0.2, 0.4, 1.5]) func theRowsOfALateFixSayHowItsPredictionMoves(lag: Double) {
        var random = RandomSource(seed: 31, use: 1)
        for _ in 0..<50 {
            let (filter, history) = Self.vehicle(&random)
            for axis in 0..<3 {
                // GIVEN the rows of velocity and place of a receiver that is late
                var own = filter
                let first = own.velocity(delayedBySeconds: lag, forceHistory: history)
                let force = own.force(overLag: lag, from: first)
                let velocity = own.velocityComponent(
                    axis, observed: 0, seen: first[axis], slope: 0, sigma: 1, force: force)
                own.state.positionLagSeconds = lag
                let since = own.motion(overLag: lag, forceHistory: history)
                let place = own.positionComponent(axis, offset: .zero, since: since, sigma: 1)
                // WHEN the attitude is corrected by a little THEN what was predicted moves as they say: the squares of
                // a ten-thousandth of a radian are left, of 15 m/s of gravity
                for k in 0..<3 {
                    var error = Vector3.zero
                    error[k] = 1e-4
                    var moved = filter
                    moved.state.apply(Self.attitudeError(error))
                    let seen = moved.velocity(delayedBySeconds: lag, forceHistory: history)[axis] - first[axis]
                    let way = moved.motion(overLag: lag, forceHistory: history).way[axis] - since.way[axis]
                    let element = FilterState.attitude[k].index
                    #expect(abs(seen / 1e-4 - velocity.row.coefficient(of: element)) < 2e-3 * max(lag, 1))
                    #expect(abs(-way / 1e-4 - place.row.coefficient(of: element)) < 2e-3 * max(lag, 1))
                }
            }
        }
    }
}
