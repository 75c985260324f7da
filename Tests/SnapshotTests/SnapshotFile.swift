import Foundation

/// A kept snapshot, and the comparison with it.
///
/// Its first line names the arithmetic it was made with: the C library's sine and its like may differ in the last bit
/// from one kind of machine to another, and then so do the digests.
struct SnapshotFile {
    /// Whether snapshots are to be written, not compared: `make snapshots`.
    static let isWriting = ProcessInfo.processInfo.environment["POSED_WRITE_SNAPSHOTS"] == "1"

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "Snapshots")

    /// With what arithmetic it was made; see ``arithmetic``.
    var arithmetic: String
    /// One for each period.
    var lines: [String]

    /// A digest of what this machine's elementary functions give for a thousand arguments.
    static let arithmetic: String = {
        var digest = Digest()
        for step in 1...1000 {
            let x = Double(step) * 0.006_283
            for value in [
                sin(x), cos(x), tan(x), atan2(x, 1.7), asin(x / 7), acos(x / 7), exp(-x), log(x), pow(x, 5.2),
            ] {
                digest.add(value)
            }
        }
        return digest.text
    }()

    /// A new snapshot, made here.
    init(lines: [String]) { (self.arithmetic, self.lines) = (Self.arithmetic, lines) }

    /// Reads the one of a name.
    init(reading name: String) throws {
        let text = try String(contentsOf: Self.place(name), encoding: .utf8)
        let all = text.split(separator: "\n").map(String.init)
        arithmetic = all.first?.split(separator: " ").last.map(String.init) ?? ""
        lines = all.filter { !$0.hasPrefix("#") }
    }

    /// Writes it under a name.
    func write(_ name: String) throws {
        let head = ["# arithmetic \(arithmetic)", SnapshotLines.header]
        try ((head + lines).joined(separator: "\n") + "\n").write(
            to: Self.place(name), atomically: true, encoding: .utf8)
    }

    private static func place(_ name: String) -> URL { folder.appendingPathComponent(name + ".txt") }

    /// What differs from another one, in words; `nil` where nothing does.
    ///
    /// Made with the same arithmetic, two snapshots are the same to the last bit. Made with another, digests are left
    /// out, and numbers may differ by five in their last shown digit: room for what rounding makes of a drive.
    func difference(from new: SnapshotFile) -> String? {
        let isExact = arithmetic == new.arithmetic
        let differing = zip(lines, new.lines).filter { old, now in isExact ? old != now : !Self.isNear(old, now) }
        guard let first = differing.first else {
            return lines.count == new.lines.count ? nil : "\(lines.count) lines were kept, there are \(new.lines.count)"
        }
        let visible = differing.filter { !Self.isNear($0, $1) }.count
        return """
            \(differing.count) of \(lines.count) lines differ, \(visible) of them in more than rounding. The first:
            \(SnapshotLines.header)
            kept: \(first.0)
            now:  \(first.1)
            Where the change is intended, run `make snapshots` and explain the diff in the commit.
            """
    }

    /// Whether two lines show the same up to rounding.
    static func isNear(_ a: String, _ b: String) -> Bool {
        let (left, right) = (columns(a), columns(b))
        return left.count == right.count && zip(left, right).allSatisfy(isNearColumn)
    }

    private static func columns(_ line: String) -> ArraySlice<Substring> {
        line.split(separator: " ").dropLast(SnapshotLines.digestColumns)
    }

    private static func isNearColumn(_ a: Substring, _ b: Substring) -> Bool {
        guard a != b else { return true }
        guard let dot = a.firstIndex(of: "."), let x = Double(a), let y = Double(b) else { return false }
        let decimals = a.distance(from: dot, to: a.endIndex) - 1
        return abs(x - y) < 5.5 * pow(10, -Double(decimals))
    }
}
