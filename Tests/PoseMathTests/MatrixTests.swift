import PoseMath
import SeededNumbers
import Testing

@Suite struct MatrixTests {
    private func random<let R: Int, let C: Int>(_ source: inout SplitMix64) -> Matrix<R, C> {
        var m = Matrix<R, C>()
        for i in 0..<R { for j in 0..<C { m[i, j] = source.uniform(-1, 1) } }
        return m
    }

    @Test func knownProduct() {
        var a = Matrix<2, 3>()
        var b = Matrix<3, 2>()
        for i in 0..<2 {
            for j in 0..<3 {
                a[i, j] = Double(3 * i + j + 1)
                b[j, i] = Double(2 * j + i + 7)
            }
        }
        // [1 2 3; 4 5 6] * [7 8; 9 10; 11 12]
        let product = a * b
        #expect(product[0, 0] == 58 && product[0, 1] == 64 && product[1, 0] == 139 && product[1, 1] == 154)
    }

    @Test func algebra() {
        var source = SplitMix64(seed: 41)
        for _ in 0..<200 {
            let (a, b): (Matrix<4, 3>, Matrix<4, 3>) = (random(&source), random(&source))
            let (c, d): (Matrix<3, 5>, Matrix<5, 2>) = (random(&source), random(&source))
            // Sums of five products of numbers below one: 1e-14 is many roundings.
            #expect(difference((a + b) * c, a * c + b * c) < 1e-14)
            #expect(difference((a - b) * c, a * c - b * c) < 1e-14)
            #expect(difference((a * c) * d, a * (c * d)) < 1e-14)
            #expect(difference((a * c).transposed, c.transposed * a.transposed) == 0)
            #expect(difference(a.transposed.transposed, a) == 0)
            #expect(difference(a * Matrix<3, 3>.identity, a) == 0 && difference(Matrix<4, 4>.identity * a, a) == 0)
            #expect(difference(a * 2, a + a) == 0 && difference(a * 0, Matrix()) == 0)
        }
    }

    @Test func determinant() {
        #expect(Matrix<3, 3>.identity.determinant == 1)
        #expect(Matrix(rows: Vector3(2, 0, 0), Vector3(0, 3, 0), Vector3(0, 0, -4)).determinant == -24)
        #expect(Matrix(rows: Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 10)).determinant == -3)
        #expect(Matrix(rows: Vector3(1, 2, 3), Vector3(2, 4, 6), Vector3(7, 8, 10)).determinant == 0)
        var source = SplitMix64(seed: 42)
        for _ in 0..<200 {
            let (a, b): (Matrix<3, 3>, Matrix<3, 3>) = (random(&source), random(&source))
            #expect(abs((a * b).determinant - a.determinant * b.determinant) < 1e-14)
            #expect(abs(a.transposed.determinant - a.determinant) < 1e-15)
            #expect(abs(Matrix(rows: a.row(1), a.row(0), a.row(2)).determinant + a.determinant) < 1e-15)
        }
    }

    @Test func skewMatrixEqualsTheCrossProduct() {
        var source = SplitMix64(seed: 43)
        for _ in 0..<200 {
            let (u, v) = (source.vector(5), source.vector(5))
            #expect(u.skew * v == u.cross(v))
            #expect(difference(u.skew.transposed, u.skew * -1) == 0)
        }
        #expect(
            Vector3.unitX.cross(.unitY) == .unitZ && Vector3.unitY.cross(.unitZ) == .unitX
                && Vector3.unitZ.cross(.unitX) == .unitY)
    }

    @Test func rowsAndColumns() {
        let m = Matrix(rows: Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9))
        #expect(m.row(1) == Vector3(4, 5, 6) && m.column(1) == Vector3(2, 5, 8) && m[2, 0] == 7)
        #expect(m * Vector3(1, 0, -1) == Vector3(-2, -2, -2))
    }

    @Test func nonFiniteIsDetected() {
        var m = Matrix<2, 4>()
        #expect(m.isFinite)
        for bad in [Double.nan, .infinity, -.infinity] {
            m[1, 3] = bad
            #expect(!m.isFinite)
        }
    }

    @Test func vectorsWithoutDirection() {
        #expect(
            Vector3(0, 3, 4).normalized == Vector3(0, 0.6, 0.8) && Vector3(3, 4, 12).length == 13
                && Vector3(3, 4, 12).horizontalLength == 5)
        for bad in [Vector3.zero, Vector3(.nan, 1, 0), Vector3(.infinity, 0, 0), Vector3(1e200, 1e200, 0)] {
            #expect(bad.normalized == nil)
        }
        #expect(!Vector3(0, .nan, 0).isFinite && !Vector3(0, 0, -.infinity).isFinite && Vector3.zero.isFinite)
    }
}
