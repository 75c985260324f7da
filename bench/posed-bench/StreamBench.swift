import Glibc

/// What a client of the stream gets that says only `subscribe`.
struct StreamBench {
    private static let warmUpSeconds = 2.0
    private static let windowSeconds = 10.0
    private static let windows = 2

    /// Bytes per second in the worst window of ten seconds; `nil` if the daemon does not answer.
    static func bytesPerSecond(path: String) -> Double? {
        guard let stream = FrameSocket(path: path, type: SOCK_STREAM) else { return nil }
        defer { stream.close() }
        let command = Array("{\"cmd\":\"subscribe\"}\n".utf8)
        guard send(stream.descriptor, command, command.count, Int32(MSG_NOSIGNAL)) == command.count else { return nil }
        let begin = Double(monotonicNanoseconds()) * 1e-9 + warmUpSeconds
        var bytes = [Double](repeating: 0, count: windows)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(stream.descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            let seconds = Double(monotonicNanoseconds()) * 1e-9 - begin
            guard seconds >= 0 else { continue }
            let window = Int(seconds / windowSeconds)
            guard window < windows else { return (bytes.max() ?? 0) / windowSeconds }
            bytes[window] += Double(count)
        }
    }

    /// The daemon's reply to `status`; `nil` if it does not answer.
    static func status(path: String) -> String? {
        guard let stream = FrameSocket(path: path, type: SOCK_STREAM) else { return nil }
        defer { stream.close() }
        let command = Array("{\"cmd\":\"status\"}\n".utf8)
        guard send(stream.descriptor, command, command.count, Int32(MSG_NOSIGNAL)) == command.count else { return nil }
        var (text, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        let reply = Array("{\"type\":\"reply\",\"cmd\":\"status\"".utf8)
        while true {
            let count = recv(stream.descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            text += buffer[..<count]
            // The last part is not a whole line yet.
            let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
            if let line = lines.first(where: { $0.starts(with: reply) }) {
                return String(decoding: line, as: UTF8.self)
            }
        }
    }
}
