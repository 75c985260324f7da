import Roads

/// A road's attributes from the tags of a way.
struct RoadTags {
    /// Class and properties; junctions, points and length are set later.
    var record = RoadMap.EdgeRecord()
    /// Whether the order of its points must be reversed.
    var isReversed = false
    /// Number, else name, of the road.
    var name: String?
    /// Limits for some vehicles or under conditions, in the order of the points of the record.
    var rules: [LimitRule] = []
    /// Values of maxspeed that could not be read.
    var unreadLimits = 0

    private struct Values {
        var highway: String?
        var area = false
        var oneWay: String?
        var isRoundabout = false
        var name: String?
        var ref: String?
        var both: String?
        var forward: String?
        var backward: String?
        var zoneLimit: String?
        var limitType: String?
        var limitSource: String?
        var trafficZone: String?
    }

    /// Reads the tags; `nil` for a way closed to cars.
    init?(_ tags: Range<Int>, of block: OSMBlock) {
        var values = Values()
        for index in stride(from: tags.lowerBound, to: tags.upperBound - 1, by: 2) {
            let key =
                block.strings.indices.contains(Int(block.tags[index]))
                ? block.strings[Int(block.tags[index])] : UnsafeRawBufferPointer(start: nil, count: 0)
            // No relevant key is longer; most tags need not be decoded.
            guard key.count <= 40 else { continue }
            readTag(String(decoding: key, as: UTF8.self), block.tags[index + 1], block, &values)
        }
        guard let highway = values.highway, let (roadClass, isLink) = RoadClass.osm(highway), !values.area else {
            return nil
        }
        record.roadClass = roadClass.rawValue
        if isLink { set(.link) }
        if values.isRoundabout { set(.roundabout) }
        setDirection(values, roadClass)
        setLimits(values, roadClass)
        if isReversed { rules = rules.map(\.reversed) }
        name = values.ref ?? values.name
    }

    private mutating func set(_ flag: RoadMap.EdgeRecord.Flags) { record.flags |= flag.rawValue }

    private mutating func readTag(_ key: String, _ valueIndex: UInt32, _ block: OSMBlock, _ values: inout Values) {
        func value() -> String { block.text(valueIndex) }
        switch key {
        case "highway": values.highway = value()
        case "area": values.area = value() == "yes"
        case "oneway": values.oneWay = value()
        case "junction": values.isRoundabout = ["roundabout", "circular"].contains(value())
        case "name": values.name = value()
        case "ref": values.ref = value()
        case "tunnel": if value() != "no" { set(.tunnel) }
        case "bridge": if value() != "no" { set(.bridge) }
        case "maxspeed": values.both = value()
        case "maxspeed:forward": values.forward = value()
        case "maxspeed:backward": values.backward = value()
        case "zone:maxspeed": values.zoneLimit = value()
        case "maxspeed:type": values.limitType = value()
        case "source:maxspeed": values.limitSource = value()
        case "zone:traffic": values.trafficZone = value()
        default:
            guard key.hasPrefix("maxspeed:"), rules.count < Int(LimitRule.mostOfEdge),
                let rule = LimitRule(key: key, value: value())
            else { return }
            rules.append(rule)
            set(.conditional)
        }
    }

    private mutating func setDirection(_ values: Values, _ roadClass: RoadClass) {
        switch values.oneWay {
        case "yes", "true", "1": set(.oneWay)
        case "-1", "reverse":
            set(.oneWay)
            isReversed = true
        case "no", "false", "0", "reversible", "alternating": break
        // Without a tag, motorways and roundabouts are one-way.
        default: if roadClass == .motorway || values.isRoundabout { set(.oneWay) }
        }
    }

    /// Whether the law has a limit for roads of this class, wherever they are.
    private func hasOwnLaw(_ roadClass: RoadClass) -> Bool {
        switch roadClass {
        case .livingStreet, .pedestrian: true
        case .motorway: !record.properties.contains(.link)
        default: false
        }
    }

    private mutating func setLimits(_ values: Values, _ roadClass: RoadClass) {
        let both = read(values.both)
        let named = [values.zoneLimit, values.limitType, values.limitSource].compactMap { $0 }
        let zone = values.trafficZone.map { [$0] } ?? []
        var implied = RoadLimit.unknown
        // The traffic zone only tells whether the place is built up. All roads there have it.
        for value in named + (hasOwnLaw(roadClass) ? [] : zone) where implied == .unknown {
            if case .implicit(let limit) = MaxspeedTag(value) { implied = limit }
        }
        func chosen(_ own: RoadLimit) -> RoadLimit { own != .unknown ? own : both != .unknown ? both : implied }
        let forward = chosen(read(values.forward)).code
        let backward = chosen(read(values.backward)).code
        record.limitForward = isReversed ? backward : forward
        record.limitBackward = isReversed ? forward : backward
        for value in [values.both].compactMap({ $0 }) + named + zone where record.country == 0 {
            record.country = Self.country(value)
        }
    }

    private mutating func read(_ value: String?) -> RoadLimit {
        guard let value else { return .unknown }
        let tag = MaxspeedTag(value)
        if tag == .unknown, value != "signals", value != "variable" { unreadLimits += 1 }
        return tag.limit
    }

    /// The country named in a value such as `DE:urban`; 0 if none.
    private static func country(_ value: String) -> UInt16 {
        guard let colon = value.firstIndex(of: ":") else { return 0 }
        return RoadMap.countryNumber(String(value[..<colon].prefix { $0 != "-" })) ?? 0
    }
}
