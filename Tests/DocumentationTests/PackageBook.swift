import Foundation

/// The targets of Package.swift, what they declare, and what their sources import and mention.
struct PackageBook {
    /// One target.
    struct Target {
        /// Its name.
        var name: String
        /// The folder of its sources, below the package.
        var folder: String
        /// Targets and products that it declares as dependencies.
        var declared: Set<String>
        /// Text of each source file by its path below ``folder``.
        var sources: [String: String] = [:]

        /// Modules that the sources import.
        var imported: Set<String> { sources.values.reduce(into: []) { $0.formUnion(PackageBook.imports(in: $1)) } }
    }

    /// The targets with Swift sources.
    private(set) var targets: [Target]
    /// Every name that may be declared as a dependency.
    private(set) var known: Set<String>

    /// Reads the manifest's text; the sources are still missing.
    init(manifest: String) {
        let code = manifest.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
            .joined(separator: "\n")
        (targets, known) = ([], [])
        // What follows the package changes it for the fuzzer alone.
        let package = code.components(separatedBy: "\n)\n")[0]
        for piece in package.components(separatedBy: "\n        .").dropFirst() {
            guard let kind = piece.split(separator: "(").first, let name = Self.texts(after: "name: ", in: piece).first
            else { continue }
            if kind == "package" { continue }
            let dependencies = piece.range(of: "dependencies: [").map { Self.list(piece[$0.upperBound...]) } ?? ""
            let products = Set(Self.texts(after: "package: ", in: dependencies))
            let declared = Set(Self.texts(after: "", in: dependencies)).subtracting(products)
            known.formUnion(declared.union([name]))
            guard ["target", "executableTarget", "testTarget"].contains(kind) else { continue }
            let path = Self.texts(after: "path: ", in: piece).first
            targets.append(
                Target(
                    name: name, folder: path ?? (kind == "testTarget" ? "Tests/\(name)" : "Sources/\(name)"),
                    declared: declared))
        }
    }

    /// Reads the sources of each target below the package's folder. A folder within another target's belongs to that
    /// one alone.
    mutating func readSources(package: URL) throws {
        for index in targets.indices {
            let folder = targets[index].folder
            let foreign = targets.map(\.folder).filter { $0.hasPrefix("\(folder)/") }
            let root = package.appendingPathComponent(folder).resolvingSymlinksInPath()
            for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) where path.hasSuffix(".swift") {
                guard !foreign.contains(where: { "\(folder)/\(path)".hasPrefix("\($0)/") }) else { continue }
                targets[index].sources[path] = try String(
                    contentsOf: root.appendingPathComponent(path), encoding: .utf8)
            }
        }
    }

    /// Adds the sources of one target, for tests.
    mutating func setSources(_ sources: [String: String], of name: String) {
        for index in targets.indices where targets[index].name == name { targets[index].sources = sources }
    }

    /// Imports that are not declared, and dependencies that are not imported.
    var importProblems: [String] {
        targets.filter { !$0.sources.isEmpty }.flatMap { target in
            let used = target.imported.intersection(known).subtracting([target.name])
            return used.subtracting(target.declared).sorted().map {
                "\(target.name) imports \($0) without declaring it"
            }
                + target.declared.subtracting(used).sorted().map {
                    "\(target.name) declares \($0) without importing it"
                }
        }
    }

    /// The names of modules in the import lines of a source.
    static func imports(in source: String) -> Set<String> {
        Set(
            source.split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                guard let place = words.firstIndex(of: "import"), place + 1 < words.count,
                    words[..<place].allSatisfy({ $0.hasPrefix("@") || $0 == "public" || $0 == "package" })
                else { return nil }
                return words.last.map(String.init)
            })
    }

    /// The quoted texts that follow a mark.
    private static func texts(after mark: String, in text: String) -> [String] {
        text.components(separatedBy: "\(mark)\"").enumerated().compactMap { index, part in
            // Without a mark every second part lies between quotes.
            guard mark.isEmpty ? index % 2 == 1 : index > 0 else { return nil }
            return String(part.prefix { $0 != "\"" })
        }
    }

    /// A list's text up to the bracket that closes it.
    private static func list(_ text: Substring) -> String {
        String(text.prefix { $0 != "]" })
    }
}
