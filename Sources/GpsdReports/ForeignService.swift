/// A program that is not gpsd and answers on the port where gpsd is expected.
package struct ForeignService: Equatable {
    /// What it is.
    package let kind: String
    /// The start of its first line, printable characters only.
    package let line: String

    /// Recognises the program by a line that gpsd never sends; `nil` for a line of JSON with a class, which may be a
    /// damaged report of gpsd.
    package init?(line: ArraySlice<UInt8>) {
        guard !line.starts(with: Array("{\"class\":".utf8)) else { return nil }
        let text = String(decoding: line.prefix(60).map { (0x20..<0x7F).contains($0) ? $0 : 0x3F }, as: UTF8.self)
        self.line = text
        let isHTTP = text.hasPrefix("HTTP/") || text.hasPrefix("<") && text.uppercased().contains("HTML")
        kind =
            isHTTP
            ? "an HTTP server"
            : text.hasPrefix("SSH-")
                ? "an SSH server" : text.hasPrefix("{") ? "another JSON service" : "another program"
    }

    /// What answers where gpsd is expected, and the remedy.
    package func explanation(host: String, port: UInt16) -> String {
        "\(host) port \(port) is \(kind), not gpsd (it sent `\(line)`): set gps.port to the port of gpsd, "
            + "by default 2947"
    }
}
