import CPosed

// The route for a map as structs of posed.h. A point that is not finite or implausible is left out.

extension Message {
    static func block(_ route: RouteLine) -> [UInt8] {
        let points = route.points.prefix(RouteLine.mostPoints).compactMap { posed_route_point($0) }
        let places = route.places.prefix(RouteLine.mostPlaces).compactMap { posed_route_place($0) }
        var block = posed_route()
        block.route_version = route.routeVersion
        block.length_m = abs(route.lengthMeters) < 1e12 ? route.lengthMeters : 0
        block.tolerance_m = abs(route.toleranceMeters) < 1e12 ? route.toleranceMeters : 0
        let begin = MemoryLayout<posed_route>.size
        let placesBegin = begin + points.count * MemoryLayout<posed_route_point>.size
        block.count = UInt16(truncatingIfNeeded: points.count)
        block.element_size = UInt16(truncatingIfNeeded: MemoryLayout<posed_route_point>.size)
        block.elements_offset = UInt16(truncatingIfNeeded: begin)
        block.place_count = UInt16(truncatingIfNeeded: places.count)
        block.place_size = UInt16(truncatingIfNeeded: MemoryLayout<posed_route_place>.size)
        block.places_offset = UInt16(truncatingIfNeeded: placesBegin)
        let end = placesBegin + places.count * MemoryLayout<posed_route_place>.size
        block.block = posed_block(id: POSED_BLOCK_ROUTE, size: end)
        var all: [UInt8] = []
        all.reserveCapacity(end)
        all += bytes(block)
        for point in points { all += bytes(point) }
        for place in places { all += bytes(place) }
        return all
    }
}

extension Blocks {
    func route() throws(BinaryError) -> Message.RouteLine {
        let block = try need(POSED_BLOCK_ROUTE, as: posed_route.self)
        var route = Message.RouteLine()
        route.routeVersion = block.route_version
        route.lengthMeters = block.length_m.isFinite ? block.length_m : 0
        route.toleranceMeters = block.tolerance_m.isFinite ? block.tolerance_m : 0
        route.points = try elements(
            POSED_BLOCK_ROUTE, count: block.count, size: block.element_size, offset: block.elements_offset,
            as: posed_route_point.self
        ).compactMap { Message.RoutePoint($0) }
        route.places = try elements(
            POSED_BLOCK_ROUTE, count: block.place_count, size: block.place_size, offset: block.places_offset,
            as: posed_route_place.self
        ).compactMap { Message.RoutePlace($0) }
        return route
    }
}

extension posed_route_point {
    fileprivate init?(_ point: Message.RoutePoint) {
        guard abs(point.latitudeRadians) < 10, abs(point.longitudeRadians) < 10, abs(point.alongRouteMeters) < 1e12
        else { return nil }
        self.init(
            lat_deg: point.latitudeRadians * 180 / .pi, lon_deg: point.longitudeRadians * 180 / .pi,
            along_route_m: point.alongRouteMeters)
    }
}

extension posed_route_place {
    fileprivate init?(_ place: Message.RoutePlace) {
        guard abs(place.latitudeRadians) < 10, abs(place.longitudeRadians) < 10 else { return nil }
        self.init()
        number = place.number
        kind = place.kind.rawValue
        lat_deg = place.latitudeRadians * 180 / .pi
        lon_deg = place.longitudeRadians * 180 / .pi
        if let along = place.alongRouteMeters, abs(along) < 1e12 {
            along_route_m = along
            valid = POSED_ROUTE_PLACE_ALONG_ROUTE
        }
    }
}

extension Message.RoutePoint {
    fileprivate init?(_ point: posed_route_point) {
        guard point.lat_deg.isFinite, point.lon_deg.isFinite, point.along_route_m.isFinite else { return nil }
        self.init(
            latitudeRadians: point.lat_deg * radiansPerDegree, longitudeRadians: point.lon_deg * radiansPerDegree,
            alongRouteMeters: point.along_route_m)
    }
}

extension Message.RoutePlace {
    fileprivate init?(_ place: posed_route_place) {
        guard place.lat_deg.isFinite, place.lon_deg.isFinite else { return nil }
        let hasAlong = place.valid & POSED_ROUTE_PLACE_ALONG_ROUTE != 0 && place.along_route_m.isFinite
        self.init(
            kind: Message.SceneKind(rawValue: place.kind) ?? .unknown, number: place.number,
            latitudeRadians: place.lat_deg * radiansPerDegree, longitudeRadians: place.lon_deg * radiansPerDegree,
            alongRouteMeters: hasAlong ? place.along_route_m : nil)
    }
}
