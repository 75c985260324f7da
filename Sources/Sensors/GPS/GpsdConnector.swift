import CSystem
import Glibc
import Platform

/// Why no connection to gpsd came about.
struct GpsdConnectionFailure: Error, Equatable {
    /// What went wrong and what helps, for people.
    var explanation: String
}

/// Connects to gpsd within a time limit and with the stop signal in every wait.
///
/// libgps' own `gps_open` does neither: it waits in `connect` for as long as the kernel retries, two minutes with a
/// host that is switched off or a stopped gpsd whose queue of connections is full.
struct GpsdConnector {
    /// Longest wait for the name service and, again, for each address, seconds.
    static let limitSeconds = 3.0

    let host: String
    let port: UInt16
    private var pendingLookup: NameLookup?

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// A connection to the first address that takes one; `nil` where the stop came first.
    mutating func connect(stop: StopSignal) -> Result<GpsdSocket, GpsdConnectionFailure>? {
        let found = addresses(stop: stop)
        if stop.isRaised { return nil }
        guard case .success(let addresses) = found else { return found.map { _ in GpsdSocket(descriptor: -1) } }
        var lastError = ECONNREFUSED
        for address in addresses {
            switch GpsdSocket.connect(to: address, stop: stop, seconds: Self.limitSeconds) {
            case .success(let socket): return .success(socket)
            case .failure(let error): lastError = error.code
            }
            if stop.isRaised { return nil }
        }
        return .failure(GpsdConnectionFailure(explanation: explanation(of: lastError)))
    }

    private mutating func addresses(stop: StopSignal) -> Result<[HostAddress], GpsdConnectionFailure> {
        if host == "localhost" {
            // RFC 6761: always the loopback addresses; no name service is asked.
            return .success(
                ["127.0.0.1", "::1"].flatMap { HostAddress.lookUp(host: $0, port: port, onlyNumeric: true) })
        }
        let numeric = HostAddress.lookUp(host: host, port: port, onlyNumeric: true)
        if !numeric.isEmpty { return .success(numeric) }
        guard let lookup = pendingLookup ?? NameLookup.begin(host: host, port: port) else {
            return .failure(
                GpsdConnectionFailure(explanation: "no thread for looking up \(host): the system is out of resources"))
        }
        guard let found = lookup.wait(stop: stop, seconds: Self.limitSeconds) else {
            // Waited for again at the next attempt: never more than one thread hangs in the name service.
            pendingLookup = lookup
            return .failure(
                GpsdConnectionFailure(
                    explanation: "the name \(host) is still being looked up: check the name service, or give an address"
                ))
        }
        pendingLookup = nil
        guard !found.isEmpty else {
            return .failure(
                GpsdConnectionFailure(explanation: "the host \(host) is not known: check the name, or give an address"))
        }
        return .success(found)
    }

    private func explanation(of error: Int32) -> String {
        switch error {
        case ECONNREFUSED: return "no gpsd at \(host) port \(port): is it running? (systemctl status gpsd.socket)"
        case ETIMEDOUT:
            return
                "no answer from \(host) port \(port) within \(Int(Self.limitSeconds)) s: is the host up, and is gpsd "
                + "not stopped?"
        default: return "cannot connect to \(host) port \(port): \(String(cString: strerror(error)))"
        }
    }
}
