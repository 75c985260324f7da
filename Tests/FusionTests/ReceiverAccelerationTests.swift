import Glibc
import PoseMath
import Testing

@testable import Fusion
@testable import Simulation

/// The acceleration of a receiver, for the prediction between its fixes.
@Suite struct ReceiverAccelerationTests {
    private static let vehicle = Tuning.ReceiverAcceleration.correlationSeconds

    /// An acceleration of 2 m/s2 to the east, seen by a receiver with a fix per second.
    private func steady(correlationSeconds: Double = vehicle) -> ReceiverAcceleration {
        var model = ReceiverAcceleration(velocity: .zero, sigma: 0.1)
        for second in 1...10 {
            model.note(
                Vector3(2 * Double(second), 0, 0), sigma: 0.1, after: 1, correlationSeconds: correlationSeconds)
        }
        return model
    }

    @Test func aSteadyAccelerationCarriesOn() {
        // GIVEN a vehicle that has gained 2 m/s in each of ten seconds WHEN the next second is predicted
        let start = Vector3(20, 0, 0)
        let carried = steady().carry(start, over: 1)
        // THEN most of the gain and of the way of an even acceleration (2 m/s and 1 m) is in it; it dies away, and what
        // a fix shows of it is a mean
        #expect((21.3...22).contains(carried.velocity.x) && (20.7...21).contains(carried.way.x), "\(carried)")
        #expect(abs(carried.velocity.y) < 1e-9 && carried.way.z == 0)
        // AND on foot it dies away faster
        #expect(steady(correlationSeconds: 0.5).carry(start, over: 1).way.x < carried.way.x)
    }

    @Test func brakesStopAndDoNotReverse() {
        // GIVEN a vehicle whose acceleration is against its velocity of 1 m/s, and a small one across WHEN 2 s pass
        let model = steady()
        let (half, end) = (model.carry(Vector3(-1, 0, 0), over: 1), model.carry(Vector3(-1, 0, 0), over: 2))
        // THEN it has stopped within the first and stays where it is
        #expect(half.velocity.x > -1e-9 && half.velocity.x < 1e-9)
        #expect((half.way - end.way).length < 1e-9 && (-0.4 ..< -0.2).contains(end.way.x), "\(end)")
        // AND the direction of a slower speed than is asked for stays
        let kept = model.carry(Vector3(-1, 0, 0), over: 2, slowest: 3).velocity
        #expect(kept == Vector3(-1, 0, 0))
    }

    @Test func aSilenceEndsIt() {
        var model = steady()
        // WHEN the next fix comes 6 s later THEN nothing is known of the acceleration
        model.note(Vector3(20, 0, 0), sigma: 0.1, after: 6, correlationSeconds: Self.vehicle)
        #expect(model.carry(Vector3(20, 0, 0), over: 1).way == Vector3(20, 0, 0))
    }

    @Test(arguments: [0.1, 1.0], [0.05, 1]) func theErrorsAreThoseOfItsSigma(interval: Double, sigma: Double) {
        // GIVEN 400 drives of its own model, with a white error of the velocity
        var random = RandomSource(seed: 5, use: 36)
        let (step, runs) = (0.01, 400)
        let (decay, spread) = (exp(-step / Self.vehicle), Tuning.ReceiverAcceleration.sigma)
        var (velocities, ways, still) = (0.0, 0.0, 0.0)
        for _ in 0..<runs {
            var (v, a) = (50.0, random.gaussian() * spread)
            func advance(_ seconds: Double) -> Double {
                var way = 0.0
                for _ in 0..<Int((seconds / step).rounded()) {
                    way += (v + 0.5 * a * step) * step
                    v += a * step
                    a = a * decay + random.gaussian() * spread * (1 - decay * decay).squareRoot()
                }
                return way
            }
            var seen = Vector3(v + random.gaussian() * sigma, 0, 0)
            var model = ReceiverAcceleration(velocity: seen, sigma: sigma)
            for _ in 0..<20 {
                _ = advance(interval)
                seen = Vector3(v + random.gaussian() * sigma, 0, 0)
                model.note(seen, sigma: sigma, after: interval, correlationSeconds: Self.vehicle)
            }
            // WHEN a second is predicted from the last fix
            let (carried, said) = (model.carry(model.velocity, over: 1), model.sigma(after: 1))
            let way = advance(1)
            let (wrongVelocity, wrongWay) = (carried.velocity.x - v, carried.way.x - way)
            velocities += wrongVelocity * wrongVelocity / (said.velocity * said.velocity) / Double(runs)
            ways += wrongWay * wrongWay / (said.way * said.way) / Double(runs)
            still += (seen.x - way) * (seen.x - way) / (said.way * said.way) / Double(runs)
        }
        // THEN the errors are those of its sigmas: 0.2 is three sigmas of 400 squares, AND a constant velocity is worse
        #expect(abs(velocities - 1) < 0.22 && abs(ways - 1) < 0.22, "\(velocities), \(ways)")
        #expect(still > ways, "\(still)")
    }

    @Test func withoutAnyVelocityItsSigmasAreThoseOfTraffic() {
        // GIVEN an exact velocity, and nothing known of the acceleration but its 1.5 m/s2 over 3 s, or one that lasts
        // for a second THEN a second later velocity and way are as unsure as such an acceleration makes them
        var model = ReceiverAcceleration(velocity: .zero, sigma: 0)
        let vehicle = model.sigma(after: 1)
        #expect(abs(vehicle.velocity - 1.421_097) < 1e-5 && abs(vehicle.way - 0.718_180) < 1e-5)
        model.note(.zero, sigma: 0, after: 6, correlationSeconds: 1)
        let person = model.sigma(after: 1)
        #expect(abs(person.velocity - 1.286_646) < 1e-5 && abs(person.way - 0.662_635) < 1e-5)
    }

    @Test(
        arguments: [
            (
                3.0, Vector3(13.398_544, 1.485_577, 0), Vector3(16.480_765, 2.575_465, 0),
                Vector3(22.671_100, 3.123_537, 0), 1.407_744, 1.045_901
            ),
            (
                1.0, Vector3(13.410_732, 1.480_130, 0), Vector3(15.359_404, 2.128_128, 0),
                Vector3(21.980_780, 2.834_678, 0), 1.593_812, 1.213_371
            ),
        ] as [(Double, Vector3, Vector3, Vector3, Double, Double)])
    func threeVelocitiesShowWhatAKalmanFilterOfTheProcessFinds(
        lasting: Double, filtered: Vector3, velocity: Vector3, way: Vector3, velocitySigma: Double, waySigma: Double
    ) {
        // GIVEN velocities known to 0.2 m/s, a second and half a second apart, of a body whose acceleration of 1.5 m/s2
        // lasts for so many seconds (eq. 7.36)
        var model = ReceiverAcceleration(velocity: Vector3(10, 0, 0), sigma: 0.2)
        model.note(Vector3(12, 1, 0), sigma: 0.2, after: 1, correlationSeconds: lasting)
        let last = Vector3(13.5, 1.5, 0)
        model.note(last, sigma: 0.2, after: 0.5, correlationSeconds: lasting)
        // WHEN 1.5 s pass THEN velocity and way, and their sigmas, are those of the discrete process, its transition
        // the exponential of the continuous one's matrix
        #expect((model.velocity - filtered).length < 2e-6, "\(model.velocity)")
        let carried = model.carry(last, over: 1.5)
        #expect((carried.velocity - velocity).length < 2e-6 && (carried.way - way).length < 2e-6, "\(carried)")
        let sigma = model.sigma(after: 1.5)
        #expect(abs(sigma.velocity - velocitySigma) < 1e-6 && abs(sigma.way - waySigma) < 1e-6, "\(sigma)")
    }
}
