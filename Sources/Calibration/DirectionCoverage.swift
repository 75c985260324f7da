import PoseMath

/// Which directions of a sphere were seen: each of the six faces of a cube about it is divided into four cells.
struct DirectionCoverage: Sendable {
    /// Number of cells.
    static let count = 24
    private var seen = Array(repeating: false, count: DirectionCoverage.count)

    /// Nothing seen.
    init() {}

    /// Notes a direction of any length above zero.
    mutating func note(_ direction: Vector3) {
        guard direction.isFinite, direction.lengthSquared > 0 else { return }
        let face = Face(of: direction)
        let (a, b) = ((face.axis + 1) % 3, (face.axis + 2) % 3)
        let cell = face.index * 4 + (direction[a] > 0 ? 2 : 0) + (direction[b] > 0 ? 1 : 0)
        seen[cell] = true
    }

    /// Number of cells seen.
    var seenCount: Int { seen.count { $0 } }

    /// The faces of which a cell is missing, the emptiest first.
    var missingFaces: [Face] {
        Face.all.map { face in (face, (0..<4).count { !seen[face.index * 4 + $0] }) }.filter { $0.1 > 0 }
            .sorted { $0.1 > $1.1 }.map(\.0)
    }
}

/// A face of the box: an axis of the sensor, and its sign.
public struct Face: Hashable, Sendable {
    /// 0, 1, 2: x, y, z.
    public var axis: Int
    /// Whether it is the negative one.
    public var isNegative: Bool

    /// A face.
    public init(axis: Int, isNegative: Bool) { (self.axis, self.isNegative) = (axis, isNegative) }

    /// The face that a direction points to.
    public init(of direction: Vector3) {
        let size = abs(direction)
        axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2
        isNegative = direction[axis] < 0
    }

    /// All six.
    public static let all = (0..<3).flatMap { [Face(axis: $0, isNegative: false), Face(axis: $0, isNegative: true)] }

    /// Its place in ``all``.
    var index: Int { axis * 2 + (isNegative ? 1 : 0) }

    /// `+x` and so on.
    public var name: String { "\(isNegative ? "-" : "+")\(["x", "y", "z"][min(max(axis, 0), 2)])" }
}

private func abs(_ v: Vector3) -> Vector3 { Vector3(v.x.magnitude, v.y.magnitude, v.z.magnitude) }
