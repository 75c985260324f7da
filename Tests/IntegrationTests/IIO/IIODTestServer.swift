import CSystem
import Foundation
import Glibc
import Synchronization

/// Serves one six-axis device over the iiod protocol on loopback, and simulates faults on request.
///
/// The verbs are those that libiio 0.24 sends: PRINT, TIMEOUT, READ, WRITE, GETTRIG, SET, OPEN, READBUF, CLOSE, EXIT.
final class IIODTestServer: Sendable {
    /// The simulated fault.
    enum Fault: Sendable {
        case none
        /// Reads of samples fail with that `errno`.
        case error(Int32)
        /// No request is answered.
        case silence
        /// Half of the requested samples, then the connection is closed.
        case shortReply
        /// Eight megabytes more than was asked for: libiio stores all of them.
        case oversizedReply
    }

    let port: UInt16
    private let listener: Int32
    private let fault = Mutex(Fault.none)
    private let counter = Atomic<Int64>(0)
    private let isOver = Atomic<Bool>(false)
    private let hasStarted = Atomic<Bool>(false)
    private let written = Mutex<[String: String]>([:])
    private let connections = Mutex<[Int32]>([])

    /// Listens on a free port of loopback.
    init() {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { plain in
                _ = bind(descriptor, plain, size)
                _ = getsockname(descriptor, plain, &size)
            }
        }
        listener = descriptor
        port = UInt16(bigEndian: address.sin_port)
        listen(descriptor, 16)
    }

    /// Starts to answer.
    func start() {
        hasStarted.store(true, ordering: .relaxed)
        Thread.detachNewThread { [self] in
            // The accepting thread closes descriptors: a number closed elsewhere may belong to another server by now.
            defer { close(listener) }
            while !isOver.load(ordering: .relaxed) {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                connections.withLock { $0.append(connection) }
                Thread.detachNewThread { [self] in
                    serve(connection)
                    connections.withLock { open in
                        open.removeAll { $0 == connection }
                        close(connection)
                    }
                }
            }
        }
    }

    /// Sets or clears the fault.
    func set(_ new: Fault) { fault.withLock { $0 = new } }

    /// The last text written to an attribute.
    func attribute(_ name: String) -> String? { written.withLock { $0[name] } }

    /// Closes all connections and stops listening.
    func end() {
        isOver.store(true, ordering: .relaxed)
        shutdown(listener, Int32(SHUT_RDWR))
        if !hasStarted.load(ordering: .relaxed) { close(listener) }
        connections.withLock { open in for connection in open { shutdown(connection, Int32(SHUT_RDWR)) } }
    }

    private func serve(_ connection: Int32) {
        while let line = readLine(connection) {
            while case .silence = fault.withLock({ $0 }) {
                if isOver.load(ordering: .relaxed) { return }
                usleep(2000)
            }
            guard answer(line.split(separator: " ").map(String.init), connection) else { return }
        }
    }

    private func answer(_ words: [String], _ connection: Int32) -> Bool {
        switch words.first ?? "" {
        case "": return true
        case "EXIT": return false
        case "PRINT": return send(connection, "\(Self.xml.utf8.count)\n\(Self.xml)\n")
        case "VERSION": return send(connection, "0.24.0000000\n")
        case "TIMEOUT", "OPEN", "CLOSE", "SET": return send(connection, "0\n")
        case "GETTRIG": return send(connection, "-2\n")
        case "READ":
            let value = words.last.flatMap { Self.attributes[$0] ?? attribute($0) } ?? ""
            return value.isEmpty ? send(connection, "-2\n") : send(connection, "\(value.utf8.count + 1)\n\(value)\0\n")
        case "WRITE":
            let count = Int(words.last ?? "") ?? 0
            let value = String(decoding: readBytes(connection, count).prefix { $0 != 0 }, as: UTF8.self)
            written.withLock { $0[words.dropLast().last ?? ""] = value }
            return send(connection, "\(count)\n")
        case "READBUF": return samples(Int(words.last ?? "") ?? 0, connection)
        default: return send(connection, "-22\n")
        }
    }

    private func samples(_ bytes: Int, _ connection: Int32) -> Bool {
        let fault = fault.withLock { $0 }
        if case .error(let code) = fault { return send(connection, "\(-code)\n") }
        if case .oversizedReply = fault {
            let count = bytes + 8 << 20
            return send(connection, Array("\(count)\n0000007f\n".utf8) + [UInt8](repeating: 0xA5, count: count))
        }
        var data: [UInt8] = []
        while data.count < bytes {
            // The pace of the sensor: 200 Hz.
            usleep(5000)
            let k = counter.add(1, ordering: .relaxed).newValue
            for value in [k % 1000, 2, 16384, k % 777, 5, 6] { data += Self.little(value, 2) }
            data += [0, 0, 0, 0] + Self.little(monotonicNanoseconds() + 1_000_000_000_000, 8)
        }
        let head = Array("\(bytes)\n0000007f\n".utf8)
        if case .shortReply = fault {
            _ = send(connection, head + data.prefix(bytes / 2))
            return false
        }
        return send(connection, head + data.prefix(bytes))
    }

    private static func little(_ value: Int64, _ bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * Int64($0))) }
    }

    private func send(_ connection: Int32, _ text: String) -> Bool { send(connection, Array(text.utf8)) }

    private func send(_ connection: Int32, _ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } == bytes.count
    }

    private func readLine(_ connection: Int32) -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) == 1 {
            if byte == 0x0A { return String(decoding: line, as: UTF8.self) }
            if byte != 0x0D { line.append(byte) }
        }
        return nil
    }

    private func readBytes(_ connection: Int32, _ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < count, recv(connection, &byte, 1, 0) == 1 { bytes.append(byte) }
        return bytes
    }

    private static let attributes = ["scale": "0.001", "name": "stub-imu"]

    private static let xml: String = {
        let axes = ["accel_x", "accel_y", "accel_z", "anglvel_x", "anglvel_y", "anglvel_z"]
        let channels = axes.enumerated().map { index, id in
            """
            <channel id="\(id)" type="input"><scan-element index="\(index)" format="le:S16/16&gt;&gt;0" scale="0.001" />\
            <attribute name="scale" filename="in_\(id)_scale" /></channel>
            """
        }
        let stamp =
            #"<channel id="timestamp" type="input"><scan-element index="6" format="le:S64/64&gt;&gt;0" /></channel>"#
        return """
            <?xml version="1.0" encoding="utf-8"?><!DOCTYPE context [<!ELEMENT context (device)*><!ELEMENT device (channel|attribute)*>\
            <!ELEMENT channel (scan-element?,attribute*)><!ELEMENT scan-element EMPTY><!ELEMENT attribute EMPTY>\
            <!ATTLIST context name CDATA #REQUIRED description CDATA #IMPLIED><!ATTLIST device id CDATA #REQUIRED name CDATA #IMPLIED>\
            <!ATTLIST channel id CDATA #REQUIRED type (input|output) #REQUIRED name CDATA #IMPLIED>\
            <!ATTLIST scan-element index CDATA #REQUIRED format CDATA #REQUIRED scale CDATA #IMPLIED>\
            <!ATTLIST attribute name CDATA #REQUIRED filename CDATA #IMPLIED>]><context name="network" description="stub"><device id="iio:device0" name="stub-imu">\
            \(channels.joined())\(stamp)<attribute name="current_timestamp_clock" /></device></context>
            """
    }()
}
