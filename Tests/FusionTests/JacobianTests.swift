import Geodesy
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// The filter's derivatives against central differences of the very functions they are derived from.
@Suite struct JacobianTests {
    /// A state somewhere, turning and moving, with every parameter away from zero.
    private func randomState(_ random: inout RandomSource) -> NavigationState {
        var state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(
                latitudeDegrees: random.uniform(-70, 70), longitudeDegrees: random.uniform(-179, 179),
                altitudeEllipsoidMeters: random.uniform(0, 3000)),
            velocityENU: Vector3(random.uniform(-20, 20), random.uniform(-20, 20), random.uniform(-2, 2)),
            sensorToENU: random.rotation())
        state.gyroBias = random.gaussianVector() * 0.01
        state.accelerometerBias = random.gaussianVector() * 0.1
        state.sensorToVehicle = random.rotation()
        state.rearAxleOffsetMeters = random.uniform(-2, 2)
        state.turnCoupling = random.gaussianVector() * 0.01
        state.forceCoupling = random.gaussianVector() * 0.01
        state.angularRateSensor = random.gaussianVector() * 0.3
        return state
    }

    /// The state moved by a small error in one element.
    private func perturbed(_ state: NavigationState, _ index: Int, _ size: Double) -> NavigationState {
        var error = ErrorVector()
        error[index] = size
        var moved = state
        moved.apply(error)
        return moved
    }

    /// The error that takes `from` to `to`, in the filter's own coordinates.
    private func difference(_ to: NavigationState, _ from: NavigationState) -> ErrorVector {
        var error = ErrorVector()
        let offset = from.position.surfaceOffsetMeters(to: to.position)
        let parts: [(Int, Vector3)] = [
            (
                0,
                Vector3(
                    offset.east, offset.north,
                    to.position.altitudeEllipsoidMeters - from.position.altitudeEllipsoidMeters)
            ),
            (3, to.velocityENU - from.velocityENU), (6, (to.sensorToENU * from.sensorToENU.inverse).rotationVector),
            (9, to.gyroBias - from.gyroBias), (12, to.accelerometerBias - from.accelerometerBias),
        ]
        for (index, v) in parts { for k in 0..<3 { error[index + k] = v[k] } }
        return error
    }

    @Test func errorDynamicsMatchTheMechanisation() {
        var random = RandomSource(seed: 7, use: 1)
        let seconds = 0.01
        for _ in 0..<100 {
            // GIVEN a random state and a random reading
            let state = randomState(&random)
            let rate = random.gaussianVector() * 0.5
            let force = Vector3(0, 0, 9.8) + random.gaussianVector() * 3
            var end = state
            let step = Strapdown.advance(&end, angularRate: rate, specificForce: force, seconds: seconds)
            for column in Self.dynamicColumns {
                // WHEN one error element is carried through the mechanisation by central differences
                let size = column < 3 ? 1.0 : 1e-4
                var plus = perturbed(state, column, size)
                var minus = perturbed(state, column, -size)
                _ = Strapdown.advance(&plus, angularRate: rate, specificForce: force, seconds: seconds)
                _ = Strapdown.advance(&minus, angularRate: rate, specificForce: force, seconds: seconds)
                let difference = difference(plus, minus)
                // THEN F has the same column. It is of first order in the step: the terms it leaves out (half f dt^2,
                // Coriolis, curvature) are below 1e-3 for 10 ms.
                for row in 0..<FilterState.dynamicCount where row != column {
                    let expected = difference[row] / (2 * size)
                    #expect(abs(transition(step, row, column) - expected) < 1e-3, "row \(row) column \(column)")
                }
            }
        }
    }

    /// What the fast part of the state is moved by: itself, the biases, the errors of gyro and accelerometer in motion.
    private static let dynamicColumns =
        Array(0..<15) + Array(FilterState.turnCoupling.elements) + Array(FilterState.forceCoupling.elements)

    /// Element of F, read off the propagation: an element that only drifts, coupled to the column, comes out coupled to
    /// each row by F's element.
    private func transition(_ step: Strapdown.Step, _ row: Int, _ column: Int) -> Double {
        var p = Covariance()
        p[column, FilterState.wheelScale.index] = 1
        p[FilterState.wheelScale.index, column] = 1
        p.propagate(over: step)
        return p[row, FilterState.wheelScale.index]
    }

    @Test func propagationIsFPFTransposed() {
        var random = RandomSource(seed: 11, use: 1)
        for _ in 0..<20 {
            // GIVEN a random covariance and a random step
            let state = randomState(&random)
            var end = state
            let step = Strapdown.advance(
                &end, angularRate: random.gaussianVector(), specificForce: random.gaussianVector() * 10, seconds: 0.01)
            var root = Covariance()
            for i in 0..<FilterState.count { for j in 0...i { root[i, j] = random.gaussian() } }
            let p = root * root.transposed
            var f = Covariance.identity
            for row in 0..<9 {
                for column in Self.dynamicColumns where row != column { f[row, column] = transition(step, row, column) }
            }
            // WHEN it is propagated by the written-out blocks
            var fast = p
            fast.propagate(over: step)
            // THEN it is F P F^T to rounding (elements of order 100)
            let full = f * p * f.transposed
            for i in 0..<FilterState.count {
                for j in 0..<FilterState.count { #expect(abs(fast[i, j] - full[i, j]) < 1e-9, "\(i) \(j)") }
            }
        }
    }

    @Test func vehicleVelocityDerivativesMatchDifferences() {
        var random = RandomSource(seed: 13, use: 1)
        for _ in 0..<100 {
            // GIVEN a random state
            let state = randomState(&random)
            let toVehicle = (state.sensorToVehicle * state.sensorToENU.inverse).matrix
            let v = toVehicle * state.velocityENU
            let attitude = toVehicle * state.velocityENU.skew
            let mount = v.skew
            for column in 0..<3 {
                // WHEN attitude, velocity and mount are moved
                func change(_ index: Int) -> Vector3 {
                    let h = 1e-5
                    return
                        (perturbed(state, index + column, h).velocityVehicle
                        - perturbed(state, index + column, -h).velocityVehicle) / (2 * h)
                }
                // THEN the rows used by the no-slip and wheel observations are those changes (second order in 1e-5
                // times 30 m/s)
                #expect((change(FilterState.velocity.index) - toVehicle.column(column)).length < 1e-6)
                #expect((change(FilterState.attitude.index) - attitude.column(column)).length < 1e-6)
                #expect((change(FilterState.mount.index) + mount.column(column)).length < 1e-6)
            }
        }
    }

    @Test func headingAndLeanDerivativesMatchDifferences() {
        var random = RandomSource(seed: 17, use: 1)
        for _ in 0..<100 {
            // GIVEN a vehicle leaning a little, its sensor mounted anyhow
            var state = randomState(&random)
            let vehicle = EulerAngles(
                rollRadians: random.uniform(-0.3, 0.3), pitchRadians: random.uniform(-0.3, 0.3),
                headingTrueRadians: random.uniform(0, 6.28))
            state.sensorToENU = vehicle.bodyToENU * state.sensorToVehicle
            let up = state.vehicleToENU.inverse.rotate(.unitZ)
            let left = state.vehicleToENU.rotate(.unitY)
            let rows = (attitude: Vector3(left.y, -left.x, 0), mount: Vector3(-up.z, 0, up.x))
            for column in 0..<3 {
                // WHEN attitude or mount is moved
                func change(_ index: Int) -> Double {
                    let h = 1e-5
                    func lean(_ s: NavigationState) -> Double { s.vehicleToENU.rotate(.unitY).z }
                    return (lean(perturbed(state, index + column, h)) - lean(perturbed(state, index + column, -h)))
                        / (2 * h)
                }
                // THEN the row of the level-vehicle observation is that change
                #expect(abs(change(FilterState.attitude.index) - rows.attitude[column]) < 1e-8)
                #expect(abs(change(FilterState.mount.index) - rows.mount[column]) < 1e-8)
            }
        }
    }
}
