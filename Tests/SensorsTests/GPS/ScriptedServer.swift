import Glibc
import Platform
import Synchronization

/// A server on loopback that does with each connection what a test says.
final class ScriptedServer: Sendable {
    /// What it does with a connection.
    enum Conduct: Sendable {
        /// Greets, sends a fix, and closes.
        case serveAndClose
        /// Says nothing until the client leaves.
        case silence
        /// Closes with a reset.
        case reset
        /// Greets, and sends fixes at 5 Hz until the client leaves.
        case stream
        /// Sends these lines at once, and then nothing until the client leaves.
        case say([String])
    }

    let port: UInt16
    private let listener: Int32
    private let thread: WorkerThread
    private let counter: AcceptCounter

    /// Number of connections so far.
    var connectionCount: Int { counter.value }

    /// Starts on a port, 0 for any; `nil` if it is taken. `conduct` gets the number of the connection, from 0.
    init?(port: UInt16 = 0, conduct: @escaping @Sendable (Int) -> Conduct) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var one: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, 4)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        self.listener = listener
        self.port = UInt16(bigEndian: address.sin_port)
        let counter = AcceptCounter()
        self.counter = counter
        thread = WorkerThread(name: "server") { stop in
            while !stop.isRaised {
                guard stop.wait(for: listener, seconds: 1) == .ready else { continue }
                let client = accept(listener, nil, nil)
                guard client >= 0 else { continue }
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                Self.serve(client, conduct(counter.next()), stop)
                close(client)
            }
        }
        guard isBound else { return nil }
        thread.start()
    }

    /// Ends the server.
    func stop() {
        thread.stop()
        close(listener)
    }

    static let greeting = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#

    private static func fix(_ number: Int) -> String {
        let utc = SystemClock.realtimeNanoseconds / 200_000_000 * 200_000_000
        var seconds = time_t(utc / 1_000_000_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ value: some BinaryInteger) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let date = "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        let clock = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
        return #"{"class":"TPV","device":"/dev/a","mode":3,"time":"\#(date)T\#(clock)."#
            + "\(utc % 1_000_000_000 / 100_000_000)00Z\",\"lat\":48.00000\(number % 10),\"lon\":11,\"altHAE\":500}"
    }

    private static func send(_ text: String, to client: Int32) {
        let bytes = Array("\(text)\r\n".utf8)
        _ = Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    private static func serve(_ client: Int32, _ conduct: Conduct, _ stop: StopSignal) {
        switch conduct {
        case .serveAndClose:
            // A connection that is closed with unread bytes is reset, and the greeting with it.
            _ = stop.wait(for: client, seconds: 1)
            _ = hasLeft(client)
            send(greeting, to: client)
            send(fix(0), to: client)
        case .silence: wait(for: client, stop)
        case .say(let lines):
            send(lines.joined(separator: "\r\n"), to: client)
            wait(for: client, stop)
        case .reset:
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        case .stream:
            send(greeting, to: client)
            var number = 0
            while !stop.isRaised, !hasLeft(client) {
                send(fix(number), to: client)
                number += 1
                _ = stop.wait(seconds: 0.2)
            }
        }
    }

    /// Waits until the client leaves.
    private static func wait(for client: Int32, _ stop: StopSignal) {
        while !hasLeft(client), stop.wait(for: client, seconds: 60) == .ready {}
    }

    /// Reads what the client has sent; whether it has left.
    private static func hasLeft(_ client: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = recv(client, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count == 0 || (count < 0 && errno != EAGAIN)
    }
}

/// Counts connections on the server's thread.
private final class AcceptCounter: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .acquiring) }

    func next() -> Int { count.add(1, ordering: .acquiringAndReleasing).oldValue }
}
