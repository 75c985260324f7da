import Guidance

/// A conditional limit such as `80 @ (Mo-Fr 06:00-20:00 AND weight>3.5)`.
struct ConditionalLimit: Equatable {
    /// The limit; unknown if its text cannot be read.
    var limit: RoadLimit
    /// All of them must hold.
    var conditions: [LimitCondition]

    /// Maximum length of a tag's value, bytes; OpenStreetMap's is 255 characters.
    static let longestText = 255
    /// Maximum number of limits in a value, and of conditions of a limit.
    private static let mostParts = 16

    /// Reads the value of a tag such as `maxspeed:conditional`: limits with their conditions, separated by semicolons.
    /// A part that cannot be read has an unknown limit or an unknown condition.
    static func read(_ text: String) -> [ConditionalLimit] {
        let bytes = Array(text.utf8)
        guard bytes.count <= longestText else { return [.unreadable] }
        guard let parts = ConditionText.split(bytes[...], at: UInt8(ascii: ";")), parts.count <= mostParts else {
            return [.unreadable]
        }
        return parts.filter { !ConditionText.trimmed($0).isEmpty }.map { ConditionalLimit($0) }
    }

    /// A limit of which nothing is known.
    private static var unreadable: ConditionalLimit { .init(limit: .unknown, conditions: [.unknown]) }

    private init(limit: RoadLimit, conditions: [LimitCondition]) { (self.limit, self.conditions) = (limit, conditions) }

    private init(_ text: ArraySlice<UInt8>) {
        self = .unreadable
        guard let at = text.firstIndex(of: UInt8(ascii: "@")) else { return }
        limit = MaxspeedTag(String(decoding: ConditionText.trimmed(text[..<at]), as: UTF8.self)).limit
        let rest = ConditionText.withoutParentheses(ConditionText.lowercased(text[(at + 1)...]))
        guard let parts = ConditionText.splitAtAnd(rest[...]), parts.count <= Self.mostParts else { return }
        conditions = parts.map { LimitCondition($0) }
        if limit == .unknown { conditions.append(.unknown) }
    }
}

/// A condition of a limit.
enum LimitCondition: Equatable {
    /// Days and hours.
    case times(OpeningTimes)
    /// A wet road.
    case wet
    /// A kind of vehicle.
    case vehicle(LimitVehicle)
    /// The maximum authorised mass against a number of tonnes.
    case weight(Comparison, Double)
    /// Something that is not known here.
    case unknown

    /// How a number is compared.
    enum Comparison: String, CaseIterable {
        // In the order in which they are searched: the longer first.
        /// At least.
        case notBelow = ">="
        /// At most.
        case notAbove = "<="
        /// More than.
        case above = ">"
        /// Less than.
        case below = "<"
        /// Exactly.
        case equal = "="
    }

    /// Reads a condition in lower case.
    init(_ text: ArraySlice<UInt8>) {
        let text = ConditionText.withoutParentheses(ConditionText.trimmed(text))
        let word = String(decoding: text, as: UTF8.self)
        if word == "wet" || word == "rain" {
            self = .wet
        } else if let vehicle = LimitVehicle(name: word) {
            self = .vehicle(vehicle)
        } else if let weight = Self.weight(text) {
            self = weight
        } else if let times = OpeningTimesReader.read(text) {
            self = .times(times)
        } else {
            self = .unknown
        }
    }

    private static let weightNames = ["weight", "maxweight", "weightrating", "maxweightrating", "gvw"]

    private static func weight(_ text: [UInt8]) -> LimitCondition? {
        for comparison in Comparison.allCases {
            let sign = Array(comparison.rawValue.utf8)
            guard let place = text.indices.first(where: { text[$0...].starts(with: sign) }) else { continue }
            let name = String(decoding: ConditionText.trimmed(text[..<place]), as: UTF8.self)
            guard weightNames.contains(name) else { return nil }
            return tonnes(ConditionText.trimmed(text[(place + sign.count)...])).map { .weight(comparison, $0) }
        }
        return nil
    }

    /// A mass in tonnes: `7.5`, `7.5 t`, `3500 kg`.
    private static func tonnes(_ text: [UInt8]) -> Double? {
        let digits = text.prefix { ($0 >= 0x30 && $0 <= 0x39) || $0 == UInt8(ascii: ".") }
        guard !digits.isEmpty, digits.count <= 7, let value = Double(String(decoding: digits, as: UTF8.self)) else {
            return nil
        }
        switch String(decoding: ConditionText.trimmed(text[digits.count...]), as: UTF8.self) {
        case "", "t": return value
        case "kg": return value / 1000
        default: return nil
        }
    }
}

/// Operations on the text of conditions.
enum ConditionText {
    /// Maximum depth of parentheses.
    private static let deepest = 4

    static func trimmed(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let start = text.firstIndex { !isSpace($0) } ?? text.endIndex
        let end = text.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
        return Array(text[start..<max(end, start)])
    }

    static func lowercased(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        trimmed(text).map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 0x20 : $0 }[...]
    }

    /// The text without a pair of parentheses around all of it.
    static func withoutParentheses(_ text: some RandomAccessCollection<UInt8>) -> [UInt8] {
        let all = Array(text)
        guard all.first == UInt8(ascii: "("), all.last == UInt8(ascii: ")") else { return all }
        var depth = 0
        for (index, byte) in all.enumerated() {
            if byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ")") { depth -= 1 }
            if depth == 0, index < all.count - 1 { return all }
        }
        return trimmed(all[1..<(all.count - 1)])
    }

    /// The parts between separators outside parentheses; `nil` if the parentheses do not match or are too deep.
    static func split(_ text: ArraySlice<UInt8>, at separator: UInt8) -> [ArraySlice<UInt8>]? {
        var (parts, start, depth) = ([ArraySlice<UInt8>](), text.startIndex, 0)
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case separator where depth == 0:
                parts.append(text[start..<index])
                start = index + 1
            default: break
            }
            guard depth >= 0, depth <= deepest else { return nil }
        }
        return depth == 0 ? parts + [text[start...]] : nil
    }

    /// The parts between the words `and` outside parentheses.
    static func splitAtAnd(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        var (parts, start, depth) = ([ArraySlice<UInt8>](), text.startIndex, 0)
        let word = Array("and".utf8)
        for index in text.indices {
            if text[index] == UInt8(ascii: "(") { depth += 1 }
            if text[index] == UInt8(ascii: ")") { depth -= 1 }
            guard depth >= 0, depth <= deepest else { return nil }
            guard depth == 0, text[index...].starts(with: word), isBorder(text, index - 1), isBorder(text, index + 3)
            else { continue }
            parts.append(text[start..<index])
            start = index + 3
        }
        return depth == 0 ? parts + [text[start...]] : nil
    }

    private static func isBorder(_ text: ArraySlice<UInt8>, _ index: Int) -> Bool {
        guard index >= text.startIndex, index < text.endIndex else { return false }
        return isSpace(text[index]) || text[index] == UInt8(ascii: "(") || text[index] == UInt8(ascii: ")")
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
