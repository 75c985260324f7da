import BoundedJSON
import Frames
import Platform

import struct Foundation.Data

/// The requests of the pages: the server answers some, the daemon the others.
final class PageRequests: Sendable {
    private let link: DaemonLink
    private let allowsControl: Bool

    init(link: DaemonLink, allowsControl: Bool) { (self.link, self.allowsControl) = (link, allowsControl) }

    /// A request that is passed on to the daemon.
    enum Passed {
        /// Details of a point of interest.
        case point(id: String)
        /// Starts or stops a recording.
        case record(starts: Bool)
        /// Sets or removes the target, degrees.
        case target((latitude: Double, longitude: Double)?)
    }

    /// Answers a message of a page, or passes it on; `false` if it is no request.
    func perform(_ bytes: [UInt8], from viewer: UInt64, _ mailbox: Mailbox) -> Bool {
        let limits = JSONLimits(maximumBytes: ViewerHandler.longestMessage, maximumDepth: 4, maximumEntries: 64)
        do throws(JSONProblem) {
            let root = try JSONDocument(bytes: bytes, limits: limits).root
            let command = try root.required("cmd").requiredString()
            let id = try Self.id(root)
            if command == "time" {
                mailbox.add(.text(Self.time(id)))
                return true
            }
            let passed = try Self.passed(command, root)
            if let problem = refusal(of: passed) {
                mailbox.add(.text(Self.refusal(command, id, problem)))
            } else if !link.send(Self.line(passed, id: "\(viewer):\(id)")) {
                let busy = (what: "too many requests are waiting", remedy: "wait for the replies")
                mailbox.add(.text(Self.refusal(command, id, busy)))
            }
            return true
        } catch {
            mailbox.add(.text(Self.refusal("", "", (error.reason, error.remedy))))
            return false
        }
    }

    private func refusal(of request: Passed) -> (what: String, remedy: String)? {
        if case .point = request { return nil }
        guard !allowsControl else { return nil }
        return ("this page is read-only", "start posed-web with --allow-control, or use posectl")
    }

    private static func id(_ root: JSONValue) throws(JSONProblem) -> String {
        guard let value = try root.optional("id") else { return "" }
        let id = try value.requiredString()
        guard id.utf8.count <= 16, id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }) else {
            throw value.problem("is no id", remedy: "use at most 16 letters and digits")
        }
        return id
    }

    private static func passed(_ command: String, _ root: JSONValue) throws(JSONProblem) -> Passed {
        switch command {
        case "point": return .point(id: try root.required("point_id").requiredString())
        case "record":
            let value = try root.required("action")
            let action = try value.requiredString()
            guard action == "start" || action == "stop" else {
                throw value.problem("is no action", remedy: "use start or stop")
            }
            return .record(starts: action == "start")
        case "target":
            guard let latitude = try root.optional("lat_deg") else { return .target(nil) }
            let longitude = try root.required("lon_deg")
            return .target((try latitude.requiredDouble(in: -90...90), try longitude.requiredDouble(in: -180...180)))
        default: throw root.problem("has an unknown cmd", remedy: "use time, point, record or target")
        }
    }

    /// The command for the daemon.
    static func line(_ request: Passed, id: String) -> String {
        var writer = JSONWriter(capacity: 256)
        switch request {
        case .point(let point):
            writer.string(#"{"cmd":"point","point_id":"#, point)
        case .record(let starts):
            writer.string(#"{"cmd":"record","action":"#, starts ? "start" : "stop")
        case .target(let place):
            writer.literal(#"{"cmd":"target""#)
            if let place {
                writer.number(#","lat_deg":"#, place.latitude, decimals: 8)
                writer.number(#","lon_deg":"#, place.longitude, decimals: 8)
            }
        }
        writer.string(#","id":"#, id)
        writer.literal("}")
        return writer.text
    }

    private static func time(_ id: String) -> Data {
        var writer = JSONWriter(capacity: 128)
        writer.literal(#"{"type":"time","t_s":"#)
        writer.seconds(nanoseconds: SystemClock.monotonicNow.nanoseconds)
        writer.string(#","id":"#, id)
        writer.literal("}")
        return writer.data
    }

    private static func refusal(_ command: String, _ id: String, _ problem: (what: String, remedy: String)) -> Data {
        var writer = JSONWriter(capacity: 256)
        writer.string(#"{"type":"reply","cmd":"#, command)
        writer.string(#","ok":false,"id":"#, id)
        writer.string(#","error":{"what":"#, problem.what)
        writer.string(#","where":"","remedy":"#, problem.remedy)
        writer.literal("}}")
        return writer.data
    }
}
