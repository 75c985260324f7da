import Frames
import Geodesy
import Replay

/// The page: one HTML file that needs nothing else. Its script draws what the data in it say.
enum ReportPage {
    /// Nothing from outside is loaded, whatever a recording contains.
    private static let head = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
        script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
        <meta name="color-scheme" content="light dark">

        """

    /// Writes the page of one drive or several.
    static func write(_ drives: [DriveFigures], to output: inout LineOutput) throws(LineOutputError) {
        try output.append(head)
        let names = drives.map { Self.escaped(shortName($0.name)) }.joined(separator: " and ")
        try output.append("<title>\(names) - drive report</title>\n<style>\n")
        try output.append(PackageResources.report_css)
        try output.append("</style>\n</head>\n<body>\n")
        try output.append(PackageResources.report_html)
        try output.append("<script type=\"application/json\" id=\"figures\">")
        try output.append(data(drives) { $1.writeFigures(to: &$0) })
        try output.append("</script>\n<script type=\"application/json\" id=\"series\">")
        // Where no drive has a place, only the map is empty.
        let nowhere = GeodeticPosition(latitudeRadians: 0, longitudeRadians: 0, altitudeEllipsoidMeters: 0)
        let origin = LocalFrame(origin: drives.lazy.compactMap(\.origin).first ?? nowhere)
        try output.append(data(drives) { $1.writeSeries(to: &$0, origin: origin) })
        try output.append("</script>\n<script>\n\"use strict\";\n")
        let scripts = [
            PackageResources.data_js, PackageResources.charts_js, PackageResources.map_js, PackageResources.page_js,
        ]
        for script in scripts { try output.append(script) }
        try output.append("</script>\n</body>\n</html>\n")
    }

    /// An array of JSON objects that cannot end the element that holds it: `<` occurs only inside of texts, and is
    /// written as an escape.
    private static func data(_ drives: [DriveFigures], _ write: (inout JSONWriter, DriveFigures) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: 1 << 20)
        writer.list(drives, write)
        return writer.withBytes { bytes in
            var text: [UInt8] = []
            text.reserveCapacity(bytes.count)
            for byte in bytes {
                if byte == UInt8(ascii: "<") { text += Array("\\u003c".utf8) } else { text.append(byte) }
            }
            return text
        }
    }

    /// The last part of a path.
    static func shortName(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// A text in an element.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.append(character)
            }
        }
    }
}
