/// Where a receiver is: a gpsd, and the device that it serves. Written as gpsd's own clients take it,
/// `HOST[:PORT[:DEVICE]]` with an IPv6 address in brackets; a text that begins with `/` is a device of the gpsd that
/// the settings name.
package struct GPSReceiverPlace: Hashable, Sendable, CustomStringConvertible {
    /// The most receivers in the settings.
    package static let limit = 8

    /// Host of gpsd: name or address; `nil`: that of the settings.
    package let host: String?
    /// TCP port of gpsd; `nil`: that of the settings, or 2947 with a host of its own.
    package let port: UInt16?
    /// The receiver as gpsd names it; `nil`: the first with a fix.
    package let device: String?

    /// Reads a place; `nil` if the text is none.
    package init?(_ text: String) {
        guard (1...500).contains(text.utf8.count), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        if text.hasPrefix("/") {
            (host, port, device) = (nil, nil, text)
            return
        }
        var rest = Substring(text)
        if rest.first == "[" {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            host = String(rest[rest.index(after: rest.startIndex)..<end])
            rest = rest[rest.index(after: end)...]
        } else {
            host = String(rest.prefix { $0 != ":" })
            rest = rest.dropFirst(host?.count ?? 0)
        }
        let parts = rest.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard let host, Self.isHost(host), parts.first?.isEmpty ?? true else { return nil }
        port = parts.count > 1 ? UInt16(parts[1]) : nil
        device = parts.count > 2 ? String(parts[2]) : nil
        guard parts.count < 2 || (port ?? 0) > 0, device?.hasPrefix("/") ?? true else { return nil }
    }

    /// The place as it is written.
    package var description: String {
        guard let host else { return device ?? "" }
        let name = host.contains(":") ? "[\(host)]" : host
        return name + (port.map { ":\($0)" } ?? "") + (device.map { ":\($0)" } ?? "")
    }

    private static func isHost(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count) && UInt64(text) == nil
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
                    UInt8(ascii: ":"):
                    true
                default: false
                }
            }
    }
}
