import Glibc
import Platform
import Testing

@testable import Sensors

/// Connections to gpsd on this machine.
@Suite struct GpsdConnectorTests {
    @Test(arguments: ["127.0.0.1", "localhost"]) func aHostIsConnected(host: String) throws {
        // GIVEN a server on loopback WHEN it is connected by its address or as this machine THEN there is a socket that
        // does not wait for data
        let server = try #require(ScriptedServer { _ in .silence })
        defer { server.stop() }
        var connector = GpsdConnector(host: host, port: server.port)
        let result = connector.connect(stop: StopSignal())
        let socket = try #require(result).get()
        var buffer = [UInt8](repeating: 0, count: 8)
        #expect(buffer.withUnsafeMutableBytes { socket.read(into: $0) } == .nothing && socket.send("?"))
        socket.close()
        // WHEN a stop was requested before THEN there is none
        let stop = StopSignal()
        stop.raise()
        let stopped = connector.connect(stop: stop)
        #expect(stopped == nil)
    }

    @Test func anotherAddressIsNotTakenForThisMachine() throws {
        // GIVEN a server at one address of the loopback WHEN its port is connected at another address, where nobody
        // listens THEN there is no connection
        let server = try #require(ScriptedServer { _ in .silence })
        defer { server.stop() }
        var connector = GpsdConnector(host: "127.0.0.2", port: server.port)
        let result = connector.connect(stop: StopSignal())
        let reason = "no gpsd at 127.0.0.2 port \(server.port): check that it runs (systemctl status gpsd.socket)"
        #expect(result == .failure(GpsdConnectionFailure(explanation: reason)))
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: [
        (
            ETIMEDOUT,
            "no answer from box port 2950 within 2 s: check that the host is up and that gpsd is not stopped"
        ),
        (
            EPERM,
            "not allowed to connect to box port 2950: the service reaches other machines only with the drop-in "
                + "remote-host.conf (posectl doctor shows how)"
        ),
        (ENETUNREACH, "cannot connect to box port 2950: Network is unreachable"),
        (ECONNREFUSED, "no gpsd at box port 2950: check that it runs (systemctl status gpsd.socket)"),
    ])
    func anErrorOfTheConnectionHasItsWords(error: Int32, words: String) {
        #expect(GpsdConnector(host: "box", port: 2950).explanation(of: error) == words)
    }

    @Test func aPortOfNobodyHasItsRemedy() throws {
        // GIVEN a port that is taken and on which nobody listens WHEN it is connected THEN the remedy is told
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        try #require(isBound)
        let port = UInt16(bigEndian: address.sin_port)
        var connector = GpsdConnector(host: "127.0.0.1", port: port)
        let result = connector.connect(stop: StopSignal())
        let reason = "no gpsd at 127.0.0.1 port \(port): check that it runs (systemctl status gpsd.socket)"
        #expect(result == .failure(GpsdConnectionFailure(explanation: reason)))
    }
}
