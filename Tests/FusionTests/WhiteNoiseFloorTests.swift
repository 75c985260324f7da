import Glibc
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// The sensor's own white noise, found below vibration and motion.
@Suite struct WhiteNoiseFloorTests {
    /// The floor after samples at 100 Hz, each of them white noise of 0.1 on every axis with `added` on top.
    private func floor(seconds: Int, noise: Double = 0.1, _ added: (Double) -> Vector3) -> Double {
        var (floor, random) = (WhiteNoiseFloor(), RandomSource(seed: 21, use: 5))
        for k in 0..<seconds * 100 {
            let white = Vector3(random.gaussian(), random.gaussian(), random.gaussian()) * noise
            floor.add(white + added(Double(k) / 100), interval: 0.01)
        }
        return floor.density
    }

    /// What white noise of 0.1 at 100 Hz has. The least of some twenty variances of 128 differences is 0.7 of the mean
    /// in most cases: each scatters by 15 %.
    private let white = 0.1 * 0.1 * 0.01

    @Test func whiteNoiseHasItsDensity() {
        // GIVEN white noise alone THEN its density is found
        let found = floor(seconds: 30) { _ in .zero }
        #expect(found > 0.55 * white && found < 1.1 * white, "\(found / white)")
    }

    @Test func vibrationAndMotionAddNothing() {
        // GIVEN besides a vibration of 1 at 37 Hz on all axes, and turns of 1 within 7 s, ten times the noise each
        let found = floor(seconds: 60) { t in
            let (shake, turn) = (sin(2 * .pi * 37 * t), sin(2 * .pi * t / 7))
            return Vector3(shake + turn, shake - turn, turn - shake)
        }
        // THEN means of eight hold little of either: at most twice the white noise is found, where the differences of
        // neighbours alone would give fifty times as much
        #expect(found > 0.55 * white && found < 2 * white, "\(found / white)")
    }

    @Test(arguments: 0..<3) func theQuietAxisAndTheQuietTimeDecide(quiet: Int) {
        // GIVEN noise that is ten times as large on two axes, and on the third as well after ten seconds
        var random = RandomSource(seed: 5, use: 6)
        let found = floor(seconds: 30) { t in
            var added = random.gaussianVector()
            if t <= 10 { added[quiet] = 0 }
            return added
        }
        // THEN it is not taken for the sensor's own
        #expect(found < 1.1 * white, "\(found / white)")
    }

    @Test func aSensorThatRepeatsItselfHasNoFloor() {
        // GIVEN readings that do not change THEN no density is made of them
        #expect(floor(seconds: 30, noise: 0) { _ in Vector3(1, 2, 3) } == 0)
    }

    @Test func aSensorThatStopsKeepsAFloor() {
        // GIVEN white noise, and readings that do not change after it
        var (floor, random) = (WhiteNoiseFloor(), RandomSource(seed: 22, use: 5))
        for _ in 0..<2000 {
            floor.add(Vector3(random.gaussian(), random.gaussian(), random.gaussian()) * 0.1, interval: 0.01)
        }
        for _ in 0..<1000 { floor.add(Vector3(1, 2, 3), interval: 0.01) }
        // THEN there is a density: only a mean over both kinds may have made it less
        #expect(floor.density > 0 && floor.density < 1.1 * white, "\(floor.density)")
    }
}
