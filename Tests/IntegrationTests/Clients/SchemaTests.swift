import Foundation
import Glibc
import SchemaCheck
import Testing

/// Checks lines of the real daemon against the published schema, with an independent validator.
@Suite struct SchemaTests {
    private static let validator = PythonEnvironment.with("jsonschema")

    @Test(.enabled(if: validator != nil, "jsonschema is not installed and cannot be had"))
    func anotherValidatorAgrees() throws {
        // GIVEN lines of all kinds from the daemon; WHEN Python's jsonschema checks them; THEN the schema is valid and
        // every line matches it, members, states and types of later releases are accepted, and a line with a member out
        // of range is rejected.
        let daemon = try DaemonProcess()
        let line = try #require(LineConnection(daemon.streamPath))
        line.send(Array("{\"cmd\":\"subscribe\",\"rate_hz\":50}\n{\"cmd\":\"status\"}\n{\"cmd\":\"nonsense\"}\n".utf8))
        line.send(Array("{\"cmd\":\"route_get\"}\n{\"cmd\":\"subscribe\",\"rate_hz\":50,\"ecef\":true}\n".utf8))
        let lines = (0..<150).compactMap { _ in line.receive() }
        #expect(lines.count == 150)
        let folder = try TemporaryFolder()
        try folder.write(lines.joined(separator: "\n"), to: "lines")
        let script = """
            import json, jsonschema, sys
            schema = json.load(open(sys.argv[1]))
            jsonschema.Draft202012Validator.check_schema(schema)
            check = jsonschema.Draft202012Validator(schema)
            lines = [json.loads(l) for l in open(sys.argv[2])]
            for l in lines: check.validate(l)
            print(sorted({l["type"] for l in lines}))
            bad = next(l for l in lines if l["type"] == "frame")
            later = json.loads(json.dumps(bad))
            later["pose"]["state"], later["pose"]["new_deg"], later["speed"]["colour"] = "submerged", 1.5, "green"
            later["simulated"], later["new"] = True, {}
            check.validate(later)
            check.validate({"type": "somethingNew", "x": 1})
            assert not check.is_valid({"type": 3})
            assert "ecef_m" in bad["pose"] or "ecef_m" in lines[-1]["pose"]
            bad["pose"]["fix_mode"] = 9
            assert not check.is_valid(bad)
            """
        let result = try ExternalProgram.run(
            try #require(Self.validator),
            ["-W", "ignore", "-c", script, SchemaCheck.path, "\(folder.path)/lines"])
        #expect(result.exitCode == 0, "\(result.errors.suffix(800))")
        for type in ["frame", "hello", "reply", "status"] { #expect(result.output.contains("'\(type)'")) }
    }
}
