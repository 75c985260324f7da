/// Scanners of strings and numbers.
extension JSONParser {
    /// Skips a string that starts at the current offset.
    mutating func scanString() throws(JSONProblem) {
        let start = at
        at += 1
        while at < bytes.count {
            let byte = bytes[at]
            switch byte {
            case UInt8(ascii: "\""):
                at += 1
                return
            case UInt8(ascii: "\\"):
                try scanEscape()
            case 0..<0x20:
                throw problem("a control character inside a string (\(shown))", "write it as an escape, such as \\n")
            case 0x20..<0x80:
                at += 1
            default:
                try scanMultibyte()
            }
        }
        at = start
        throw problem(
            "a string that is not closed", "close it with a double quote, or check whether the text was cut off")
    }

    private mutating func scanEscape() throws(JSONProblem) {
        at += 1
        switch current {
        case UInt8(ascii: "u"):
            guard let unit = JSONParser.hexUnit(bytes, at: at + 1) else {
                throw problem("\\u needs four hexadecimal digits", "write for example \\u00e9")
            }
            at += 5
            if (0xDC00...0xDFFF).contains(unit) {
                throw problem("half of a surrogate pair", "write both halves, or the character itself")
            }
            if (0xD800...0xDBFF).contains(unit) {
                guard current == UInt8(ascii: "\\"), at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "u"),
                    let low = JSONParser.hexUnit(bytes, at: at + 2), (0xDC00...0xDFFF).contains(low)
                else { throw problem("half of a surrogate pair", "write both halves, or the character itself") }
                at += 6
            }
        case let byte where JSONParser.simpleEscape(byte) != nil:
            at += 1
        default:
            throw problem(
                "an unknown escape (\(shown) after a backslash)", "use one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u0000"
            )
        }
    }

    /// Skips one character of two to four bytes and checks that it is UTF-8 (Unicode 15, table 3-7).
    private mutating func scanMultibyte() throws(JSONProblem) {
        let first = bytes[at]
        let (length, low, high): (Int, UInt8, UInt8) =
            switch first {
            case 0xC2...0xDF: (2, 0x80, 0xBF)
            case 0xE0: (3, 0xA0, 0xBF)
            case 0xED: (3, 0x80, 0x9F)
            case 0xE1...0xEF: (3, 0x80, 0xBF)
            case 0xF0: (4, 0x90, 0xBF)
            case 0xF1...0xF3: (4, 0x80, 0xBF)
            case 0xF4: (4, 0x80, 0x8F)
            default: (0, 0, 0)
            }
        let isWhole =
            length > 0 && at + length <= bytes.count && bytes[at + 1] >= low && bytes[at + 1] <= high
            && bytes[(at + 2)..<max(at + 2, at + length)].allSatisfy { $0 & 0xC0 == 0x80 }
        guard isWhole else { throw problem("bytes that are not UTF-8 (\(shown))", "save the text as UTF-8") }
        at += length
    }

    /// Skips a number.
    mutating func scanNumber() throws(JSONProblem) {
        if current == UInt8(ascii: "-") { at += 1 }
        if current == UInt8(ascii: "0") {
            at += 1
            if isDigit { throw problem("a number with a leading zero", "remove the zero") }
        } else {
            try scanDigits()
        }
        if current == UInt8(ascii: ".") {
            at += 1
            try scanDigits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            at += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { at += 1 }
            try scanDigits()
        }
    }

    private var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(current) }

    private mutating func scanDigits() throws(JSONProblem) {
        guard isDigit else {
            throw problem("expected a digit but found \(shown)", "write the number in full, such as -1.5e3")
        }
        while isDigit { at += 1 }
    }

    /// The 16 bits of four hexadecimal digits.
    static func hexUnit(_ bytes: [UInt8], at start: Int) -> UInt16? {
        guard start + 4 <= bytes.count else { return nil }
        var value: UInt16 = 0
        for byte in bytes[start..<(start + 4)] {
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
            value = value << 4 | UInt16(digit)
        }
        return value
    }

    /// The character of a one-letter escape.
    static func simpleEscape(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }
}
