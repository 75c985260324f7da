import BoundedJSON
import SeededNumbers
import Testing

/// The problem of a text, or `nil` if it is accepted.
private func problem(_ text: String, limits: JSONLimits = JSONLimits()) -> JSONProblem? {
    do throws(JSONProblem) {
        _ = try JSONDocument(text, limits: limits)
        return nil
    } catch {
        return error
    }
}

@Suite struct JSONDocumentTests {
    @Test func valuesOfEveryKindAreRead() throws {
        // GIVEN an object with every kind of value
        let root = try JSONDocument(
            #" {"a": [1, -2.5e3, 0], "b": {"c": null}, "d": true, "e": false, "f": "x\n\u00e9\ud83d\ude00\/", "": []} "#
        ).root
        // THEN each is found, with its value
        #expect(root.count == 6)
        #expect(root["a"]?.elements.map { $0.double } == [1, -2500, 0])
        #expect(root["a"]?[1]?.int == -2500)
        #expect(root["a"]?[3] == nil)
        #expect(root["b"]?["c"]?.isNull == true)
        #expect(root["d"]?.bool == true)
        #expect(root["e"]?.bool == false)
        #expect(root["f"]?.string == "x\né😀/")
        #expect(root[""]?.kind == .array)
        #expect(root["g"] == nil)
        #expect(root.members.map { $0.name } == ["a", "b", "d", "e", "f", ""])
    }

    @Test func scalarsMayBeTheWholeText() throws {
        #expect(try JSONDocument("-0").root.double == 0)
        #expect(try JSONDocument("\"\"").root.string == "")
        #expect(try JSONDocument("\u{FEFF}null").root.isNull)
        #expect(try JSONDocument("[]").root.count == 0)
    }

    @Test func escapedNamesAreEqual() throws {
        #expect(try JSONDocument(#"{"\u0061b": 1}"#).root["ab"]?.int == 1)
    }

    @Test func numbersAreTheNearestDouble() throws {
        // GIVEN random decimal numbers of many lengths
        var random = SplitMix64(seed: 7)
        for _ in 0..<20_000 {
            let digits = 1 + Int(random.next() % 19)
            let whole = random.next() % UInt64([10, 1000, 1_000_000, 1_000_000_000_000][Int(random.next() % 4)])
            var text =
                (random.next() % 2 == 0 ? "-" : "") + "\(whole)."
                + String((0..<digits).map { _ in Character("\(random.next() % 10)") })
            if random.next() % 4 == 0 { text += "e\(Int(random.next() % 40) - 20)" }
            // THEN each is bit-identical to the standard library's result
            #expect(try JSONDocument(text).root.double?.bitPattern == Double(text)?.bitPattern, "\(text)")
        }
    }

    @Test func onlyANumberIsOne() throws {
        // GIVEN other values, also a text of digits THEN none is a number
        let values = try Array(JSONDocument(#"["12", "", true, null, [1], {"a": 1}]"#).root.elements)
        #expect(values.count == 6 && values.allSatisfy { $0.double == nil && $0.int == nil })
    }

    @Test func numberBeyondDoubleIsNil() throws {
        let value = try JSONDocument("[1e999]").root[0]
        #expect(value?.double == nil)
        #expect(throws: JSONProblem.self) { try value?.requiredDouble() }
        #expect(try JSONDocument("1e-999").root.double == 0)
    }

    @Test(arguments: [
        ("", 1, 1), (" \n ", 2, 2), ("[1,2", 1, 5), ("[1,\n 2 3]", 2, 4), ("{\"a\" 1}", 1, 6), ("{\"a\":}", 1, 6),
        ("{a: 1}", 1, 2), ("[1,]", 1, 4),
        ("{\"a\":1,}", 1, 8), ("[01]", 1, 3), ("[1.]", 1, 4), ("[.5]", 1, 2), ("[+1]", 1, 2), ("[1e]", 1, 4),
        ("[--1]", 1, 3), ("[NaN]", 1, 2),
        ("[Infinity]", 1, 2), ("[nul]", 1, 2), ("\"abc", 1, 1), ("\"a\tb\"", 1, 3), (#""\x""#, 1, 3),
        (#""\ud800""#, 1, 8), (#""\udc00""#, 1, 8),
        (#""\u12""#, 1, 3), ("[1] 2", 1, 5), ("]", 1, 1), ("[}", 1, 2), ("{]", 1, 2), ("'a'", 1, 1),
        ("[\"é\" 1]", 1, 6), ("nulll", 1, 5),
    ])
    func syntaxErrorsHaveALocation(text: String, line: Int, column: Int) {
        let found = problem(text)
        #expect(found?.line == line, "\(text): \(String(describing: found))")
        #expect(found?.column == column, "\(text): \(String(describing: found))")
        #expect(found?.remedy.isEmpty == false)
    }

    @Test func truncatedTextNamesTheOpenContainer() {
        #expect(problem("{\"a\": [1, 2")?.description.contains("opened at 1:7") == true)
    }

    @Test(
        arguments: [
            [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80], [0xE2, 0x82], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xFF],
        ] as [[UInt8]])
    func invalidUTF8IsRefused(noise: [UInt8]) {
        #expect(throws: JSONProblem.self) { try JSONDocument(bytes: [0x22] + noise + [0x22]) }
        #expect(throws: JSONProblem.self) { try JSONDocument(bytes: noise) }
        #expect(throws: JSONProblem.self) { try JSONDocument(bytes: [0x22] + noise) }
    }

    @Test func utf16IsReported() {
        #expect(throws: JSONProblem(line: 1, column: 1, reason: "the text is in UTF-16", remedy: "save it as UTF-8")) {
            try JSONDocument(bytes: [0xFF, 0xFE, 0x7B, 0x00])
        }
    }

    @Test func depthIsBounded() throws {
        let limits = JSONLimits(maximumDepth: 10)
        #expect(problem(String(repeating: "[", count: 10) + String(repeating: "]", count: 10), limits: limits) == nil)
        #expect(
            problem(String(repeating: "[", count: 11) + String(repeating: "]", count: 11), limits: limits)?.column == 11
        )
        // A million brackets are refused at once too.
        #expect(
            problem(String(repeating: "[{\"a\":", count: 100_000))?.reason.contains("nested more than 32 deep") == true)
    }

    @Test func sizeAndNumberOfValuesAreBounded() {
        #expect(
            problem("[1,2,3]", limits: JSONLimits(maximumBytes: 6))?.reason.contains("7 bytes, more than the 6") == true
        )
        #expect(problem("[1,2,3]", limits: JSONLimits(maximumEntries: 4)) == nil)
        #expect(problem("[1,2,3]", limits: JSONLimits(maximumEntries: 3))?.column == 6)
    }

    @Test func randomBytesNeverTrap() {
        // GIVEN random bytes, and well-formed texts with bytes changed, removed and truncated
        var random = SplitMix64(seed: 1)
        let good = Array(#"{"routes":[{"a":[1.5e3,-2,null,true],"é":"\u00e9\ud83d\ude00\\"}],"n":false}"#.utf8)
        var accepted = 0
        for round in 0..<50_000 {
            var bytes = good
            if round % 5 == 0 {
                bytes = (0..<Int(random.next() % 40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            }
            for _ in 0..<Int(random.next() % 4) where !bytes.isEmpty {
                let at = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 3 {
                case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: at)
                default: bytes.removeSubrange(at...)
                }
            }
            // THEN each gives a document whose values can all be accessed, or a problem with a location
            do throws(JSONProblem) {
                accepted += walk(try JSONDocument(bytes: bytes).root) > 0 ? 1 : 0
            } catch {
                #expect(error.line >= 1 && error.column >= 1)
            }
        }
        #expect(accepted > 1000)
    }

    private func walk(_ value: JSONValue) -> Int {
        var count = 1 + (value.string?.count ?? 0) + (value.double == nil ? 0 : 1) + (value.path.isEmpty ? 0 : 1)
        for element in value.elements { count += walk(element) }
        for member in value.members { count += walk(member.value) }
        return count
    }
}
