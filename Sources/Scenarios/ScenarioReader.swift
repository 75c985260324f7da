import Configuration
import Files

/// Reads scenario files.
package enum ScenarioReader {
    /// The mistakes of a file, one sentence each with its place.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// All mistakes that were found.
        package var problems: [String]

        /// Creates a failure.
        package init(problems: [String]) { self.problems = problems }

        /// One line for each.
        package var description: String { problems.joined(separator: "\n") }
    }

    private static let mostBytes = 1 << 20

    /// Reads a file.
    package static func read(path: String) throws(Failure) -> Scenario {
        let bytes: [UInt8]
        do throws(FileFault) {
            bytes = try RegularFile(path).bytes(count: mostBytes)
        } catch { throw Failure(problems: ["\(path): \(error.description)"]) }
        return try read(bytes: bytes, path: path)
    }

    /// Reads a text; `path` is used in messages and, without its folder and extension, as the name.
    package static func read(bytes: [UInt8], path: String) throws(Failure) -> Scenario {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        var scenario = Scenario(name: String(file.prefix { $0 != "." }))
        let (root, syntax) = SettingsReader.read(bytes)
        var problems = syntax.map { "\(path):\($0.0.line):\($0.0.column): \($0.1)" }
        let keys = ScenarioKey.all
        store(root, under: "", keys, path, &scenario, &problems)
        if problems.isEmpty, case .roads(let roads, let from, let to) = scenario.way,
            roads.isEmpty || from.isEmpty || to.isEmpty
        {
            problems.append("\(path): a way on roads needs route.roads, route.from and route.to")
        }
        if problems.isEmpty, scenario.way == .demo { problems = ineffective(root, under: "", path) }
        guard problems.isEmpty else { throw Failure(problems: problems) }
        return scenario
    }

    /// What the demo drive does not follow, because it has a driver, a receiver and an IMU of its own.
    private static func ineffective(_ node: SettingsNode, under section: String, _ path: String) -> [String] {
        guard case .mapping(let entries, _) = node else { return [] }
        return entries.flatMap { entry -> [String] in
            let full = section + entry.key
            if case .mapping = entry.value { return ineffective(entry.value, under: full + ".", path) }
            guard ScenarioKey.isOfTheDemo(full) else { return [] }
            return [
                "\(path):\(entry.position.line):\(entry.position.column): \(full) has no effect with route.demo, whose "
                    + "driver, receiver and IMU are its own; leave it out, or choose another route"
            ]
        }
    }

    private static func store(
        _ node: SettingsNode, under section: String, _ keys: [ScenarioKey], _ path: String, _ scenario: inout Scenario,
        _ problems: inout [String]
    ) {
        guard case .mapping(let entries, _) = node else { return }
        // In the order of the keys: the sensors come before what changes them, whatever the order of the file.
        let order = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($0.element.path, $0.offset) })
        let sorted = entries.sorted { order[section + $0.key] ?? -1 < order[section + $1.key] ?? -1 }
        for entry in sorted {
            let full = section + entry.key
            let place = "\(path):\(entry.position.line):\(entry.position.column)"
            if let key = keys.first(where: { $0.path == full }) {
                if let form = key.store(&scenario, entry.value) {
                    problems.append("\(place): \(full) must be \(form)")
                }
            } else if section.isEmpty, keys.contains(where: { $0.path.hasPrefix(full + ".") }) {
                guard case .mapping = entry.value else {
                    problems.append("\(place): \(full) is a section; write its keys below it")
                    continue
                }
                store(entry.value, under: full + ".", keys, path, &scenario, &problems)
            } else {
                let known = keys.map(\.path).filter { $0.hasPrefix(section) }
                let near = Spelling.nearest(to: full, in: known).map { "; did you mean \($0)?" } ?? ""
                problems.append("\(place): \(full) is no key of a scenario\(near)")
            }
        }
    }
}

extension SettingsNode {
    /// A plain or quoted word; `nil` for anything else.
    var word: String? {
        if case .scalar(let scalar) = self { scalar.text } else { nil }
    }

    /// A number; `nil` for anything else.
    var number: Double? {
        guard case .scalar(let scalar) = self, !scalar.isQuoted, let value = Double(scalar.text), value.isFinite else {
            return nil
        }
        return value
    }

    /// A truth value; `nil` for anything else.
    var flag: Bool? { word == "true" ? true : word == "false" ? false : nil }

    /// The elements of a list; `nil` for anything else.
    var items: [SettingsNode]? {
        if case .list(let items, _) = self { items } else { nil }
    }

    /// The numbers of a list; `nil` if it is none, or one of them is no number.
    var numbers: [Double]? {
        guard let items else { return nil }
        let values = items.compactMap(\.number)
        return values.count == items.count ? values : nil
    }
}
