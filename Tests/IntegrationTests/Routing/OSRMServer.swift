import Foundation
import Glibc

/// A real OSRM of the tests' own: the programs of its Python package, Andorra prepared for cars, on a port of its own.
/// Made once a run.
final class OSRMServer: @unchecked Sendable {
    /// The one of this run; `nil` where it cannot be had.
    static let shared = try? OSRMServer()
    /// Why tests that need it are left out.
    static let reason = "needs the extract of Andorra, Python 3.12 or later, and its package osrm-bindings"

    let port: UInt16
    private let folder: TemporaryFolder
    private let process: ChildProcess

    private init() throws {
        folder = try TemporaryFolder()
        port = try GpsdProcess.freePort()
        guard let extract = ValhallaServer.extract,
            let binaries = RoutingPackage.install("osrm-bindings", in: folder.path, having: "bin/python3")
        else { throw POSIXError(.ENOENT) }
        let place = try ExternalProgram.run("\(binaries)/python3", ["-c", "import osrm; print(osrm.__path__[0])"])
        guard let package = place.output.split(separator: "\n").first.map(String.init) else {
            throw POSIXError(.ENOENT)
        }
        let map = "\(folder.path)/andorra.osm.pbf"
        try FileManager.default.copyItem(atPath: extract, toPath: map)
        let profile = "\(package)/share/profiles/car.lua"
        for (program, arguments) in [
            ("osrm-extract", ["-p", profile, map]), ("osrm-contract", ["\(folder.path)/andorra.osrm"]),
        ] {
            chmod("\(package)/bin/\(program)", 0o755)
            guard try ExternalProgram.run("\(package)/bin/\(program)", arguments).exitCode == 0 else {
                throw POSIXError(.EIO)
            }
        }
        chmod("\(package)/bin/osrm-routed", 0o755)
        let keeper = ExternalProgram.packageFolder + "/Tests/IntegrationTests/Support/Routing/until_parent_ends.py"
        process = try ExternalProgram.start(
            "\(binaries)/python3",
            [keeper, "\(package)/bin/osrm-routed", "-i", "127.0.0.1", "-p", "\(port)", "\(folder.path)/andorra.osrm"],
            output: "\(folder.path)/out", errors: "\(folder.path)/log")
        let port = port
        guard DaemonProcess.poll(seconds: 60, { RoutingPackage.answers(port) }) else { throw POSIXError(.ETIMEDOUT) }
    }
}
