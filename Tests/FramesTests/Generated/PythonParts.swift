import Frames

/// The Python client's classes for the parts of a frame, as `clients/python/posed_client/parts.py`.
enum PythonParts {
    private static let meanings = [
        "pose": "Position, velocity and attitude.", "guidance": "Guidance along the route.",
        "speed": "Speed and limit.",
        "sources": "State of each source.",
    ]

    /// The whole file.
    static func text(_ blocks: [BlockDescription], _ header: PosedHeader) -> String {
        let head = """
            \"""The parts of a frame. Made by `make generated` from posed.h and Sources/Frames/Fields: do not edit.\"""

            from __future__ import annotations

            from dataclasses import dataclass
            from typing import Optional

            from .fields import Block, Quaternion, Vector


            """
        return head + names(blocks) + blocks.map { part($0, header) }.joined()
    }

    private static func names(_ blocks: [BlockDescription]) -> String {
        var (known, text) = (Set<String>(), "")
        for field in blocks.flatMap(\.fields) {
            guard case .code(let type, let names, _) = field.kind, known.insert(type).inserted else { continue }
            text += "\(constant(type)) = (\n" + names.map { "    \"\($0)\",\n" }.joined() + ")\n"
        }
        return text
    }

    private static func part(_ block: BlockDescription, _ header: PosedHeader) -> String {
        let layout = header.structs.first { $0.name == "posed_\(block.name)" }
        var text = """


            @dataclass(frozen=True)
            class \(block.name.capitalized):
                \"""\(meanings[block.name] ?? "")\"""


            """
        for field in block.fields {
            let meaning = layout?.fields.first { $0.offset == field.offset }?.meaning ?? ""
            if case .flag = field.kind {} else { text += comment(meaning) }
            text += "    \(name(field)): \(type(field))\n"
        }
        text += "\n\ndef read_\(block.name)(data: bytes) -> \(block.name.capitalized):\n"
        text += "    \"\"\"A posed_\(block.name) block.\"\"\"\n    b = Block(data, \(block.size))\n"
        text += "    return \(block.name.capitalized)(\n"
        text += block.fields.map { "        \(name($0))=\(reading($0)),\n" }.joined()
        return text + "    )\n"
    }

    /// A comment in lines of at most 120 columns; nothing for an empty text.
    private static func comment(_ text: String) -> String {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + word.count < 120 - "    #: ".count {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines.map { "    #: \($0)\n" }.joined()
    }

    private static func name(_ field: FieldDescription) -> String { field.path.joined(separator: "_") }

    private static func type(_ field: FieldDescription) -> String {
        let type: String
        switch field.kind {
        case .code: return "str"
        case .flag: return "bool"
        case .count: type = "int"
        case .numbers(let count): type = count == 1 ? "float" : count == 3 ? "Vector" : "Quaternion"
        }
        return field.bit == 0 ? type : "Optional[\(type)]"
    }

    private static func reading(_ field: FieldDescription) -> String {
        let place = field.offset
        switch field.kind {
        case .code(let type, _, let otherwise): return "b.name(\(place), \(constant(type)), \"\(otherwise)\")"
        case .flag(let size, let mask): return "b.flag(\(place), \(size), \(mask))"
        case .count(let size):
            return field.bit == 0
                ? "b.count(\(place), \(size))" : "b.known_count(\(place), \(size), \(field.bit.trailingZeroBitCount))"
        case .numbers(let count):
            let kind = count == 1 ? "number" : count == 3 ? "vector" : "quaternion"
            if field.bit == 0 { return count == 1 ? "b.always(\(place))" : "b.always_vector(\(place))" }
            return "b.\(kind)(\(place), \(field.bit.trailingZeroBitCount))"
        }
    }

    /// `PoseState` becomes `POSE_STATES`.
    private static func constant(_ type: String) -> String {
        var text = ""
        for letter in type {
            if letter.isUppercase && !text.isEmpty { text += "_" }
            text += letter.uppercased()
        }
        return text + "S"
    }
}
