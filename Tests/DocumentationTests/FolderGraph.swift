/// Which folder of a target uses which other one, found by the names of the types that each declares.
struct FolderGraph {
    /// Folders that each folder uses; "." is the target's own.
    private(set) var uses: [String: Set<String>] = [:]

    /// The graph of a target's sources, by path.
    init(sources: [String: String]) {
        var owners: [String: Set<String>] = [:]
        for (path, text) in sources {
            for type in Self.declaredTypes(in: text) { owners[type, default: []].insert(Self.folder(of: path)) }
        }
        for (path, text) in sources {
            let folder = Self.folder(of: path)
            for word in Self.words(in: text) {
                // A name that several folders declare tells nothing.
                guard let owner = owners[word], owner.count == 1, !owner.contains(folder) else { continue }
                uses[folder, default: []].formUnion(owner)
            }
        }
    }

    /// Folders that use themselves by way of others.
    var cyclic: [String] {
        uses.keys.filter { start in
            var reached: Set<String> = []
            var next = uses[start] ?? []
            while !next.isEmpty {
                reached.formUnion(next)
                next = Set(next.flatMap { uses[$0] ?? [] }).subtracting(reached)
            }
            return reached.contains(start)
        }.sorted()
    }

    private static func folder(of path: String) -> String {
        path.split(separator: "/").dropLast().first.map(String.init) ?? "."
    }

    /// Types that a source declares outside of any other.
    private static func declaredTypes(in text: String) -> Set<String> {
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
        return Set(
            text.split(separator: "\n").compactMap { line in
                guard let first = line.first, first.isLetter || first == "@" else { return nil }
                let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "@") }
                guard !words.contains("private"), let place = words.firstIndex(where: { kinds.contains($0) }),
                    place + 1 < words.count
                else { return nil }
                return String(words[place + 1])
            })
    }

    private static func words(in text: String) -> Set<String> {
        var words: Set<String> = []
        for line in text.split(separator: "\n") where !line.drop(while: { $0 == " " }).hasPrefix("//") {
            words.formUnion(line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
        }
        return words
    }
}
