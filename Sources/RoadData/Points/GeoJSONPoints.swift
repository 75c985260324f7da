import BoundedJSON
import Roads

/// Reads points of interest from GeoJSON (RFC 7946): features with a point; other geometries are skipped. Also reads
/// the list of `results` with `geometry.location` that places services return.
enum GeoJSONPoints {
    static func read(_ bytes: [UInt8], _ source: String, _ builder: inout PointFileBuilder) throws(ImportProblem) {
        do throws(JSONProblem) {
            let limits = JSONLimits(
                maximumBytes: PointImport.maximumTextBytes, maximumDepth: 32, maximumEntries: 20_000_000)
            let root = try JSONDocument(bytes: bytes, limits: limits).root
            if root["type"]?.string == "Feature" { return try feature(root, "the feature", source, &builder) }
            guard let list = root["features"] ?? root["results"] else {
                throw root.problem(
                    "has neither \"features\" (GeoJSON) nor \"results\"", remedy: "give a FeatureCollection with points"
                )
            }
            var index = 0
            for element in try list.requiredElements() {
                index += 1
                try feature(element, "record \(index)", source, &builder)
            }
        } catch {
            throw ImportProblem(
                place: "\(source):\(error.line):\(error.column)",
                reason: (error.path.isEmpty ? "" : error.path + ": ") + error.reason,
                remedy: error.remedy)
        }
    }

    private static func feature(
        _ value: JSONValue, _ origin: String, _ source: String, _ builder: inout PointFileBuilder
    ) throws(JSONProblem) {
        do throws(ImportProblem) {
            try builder.add(place(value), at: origin)
        } catch {
            throw value.problem("\(error.place): \(error.reason)", remedy: error.remedy)
        }
    }

    private static func place(_ value: JSONValue) -> Result<InterestPlace, PointRecordTexts.Reason> {
        guard value.kind == .object, let geometry = value["geometry"], geometry.kind == .object else {
            return .failure("it has no geometry")
        }
        var texts = PointRecordTexts()
        if let id = value["id"] { texts.set("id", text(id)) }
        let properties = value["properties"]?.kind == .object ? value["properties"] : value
        if let properties {
            for (name, value) in properties.members {
                if value.kind == .array {
                    for element in value.elements where ["categories", "category", "types", "type"].contains(name) {
                        texts.categories.append(text(element))
                    }
                } else {
                    texts.set(name, text(value))
                }
            }
        }
        if let location = geometry["location"], location.kind == .object {
            return texts.place(latitude: location["lat"]?.double, longitude: location["lng"]?.double)
        }
        guard geometry["type"]?.string == "Point" else { return .failure("its geometry is not a point") }
        guard let coordinates = geometry["coordinates"], coordinates.kind == .array, coordinates.count >= 2,
            let east = coordinates[0]?.double,
            let north = coordinates[1]?.double
        else { return .failure("its coordinates are not two numbers") }
        return texts.place(
            latitude: north, longitude: east, height: coordinates.count > 2 ? coordinates[2]?.double : nil)
    }

    private static func text(_ value: JSONValue) -> String {
        if let text = value.string { return text }
        guard let number = value.double else { return "" }
        return number == number.rounded() && abs(number) <= 0x1p53 ? "\(Int64(number))" : "\(number)"
    }
}
