import Glibc
import PoseMath
import Testing

@testable import Calibration

/// The residual of the fit of readings of constant length.
@Suite struct EllipsoidFitTests {
    /// The faces and the corners of a cube: 14 directions.
    private static let directions: [Vector3] = {
        let faces = [Vector3.unitX, .unitY, .unitZ].flatMap { [$0, -$0] }
        let sides = [-1.0, 1]
        let corners = sides.flatMap { x in sides.flatMap { y in sides.map { Vector3(x, y, $0) } } }
        return faces + corners.compactMap(\.normalized)
    }()

    @Test(arguments: [EllipsoidFit.Shape.scales, .full]) func theResidualIsThatOfTheReadings(shape: EllipsoidFit.Shape)
        throws
    {
        // GIVEN 14 readings with an error of 0.2 % of the length, 300 times
        var sensors = SimulatedSensors(seed: 11)
        var squares = 0.0
        for _ in 0..<300 {
            let readings = Self.directions.map { $0 * 5 + sensors.normal3(0.01) }
            // WHEN up to nine unknowns are fitted
            let fit = try #require(EllipsoidFit(readings, length: 5, shape: shape))
            let share = try #require(fit.residualShare)
            squares += share * share
        }
        // THEN the residual is that error, although the fit follows it: its mean square of 300 fits with 5 or more
        // readings to spare is right to 3.7 %, so that 15 % are four sigmas
        #expect(abs(squares / 300 / (0.002 * 0.002) - 1) < 0.15, "\(squares / 300)")
    }

    @Test func theShearIsKnownByTheCorners() throws {
        // GIVEN the 14 directions at a length of 5, of which the pair along z is a hundredth too long and too short by
        // turns, so that nothing but the residual changes
        var readings = Self.directions.map { $0 * 5 }
        readings += [Vector3(0, 0, 5.05), Vector3(0, 0, 4.95)]
        let fit = try #require(EllipsoidFit(readings, length: 5, shape: .full))
        // THEN each off-diagonal element is known by the eight corners alone, whose rows are 2/3 for each: the sigma is
        // the residual through the root of 8 times 4/9
        let residual = try #require(fit.residualShare)
        let expected = residual / (8 * 4 / 9.0).squareRoot()
        #expect(residual > 0.004 && residual < 0.006)
        #expect((fit.offDiagonalSigma - Vector3(repeating: expected)).length < 1e-4 * expected)
    }

    @Test func asManyReadingsAsUnknownsLeaveNoResidual() throws {
        // GIVEN six readings for six unknowns, two on each axis, of which one is too long THEN the residual is unknown,
        // and a seventh reading gives it
        var readings = Array(Self.directions.prefix(6))
        readings[0] *= 1.01
        #expect(try #require(EllipsoidFit(readings, length: 1, shape: .scales)).residualShare == nil)
        readings.append(Self.directions[6])
        #expect(try #require(EllipsoidFit(readings, length: 1, shape: .scales)).residualShare != nil)
        #expect(EllipsoidFit(Array(readings.prefix(5)), length: 1, shape: .scales) == nil)
    }

    @Test func aCorrectionThatIsFoundIsFoundAgainFromItself() throws {
        // GIVEN nine readings whose lengths are from 4 to 6, on no ellipsoid, 500 times WHEN scales are fitted
        var sensors = SimulatedSensors(seed: 12)
        var found = 0
        for _ in 0..<500 {
            let readings = (0..<9).map { _ in sensors.direction() * sensors.numbers.uniform(4, 6) }
            guard let fit = EllipsoidFit(readings, length: 5, shape: .scales) else { continue }
            found += 1
            // THEN what is found is where the fit comes to rest: another one that begins there stays. The last step is
            // below 5e-10, and 2000 of that size are allowed where the steps become smaller slowly
            let again = try #require(
                EllipsoidFit(readings, length: 5, shape: .scales, from: fit.correction)?.correction)
            #expect((again.offset - fit.correction.offset).length < 1e-6)
            #expect((again.diagonal - fit.correction.diagonal).length < 1e-6)
        }
        // AND where it does not come to rest nothing is found
        #expect(found > 100 && found < 500, "\(found)")
    }

    @Test(arguments: [(1e3, true), (1e7, false), (.infinity, false)] as [(Double, Bool)])
    func readingsOnATubeLieOnNoEllipsoid(halfLength: Double, isFound: Bool) {
        // GIVEN readings on three rings about an axis, on an ellipsoid of such a half length along it, or on a tube
        let readings = (0..<24).map { number -> Vector3 in
            let (along, angle) = (Double(number / 8 - 1) * 3, Double(number) * 0.7)
            let share = along / halfLength
            return Vector3(cos(angle), sin(angle), 0) * (5 * (1 - share * share).squareRoot()) + Vector3(0, 0, along)
        }
        // THEN an ellipsoid is found where they differ from a tube by more than the digits of a number can tell
        #expect((EllipsoidFit.start(readings) != nil) == isFound)
    }

    @Test func eachElementIsKnownByItsOwnReadings() throws {
        // GIVEN 2, 8 and 18 readings on the axes, of which the last are a hundredth too short and too long by turns, so
        // that there is a residual WHEN scales are fitted
        var readings: [Vector3] = []
        for k in 0..<2 { readings.append(Vector3(k % 2 == 0 ? 5 : -5, 0, 0)) }
        for k in 0..<8 { readings.append(Vector3(0, k % 2 == 0 ? 5 : -5, 0)) }
        for k in 0..<18 { readings.append(Vector3(0, 0, (k % 2 == 0 ? 5 : -5) + 0.05 * Double(k % 3 - 1))) }
        let scales = try #require(EllipsoidFit(readings, length: 5, shape: .scales))
        // THEN offset and scale of each axis are known by its readings alone, but for the square of that hundredth
        let residual = try #require(scales.residualShare)
        let expected = residual / Vector3(2, 8, 18).squareRoot()
        #expect(residual > 1e-3)
        #expect((scales.offsetSigmaShare / expected - Vector3(repeating: 1)).length < 1e-3)
        #expect((scales.scaleSigma / expected - Vector3(repeating: 1)).length < 1e-3)
        // WHEN 4 readings between the axes y and z, 8 between x and z, 12 between x and y are added and all is fitted
        for (a, b, count) in [(Vector3.unitY, Vector3.unitZ, 1), (.unitX, .unitZ, 2), (.unitX, .unitY, 3)] {
            let around = [a + b, a - b, b - a, -a - b].map { $0 * (5 / 2.0.squareRoot()) }
            for _ in 0..<count { readings += around }
        }
        let full = try #require(EllipsoidFit(readings, length: 5, shape: .full))
        // THEN each off-diagonal element is known by those
        let between = try #require(full.residualShare) / Vector3(4, 8, 12).squareRoot()
        #expect((full.offDiagonalSigma / between - Vector3(repeating: 1)).length < 1e-3)
    }

    @Test func tenReadingsAreEnoughForAStart() {
        // GIVEN the faces of a cube and every other corner THEN they determine the nine unknowns, and one of them fewer
        // is not taken
        let ten = Array(Self.directions.prefix(6)) + [0, 3, 5, 6].map { Self.directions[6 + $0] }
        #expect(EllipsoidFit.start(ten) != nil)
        #expect(EllipsoidFit.start(Array(ten.dropFirst())) == nil)
    }

    @Test(arguments: [0.0, -1]) func aMatrixThatIsNotPositiveHasNoRoot(last: Double) {
        // GIVEN a matrix with an eigenvalue of zero, or below THEN it has no root, and one with a small one has
        func root(_ value: Double) -> SymmetricRoot? {
            SymmetricRoot([Vector3(4, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, value)])
        }
        #expect(root(last) == nil)
        #expect(root(1e-4)?.rows.map(\.z) == [0, 0, 0.01])
    }
}
