import CSystem
import Glibc
import Measurements
import Platform
import PoseMath
import Synchronization

/// Serves the IMU of a scenario over the iiod protocol on loopback, as libiio 0.24 speaks it: PRINT, VERSION, TIMEOUT,
/// READ, WRITE, GETTRIG, SET, OPEN, READBUF, CLOSE, EXIT. A daemon with `imu.context: ip:127.0.0.1:PORT` reads it like
/// a real one.
final class EmulatedIIO: Sendable {
    /// The port.
    let port: UInt16
    private let listener: Int32
    private let scenario: Scenario
    private let begin: MonotonicTime
    private let connections = Mutex(Connections())

    /// Connections at a time: a reader opens one for the device and one for each of its buffers.
    static let mostConnections = 64
    /// Units per m/s2 and per rad/s.
    private static let scales = (force: 1e-5, rate: 1e-6)

    /// Listens on a port of loopback, 0 for a free one; `nil` if it is not free. Time zero of the scenario is `begin`.
    init?(_ scenario: Scenario, port wanted: UInt16, from begin: MonotonicTime) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = wanted.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { plain in
                bind(descriptor, plain, size) == 0 && getsockname(descriptor, plain, &size) == 0
            }
        }
        guard isBound, listen(descriptor, 8) == 0 else {
            close(descriptor)
            return nil
        }
        (listener, self.scenario, self.begin) = (descriptor, scenario, begin)
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(listener) }

    /// Accepts connections that wait; does not block.
    func accept() {
        var ready = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 0) > 0 else { return }
        let connection = Glibc.accept(listener, nil, nil)
        guard connection >= 0 else { return }
        let number = connections.withLock { $0.next() }
        guard let number else {
            close(connection)
            return
        }
        // Waits end now and then, so that the program can end.
        var limit = timeval(tv_sec: 0, tv_usec: 200_000)
        for direction in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(connection, SOL_SOCKET, direction, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        let thread = WorkerThread(name: "iiod") { [self] signal in
            serve(connection, signal)
            close(connection)
            forget(number)
        }
        connections.withLock { $0.threads[number] = thread }
        guard !thread.start() else { return }
        close(connection)
        forget(number)
    }

    /// Leaves the room of a connection to others. The last reference must not end with the lock held: that stops the
    /// thread.
    private func forget(_ number: Int) { _ = connections.withLock { $0.threads.removeValue(forKey: number) } }

    /// Ends all connections.
    func end() {
        let running = connections.withLock { Array($0.threads.values) }
        for thread in running { thread.requestStop() }
        for thread in running { thread.stop() }
    }

    /// The threads of the connections that are open, by number.
    private struct Connections {
        var threads: [Int: WorkerThread] = [:]
        private var count = 0

        /// The number of a new connection; `nil` where there are too many.
        mutating func next() -> Int? {
            guard threads.count < mostConnections else { return nil }
            count += 1
            return count
        }
    }

    // MARK: - One connection

    private func serve(_ connection: Int32, _ signal: StopSignal) {
        var samples: SampleFeed?
        while let line = readLine(connection, signal) {
            let words = line.split(separator: " ").map(String.init)
            switch words.first ?? "" {
            case "": continue
            case "EXIT": return
            case "READBUF":
                let count = Int(words.last ?? "") ?? 0
                guard (SampleFeed.bytes...(1 << 20)).contains(count) else {
                    guard send(connection, Array("-22\n".utf8)) else { return }
                    continue
                }
                if samples == nil { samples = SampleFeed(scenario, begin) }
                guard let bytes = samples?.next(count, signal) else { return }
                guard send(connection, Array("\(bytes.count)\n0000007f\n".utf8) + bytes) else { return }
            case "WRITE":
                let count = Int(words.last ?? "") ?? 0
                guard (0...4096).contains(count) else { return }
                for _ in 0..<count { guard readByte(connection, signal) != nil else { return } }
                guard send(connection, Array("\(count)\n".utf8)) else { return }
            default:
                guard send(connection, Array(Self.answer(words).utf8)) else { return }
            }
        }
    }

    private static func answer(_ words: [String]) -> String {
        switch words.first ?? "" {
        case "PRINT": return "\(xml.utf8.count)\n\(xml)\n"
        case "VERSION": return "0.24.0000000\n"
        case "TIMEOUT", "OPEN", "CLOSE", "SET": return "0\n"
        case "GETTRIG": return "-2\n"
        case "READ":
            guard let name = words.last, let value = attribute(name, words) else { return "-2\n" }
            return "\(value.utf8.count + 1)\n\(value)\0\n"
        default: return "-22\n"
        }
    }

    private static func attribute(_ name: String, _ words: [String]) -> String? {
        switch name {
        case "name": "posed-simulation"
        case "current_timestamp_clock": "monotonic"
        case "scale": words.contains { $0.hasPrefix("accel") } ? "0.00001" : "0.000001"
        default: nil
        }
    }

    private func send(_ connection: Int32, _ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } == bytes.count
    }

    /// A line without its end, at most 1 kB; `nil` at the end of the connection or of the program.
    private func readLine(_ connection: Int32, _ signal: StopSignal) -> String? {
        var line: [UInt8] = []
        while line.count < 1024, let byte = readByte(connection, signal) {
            if byte == 0x0A { return String(decoding: line, as: UTF8.self) }
            if byte != 0x0D { line.append(byte) }
        }
        return nil
    }

    private func readByte(_ connection: Int32, _ signal: StopSignal) -> UInt8? {
        var byte: UInt8 = 0
        while !signal.isRaised {
            let count = recv(connection, &byte, 1, 0)
            if count == 1 { return byte }
            guard count < 0, errno == EAGAIN || errno == EINTR else { return nil }
        }
        return nil
    }

    private static let xml: String = {
        func channel(_ id: String, _ index: Int, _ scale: String) -> String {
            """
            <channel id="\(id)" type="input"><scan-element index="\(index)" format="le:S32/32&gt;&gt;0" \
            scale="\(scale)" /><attribute name="scale" filename="in_\(id)_scale" /></channel>
            """
        }
        let axes = ["x", "y", "z"]
        let force = axes.enumerated().map { channel("accel_\($1)", $0, "0.00001") }
        let rate = axes.enumerated().map { channel("anglvel_\($1)", $0 + 3, "0.000001") }
        return """
            <?xml version="1.0" encoding="utf-8"?><!DOCTYPE context [<!ELEMENT context (device)*>\
            <!ELEMENT device (channel|attribute)*><!ELEMENT channel (scan-element?,attribute*)>\
            <!ELEMENT scan-element EMPTY><!ELEMENT attribute EMPTY><!ATTLIST context name CDATA #REQUIRED \
            description CDATA #IMPLIED><!ATTLIST device id CDATA #REQUIRED name CDATA #IMPLIED><!ATTLIST channel \
            id CDATA #REQUIRED type (input|output) #REQUIRED name CDATA #IMPLIED><!ATTLIST scan-element index CDATA \
            #REQUIRED format CDATA #REQUIRED scale CDATA #IMPLIED><!ATTLIST attribute name CDATA #REQUIRED filename \
            CDATA #IMPLIED>]><context name="network" description="posed simulation"><device id="iio:device0" \
            name="posed-simulation">\(force.joined())\(rate.joined())<channel id="timestamp" type="input">\
            <scan-element index="6" format="le:S64/64&gt;&gt;0" /></channel>\
            <attribute name="current_timestamp_clock" /></device></context>
            """
    }()

    /// The samples of one connection at their times.
    private struct SampleFeed {
        /// Bytes of one sample: six values, and the time stamp.
        static let bytes = 32
        private let recording: ScenarioRecording
        private let begin: MonotonicTime

        init?(_ scenario: Scenario, _ begin: MonotonicTime) {
            guard let recording = try? ScenarioRecording(scenario) else { return nil }
            (self.recording, self.begin) = (recording, begin)
        }

        /// Whole samples of at most that many bytes, each when its time has come; `nil` at the end.
        func next(_ count: Int, _ signal: StopSignal) -> [UInt8]? {
            var data: [UInt8] = []
            while data.count + Self.bytes <= count {
                guard let sample = sample() else { return data.isEmpty ? nil : data }
                let due = begin.advanced(bySeconds: sample.time.seconds)
                while SystemClock.monotonicNow < due {
                    guard !signal.isRaised else { return nil }
                    let left = due.seconds(since: SystemClock.monotonicNow)
                    usleep(UInt32(min(max(left, 0), 0.05) * 1e6))
                }
                append(sample, at: due, to: &data)
            }
            return data
        }

        /// The next sample that is not past: a connection may come late.
        private func sample() -> InertialSample? {
            let now = SystemClock.monotonicNow.seconds(since: begin)
            while let event = recording.next() {
                if case .inertial(let sample) = event, sample.time.seconds > now - 0.5 { return sample }
            }
            return nil
        }

        private func append(_ sample: InertialSample, at time: MonotonicTime, to data: inout [UInt8]) {
            let (force, rate) = (sample.specificForceMetersPerSecondSquared, sample.angularRateRadiansPerSecond)
            for axis in 0..<3 { append(force[axis] / scales.force, to: &data) }
            for axis in 0..<3 { append(rate[axis] / scales.rate, to: &data) }
            for byte in 0..<8 { data.append(UInt8(truncatingIfNeeded: time.nanoseconds >> (8 * byte))) }
        }

        private func append(_ value: Double, to data: inout [UInt8]) {
            let bounded = Int32(min(max(value, -2e9), 2e9).rounded())
            for byte in 0..<4 { data.append(UInt8(truncatingIfNeeded: bounded >> (8 * byte))) }
        }
    }
}
