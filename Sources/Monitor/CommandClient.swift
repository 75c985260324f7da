import BoundedJSON
import Frames
import Glibc
import Platform
import PoseMath

/// Sends one command to the daemon and receives its reply.
package struct CommandClient: Sendable {
    /// Path of the stream socket.
    package var socketPath: String
    /// Longest wait for the reply, seconds; `nil` for that of the command.
    package var replyLimitSeconds: Double?

    /// Creates a client for the daemon at a socket path.
    package init(socketPath: String) { self.socketPath = socketPath }

    /// The commands.
    package enum Command: Sendable, Equatable {
        /// Report the status of the daemon.
        case status
        /// Load the route in a file with an absolute path.
        case routeLoad(path: String)
        /// Request a route through places, in their order, from the routing server.
        case routeTo([Place])
        /// Clear the route.
        case routeClear
        /// Change the heading trim by an angle, clockwise positive, degrees.
        case trimBy(degrees: Double)
        /// Set the heading trim, degrees.
        case trimTo(degrees: Double)
        /// Clear origin, trim and progress, and align again.
        case reset
        /// Start or stop a recording, or report what the recorder does: `start`, `stop` or `status`.
        case record(action: String)
    }

    /// A place.
    package struct Place: Sendable, Equatable {
        /// Latitude, degrees.
        package var latitudeDegrees: Double
        /// Longitude, degrees.
        package var longitudeDegrees: Double

        /// Creates a place.
        package init(latitudeDegrees: Double, longitudeDegrees: Double) {
            self.latitudeDegrees = latitudeDegrees
            self.longitudeDegrees = longitudeDegrees
        }
    }

    /// The reason why there is no positive reply.
    package enum Failure: Error, CustomStringConvertible {
        /// The daemon is not running, or does not answer.
        case noDaemon(String)
        /// The daemon rejected the command; the reason.
        case rejected(String)

        /// The reason in one sentence.
        package var description: String {
            switch self {
            case .noDaemon(let why), .rejected(let why): why
            }
        }
    }

    /// Sends a command. Returns the line of the reply.
    package func perform(_ command: Command) throws(Failure) -> String {
        var connection: StreamConnection
        do throws(StreamConnection.Failure) {
            connection = try StreamConnection(path: socketPath)
        } catch { throw .noDaemon(error.description) }
        var writer = JSONWriter(capacity: 256)
        Self.write(command, &writer)
        guard connection.send(writer.text) else { throw .noDaemon("\(socketPath): posed closed the connection") }
        let limitSeconds = replyLimitSeconds ?? Self.limitSeconds(of: command)
        let began = SystemClock.monotonicNow
        while SystemClock.monotonicNow.seconds(since: began) < limitSeconds {
            var ready = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, 100) > 0 else { continue }
            var replies: [[UInt8]] = []
            let isConnected = connection.receive { line in if Self.isReply(line, to: command) { replies.append(line) } }
            if let reply = replies.first { return try Self.checked(reply) }
            if !isConnected { throw .noDaemon("\(socketPath): posed closed the connection before it replied") }
        }
        throw .noDaemon("\(socketPath): no reply in \(Int(limitSeconds)) s; see the journal of posed")
    }

    /// Longest wait for the reply to a command, seconds. A routing server may take 30 s (`routing.timeout_s`), and a
    /// route from a file waits for one that is being requested.
    static func limitSeconds(of command: Command) -> Double {
        switch command {
        case .routeTo, .routeLoad: 35
        case .status, .routeClear, .trimBy, .trimTo, .reset, .record: 10
        }
    }

    static func write(_ command: Command, _ writer: inout JSONWriter) {
        writer.string("{\"cmd\":", name(of: command))
        switch command {
        case .status, .routeClear, .reset: break
        case .routeLoad(let path):
            writer.string(",\"path\":", path)
        case .routeTo(let places):
            writer.literal(",\"places\":")
            writer.list(places) { writer, place in
                writer.numbers("", [place.latitudeDegrees, place.longitudeDegrees], decimals: 7)
            }
        case .trimBy(let degrees):
            writer.number(",\"by_deg\":", degrees, decimals: 6)
        case .trimTo(let degrees):
            writer.number(",\"to_deg\":", degrees, decimals: 6)
        case .record(let action):
            writer.string(",\"action\":", action)
        }
        writer.literal("}")
    }

    private static func name(of command: Command) -> String {
        switch command {
        case .status: "status"
        case .routeLoad: "route_load"
        case .routeTo: "route_to"
        case .routeClear: "route_clear"
        case .trimBy, .trimTo: "trim"
        case .reset: "reset"
        case .record: "record"
        }
    }

    private static func isReply(_ line: [UInt8], to command: Command) -> Bool {
        guard let root = (try? JSONDocument(bytes: line))?.root else { return false }
        return root["type"]?.string == "reply"
            && (root["cmd"]?.string == name(of: command) || root["ok"]?.bool == false)
            || root["type"]?.string == "bye"
    }

    private static func checked(_ line: [UInt8]) throws(Failure) -> String {
        let text = String(decoding: line, as: UTF8.self)
        guard let root = (try? JSONDocument(bytes: line))?.root, root["ok"]?.bool != true else { return text }
        if let error = root["error"] { throw .rejected(StatusReply.problem(error)) }
        throw .rejected("posed disconnected: \(root["text"]?.string ?? text)")
    }
}
