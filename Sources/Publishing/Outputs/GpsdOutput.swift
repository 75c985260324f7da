import CSystem
import Frames
import Glibc
import PoseMath

/// A server of gpsd's protocol on a loopback port. Programs written for gpsd receive the fused pose as reports TPV and
/// ATT.
package final class GpsdOutput: FrameOutput {
    /// An epoll descriptor of its own, readable when one of the connections has input.
    package let descriptor: Int32
    let listener: Int32
    private var spare = SpareDescriptor()
    private var clients: [Int32: GpsdClient] = [:]
    private var pacing: Pacing
    private var encoder = GpsdEncoder()
    private var reports: [UInt8] = []
    private let release: String
    private static let mostClients = 16
    /// After this time a client that watches nothing and asks nothing gives way to another one, seconds.
    private static let idleSeconds = 10.0

    private struct GpsdClient {
        var isWatching = false
        /// Time of the last request, or of the connection.
        var heardAt: MonotonicTime
        var input: [UInt8] = []
        /// Limits the rate of its requests, including empty ones.
        var tokens: TokenBucket
    }

    /// Listens on 127.0.0.1.
    package init(port: Int, rateHertz: Double, release: String) throws(SocketError) {
        self.release = release
        pacing = Pacing(rateMillihertz: UInt32(min(max(rateHertz, 1), 50) * 1000))
        listener = posed_listen_loopback(UInt16(truncatingIfNeeded: port))
        guard listener >= 0 else {
            throw SocketError(
                place: "127.0.0.1:\(port)",
                text: "cannot listen: \(describe(errno)); set another outputs.gpsd_port")
        }
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        // All members are set, so deinit closes the open descriptors on error.
        guard descriptor >= 0, posed_watch(descriptor, listener, UInt32(EPOLLIN.rawValue), UInt64(listener)) == 0 else {
            throw SocketError(place: "epoll", text: "cannot watch descriptors: \(describe(errno))")
        }
    }

    deinit {
        for client in clients.keys { close(client) }
        close(listener)
        close(descriptor)
    }

    package func serve(now: MonotonicTime) {
        var ready = [posed_ready](repeating: posed_ready(), count: 16)
        let count = posed_wait_ready(descriptor, &ready, Int32(ready.count), 0)
        for index in 0..<max(0, Int(count)) {
            let token = Int32(truncatingIfNeeded: ready[index].token)
            if token == listener { accept(now) } else { read(token, now) }
        }
    }

    package func publish(_ frame: Frame, now: MonotonicTime) {
        guard clients.values.contains(where: \.isWatching), pacing.takes(now) else { return }
        reports = encoder.reports(frame)
        for (client, state) in clients where state.isWatching { send(reports, to: client) }
    }

    package func remove() {}

    private func accept(_ now: MonotonicTime) {
        guard let client = spare.accept(on: listener) else { return }
        if clients.count >= Self.mostClients { makeRoom(now) }
        guard clients.count < Self.mostClients,
            posed_watch(descriptor, client, UInt32(EPOLLIN.rawValue), UInt64(client)) == 0
        else {
            close(client)
            return
        }
        clients[client] = GpsdClient(heardAt: now, tokens: TokenBucket(most: 200, perSecond: 20, now: now))
        send(encoder.version(release: release), to: client)
    }

    /// Disconnects the client that has been idle for the longest time: connections that nobody uses must not keep out
    /// other programs.
    private func makeRoom(_ now: MonotonicTime) {
        let idle = clients.filter { !$0.value.isWatching && now.seconds(since: $0.value.heardAt) >= Self.idleSeconds }
        if let longest = idle.min(by: { $0.value.heardAt < $1.value.heardAt }) { leave(longest.key) }
    }

    private func read(_ client: Int32, _ now: MonotonicTime) {
        guard var state = clients[client] else { return }
        var chunk = [UInt8](repeating: 0, count: 2048)
        var notes: Int32 = 0
        let count = posed_receive(client, &chunk, chunk.count, &notes)
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
        guard count > 0, state.input.count + count <= 8192 else { return leave(client) }
        state.input += chunk[..<count]
        // Requests end with a semicolon or a line end.
        while let end = state.input.firstIndex(where: { $0 == 0x3B || $0 == 0x0A }) {
            let request = String(decoding: state.input[..<end], as: UTF8.self).filter { !$0.isWhitespace }
            state.input.removeFirst(end + 1)
            guard state.tokens.take(1, now: now) else { return leave(client) }
            guard !request.isEmpty else { continue }
            state.heardAt = now
            clients[client] = state
            answer(request, client, &state)
            guard clients[client] != nil else { return }
        }
        clients[client] = state
    }

    private func answer(_ request: String, _ client: Int32, _ state: inout GpsdClient) {
        if request.hasPrefix("?WATCH") {
            if request.contains("\"enable\":false") {
                state.isWatching = false
            } else if request.contains("=") {
                state.isWatching = true
            }
            send(encoder.watch(isEnabled: state.isWatching), to: client)
        } else if request.hasPrefix("?DEVICES") {
            send(encoder.deviceList(), to: client)
        } else if request.hasPrefix("?VERSION") {
            send(encoder.version(release: release), to: client)
        } else {
            send(encoder.unrecognised(), to: client)
        }
    }

    /// Sends a report. A client that does not take a whole report is disconnected, because a partial line is invalid.
    private func send(_ bytes: [UInt8], to client: Int32) {
        let sent = bytes.withUnsafeBytes { posed_send(client, $0.baseAddress, $0.count) }
        if sent != bytes.count { leave(client) }
    }

    private func leave(_ client: Int32) {
        clients[client] = nil
        close(client)
    }
}
