import PoseMath
import SeededNumbers
import Testing

@Suite struct SymmetricMatrix3Tests {
    private func full(_ s: SymmetricMatrix3) -> Matrix<3, 3> {
        Matrix(rows: s * .unitX, s * .unitY, s * .unitZ)
    }

    private func random(_ source: inout SplitMix64) -> Vector3 {
        Vector3(source.uniform(-1, 1), source.uniform(-1, 1), source.uniform(-1, 1))
    }

    @Test func elementOrder() {
        let s = SymmetricMatrix3(diagonal: Vector3(1, 2, 3), offDiagonal: Vector3(4, 5, 6))
        let expected = Matrix(rows: Vector3(1, 6, 5), Vector3(6, 2, 4), Vector3(5, 4, 3))
        #expect(difference(full(s), expected) == 0)
        #expect(difference(full(SymmetricMatrix3(isotropic: 2)), Matrix<3, 3>.identity * 2) == 0)
        #expect(difference(full(SymmetricMatrix3.zero), Matrix()) == 0)
    }

    @Test func algebraMatchesTheFullMatrix() {
        var source = SplitMix64(seed: 43)
        for _ in 0..<200 {
            let (u, v, w) = (random(&source), random(&source), random(&source))
            let (a, b) = (SymmetricMatrix3(squareOf: u) + SymmetricMatrix3(diagonal: v), SymmetricMatrix3(squareOf: w))
            // Sums of a few products of numbers below two: 1e-14 is many roundings.
            #expect(difference(full(a + b), full(a) + full(b)) < 1e-14)
            #expect(difference(full(a - b), full(a) - full(b)) < 1e-14)
            #expect(difference(full(a * 3), full(a) * 3) < 1e-14)
            #expect((SymmetricMatrix3(squareOf: w) * u - w * w.dot(u)).length < 1e-14)
            // GIVEN rotated axes; THEN the covariance in them is C S C^T
            let c = Quaternion(rotationVector: u * 3).matrix
            #expect(difference(full(a.turned(by: c)), c * full(a) * c.transposed) < 1e-14)
        }
    }

    @Test func theInverseSolves() {
        var source = SplitMix64(seed: 44)
        for _ in 0..<200 {
            // GIVEN a covariance whose elements are of different size, with eigenvalues of 0.1 and more before scaling
            let (u, v, scale) = (random(&source), random(&source), Vector3(1, 30, 1e-3))
            let a =
                SymmetricMatrix3(squareOf: u * scale) + SymmetricMatrix3(squareOf: v * scale)
                + SymmetricMatrix3(diagonal: scale * scale * 0.1)
            // THEN the inverse gives back what the matrix was multiplied with: the adjugate loses a few digits
            let x = random(&source) / scale
            #expect(((a.inverse * (a * x) - x) * scale).length < 1e-12)
        }
        // AND a singular matrix has none
        #expect(!SymmetricMatrix3(squareOf: Vector3(1, 2, 3)).inverse.isFinite)
    }

    @Test func nanIsDetected() {
        #expect(SymmetricMatrix3.zero.isFinite)
        #expect(!SymmetricMatrix3(diagonal: Vector3(0, .nan, 0)).isFinite)
        #expect(!SymmetricMatrix3(diagonal: .zero, offDiagonal: Vector3(0, 0, .infinity)).isFinite)
    }
}
