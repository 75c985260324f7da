import CSystem
import Glibc
import Testing

@testable import Publishing

/// Sockets as the service manager passes them: numbered from a first descriptor on.
@Suite(.serialized) struct InheritedDescriptorTests {
    /// What is passed.
    enum Passed: Sendable {
        case packets, bytes, datagrams, silent, network, file
    }

    /// Far above the descriptors that other tests of this process use.
    private static let first: Int32 = 800

    private static func descriptor(of passed: Passed) -> Int32 {
        let kind =
            switch passed {
            case .packets: SOCK_SEQPACKET
            case .datagrams: SOCK_DGRAM
            default: SOCK_STREAM
            }
        let descriptor =
            passed == .file
            ? open("/dev/null", O_RDONLY)
            : socket(passed == .network ? AF_INET : AF_UNIX, Int32(kind.rawValue), 0)
        if passed == .packets || passed == .bytes {
            // A socket listens where the kernel chooses its name.
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = bind(descriptor, $0, socklen_t(MemoryLayout<sa_family_t>.size))
                }
            }
            listen(descriptor, 1)
        }
        return descriptor
    }

    /// Takes what is passed with names, separated by colons.
    private func take(_ passed: [Passed], _ names: String?) throws(InheritedSocketFault) -> InheritedSockets {
        for (index, one) in passed.enumerated() {
            let descriptor = Self.descriptor(of: one)
            #expect(fcntl(Self.first + Int32(index), F_GETFD) < 0, "another test has the number, and loses its file")
            dup2(descriptor, Self.first + Int32(index))
            close(descriptor)
        }
        defer { for index in passed.indices { close(Self.first + Int32(index)) } }
        var environment = ["LISTEN_PID": "7", "LISTEN_FDS": "\(passed.count)"]
        environment["LISTEN_FDNAMES"] = names
        let sockets = try InheritedSockets.take(environment: environment, process: 7, first: Self.first)
        for descriptor in [sockets.frames, sockets.stream].compactMap(\.self) {
            #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC && fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
        }
        return sockets
    }

    @Test(
        arguments: [
            ([.packets, .bytes], "frames:stream", 0, 1), ([.bytes, .packets], "stream:frames", 1, 0),
            ([.bytes, .packets], nil, 1, 0), ([.packets, .bytes], "", 0, 1), ([.packets], "frames", 0, nil),
            ([.bytes], "stream", nil, 0), ([.packets, .bytes], "frames", 0, 1), ([.bytes], "other", nil, 0),
            // The first one has no name.
            ([.bytes, .packets], ":frames", 1, 0),
        ] as [([Passed], String?, Int32?, Int32?)])
    func aSocketIsKnownByItsNameOrItsType(passed: [Passed], names: String?, frames: Int32?, stream: Int32?) throws {
        let sockets = try take(passed, names)
        #expect(sockets.frames == frames.map { $0 + Self.first } && sockets.stream == stream.map { $0 + Self.first })
    }

    @Test(
        arguments: [
            ([.bytes], "frames", .wrongType(name: "frames", wanted: "ListenSequentialPacket=")),
            ([.packets], "stream", .wrongType(name: "stream", wanted: "ListenStream=")),
            ([.packets, .packets], "frames:frames", .unknown(name: "frames")),
            ([.bytes, .bytes], "stream:more", .unknown(name: "more")),
            ([.silent], "stream", .unusable(name: "stream", reason: "it does not listen (Accept=no is needed)")),
            ([.datagrams], "x", .unusable(name: "x", reason: "it does not listen (Accept=no is needed)")),
            ([.network], "stream", .unusable(name: "stream", reason: "it is not a Unix socket")),
            ([.packets, .file], "frames:stream", .unusable(name: "stream", reason: "descriptor 801 is not a socket")),
        ] as [([Passed], String, InheritedSocketFault)])
    func whatIsNoSocketOfTheDaemonIsNamed(passed: [Passed], names: String, fault: InheritedSocketFault) throws {
        #expect(throws: fault) { try take(passed, names) }
    }
}
