import Foundation
import Testing

/// The clients as they are installed: the C library by pkg-config, the Python package as a wheel.
@Suite struct InstalledClientTests {
    private static let package = ExternalProgram.packageFolder

    @Test(.enabled(if: ExternalProgram.has("make", "cc", "pkg-config")))
    func aProgramIsBuiltWithTheInstalledLibrary() throws {
        // GIVEN the C client installed below a folder WHEN a program is compiled with what pkg-config says THEN it
        // needs the library by its soname, and runs
        let folder = try TemporaryFolder()
        let root = "\(folder.path)/root"
        let made = try ExternalProgram.run(
            "make",
            [
                "--silent", "-C", Self.package, "install-c-client", "BIN=\(folder.path)/bin", "DESTDIR=\(root)",
                "PREFIX=/opt/posed",
            ])
        #expect(made.exitCode == 0, "\(made)")
        let places = ["PKG_CONFIG_PATH": "\(root)/opt/posed/lib/pkgconfig", "PKG_CONFIG_SYSROOT_DIR": root]
        let flags = try ExternalProgram.run(
            "pkg-config", ["--cflags", "--libs", "posed-client >= 0.1"], environment: places)
        #expect(flags.exitCode == 0, "\(flags)")
        let words = flags.output.split(whereSeparator: \.isWhitespace).map(String.init)
        let built = try ExternalProgram.run(
            "cc", ["-std=c99", "\(Self.package)/clients/c/hud.c", "-o", "\(folder.path)/hud"] + words)
        #expect(built.exitCode == 0, "\(built.errors)")
        let library = ["LD_LIBRARY_PATH": "\(root)/opt/posed/lib"]
        let needed = try ExternalProgram.run("ldd", ["\(folder.path)/hud"], environment: library)
        #expect(needed.output.contains("libposed-client.so.1 => \(root)/opt/posed/lib/"), "\(needed)")
        // Without a daemon it says why there is no pose; without the library it does not start.
        let daemon = try FakeDaemon()
        let running = try ExternalProgram.start(
            "\(folder.path)/hud", [daemon.path, "1"], environment: library, output: "\(folder.path)/out",
            errors: "\(folder.path)/err")
        defer { running.kill() }
        #expect(daemon.accept() && daemon.subscription()?.isSmooth == true)
        let alone = try ExternalProgram.run("\(folder.path)/hud", ["/nonexistent", "1"])
        #expect(alone.exitCode == 127 && alone.errors.contains("libposed-client.so.1"), "\(alone)")
    }

    private static let python = "/usr/bin/python3"
    private static let canBuildWheels =
        (try? ExternalProgram.run(python, ["-c", "import setuptools, wheel, pip"]))?.exitCode == 0

    @Test(.enabled(if: canBuildWheels, "python3-pip, python3-setuptools or python3-wheel is not installed"))
    func theWheelIsBuiltAndInstalledWithoutANetwork() throws {
        // GIVEN the Python client's source WHEN its wheel is built and installed into an empty folder, without a
        // network THEN the package is there as a whole, is imported from that folder, and reads a packet
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: "\(Self.package)/clients/python", toPath: "\(folder.path)/source")
        let offline = ["PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore"]
        let wheel = try ExternalProgram.run(
            Self.python,
            [
                "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", "\(folder.path)/wheels",
                "\(folder.path)/source",
            ], environment: offline)
        #expect(wheel.exitCode == 0, "\(wheel.errors.suffix(600))")
        let files = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/wheels")
        #expect(files == ["posed_client-0.1.0-py3-none-any.whl"])
        let installed = try ExternalProgram.run(
            Self.python,
            [
                "-m", "pip", "install", "--quiet", "--no-deps", "--target", "\(folder.path)/target",
                "\(folder.path)/wheels/\(files.first ?? "")",
            ], environment: offline)
        #expect(installed.exitCode == 0, "\(installed.errors.suffix(600))")
        let script = """
            import pathlib, posed_client, sys
            print(pathlib.Path(posed_client.__file__).parent)
            print((pathlib.Path(posed_client.__file__).parent / "py.typed").exists())
            print(posed_client.decode(bytes.fromhex(pathlib.Path(sys.argv[1]).read_text())).kind)
            """
        let golden = "\(Self.package)/Tests/FramesTests/Golden/version1/event-departed.hex"
        let result = try ExternalProgram.run(
            Self.python, ["-c", script, golden], environment: ["PYTHONPATH": "\(folder.path)/target"])
        #expect(result.output == "\(folder.path)/target/posed_client\nTrue\ndeparted\n", "\(result)")
    }
}
