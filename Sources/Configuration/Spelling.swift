/// Suggests the correct word for a misspelled one.
package enum Spelling {
    /// The nearest word, if it differs in few letters.
    package static func nearest(to word: String, in words: [String]) -> String? {
        guard word.utf8.count <= 64 else { return nil }
        let lower = word.lowercased().replacingDashes
        let scored = words.map { (distance: distance(lower, $0.lowercased().replacingDashes), word: $0) }
        guard let best = scored.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, lower.count / 3) ? best.word : nil
    }

    /// Number of letters to insert, delete, replace, or swap with their neighbour to change one word into the other
    /// (optimal string alignment; Damerau 1964: these four are the errors of a typist).
    static func distance(_ a: String, _ b: String) -> Int {
        let a = Array(a)
        let b = Array(b)
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        var older = [Int](repeating: 0, count: b.count + 1)
        var previous = Array(0...b.count)
        for i in 1...a.count {
            var row = [i]
            for j in 1...b.count {
                var cost = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { cost = min(cost, older[j - 2] + 1) }
                row.append(cost)
            }
            older = previous
            previous = row
        }
        return previous[b.count]
    }
}

extension String {
    fileprivate var replacingDashes: String { String(map { $0 == "-" ? "_" : $0 }) }
}
