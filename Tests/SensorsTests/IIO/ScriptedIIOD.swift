import Foundation
import Glibc
import SensorInterface
import Synchronization

@testable import Sensors

/// Another machine with IIO devices: it answers libiio over loopback by a script, so that real libiio gives readings,
/// attributes and errors that a test has chosen.
///
/// The verbs are those that libiio 0.24 sends: PRINT, READ, WRITE, GETTRIG, SETTRIG, OPEN, READBUF and such that need
/// no answer but 0.
final class ScriptedIIOD: Sendable {
    /// A channel, with its layout if the buffer has it.
    struct Channel: Sendable {
        var id: String
        var format: String?
        /// Attributes with the texts that are read one after the other; the last one stays. `!5` is errno 5. Further
        /// keys tell what writing does: `scale refuses` is errno, `scale becomes` what is read afterwards.
        var attributes: [String: [String]] = [:]
    }

    /// A device.
    struct Device: Sendable {
        var id = "iio:device0"
        var name = "part"
        var label: String?
        var channels: [Channel] = []
        /// As those of a channel.
        var attributes: [String: [String]] = [:]
        /// As those of a channel, of the kernel's debug folder.
        var debug: [String: [String]] = [:]
        /// The error of an attempt to start its buffer; 0: it starts.
        var openError: Int32 = 0
        /// The name of its trigger; empty: none is connected; `nil`: it needs none.
        var trigger: String?
        /// The error of an attempt to connect a trigger; 0: it is connected.
        var triggerError: Int32 = 0
    }

    /// The answer to one read of a buffer.
    enum Answer: Sendable {
        /// Scans: the raw values of all channels with a layout, in their order. Those that are off are left out.
        case scans([[Int64]])
        /// That many bytes.
        case bytes(Int)
        /// An error number.
        case error(Int32)
    }

    /// The address of the context.
    let uri: String
    private let devices: [Device]
    private let listener: Int32
    private let state: Mutex<State>

    private struct State: Sendable {
        var texts: [String: [String]] = [:]
        var answers: [Answer]
        var written: [String] = []
        var connections: [Int32] = []
        /// Whether it no longer listens, and another file may have the number of the socket.
        var isClosed = false
        var trigger: String?
        var opened = ""
    }

    /// Listens on a free port. After the last answer to a read of the buffer, each read fails with EIO.
    init(_ devices: [Device], _ answers: [Answer] = []) {
        self.devices = devices
        var texts: [String: [String]] = [:]
        for device in devices {
            for (key, text) in device.attributes { texts["\(device.id) \(key)"] = text }
            for (key, text) in device.debug { texts["\(device.id) DEBUG \(key)"] = text }
            for channel in device.channels {
                for (key, text) in channel.attributes { texts["\(device.id) INPUT \(channel.id) \(key)"] = text }
            }
        }
        state = Mutex(State(texts: texts, answers: answers, trigger: devices.first?.trigger))
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = listener
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(descriptor, $0, size)
                _ = getsockname(descriptor, $0, &size)
            }
        }
        listen(listener, 16)
        uri = "ip:127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        Thread.detachNewThread { [self] in acceptAll() }
    }

    /// What was written, in order: `iio:device0 INPUT accel_x scale = 0.5`.
    var written: [String] { state.withLock { $0.written } }

    /// The device that was opened last, the scans of its buffer, and its channels as a mask.
    var opened: String { state.withLock { $0.opened } }

    /// Ends all connections.
    func end() {
        // Under the lock under which they are closed: the number of a closed one may be that of another test's socket.
        state.withLock { state in
            if !state.isClosed { shutdown(listener, Int32(SHUT_RDWR)) }
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    // MARK: - The protocol

    private func acceptAll() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            state.withLock { $0.connections.append(connection) }
            Thread.detachNewThread { [self] in
                var session = Session(connection: connection)
                while let line = session.line(), perform(line.split(separator: " ").map(String.init), &session) {}
                state.withLock { state in
                    state.connections.removeAll { $0 == connection }
                    close(connection)
                }
            }
        }
        state.withLock { state in
            state.isClosed = true
            close(listener)
        }
    }

    private func perform(_ words: [String], _ session: inout Session) -> Bool {
        let key = words.dropFirst().joined(separator: " ")
        switch words.first ?? "" {
        case "": return true
        case "EXIT": return false
        case "VERSION": session.send("0.24.0000000\n")
        case "PRINT":
            let text = ScriptedXML.context(devices)
            session.send("\(text.utf8.count)\n\(text)\n")
        case "CLOSE": session.send("0\n")
        case "OPEN":
            session.mask = words.count > 3 ? words[3] : ""
            state.withLock { $0.opened = key }
            session.device = devices.first { $0.id == words[1] }
            session.send("-\(session.device?.openError ?? 0)\n")
        case "READ": read(key, &session)
        case "WRITE": write(words, &session)
        case "GETTRIG": getTrigger(&session)
        case "SETTRIG":
            state.withLock { state in
                state.trigger = words.count > 2 ? words[2] : ""
                state.written.append("trigger = \(state.trigger ?? "")")
            }
            session.send("-\(devices.first { $0.id == words[1] }?.triggerError ?? 0)\n")
        case "SET", "TIMEOUT":
            state.withLock { $0.written.append(words[0] == "SET" ? key : "timeout = \(key)") }
            session.send("0\n")
        case "READBUF": samples(Int(words.last ?? "") ?? 0, &session)
        default: session.send("-22\n")
        }
        return true
    }

    private func read(_ key: String, _ session: inout Session) {
        let text = state.withLock { state -> String? in
            guard let first = state.texts[key]?.first else { return nil }
            if (state.texts[key]?.count ?? 0) > 1 { state.texts[key]?.removeFirst() }
            return first
        }
        guard let text, !text.hasPrefix("!") else { return session.send("-\(text?.dropFirst() ?? "2")\n") }
        session.send("\(text.utf8.count + 1)\n\(text)\0\n")
    }

    private func write(_ words: [String], _ session: inout Session) {
        let count = Int(words.last ?? "") ?? 0
        let value = String(decoding: session.bytes(count).prefix { $0 != 0 }, as: UTF8.self)
        let key = words.dropFirst().dropLast().joined(separator: " ")
        let refusal = state.withLock { state -> String? in
            state.written.append("\(key) = \(value)")
            if let code = state.texts["\(key) refuses"]?.first { return code }
            if let fixed = state.texts["\(key) becomes"] {
                state.texts[key] = fixed
            } else {
                state.texts[key] = [value]
            }
            return nil
        }
        session.send(refusal.map { "-\($0)\n" } ?? "\(count)\n")
    }

    private func getTrigger(_ session: inout Session) {
        guard let name = state.withLock({ $0.trigger }) else { return session.send("-2\n") }
        session.send(name.isEmpty ? "0\n" : "\(name.utf8.count)\n\(name)\n")
    }

    private func samples(_ wanted: Int, _ session: inout Session) {
        let answer = state.withLock { state -> Answer in
            state.answers.isEmpty ? .error(EIO) : state.answers.removeFirst()
        }
        var data: [UInt8] = []
        switch answer {
        case .error(let code): return session.send("-\(code)\n")
        case .bytes(let count): data = Array(repeating: 0, count: count)
        case .scans(let scans): for scan in scans { data += session.packed(scan) }
        }
        session.send("\(data.count)\n\(session.mask)\n")
        session.send(data)
        if data.count < wanted { session.send("0\n") }
    }
}

extension IIOCapture {
    /// A capture after which nobody asks what it has changed where it cannot start.
    convenience init(
        context: OpaquePointer, assignment: IIOPlan.Assignment, settings: IIOSettings
    ) throws(IIOProblem) {
        var adjustment = IIOAdjustment()
        try self.init(context: context, assignment: assignment, settings: settings, &adjustment)
    }
}

extension IIOPolling {
    /// Readings after which nobody asks what they have changed.
    convenience init(
        context: OpaquePointer, assignment: IIOPlan.Assignment, settings: IIOSettings
    ) throws(IIOProblem) {
        var adjustment = IIOAdjustment()
        try self.init(context: context, assignment: assignment, settings: settings, &adjustment)
    }
}

/// One connection to a ``ScriptedIIOD``.
private struct Session {
    let connection: Int32
    /// The channels that are on, as the client has written them.
    var mask = ""
    var device: ScriptedIIOD.Device?

    init(connection: Int32) { self.connection = connection }

    /// The next line; `nil` at the end.
    func line() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) == 1 {
            if byte == 0x0A { return String(decoding: line, as: UTF8.self) }
            if byte != 0x0D { line.append(byte) }
        }
        return nil
    }

    func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < count, recv(connection, &byte, 1, 0) == 1 { bytes.append(byte) }
        return bytes
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) { _ = Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    /// A scan of the channels that are on, each aligned to its own length, as the kernel lays it out.
    func packed(_ values: [Int64]) -> [UInt8] {
        let channels = (device?.channels ?? []).enumerated().filter { $0.element.format != nil }
        let bits = UInt64(mask.suffix(8), radix: 16) ?? 0
        var (data, longest): ([UInt8], Int) = ([], 1)
        for ((number, channel), value) in zip(channels, values) where bits & (1 << UInt64(number)) != 0 {
            let format = channel.format ?? ""
            let digits = format.split { !$0.isNumber }.compactMap { Int($0) }
            let (length, shift) = (digits[1] / 8, digits.count > 2 ? digits[2] : 0)
            while data.count % length != 0 { data.append(0xEE) }
            let word = UInt64(bitPattern: value << Int64(shift))
            let little = (0..<length).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
            data += format.hasPrefix("be") ? little.reversed() : little
            longest = max(longest, length)
        }
        while data.count % longest != 0 { data.append(0xEE) }
        return data
    }
}

/// The description of a context that iiod sends.
private enum ScriptedXML {
    static func context(_ devices: [ScriptedIIOD.Device]) -> String {
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><context name=\"network\" description=\"script\">"
            + devices.map(device).joined() + "</context>"
    }

    private static func device(_ device: ScriptedIIOD.Device) -> String {
        let label = device.label.map { " label=\"\($0)\"" } ?? ""
        var index = -1
        let channels = device.channels.map { channel in
            var text = "<channel id=\"\(channel.id)\" type=\"input\">"
            if let format = channel.format {
                index += 1
                let escaped = format.replacingOccurrences(of: ">", with: "&gt;")
                text += "<scan-element index=\"\(index)\" format=\"\(escaped)\" />"
            }
            for key in names(channel.attributes) {
                text += "<attribute name=\"\(key)\" filename=\"in_\(channel.id)_\(key)\" />"
            }
            return text + "</channel>"
        }
        return "<device id=\"\(device.id)\" name=\"\(device.name)\"\(label)>" + channels.joined()
            + names(device.attributes).map { "<attribute name=\"\($0)\" />" }.joined()
            + names(device.debug).map { "<debug-attribute name=\"\($0)\" />" }.joined() + "</device>"
    }

    /// The attributes without what only tells how they are written.
    private static func names(_ attributes: [String: [String]]) -> [String] {
        attributes.keys.filter { !$0.contains(" ") }.sorted()
    }
}
