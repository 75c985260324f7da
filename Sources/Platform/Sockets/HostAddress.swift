import CSystem
import Glibc
import Synchronization

/// A numeric address of a TCP server, ready for `connect`.
package struct HostAddress: Sendable {
    /// `AF_INET` or `AF_INET6`.
    package var family: Int32
    /// The bytes of the `sockaddr`.
    package var bytes: [UInt8]

    /// All addresses of a host from `getaddrinfo`. Blocks until the name service answers, unless the host is numeric.
    package static func lookUp(host: String, port: UInt16, onlyNumeric: Bool) -> [HostAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | (onlyNumeric ? AI_NUMERICHOST : 0)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var addresses: [HostAddress] = []
        var next = first
        while let entry = next {
            let bytes = UnsafeRawBufferPointer(start: entry.pointee.ai_addr, count: Int(entry.pointee.ai_addrlen))
            addresses.append(HostAddress(family: entry.pointee.ai_family, bytes: Array(bytes)))
            next = entry.pointee.ai_next
        }
        return addresses
    }
}

/// A host name lookup on its own thread, because `getaddrinfo` cannot be interrupted and has no time limit.
///
/// The thread keeps this object alive and ends by itself, even when its owner no longer exists.
package final class NameLookup: Sendable {
    private let result = Mutex<[HostAddress]?>(nil)
    private let descriptor: Int32
    private let host: String
    private let port: UInt16

    /// Starts the lookup; `nil` when the system cannot create a thread or a descriptor.
    package static func begin(host: String, port: UInt16) -> NameLookup? {
        let lookup = NameLookup(host: host, port: port)
        guard lookup.descriptor >= 0 else { return nil }
        let work = Unmanaged.passRetained(lookup)
        guard let thread = NewThread.start(runNameLookup, work.toOpaque()) else {
            work.release()
            return nil
        }
        pthread_detach(thread)
        return lookup
    }

    private init(host: String, port: UInt16) {
        self.host = host
        self.port = port
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    fileprivate func run() {
        posed_set_thread_name("gps-name")
        let addresses = HostAddress.lookUp(host: host, port: port, onlyNumeric: false)
        result.withLock { $0 = addresses }
        eventfd_write(descriptor, 1)
    }

    /// The addresses when the lookup is complete; `nil` when the time is over or the stop signal is raised before.
    package func wait(stop: StopSignal, seconds: Double) -> [HostAddress]? {
        if let known = result.withLock({ $0 }) { return known }
        _ = stop.wait(for: descriptor, seconds: seconds)
        return result.withLock { $0 }
    }
}

private func runNameLookup(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<NameLookup>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
