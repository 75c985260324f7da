import CSystem
import Foundation
import Glibc

/// A real Valhalla of the tests' own: its Python package in a virtual environment, tiles of Andorra, on a port of its
/// own. Made once a run.
final class ValhallaServer: @unchecked Sendable {
    /// The one of this run; `nil` where it cannot be had.
    static let shared = try? ValhallaServer()
    /// Why tests that need it are left out.
    static let reason = "needs the extract of Andorra, Python 3.12 or later, and its package pyvalhalla"

    let port: UInt16
    private let folder: TemporaryFolder
    private let process: ChildProcess

    private init() throws {
        folder = try TemporaryFolder()
        port = try GpsdProcess.freePort()
        guard let extract = Self.extract,
            let binaries = RoutingPackage.install("pyvalhalla", in: folder.path, having: "bin/valhalla_service")
        else {
            throw POSIXError(.ENOENT)
        }
        let arguments = [
            "--mjolnir-tile-dir", "\(folder.path)/tiles", "--mjolnir-concurrency", "1", "--httpd-service-listen",
            "tcp://127.0.0.1:\(port)",
            "--httpd-service-loopback", "ipc://\(folder.path)/loop", "--httpd-service-interrupt",
            "ipc://\(folder.path)/interrupt",
        ]
        let configuration = try ExternalProgram.run("\(binaries)/valhalla_build_config", arguments)
        try configuration.output.write(toFile: "\(folder.path)/valhalla.json", atomically: true, encoding: .utf8)
        try FileManager.default.createDirectory(atPath: "\(folder.path)/tiles", withIntermediateDirectories: true)
        let path = ["PATH": "\(binaries):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"]
        let tiles = try ExternalProgram.run(
            "\(binaries)/valhalla_build_tiles", ["-c", "\(folder.path)/valhalla.json", extract], environment: path)
        guard tiles.exitCode == 0 else { throw POSIXError(.EIO) }
        // The package's own script would leave the server behind when it is ended.
        let place = try ExternalProgram.run(
            "\(binaries)/python3", ["-c", "import valhalla; print(valhalla.__path__[0])"])
        let server = place.output.split(separator: "\n").first.map { "\($0)/bin/valhalla_service" } ?? ""
        let keeper = ExternalProgram.packageFolder + "/Tests/IntegrationTests/Support/Routing/until_parent_ends.py"
        process = try ExternalProgram.start(
            "\(binaries)/python3", [keeper, server, "\(folder.path)/valhalla.json", "1"], output: "\(folder.path)/out",
            errors: "\(folder.path)/log")
        let port = port
        guard DaemonProcess.poll(seconds: 60, { RoutingPackage.answers(port) }) else { throw POSIXError(.ETIMEDOUT) }
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
}
