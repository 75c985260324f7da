import PoseMath
import Testing

@testable import SensorInterface

/// Every matrix with one +1 or -1 in each row and column: 24 rotations and 24 reflections.
private let signedPermutations: [[Vector3]] = {
    var all: [[Vector3]] = []
    for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
        for signs in 0..<8 {
            all.append(
                (0..<3).map { row in
                    var v = Vector3()
                    v[order[row]] = signs & (1 << row) == 0 ? 1 : -1
                    return v
                })
        }
    }
    return all
}()

private func text(_ rows: [Vector3]) -> String { rows.map { "\($0.x), \($0.y), \($0.z)" }.joined(separator: "; ") }

private func refusal(_ text: String) -> String? {
    do throws(MountMatrixFault) {
        _ = try MountMatrix(text)
        return nil
    } catch {
        return error.description
    }
}

@Suite struct MountMatrixTests {
    @Test func acceptsThe24RotationsAndRejectsThe24Reflections() throws {
        var accepted = 0
        var refused = 0
        for rows in signedPermutations {
            // GIVEN a signed permutation, with its determinant from the rule of Sarrus and the triple product
            let determinant = rows[0].dot(rows[1].cross(rows[2]))
            // WHEN it is parsed from the kernel's text form
            if determinant > 0 {
                let matrix = try MountMatrix(text(rows))
                let v = Vector3(0.1, -2, 30)
                // THEN a rotation is applied without a rounding error
                #expect(matrix.apply(v) == Vector3(rows[0].dot(v), rows[1].dot(v), rows[2].dot(v)))
                #expect((matrix.sensorToBoard.rotate(v) - matrix.apply(v)).length < 1e-12)
                accepted += 1
            } else {
                // THEN a reflection is rejected as one
                #expect(refusal(text(rows))?.contains("mirror") == true)
                refused += 1
            }
        }
        #expect(accepted == 24)
        #expect(refused == 24)
    }

    @Test func errorsNameTheProblem() {
        #expect(
            refusal("0, 1, 0; 1, 0, 0; 0, 0, 1")?.contains("axes x and y are swapped without a change of sign") == true)
        #expect(refusal("1, 0, 0; 0, 1, 0; 0, 0, -1")?.contains("z is reversed") == true)
        #expect(refusal("-1, 0, 0; 0, -1, 0; 0, 0, -1")?.contains("x, y, z are reversed") == true)
        #expect(refusal("1, 0, 0; 0, 0, 0; 0, 0, 1")?.contains("row 2 is zero") == true)
        #expect(refusal("0, 0, 0; 0, 0, 0; 0, 0, 0")?.contains("row 1 is zero") == true)
        #expect(refusal("1, 0, 0; 1, 0, 0; 0, 0, 1")?.contains("column 2 is zero") == true)
        #expect(refusal("0, 1, 0; 1, 0, 1; 1, 0, 1")?.contains("rows 2 and 3 take the same sensor axis") == true)
        #expect(refusal("1.01, 0, 0; 0, 1.01, 0; 0, 0, 1.01")?.contains("length 1.01 in place of 1") == true)
        #expect(refusal("1, 0.1, 0; 0, 1, 0; 0, 0, 1")?.contains("not at right angles") == true)
        #expect(refusal("nan, 0, 0; 0, 1, 0; 0, 0, 1")?.contains("not finite") == true)
        #expect(refusal("1, 0, 0; 0, inf, 0; 0, 0, 1")?.contains("row 2 holds a number that is not finite") == true)
        #expect(refusal("1e200, 0, 0; 0, 1, 0; 0, 0, 1")?.contains("not a rotation") == true)
        #expect(refusal("1, 0, 0; 0, 1, 0")?.contains("2 rows") == true)
        #expect(refusal("1, 0; 0, 1, 0; 0, 0, 1")?.contains("row 1 has 2 numbers") == true)
        #expect(refusal("1, 0, 0; 0, x, 0; 0, 0, 1")?.contains("'x' in row 2 is not a number") == true)
        #expect(refusal("")?.contains("1 row") == true)
    }

    @Test func acceptsRotationsWithThreeDecimals() throws {
        // GIVEN half a right angle about z with three decimals: rows of length 0.99985
        let matrix = try MountMatrix("0.707, -0.707, 0; 0.707, 0.707, 0; 0, 0, 1")
        // THEN it rotates by 45 degrees and keeps lengths, which the printed digits alone would not
        let turned = matrix.apply(Vector3(1, 0, 0))
        #expect(abs(turned.length - 1) < 1e-12)
        #expect(abs(turned.x - 0.5.squareRoot()) < 1e-12)
        #expect(!matrix.isIdentity)
        #expect(try MountMatrix("1, 0, 0;0,1,0 ;0, 0, 1\n").isIdentity)
    }

    @Test(arguments: [
        ("1,0,0;0,1,0;0,0,1;", "not a mount matrix: 4 rows separated by ';'; there must be 3"),
        ("", "not a mount matrix: 1 row separated by ';'; there must be 3"),
        (
            "1,0,0;0;0,0,1",
            "not a mount matrix: row 2 has 1 number separated by ','; there must be 3"
        ),
        (
            "1,0,0,;0,1,0;0,0,1", "not a mount matrix: row 1 has 4 numbers separated by ','; there must be 3"
        ),
        ("1,0,0;0,1,0;0,0, two ", "not a mount matrix: 'two' in row 3 is not a number"),
        ("1,0,0;0,1,0;0,0,inf", "not a rotation: row 3 holds a number that is not finite"),
        ("1,0,0;0,1,0;0,0,0.002", "not a rotation: row 3 is zero, so board axis z would always read zero"),
        ("1,0,0;0,1,0;0.999,0,0.001", "not a rotation: column 3 is zero, so the sensor's z axis is used nowhere"),
        ("1,0,0;0,1,0;0.999,0,0.002", "not a rotation: column 3 is zero, so the sensor's z axis is used nowhere"),
        ("1,0,0;0,1,0;0.999,0,0.0021", "not a rotation: rows 1 and 3 take the same sensor axis"),
        ("1,0.05,0;0,1,0;0,0,1", "not a rotation: rows 1 and 2 are not at right angles (cosine 0.04994)"),
        ("1,0,0;0,1,0;0.05,0,1", "not a rotation: rows 1 and 3 are not at right angles (cosine 0.04994)"),
        (
            "1,0,0;0,1.002,0;0,0,1",
            "not a rotation: row 2 has length 1.002 in place of 1; a scale belongs into the sensor's scale setting"
        ),
        (
            "-1,0,0;0,-1,0;0,0,-1",
            "a mirror image, not a rotation (determinant -1): x, y, z are reversed; an even number of axes must be"
        ),
        (
            "1,0,0;0,-1,0;0,0,1",
            "a mirror image, not a rotation (determinant -1): y is reversed; an even number of axes must be"
        ),
        (
            "0,0,1;0,1,0;1,0,0",
            "a mirror image, not a rotation (determinant -1): axes x and z are swapped without a change of sign; one "
                + "of them must be negative"
        ),
        (
            "0,-1,0;0,0,1;1,0,0",
            "a mirror image, not a rotation (determinant -1): the axes go around and an odd number of them is "
                + "reversed; an even number must be"
        ),
        (
            "0.6,0.8,0;0.8,-0.6,0;0,0,1",
            "a mirror image, not a rotation (determinant -1): one row must have all its signs changed"
        ),
    ])
    func eachFaultHasItsSentence(matrix: String, sentence: String) { #expect(refusal(matrix) == sentence) }

    @Test func deviationsUpToTheToleranceAreTaken() throws {
        // GIVEN rows whose squared length, or whose cosine, differs by just less than 2e-3 THEN they are made a
        // rotation
        for text in ["1.0009,0,0;0,1,0;0,0,0.9991", "1,0.0019,0;0,1,0;0,0,1", "1,0,0;0,1,0;-0.0019,0,1"] {
            let matrix = try MountMatrix(text)
            #expect(!matrix.isIdentity)
            let axes = [Vector3.unitX, .unitY, .unitZ].map { matrix.apply($0) }
            // Gram-Schmidt is exact to the rounding.
            #expect(axes.allSatisfy { abs($0.length - 1) < 1e-12 })
            #expect(abs(axes[0].dot(axes[1])) < 1e-12 && abs(axes[0].dot(axes[2])) < 1e-12)
        }
        #expect(refusal("1.0011,0,0;0,1,0;0,0,1") != nil && refusal("1,0.0021,0;0,1,0;0,0,1") != nil)
        #expect(throws: MountMatrixFault.form("2 rows; there must be 3")) {
            try MountMatrix(checking: [.unitX, .unitY])
        }
    }
}
