import BoundedJSON

/// One argument of a command: its name, its allowed values, and the function that reads its value.
struct CommandArgument<Value>: Sendable {
    /// Name of the JSON member.
    let name: String
    /// Type and range as text.
    let form: String
    /// Example value in JSON.
    let example: String
    /// Reads the value; throws if its type is wrong or it is out of range.
    let read: @Sendable (JSONValue) throws(JSONProblem) -> Value
}

extension CommandArgument<Double> {
    /// A number in a range.
    static func number(_ name: String, in range: ClosedRange<Double>, unit: String, example: String) -> Self {
        let (low, high) = (Self.text(range.lowerBound), Self.text(range.upperBound))
        return CommandArgument(name: name, form: "\(low) to \(high) \(unit)", example: example) {
            value throws(JSONProblem) in try value.requiredDouble(in: range)
        }
    }

    private static func text(_ bound: Double) -> String {
        Int(exactly: bound).map { String($0) } ?? String(bound)
    }
}

extension CommandArgument<Bool> {
    /// `true` or `false`.
    static func flag(_ name: String) -> Self {
        CommandArgument(name: name, form: "`true` or `false`", example: "true") { value throws(JSONProblem) in
            try value.requiredBool()
        }
    }
}

extension CommandArgument<String> {
    /// Any text.
    static func text(_ name: String, _ form: String, example: String) -> Self {
        CommandArgument(name: name, form: form, example: "\"\(example)\"") { value throws(JSONProblem) in
            try value.requiredString()
        }
    }
}

/// The arguments of a command and the function that reads them.
struct CommandArguments<Values>: Sendable {
    /// Names of the JSON members.
    let names: [String]
    /// Arguments with type and range as text.
    let form: String
    /// Text after `"cmd"` in an example line.
    let example: String
    /// Reads the arguments from the JSON object of the line.
    let read: @Sendable (JSONValue) throws(JSONProblem) -> Values

    /// The same arguments, converted to another type.
    func map<Other>(_ transform: @escaping @Sendable (Values) -> Other) -> CommandArguments<Other> {
        let read = read
        return CommandArguments<Other>(names: names, form: form, example: example) { root throws(JSONProblem) in
            transform(try read(root))
        }
    }

    /// A required argument.
    static func required(_ argument: CommandArgument<Values>) -> Self {
        CommandArguments(
            names: [argument.name], form: "`\(argument.name)`: \(argument.form)",
            example: ",\"\(argument.name)\":\(argument.example)"
        ) { root throws(JSONProblem) in try argument.read(try root.required(argument.name)) }
    }

    /// An optional argument.
    static func optional<Value>(_ argument: CommandArgument<Value>) -> Self where Values == Value? {
        CommandArguments(
            names: [argument.name], form: "optional `\(argument.name)`: \(argument.form)",
            example: ",\"\(argument.name)\":\(argument.example)"
        ) { root throws(JSONProblem) in
            guard let value = try root.optional(argument.name) else { return nil }
            return try argument.read(value)
        }
    }

    /// Both groups of arguments.
    static func both<First, Second>(_ first: CommandArguments<First>, _ second: CommandArguments<Second>) -> Self
    where Values == (First, Second) {
        CommandArguments(
            names: first.names + second.names, form: "\(first.form); \(second.form)",
            example: first.example + second.example
        ) { root throws(JSONProblem) in (try first.read(root), try second.read(root)) }
    }

    /// Exactly one of two groups of arguments.
    static func either<First, Second>(
        _ first: CommandArguments<First>, or second: CommandArguments<Second>, remedy: String
    ) -> Self where Values == OneOf<First, Second> {
        let names = "\(first.names.joined(separator: ", ")) and \(second.names.joined(separator: ", "))"
        return CommandArguments(
            names: first.names + second.names, form: "\(first.form); or \(second.form)", example: first.example
        ) { root throws(JSONProblem) in
            switch (first.isPresent(in: root), second.isPresent(in: root)) {
            case (true, false): return .first(try first.read(root))
            case (false, true): return .second(try second.read(root))
            default: throw root.problem("has not exactly one of \(names)", remedy: remedy)
            }
        }
    }

    /// These arguments, or none of them.
    static func orNone<Value>(_ arguments: CommandArguments<Value>) -> Self where Values == Value? {
        CommandArguments(
            names: arguments.names, form: "\(arguments.form); or none", example: arguments.example
        ) { root throws(JSONProblem) in arguments.isPresent(in: root) ? try arguments.read(root) : nil }
    }

    /// Whether a line contains any of the members.
    private func isPresent(in root: JSONValue) -> Bool { names.contains { root[$0] != nil } }
}

extension CommandArguments<Void> {
    /// No arguments.
    static var none: Self { CommandArguments(names: [], form: "", example: "") { _ throws(JSONProblem) in } }
}

/// One of two values.
enum OneOf<First: Sendable, Second: Sendable>: Sendable {
    /// The first.
    case first(First)
    /// The second.
    case second(Second)
}
