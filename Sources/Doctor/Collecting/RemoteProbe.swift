import Glibc
import Platform

/// Connects to the IIO context on another machine.
enum RemoteProbe {
    private static let limitSeconds = 2.0

    /// The result; `nil` for a local context.
    static func run(contextURI: String) -> RemoteFacts? {
        guard contextURI.hasPrefix("ip:") else { return nil }
        let (host, port) = parts(String(contextURI.dropFirst(3)))
        let stop = StopSignal()
        var addresses = HostAddress.lookUp(host: host, port: port, onlyNumeric: true)
        if addresses.isEmpty {
            addresses = NameLookup.begin(host: host, port: port)?.wait(stop: stop, seconds: limitSeconds) ?? []
        }
        guard !addresses.isEmpty else { return RemoteFacts(host: host, port: port, problem: "the host is unknown") }
        var problem = ""
        for address in addresses.prefix(4) {
            switch TCPSocket.connect(to: address, stop: stop, seconds: limitSeconds) {
            case .success(let socket):
                socket.close()
                return RemoteFacts(host: host, port: port, problem: nil)
            case .failure(let error): problem = String(cString: strerror(error.code))
            }
        }
        return RemoteFacts(host: host, port: port, problem: problem)
    }

    /// `HOST[:PORT]`; an IPv6 address has more colons than one and no port.
    private static func parts(_ text: String) -> (String, UInt16) {
        let pieces = text.split(separator: ":", omittingEmptySubsequences: false)
        guard pieces.count == 2, let port = UInt16(pieces[1]) else { return (text, 30431) }
        return (String(pieces[0]), port)
    }
}
