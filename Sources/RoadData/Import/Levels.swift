import Roads

/// What can be summed up over leaves, level by level.
protocol LevelNode {
    /// Over nothing.
    init()
    /// Takes in another.
    mutating func include(_ other: Self)
}

extension QuantizedBox: LevelNode {}
extension PointMap.CategoryMasks: LevelNode {}

/// The sums over leaves as they come, level by level: each over as many of the level below as the fan-out says, up to
/// one.
struct Levels<Node: LevelNode> {
    private let fanOut: Int
    private var lowest: [Node] = []
    private var leaves = 0

    init(fanOut: Int) { self.fanOut = fanOut }

    /// Takes the next leaf.
    mutating func add(_ leaf: Node) {
        if leaves % fanOut == 0 { lowest.append(Node()) }
        lowest[lowest.count - 1].include(leaf)
        leaves += 1
    }

    /// All levels, the lowest first; none over a single leaf.
    func finished() -> [Node] {
        var all: [Node] = []
        var level = lowest
        for _ in boxLevelCounts(leafCount: leaves, fanOut: fanOut) {
            all += level
            level = stride(from: 0, to: level.count, by: fanOut).map { start in
                level[start..<min(start + fanOut, level.count)].reduce(into: Node()) { $0.include($1) }
            }
        }
        return all
    }
}
