import CSystem
import Foundation
import Glibc

/// A real Valhalla of the tests' own: its Python package in a virtual environment, tiles of Andorra, on a port of its own. Made once a run.
final class ValhallaServer: @unchecked Sendable {
    /// The one of this run; `nil` where it cannot be had.
    static let shared = try? ValhallaServer()
    /// Why tests that need it are left out.
    static let reason = "needs the extract of Andorra, Python 3.12 or later, and its package pyvalhalla"

    let port: UInt16
    private let folder: TemporaryFolder
    private let process: Process

    private init() throws {
        folder = try TemporaryFolder()
        port = try GpsdProcess.freePort()
        guard let extract = Self.extract, let binaries = Self.install(in: folder.path) else { throw POSIXError(.ENOENT) }
        let arguments = [
            "--mjolnir-tile-dir", "\(folder.path)/tiles", "--mjolnir-concurrency", "1", "--httpd-service-listen", "tcp://127.0.0.1:\(port)",
            "--httpd-service-loopback", "ipc://\(folder.path)/loop", "--httpd-service-interrupt", "ipc://\(folder.path)/interrupt",
        ]
        let configuration = try ExternalProgram.run("\(binaries)/valhalla_build_config", arguments)
        try configuration.output.write(toFile: "\(folder.path)/valhalla.json", atomically: true, encoding: .utf8)
        try FileManager.default.createDirectory(atPath: "\(folder.path)/tiles", withIntermediateDirectories: true)
        let path = ["PATH": "\(binaries):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"]
        let tiles = try ExternalProgram.run(
            "\(binaries)/valhalla_build_tiles", ["-c", "\(folder.path)/valhalla.json", extract], environment: path, seconds: 120)
        guard tiles.exitCode == 0 else { throw POSIXError(.EIO) }
        // The package's own script would leave the server behind when it is ended.
        let place = try ExternalProgram.run("\(binaries)/python3", ["-c", "import valhalla; print(valhalla.__path__[0])"])
        let server = place.output.split(separator: "\n").first.map { "\($0)/bin/valhalla_service" } ?? ""
        let keeper = ExternalProgram.packageFolder + "/Tests/IntegrationTests/Support/Routing/until_parent_ends.py"
        process = try ExternalProgram.start(
            "\(binaries)/python3", [keeper, server, "\(folder.path)/valhalla.json", "1"], output: "\(folder.path)/out", errors: "\(folder.path)/log")
        let port = port
        guard DaemonProcess.poll(seconds: 20, { Self.answers(port) }) else { throw POSIXError(.ETIMEDOUT) }
    }

    /// The line between two places along the roads.
    func line(from a: (Double, Double), to b: (Double, Double)) throws -> String {
        let script = ExternalProgram.packageFolder + "/Tests/IntegrationTests/Support/Routing/road_line.py"
        let result = try ExternalProgram.run("python3", [script, "\(port)", "\(a.0)", "\(a.1)", "\(b.0)", "\(b.1)"])
        guard result.exitCode == 0 else { throw DaemonProcess.Failure(description: result.errors) }
        return result.output
    }

    /// The extract beside the package, where it is present.
    static let extract: String? = {
        var candidate = URL(fileURLWithPath: ExternalProgram.packageFolder)
        for _ in 0..<3 {
            candidate.deleteLastPathComponent()
            let file = candidate.appendingPathComponent("shared/data/osm/andorra.osm.pbf").path
            if FileManager.default.fileExists(atPath: file) { return file }
        }
        return nil
    }()

    /// Puts the package into a virtual environment; the folder of its programs.
    private static func install(in folder: String) -> String? {
        for python in pythons {
            let environment = "\(folder)/python"
            guard (try? ExternalProgram.run(python, ["-m", "venv", environment]))?.exitCode == 0 else { continue }
            let pip = try? ExternalProgram.run(
                "\(environment)/bin/pip", ["-q", "install", "--only-binary=:all:", "--disable-pip-version-check", "pyvalhalla"], seconds: 180)
            if pip?.exitCode == 0, access("\(environment)/bin/valhalla_service", X_OK) == 0 { return "\(environment)/bin" }
            try? FileManager.default.removeItem(atPath: environment)
        }
        return nil
    }

    /// Pythons that may be new enough, the newest last: the package's programs for the newest may not be there yet.
    private static var pythons: [String] {
        let named = ["python3.12", "python3.13"].compactMap { ExternalProgram.path(of: $0) }
        let home = ProcessInfo.processInfo.environment["PYENV_ROOT"] ?? NSHomeDirectory() + "/.pyenv"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: home + "/versions"))?.sorted() ?? []
        return versions.filter { $0.hasPrefix("3.12") || $0.hasPrefix("3.13") }.map { "\(home)/versions/\($0)/bin/python3" } + named
    }

    private static func answers(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 }
        }
    }
}
