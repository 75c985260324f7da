import Files
import Glibc

/// Changes keys of a settings file, and keeps everything else in it, comments too.
package enum SettingsFileEdit {
    /// A key with its new value.
    package struct Key: Sendable, Equatable {
        /// Its section, such as `fusion`.
        package var section: String
        /// Its name in the section.
        package var name: String
        /// Its value in YAML.
        package var value: String

        /// A key with its value.
        package init(_ section: String, _ name: String, _ value: String) {
            (self.section, self.name, self.value) = (section, name, value)
        }
    }

    /// Why a file was not changed.
    package struct Failure: Error, Equatable {
        /// The reason with the remedy.
        package var reason: String
        /// Whether the settings are wrong, and not the file system.
        package var isSettings: Bool
    }

    /// What was done with a file.
    package enum Change: Sendable, Equatable {
        /// It had the values already.
        case unchanged
        /// It did not exist, and was created.
        case created
        /// It was changed; the path of its old content.
        case changed(previous: String)
    }

    /// Sets the keys in a file, which is created if it does not exist; the old content is kept as `NAME.previous`. The
    /// new file is written only if it is valid and has these values. Where the path is a symbolic link, the file that
    /// it names is changed, and the link stays.
    @discardableResult
    package static func apply(_ keys: [Key], to path: String) throws(Failure) -> Change {
        var old: [UInt8] = []
        var exists = false
        do throws(FileFault) {
            old = try RegularFile(path).bytes(count: SettingsText.sizeLimit + 1)
            exists = true
        } catch {
            guard error == .notOpened(ENOENT) else { throw Failure(reason: error.reason, isSettings: false) }
        }
        guard let text = String(validating: old, as: UTF8.self), old.count <= SettingsText.sizeLimit else {
            throw Failure(reason: "is no text of a settings file; give the file of posed", isSettings: true)
        }
        let new = keys.reduce(text) { edited($0, $1) }
        try check(new, keys, path)
        guard new != text else { return .unchanged }
        do throws(FileFault) {
            let target = exists ? try withoutLinks(path) : path
            let previous = "\(target).previous"
            if exists { try AtomicFile.replace(previous, with: old, permissions: 0o640) }
            var file = try AtomicFile(replacing: target, permissions: 0o644, keepsPermissions: true)
            var owner = stat()
            if exists, geteuid() == 0, stat(target, &owner) == 0 {
                fchown(file.descriptor, owner.st_uid, owner.st_gid)
            }
            try FileTransfer.write(new, to: file.descriptor)
            try file.commit()
            return exists ? .changed(previous: previous) : .created
        } catch {
            throw Failure(reason: "\(error.reason); \(error.remedy)", isSettings: false)
        }
    }

    /// The absolute path of an existing file, without symbolic links.
    private static func withoutLinks(_ path: String) throws(FileFault) -> String {
        guard let absolute = realpath(path, nil) else { throw .notOpened(errno) }
        defer { free(absolute) }
        return String(cString: absolute)
    }

    /// The text with the key set: in its line, else as the first line of its section, else in a section at the end.
    static func edited(_ text: String, _ key: Key) -> String {
        let end = text.contains { $0 == "\r\n" } ? "\r\n" : "\n"
        var lines = text.settingsLines
        guard let start = lines.firstIndex(where: { opens(key.section, $0) }) else {
            let gap = lines.last == "" ? "" : end
            return text + gap + "\(key.section):\(end)  \(key.name): \(key.value)\(end)"
        }
        let rest = lines.indices.dropFirst(start + 1)
        let next = rest.first { lines[$0].first.map { $0 != " " && $0 != "#" } ?? false } ?? lines.endIndex
        let members = (start + 1..<next).filter { !isBlank(lines[$0]) }
        if let line = members.first(where: { lines[$0].drop { $0 == " " }.hasPrefix("\(key.name):") }) {
            let indent = lines[line].prefix { $0 == " " }
            lines[line] = "\(indent)\(key.name): \(key.value)\(comment(of: lines[line]))"
        } else {
            let indent = members.first.map { String(lines[$0].prefix { $0 == " " }) } ?? "  "
            lines.insert("\(indent.isEmpty ? "  " : indent)\(key.name): \(key.value)", at: start + 1)
        }
        return lines.joined(separator: end)
    }

    /// The comment of a line with the spaces before it.
    private static func comment(of line: String) -> String {
        guard var start = line.firstRange(of: " #")?.lowerBound else { return "" }
        while start > line.startIndex, line[line.index(before: start)] == " " { start = line.index(before: start) }
        return String(line[start...])
    }

    private static func opens(_ section: String, _ line: String) -> Bool {
        line.hasPrefix("\(section):") && isBlank(String(line.dropFirst(section.count + 1)))
    }

    private static func isBlank(_ line: String) -> Bool {
        let text = line.drop { $0 == " " }
        return text.isEmpty || text.hasPrefix("#")
    }

    /// Loads the new text with the files that it includes, and compares the keys.
    private static func check(_ text: String, _ keys: [Key], _ path: String) throws(Failure) {
        let loaded: LoadedSettings
        do throws(SettingsFailure) {
            loaded = try SettingsLoader.load(text: text, name: path, followsIncludes: true)
        } catch {
            throw Failure(
                reason: "\(error.description); correct it first, or write the printed settings by hand",
                isSettings: true)
        }
        for key in keys {
            let name = "\(key.section).\(key.name)"
            // A file that is included may have the key, too.
            guard case .file(path, _)? = loaded.origins[name] else {
                throw Failure(
                    reason: "has a form that cannot be edited (\(name)); write the printed settings by hand",
                    isSettings: true)
            }
        }
    }
}

extension String {
    /// The lines of a text of settings, which end with LF or CR LF; what follows the last end, if only nothing, is one.
    package var settingsLines: [String] {
        split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
    }
}
