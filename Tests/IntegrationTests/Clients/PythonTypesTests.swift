import Foundation
import Testing

/// Checks the types of the Python client with mypy.
@Suite struct PythonTypesTests {
    private static let checker = PythonEnvironment.with("mypy")

    @Test(.enabled(if: checker != nil, "mypy is not installed and cannot be had"))
    func theyAreStrict() throws {
        // GIVEN the Python client and its example; WHEN mypy checks them in strict mode, THEN it reports nothing, nor
        // in a program that names the types of maneuvers and routes; and it reports a mistake in a program that uses
        // the client.
        let python = try #require(Self.checker)
        let folder = try TemporaryFolder()
        let clients = "\(ExternalProgram.packageFolder)/clients/python"
        let environment = ["MYPYPATH": clients, "MYPY_CACHE_DIR": "\(folder.path)/cache"]
        let strict = try ExternalProgram.run(
            python, ["-m", "mypy", "--strict", "\(clients)/posed_client", "\(clients)/hud.py"], environment: environment
        )
        #expect(strict.exitCode == 0, "\(strict.output) \(strict.errors)")
        try folder.write("from posed_client import Lane, Route, RoutePlace, RoutePoint\n", to: "names.py")
        let names = try ExternalProgram.run(
            python, ["-m", "mypy", "--strict", "\(folder.path)/names.py"], environment: environment)
        #expect(names.exitCode == 0, "\(names)")
        try folder.write(
            "from posed_client import Client\nframe = Client().latest()\nheading: float = frame.pose.heading_deg\n",
            to: "careless.py")
        let careless = try ExternalProgram.run(
            python, ["-m", "mypy", "--strict", "\(folder.path)/careless.py"], environment: environment)
        #expect(careless.exitCode == 1 && careless.output.contains("None"), "\(careless)")
    }
}
