import DriveRecording

/// Writes the settings in force, the sample file and the reference page.
package enum SettingsWriter {
    /// The settings in force as a settings file; each value is followed by its origin.
    package static func effective(_ loaded: LoadedSettings) -> String {
        var lines = ["# The settings in force. Behind each value: where it comes from."]
        for section in SettingsRegistry.sections {
            if !section.name.isEmpty { lines.append("\(section.name):") }
            let indent = section.name.isEmpty ? "" : "  "
            lines += section.keys.map { "\(indent)\($0.name): \($0.show(loaded.settings))  # \(loaded.origin(of: $0))" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The settings for a recording. A private one has only those that the engine computes with: the others contain
    /// paths and addresses.
    package static func recorded(_ loaded: LoadedSettings, isPrivate: Bool) -> RecordedSettings {
        guard isPrivate else { return loaded.given }
        var recorded = RecordedSettings()
        let sections = [SettingsRegistry.fusion, SettingsRegistry.guidance, SettingsRegistry.speed]
        let keys = SettingsRegistry.general.keys.filter { $0.path == "profile" } + sections.flatMap(\.keys)
        for key in keys where key.show(loaded.settings) != key.defaultText {
            recorded.options.append(RecordedSettings.Option(path: key.path, value: key.show(loaded.settings)))
        }
        return recorded
    }

    /// A settings file that describes every key and sets none.
    package static func sample() -> String {
        var lines = [
            "# Settings of posed, the pose daemon. Every key is shown with its default; take the # off to set one.",
            "# Check this file with `posed --check`; see what is in force with `posed --print-config`.",
            "# \"live\" keys take effect with `systemctl reload posed`, the others when the daemon starts.",
        ]
        for section in SettingsRegistry.sections {
            lines += [""] + comment(section.summary, indent: "")
            if !section.name.isEmpty { lines.append("\(section.name):") }
            let indent = section.name.isEmpty ? "" : "  "
            for key in section.keys {
                lines += [""] + comment(key.summary, indent: indent)
                lines.append("\(indent)# \(facts(key))")
                lines.append("\(indent)#\(key.name): \(key.defaultText)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The reference page, in Markdown.
    package static func reference() -> String {
        var lines = [
            "# Settings", "",
            "Every key `posed` knows, made from its registry (`posed --print-reference`). The file is "
                + "`/etc/posed/posed.yaml`, or the one given with",
            "`--config`; `--set KEY=VALUE` on the command line wins over it. Live keys take effect on SIGHUP, the "
                + "others at the next start. A file with any",
            "mistake is refused whole: `posed --check` names each with line and column.",
        ]
        for section in SettingsRegistry.sections {
            lines += [
                "", "## \(section.name.isEmpty ? "Outside any section" : "`\(section.name)`")", "", section.summary, "",
            ]
            lines += ["| key | value | default | takes effect | meaning |", "|---|---|---|---|---|"]
            for key in section.keys {
                let value = escaped("\(key.type): \(allowedWithUnit(key))")
                lines.append(
                    "| `\(key.path)` | \(value) | `\(key.defaultText)` | \(key.reload == .live ? "live" : "restart") "
                        + "| \(escaped(key.summary)) |"
                )
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The text for a settings file, quoted if YAML would not read it as text.
    package static func quotedWhereNeeded(_ text: String) -> String {
        let isPlain =
            !text.isEmpty && text.first != "-" && text.last != ":"
            && !["null", "~", "true", "false", "yes", "no", "on", "off"].contains(text.lowercased())
            && text.utf8.allSatisfy { isPlainByte($0) } && Double(text) == nil
            && text.contains { $0.isLetter || $0 == "/" }
        guard !isPlain else { return text }
        return "\""
            + text.reduce(into: "") { $0 += $1 == "\\" || $1 == "\"" ? "\\\($1)" : $1 == "\t" ? "\\t" : String($1) }
            + "\""
    }

    private static func isPlainByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ":"),
            UInt8(ascii: "+"):
            true
        default: false
        }
    }

    private static func facts(_ key: SettingsKey) -> String {
        "\(key.type): \(allowedWithUnit(key)); \(key.reload == .live ? "live" : "restart"); default \(key.defaultText)"
    }

    private static func allowedWithUnit(_ key: SettingsKey) -> String {
        key.unit.map { "\(key.allowed) \($0)" } ?? key.allowed
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { $0 += $1 == "|" ? "\\|" : String($1) }
    }

    /// A comment, wrapped at 100 characters.
    private static func comment(_ text: String, indent: String) -> [String] {
        var lines: [String] = []
        var line = "\(indent)#"
        for word in text.split(separator: " ") {
            if line.count + 1 + word.count > 100, line.count > indent.count + 1 {
                lines.append(line)
                line = "\(indent)#"
            }
            line += " \(word)"
        }
        return lines + [line]
    }
}
