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
}
