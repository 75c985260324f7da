import Frames
import Guidance

import struct Foundation.Data

extension RecordedDrive {
    /// The way, the events and the routes for the page.
    var summary: Data {
        var writer = JSONWriter(capacity: 1 << 18)
        writer.literal(#"{"state":"ready""#)
        writer.number(#","seconds":"#, seconds, decimals: 3)
        writer.number(#","start_utc_s":"#, startUTC, decimals: 3)
        writer.integer(#","frames":"#, lines.count)
        writer.strings(#","notes":"#, notes)
        writer.literal(#","way":"#)
        writer.list(way) { Self.write(&$0, $1) }
        writer.literal(#","events":"#)
        writer.list(events) { writer, event in
            writer.number("[", event.seconds, decimals: 3)
            writer.literal(",")
            event.line.withUnsafeBytes { writer.append($0[...]) }
            writer.literal("]")
        }
        writer.literal(#","routes":"#)
        writer.list(routes) { Self.write(&$0, $1) }
        writer.literal("}")
        return writer.data
    }

    private static func write(_ writer: inout JSONWriter, _ point: WayPoint) {
        writer.number("[", point.seconds, decimals: 2)
        writer.number(",", point.latitudeDegrees, decimals: 6)
        writer.number(",", point.longitudeDegrees, decimals: 6)
        writer.number(",", point.speed, decimals: 2)
        writer.number(",", point.limit, decimals: 2)
        writer.integer(",", point.isPoor ? 1 : 0)
        writer.literal("]")
    }

    /// A route in the form of the daemon's message `route`: all points, and the turns among its places.
    private static func write(_ writer: inout JSONWriter, _ use: RouteUse) {
        writer.number("[", use.seconds, decimals: 3)
        guard let route = use.route else { return writer.literal(",null]") }
        writer.number(#",{"type":"route","length_m":"#, route.lengthMeters, decimals: 1)
        writer.literal(#","line":"#)
        writer.list(zip(route.plan.points, route.planPointsAlongMeters)) { writer, entry in
            let (point, along) = entry
            writer.number("[", point.latitudeRadians * 180 / .pi, decimals: 7)
            writer.number(",", point.longitudeRadians * 180 / .pi, decimals: 7)
            writer.number(",", along, decimals: 1)
            writer.literal("]")
        }
        writer.literal(#","places":"#)
        writer.list(route.maneuvers.enumerated()) { writer, entry in
            let (index, maneuver) = entry
            // The arrival may be the route's own, without a place in the plan.
            let planned = index < route.plan.maneuvers.count ? route.plan.maneuvers[index].point : Int.max
            let last = route.plan.points.count - 1
            let point = route.plan.points[min(planned, last)]
            let isLast = planned >= last
            writer.string(#"{"kind":"#, isLast ? "destination" : "turn")
            writer.integer(#","number":"#, maneuver.id)
            writer.number(#","lat_deg":"#, point.latitudeRadians * 180 / .pi, decimals: 7)
            writer.number(#","lon_deg":"#, point.longitudeRadians * 180 / .pi, decimals: 7)
            writer.number(#","along_route_m":"#, maneuver.alongMeters, decimals: 1)
            writer.string(#","text":"#, maneuver.instruction)
            writer.literal("}")
        }
        writer.literal("}]")
    }
}
