extension CANSignal {
    /// An example of the text form, for messages.
    package static let example = #"0x1A0 16|16@1+ (0.01,0) [0|655.34] "km/h""#

    /// Reads a signal: the frame's identifier, then the signal as a DBC file has it. Names the first problem.
    package init(_ text: String) throws(CANSignalProblem) {
        guard text.utf8.count <= 400 else { throw CANSignalProblem("has \(text.utf8.count) bytes; give at most 400") }
        var scanner = CANSignalScanner(text)
        let (id, frameBytes) = try Self.frame(scanner.word())
        let isLine = try scanner.skipName()
        let field = try Self.field(scanner.word(), frameBytes: frameBytes)
        var parts = Parts()
        while let next = scanner.peek {
            switch next {
            case "(":
                let pair = try scanner.pair("(", ",", ")", "(factor,offset)")
                (parts.factor, parts.offset) = (pair.0, pair.1)
            case "[":
                let pair = try scanner.pair("[", "|", "]", "[minimum|maximum]")
                guard pair.0 <= pair.1 else {
                    throw CANSignalProblem("has a minimum above its maximum in [\(pair.0)|\(pair.1)]")
                }
                // DBC files write [0|0] where no range is known.
                parts.range = pair.0 == 0 && pair.1 == 0 ? nil : pair.0...pair.1
            case "\"": parts.unit = try scanner.quoted()
            default: try parts.take(scanner.word(), field, frameBytes: frameBytes, isLine: isLine)
            }
        }
        guard parts.factor != 0 else { throw CANSignalProblem("has the factor 0: every value would be the same") }
        if scanner.isMultiplexed, parts.multiplexer == nil {
            throw CANSignalProblem(
                "is multiplexed: add mux=START|LENGTH@ORDER+:VALUE with the place and the value of its selector")
        }
        self.text = text
        (self.id, self.frameBytes, self.field) = (id, frameBytes, field)
        (factor, offset, range) = (parts.factor, parts.offset, parts.range)
        (unit, unavailable, multiplexer) = (parts.unit, parts.unavailable, parts.multiplexer)
    }

    /// What follows the place of a signal.
    private struct Parts {
        var factor = 1.0
        var offset = 0.0
        var range: ClosedRange<Double>?
        var unit: String?
        var unavailable: [UInt64] = []
        var multiplexer: Multiplexer?

        /// Takes a word: `na=`, `mux=`, or the receivers at the end of a line of a DBC file.
        mutating func take(
            _ word: String, _ field: CANBitField, frameBytes: Int, isLine: Bool
        ) throws(CANSignalProblem) {
            if word.hasPrefix("na=") {
                for item in word.dropFirst(3).split(separator: ",", omittingEmptySubsequences: false) {
                    guard let raw = CANSignalScanner.whole(item), field.count == 64 || raw < 1 << UInt64(field.count)
                    else {
                        throw CANSignalProblem("has \(word): \(item) is no number of \(field.count) bits")
                    }
                    unavailable.append(raw)
                }
                guard unavailable.count <= mostUnavailable else {
                    throw CANSignalProblem("has more than \(mostUnavailable) values in \(word)")
                }
            } else if word.hasPrefix("mux=") {
                let halves = word.dropFirst(4).split(separator: ":", omittingEmptySubsequences: false)
                guard halves.count == 2, let value = CANSignalScanner.whole(halves[1]) else {
                    throw CANSignalProblem("has \(word); give mux=START|LENGTH@ORDER+:VALUE, such as mux=0|8@1+:3")
                }
                let place = try CANSignal.field(String(halves[0]), frameBytes: frameBytes)
                guard place.count == 64 || value < 1 << UInt64(place.count) else {
                    throw CANSignalProblem("has \(word): \(value) does not fit into \(place.count) bits")
                }
                multiplexer = Multiplexer(field: place, value: value)
            } else if !isLine {
                throw CANSignalProblem("has the unknown part `\(word.prefix(40))`")
            }
        }
    }

    /// Reads `0x1A0` or `0x1A0#12`.
    private static func frame(_ word: String) throws(CANSignalProblem) -> (CANIdentifier, Int) {
        let parts = word.split(separator: "#", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first, let number = CANSignalScanner.whole(first),
            let value = UInt32(exactly: number), let id = CANIdentifier(value)
        else {
            throw CANSignalProblem(
                "begins with `\(word.prefix(40))`, which is no identifier of a frame: give 0x0 to 0x7FF, or up to "
                    + "0x1FFFFFFF with 29 bits (bit 31 set, as in DBC files, for a small one with 29 bits)")
        }
        guard parts.count == 2 else { return (id, 8) }
        guard let bytes = CANSignalScanner.whole(parts[1]), (1...UInt64(CANBitField.longestFrame)).contains(bytes)
        else {
            throw CANSignalProblem("has `\(word.prefix(40))`: a frame has 1 to 64 bytes, above 8 with CAN FD")
        }
        return (id, Int(bytes))
    }

    /// Reads `16|16@1+`.
    private static func field(_ word: String, frameBytes: Int) throws(CANSignalProblem) -> CANBitField {
        let parts = word.split(omittingEmptySubsequences: false) { $0 == "|" || $0 == "@" }
        guard parts.count == 3, let start = CANSignalScanner.whole(parts[0]),
            let count = CANSignalScanner.whole(parts[1]), ["0+", "0-", "1+", "1-"].contains(parts[2])
        else {
            throw CANSignalProblem(
                "has `\(word.prefix(40))` where START|LENGTH@ORDER and a sign belong: 16|16@1+ is Intel, 7|16@0- "
                    + "Motorola and signed")
        }
        let last = frameBytes * 8 - 1
        guard start <= UInt64(last) else {
            throw CANSignalProblem(
                "has the start bit \(start) outside of a frame of \(frameBytes) bytes (bits 0 to \(last))"
                    + longer(frameBytes))
        }
        guard (1...64).contains(count) else { throw CANSignalProblem("has the length \(count); give 1 to 64 bits") }
        let isMotorola = parts[2].hasPrefix("0")
        let found = CANBitField(
            start: Int(start), count: Int(count), isMotorola: isMotorola, isSigned: parts[2].hasSuffix("-"))
        guard let found, found.neededBytes <= frameBytes else {
            throw CANSignalProblem(
                "has \(count) bits from bit \(start) on in \(isMotorola ? "Motorola" : "Intel") order, which end after "
                    + "the \(frameBytes) bytes of the frame\(longer(frameBytes)); in Motorola order the start bit is "
                    + "the most significant one")
        }
        return found
    }

    private static func longer(_ bytes: Int) -> String {
        bytes > 8 ? "" : "; the length of a longer frame follows the identifier: 0x1A0#12"
    }
}

/// Reads the parts of a signal's text.
private struct CANSignalScanner {
    private var rest: Substring
    /// Whether the name in a line of a DBC file had `m` and a number.
    private(set) var isMultiplexed = false

    init(_ text: String) { rest = text[...] }

    /// The next character after spaces; `nil` at the end.
    var peek: Character? {
        mutating get {
            rest = rest.drop { $0 == " " || $0 == "\t" }
            return rest.first
        }
    }

    /// The characters up to the next space or the end.
    mutating func word() throws(CANSignalProblem) -> String {
        guard peek != nil else { throw CANSignalProblem("ends too early; give text such as \(CANSignal.example)") }
        let word = rest.prefix { $0 != " " && $0 != "\t" }
        rest = rest.dropFirst(word.count)
        return String(word)
    }

    /// Skips `SG_ NAME :` and `SG_ NAME m3 :`; whether they were there.
    mutating func skipName() throws(CANSignalProblem) -> Bool {
        guard peek != nil, rest.hasPrefix("SG_") else { return false }
        _ = try word()
        _ = try word()
        while peek != nil {
            let next = try word()
            if next == ":" { return true }
            if next.hasPrefix("m"), next.dropFirst().first?.isNumber == true { isMultiplexed = true }
        }
        throw CANSignalProblem("has no `:` after the name of the signal")
    }

    /// Two numbers in brackets.
    mutating func pair(
        _ open: Character, _ separator: Character, _ close: Character, _ form: String
    ) throws(CANSignalProblem) -> (Double, Double) {
        guard let end = rest.firstIndex(of: close) else { throw CANSignalProblem("has no `\(close)` of \(form)") }
        let inside = rest[rest.index(after: rest.startIndex)..<end]
        rest = rest[rest.index(after: end)...]
        let numbers = inside.split(separator: separator, omittingEmptySubsequences: false).map {
            IIOText.number($0) ?? .nan
        }
        guard numbers.count == 2, abs(numbers[0]) <= 1e30, abs(numbers[1]) <= 1e30 else {
            throw CANSignalProblem("has `\(open)\(inside.prefix(40))\(close)`; give \(form) with two numbers")
        }
        return (numbers[0], numbers[1])
    }

    /// Text in quotes.
    mutating func quoted() throws(CANSignalProblem) -> String {
        rest = rest.dropFirst()
        guard let end = rest.firstIndex(of: "\"") else { throw CANSignalProblem("has no second quote of its unit") }
        let text = rest[..<end]
        rest = rest[rest.index(after: end)...]
        return String(text)
    }

    /// A whole number: decimal, or hexadecimal after `0x`.
    static func whole(_ text: some StringProtocol) -> UInt64? {
        let isHexadecimal = text.hasPrefix("0x") || text.hasPrefix("0X")
        let digits = isHexadecimal ? String(text.dropFirst(2)) : String(text)
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else {
            return nil
        }
        return UInt64(digits, radix: isHexadecimal ? 16 : 10)
    }
}
