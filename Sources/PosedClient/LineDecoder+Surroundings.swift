import BoundedJSON
import Frames

// What is around the position: the scene along the route, points of interest, the route for a map.

extension LineDecoder {
    static func scene(_ root: JSONValue) -> Message.Scene {
        var scene = Message.Scene()
        scene.timeNanoseconds = root.nanoseconds("t_s") ?? 0
        scene.routeVersion = root.count("route_version")
        scene.window = root.count("window")
        scene.originEpoch = root.count("origin_epoch")
        for json in root["points"]?.elements ?? root.elements {
            var point = Message.ScenePoint(number: json.count("number"), kind: json.named("kind") ?? .unknown)
            (point.latitudeRadians, point.longitudeRadians) = (json.radians("lat_deg"), json.radians("lon_deg"))
            point.alongRouteMeters = json["along_route_m"]?.double
            point.sight = sight(json)
            scene.points.append(point)
        }
        return scene
    }

    static func points(_ root: JSONValue) -> Message.InterestPoints {
        var points = Message.InterestPoints()
        points.timeNanoseconds = root.nanoseconds("t_s") ?? 0
        points.radiusMeters = root["radius_m"]?.double ?? 0
        points.setVersion = root.count("set_version")
        points.originEpoch = root.count("origin_epoch")
        points.total = root.count("total")
        for json in root["points"]?.elements ?? root.elements {
            var point = Message.InterestPoint(
                id: json.text("id"), name: json.text("name"), category: json.text("category"))
            (point.latitudeRadians, point.longitudeRadians) = (json.radians("lat_deg"), json.radians("lon_deg"))
            point.sight = sight(json)
            points.points.append(point)
        }
        return points
    }

    private static func sight(_ json: JSONValue) -> Message.Sight {
        var sight = Message.Sight()
        sight.enuMeters = json.triple("enu_m")
        sight.bodyMeters = json.triple("body_m")
        if let screen = json["screen"], let right = screen[0]?.double, let down = screen[1]?.double {
            (sight.screenRight, sight.screenDown) = (right, down)
        }
        sight.edgeRadians = json.radians("edge_deg")
        sight.distanceMeters = json["distance_m"]?.double
        sight.bearingRadians = json.radians("bearing_deg")
        sight.relativeBearingRadians = json.radians("relative_bearing_deg")
        sight.size = json["size"]?.double
        sight.elevationMeters = json["elevation_m"]?.double
        sight.drawnElevationMeters = json["draw_elevation_m"]?.double
        sight.elevationAngleRadians = json.radians("elevation_angle_deg")
        sight.isInView = json["in_view"]?.bool ?? false
        sight.isBehind = json["behind"]?.bool ?? false
        return sight
    }

    static func route(_ root: JSONValue) -> Message.RouteLine {
        var route = Message.RouteLine()
        route.routeVersion = root.count("route_version")
        route.lengthMeters = root["length_m"]?.double ?? 0
        route.toleranceMeters = root["tolerance_m"]?.double ?? 0
        for json in root["line"]?.elements ?? root.elements {
            guard let latitude = json[0]?.double, let longitude = json[1]?.double, let along = json[2]?.double else {
                continue
            }
            route.points.append(
                .init(
                    latitudeRadians: latitude * .pi / 180, longitudeRadians: longitude * .pi / 180,
                    alongRouteMeters: along))
        }
        for json in root["places"]?.elements ?? root.elements {
            guard let latitude = json.radians("lat_deg"), let longitude = json.radians("lon_deg") else { continue }
            route.places.append(
                .init(
                    kind: json.named("kind") ?? .unknown, number: json.count("number"), latitudeRadians: latitude,
                    longitudeRadians: longitude, alongRouteMeters: json["along_route_m"]?.double))
        }
        return route
    }
}
