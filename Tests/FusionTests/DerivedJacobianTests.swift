import Foundation
import Geodesy
import PoseMath
import Testing

@testable import Fusion

/// The filter's derivatives against those that `docs/derivation/jacobians.py` derives from the nonlinear model.
@Suite struct DerivedJacobianTests {
    /// The kept numbers have ten digits, and elements below 1e-9 are left out; the largest are about 30.
    private static let tolerance = 1e-7

    @Test func errorDynamicsAreTheDerivedOnes() throws {
        let states = try DerivedJacobians.read()
        #expect(states.count >= 40)
        for derived in states {
            // GIVEN a random state and reading WHEN it is carried over so short a step that its middle is its beginning
            var end = derived.state
            let seconds = 1e-6
            let step = Strapdown.advance(
                &end, angularRate: derived.rate, specificForce: derived.force, seconds: seconds)
            for row in 0..<FilterState.dynamicCount {
                for column in 0..<FilterState.count where column != row && column != FilterState.wheelScale.index {
                    // THEN F - I over the step is the derived matrix. Half a step's turn (1e-6 s of 0.5 rad/s) times 20
                    // m/s2 is 1e-5.
                    let found = transition(step, row, column) / seconds
                    let expected = derived.dynamics[row]?[column] ?? 0
                    #expect(abs(found - expected) < 1e-5, "row \(row) column \(column)")
                }
            }
        }
    }

    /// Element of F, read off the propagation by way of an element that only drifts.
    private func transition(_ step: Strapdown.Step, _ row: Int, _ column: Int) -> Double {
        var p = Covariance()
        p[column, FilterState.wheelScale.index] = 1
        p[FilterState.wheelScale.index, column] = 1
        p.propagate(over: step)
        return p[row, FilterState.wheelScale.index]
    }

    private func motion(of derived: DerivedJacobians, lag: Double) -> LagMotion {
        LagMotion(seconds: lag, way: .zero, firstVelocity: derived.pastVelocity)
    }

    /// Heights and climbs say nothing of the antenna's arm (eq. 5.1).
    private func isLeftOut(_ column: Int, of row: String) -> Bool {
        (row == "position2" || row == "velocity2") && FilterState.antennaArm.elements.contains(column)
    }

    @Test func rowsAreTheDerivedOnes() throws {
        for derived in try DerivedJacobians.read() {
            // GIVEN a filter at a random state
            var filter = NavigationFilter(at: derived.state, leverArm: derived.lever)
            var rows: [String: ObservationRow] = [
                "level": filter.levelVehicleComponent().row,
                "wheelSpeed": filter.wheelSpeedComponent(derived.wheelSpeed).row,
                "zeroRotation": filter.zeroRotationComponent(meanAngularRate: derived.rate).row,
            ]
            let since = motion(of: derived, lag: filter.state.positionLagSeconds)
            for axis in 0..<3 {
                rows["position\(axis)"] = filter.positionComponent(axis, offset: .zero, since: since, sigma: 1).row
                rows["velocity\(axis)"] =
                    filter.velocityComponent(axis, observed: 0, seen: 0, slope: derived.slope[axis], sigma: 1).row
            }
            for axis in 0..<2 {
                rows["gait\(axis)"] = filter.gaitComponent(axis, walked: derived.walked, spread: 1).row
            }
            if let nonholonomic = filter.nonholonomicComponents(now: derived.gained) {
                rows["noSlipLateral"] = nonholonomic.lateral.row
                rows["noSlipVertical"] = nonholonomic.vertical.row
            } else {
                #expect(abs(derived.state.velocityVehicle.x) <= 1)
            }
            for (name, row) in rows {
                let expected = try #require(derived.rows[name])
                var found = [Double](repeating: 0, count: FilterState.count)
                for k in 0..<row.count { found[row[k].index] += row[k].value }
                // THEN its rows are the derived ones, also where they are zero
                for column in 0..<FilterState.count where name != "wheelSpeed" || column != FilterState.wheelScale.index
                {
                    let own = isLeftOut(column, of: name) ? 0 : expected[column] ?? 0
                    #expect(abs(found[column] - own) < Self.tolerance, "\(name) \(column)")
                }
                // The filter turns the wheel's sign where the vehicle backs up.
                if name == "wheelSpeed" {
                    let k = FilterState.wheelScale.index
                    #expect(abs(abs(found[k]) - abs(expected[k] ?? 0)) < Self.tolerance)
                }
            }
        }
    }

    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../docs/derivation/jacobians.py").standardizedFileURL.path
    private static let hasSymPy = run(["-c", "import sympy, numpy"]) == 0

    private static func run(_ arguments: [String]) -> Int32? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        process.waitUntilExit()
        return process.terminationStatus
    }

    @Test(.enabled(if: hasSymPy, "python3 has no SymPy and NumPy")) func theKeptNumbersAreThoseOfTheDerivation() {
        // GIVEN the script WHEN it derives everything anew THEN it finds the numbers in the file, and agrees with
        // differences of the model
        #expect(Self.run([Self.script, "--check"]) == 0)
    }
}
