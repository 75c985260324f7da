import Testing

@testable import BoundedJSON

/// Every token of RFC 8259 on both sides of its limits, and the whole text of each problem.
@Suite struct JSONTokenTests {
    /// `line:column: reason; remedy` of the problem of a text; `nil` if it is accepted.
    private func problem(_ bytes: [UInt8], _ limits: JSONLimits = JSONLimits()) -> String? {
        do throws(JSONProblem) {
            _ = try JSONDocument(bytes: bytes, limits: limits)
            return nil
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        (
            "[1 2]",
            "1:4: expected ',' or ']' but found '2'; close the array opened at 1:1, or check whether the text was cut "
                + "off"
        ),
        (
            "{\"a\":1",
            "1:7: expected ',' or '}' but found the end of the text; close the object opened at 1:1, or check "
                + "whether the text was cut off"
        ),
        ("[1,]", "1:4: a comma before ']'; remove the comma"),
        ("{\"a\":1,}", "1:8: a comma before '}'; remove the comma"),
        ("{a}", "1:2: expected a member's name in double quotes but found 'a'; quote the name"),
        ("{\"a\" 1}", "1:6: expected ':' after the member's name but found '1'; write \"name\": value"),
        ("[nan]", "1:2: nan is not JSON; write null for what is unknown"),
        ("[None]", "1:2: None is not JSON; write null for what is unknown"),
        ("[\u{1}]", "1:2: expected a value but found the byte 0x01; write JSON here"),
        ("[\u{7F}]", "1:2: expected a value but found the byte 0x7F; write JSON here"),
        ("[~]", "1:2: expected a value but found '~'; write JSON here"),
        ("[!]", "1:2: expected a value but found '!'; write JSON here"),
        ("[é]", "1:2: expected a value but found the byte 0xC3; write JSON here"),
        ("[", "1:2: expected a value but found the end of the text; check whether the text was cut off"),
        ("[1] x", "1:5: unexpected 'x' after the end of the value; leave one value only"),
        ("", "1:1: the text is empty; write one JSON value"),
        (" \t\r\n", "2:1: the text is empty; write one JSON value"),
    ]) func aProblemSaysWhatIsWrong(text: String, expected: String) {
        #expect(problem(Array(text.utf8)) == expected)
    }

    @Test(arguments: [
        "[ ]", "{ }", "[\t1\r,\n2 ]", "{ \"a\" : 1 , \"b\" : 2 }", "0", "-0", "0.0", "10", "1e5", "1E+5", "1e-05",
        "-1.5e3",
        "[0,0]", "[true,false,null]", "\u{FEFF}[1]", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\uD834\\uDD1E\"",
        "\"\\u00e9\"",
    ]) func whatIsJSONIsTaken(text: String) { #expect(problem(Array(text.utf8)) == nil) }

    @Test(arguments: [
        "-", "00", "-01", "1.", ".5", "1.e5", "1e", "1e+", "+1", "0x1", "1.5.5", "1e5.5", "[1,,2]", "[,1]", "{,}",
        "{\"a\":1,,\"b\":2}", "{\"a\"}", "{\"a\":}", "[1}", "{1:2}", "tru", "True", "nul", "[fals]", "\"\\a\"",
        "\"\\u12G4\"",
        "\"\\u123\"", "\"\\ud800\"", "\"\\ud800x\"", "\"\\ud800\\n\"", "\"\\ud800\\ud800\"", "\"\\udc00\"", "\"",
        "\"\\\"",
        "\"\n\"", "\"\u{1F}\"", "[1\u{B}]", "[1\u{A0}]", "\u{FEFF}", "\u{FEFF}\u{FEFF}1",
    ]) func whatIsNoJSONIsRefused(text: String) { #expect(problem(Array(text.utf8)) != nil) }

    @Test(
        arguments: [
            // The shortest and the longest code of each length, and those just beside.
            ([0x7F], true), ([0x80], false), ([0xBF], false), ([0xC1, 0xBF], false), ([0xC2, 0x80], true),
            ([0xDF, 0xBF], true),
            ([0xC2, 0x7F], false), ([0xC2, 0xC0], false), ([0xE0, 0x9F, 0xBF], false), ([0xE0, 0xA0, 0x80], true),
            ([0xE0, 0xBF, 0xBF], true), ([0xE0, 0xC0, 0x80], false), ([0xE1, 0x80, 0x80], true),
            ([0xEC, 0xBF, 0xBF], true),
            ([0xE1, 0x80, 0x7F], false), ([0xE1, 0x80, 0xC0], false), ([0xED, 0x9F, 0xBF], true),
            ([0xED, 0xA0, 0x80], false),
            ([0xEE, 0x80, 0x80], true), ([0xEF, 0xBF, 0xBF], true), ([0xF0, 0x8F, 0xBF, 0xBF], false),
            ([0xF0, 0x90, 0x80, 0x80], true), ([0xF0, 0xBF, 0xBF, 0xBF], true), ([0xF1, 0x80, 0x80, 0x80], true),
            ([0xF3, 0xBF, 0xBF, 0xBF], true), ([0xF4, 0x8F, 0xBF, 0xBF], true), ([0xF4, 0x90, 0x80, 0x80], false),
            ([0xF5, 0x80, 0x80, 0x80], false), ([0xF1, 0x80, 0x7F, 0x80], false), ([0xF1, 0x80, 0x80, 0xC0], false),
            ([0xF1, 0x80, 0x80], false), ([0xE1, 0x80], false), ([0xC2], false), ([0xFF], false),
        ] as [([UInt8], Bool)]) func aStringIsUTF8(code: [UInt8], isValid: Bool) throws
    {
        // GIVEN a string with that code, alone, after and before others, or at the end of the text
        for (before, after) in [([], []), ([0x61], [0x62]), ([0xC3, 0xA9], [0xC3, 0xA9])] as [([UInt8], [UInt8])] {
            let text = [0x22] + before + code + after + [0x22]
            #expect((problem(text) == nil) == isValid)
            guard isValid else { continue }
            #expect(try JSONDocument(bytes: text).root.utf8 == before + code + after)
            #expect(problem([0x22] + before + code) != nil)
        }
    }

    @Test func escapesAreDecoded() throws {
        // GIVEN every escape, the ends of the surrogates, and text around THEN the bytes are those of the characters
        let text = #""a\"\\\/\b\f\n\r\t\u0041\u00E9\ud7ff\ue000\uffff\ud800\udc00\uDBFF\uDFFF\ud83d\ude00z""#
        let expected = "a\"\\/\u{8}\u{C}\n\r\tAé\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}😀z"
        let value = try JSONDocument(text).root
        #expect(value.string == expected && value.utf8 == Array(expected.utf8))
        // AND names are compared as they are decoded
        let root = try JSONDocument(#"{"x":1,"\u0061\n":2,"ab":3,"a":4,"a":5}"#).root
        #expect(root["a\n"]?.int == 2 && root["ab"]?.int == 3 && root["a"]?.int == 4 && root["b"] == nil)
        #expect(root["\\u0061\\n"] == nil && root.members.map(\.name) == ["x", "a\n", "ab", "a", "a"])
    }

    @Test func kindsAreToldApart() throws {
        // GIVEN one value of each kind THEN each is read as its own kind alone
        let root = try JSONDocument(#"[null,true,false,7,7.5,"7",[7,8],{"a":7}]"#).root
        #expect(root.count == 8 && root.elements.map(\.count) == [0, 0, 0, 0, 0, 0, 2, 1])
        #expect(root.elements.map(\.isNull) == [true] + [Bool](repeating: false, count: 7))
        #expect(root.elements.map(\.bool) == [nil, true, false, nil, nil, nil, nil, nil])
        #expect(root.elements.map(\.int) == [nil, nil, nil, 7, nil, nil, nil, nil])
        #expect(root.elements.map(\.double) == [nil, nil, nil, 7, 7.5, nil, nil, nil])
        #expect(root.elements.map(\.string) == [nil, nil, nil, nil, nil, "7", nil, nil])
        #expect(root.elements.map { $0[1]?.int } == [nil, nil, nil, nil, nil, nil, 8, nil])
        #expect(root.elements.map { $0["a"]?.int } == [nil, nil, nil, nil, nil, nil, nil, 7])
        #expect(root[-1] == nil && root[8] == nil && root[7]?[0] == nil && root[6]?[0]?.int == 7)
        #expect(Array(root[7]?.members.map(\.name) ?? []) == ["a"] && root[7]?.elements.map(\.int) == [])
        #expect(root[6]?.members.map(\.name) == [])
        let words = [JSONKind.null, .bool, .number, .string, .array, .object].map(\.description)
        #expect(words == ["null", "a boolean", "a number", "a string", "an array", "an object"])
    }

    @Test(
        arguments: [
            ("9007199254740992", 9_007_199_254_740_992), ("-9007199254740992", -9_007_199_254_740_992),
            ("9007199254740994", nil), ("-9007199254740994", nil), ("1e3", 1000), ("1.5", nil), ("-0.0", 0),
            ("1e300", nil),
        ] as [(String, Int?)]) func anIntegerIsExact(text: String, value: Int?) throws
    {
        #expect(try JSONDocument(text).root.int == value)
    }

    @Test func theLimitsAreExact() {
        let text = Array("[[1],[2]]".utf8)
        #expect(problem(text, JSONLimits(maximumBytes: 9)) == nil)
        let size = "1:1: the text has 9 bytes, more than the 8 allowed; make it smaller"
        #expect(problem(text, JSONLimits(maximumBytes: 8)) == size)
        #expect(problem(text, JSONLimits(maximumDepth: 2)) == nil)
        let depth = "1:2: arrays and objects are nested more than 1 deep; flatten them"
        #expect(problem(text, JSONLimits(maximumDepth: 1)) == depth)
        // A closed array makes room for another one of that depth; five entries are there.
        #expect(problem(text, JSONLimits(maximumEntries: 5)) == nil)
        let entries = "1:7: more than 4 values and names; make the text smaller"
        #expect(problem(text, JSONLimits(maximumEntries: 4)) == entries)
        #expect(JSONLimits() == JSONLimits(maximumBytes: 1_048_576, maximumDepth: 32, maximumEntries: 100_000))
        for mark: [UInt8] in [[0xFF, 0xFE], [0xFE, 0xFF], [0xFE, 0xFF, 0x00, 0x31]] {
            #expect(problem(mark) == "1:1: the text is in UTF-16; save it as UTF-8")
        }
        #expect(problem([0xFF]) == "1:1: expected a value but found the byte 0xFF; write JSON here")
    }

    @Test func whatIsFoundIsShownAsACharacterOrAsAByte() {
        // GIVEN places where a number, an escape or a character is expected, and a space or what is beside it THEN only
        // what can be seen in quotes is shown as a character
        let number = "write the number in full, such as -1.5e3"
        #expect(problem(Array("- 1".utf8)) == "1:2: expected a digit but found the byte 0x20; \(number)")
        #expect(problem(Array("-!".utf8)) == "1:2: expected a digit but found '!'; \(number)")
        #expect(problem(Array("1.~".utf8)) == "1:3: expected a digit but found '~'; \(number)")
        #expect(problem(Array("1e\u{7F}".utf8)) == "1:3: expected a digit but found the byte 0x7F; \(number)")
        let escape = #"use one of \" \\ \/ \b \f \n \r \t \u0000"#
        #expect(
            problem(Array(#""\ ""#.utf8))
                == "1:3: an unknown escape (the byte 0x20 after a backslash); \(escape)")
        #expect(problem(Array(#""\x""#.utf8)) == "1:3: an unknown escape ('x' after a backslash); \(escape)")
        #expect(
            problem(Array("\"\u{1F}\"".utf8))
                == "1:2: a control character inside a string (the byte 0x1F); write it as an escape, such as \\n")
    }

    @Test func aRouteFileHasItsLimits() {
        // GIVEN the limits of route files THEN they are 64 MB, 64 levels and 5 million values
        let limits = JSONLimits.routeFile
        #expect(limits == JSONLimits(maximumBytes: 64_000_000, maximumDepth: 64, maximumEntries: 5_000_000))
        func nested(_ depth: Int) -> [UInt8] {
            [UInt8](repeating: 0x5B, count: depth) + [UInt8](repeating: 0x5D, count: depth)
        }
        #expect(problem(nested(64), limits) == nil)
        #expect(problem(nested(65), limits)?.contains("nested more than 64 deep") == true)
    }

    @Test func aPlaceIsItsLineAndColumn() throws {
        // GIVEN a text with characters of several bytes and an empty line THEN a column counts characters, from 1
        let root = try JSONDocument("{\"é😀\":1,\n\n \"b\": [10, {\"c d\": 2, \"e_1\": [3]}, 4]}").root
        let inner = root["b"]?[1]
        #expect(root.place == (1, 1) && root["é😀"].map { $0.place == (1, 7) } == true)
        #expect(inner?["c d"].map { $0.place == (3, 20) } == true && root["b"]?[2].map { $0.place == (3, 36) } == true)
        #expect(inner?["c d"]?.path == #"b[1]["c d"]"# && inner?["e_1"]?[0]?.path == "b[1].e_1[0]")
        #expect(root["b"]?[2]?.path == "b[2]" && root["b"]?.path == "b" && inner?.path == "b[1]")
        #expect(root["é😀"]?.path == "[\"é😀\"]" && root.path == "")
    }
}
