/// Reads the key at the beginning of a line.
enum SettingsKeyReader {
    /// The key and the place of its colon; `nil` where the line is not `key:` or `key: value`.
    static func split(_ bytes: ArraySlice<UInt8>) -> (key: String, colon: Int)? {
        let isQuoted = bytes.first == UInt8(ascii: "\"") || bytes.first == UInt8(ascii: "'")
        let body = isQuoted ? bytes.dropFirst() : bytes
        let name = body.prefix { isKeyByte($0) }
        guard !name.isEmpty else { return nil }
        var colon = name.endIndex
        if isQuoted {
            guard colon < bytes.endIndex, bytes[colon] == bytes.first else { return nil }
            colon += 1
        }
        colon = bytes[colon...].firstIndex { $0 != UInt8(ascii: " ") } ?? bytes.endIndex
        guard colon < bytes.endIndex, bytes[colon] == UInt8(ascii: ":") else { return nil }
        let after = colon + 1
        guard after == bytes.endIndex || bytes[after] == UInt8(ascii: " ") || bytes[after] == UInt8(ascii: "\t") else {
            return nil
        }
        return (String(decoding: name, as: UTF8.self), colon)
    }

    /// What is wrong with a line that ``split(_:)`` did not take.
    static func complaint(_ bytes: ArraySlice<UInt8>) -> String {
        let name = String(decoding: bytes.prefix { isKeyByte($0) }, as: UTF8.self)
        let rest = bytes.dropFirst(name.utf8.count).drop { $0 == UInt8(ascii: " ") }
        if bytes.starts(with: Array("---".utf8)) { return "a second document begins here; settings are one document" }
        if bytes.starts(with: Array("...".utf8)) || bytes.first == UInt8(ascii: "%") {
            return "is not used in settings; delete this line"
        }
        if bytes.first == UInt8(ascii: "{") {
            return "braces are not used in settings; write one `key: value` to a line"
        }
        if !name.isEmpty, rest.first == UInt8(ascii: "=") { return "`=` does not set a key; write `\(name): value`" }
        if !name.isEmpty, rest.first == UInt8(ascii: ":") { return "a space is missing after the colon of `\(name):`" }
        return "is not `key: value`"
    }

    private static func isKeyByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: byte >= 0x80
        }
    }
}
