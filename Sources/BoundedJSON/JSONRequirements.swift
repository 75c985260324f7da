/// Accessors for format readers: they return the value, or throw a problem with its location.
extension JSONValue {
    /// Line and column of its start, both from 1.
    public var place: (line: Int, column: Int) {
        JSONDocument.place(of: Int(document.entries[index].start), in: document.bytes)
    }

    /// Its path from the outermost value, such as `routes[0].legs[1]`; empty for the outermost value. Time is linear in
    /// the text before it.
    public var path: String {
        var path = ""
        var container = JSONValue(document: document, index: 0)
        while container.index < index, let (step, inner) = container.step(toward: index) {
            path += path.isEmpty && step.first == "." ? String(step.dropFirst()) : step
            container = inner
        }
        return path
    }

    /// The element or member that is or contains an entry.
    private func step(toward target: Int) -> (String, JSONValue)? {
        if kind == .array {
            for (position, element) in elements.enumerated() where target < element.document.entries[element.index].next
            {
                return ("[\(position)]", element)
            }
        }
        for (name, member) in members where target < member.document.entries[member.index].next {
            let isPlain =
                !name.isEmpty
                && name.utf8.allSatisfy { $0 == UInt8(ascii: "_") || Character(UnicodeScalar($0)).isASCIILetterOrDigit }
            return (isPlain ? ".\(name)" : "[\"\(name.prefix(64))\"]", member)
        }
        return nil
    }

    /// Creates a problem at this value.
    public func problem(_ reason: String, remedy: String) -> JSONProblem {
        let place = place
        return JSONProblem(line: place.line, column: place.column, path: path, reason: reason, remedy: remedy)
    }

    /// Creates a problem for a value of the wrong kind.
    public func wrongKind(expected: String) -> JSONProblem {
        problem("must be \(expected), not \(kind)", remedy: "write \(expected) here")
    }

    /// The member with a name; throws if this is not an object, or if the member is missing or `null`.
    public func required(_ name: String) throws(JSONProblem) -> JSONValue {
        guard kind == .object else { throw wrongKind(expected: "an object") }
        guard let member = self[name], !member.isNull else {
            throw problem("has no \"\(name)\"", remedy: "add the member \"\(name)\"")
        }
        return member
    }

    /// The member with a name; `nil` if it is missing or `null`; throws if this is not an object.
    public func optional(_ name: String) throws(JSONProblem) -> JSONValue? {
        guard kind == .object else { throw wrongKind(expected: "an object") }
        guard let member = self[name], !member.isNull else { return nil }
        return member
    }

    /// The number; throws if it is not a number, is too large, or is out of range.
    public func requiredDouble(in range: ClosedRange<Double>? = nil) throws(JSONProblem) -> Double {
        guard kind == .number else { throw wrongKind(expected: "a number") }
        guard let value = double else { throw problem("is too large a number", remedy: "write a number below 1.7e308") }
        if let range, !range.contains(value) {
            throw problem(
                "is \(value), outside \(range.lowerBound) to \(range.upperBound)", remedy: "write a value in that range"
            )
        }
        return value
    }

    /// The integer; throws if it is not an integer or is out of range.
    public func requiredInt(in range: ClosedRange<Int>? = nil) throws(JSONProblem) -> Int {
        guard let value = int else { throw wrongKind(expected: "a whole number") }
        if let range, !range.contains(value) {
            throw problem(
                "is \(value), outside \(range.lowerBound) to \(range.upperBound)", remedy: "write a value in that range"
            )
        }
        return value
    }

    /// The string; throws if it is not a string.
    public func requiredString() throws(JSONProblem) -> String {
        guard let value = string else { throw wrongKind(expected: "a string") }
        return value
    }

    /// The boolean; throws if it is not a boolean.
    public func requiredBool() throws(JSONProblem) -> Bool {
        guard let value = bool else { throw wrongKind(expected: "true or false") }
        return value
    }

    /// The elements; throws if this is not an array.
    public func requiredElements() throws(JSONProblem) -> Elements {
        guard kind == .array else { throw wrongKind(expected: "an array") }
        return elements
    }
}

extension Character {
    fileprivate var isASCIILetterOrDigit: Bool { isASCII && (isLetter || isNumber) }
}
