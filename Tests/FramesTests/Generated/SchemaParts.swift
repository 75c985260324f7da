import Foundation
import Frames

/// The definitions of the parts of a frame in `docs/frames.schema.json`.
enum SchemaParts {
    /// Members that later releases will send; their names and meanings are fixed already.
    private static let reserved = [
        "guidance": ["age_s", "then_distance_m"], "speed": ["age_s"],
        "sources": ["gps_age_s", "imu_age_s", "magnetometer_age_s", "barometer_age_s", "wheels_age_s"],
    ]

    /// Members that a client gets only if it asks for them.
    private static let onRequest = [
        "pose": [
            "\"ecef_m\": {\"description\": \"Earth-centred, Earth-fixed, WGS 84; with the option ecef of subscribe.\", "
                + "\"type\": [\"array\", \"null\"], \"items\": {\"type\": \"number\"}, \"minItems\": 3, \"maxItems\": 3}"
        ]
    ]

    /// The schema with new parts; everything else stays unchanged.
    static func text(_ schema: String, _ blocks: [BlockDescription]) -> String {
        var lines = schema.components(separatedBy: "\n")
        for block in blocks {
            replace("    \"\(block.name)\": {", in: &lines, with: definition(block))
            for field in block.fields {
                guard case .code(let type, let names, _) = field.kind else { continue }
                let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
                replace(
                    "    \"\(name(type))\": {", in: &lines,
                    with: [
                        "    \"\(name(type))\": {\"anyOf\": [{\"enum\": [\(list)]}, {\"$ref\": \"#/$defs/laterName\"}]}"
                    ])
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Replaces a definition that starts with `head`, on one line or up to its closing line.
    private static func replace(_ head: String, in lines: inout [String], with text: [String]) {
        guard let begin = lines.firstIndex(where: { $0.hasPrefix(head) }) else { return }
        var end = begin
        if lines[begin] == head { end = lines[begin...].firstIndex { $0.hasPrefix("    }") } ?? begin }
        let comma = lines[end].hasSuffix(",") ? "," : ""
        lines.replaceSubrange(begin...end, with: text.dropLast() + [(text.last ?? "") + comma])
    }

    private static func definition(_ block: BlockDescription) -> [String] {
        let members = block.fields.filter { $0.path.count == 1 }
        var properties: [[String]] = []
        var required: [String] = []
        for field in block.fields {
            if field.path.count == 1 {
                properties.append(["\"\(field.path[0])\": \(value(field))"])
                required.append(field.path[0])
            } else if required.last != field.path[0] {
                required.append(field.path[0])
                properties.append(object(field.path[0], block.fields.filter { $0.path.first == field.path[0] }))
            }
        }
        for name in reserved[block.name] ?? [] where !members.contains(where: { $0.path[0] == name }) {
            properties.append([
                "\"\(name)\": {\"description\": \"Reserved.\", \"type\": [\"number\", \"null\"], \"minimum\": 0}"
            ])
        }
        properties += (onRequest[block.name] ?? []).map { [$0] }
        return ["    \"\(block.name)\": {", "      \"type\": \"object\",", "      \"properties\": {"]
            + listed(properties).map { "        \($0)" } + ["      },", "      \"required\": ["]
            + listed(required.map { ["\"\($0)\""] }).map { "        \($0)" } + ["      ]", "    }"]
    }

    private static func object(_ name: String, _ fields: [FieldDescription]) -> [String] {
        ["\"\(name)\": {", "  \"type\": \"object\",", "  \"properties\": {"]
            + listed(fields.map { ["\"\($0.path[1])\": \(value($0))"] }).map { "    \($0)" }
            + ["  },", "  \"required\": [\(fields.map { "\"\($0.path[1])\"" }.joined(separator: ", "))]", "}"]
    }

    private static func listed(_ items: [[String]]) -> [String] {
        items.enumerated().flatMap { index, lines in
            index == items.count - 1 ? lines : lines.dropLast() + [(lines.last ?? "") + ","]
        }
    }

    private static func value(_ field: FieldDescription) -> String {
        // A number that is always known is null if it is not finite.
        switch field.kind {
        case .code(let type, _, _): return "{\"$ref\": \"#/$defs/\(name(type))\"}"
        case .flag: return "{\"type\": \"boolean\"}"
        case .count:
            let type = field.bit == 0 ? "\"integer\"" : "[\"integer\", \"null\"]"
            return "{\"type\": \(type)\(bounds(field.range))}"
        case .numbers(1): return "{\"type\": [\"number\", \"null\"]\(bounds(field.range))}"
        case .numbers(let count):
            return "{\"type\": [\"array\", \"null\"], \"items\": {\"type\": \"number\"}, "
                + "\"minItems\": \(count), \"maxItems\": \(count)}"
        }
    }

    private static func bounds(_ range: FieldRange) -> String {
        [("minimum", range.minimum), ("maximum", range.maximum), ("exclusiveMaximum", range.exclusiveMaximum)].map {
            name, bound in
            bound.map { ", \"\(name)\": \(Int($0))" } ?? ""
        }.joined()
    }

    private static func name(_ type: String) -> String { type.prefix(1).lowercased() + type.dropFirst() }
}
