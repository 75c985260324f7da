import Glibc

/// A unit quaternion of Hamilton's kind, scalar first: a rotation named `<from>To<to>`, such as `bodyToENU`.
///
/// `aToB.rotate(v)` gives in frame B the components of the vector whose components in frame A are `v`.
/// Sola 2017, "Quaternion kinematics for the error-state Kalman filter", section 1 and equations (115) and (101).
public struct Quaternion: Hashable, Sendable {
    /// The scalar part.
    public var w: Double
    /// The vector part's first component.
    public var x: Double
    /// The vector part's second component.
    public var y: Double
    /// The vector part's third component.
    public var z: Double

    /// Creates a quaternion from components; the caller guarantees unit length.
    @inlinable public init(w: Double, x: Double, y: Double, z: Double) {
        self.w = w
        self.x = x
        self.y = y
        self.z = z
    }

    /// No rotation.
    public static let identity = Quaternion(w: 1, x: 0, y: 0, z: 0)

    /// The rotation by `|vector|` radians about `vector`: the exponential map, Sola 2017 eq. (101).
    /// docs/math.md, eq. 1.4.
    @inlinable public init(rotationVector v: Vector3) {
        let angleSquared = v.lengthSquared
        if angleSquared < 0.01 {
            // Series of sin(a/2)/a and cos(a/2); the next terms are below 1e-16 here. A third of the cost of sine and
            // cosine.
            let a2 = angleSquared
            let s = 0.5 + a2 * (-1.0 / 48 + a2 * (1.0 / 3840 - a2 / 645_120))
            let w = 1 + a2 * (-1.0 / 8 + a2 * (1.0 / 384 + a2 * (-1.0 / 46_080 + a2 / 10_321_920)))
            self.init(w: w, x: s * v.x, y: s * v.y, z: s * v.z)
        } else {
            let angle = angleSquared.squareRoot()
            let s = sin(0.5 * angle) / angle
            self.init(w: cos(0.5 * angle), x: s * v.x, y: s * v.y, z: s * v.z)
        }
    }

    /// The rotation vector of at most pi radians: the logarithm map, Sola 2017 eq. (105).
    /// docs/math.md, eq. 1.5.
    @inlinable public var rotationVector: Vector3 {
        let sign: Double = w < 0 ? -1 : 1
        let v = Vector3(x, y, z) * sign
        let n = v.length
        guard n > 1e-12 else { return v * 2 }
        return v * (2 * atan2(n, w * sign) / n)
    }

    /// The rotation of a direction cosine matrix (Shepperd's method: the largest divisor).
    ///
    /// The matrix must be a rotation; any other matrix gives a meaningless unit quaternion.
    /// docs/math.md, eq. 1.7.
    @inlinable public init(matrix m: Matrix<3, 3>) {
        let trace = m[0, 0] + m[1, 1] + m[2, 2]
        var q: Quaternion
        if trace > 0 {
            let s = 2 * (1 + trace).squareRoot()
            q = Quaternion(
                w: 0.25 * s, x: (m[2, 1] - m[1, 2]) / s, y: (m[0, 2] - m[2, 0]) / s, z: (m[1, 0] - m[0, 1]) / s)
        } else if m[0, 0] >= m[1, 1], m[0, 0] >= m[2, 2] {
            let s = 2 * (1 + m[0, 0] - m[1, 1] - m[2, 2]).squareRoot()
            q = Quaternion(
                w: (m[2, 1] - m[1, 2]) / s, x: 0.25 * s, y: (m[0, 1] + m[1, 0]) / s, z: (m[0, 2] + m[2, 0]) / s)
        } else if m[1, 1] >= m[2, 2] {
            let s = 2 * (1 + m[1, 1] - m[0, 0] - m[2, 2]).squareRoot()
            q = Quaternion(
                w: (m[0, 2] - m[2, 0]) / s, x: (m[0, 1] + m[1, 0]) / s, y: 0.25 * s, z: (m[1, 2] + m[2, 1]) / s)
        } else {
            let s = 2 * (1 + m[2, 2] - m[0, 0] - m[1, 1]).squareRoot()
            q = Quaternion(
                w: (m[1, 0] - m[0, 1]) / s, x: (m[0, 2] + m[2, 0]) / s, y: (m[1, 2] + m[2, 1]) / s, z: 0.25 * s)
        }
        q.normalize()
        self = q
    }

    /// The shortest rotation from direction `a` to direction `b` (unit vectors); half a turn about any perpendicular
    /// axis if they are opposite.
    /// docs/math.md, eq. 1.6.
    @inlinable public init(from a: Vector3, to b: Vector3) {
        let d = a.dot(b)
        // Closer to opposite than this, 1e-7 rad, the rotation axis is lost in rounding.
        if d < -1 + 5e-15 {
            let helper = abs(a.x) < 0.9 ? Vector3.unitX : Vector3.unitY
            let axis = a.cross(helper).normalized ?? .unitZ
            self.init(w: 0, x: axis.x, y: axis.y, z: axis.z)
        } else {
            let c = a.cross(b)
            self.init(w: 1 + d, x: c.x, y: c.y, z: c.z)
            normalize()
        }
    }

    /// The same rotation as a direction cosine matrix, Sola 2017 eq. (115).
    /// docs/math.md, eq. 1.3.
    @inlinable public var matrix: Matrix<3, 3> {
        var m = Matrix<3, 3>()
        m[0, 0] = 1 - 2 * (y * y + z * z)
        m[0, 1] = 2 * (x * y - w * z)
        m[0, 2] = 2 * (x * z + w * y)
        m[1, 0] = 2 * (x * y + w * z)
        m[1, 1] = 1 - 2 * (x * x + z * z)
        m[1, 2] = 2 * (y * z - w * x)
        m[2, 0] = 2 * (x * z - w * y)
        m[2, 1] = 2 * (y * z + w * x)
        m[2, 2] = 1 - 2 * (x * x + y * y)
        return m
    }

    /// The inverse rotation.
    @inlinable public var inverse: Quaternion { Quaternion(w: w, x: -x, y: -y, z: -z) }

    /// The components of `v` after the rotation.
    /// docs/math.md, eq. 1.2.
    @inlinable public func rotate(_ v: Vector3) -> Vector3 {
        let u = Vector3(x, y, z)
        let t = u.cross(v) * 2
        return v + t * w + u.cross(t)
    }

    /// Composition, first `b`, then `a`: `(a * b).rotate(v) == a.rotate(b.rotate(v))`.
    @inlinable public static func * (a: Quaternion, b: Quaternion) -> Quaternion {
        Quaternion(
            w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w)
    }

    /// Normalises to unit length; a zero or non-finite quaternion becomes the identity.
    @inlinable public mutating func normalize() {
        let n = (w * w + x * x + y * y + z * z).squareRoot()
        guard n > 1e-300, n.isFinite else {
            self = .identity
            return
        }
        w /= n
        x /= n
        y /= n
        z /= n
    }

    /// The quaternion normalised to unit length.
    @inlinable public var normalized: Quaternion {
        var q = self
        q.normalize()
        return q
    }

    /// The same rotation with `w >= 0`.
    @inlinable public var canonical: Quaternion { w < 0 ? Quaternion(w: -w, x: -x, y: -y, z: -z) : self }

    /// Whether all components are finite.
    @inlinable public var isFinite: Bool { w.isFinite && x.isFinite && y.isFinite && z.isFinite }
}
