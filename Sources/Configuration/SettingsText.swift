/// The bytes of a settings file cut into lines, or the reason why it is no text.
///
/// A settings file is small and made by hand: what is larger than ``sizeLimit`` or not UTF-8 was given by mistake.
struct SettingsText {
    /// The largest file taken, bytes.
    static let sizeLimit = 65_536

    /// One line that holds more than space and comment.
    struct Line {
        /// Its number, from 1.
        var number: Int
        /// Its bytes without the line end.
        var bytes: ArraySlice<UInt8>
        /// Spaces before the first character.
        var indent: Int

        /// The place of a byte of this line; `index` counts in the whole text.
        func position(at index: Int) -> TextPosition {
            let before = bytes[bytes.startIndex..<min(index, bytes.endIndex)]
            return TextPosition(line: number, column: 1 + before.count { $0 & 0xC0 != 0x80 })
        }
    }

    /// The lines that hold something, in order.
    private(set) var lines: [Line] = []
    /// Mistakes found on the way, each with its place.
    private(set) var problems: [(TextPosition, String)] = []

    /// Cuts the text into lines. A text that cannot be read at all gives one problem and no line.
    init(_ bytes: [UInt8]) {
        guard bytes.count <= Self.sizeLimit else {
            let text =
                "is \(bytes.count) bytes long; settings are at most \(Self.sizeLimit) bytes. Is this the right file?"
            problems.append((TextPosition(line: 1, column: 1), text))
            return
        }
        if let noise = Self.firstNoise(in: bytes) {
            problems.append(noise)
            return
        }
        cut(bytes)
    }

    private mutating func cut(_ bytes: [UInt8]) {
        // A byte order mark says nothing in UTF-8; editors leave it there.
        var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var number = 1
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            var line = bytes[start..<end]
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            add(line, number: number)
            start = end + 1
            number += 1
        }
    }

    private mutating func add(_ bytes: ArraySlice<UInt8>, number: Int) {
        let spaces = bytes.prefix { $0 == UInt8(ascii: " ") }.count
        let rest = bytes.dropFirst(spaces)
        guard let first = rest.first(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }),
            first != UInt8(ascii: "#")
        else { return }
        let line = Line(number: number, bytes: bytes, indent: spaces)
        if rest.first == UInt8(ascii: "\t") {
            problems.append((line.position(at: rest.startIndex), "a tab cannot indent here; use spaces"))
            return
        }
        lines.append(line)
    }

    /// The first byte that no text file holds, if any.
    private static func firstNoise(in bytes: [UInt8]) -> (TextPosition, String)? {
        var line = 1
        var column = 1
        var index = 0
        while index < bytes.count {
            let length = characterLength(bytes, at: index)
            guard length > 0 else {
                let place = TextPosition(line: line, column: column)
                return (
                    place,
                    "byte 0x\(hexadecimal(bytes[index])) is not text; settings are UTF-8 text. Is this the right file?"
                )
            }
            if bytes[index] == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else {
                column += 1
            }
            index += length
        }
        return nil
    }

    /// Bytes of the UTF-8 character that begins here; 0 where it is malformed or a control character.
    private static func characterLength(_ bytes: [UInt8], at index: Int) -> Int {
        let first = bytes[index]
        if first < 0x80 {
            return first >= 0x20 && first != 0x7F || first == 0x09 || first == 0x0A || first == 0x0D ? 1 : 0
        }
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        guard first >= 0xC2, first < 0xF5, index + length <= bytes.count else { return 0 }
        return String(validating: bytes[index..<index + length], as: UTF8.self) != nil ? length : 0
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
