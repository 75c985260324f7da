import Configuration
import Files
import Glibc

/// Reads the settings file.
struct SettingsCollector {
    let files: SystemFiles
    /// The file of the command line; `nil`: the default file.
    let config: String?

    /// Where the daemon looks for its settings.
    private static let defaultFile = "/etc/posed/posed.yaml"
    /// Rounds in which mistaken lines become comments: a mistake may hide another one.
    private static let roundLimit = 20

    func collect() -> SettingsFacts {
        var facts = SettingsFacts()
        let path = config ?? files.path(Self.defaultFile)
        facts.file = SystemFiles(root: "").facts(path)
        // A folder that this user may not enter hides whether the file is there.
        facts.isReadable = facts.file != nil || !SystemFiles.isHidden(path)
        // The default file need not exist: the defaults are in force then. Commands that set a key create it.
        facts.path = path
        facts.isDefault = config == nil
        guard facts.file != nil else {
            if facts.isDefault, facts.isReadable { facts.loaded = LoadedSettings() }
            return facts
        }
        guard let bytes = try? RegularFile(path).bytes(count: 1 << 20) else {
            facts.isReadable = access(path, R_OK) == 0
            if facts.isReadable { facts.mistake = ("\(path) is not a regular file", 1) }
            return facts
        }
        facts.text = String(decoding: bytes, as: UTF8.self)
        do throws(SettingsFailure) {
            facts.loaded = try SettingsLoader.load(file: path)
        } catch {
            Self.note(error.problems, of: path, in: &facts)
        }
        return facts
    }

    /// Notes the mistakes in the settings file; where it has none, those in the first file that it includes and that
    /// has some.
    private static func note(_ problems: [SettingsProblem], of path: String, in facts: inout SettingsFacts) {
        facts.mistake = (problems.first?.description ?? "", problems.count)
        var text = facts.text
        if let source = problems.first?.source, !problems.contains(where: { $0.source == path }) {
            facts.mistakenFile = source
            text = (try? RegularFile(source).bytes(count: 1 << 20)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        let source = facts.mistakenFile ?? path
        let found = problems.filter { $0.source == source }
        facts.mistakenLines = linesToComment(text, source, Set(found.compactMap { $0.position?.line }))
    }

    /// Lines that make a text valid when they become comments, of which `found` are known; empty if there are none.
    private static func linesToComment(_ text: String, _ name: String, _ found: Set<Int>) -> [Int] {
        var lines = text.settingsLines
        var (taken, wrong) = (Set<Int>(), found)
        for _ in 1..<roundLimit {
            guard !wrong.isEmpty, wrong.allSatisfy({ lines.indices.contains($0 - 1) }) else { return [] }
            for line in wrong { lines[line - 1] = "#" + lines[line - 1] }
            taken.formUnion(wrong)
            do throws(SettingsFailure) {
                let text = lines.joined(separator: "\n")
                _ = try SettingsLoader.load(text: text, name: name, followsIncludes: true)
                return taken.sorted()
            } catch {
                let own = error.problems.filter { $0.source == name }
                guard !own.isEmpty else { return taken.sorted() }
                wrong = Set(own.compactMap { $0.position?.line }).subtracting(taken)
            }
        }
        return []
    }
}
