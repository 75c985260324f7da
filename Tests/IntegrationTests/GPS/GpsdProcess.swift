import CSystem
import Foundation

/// A real gpsd of the test's own, on a port of its own.
final class GpsdProcess {
    /// Where Debian puts it.
    static let program = "/usr/sbin/gpsd"
    /// Whether it is installed.
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    let port: UInt16
    private let devices: [String]
    private var process: Process?

    init(devices: [String]) throws {
        port = try Self.freePort()
        self.devices = devices
        try start()
    }

    deinit { kill(SIGKILL) }

    /// Starts it, after ``kill(_:)`` anew on the same port.
    func start() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.program)
        process.arguments = ["-N", "-n", "-S", String(port)] + devices
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
    }

    /// Sends it a signal; waits for its end after SIGKILL.
    func kill(_ signal: Int32) {
        guard let process, process.isRunning else { return }
        Foundation.kill(process.processIdentifier, signal)
        if signal == SIGKILL {
            process.waitUntilExit()
            self.process = nil
        }
    }

    /// A port nobody listens at, from below the range that the kernel hands out.
    static func freePort() throws -> UInt16 {
        for _ in 0..<200 {
            let port = UInt16.random(in: 20_000..<30_000)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
            }
            if result == 0 { return port }
        }
        throw POSIXError(.EADDRINUSE)
    }
}
