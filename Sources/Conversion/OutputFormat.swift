/// The formats that are written. The raw values are the names for the command line.
package enum OutputFormat: String, CaseIterable, Sendable {
    /// A folder of CSV files: the measurements.
    case csv
    /// A recording of posed: the measurements.
    case mcap
    /// GPX 1.1.
    case gpx
    /// GeoJSON.
    case geojson
    /// KML 2.2.
    case kml
    /// Poses of the TUM benchmark.
    case tum
    /// NMEA 0183 sentences.
    case nmea

    /// The format that a file's name stands for; a name without an extension is a folder.
    package static func detect(path: String) -> OutputFormat? {
        guard !path.hasSuffix("/") else { return .csv }
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name == "-" ? nil : .csv }
        switch name[name.index(after: dot)...].lowercased() {
        case "mcap": return .mcap
        case "gpx": return .gpx
        case "geojson", "json": return .geojson
        case "kml": return .kml
        case "tum", "txt": return .tum
        case "nmea", "nma": return .nmea
        default: return nil
        }
    }

    /// Whether it holds measurements; the others hold poses.
    package var isRecording: Bool { self == .csv || self == .mcap }

    /// Rate if none is given, Hz; `nil` writes every pose.
    package var usualRateHertz: Double? { self == .tum ? nil : 1 }
}
