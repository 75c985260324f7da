import CSystem
import Glibc
import Platform

/// The reason why a connection to gpsd failed.
struct GpsdConnectionFailure: Error, Equatable {
    /// The cause and the remedy, for people.
    var explanation: String
}

/// Connects to gpsd with a time limit and the stop signal in every wait.
///
/// libgps' own `gps_open` has neither: it waits in `connect` as long as the kernel retries, two minutes when the host
/// is switched off or when gpsd is stopped and its connection queue is full.
struct GpsdConnector {
    /// Longest wait for the name service, seconds.
    static let lookupSeconds = 3.0
    /// Longest wait for each address, seconds. While gpsd is stopped and its queue is full, the kernel asks again after
    /// 1 s and then after ever longer times: a new attempt asks at once.
    static let limitSeconds = 2.0

    let host: String
    let port: UInt16
    private var pendingLookup: NameLookup?

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Connects to the first address that accepts; `nil` when the stop signal is raised first.
    mutating func connect(stop: StopSignal) -> Result<TCPSocket, GpsdConnectionFailure>? {
        let found = addresses(stop: stop)
        if stop.isRaised { return nil }
        guard case .success(let addresses) = found else { return found.map { _ in TCPSocket(descriptor: -1) } }
        var lastError = ECONNREFUSED
        for address in addresses {
            switch TCPSocket.connect(to: address, stop: stop, seconds: Self.limitSeconds) {
            case .success(let socket): return .success(socket)
            case .failure(let error): lastError = error.code
            }
            if stop.isRaised { return nil }
        }
        return .failure(GpsdConnectionFailure(explanation: explanation(of: lastError)))
    }

    private mutating func addresses(stop: StopSignal) -> Result<[HostAddress], GpsdConnectionFailure> {
        if host == "localhost" {
            // RFC 6761: localhost is always the loopback addresses; no name service is asked.
            return .success(
                ["127.0.0.1", "::1"].flatMap { HostAddress.lookUp(host: $0, port: port, onlyNumeric: true) })
        }
        let numeric = HostAddress.lookUp(host: host, port: port, onlyNumeric: true)
        if !numeric.isEmpty { return .success(numeric) }
        guard let lookup = pendingLookup ?? NameLookup.begin(host: host, port: port) else {
            return .failure(
                GpsdConnectionFailure(
                    explanation: "cannot create a thread to look up \(host): the system is out of resources"))
        }
        guard let found = lookup.wait(stop: stop, seconds: Self.lookupSeconds) else {
            // The next attempt waits for the same lookup: at most one thread hangs in the name service.
            pendingLookup = lookup
            return .failure(
                GpsdConnectionFailure(
                    explanation: "the lookup of \(host) is not complete: check the name service, or set an address"
                ))
        }
        pendingLookup = nil
        guard !found.isEmpty else {
            return .failure(
                GpsdConnectionFailure(explanation: "the host \(host) is unknown: check the name, or set an address"))
        }
        return .success(found)
    }

    func explanation(of error: Int32) -> String {
        switch error {
        case ECONNREFUSED: return "no gpsd at \(host) port \(port): check that it runs (systemctl status gpsd.socket)"
        case ETIMEDOUT:
            return
                "no answer from \(host) port \(port) within \(Int(Self.limitSeconds)) s: check that the host is up and "
                + "that gpsd is not stopped"
        case EPERM, EACCES:
            return
                "not allowed to connect to \(host) port \(port): the service reaches other machines only with the "
                + "drop-in remote-host.conf (posectl doctor shows how)"
        default: return "cannot connect to \(host) port \(port): \(String(cString: strerror(error)))"
        }
    }
}
