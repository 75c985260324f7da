import Geodesy
import Roads

/// A record as names and texts, common to all formats, and its conversion to a point.
struct PointRecordTexts {
    private var values: [String: String] = [:]
    /// Categories given as a list.
    var categories: [String] = []

    /// Stores a text under its name. The first text of a name is kept; names are compared in lower case.
    mutating func set(_ name: String, _ text: String) {
        let key = name.lowercased()
        if !text.isEmpty, values[key] == nil { values[key] = text }
    }

    private func first(_ names: [String]) -> String? {
        for name in names { if let value = values[name] { return value } }
        return nil
    }

    /// The point of the record, or the reason why it is invalid.
    func place(latitude: Double? = nil, longitude: Double? = nil, height: Double? = nil) -> Result<
        InterestPlace, Reason
    > {
        guard let north = latitude ?? number(["lat", "latitude", "lat_deg", "y"]) else {
            return .failure(Reason("it has no latitude that is a number"))
        }
        guard let east = longitude ?? number(["lon", "long", "lng", "longitude", "lon_deg", "x"]) else {
            return .failure(Reason("it has no longitude that is a number"))
        }
        guard abs(north) <= 90, abs(east) <= 180 else {
            return .failure(Reason("\(north), \(east) is not a position on Earth"))
        }
        var place = InterestPlace(position: GeodeticPosition(latitudeDegrees: north, longitudeDegrees: east))
        place.heightMeanSeaMeters = height ?? number(["alt", "ele", "elevation", "altitude", "alt_m", "ele_m"])
        place.fields.id = first(["id", "@id", "reference", "osm_id"]) ?? ""
        place.fields.title = first(["name", "title"]) ?? ""
        place.fields.text = first(["description", "desc", "text", "cmt", "note"]) ?? ""
        place.fields.address = first(["address", "vicinity", "addr"]) ?? ""
        place.fields.phone = first(["phone", "contact:phone", "telephone"]) ?? ""
        place.fields.website = first(["url", "website", "web", "contact:website", "link"]) ?? ""
        place.fields.image = first(["image", "picture"]) ?? ""
        place.categories = categories
        if let listed = first(["categories", "category", "types", "type", "sym", "kind"]) {
            place.categories += listed.split { $0 == ";" || $0 == "," || $0 == "|" }.map { String($0) }
        }
        return .success(place)
    }

    private func number(_ names: [String]) -> Double? {
        guard let text = first(names), let value = Double(text.filter { $0 != " " }), value.isFinite else { return nil }
        return value
    }

    /// Why a record is not a valid point.
    struct Reason: Error, ExpressibleByStringLiteral {
        var text: String
        init(_ text: String) { self.text = text }
        init(stringLiteral value: String) { text = value }
    }
}

extension PointFileBuilder {
    /// Adds the point of a record, or counts it as skipped with its reason.
    mutating func add(_ result: Result<InterestPlace, PointRecordTexts.Reason>, at origin: @autoclosure () -> String)
        throws(ImportProblem)
    {
        switch result {
        case .success(let place): try add(place, at: origin())
        case .failure(let reason): report.skip(origin(), reason.text)
        }
    }
}
