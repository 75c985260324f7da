import Foundation

/// The structs and constants of `posed.h`, parsed from its text.
struct PosedHeader {
    /// One field of a struct.
    struct Field {
        /// Its name.
        var name: String
        /// Its C type, with the length of an array: `double[3]`.
        var type: String
        /// Its offset in the struct, bytes.
        var offset: Int
        /// Its description.
        var meaning: String
        /// Whether it is only padding.
        var isFiller: Bool { name.hasPrefix("reserved") }
    }

    /// One struct.
    struct Struct {
        /// Its name.
        var name: String
        /// Its fields.
        var fields: [Field]
        /// Its size, bytes.
        var size: Int
    }

    /// A constant with its description.
    struct Constant {
        /// Its name.
        var name: String
        /// Its value.
        var value: UInt32
        /// Whether it is a bit of a set.
        var isBit: Bool
        /// Its description; empty if there is none.
        var meaning: String
    }

    /// The structs in the order of the file.
    private(set) var structs: [Struct] = []
    /// The constants in the order of the file.
    private(set) var constants: [Constant] = []

    private static let sizes = [
        "uint8_t": 1, "uint16_t": 2, "uint32_t": 4, "int64_t": 8, "uint64_t": 8, "double": 8, "float": 4,
    ]

    /// Parses the package's header.
    static func ofPackage() throws -> PosedHeader {
        let file = Package.file("Sources/CPosed/include/posed.h")
        return PosedHeader(text: try String(contentsOf: file, encoding: .utf8))
    }

    /// Parses the text of a header.
    init(text: String) {
        // A definition or a member that continues on the next line becomes one line, as does the text of a comment.
        let joined = text.replacingOccurrences(of: #"\s*\\\n\s*"#, with: " ", options: .regularExpression)
        readConstants(joined)
        readStructs(joined)
    }

    private mutating func readConstants(_ text: String) {
        let pattern = /#define (POSED_\w+)\s+(?:\((\d+)u << (\d+)\)|(\d+)u)(?:[ \t]*\/\*((?:[^*]|\*(?!\/))*)\*\/)?/
        for match in text.matches(of: pattern) {
            let value: UInt32
            if let one = match.output.2, let shift = match.output.3 {
                value = (UInt32(one) ?? 0) << (UInt32(shift) ?? 0)
            } else {
                value = match.output.4.flatMap { UInt32($0) } ?? 0
            }
            constants.append(
                Constant(
                    name: String(match.output.1), value: value, isBit: match.output.2 != nil,
                    meaning: Self.oneLine(match.output.5.map { String($0) })
                ))
        }
    }

    private mutating func readStructs(_ text: String) {
        for match in text.matches(of: /struct (posed_\w+) \{((?:[^}])*)\};/) {
            var (fields, offset, alignment) = ([Field](), 0, 1)
            let member =
                /(?:struct (posed_\w+)|(\w+_t|double|float))\s+([\w\[\], ]+);(?:[ \t]*\/\*((?:[^*]|\*(?!\/))*)\*\/)?/
            for field in match.output.2.matches(of: member) {
                let inner = field.output.1.flatMap { name in structs.first { $0.name == name } }
                let base = String(field.output.1 ?? field.output.2 ?? "")
                let size = inner?.size ?? Self.sizes[base] ?? 0
                for name in field.output.3.split(separator: ",") {
                    let parts = name.split(whereSeparator: { " []".contains($0) })
                    let count = parts.count > 1 ? Int(parts[1]) ?? 0 : 1
                    let natural = min(size, 8)
                    offset = (offset + natural - 1) / natural * natural
                    alignment = max(alignment, natural)
                    fields.append(
                        Field(
                            name: String(parts[0]), type: parts.count > 1 ? "\(base)[\(count)]" : base, offset: offset,
                            meaning: Self.oneLine(field.output.4.map { String($0) })))
                    offset += size * count
                }
            }
            let size = (offset + alignment - 1) / alignment * alignment
            structs.append(Struct(name: String(match.output.1), fields: fields, size: size))
        }
    }

    private static func oneLine(_ text: String?) -> String {
        (text ?? "").split(whereSeparator: { $0 == "\n" || $0 == " " }).joined(separator: " ")
    }
}

/// The files of this package.
enum Package {
    /// A file by its path within the package.
    static func file(_ path: String) -> URL {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return folder.appendingPathComponent(path)
    }
}
