import BoundedJSON
import Testing

@Suite struct JSONRequirementsTests {
    private let text = """
        {"routes": [{"legs": [{}, {"distance": "far", "strange key": [1, [2]]}]}],
         "n": 1.5, "empty": null}
        """

    @Test func problemHasPathAndLocation() throws {
        // GIVEN a nested value
        let root = try JSONDocument(text).root
        let leg = try root.required("routes")[0]?.required("legs")[1]
        let distance = try #require(try leg?.required("distance"))
        // WHEN it is read as another kind THEN the message has its path
        #expect(
            throws: JSONProblem(
                line: 1, column: 40, path: "routes[0].legs[1].distance", reason: "must be a number, not a string",
                remedy: "write a number here")
        ) {
            try distance.requiredDouble()
        }
        #expect(leg?["strange key"]?[1]?[0]?.path == #"routes[0].legs[1]["strange key"][1][0]"#)
        #expect(root.path == "")
        #expect(root["n"]?.place.line == 2)
    }

    @Test func missingAndNullMembersAreEqual() throws {
        let root = try JSONDocument(text).root
        #expect(try root.optional("nothing")?.kind == nil)
        #expect(try root.optional("empty")?.kind == nil)
        for name in ["nothing", "empty"] {
            #expect(
                throws: JSONProblem(
                    line: 1, column: 1, reason: "has no \"\(name)\"", remedy: "add the member \"\(name)\"")
            ) {
                try root.required(name)
            }
        }
        #expect(throws: JSONProblem.self) { try root.required("n").required("x") }
        #expect(throws: JSONProblem.self) { try root.required("n").optional("x") }
    }

    @Test func kindsAndRangesAreChecked() throws {
        let n = try JSONDocument(text).root.required("n")
        #expect(try n.requiredDouble(in: 1...2) == 1.5)
        #expect(throws: JSONProblem.self) { try n.requiredDouble(in: 2...3) }
        #expect(throws: JSONProblem.self) { try n.requiredInt() }
        #expect(throws: JSONProblem.self) { try n.requiredString() }
        #expect(throws: JSONProblem.self) { try n.requiredBool() }
        #expect(throws: JSONProblem.self) { try n.requiredElements() }
        #expect(try JSONDocument("7").root.requiredInt(in: 0...7) == 7)
        #expect(throws: JSONProblem.self) { try JSONDocument("8").root.requiredInt(in: 0...7) }
    }

    @Test func aRefusedValueIsToldWithWhatIsAllowed() throws {
        // GIVEN values that a reader cannot use THEN the whole message says what they are and what to write
        func told(_ text: String, _ read: (JSONValue) throws -> Void) throws -> String? {
            let root = try JSONDocument(text).root
            return #expect(throws: JSONProblem.self) { try read(root) }?.description
        }
        let range = "write a value in that range"
        #expect(
            try told("1e999") { _ = try $0.requiredDouble() }
                == "1:1: is too large a number; write a number below 1.7e308")
        #expect(try told("2.5") { _ = try $0.requiredDouble(in: 3...4) } == "1:1: is 2.5, outside 3.0 to 4.0; \(range)")
        #expect(try told("-1") { _ = try $0.requiredInt(in: 0...7) } == "1:1: is -1, outside 0 to 7; \(range)")
        #expect(
            try told("1.5") { _ = try $0.requiredInt() }
                == "1:1: must be a whole number, not a number; write a whole number here")
        #expect(
            try told("null") { _ = try $0.requiredBool() }
                == "1:1: must be true or false, not null; write true or false here")
        #expect(
            try told("{}") { _ = try $0.requiredElements() }
                == "1:1: must be an array, not an object; write an array here")
        #expect(try JSONDocument("3").root.requiredDouble(in: 3...4) == 3)
        #expect(try JSONDocument("4").root.requiredDouble(in: 3...4) == 4)
        #expect(try JSONDocument("0").root.requiredInt(in: 0...7) == 0)
        #expect(try JSONDocument("[false]").root.requiredElements().map(\.bool) == [false])
        #expect(try JSONDocument("true").root.requiredBool() && JSONDocument("\"\"").root.requiredString() == "")
    }
}
