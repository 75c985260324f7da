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
        // The default file need not exist: the defaults are in force then. Commands that set a key create it.
        facts.path = path
        facts.isDefault = config == nil
        guard facts.file != nil else {
            if facts.isDefault { facts.loaded = LoadedSettings() }
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
            facts.mistake = (error.problems.first?.description ?? "", error.problems.count)
            facts.mistakenLines = Self.linesToComment(facts.text, path)
        }
        return facts
    }

    /// Lines that make a text valid when they become comments; empty if there are none.
    private static func linesToComment(_ text: String, _ name: String) -> [Int] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var taken: Set<Int> = []
        for _ in 0..<roundLimit {
            do throws(SettingsFailure) {
                _ = try SettingsLoader.load(text: lines.joined(separator: "\n"), name: name)
                return taken.sorted()
            } catch {
                let wrong = Set(error.problems.compactMap { $0.position?.line }).subtracting(taken)
                guard !wrong.isEmpty, wrong.allSatisfy({ lines.indices.contains($0 - 1) }) else { return [] }
                for line in wrong { lines[line - 1] = "#" + lines[line - 1] }
                taken.formUnion(wrong)
            }
        }
        return []
    }
}
