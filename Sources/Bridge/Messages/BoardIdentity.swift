import CCrypto
import Files
import Glibc
import Platform

/// Who sends: the id of the board and the id of its boot.
package struct BoardIdentity: Sendable, Equatable {
    /// The board, in topics and messages.
    package var id: String
    /// The boot: another one after each start of the machine.
    package var boot: String

    /// Creates an identity.
    package init(id: String, boot: String) {
        self.id = id
        self.boot = boot
    }

    /// The application whose id is derived from the machine's: anyone can compute the same id with
    /// `systemd-id128 machine-id --app-specific=`.
    package static let application: [UInt8] = [
        0x9c, 0x5b, 0x5e, 0x57, 0x9d, 0x0f, 0x4c, 0x2e, 0x8f, 0x3c, 0x6a, 0x1d, 0x2b, 0x7e, 0x40, 0x91,
    ]

    /// The identity of this machine; `nil` if the machine has no id and the settings name none.
    package static func ofThisMachine(
        named id: String?, machineFile: String = "/etc/machine-id",
        bootFile: String = "/proc/sys/kernel/random/boot_id"
    ) -> BoardIdentity? {
        guard let id = id ?? text(machineFile).flatMap({ derived(fromMachine: $0) }) else { return nil }
        let boot = text(bootFile)?.filter { $0.isHexDigit }
        // Without one, for example in a container, each start of the program counts as a boot.
        return BoardIdentity(id: id, boot: boot ?? "0\(SystemClock.realtimeNanoseconds)")
    }

    /// The first twelve digits of the machine's application-specific id (sd_id128_get_machine_app_specific): the id of
    /// the machine itself is a secret.
    package static func derived(fromMachine machine: String) -> String? {
        let digits = Array(machine.utf8.filter { $0 > 0x20 })
        guard digits.count == 32 else { return nil }
        var key: [UInt8] = []
        for index in stride(from: 0, to: 32, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index..<(index + 2)], as: UTF8.self), radix: 16) else {
                return nil
            }
            key.append(byte)
        }
        var digest = [UInt8](repeating: 0, count: 64)
        var length: UInt32 = 0
        guard HMAC(EVP_sha256(), key, 16, application, application.count, &digest, &length) != nil, length == 32 else {
            return nil
        }
        return digest[..<6].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func text(_ path: String) -> String? {
        // Files of /proc have no size: a fixed number of bytes is read.
        guard let bytes = try? RegularFile(path).bytes(count: 128), !bytes.isEmpty else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first.map(String.init)
    }
}

/// Numbers the messages of one boot, also when the program is started again: it starts with the milliseconds since the
/// boot, and no program sends a thousand messages per second.
package struct MessageSequence: Sendable {
    /// The number of the first message of this program.
    package let first: UInt64
    private var last: UInt64

    /// Creates the sequence of a program that starts at that time after the boot, nanoseconds.
    package init(sinceBootNanoseconds: Int64 = SystemClock.bootReading.boot) {
        first = UInt64(clamping: sinceBootNanoseconds / 1_000_000)
        last = first
    }

    /// The next number.
    package mutating func next() -> UInt64 {
        defer { last &+= 1 }
        return last
    }
}
