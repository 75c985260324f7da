/// A closed file of the store.
struct ClosedSegment: Sendable, Equatable {
    /// Its number.
    var number: UInt64
    /// How often every second message was left out.
    var level: Int
    /// Its size on the disk, bytes.
    var diskSize: Int

    /// Its name.
    var name: String { Self.name(number, level: level) }

    /// The name of the file with that number: names in the order of the alphabet are in the order of the messages.
    static func name(_ number: UInt64, level: Int) -> String {
        let digits = String(number)
        return "\(String(repeating: "0", count: 20 - digits.count))\(digits)-\(level).closed"
    }

    /// Reads a name; `nil` for other files.
    init?(name: String, diskSize: Int) {
        let parts = name.split(separator: ".")
        guard parts.count == 2, parts[1] == "closed" else { return nil }
        let words = parts[0].split(separator: "-")
        guard words.count == 2, words[0].utf8.count == 20, let number = UInt64(words[0]), number < .max / 2,
            let level = Int(words[1]), (0...StoreThinning.levelLimit).contains(level), "\(level)" == words[1]
        else { return nil }
        (self.number, self.level, self.diskSize) = (number, level, diskSize)
    }

    /// Creates the description of a file.
    init(number: UInt64, level: Int, diskSize: Int) {
        (self.number, self.level, self.diskSize) = (number, level, diskSize)
    }
}

/// Which file loses messages when the store is full.
enum StoreThinning {
    /// How often a file is thinned before it is removed: every 1024th message is left then.
    static let levelLimit = 10

    /// The index of the next file to thin; `nil` if there is none. The oldest file is thinned first, and no file twice
    /// before all files behind it have lost the same share.
    ///
    /// - Parameter first: the index of the first file that may be thinned; those before it are being delivered.
    static func next(_ files: [ClosedSegment], from first: Int) -> Int? {
        guard first < files.count else { return nil }
        for index in first..<files.count {
            if index == first { continue }
            if files[index].level < files[index - 1].level { return index }
        }
        return first
    }
}
