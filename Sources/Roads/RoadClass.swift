/// What kind of road it is, as OpenStreetMap's `highway` has it; the raw values are those of the file of roads.
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
    /// Public road of no other class.
    case unclassified = 6
    /// Road that people live on.
    case residential = 7
    /// Road where those on foot come first.
    case livingStreet = 8
    /// Way to a building, a car park, within an estate.
    case service = 9
    /// Road for those on foot.
    case pedestrian = 10
    /// Way through fields or woods.
    case track = 11

    /// The class and whether it is a link (a ramp) by the value of `highway`; `nil` for ways that no car drives on.
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

    /// How likely a road of this class is to be driven on rather than one beside it, in the units of a match's cost: 0
    /// for public roads.
    var cost: Double {
        switch self {
        case .service: 1
        case .pedestrian, .track: 2
        default: 0
        }
    }
}
