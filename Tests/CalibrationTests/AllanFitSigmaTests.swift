import Glibc
import Testing

@testable import Calibration

/// How well the terms of a curve are known, against the least squares of two terms by hand.
@Suite struct AllanFitSigmaTests {
    /// The Allan variances of random walk, flicker and rate random walk at an averaging time, for coefficients of 1.
    private static let terms: [@Sendable (Double) -> Double] = [{ 1 / $0 }, { _ in 2 * log(2) / .pi }, { $0 / 3 }]

    /// Points from 1 to 512 s with a half of the freedom each time, of two terms with these coefficients.
    private static func points(_ first: (term: Int, value: Double), _ second: (term: Int, value: Double))
        -> [AllanFit.Point]
    {
        (0..<10).map { index in
            let t = Double(1 << index)
            let variance = first.value * terms[first.term](t) + second.value * terms[second.term](t)
            return AllanFit.Point(seconds: t, deviation: variance.squareRoot(), freedom: 1e5 / t)
        }
    }

    /// The 1-sigma of both coefficients: points weighed by half of their freedom, with relative differences.
    private static func sigmas(_ points: [AllanFit.Point], _ first: Int, _ second: Int) -> [Double] {
        var (aa, ab, bb) = (0.0, 0.0, 0.0)
        for point in points {
            let variance = point.deviation * point.deviation
            let (a, b) = (terms[first](point.seconds) / variance, terms[second](point.seconds) / variance)
            let weight = point.freedom / 2
            (aa, ab, bb) = (aa + weight * a * a, ab + weight * a * b, bb + weight * b * b)
        }
        let determinant = aa * bb - ab * ab
        return [(bb / determinant).squareRoot(), (aa / determinant).squareRoot()]
    }

    @Test func aRandomWalkAloneIsKnownByAllPoints() throws {
        // GIVEN a random walk alone THEN the share of its sigma is half of that of the variance: of all freedom
        let points = Self.points((0, 4e-6), (0, 0))
        let fit = try #require(AllanFit(points))
        let freedom = points.reduce(0) { $0 + $1.freedom }
        // Rounding of some hundred operations.
        #expect(abs(fit.randomWalk - 2e-3) < 1e-12)
        #expect(abs(fit.randomWalkSigmaShare * 2 * (freedom / 2).squareRoot() - 1) < 1e-9)
        #expect(fit.biasInstability == nil && fit.rateRandomWalk == nil && fit.biasInstabilitySigmaShare == nil)
    }

    @Test(arguments: [0, -1, 1e-200, 1e200, Double.nan, .infinity])
    func aPointWithoutAUsableVarianceIsLeftOut(deviation: Double) throws {
        // GIVEN a curve with a point more, whose variance is zero, too large for a number, or none THEN the fit is that
        // of the others
        let points = Self.points((0, 4e-6), (1, 9e-8))
        let fit = try #require(AllanFit(points))
        #expect(AllanFit(points + [AllanFit.Point(seconds: 1024, deviation: deviation, freedom: 100)]) == fit)
        #expect(AllanFit([AllanFit.Point(seconds: 0, deviation: 1e-3, freedom: 100)] + points) == fit)
    }

    @Test func flickerHasASigmaOfItsOwn() throws {
        // GIVEN random walk and flicker THEN each has its sigma
        let points = Self.points((0, 4e-6), (1, 9e-8))
        let fit = try #require(AllanFit(points))
        let sigmas = Self.sigmas(points, 0, 1)
        // The fit's least squares and these round differently.
        #expect(abs(fit.randomWalk - 2e-3) < 1e-9 && abs((fit.biasInstability ?? 0) - 3e-4) < 1e-9)
        #expect(abs(fit.randomWalkSigmaShare / (sigmas[0] / 4e-6 / 2) - 1) < 1e-6)
        #expect(abs((fit.biasInstabilitySigmaShare ?? 0) / (sigmas[1] / 9e-8 / 2) - 1) < 1e-6)
        #expect(fit.rateRandomWalk == nil)
    }

    @Test func aRateRandomWalkIsSeenWhereItIsSure() throws {
        // GIVEN random walk and rate random walk, at which the sigma is just below and just above a third THEN only the
        // former is told
        for (scale, isSeen) in [(0.97, true), (1.03, false)] {
            let share = { (points: [AllanFit.Point]) in Self.sigmas(points, 0, 2)[1] / 9e-12 / 2 }
            var points = Self.points((0, 4e-6), (2, 9e-12))
            // The sigma falls with the root of the freedom.
            let factor = share(points) / (0.33 * scale)
            points = points.map {
                AllanFit.Point(seconds: $0.seconds, deviation: $0.deviation, freedom: $0.freedom * factor * factor)
            }
            let fit = try #require(AllanFit(points.filter { $0.freedom >= 3 }))
            #expect(points.allSatisfy { $0.freedom >= 3 }, "\(points.map(\.freedom))")
            #expect((fit.rateRandomWalk != nil) == isSeen, "\(scale)")
            if isSeen { #expect(abs((fit.rateRandomWalk ?? 0) - 3e-6) < 1e-9) }
        }
    }

    @Test(arguments: [(18.0, false), (25, true)]) func aTermHasToBeWorthTwo(freedom: Double, isSeen: Bool) throws {
        // GIVEN random walk and a little flicker, at ten points of the same freedom, so that the flicker explains what
        // a random walk alone leaves: a cost of just below, and above, two
        let points = (0..<10).map { index in
            let t = Double(1 << index)
            let variance = 4e-6 * Self.terms[0](t) + 9e-9 * Self.terms[1](t)
            return AllanFit.Point(seconds: t, deviation: variance.squareRoot(), freedom: freedom)
        }
        let fit = try #require(AllanFit(points))
        // THEN it is told only above; below, the random walk has its share too
        #expect((fit.biasInstability != nil) == isSeen)
        #expect(abs(fit.randomWalk - (isSeen ? 2e-3 : 2.099e-3)) < 1e-6, "\(fit.randomWalk)")
        if isSeen { #expect(abs((fit.biasInstability ?? 0) - 9.487e-5) < 1e-8) }
    }
}
