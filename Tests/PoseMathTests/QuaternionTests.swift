import PoseMath
import SeededNumbers
import Testing

/// Rotations form a group, and exponential and logarithm are inverse to each other.
///
/// Tolerance 1e-14 for a few roundings of numbers near one (each 1.1e-16); wider tolerances state their reason.
@Suite struct QuaternionTests {
    private static let rounding = 1e-14

    @Test func multiplicationFormsAGroup() {
        // GIVEN random rotations
        var random = SplitMix64(seed: 1)
        for _ in 0..<1_000 {
            let (a, b, c) = (random.rotation(), random.rotation(), random.rotation())
            // THEN products are associative, keep unit length, and have a neutral and an inverse element
            let (left, right) = ((a * b) * c, a * (b * c))
            #expect(abs(left.w - right.w) < Self.rounding && abs(left.x - right.x) < Self.rounding)
            #expect(abs(left.y - right.y) < Self.rounding && abs(left.z - right.z) < Self.rounding)
            let ab = a * b
            #expect(abs(ab.w * ab.w + ab.x * ab.x + ab.y * ab.y + ab.z * ab.z - 1) < Self.rounding)
            #expect(a * .identity == a && .identity * a == a)
            #expect(angle(a * a.inverse, .identity) < Self.rounding && angle(a.inverse * a, .identity) < Self.rounding)
            #expect(angle((a * b).inverse, b.inverse * a.inverse) < Self.rounding)
        }
    }

    @Test func rightFactorIsAppliedFirst() {
        // GIVEN quarter turns about z and about x
        let aboutZ = Quaternion(rotationVector: Vector3(0, 0, .pi / 2))
        let aboutX = Quaternion(rotationVector: Vector3(.pi / 2, 0, 0))
        // THEN each rotates counter-clockwise seen from the tip of its axis, and a product applies its right factor
        // first
        #expect((aboutZ.rotate(.unitX) - .unitY).length < Self.rounding)
        #expect((aboutX.rotate(.unitY) - .unitZ).length < Self.rounding)
        #expect(((aboutZ * aboutX).rotate(.unitY) - .unitZ).length < Self.rounding)
        #expect(((aboutX * aboutZ).rotate(.unitX) - .unitZ).length < Self.rounding)
        var random = SplitMix64(seed: 2)
        for _ in 0..<1_000 {
            let (a, b, v) = (random.rotation(), random.rotation(), random.vector(10))
            // 1e-13: the vectors are up to 17 long
            #expect(((a * b).rotate(v) - a.rotate(b.rotate(v))).length < 1e-13)
        }
    }

    @Test func rotationKeepsLengthsAnglesAndHandedness() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<1_000 {
            let (q, u, v) = (random.rotation(), random.direction(), random.direction())
            #expect(abs(q.rotate(u).length - 1) < Self.rounding)
            #expect(abs(q.rotate(u).dot(q.rotate(v)) - u.dot(v)) < Self.rounding)
            #expect((q.rotate(u.cross(v)) - q.rotate(u).cross(q.rotate(v))).length < Self.rounding)
            #expect((q.inverse.rotate(q.rotate(u)) - u).length < Self.rounding)
        }
    }

    @Test func exponentialAndLogarithmAreInverse() {
        // GIVEN angles from zero to just below pi, across the bounds of the series (1e-4) and of the logarithm's
        // shortcut (2e-12)
        let angles = [
            0, 1e-300, 1e-20, 1e-13, 1.9e-12, 2.1e-12, 1e-8, 0.99e-4, 1.01e-4, 1e-3, 0.5, 1, 3, .pi - 1e-6, .pi - 1e-9,
        ]
        var random = SplitMix64(seed: 4)
        for size in angles {
            for _ in 0..<50 {
                let vector = random.direction() * size
                // WHEN converted to a rotation and back
                let back = Quaternion(rotationVector: vector).rotationVector
                // THEN the relative error is a few roundings
                #expect((back - vector).length <= 4e-15 * size, "angle \(size)")
            }
        }
    }

    @Test func halfTurnRoundTrip() {
        var random = SplitMix64(seed: 5)
        for _ in 0..<200 {
            let axis = random.direction()
            let back = Quaternion(rotationVector: axis * .pi).rotationVector
            // Either direction of the axis is correct.
            #expect(abs(back.length - .pi) < Self.rounding)
            #expect(abs(abs(back.dot(axis)) - .pi) < Self.rounding)
        }
        #expect(Quaternion(w: 0, x: 0, y: 0, z: 1).rotationVector == Vector3(0, 0, .pi))
    }

    @Test func logarithmGivesTheShorterRotation() {
        // GIVEN a rotation by 270 degrees, and the two quaternions of one rotation
        let threeQuarters = Quaternion(rotationVector: Vector3(0, 0, 1.5 * .pi))
        #expect((threeQuarters.rotationVector - Vector3(0, 0, -.pi / 2)).length < Self.rounding)
        var random = SplitMix64(seed: 6)
        for _ in 0..<200 {
            let q = random.rotation()
            let opposite = Quaternion(w: -q.w, x: -q.x, y: -q.y, z: -q.z)
            #expect(q.rotationVector == opposite.rotationVector)
            #expect(q.rotationVector.length <= .pi)
            #expect(q.canonical == opposite.canonical && q.canonical.w >= 0)
        }
    }

    @Test func smallRotationsAccumulate() {
        // GIVEN a rotation composed of a million small steps below the bound of the series
        let steps = 1_000_000
        let step = Quaternion(rotationVector: Vector3(0, 0, 1 / Double(steps)))
        var q = Quaternion.identity
        for _ in 0..<steps { q = q * step }
        // THEN it equals the full rotation: in the worst case a million roundings of 1.1e-16 of the same sign
        #expect(abs(q.normalized.rotationVector.z - 1) < 1.1e-10)
    }

    @Test func normalizeRestoresUnitLength() {
        #expect(Quaternion(w: 0, x: 3, y: 0, z: 4).normalized == Quaternion(w: 0, x: 0.6, y: 0, z: 0.8))
        for bad in [0, Double.nan, .infinity, 1e-301] {
            #expect(Quaternion(w: bad, x: 0, y: 0, z: 0).normalized == .identity)
        }
        #expect(!Quaternion(w: .nan, x: 0, y: 0, z: 0).isFinite && !Quaternion(w: 1, x: 0, y: 0, z: .infinity).isFinite)
        #expect(Quaternion.identity.isFinite)
    }
}

/// The rotation between two directions.
@Suite struct QuaternionBetweenDirectionsTests {
    @Test func shortestRotationBetweenDirections() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<1_000 {
            let (a, b) = (random.direction(), random.direction())
            let q = Quaternion(from: a, to: b)
            // 1e-12: near opposite directions roundings are magnified, here by up to about a hundred
            #expect((q.rotate(a) - b).length < 1e-12)
            #expect(abs(q.rotationVector.length - angleBetween(a, b)) < 1e-12)
        }
    }

    @Test func equalDirectionsGiveTheIdentity() {
        var random = SplitMix64(seed: 8)
        for _ in 0..<100 {
            let a = random.direction()
            #expect(Quaternion(from: a, to: a).rotationVector.length < 1e-15)
        }
    }

    @Test func nearlyOppositeDirections() {
        // GIVEN pairs that are closer and closer to opposite
        var random = SplitMix64(seed: 9)
        for miss in [1e-2, 1e-4, 3e-5, 1e-5, 1e-6, 1e-7, 1e-8, 1e-12] {
            for _ in 0..<50 {
                let a = random.direction()
                guard let across = a.cross(random.direction()).normalized else { continue }
                let b = Quaternion(rotationVector: across * (.pi - miss)).rotate(a)
                // THEN the rotated direction agrees: 2e-7 where the axis is lost in rounding, much better before
                #expect((Quaternion(from: a, to: b).rotate(a) - b).length < 2e-7, "miss \(miss)")
            }
        }
    }

    @Test func oppositeDirectionsGiveAHalfTurn() {
        var random = SplitMix64(seed: 10)
        for _ in 0..<200 {
            let a = random.direction()
            let q = Quaternion(from: a, to: -a)
            #expect((q.rotate(a) + a).length < 1e-14)
            #expect(abs(q.rotationVector.length - .pi) < 1e-14)
        }
        for axis in [Vector3.unitX, .unitY, .unitZ] {
            #expect((Quaternion(from: axis, to: -axis).rotate(axis) + axis).length < 1e-15)
        }
    }

    /// Uses the half-angle form, accurate for small and large angles (Kahan).
    private func angleBetween(_ a: Vector3, _ b: Vector3) -> Double {
        2 * Quaternion(w: (a + b).length, x: (a - b).length, y: 0, z: 0).normalized.rotationVector.length / 2
    }
}

/// Quaternions and direction cosine matrices are equivalent.
@Suite struct QuaternionMatrixTests {
    /// The rotations that map axes to axes: they cover all branches of Shepperd's method and half turns.
    private static var axisRotations: [Matrix<3, 3>] {
        let axes: [Vector3] = [.unitX, .unitY, .unitZ, -.unitX, -.unitY, -.unitZ]
        var all: [Matrix<3, 3>] = []
        for a in axes { for b in axes where a.dot(b) == 0 { all.append(Matrix(rows: a, b, a.cross(b))) } }
        return all
    }

    @Test func axisRotationsRoundTrip() {
        #expect(Self.axisRotations.count == 24)
        for matrix in Self.axisRotations {
            #expect(matrix.determinant == 1)
            let q = Quaternion(matrix: matrix)
            // Components are 0, 1/2, 1/sqrt(2) or 1: two roundings at most.
            #expect(difference(q.matrix, matrix) < 1e-15)
            for axis in [Vector3.unitX, .unitY, .unitZ] { #expect((q.rotate(axis) - matrix * axis).length < 1e-15) }
        }
    }

    @Test func randomRotationsRoundTrip() {
        var random = SplitMix64(seed: 11)
        for _ in 0..<2_000 {
            let (q, v) = (random.rotation(), random.direction())
            #expect(angle(Quaternion(matrix: q.matrix), q) < 1e-14)
            #expect((q.matrix * v - q.rotate(v)).length < 1e-14)
            #expect(abs(q.matrix.determinant - 1) < 1e-14)
            #expect(difference(q.inverse.matrix, q.matrix.transposed) < 1e-15)
        }
    }

    @Test func almostHalfTurnsRoundTrip() {
        // GIVEN rotations about random axes whose trace is close to -1, where a naive conversion divides by zero
        var random = SplitMix64(seed: 12)
        for miss in [0, 1e-15, 1e-10, 1e-6, 1e-3] {
            for _ in 0..<100 {
                let q = Quaternion(rotationVector: random.direction() * (.pi - miss))
                #expect(angle(Quaternion(matrix: q.matrix), q) < 1e-14)
            }
        }
    }

    @Test func theLargestComponentIsPositive() {
        // GIVEN a third of a turn backwards about each axis, the matrices of which have a trace of exactly zero
        let (c, s) = (-0.5, 0.75.squareRoot())
        let matrices: [Matrix<3, 3>] = [
            Matrix(rows: .unitX, Vector3(0, c, s), Vector3(0, -s, c)),
            Matrix(rows: Vector3(c, 0, -s), .unitY, Vector3(s, 0, c)),
            Matrix(rows: Vector3(c, s, 0), Vector3(-s, c, 0), .unitZ),
        ]
        let axes: [Vector3] = [.unitX, .unitY, .unitZ]
        for (matrix, axis) in zip(matrices, axes) {
            let q = Quaternion(matrix: matrix)
            // THEN the component of the axis, the largest, comes from the diagonal and is positive, so that the scalar
            // part is negative; two roundings at most
            #expect(abs(q.w - c) < 1e-15 && (Vector3(q.x, q.y, q.z) - axis * s).length < 1e-15)
        }
    }

    @Test func productsOfMatricesAreProductsOfQuaternions() {
        var random = SplitMix64(seed: 13)
        for _ in 0..<200 {
            let (a, b) = (random.rotation(), random.rotation())
            #expect(difference((a * b).matrix, a.matrix * b.matrix) < 1e-14)
        }
    }

    @Test func nonRotationMatrixGivesUnitLength() {
        for bad in [0, Double.nan, .infinity, -5] {
            var matrix = Matrix<3, 3>.identity
            matrix[0, 0] = bad
            let q = Quaternion(matrix: matrix)
            #expect(q.isFinite && abs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-14, "\(bad)")
        }
    }
}
