import Foundation
import Testing

/// The clients in Python and C read the golden packets, and what they read is the values beside them.
@Suite struct GoldenClientTests {
    private static let package = ExternalProgram.packageFolder
    private static let golden = "\(package)/Tests/FramesTests/Golden/version1"
    private static let script = "\(package)/Tests/IntegrationTests/Clients/golden.py"
    private static let python = ["PYTHONPATH": "\(package)/clients/python", "PYTHONDONTWRITEBYTECODE": "1"]

    @Test(.enabled(if: ExternalProgram.has("python3")))
    func pythonReadsTheValuesOfVersion1() throws {
        // GIVEN the golden packets; WHEN the Python client decodes them; THEN every member is that of the stored line
        let result = try ExternalProgram.run("python3", [Self.script, Self.golden], environment: Self.python)
        #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
        // AND a changed value is found
        let folder = try TemporaryFolder()
        for name in ["frame.hex", "frame.json"] {
            let text = try String(contentsOfFile: "\(Self.golden)/\(name)", encoding: .utf8)
            try folder.write(text.replacingOccurrences(of: "-2.5000", with: "-2.5002"), to: name)
        }
        let changed = try ExternalProgram.run("python3", [Self.script, folder.path], environment: Self.python)
        #expect(changed.exitCode == 1 && changed.output.contains("frame pose.pitch_deg: -2.5"), "\(changed)")
    }

    @Test(.enabled(if: ExternalProgram.has("python3", "gcc")))
    func theCClientReadsTheValuesOfVersion1() throws {
        // GIVEN the golden packets; WHEN the C client reads them; THEN what it prints is in the stored lines
        let folder = try TemporaryFolder()
        let built = try ExternalProgram.run(
            "gcc",
            [
                "-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-I\(Self.package)/clients/c",
                "-I\(Self.package)/Sources/CPosed/include", "\(Self.package)/Tests/IntegrationTests/Clients/golden.c",
                "-o", "\(folder.path)/golden",
            ])
        #expect(built.exitCode == 0, "\(built.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.golden).filter { $0.hasSuffix(".hex") }
        let printed = try ExternalProgram.run("\(folder.path)/golden", names.map { "\(Self.golden)/\($0)" })
        #expect(printed.exitCode == 0, "\(printed.errors)")
        try folder.write(printed.output, to: "printed")
        let result = try ExternalProgram.run("python3", [Self.script, Self.golden, "\(folder.path)/printed"])
        #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
    }

    private static let emulator = ["qemu-aarch64", "qemu-aarch64-static"].first { ExternalProgram.has($0) }

    @Test(
        .enabled(
            if: emulator != nil && ExternalProgram.has("python3", "aarch64-linux-gnu-gcc"),
            "gcc-aarch64-linux-gnu or qemu-user is not installed"))
    func theCClientWorksOnARM64() throws {
        // GIVEN the C client compiled for arm64 WHEN it runs under emulation THEN it reads the stored values
        let folder = try TemporaryFolder()
        func build(_ sources: [String], _ name: String) throws -> ProgramResult {
            try ExternalProgram.run(
                "aarch64-linux-gnu-gcc",
                [
                    "-std=c99", "-O2", "-static", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
                    "-I\(Self.package)/clients/c", "-I\(Self.package)/Sources/CPosed/include",
                ] + sources + ["-o", "\(folder.path)/\(name)"])
        }
        let probe = try build(["\(Self.package)/Tests/IntegrationTests/Clients/golden.c"], "golden")
        #expect(probe.exitCode == 0, "\(probe.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.golden).filter { $0.hasSuffix(".hex") }
        let emulator = try #require(Self.emulator)
        let printed = try ExternalProgram.run(
            emulator, ["\(folder.path)/golden"] + names.map { "\(Self.golden)/\($0)" })
        #expect(printed.exitCode == 0, "\(printed.errors)")
        try folder.write(printed.output, to: "printed")
        let result = try ExternalProgram.run("python3", [Self.script, Self.golden, "\(folder.path)/printed"])
        #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
        // THEN the example connects to a daemon and shows its pose
        let example = try build(["hud.c", "posed_client.c"].map { "\(Self.package)/clients/c/\($0)" }, "hud")
        #expect(example.exitCode == 0, "\(example.errors)")
        let daemon = try DaemonProcess()
        let shown = try ExternalProgram.run(emulator, ["\(folder.path)/hud", daemon.framesPath, "3"])
        #expect(shown.exitCode == 0 && shown.output.contains(" deg  "), "\(shown)")
    }
}
