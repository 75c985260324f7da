import Platform

/// GPX 1.1: one track; heights are above mean sea level.
struct GPXTrack: TrackFormat {
    private var isEmpty = true

    func head(_ name: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="posed \(Release.version)" xmlns="http://www.topografix.com/GPX/1/1">
        <trk><name>\(XMLText.escaped(name))</name>

        """
    }

    mutating func add(_ point: TrackPoint) -> String {
        let begin = isEmpty ? "<trkseg>\n" : ""
        isEmpty = false
        let height = point.altitudeMeanSeaMeters.map { "<ele>\(Decimal.text($0, decimals: 3))</ele>" } ?? ""
        let time = point.time.map { "<time>\($0)</time>" } ?? ""
        return "\(begin)<trkpt lat=\"\(point.latitude)\" lon=\"\(point.longitude)\">\(height)\(time)</trkpt>\n"
    }

    mutating func endSegment(_ name: String) -> String {
        isEmpty = true
        return "</trkseg>\n"
    }

    var tail: String { "</trk>\n</gpx>\n" }
}
