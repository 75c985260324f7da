import DriveRecording
import Files
import Glibc
import Recording

/// The formats that are read. The raw values are the names for the command line.
package enum InputFormat: String, CaseIterable, Sendable {
    /// A folder of CSV files.
    case csv
    /// A recording of posed.
    case mcap
    /// gpsd's JSON reports, as `gpspipe -w` writes them.
    case gpsd
    /// A receiver's NMEA 0183 sentences.
    case nmea
    /// A u-blox receiver's binary messages.
    case ubx
    /// Any other receiver's messages that gpsd reads.
    case receiver
    /// A drive of the KITTI data set.
    case kitti
    /// A folder of the phone app Sensor Logger.
    case sensorLogger = "sensor-logger"

    /// The format's name for people.
    package var title: String {
        switch self {
        case .csv: "folder of CSV files"
        case .mcap: "recording of posed"
        case .gpsd: "gpsd's JSON reports"
        case .nmea: "receiver's log in NMEA 0183"
        case .ubx: "receiver's log in UBX"
        case .receiver: "receiver's log"
        case .kitti: "KITTI drive"
        case .sensorLogger: "recording of Sensor Logger"
        }
    }

    /// Detects the format from the content.
    package static func detect(path: String) throws(RecordingError) -> InputFormat {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw RecordingError(
                path: path, problem: "cannot be opened (\(String(cString: strerror(errno))))",
                remedy: "check the path and the permissions")
        }
        return status.st_mode & S_IFMT == S_IFDIR ? try folder(path) : try file(path)
    }

    private static func folder(_ path: String) throws(RecordingError) -> InputFormat {
        func holds(_ names: [String]) -> Bool { names.contains { access("\(path)/\($0)", F_OK) == 0 } }
        if holds(["imu.csv", "gnss.csv", "mag.csv", "wheel.csv", "pressure.csv", "baro.csv"]) { return .csv }
        if holds(["oxts/timestamps.txt"]) || (holds(["timestamps.txt"]) && holds(["data"])) { return .kitti }
        if holds(PhoneStreams.names) { return .sensorLogger }
        throw RecordingError(
            path: path, problem: "contains no recording",
            remedy: "give a folder with imu.csv or gnss.csv, a KITTI drive, or an unpacked folder of Sensor Logger; "
                + "many recordings in one folder are for posectl batch")
    }

    /// Bytes that are looked at.
    private static let headBytes = 1 << 16

    private static func file(_ path: String) throws(RecordingError) -> InputFormat {
        let head: [UInt8]
        do throws(FileFault) {
            head = try RegularFile(path).bytes(count: headBytes)
        } catch { throw RecordingError(path: path, problem: error.reason, remedy: error.remedy) }
        if head.isEmpty { throw RecordingError(path: path, problem: "is empty", remedy: "record again") }
        if head.starts(with: [0x50, 0x4B, 3, 4]) || head.starts(with: [0x1F, 0x8B]) {
            throw RecordingError(path: path, problem: "is compressed", remedy: "unpack it first")
        }
        if DriveRecordingReader.isRecording(path: path) { return .mcap }
        if let format = ReceiverSignature.format(of: head) { return format }
        if path.hasSuffix(".csv") {
            throw RecordingError(
                path: path, problem: "is one file of a recording",
                remedy: "give its folder; the names imu.csv, gnss.csv and the rest tell what they hold")
        }
        throw RecordingError(
            path: path, problem: "is in no known format",
            remedy: "give a recording, gpsd's JSON, NMEA or UBX; --from receiver passes it to gpsd in any case")
    }
}

/// Detects gpsd's JSON and receivers' messages in the first bytes of a file.
enum ReceiverSignature {
    /// The first of them with a correct checksum; `nil` without any.
    static func format(of head: [UInt8]) -> InputFormat? {
        for index in head.indices {
            switch head[index] {
            case UInt8(ascii: "{") where isReport(head[index...]): return .gpsd
            case UInt8(ascii: "$") where isSentence(head[(index + 1)...]): return .nmea
            case 0xB5 where isUBX(head[index...]): return .ubx
            case 0xA0 where isSiRF(head[index...]): return .receiver
            default: continue
            }
        }
        return nil
    }

    private static func isReport(_ text: ArraySlice<UInt8>) -> Bool {
        let compact = text.prefix(64).filter { $0 > 32 }
        return compact.starts(with: Array("{\"class\":\"".utf8))
    }

    /// Whether this is a sentence after its `$`, with its checksum.
    private static func isSentence(_ text: ArraySlice<UInt8>) -> Bool {
        let body = text.prefix(120).prefix { $0 != UInt8(ascii: "*") && $0 >= 32 && $0 < 127 }
        let rest = text.dropFirst(body.count).prefix(3)
        guard body.count > 5, rest.first == UInt8(ascii: "*"), rest.count == 3 else { return false }
        let stated = UInt8(String(decoding: rest.dropFirst(), as: UTF8.self), radix: 16)
        return stated == body.reduce(0) { $0 ^ $1 }
    }

    /// Whether this is a message of SiRF, with its checksum.
    private static func isSiRF(_ bytes: ArraySlice<UInt8>) -> Bool {
        let message = Array(bytes.prefix(2048))
        guard message.count >= 8, message[1] == 0xA2 else { return false }
        let length = Int(message[2]) << 8 + Int(message[3])
        guard length > 0, message.count >= length + 8 else { return false }
        let sum = message[4..<(4 + length)].reduce(0) { $0 + Int($1) } & 0x7FFF
        return Int(message[4 + length]) << 8 + Int(message[5 + length]) == sum && message[6 + length] == 0xB0
            && message[7 + length] == 0xB3
    }

    /// Whether this is a message of u-blox, with its checksum.
    private static func isUBX(_ bytes: ArraySlice<UInt8>) -> Bool {
        let message = Array(bytes.prefix(4096))
        guard message.count >= 8, message[1] == 0x62 else { return false }
        let length = Int(message[4]) + Int(message[5]) << 8
        guard message.count >= length + 8 else { return false }
        var (a, b): (UInt8, UInt8) = (0, 0)
        for byte in message[2..<(6 + length)] {
            a &+= byte
            b &+= a
        }
        return message[6 + length] == a && message[7 + length] == b
    }
}
