import CSystem

/// The text of an error number. The corresponding C function is strerror_r.
public func describe(_ error: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard posed_error_text(error, &buffer, buffer.count) == 0 else { return "error \(error)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
}
