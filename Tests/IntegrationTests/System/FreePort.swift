import CSystem
import Foundation
import Glibc
import Synchronization

/// Ports of this machine for the programs of the tests.
///
/// A port is free until the program that it is for listens, and again while that program is restarted. So none is given
/// out twice in a run; they lie below the range from which the kernel takes those of connections; and runs beside each
/// other begin at different ones.
enum FreePort {
    private static let range = 20_000..<32_000
    /// The next one to look at: 61 is prime to the size of the range, so that neighbouring runs begin far apart.
    private static let next = Mutex(range.lowerBound + Int(getpid()) * 61 % range.count)

    /// A port without a listener that no other test of this run gets.
    static func take() throws -> UInt16 {
        for _ in range {
            let port = next.withLock { number in
                defer { number = number + 1 < range.upperBound ? number + 1 : range.lowerBound }
                return UInt16(number)
            }
            if isFree(port) { return port }
        }
        throw POSIXError(.EADDRINUSE)
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) } == 0
        }
    }
}
