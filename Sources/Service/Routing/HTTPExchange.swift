import CSystem
import Frames
import Glibc
import PoseMath
import Sensors

/// Sends one request to a server and takes its response, within a time limit for all of it and with the stop signal in
/// every wait.
struct HTTPExchange {
    /// Name or address of the server.
    var host: String
    /// Its port.
    var port: UInt16
    /// For all of it, from the name to the last byte, seconds.
    var limitSeconds: Double
    /// Most bytes of the body.
    var maximumBytes: Int

    /// Why there is no response.
    struct Failure: Error {
        /// For people.
        var explanation: String
    }

    /// The response.
    func perform(_ request: [UInt8], stop: StopSignal) throws(Failure) -> HTTPResponse {
        let deadline = SystemClock.monotonicNow.advanced(bySeconds: limitSeconds)
        var last = Failure(explanation: "the host \(host) is not known: check routing.server")
        for address in try addresses(stop: stop, deadline: deadline) {
            switch GpsdSocket.connect(to: address, stop: stop, seconds: remaining(deadline)) {
            case .success(let socket):
                defer { socket.close() }
                return try exchange(request, socket.descriptor, stop: stop, deadline: deadline)
            case .failure(let error): last = Failure(explanation: explanation(of: error.code))
            }
            guard !stop.isRaised, remaining(deadline) > 0 else { break }
        }
        throw last
    }

    private func remaining(_ deadline: MonotonicTime) -> Double {
        max(0, deadline.seconds(since: SystemClock.monotonicNow))
    }

    private var tooSlow: Failure {
        Failure(explanation: "no whole answer from \(host) port \(port) within \(limitSeconds) s")
    }

    private func addresses(stop: StopSignal, deadline: MonotonicTime) throws(Failure) -> [HostAddress] {
        if host == "localhost" {
            return ["127.0.0.1", "::1"].flatMap { HostAddress.lookUp(host: $0, port: port, onlyNumeric: true) }
        }
        let numeric = HostAddress.lookUp(host: host, port: port, onlyNumeric: true)
        guard numeric.isEmpty else { return numeric }
        guard let lookup = NameLookup.begin(host: host, port: port) else {
            throw Failure(explanation: "no thread for looking up \(host): the system is out of resources")
        }
        guard let found = lookup.wait(stop: stop, seconds: remaining(deadline)) else {
            throw Failure(
                explanation: "the name \(host) is still being looked up: check the name service, or give an address")
        }
        return found
    }

    private func exchange(_ request: [UInt8], _ socket: Int32, stop: StopSignal, deadline: MonotonicTime)
        throws(Failure) -> HTTPResponse
    {
        try send(request, socket, stop: stop, deadline: deadline)
        var response = HTTPResponse(maximumBytes: maximumBytes)
        var buffer = [UInt8](repeating: 0, count: 16_384)
        do throws(HTTPResponse.Fault) {
            while !response.isComplete {
                let count = recv(socket, &buffer, buffer.count, 0)
                if count > 0 {
                    try response.take(buffer[..<count])
                } else if count == 0 {
                    try response.end()
                } else if errno != EAGAIN, errno != EINTR {
                    throw .cutOff
                } else if stop.isRaised || remaining(deadline) <= 0 {
                    break
                } else {
                    _ = stop.wait(for: socket, seconds: remaining(deadline))
                }
            }
        } catch {
            throw Failure(explanation: "the answer of \(host) port \(port) is not understood: \(words(error))")
        }
        guard response.isComplete else { throw tooSlow }
        return response
    }

    private func send(_ request: [UInt8], _ socket: Int32, stop: StopSignal, deadline: MonotonicTime) throws(Failure) {
        var done = 0
        while done < request.count {
            let count = request.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress.map { $0 + done }, request.count - done, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                done += count
            } else if errno != EAGAIN, errno != EINTR {
                throw Failure(explanation: explanation(of: errno))
            } else {
                guard !stop.isRaised, remaining(deadline) > 0 else { throw tooSlow }
                _ = stop.wait(for: socket, events: Int16(POLLOUT), seconds: remaining(deadline))
            }
        }
    }

    private func words(_ fault: HTTPResponse.Fault) -> String {
        switch fault {
        case .malformed(let what): what
        case .tooLarge: "it is larger than a route may be"
        case .cutOff: "it was cut off"
        }
    }

    private func explanation(of error: Int32) -> String {
        switch error {
        case ECONNREFUSED: "no routing server answers at \(host) port \(port): is it running?"
        case ETIMEDOUT: "no answer from \(host) port \(port) within \(limitSeconds) s: is the host up?"
        default: "cannot connect to \(host) port \(port): \(describe(error))"
        }
    }
}
