import Horizon
import RoadData

extension SettingsKey {
    /// A key with a boolean.
    static func boolean(_ label: SettingsKeyLabel, _ place: SettingsPlace<Bool>) -> SettingsKey {
        make(label, place, ("true or false", nil, "true or false"), .boolean)
    }

    /// A key with one of several words.
    static func choice<Value: RawRepresentable & CaseIterable & Sendable>(
        _ label: SettingsKeyLabel, _ place: SettingsPlace<Value>
    ) -> SettingsKey where Value.RawValue == String {
        let words = Value.allCases.map(\.rawValue)
        let allowed =
            words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        return make(
            label, place, ("word", nil, allowed), .choice(words, make: { Value(rawValue: $0) }, text: \.rawValue))
    }

    /// A key with text; `limits` restricts it.
    static func text(_ label: SettingsKeyLabel, _ place: SettingsPlace<String>, _ limits: SettingsTextLimits)
        -> SettingsKey
    {
        make(label, place, ("text", nil, limits.inWords), .text(limits))
    }

    /// A key with text, or `null`; `limits` restricts it.
    static func optionalText(_ label: SettingsKeyLabel, _ place: SettingsPlace<String?>, _ limits: SettingsTextLimits)
        -> SettingsKey
    {
        make(label, place, ("text or null", nil, limits.inWords), .optional(.text(limits)))
    }

    /// A key with the permission bits of a file.
    static func permissions(_ label: SettingsKeyLabel, _ place: SettingsPlace<UInt32>) -> SettingsKey {
        make(
            label, place, ("octal number", nil, "the permission bits as four octal digits, such as \"0660\""),
            .permissions)
    }
}

/// Restriction of the text of a key.
struct SettingsTextLimits: Sendable {
    /// Description of the allowed text: "an absolute path".
    var inWords: String
    /// Whether a text is allowed.
    var accepts: @Sendable (String) -> Bool
    /// Whether a number without quotes may be meant, such as the number of a group.
    var mayBeNumber = false

    init(inWords: String, mayBeNumber: Bool = false, accepts: @escaping @Sendable (String) -> Bool) {
        self.inWords = inWords
        self.mayBeNumber = mayBeNumber
        self.accepts = accepts
    }

    /// An absolute path with room for a socket's name in the 108 bytes of a Unix socket address.
    static let socketFolder = SettingsTextLimits(inWords: "an absolute path of at most 90 bytes") {
        $0.hasPrefix("/") && $0.utf8.count <= 90
    }
    /// The path of a file.
    static let file = SettingsTextLimits(inWords: "the path of a file") { !$0.isEmpty && $0.utf8.count <= 4096 }
    /// The absolute path of a file.
    static let absoluteFile = SettingsTextLimits(inWords: "an absolute path") {
        $0.hasPrefix("/") && $0.utf8.count <= 4000 && !$0.hasSuffix("/")
    }
    /// The address of a routing server.
    static let httpAddress = SettingsTextLimits(inWords: "an address such as https://HOST[:PORT][/PATH]") { text in
        RoutingServer(kind: .valhalla, address: text) != nil
    }
    /// Local time minus UTC.
    static let utcOffset = SettingsTextLimits(inWords: "hours and minutes such as +01:00, at most 14 h") {
        LocalTimeOffset.seconds($0) != nil
    }
    /// A valid group name of Linux, or the number of a group.
    static let groupName = SettingsTextLimits(inWords: "the name or the number of a group", mayBeNumber: true) { name in
        (1...32).contains(name.utf8.count) && name.utf8.allSatisfy { isNameByte($0) }
    }
    /// A host name or address.
    static let host = SettingsTextLimits(inWords: "a host name or address") { name in
        (1...253).contains(name.utf8.count) && name.utf8.allSatisfy { isNameByte($0) || $0 == UInt8(ascii: ":") }
    }
    /// An IIO context on this machine or on the network.
    static let iioContext = SettingsTextLimits(inWords: "local: or ip:HOST[:PORT]") { text in
        text == "local:" || text.hasPrefix("ip:") && text.utf8.count > 3 && host.accepts(String(text.dropFirst(3)))
    }
    /// A word without spaces.
    static let word = SettingsTextLimits(inWords: "a name without spaces") { name in
        (1...128).contains(name.utf8.count) && !name.utf8.contains(UInt8(ascii: " "))
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "$"): true
        default: false
        }
    }
}

extension SettingsCoder where Value == Bool {
    /// Reads true or false.
    static let boolean = SettingsCoder<Bool>(
        decode: { (node) throws(SettingsComplaint) in
            let scalar = try node.scalar("a word")
            guard !scalar.isQuoted else { throw "is text in quotes, not a word" }
            switch scalar.text {
            case "true": return true
            case "false": return false
            default: throw "`\(scalar.text.prefix(60))` is not usable here"
            }
        },
        encode: { $0 ? "true" : "false" })
}

extension SettingsCoder where Value == String {
    /// Reads text. Where no number makes sense, one without quotes is a slip, or the value of another key.
    static func text(_ limits: SettingsTextLimits) -> SettingsCoder<String> {
        SettingsCoder(
            decode: { (node) throws(SettingsComplaint) in
                let scalar = try node.scalar("text")
                let text = scalar.text
                guard limits.mayBeNumber || scalar.isQuoted || Double(text) == nil else {
                    throw "`\(text.prefix(60))` is a number; expected text (in quotes if it is meant)"
                }
                guard limits.accepts(text) else { throw "\"\(text.prefix(120))\" is not usable here" }
                return text
            },
            encode: { SettingsWriter.quotedWhereNeeded($0) })
    }
}

extension SettingsCoder where Value == UInt32 {
    /// Reads permission bits: octal digits, quoted or not, with or without YAML's `0o`.
    static let permissions = SettingsCoder<UInt32>(
        decode: { (node) throws(SettingsComplaint) in
            let text = try node.scalar("permission bits").text
            let digits = text.hasPrefix("0o") ? text.dropFirst(2) : Substring(text)
            guard digits.hasPrefix("0") || text.hasPrefix("0o"), digits.count <= 4, let bits = UInt32(digits, radix: 8)
            else {
                throw "`\(text)` is not octal"
            }
            guard bits <= 0o777 else { throw "`\(text)` has more than permission bits" }
            // Connecting needs write access. Without the owner's bits nobody could use the socket.
            guard bits & 0o600 == 0o600 else {
                throw "`\(text)` keeps the daemon itself from reading and writing its sockets"
            }
            return bits
        },
        encode: { "\"0\(String($0, radix: 8))\"" })
}

extension SettingsCoder where Value: Sendable {
    /// Reads one of several words; the error message suggests the nearest word.
    static func choice(
        _ words: [String], make: @escaping @Sendable (String) -> Value?, text: @escaping @Sendable (Value) -> String
    ) -> SettingsCoder<Value> {
        SettingsCoder(
            decode: { (node) throws(SettingsComplaint) in
                let scalar = try node.scalar("one of the words")
                if let value = make(scalar.text) { return value }
                let guess = Spelling.nearest(to: scalar.text, in: words).map { " (did you mean \($0)?)" } ?? ""
                throw "`\(scalar.text.prefix(60))` is not one of the words\(guess)"
            },
            encode: text)
    }
}
