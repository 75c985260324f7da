import Foundation
import Testing

@testable import Sensors

/// A context that libiio makes of a description in a file: its devices and channels are there, and each attribute and
/// each buffer is refused (ENOSYS).
final class DescribedContext {
    /// A channel, with the layout of its scan element if it has one, and the attributes it is said to have.
    struct Channel {
        var id: String
        var format: String?
        var attributes: [String] = ["raw"]
        /// `input` or `output`.
        var direction = "input"
    }

    /// The URI of the context.
    let uri: String
    /// The context.
    let handle: OpaquePointer
    private let path: String

    /// Makes a context with one device.
    init(
        _ channels: [Channel], name: String = "part", label: String? = nil, attributes: [String] = []
    ) throws {
        var lines = ["<?xml version=\"1.0\" encoding=\"utf-8\"?>", "<context name=\"xml\" description=\"test\">"]
        lines.append("<device id=\"iio:device0\" name=\"\(name)\"\(label.map { " label=\"\($0)\"" } ?? "")>")
        for (number, channel) in channels.enumerated() {
            lines.append("<channel id=\"\(channel.id)\" type=\"\(channel.direction)\">")
            if let format = channel.format {
                let text = format.replacingOccurrences(of: ">", with: "&gt;")
                lines.append("<scan-element index=\"\(number)\" format=\"\(text)\"/>")
            }
            for attribute in channel.attributes {
                lines.append("<attribute name=\"\(attribute)\" filename=\"in_\(channel.id)_\(attribute)\"/>")
            }
            lines.append("</channel>")
        }
        lines += attributes.map { "<attribute name=\"\($0)\"/>" } + ["</device>", "</context>"]
        path = NSTemporaryDirectory() + "posed-context-\(UUID().uuidString).xml"
        try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
        uri = "xml:\(path)"
        handle = try IIOLibrary.open(uri)
    }

    deinit {
        IIOHandles(context: handle, buffer: nil).destroy()
        unlink(path)
    }

    /// The device.
    var device: OpaquePointer {
        get throws { try #require(IIOLibrary.devices(handle).first) }
    }

    /// The three axes of a quantity, such as `anglvel`.
    static func axes(
        _ quantity: String, format: String? = "le:S16/16>>0", attributes: [String] = ["raw"]
    ) -> [Channel] {
        ["x", "y", "z"].map { Channel(id: "\(quantity)_\($0)", format: format, attributes: attributes) }
    }
}
