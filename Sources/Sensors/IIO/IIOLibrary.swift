import CIIO
import CSystem
import Glibc
import SensorInterface

/// An IIO error with a remedy that a person can apply.
package struct IIOProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong, where, and the remedy.
    package var description: String
    /// The system error that caused it, positive; 0 if there is none.
    package var code: Int32

    /// Creates a problem from its text and error number.
    package init(_ description: String, code: Int32 = 0) {
        self.description = description
        self.code = code
    }

    /// A system error's text, such as `No such device (ENODEV)`.
    static func text(_ code: Int32) -> String {
        let known: [Int32: String] = [
            ENODEV: "ENODEV", EIO: "EIO", ETIMEDOUT: "ETIMEDOUT", ENOENT: "ENOENT", EACCES: "EACCES", EPERM: "EPERM",
            EBUSY: "EBUSY",
            EINVAL: "EINVAL", EPIPE: "EPIPE", EBADF: "EBADF", ECONNREFUSED: "ECONNREFUSED",
            EHOSTUNREACH: "EHOSTUNREACH", ENOSYS: "ENOSYS",
        ]
        let message = String(cString: strerror(code))
        return known[code].map { "\(message), \($0)" } ?? message
    }
}

/// The calls of libiio with Swift types; errors are positive `errno` values. Handles must stay on the thread that
/// created their context.
enum IIOLibrary {
    /// Opens a context; may take seconds when a remote machine does not answer. The corresponding C function is
    /// `iio_create_context_from_uri`.
    static func open(_ uri: String) throws(IIOProblem) -> OpaquePointer {
        errno = 0
        if let context = iio_create_context_from_uri(uri) { return context }
        let code = errno
        switch (uri.hasPrefix("local"), code) {
        case (true, ENOENT):
            throw IIOProblem(
                "no IIO device on this machine (/sys/bus/iio/devices does not exist): check that the "
                    + "sensor's driver is loaded",
                code: code)
        case (true, ENODEV):
            throw IIOProblem("an IIO device was removed while its attributes were read", code: code)
        case (false, ECONNREFUSED), (false, ETIMEDOUT), (false, EHOSTUNREACH), (false, ENETUNREACH):
            throw IIOProblem(
                "no iiod answers at '\(uri)' (\(IIOProblem.text(code))): start iiod there, or correct the address",
                code: code)
        default:
            throw IIOProblem("cannot open IIO context '\(uri)' (\(IIOProblem.text(code)))", code: code)
        }
    }

    /// The text of a device attribute without surrounding white space.
    static func text(_ device: OpaquePointer, _ attribute: String) -> Result<String, Errno> {
        text { iio_device_attr_read(device, attribute, $0, $1) }
    }

    /// The text of a channel attribute without surrounding white space.
    static func text(channel: OpaquePointer, _ attribute: String) -> Result<String, Errno> {
        text { iio_channel_attr_read(channel, attribute, $0, $1) }
    }

    /// The text of a debug attribute without surrounding white space.
    static func text(debugOf device: OpaquePointer, _ attribute: String) -> Result<String, Errno> {
        text { iio_device_debug_attr_read(device, attribute, $0, $1) }
    }

    private static func text(_ read: (UnsafeMutablePointer<CChar>, Int) -> Int) -> Result<String, Errno> {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            guard let base = buffer.baseAddress else { return .failure(Errno(ENOMEM)) }
            let count = read(base, buffer.count)
            guard count >= 0 else { return .failure(Errno(Int32(truncatingIfNeeded: -count))) }
            // Up to the first NUL: a file that held a longer text before may keep the end of it.
            let length = min(count, strnlen(base, buffer.count))
            let bytes = UnsafeRawBufferPointer(start: base, count: length)
            return .success(IIOText.trimmed(String(decoding: bytes, as: UTF8.self)))
        }
    }

    /// A system error as a Swift error.
    struct Errno: Error, Equatable {
        let code: Int32

        init(_ code: Int32) { self.code = code }
    }

    /// Writes a device attribute. Returns 0 or the error number.
    static func write(_ device: OpaquePointer, _ attribute: String, _ value: String) -> Int32 {
        Int32(truncatingIfNeeded: -min(0, iio_device_attr_write(device, attribute, value)))
    }

    /// Writes a channel attribute. Returns 0 or the error number.
    static func write(channel: OpaquePointer, _ attribute: String, _ value: String) -> Int32 {
        Int32(truncatingIfNeeded: -min(0, iio_channel_attr_write(channel, attribute, value)))
    }

    /// The devices of a context without triggers.
    static func devices(_ context: OpaquePointer) -> [OpaquePointer] {
        (0..<iio_context_get_devices_count(context)).compactMap { iio_context_get_device(context, $0) }.filter {
            !iio_device_is_trigger($0)
        }
    }

    /// The triggers of a context.
    static func triggers(_ context: OpaquePointer) -> [OpaquePointer] {
        (0..<iio_context_get_devices_count(context)).compactMap { iio_context_get_device(context, $0) }.filter {
            iio_device_is_trigger($0)
        }
    }

    /// The input channels of a device.
    static func channels(_ device: OpaquePointer) -> [OpaquePointer] {
        (0..<iio_device_get_channels_count(device)).compactMap { iio_device_get_channel(device, $0) }.filter {
            !iio_channel_is_output($0)
        }
    }

    /// Converts a C string that may be missing.
    static func string(_ text: UnsafePointer<CChar>?) -> String? { text.map { String(cString: $0) } }
}
