import Roads

/// Reads points of interest from XML formats: GPX waypoints and property lists.
enum XMLPoints {
    static func read(_ bytes: [UInt8], _ source: String, _ builder: inout PointFileBuilder) throws(ImportProblem) {
        do throws(RouteDataProblem) {
            let scanner = try XMLScanner(bytes: withoutDocumentType(bytes), maximumDepth: 32)
            guard case .start(let root) = try scanner.next() else { return }
            switch root {
            case "gpx": try gpx(scanner, &builder)
            case "plist": try propertyList(scanner, &builder)
            default:
                throw scanner.problem(
                    at: scanner.eventOffset, "is <\(root.prefix(32))>, neither GPX nor a property list",
                    remedy: "convert it to GeoJSON or CSV")
            }
        } catch {
            let place = error.line.map { line in "\(source):\(line):\(error.column ?? 1)" } ?? source
            throw ImportProblem(place: place, reason: error.reason, remedy: error.remedy)
        }
    }

    /// Property lists have a document type, which the scanner refuses. A document type without own declarations is
    /// replaced by blanks.
    private static func withoutDocumentType(_ bytes: [UInt8]) -> [UInt8] {
        let mark = Array("<!DOCTYPE".utf8)
        let head = min(bytes.count, 2048)
        guard head > mark.count,
            let start = (0..<(head - mark.count)).first(where: { bytes[$0...].starts(with: mark) }),
            let end = bytes[start..<head].firstIndex(of: UInt8(ascii: ">")),
            !bytes[start..<end].contains(UInt8(ascii: "["))
        else { return bytes }
        var blanked = bytes
        for index in start...end where blanked[index] != 0x0A { blanked[index] = 0x20 }
        return blanked
    }

    private static func gpx(_ scanner: XMLScanner, _ builder: inout PointFileBuilder) throws(RouteDataProblem) {
        var (number, level) = (0, 1)
        while true {
            switch try scanner.next() {
            case .start("wpt") where level == 1:
                number += 1
                var texts = PointRecordTexts()
                for (name, value) in scanner.attributes where name == "lat" || name == "lon" { texts.set(name, value) }
                try waypoint(scanner, &texts)
                try add(texts, "waypoint \(number)", &builder)
            case .start: level += 1
            case .end: level -= 1
            case .finished: return
            }
        }
    }

    /// Reads a waypoint to its end.
    private static func waypoint(_ scanner: XMLScanner, _ texts: inout PointRecordTexts) throws(RouteDataProblem) {
        var level = 0
        while true {
            switch try scanner.next() {
            case .start("link"):
                if let link = scanner.attribute("href") { texts.set("url", link) }
                _ = try scanner.text()
            case .start(let name) where level == 0 && name != "extensions": texts.set(name, try scanner.text())
            case .start: level += 1
            case .end:
                guard level > 0 else { return }
                level -= 1
            case .finished: return
            }
        }
    }

    private static func propertyList(_ scanner: XMLScanner, _ builder: inout PointFileBuilder)
        throws(RouteDataProblem)
    {
        var number = 0
        while true {
            switch try scanner.next() {
            case .start("dict"):
                number += 1
                var texts = PointRecordTexts()
                try dictionary(scanner, &texts)
                try add(texts, "dictionary \(number)", &builder)
            case .finished: return
            default: break
            }
        }
    }

    /// Reads alternating keys and values up to the dictionary's end; nested values are skipped.
    private static func dictionary(_ scanner: XMLScanner, _ texts: inout PointRecordTexts)
        throws(RouteDataProblem)
    {
        var (key, level) = ("", 0)
        while true {
            switch try scanner.next() {
            case .start("key") where level == 0: key = try scanner.text()
            case .start(let name) where level == 0 && ["string", "real", "integer"].contains(name):
                texts.set(key, try scanner.text())
            case .start: level += 1
            case .end:
                guard level > 0 else { return }
                level -= 1
            case .finished: return
            }
        }
    }

    private static func add(_ texts: PointRecordTexts, _ origin: String, _ builder: inout PointFileBuilder)
        throws(RouteDataProblem)
    {
        do throws(ImportProblem) {
            try builder.add(texts.place(), at: origin)
        } catch {
            throw RouteDataProblem(reason: error.description, remedy: error.remedy)
        }
    }
}
