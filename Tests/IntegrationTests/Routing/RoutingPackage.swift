import CSystem
import Foundation
import Glibc

/// Routing servers from their Python packages, for tests.
enum RoutingPackage {
    /// Puts a package into a virtual environment in a folder; the folder of the environment's programs, `nil` where it
    /// cannot be had. `having`: a file that the environment then has.
    static func install(_ package: String, in folder: String, having file: String) -> String? {
        for python in pythons {
            let environment = "\(folder)/python"
            guard (try? ExternalProgram.run(python, ["-m", "venv", environment]))?.exitCode == 0 else { continue }
            let pip = try? ExternalProgram.run(
                "\(environment)/bin/pip",
                ["-q", "install", "--only-binary=:all:", "--disable-pip-version-check", package], seconds: 600)
            if pip?.exitCode == 0, access("\(environment)/\(file)", R_OK) == 0 { return "\(environment)/bin" }
            try? FileManager.default.removeItem(atPath: environment)
        }
        return nil
    }

    /// Pythons that may be new enough, the newest last: the package's programs for the newest may not be there yet.
    private static var pythons: [String] {
        let named = ["python3.12", "python3.13"].compactMap { ExternalProgram.path(of: $0) }
        let home = ProcessInfo.processInfo.environment["PYENV_ROOT"] ?? NSHomeDirectory() + "/.pyenv"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: home + "/versions"))?.sorted() ?? []
        return versions.filter { $0.hasPrefix("3.12") || $0.hasPrefix("3.13") }.map {
            "\(home)/versions/\($0)/bin/python3"
        } + named
    }

    /// Whether something listens at a port of this machine.
    static func answers(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
