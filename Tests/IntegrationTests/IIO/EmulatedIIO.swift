import CSystem
import Foundation
import Glibc
import Synchronization

/// Whether the emulation of /sys is installed; otherwise tests that need it are skipped with a message.
let isEmulationInstalled = access("/usr/bin/umockdev-run", X_OK) == 0

/// An IIO device as files under an emulated root: attributes, and a FIFO in place of the character device.
struct EmulatedDevice {
    /// One buffered channel: its name as in sysfs, such as `accel_x`, and its layout, such as `le:s16/16>>0`.
    struct Channel {
        let name: String
        let type: String
    }

    let root: String
    let id: String
    let channels: [Channel]
    private let feeder: Int32

    var folder: String { "\(root)/sys/bus/iio/devices/\(id)" }
    private var node: String { "\(root)/dev/\(id)" }

    /// Creates the files. `attributes` are paths in the device's folder.
    init(root: String, number: Int, name: String, channels: [Channel], attributes: [String: String]) throws {
        self.root = root
        id = "iio:device\(number)"
        self.channels = channels
        let folder = "\(root)/sys/bus/iio/devices/iio:device\(number)"
        for sub in ["buffer", "scan_elements", "trigger"]
        where sub != "trigger" || attributes.keys.contains("trigger/current_trigger") {
            guard sub == "trigger" || !channels.isEmpty else { continue }
            try FileManager.default.createDirectory(atPath: "\(folder)/\(sub)", withIntermediateDirectories: true)
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: "\(root)/dev", withIntermediateDirectories: true)
        var files = ["name": name]
        if !channels.isEmpty {
            files.merge(["buffer/enable": "0", "buffer/length": "128", "buffer/watermark": "8"]) { $1 }
        }
        for (i, channel) in channels.enumerated() {
            files["scan_elements/in_\(channel.name)_en"] = "0"
            files["scan_elements/in_\(channel.name)_index"] = "\(i)"
            files["scan_elements/in_\(channel.name)_type"] = channel.type
        }
        for (path, text) in files.merging(attributes, uniquingKeysWith: { $1 }) {
            try (text + "\n").write(toFile: "\(folder)/\(path)", atomically: false, encoding: .utf8)
        }
        mkfifo("\(root)/dev/iio:device\(number)", 0o600)
        // Both ends are kept open, so that the FIFO outlives its reader as a device does.
        feeder = open("\(root)/dev/iio:device\(number)", O_RDWR | O_NONBLOCK | O_CLOEXEC)
    }

    /// Writes one scan: the channels' raw values in order, each with its own alignment, as the kernel does.
    func feed(_ values: [Int64]) {
        var bytes: [UInt8] = []
        for (channel, value) in zip(channels, values) {
            let digits = channel.type.split { !$0.isNumber }.compactMap { Int($0) }
            let (length, shift) = (digits[1] / 8, digits.count > 2 ? digits[2] : 0)
            while bytes.count % length != 0 { bytes.append(0xEE) }
            let word = UInt64(bitPattern: value << Int64(shift))
            let little = (0..<length).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
            bytes += channel.type.hasPrefix("be") ? little.reversed() : little
        }
        while bytes.count % 8 != 0 { bytes.append(0xEE) }
        _ = bytes.withUnsafeBytes { write(feeder, $0.baseAddress, $0.count) }
    }

    /// Writes bytes that are not a complete scan.
    func feed(bytes: [UInt8]) { _ = bytes.withUnsafeBytes { write(feeder, $0.baseAddress, $0.count) } }

    /// The text of an attribute up to the first NUL or newline: the last text written by a program.
    func attribute(_ path: String) -> String {
        let text = (try? String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)) ?? ""
        return String(text.prefix { $0 != "\0" && $0 != "\n" })
    }

    /// Removes the device: its files and node.
    func unplug() {
        rename(folder, "\(root)/parked-\(id)")
        rename(node, "\(root)/parked-node-\(id)")
    }

    /// Adds the device again.
    func replug() {
        rename("\(root)/parked-node-\(id)", node)
        rename("\(root)/parked-\(id)", folder)
    }
}

extension EmulatedDevice {
    static let accelerometerAxes = ["accel_x", "accel_y", "accel_z"]
    static let gyroAxes = ["anglvel_x", "anglvel_y", "anglvel_z"]
    static let stamp = Channel(name: "timestamp", type: "le:s64/64>>0")

    /// A six-axis device with time stamps; `attributes` add to or replace the usual ones.
    static func imu(root: String, number: Int = 0, attributes: [String: String] = [:], type: String = "le:s16/16>>0")
        throws -> EmulatedDevice
    {
        let usual = [
            "in_accel_scale": "0.000598", "in_anglvel_scale": "0.001065", "sampling_frequency": "100.000000",
            "sampling_frequency_available": "25 50 100 200 400", "current_timestamp_clock": "realtime",
        ]
        return try EmulatedDevice(
            root: root, number: number, name: "fake-imu",
            channels: (accelerometerAxes + gyroAxes).map { Channel(name: $0, type: type) } + [stamp],
            attributes: usual.merging(attributes) { $1 })
    }
}

/// A device that writes at 200 Hz on its own thread until it is paused or ended.
final class DeviceFeeder: Sendable {
    private enum Pace {
        case running, paused, over
    }

    private let pace = Mutex(Pace.running)

    init(_ device: EmulatedDevice) {
        Thread.detachNewThread { [self] in
            var k: Int64 = 0
            while true {
                let now = pace.withLock { $0 }
                if now == .over { return }
                k += 1
                if now == .running { device.feed([k % 1000, 2, 16384, k % 777, 5, 6, monotonicNanoseconds()]) }
                usleep(5000)
            }
        }
    }

    func pause(_ isPaused: Bool) { pace.withLock { $0 = isPaused ? .paused : .running } }

    func end() { pace.withLock { $0 = .over } }
}

/// The probe program under the emulation: its output lines and its input.
final class ProbeProcess {
    /// Arguments for tests that feed a device some scans and look at it afterwards: it is neither stale nor opened
    /// again while a busy machine holds up the test.
    static let patient = ["stale=30", "reopen=60"]
    /// The emulated root.
    let root: String
    private let process: ChildProcess
    private let input = Pipe()
    private let lines = LineCollector()

    /// Starts the emulation; ``go()`` starts the probe itself, after the devices are created.
    init(_ arguments: [String]) throws {
        let output = Pipe()
        let script = "echo \"$UMOCKDEV_DIR\"; read go; exec \"$0\" \"$@\""
        process = try ExternalProgram.start(
            "/usr/bin/umockdev-run", ["--", "sh", "-c", script, Self.executable] + arguments,
            input: .descriptor(input.fileHandleForReading.fileDescriptor),
            output: .descriptor(output.fileHandleForWriting.fileDescriptor))
        // Each end is seen to close when the other side has closed it.
        try input.fileHandleForReading.close()
        try output.fileHandleForWriting.close()
        try lines.collect(from: output.fileHandleForReading)
        guard let root = lines.wait(seconds: 60, { $0.first }) else { throw ProbeError.noRoot }
        self.root = root
    }

    enum ProbeError: Error { case noRoot }

    /// Beside the test bundle, or in the usual folder of a debug build.
    private static var executable: String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let beside = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("IIOProbe").path
        if FileManager.default.isExecutableFile(atPath: beside) { return beside }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
            .standardized
        return package.appendingPathComponent(".build/debug/IIOProbe").path
    }

    func go() { tell("go") }

    func tell(_ command: String) { try? input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8)) }

    /// Sends a message of the kernel to the probe: the emulation replaces its netlink socket by one in a folder.
    func sendDeviceEvent(_ text: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: root).filter { $0.hasPrefix("event") }
        let bytes = Array(text.utf8)
        for name in names {
            let descriptor = posed_unix_socket(Int32(SOCK_DGRAM.rawValue))
            defer { close(descriptor) }
            guard posed_connect(descriptor, "\(root)/\(name)") == 0 else { throw POSIXError(.ECONNREFUSED) }
            guard posed_send(descriptor, bytes, bytes.count) == bytes.count else { throw POSIXError(.EIO) }
        }
        guard !names.isEmpty else { throw POSIXError(.ENOENT) }
    }

    /// Waits until the lines so far satisfy a condition.
    func wait<T>(seconds: Double = 60, _ answer: ([String]) -> T?) -> T? { lines.wait(seconds: seconds, answer) }

    /// Waits until a line after the first `skipping` lines has the prefix. Returns the number of lines up to and
    /// including it.
    func wait(for prefix: String, skipping: Int = 0, seconds: Double = 60) -> Int? {
        lines.wait(seconds: seconds) { all in all.dropFirst(skipping).firstIndex { $0.hasPrefix(prefix) }.map { $0 + 1 }
        }
    }

    /// Whether no line after the first `skipping` lines has the prefix, and none comes for so many seconds of the
    /// machine: the times by which a source tries again are those, too.
    func lacks(_ prefix: String, skipping: Int, seconds: Double) -> Bool {
        let end = monotonicNanoseconds() + Int64(seconds * 1e9)
        while monotonicNanoseconds() < end {
            if wait(for: prefix, skipping: skipping, seconds: 0) != nil { return false }
            usleep(2000)
        }
        return true
    }

    /// Number of lines so far.
    var count: Int { lines.wait(seconds: 0) { $0.count } ?? 0 }

    /// The inertial samples so far: time, then the six values.
    var inertial: [(time: Int64, values: [Double])] {
        let all = lines.wait(seconds: 0) { $0 } ?? []
        return all.filter { $0.hasPrefix("E inertial ") }.compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 10, let time = Int64(words[2]) else { return nil }
            return (time, words.dropFirst(4).compactMap { Double($0) })
        }
    }

    /// Sends a question and waits for the answer with the prefix.
    func ask(_ command: String, _ prefix: String) -> String? {
        let before = count
        tell(command)
        return wait { all in all.dropFirst(before).first { $0.hasPrefix(prefix) } }
    }

    /// The probe's answer to `status` for one source.
    func status(_ name: String) -> String? {
        let before = count
        tell("status")
        return wait { all in
            all.dropFirst(before).contains("S .")
                ? all.dropFirst(before).first { $0.hasPrefix("S \(name)|") } ?? "" : nil
        }
    }

    /// Ends the probe by closing its input.
    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

/// Lines of a pipe, collected on a thread.
final class LineCollector: Sendable {
    private let lines = Mutex<[String]>([])

    func collect(from handle: FileHandle) throws {
        let descriptor = dup(handle.fileDescriptor)
        Thread.detachNewThread { [self] in
            var rest: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                rest += buffer[..<count]
                while let end = rest.firstIndex(of: 0x0A) {
                    let line = String(decoding: rest[..<end], as: UTF8.self)
                    rest.removeSubrange(...end)
                    lines.withLock { $0.append(line) }
                }
            }
            close(descriptor)
        }
    }

    /// Checks every 2 ms until there is an answer or the time of a ``NapClock`` is over.
    func wait<T>(seconds: Double, _ answer: ([String]) -> T?) -> T? {
        var clock = NapClock()
        while true {
            if let found = answer(lines.withLock { $0 }) { return found }
            guard clock.seconds < seconds else { return nil }
            clock.nap()
        }
    }
}

/// CLOCK_MONOTONIC, nanoseconds.
func monotonicNanoseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}
