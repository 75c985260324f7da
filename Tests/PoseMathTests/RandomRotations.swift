import Glibc
import PoseMath
import SeededNumbers

extension SplitMix64 {
    mutating func vector(_ size: Double) -> Vector3 {
        let x = uniform(-size, size)
        let y = uniform(-size, size)
        return Vector3(x, y, uniform(-size, size))
    }

    mutating func direction() -> Vector3 {
        while true { if let unit = vector(1).normalized { return unit } }
    }

    /// Uniformly distributed over all rotations (Shoemake 1992).
    mutating func rotation() -> Quaternion {
        let u = uniform(0, 1)
        let (a, b) = (uniform(0, 2 * .pi), uniform(0, 2 * .pi))
        let (p, q) = ((1 - u).squareRoot(), u.squareRoot())
        return Quaternion(w: q * cos(b), x: p * sin(a), y: p * cos(a), z: q * sin(b))
    }
}

/// The angle between two rotations, radians.
func angle(_ a: Quaternion, _ b: Quaternion) -> Double { (a.inverse * b).rotationVector.length }

/// The largest element-wise difference of two matrices.
func difference<let R: Int, let C: Int>(_ a: Matrix<R, C>, _ b: Matrix<R, C>) -> Double {
    var worst = 0.0
    for i in 0..<R { for j in 0..<C { worst = max(worst, abs(a[i, j] - b[i, j])) } }
    return worst
}
