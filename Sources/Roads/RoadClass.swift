/// Class of a road, from OpenStreetMap's `highway`; the raw values are those of the road file.
public enum RoadClass: UInt8, Sendable, CaseIterable {
    /// Motorway.
    case motorway = 1
    /// Trunk road.
    case trunk = 2
    /// Primary road.
    case primary = 3
    /// Secondary road.
    case secondary = 4
    /// Tertiary road.
    case tertiary = 5
    /// Public road of lower class.
    case unclassified = 6
    /// Residential road.
    case residential = 7
    /// Living street, where pedestrians have priority.
    case livingStreet = 8
    /// Service road to a building or car park, or within an estate.
    case service = 9
    /// Pedestrian road.
    case pedestrian = 10
    /// Agricultural or forest track.
    case track = 11

    /// The class for a value of `highway`, and whether the road is a link (a ramp); `nil` for ways closed to cars.
    public static func osm(_ value: String) -> (roadClass: RoadClass, isLink: Bool)? {
        switch value {
        case "motorway": (.motorway, false)
        case "motorway_link": (.motorway, true)
        case "trunk": (.trunk, false)
        case "trunk_link": (.trunk, true)
        case "primary": (.primary, false)
        case "primary_link": (.primary, true)
        case "secondary": (.secondary, false)
        case "secondary_link": (.secondary, true)
        case "tertiary": (.tertiary, false)
        case "tertiary_link": (.tertiary, true)
        case "unclassified", "road": (.unclassified, false)
        case "residential": (.residential, false)
        case "living_street": (.livingStreet, false)
        case "service": (.service, false)
        case "pedestrian": (.pedestrian, false)
        case "track": (.track, false)
        default: nil
        }
    }

    /// Matching cost of the class: 0 for public roads, more for classes that are driven on less often.
    var cost: Double {
        switch self {
        case .service: 1
        case .pedestrian, .track: 2
        default: 0
        }
    }
}
