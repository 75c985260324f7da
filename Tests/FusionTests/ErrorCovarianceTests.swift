import PoseMath
import Testing

@testable import Fusion

/// When a covariance is one, what a noise adds to it, and what a row makes of an error.
@Suite struct ErrorCovarianceTests {
    @Test(
        arguments: [
            (0, true), (9.9e17, true), (1e18, false), (-1e-300, false), (.nan, false), (.infinity, false),
        ] as [(Double, Bool)])
    func everyVarianceIsANumberThatIsNotNegative(variance: Double, isExpected: Bool) {
        // GIVEN a covariance WHEN one variance of it is zero or large, or beyond 1e18, negative or no number THEN only
        // with the former it is healthy, whichever variance that is
        for i in 0..<FilterState.count {
            var covariance = Covariance.identity
            covariance[i, i] = variance
            let isHealthy = covariance.isHealthy()
            #expect(isHealthy == isExpected, "\(i)")
        }
    }

    @Test func aNoiseOfAVectorIsThatOfItsThreeAxes() {
        // GIVEN a covariance of zero WHEN a noise is added to the velocity, twice THEN each of its elements has twice
        // the noise's own, on both sides of the diagonal, and no other element has any
        let noise = SymmetricMatrix3(diagonal: Vector3(1, 2, 3), offDiagonal: Vector3(4, 5, 6))
        var covariance = Covariance()
        for _ in 0..<2 { covariance.addNoise(noise, to: .velocity) }
        let expected = [[2.0, 12, 10], [12, 4, 8], [10, 8, 6]]
        for i in 0..<FilterState.count {
            for j in 0..<FilterState.count {
                let isOwn = (3..<6).contains(i) && (3..<6).contains(j)
                let found = covariance[i, j]
                #expect(found == (isOwn ? expected[i - 3][j - 3] : 0), "\(i) \(j)")
            }
        }
    }

    @Test func aNoiseAlongTwoStatesIsOneErrorOfBoth() {
        // GIVEN a covariance of zero WHEN a noise with a variance of 2 turns the heading by 3 and moves the velocity by
        // (1, -2, 0.5) for its unit THEN their variances are those of these changes, and their covariances the products
        var covariance = Covariance()
        covariance.addNoise(2, along: (.attitude.z, 3), .velocity, Vector3(1, -2, 0.5))
        let changes = [3: 1.0, 4: -2, 5: 0.5, 8: 3]
        for i in 0..<FilterState.count {
            for j in 0..<FilterState.count {
                let found = covariance[i, j]
                #expect(found == 2 * (changes[i] ?? 0) * (changes[j] ?? 0), "\(i) \(j)")
            }
        }
    }

    @Test func aRowTimesAnErrorIsTheSumOfItsProducts() {
        // GIVEN a row of the place to the east and of the velocity THEN its product with an error is 2 times 5 m, and
        // 3 times 1 m/s less 4 m/s and half of -2 m/s, and the other elements do not count
        var row = ObservationRow()
        row.add(.position.x, 2)
        row.add(.velocity, Vector3(3, -1, 0.5))
        var error = ErrorVector()
        for (index, value) in [(0, 5.0), (1, 7), (3, 1), (4, 4), (5, -2), (8, 9)] { error[index] = value }
        let product = row.times(error)
        #expect(product == 8)
    }
}
