import CSystem
import Glibc

/// What a message of the kernel or of udev says about a device.
struct DeviceEvent: Hashable {
    /// Such as `add` or `remove`.
    var action: String
    /// Such as `iio`.
    var subsystem: String

    /// Whether it may change which IIO devices can be opened.
    var isOfIIO: Bool { subsystem == "iio" && ["add", "remove", "change", "bind", "unbind"].contains(action) }

    /// Reads a message: `ACTION@PATH` and properties of the kernel, or udev's header and properties; `nil` for anything
    /// else.
    init?(message: UnsafeRawBufferPointer) {
        guard let properties = Self.properties(message) else { return nil }
        var (action, subsystem): (String?, String?)
        for property in properties.split(separator: 0) {
            let text = String(decoding: property.prefix(64), as: UTF8.self)
            if action == nil, text.hasPrefix("ACTION=") { action = String(text.dropFirst(7)) }
            if subsystem == nil, text.hasPrefix("SUBSYSTEM=") { subsystem = String(text.dropFirst(10)) }
        }
        guard let action, let subsystem else { return nil }
        (self.action, self.subsystem) = (action, subsystem)
    }

    /// The bytes `NAME=VALUE` with a NUL after each.
    private static func properties(_ message: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer>? {
        // udev: a prefix, a magic number, then the header's size and offset and length of the properties.
        let (prefix, magic, headerBytes) = (Array("libudev\0".utf8), UInt32(0xFEED_CAFE), 24)
        if message.starts(with: prefix) {
            guard message.count >= headerBytes,
                UInt32(bigEndian: message.loadUnaligned(fromByteOffset: 8, as: UInt32.self)) == magic
            else { return nil }
            let start = Int(message.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
            let length = Int(message.loadUnaligned(fromByteOffset: 20, as: UInt32.self))
            guard start >= headerBytes, start <= message.count, length <= message.count - start else { return nil }
            return message[start..<(start + length)]
        }
        guard let end = message.firstIndex(of: 0), message[..<end].contains(UInt8(ascii: "@")) else { return nil }
        return message[(end + 1)...]
    }
}

/// Messages about devices from a netlink socket. A sandbox or a container may refuse the socket, or deliver nothing;
/// the list of the devices is compared from time to time in any case.
final class DeviceEvents: Sendable {
    /// The socket; -1 where there is none.
    let descriptor: Int32

    /// Most messages of one call, so that a flood of them holds nothing up.
    private static let messageLimit = 64

    /// Opens the socket.
    convenience init() { self.init(descriptor: posed_device_events()) }

    /// Takes over a socket that does not block.
    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Reads the messages that have arrived. Returns whether one is about IIO, or messages were lost.
    func take() -> Bool {
        guard descriptor >= 0 else { return false }
        var isChange = false
        // The kernel's messages have at most 2 KiB, those of udev at most 8.
        withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { buffer in
            for _ in 0..<Self.messageLimit {
                let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                if count < 0, errno == ENOBUFS { isChange = true }
                guard count > 0 else { break }
                let message = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
                if DeviceEvent(message: message)?.isOfIIO == true { isChange = true }
            }
        }
        return isChange
    }
}
