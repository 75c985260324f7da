import Geodesy
import Roads

/// A record of some form as names and texts, and the point that it makes: the forms differ, the names hardly.
struct PointRecordTexts {
    private var values: [String: String] = [:]
    /// Categories that came as a list.
    var categories: [String] = []

    /// Notes a text under its name; the first of a name stays, and names are compared in small letters.
    mutating func set(_ name: String, _ text: String) {
        let key = name.lowercased()
        if !text.isEmpty, values[key] == nil { values[key] = text }
    }

    private func first(_ names: [String]) -> String? {
        for name in names { if let value = values[name] { return value } }
        return nil
    }

    /// The point; the reason where it makes none.
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
            return .failure(Reason("\(north), \(east) is no place on the Earth"))
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

    /// Why a record makes no point.
    struct Reason: Error, ExpressibleByStringLiteral {
        var text: String
        init(_ text: String) { self.text = text }
        init(stringLiteral value: String) { text = value }
    }
}

extension PointFileBuilder {
    /// Takes what a record makes, or notes why it makes nothing.
    mutating func take(_ result: Result<InterestPlace, PointRecordTexts.Reason>, at origin: @autoclosure () -> String)
        throws(ImportProblem)
    {
        switch result {
        case .success(let place): try add(place, at: origin())
        case .failure(let reason): report.skip(origin(), reason.text)
        }
    }
}
