import Roads

/// A value that can be aggregated over leaves, level by level.
protocol LevelNode {
    /// The value of no leaves.
    init()
    /// Aggregates another value.
    mutating func include(_ other: Self)
}

extension QuantizedBox: LevelNode {}
extension PointMap.CategoryMasks: LevelNode {}

/// Aggregates leaves level by level, as they are added: each node covers `fanOut` nodes of the level below, up to one
/// root.
struct Levels<Node: LevelNode> {
    private let fanOut: Int
    private var lowest: [Node] = []
    private var leaves = 0

    init(fanOut: Int) { self.fanOut = fanOut }

    /// Adds the next leaf.
    mutating func add(_ leaf: Node) {
        if leaves % fanOut == 0 { lowest.append(Node()) }
        lowest[lowest.count - 1].include(leaf)
        leaves += 1
    }

    /// All levels, the lowest first; empty for a single leaf.
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
