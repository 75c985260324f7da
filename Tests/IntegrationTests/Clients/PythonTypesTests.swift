import Foundation
import Testing

/// The types that the Python client states, by the checker that programs with types use.
@Suite struct PythonTypesTests {
    /// An environment with mypy from the package index, kept beside the build; why there is none.
    private static let checker: (program: String?, reason: String) = {
        let environment = "\(ExternalProgram.buildFolder)/mypy"
        let program = "\(environment)/bin/mypy"
        if access(program, X_OK) == 0 { return (program, "") }
        guard let python = ExternalProgram.path(of: "python3"),
            (try? ExternalProgram.run(python, ["-m", "venv", environment]))?.exitCode == 0
        else { return (nil, "python3-venv is not installed") }
        let result = try? ExternalProgram.run(
            "\(environment)/bin/pip", ["install", "--quiet", "--timeout", "5", "--retries", "1", "mypy"], seconds: 120)
        return access(program, X_OK) == 0 ? (program, "") : (nil, "mypy cannot be had: \(result?.errors.suffix(200) ?? "")")
    }()

    @Test(.enabled(if: checker.program != nil, "\(checker.reason)"))
    func theyAreStrict() throws {
        // GIVEN the Python client and its example; WHEN mypy checks them as strictly as it can, for the oldest Python it knows of those supported; THEN
        // nothing is found; and a mistake in a program that uses the client is.
        let program = try #require(Self.checker.program)
        let folder = try TemporaryFolder()
        let clients = "\(ExternalProgram.packageFolder)/clients/python"
        let environment = ["MYPYPATH": clients, "MYPY_CACHE_DIR": "\(folder.path)/cache"]
        let strict = try ExternalProgram.run(program, ["--strict", "\(clients)/posed_client", "\(clients)/hud.py"], environment: environment)
        #expect(strict.exitCode == 0, "\(strict.output) \(strict.errors)")
        try folder.write(
            "from posed_client import Client\nframe = Client().latest()\nheading: float = frame.pose.heading_deg\n", to: "careless.py")
        let careless = try ExternalProgram.run(program, ["--strict", "\(folder.path)/careless.py"], environment: environment)
        #expect(careless.exitCode == 1 && careless.output.contains("None"), "\(careless)")
    }
}
