import Foundation

/// Checks JSON against a schema: the part of JSON Schema that docs/frames.schema.json uses, and stricter in two points:
/// a member that the schema does not name is a problem, so that a misspelt one does not pass; and so is what the schema
/// leaves open for later releases. Why `@unchecked Sendable` is true: the schema is read once and never changed.
public struct SchemaCheck: @unchecked Sendable {
    private let root: [String: Any]

    /// What is wrong with the schema itself.
    public struct Fault: Error {
        /// In words.
        public var text: String
    }

    /// Reads a schema.
    public init(path: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        guard let root = try JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw Fault(text: "\(path) is no object")
        }
        self.root = root
    }

    /// The schema of the lines, from this package's docs.
    public static func frames() throws -> SchemaCheck { try SchemaCheck(path: path) }

    /// Where that schema is.
    public static var path: String {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return folder.appendingPathComponent("docs/frames.schema.json").path
    }

    /// What is wrong with one line; empty: nothing.
    public func problems(line: String) throws -> [String] {
        guard let value = try? JSONSerialization.jsonObject(with: Data(line.utf8)) else { return ["no JSON"] }
        return try problems(value, root, at: "$")
    }

    private func problems(_ value: Any, _ schema: [String: Any], at place: String) throws -> [String] {
        if let reference = schema["$ref"] as? String {
            if reference == "#/$defs/laterName" { return ["\(place): \(value) is no name of this release"] }
            return try problems(value, definition(reference), at: place)
        }
        if let choices = schema["anyOf"] as? [[String: Any]] {
            let found = try choices.map { try problems(value, $0, at: place) }
            return found.contains([]) ? [] : found[0]
        }
        if let choices = schema["oneOf"] as? [[String: Any]] {
            // By the member `type`, so that the problems are those of the line that was meant.
            let type = (value as? [String: Any])?["type"] as? String
            let meant = try choices.map(resolved).filter {
                (($0["properties"] as? [String: Any])?["type"] as? [String: Any])?["const"] as? String == type
            }
            guard meant.count == 1 else { return ["\(place): of no known type"] }
            return try problems(value, meant[0], at: place)
        }
        if let constant = schema["const"] as? NSObject, !constant.isEqual(value) {
            return ["\(place): not \(constant)"]
        }
        if let words = schema["enum"] as? [NSObject], !words.contains(where: { $0.isEqual(value) }) {
            return ["\(place): none of \(words)"]
        }
        if let types = schema["type"].map({ $0 as? [String] ?? [$0 as? String ?? ""] }),
            !types.contains(where: { Self.isA($0, value) })
        {
            return ["\(place): not \(types.joined(separator: " or "))"]
        }
        return bounds(value, schema, at: place) + (try members(value, schema, at: place))
            + (try elements(value, schema, at: place))
    }

    private func definition(_ reference: String) throws -> [String: Any] {
        let name = String(reference.dropFirst("#/$defs/".count))
        guard reference.hasPrefix("#/$defs/"), let found = (root["$defs"] as? [String: Any])?[name] as? [String: Any]
        else {
            throw Fault(text: "no \(reference)")
        }
        return found
    }

    private func resolved(_ schema: [String: Any]) throws -> [String: Any] {
        try (schema["$ref"] as? String).map(definition) ?? schema
    }

    private func bounds(_ value: Any, _ schema: [String: Any], at place: String) -> [String] {
        guard Self.isA("number", value), let number = (value as? NSNumber)?.doubleValue else { return [] }
        if let least = (schema["minimum"] as? NSNumber)?.doubleValue, number < least {
            return ["\(place): below \(least)"]
        }
        if let most = (schema["maximum"] as? NSNumber)?.doubleValue, number > most {
            return ["\(place): above \(most)"]
        }
        if let end = (schema["exclusiveMaximum"] as? NSNumber)?.doubleValue, number >= end {
            return ["\(place): not below \(end)"]
        }
        if let end = (schema["exclusiveMinimum"] as? NSNumber)?.doubleValue, number <= end {
            return ["\(place): not above \(end)"]
        }
        return []
    }

    private func members(_ value: Any, _ schema: [String: Any], at place: String) throws -> [String] {
        guard let object = value as? [String: Any], let known = schema["properties"] as? [String: [String: Any]] else {
            return []
        }
        var found = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }.map { "\(place): no \($0)" }
        let isOpen = schema["additionalProperties"] as? Bool == true
        for (name, member) in object {
            if let schema = known[name] {
                found += try problems(member, schema, at: "\(place).\(name)")
            } else if !isOpen {
                found.append("\(place): \(name) is not in the schema")
            }
        }
        return found
    }

    private func elements(_ value: Any, _ schema: [String: Any], at place: String) throws -> [String] {
        guard let array = value as? [Any] else { return [] }
        if let least = schema["minItems"] as? Int, array.count < least { return ["\(place): fewer than \(least)"] }
        if let most = schema["maxItems"] as? Int, array.count > most { return ["\(place): more than \(most)"] }
        guard let item = schema["items"] as? [String: Any] else { return [] }
        return try array.enumerated().flatMap { try problems($1, item, at: "\(place)[\($0)]") }
    }

    private static func isA(_ type: String, _ value: Any) -> Bool {
        let isBoolean = (value as? NSNumber).map { CFNumberIsBoolean($0) } ?? false
        switch type {
        case "object": return value is [String: Any]
        case "array": return value is [Any]
        case "string": return value is String
        case "null": return value is NSNull
        case "boolean": return isBoolean
        case "integer":
            return !isBoolean && (value as? NSNumber).map { $0.doubleValue == $0.doubleValue.rounded() } ?? false
        case "number": return !isBoolean && value is NSNumber
        default: return false
        }
    }

    /// JSON's true and false come as numbers too.
    private static func CFNumberIsBoolean(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }
}
