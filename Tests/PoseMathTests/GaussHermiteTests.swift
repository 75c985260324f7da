import PoseMath
import Testing

@Suite struct GaussHermiteTests {
    /// Moments of the normal distribution of sigma 1: 1, 0, 1, 0, 3, 0; the sixth, 15, is beyond three points.
    @Test(arguments: zip(0...5, [1.0, 0, 1, 0, 3, 0])) func theMomentsAreThoseOfTheNormalDistribution(
        power: Int, moment: Double
    ) {
        // GIVEN a power WHEN its mean is taken over the points
        let mean = GaussHermite.threePoints.reduce(0.0) { sum, point in
            sum + point.weight * (0..<power).reduce(1.0) { product, _ in product * point.sigmas }
        }
        // THEN it is the moment, but for rounding
        #expect(abs(mean - moment) < 1e-14)
    }
}
