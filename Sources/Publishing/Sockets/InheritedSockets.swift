import CSystem
import Glibc
import Platform

/// The sockets that systemd created before it started the daemon (LISTEN_FDS, sd_listen_fds(3)).
package struct InheritedSockets: Sendable, Equatable {
    /// The socket of binary frames; `nil` if it was not passed.
    package var frames: Int32?
    /// The socket of JSON lines and commands; `nil` if it was not passed.
    package var stream: Int32?

    /// No sockets.
    package init() {}

    /// The first descriptor that systemd passes.
    package static let firstDescriptor: Int32 = 3

    /// Takes the sockets that LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES describe. A socket is identified by its name in
    /// the socket unit (`FileDescriptorName=frames`, `stream`), or without a name by its type. Each becomes
    /// non-blocking and is not passed to child processes.
    package static func take(
        environment: [String: String] = ProcessEnvironment.current, process: Int32 = getpid(),
        first: Int32 = firstDescriptor
    ) throws(InheritedSocketFault) -> InheritedSockets {
        var sockets = InheritedSockets()
        guard environment["LISTEN_PID"] == String(process), let countText = environment["LISTEN_FDS"] else {
            return sockets
        }
        guard let count = Int32(countText), (0...64).contains(count) else { throw .count(countText) }
        let names =
            environment["LISTEN_FDNAMES"]?.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            ?? []
        for index in 0..<Int(count) {
            let descriptor = first + Int32(index)
            let name = index < names.count ? names[index] : ""
            let type = try listeningType(descriptor, name: name)
            try sockets.place(descriptor, name: name, type: type)
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
                fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0
            else {
                throw .unusable(name: name, reason: String(cString: strerror(errno)))
            }
        }
        return sockets
    }

    private mutating func place(_ descriptor: Int32, name: String, type: Int32) throws(InheritedSocketFault) {
        let isPackets = type == Int32(SOCK_SEQPACKET.rawValue)
        let isBytes = type == Int32(SOCK_STREAM.rawValue)
        if name == "frames", !isPackets { throw .wrongType(name: name, wanted: "ListenSequentialPacket=") }
        if name == "stream", !isBytes { throw .wrongType(name: name, wanted: "ListenStream=") }
        if isPackets, frames == nil {
            frames = descriptor
        } else if isBytes, stream == nil {
            stream = descriptor
        } else {
            throw .unknown(name: name)
        }
    }

    /// SO_TYPE of a listening Unix socket.
    private static func listeningType(_ descriptor: Int32, name: String) throws(InheritedSocketFault) -> Int32 {
        guard let domain = option(SO_DOMAIN, of: descriptor), let type = option(SO_TYPE, of: descriptor) else {
            throw .unusable(name: name, reason: "descriptor \(descriptor) is not a socket")
        }
        guard domain == AF_UNIX else { throw .unusable(name: name, reason: "it is not a Unix socket") }
        guard option(SO_ACCEPTCONN, of: descriptor) == 1 else {
            throw .unusable(name: name, reason: "it does not listen (Accept=no is needed)")
        }
        return type
    }

    private static func option(_ option: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : nil
    }
}

/// Why a socket from systemd cannot be used.
package enum InheritedSocketFault: Error, Equatable, CustomStringConvertible {
    /// LISTEN_FDS is not a valid number of sockets.
    case count(String)
    /// A socket cannot be used.
    case unusable(name: String, reason: String)
    /// A socket has the wrong type.
    case wrongType(name: String, wanted: String)
    /// A socket has an unknown name, or is the second of its kind.
    case unknown(name: String)

    /// The problem and the required change in the socket unit.
    package var description: String {
        switch self {
        case .count(let text): "`\(text)` is not a number from 0 to 64; start posed by systemd, or unset LISTEN_FDS"
        case .unusable(let name, let reason):
            "the socket `\(name)` from systemd cannot be used: \(reason); check posed.socket"
        case .wrongType(let name, let wanted):
            "the socket `\(name)` from systemd has the wrong type; it needs \(wanted) in posed.socket"
        case .unknown(let name):
            "systemd passed a socket named `\(name)`, one more than expected; FileDescriptorName= must be "
                + "`frames` and `stream`, once each"
        }
    }
}
