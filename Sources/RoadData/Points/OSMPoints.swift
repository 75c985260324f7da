import Geodesy
import Roads

/// Reads points of interest from an OpenStreetMap extract: nodes with a name and one of the given keys; the values are
/// the categories.
struct OSMPoints {
    /// The keys whose values are categories.
    var keys: Set<String>

    func read(_ file: OSMFile, _ builder: inout PointFileBuilder) throws(ImportProblem) {
        for index in file.blocks.indices {
            try file.withBlock(index) { bytes throws(ImportProblem) in
                let block = try file.block(bytes, index, selection: .nodes)
                for node in block.nodes where !node.tags.isEmpty {
                    if let place = place(of: node, block) { try builder.add(place, at: "node \(node.id)") }
                }
            }
        }
    }

    private func place(of node: OSMBlock.Node, _ block: OSMBlock) -> InterestPlace? {
        let position = GeodeticPosition(
            latitudeDegrees: Double(node.latitudeE7) * 1e-7, longitudeDegrees: Double(node.longitudeE7) * 1e-7)
        var place = InterestPlace(position: position)
        var (street, house): (String?, String?) = (nil, nil)
        for index in stride(from: node.tags.lowerBound, to: node.tags.upperBound - 1, by: 2) {
            let (key, value) = (block.text(block.tags[index]), block.text(block.tags[index + 1]))
            switch key {
            case "name": place.fields.title = value
            case "ele": place.heightMeanSeaMeters = Double(value)
            case "description": place.fields.text = value
            case "phone", "contact:phone": place.fields.phone = value
            case "website", "contact:website", "url": place.fields.website = value
            case "image": place.fields.image = value
            case "addr:street": street = value
            case "addr:housenumber": house = value
            default:
                if keys.contains(key), value != "no" {
                    place.categories += value == "yes" ? [key] : value.split(separator: ";").map { String($0) }
                }
            }
        }
        guard !place.categories.isEmpty, !place.fields.title.isEmpty else { return nil }
        place.fields.id = "node/\(node.id)"
        place.fields.address = [street, house].compactMap { $0 }.joined(separator: " ")
        return place
    }
}
