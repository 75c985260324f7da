import CSystem
import Glibc

/// Addresses of Unix sockets. Not an extension of `sockaddr_un`: two modules own that type, and an extension is seen through only one of them.
public enum UnixAddress {
    /// The address of that path; `nil` when the path is empty, has a NUL, or more than 107 bytes.
    public static func make(path: String) -> sockaddr_un? {
        var address = sockaddr_un()
        let room = MemoryLayout.size(ofValue: address.sun_path)
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count < room, !bytes.contains(0) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return address
    }

    /// The path of an address; `nil` for an address without one.
    public static func path(of address: sockaddr_un) -> String? {
        let bytes = withUnsafeBytes(of: address.sun_path) { Array($0.prefix { $0 != 0 }) }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}

/// An error number in words. The corresponding C function is strerror_r.
public func describe(_ error: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard posed_error_text(error, &buffer, buffer.count) == 0 else { return "error \(error)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
