/// KML 2.2: a track with times, or a line where UTC is unknown; heights are above mean sea level.
struct KMLTrack: TrackFormat {
    private var coordinates: [String] = []
    private var times: [String] = []
    private var hasHeights = true

    func head(_ name: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
        <Document><name>\(XMLText.escaped(name))</name>

        """
    }

    mutating func add(_ point: TrackPoint) -> String {
        let height = point.altitudeMeanSeaMeters.map { Decimal.text($0, decimals: 3) }
        hasHeights = hasHeights && height != nil
        coordinates.append("\(point.longitude) \(point.latitude) \(height ?? "0")")
        if let time = point.time { times.append(time) }
        return ""
    }

    mutating func endSegment(_ name: String) -> String {
        let mode = "<altitudeMode>\(hasHeights ? "absolute" : "clampToGround")</altitudeMode>"
        let body: String
        if times.count == coordinates.count {
            let whens = times.map { "<when>\($0)</when>" }.joined(separator: "\n")
            let places = coordinates.map { "<gx:coord>\($0)</gx:coord>" }.joined(separator: "\n")
            body = "<gx:Track>\(mode)\n\(whens)\n\(places)\n</gx:Track>"
        } else {
            let places = coordinates.map { $0.split(separator: " ").joined(separator: ",") }.joined(separator: "\n")
            body = "<LineString>\(mode)<coordinates>\n\(places)\n</coordinates></LineString>"
        }
        coordinates = []
        times = []
        hasHeights = true
        return "<Placemark><name>\(XMLText.escaped(name))</name>\n\(body)\n</Placemark>\n"
    }

    var tail: String { "</Document>\n</kml>\n" }
}
