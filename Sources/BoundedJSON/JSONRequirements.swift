/// What a reader of some format needs: the value, or a problem that names the place.
extension JSONValue {
    /// Line and column where it starts, both from 1.
    public var place: (line: Int, column: Int) {
        JSONDocument.place(of: Int(document.entries[index].start), in: document.bytes)
    }

    /// Its path from the outermost value, such as `routes[0].legs[1]`; empty for the outermost. Time grows with the
    /// text before it.
    public var path: String {
        var path = ""
        var container = JSONValue(document: document, index: 0)
        while container.index < index, let (step, inner) = container.step(toward: index) {
            path += path.isEmpty && step.first == "." ? String(step.dropFirst()) : step
            container = inner
        }
        return path
    }

    /// The element or member that is or holds an entry.
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

    /// A problem with this value.
    public func problem(_ reason: String, remedy: String) -> JSONProblem {
        let place = place
        return JSONProblem(line: place.line, column: place.column, path: path, reason: reason, remedy: remedy)
    }

    /// A problem of a value that should be of another kind.
    public func wrongKind(expected: String) -> JSONProblem {
        problem("must be \(expected), not \(kind)", remedy: "write \(expected) here")
    }

    /// The member of that name; throws where this is no object, or has none, or only `null`.
    public func required(_ name: String) throws(JSONProblem) -> JSONValue {
        guard kind == .object else { throw wrongKind(expected: "an object") }
        guard let member = self[name], !member.isNull else {
            throw problem("has no \"\(name)\"", remedy: "add the member \"\(name)\"")
        }
        return member
    }

    /// The member of that name, or `nil` where it is missing or `null`; throws where this is no object.
    public func optional(_ name: String) throws(JSONProblem) -> JSONValue? {
        guard kind == .object else { throw wrongKind(expected: "an object") }
        guard let member = self[name], !member.isNull else { return nil }
        return member
    }

    /// The number; throws where it is none, too large, or outside the range.
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

    /// The whole number; throws where it is none or outside the range.
    public func requiredInt(in range: ClosedRange<Int>? = nil) throws(JSONProblem) -> Int {
        guard let value = int else { throw wrongKind(expected: "a whole number") }
        if let range, !range.contains(value) {
            throw problem(
                "is \(value), outside \(range.lowerBound) to \(range.upperBound)", remedy: "write a value in that range"
            )
        }
        return value
    }

    /// The string; throws where it is none.
    public func requiredString() throws(JSONProblem) -> String {
        guard let value = string else { throw wrongKind(expected: "a string") }
        return value
    }

    /// The truth value; throws where it is none.
    public func requiredBool() throws(JSONProblem) -> Bool {
        guard let value = bool else { throw wrongKind(expected: "true or false") }
        return value
    }

    /// The elements; throws where this is no array.
    public func requiredElements() throws(JSONProblem) -> Elements {
        guard kind == .array else { throw wrongKind(expected: "an array") }
        return elements
    }
}

extension Character {
    fileprivate var isASCIILetterOrDigit: Bool { isASCII && (isLetter || isNumber) }
}
