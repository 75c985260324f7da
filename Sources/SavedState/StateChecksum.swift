import BoundedJSON

/// The reason why a state file is not used.
package struct StateProblem: Error, Equatable, CustomStringConvertible {
    /// The reason, for people.
    package var description: String
}

/// The frame of a state file: one line of JSON with version, IMU and checksum. A truncated or edited file, a file of
/// another IMU and a file of a later release are named problems.
enum StateChecksum {
    /// The content of a file with its checksum.
    static func closed(_ body: [UInt8]) -> [UInt8] { body + Array(",\"check\":\"\(check(body))\"}\n".utf8) }

    /// The members of a file, after its checks.
    static func root(
        of bytes: [UInt8], kind: String, version expected: Int, imu expectedIMU: String, longest: Int
    ) throws(StateProblem) -> JSONValue {
        guard bytes.count <= longest else { throw StateProblem(description: "longer than \(longest) bytes") }
        let root: JSONValue
        do throws(JSONProblem) {
            root = try JSONDocument(bytes: bytes).root
        } catch {
            throw StateProblem(description: "incomplete or invalid JSON: \(error)")
        }
        guard let version = root["posed_\(kind)"]?.int else {
            throw StateProblem(description: "not a \(kind) file of posed")
        }
        guard version == expected else {
            throw StateProblem(
                description: "unsupported version \(version); this release reads version \(expected)")
        }
        guard let check = root["check"]?.string, let end = bodyEnd(bytes), Self.check(Array(bytes[..<end])) == check
        else {
            throw StateProblem(description: "wrong checksum: the file was truncated or edited")
        }
        guard let imu = root["imu"]?.string, imu == expectedIMU else {
            throw StateProblem(
                description: "for another IMU, \(root["imu"]?.string ?? "unnamed"), not for \(expectedIMU)")
        }
        return root
    }

    /// The part of a file name that stands for an IMU. Each IMU has its own files, so that a drive with another IMU, or
    /// a simulated drive, does not overwrite them.
    static func name(of imu: String) -> String { hexadecimal(hash(Array(imu.utf8)), digits: 8) }

    /// The end of the text that the checksum covers.
    private static func bodyEnd(_ bytes: [UInt8]) -> Int? {
        let mark = Array(",\"check\":".utf8)
        guard bytes.count > mark.count else { return nil }
        return (0...(bytes.count - mark.count)).last { bytes[$0...].starts(with: mark) }
    }

    private static func check(_ bytes: [UInt8]) -> String { hexadecimal(hash(bytes), digits: 16) }

    /// FNV-1a, 64 bits: detects a truncated or edited file, not a forged one.
    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }

    private static func hexadecimal(_ value: UInt64, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String((String(repeating: "0", count: 16 - text.utf8.count) + text).prefix(digits))
    }
}
