import CBench
import Commands
import Frames
import Geodesy
import Guidance
import PoseMath
import RoadData
import Scene

/// Guidance on long routes: time and heap allocations of a step, its growth with the route, and reading a route.
struct GuidanceBench {
    /// A winding road to the north: one point every 25 m, with limits and times for each segment.
    private static func points(kilometers: Double) -> [GeodeticPosition] {
        (0...Int(kilometers * 40)).map { index in
            let meters = Double(index) * 25
            // 300 m to either side every 4 km: about 500 km of road for 480 km in a straight line.
            let east = 300 * sine(meters / 4000 * 2 * .pi)
            return GeodeticPosition(latitudeDegrees: 44 + meters / 111_000, longitudeDegrees: 9 + east / 78_000)
        }
    }

    /// A sine without a library; accurate enough for a shape.
    private static func sine(_ x: Double) -> Double {
        let half = (x / .pi).rounded(.down)
        let t = x - half * .pi
        // Bhaskara's approximation, error below 0.002.
        let value = 16 * t * (.pi - t) / (5 * .pi * .pi - 4 * t * (.pi - t))
        return Int(half) % 2 == 0 ? value : -value
    }

    /// A drive over the route: one position per second at 25 m/s, some metres beside the line, with course and speed.
    private static func inputs(_ points: [GeodeticPosition], from start: Int, count: Int, asideDegrees: Double = 4e-5)
        -> [GuidanceInput]
    {
        (0..<count).map { index in
            let place = points[start + index % (points.count - start - 1)]
            let next = points[start + index % (points.count - start - 1) + 1]
            let shift = Double(index % 7 - 3) / 3 * asideDegrees
            return GuidanceInput(
                time: MonotonicTime(nanoseconds: Int64(index) * 1_000_000_000),
                position: GeodeticPosition(
                    latitudeRadians: place.latitudeRadians,
                    longitudeRadians: place.longitudeRadians + shift * Angle.radiansPerDegree,
                    altitudeEllipsoidMeters: 0),
                horizontalSigmaMeters: 3,
                courseOverGroundRadians: GreatCircle.initialBearingRadians(from: place, to: next),
                speedMetersPerSecond: 25)
        }
    }

    /// Measures and reports.
    func run() throws {
        let points = GuidanceBench.points(kilometers: 500)
        let long = try Route(RoutePlan(points: points))
        let short = try Route(RoutePlan(points: Array(points.prefix(401))))
        let inputs = GuidanceBench.inputs(points, from: 9_000, count: 5_000)
        let step = median(long, inputs)
        let name = "guidance step, route of \(Int(long.lengthMeters / 1000)) km and \(long.vertexCount) points, median"
        Report.add(Figure(name: name, value: step / 1000, unit: "us", limit: .atMost(20)))
        let onShort = median(short, GuidanceBench.inputs(points, from: 0, count: 390))
        Report.add(
            Figure(
                name: "  that over a step on a route of 10 km (1: no growth)", value: step / onShort, unit: "times",
                limit: .atMost(2)))
        let whole = wholeSearch(points, inputs)
        Report.add(
            Figure(
                name: "  nearest-point search over the whole route, median", value: whole / 1000, unit: "us",
                limit: .none))
        Report.add(Figure(name: "  a step over that search", value: step / whole, unit: "times", limit: .atMost(1)))
        let away = inputs.map { input in
            var input = input
            input.position?.longitudeRadians += 0.025 * Angle.radiansPerDegree
            return input
        }
        Report.add(
            Figure(
                name: "  a step 2 km off the route, median", value: median(long, away) / 1000, unit: "us",
                limit: .atMost(20)))
        Report.add(
            Figure(
                name: "  heap allocations in 5,000 steps", value: Double(allocations(long, inputs)), unit: "in all",
                limit: .atMost(0)))
        routeMessage(long)
        try loading(points)
    }

    /// The message of the route for a map, with 500 points, from places along the whole route: made and encoded on
    /// the socket thread.
    private func routeMessage(_ route: Route) {
        var inForce = RouteInForce()
        (inForce.route, inForce.version, inForce.outline) = (route, 1, RouteOutline(route))
        let map = RouteMap()
        var frame = Frame()
        frame.guidance.routeVersion = 1
        var (made, json): ([Double], [Double]) = ([], [])
        var bytes = 0
        for step in 0..<1000 {
            frame.guidance.progressMeters = route.lengthMeters * Double(step) / 1000
            let start = monotonicNanoseconds()
            let message = map.message(of: inForce, frame, nil)
            bytes += Message.route(message).packet(sequence: UInt64(step)).count
            let packed = monotonicNanoseconds()
            var writer = JSONWriter()
            writer.message(.route(message))
            let written = monotonicNanoseconds()
            made.append(Double(packed - start) / 1000)
            json.append(Double(written - packed) / 1000)
        }
        guard bytes > 0 else { return }
        let name = "route message of that route, made and encoded as a packet, median"
        Report.add(Figure(name: name, value: Distribution(made).median, unit: "us", limit: .atMost(200)))
        Report.add(
            Figure(name: "  99 of 100 within", value: Distribution(made).quantile(0.99), unit: "us", limit: .none))
        Report.add(
            Figure(
                name: "  encoding it as a line of JSON instead, median",
                value: Distribution(json).median, unit: "us", limit: .none))
    }

    /// The time of one step, including the cost of reading the clock.
    private func median(_ route: Route, _ inputs: [GuidanceInput]) -> Double {
        var follower = RouteFollower()
        follower.setRoute(route)
        var values: [Double] = []
        values.reserveCapacity(inputs.count)
        for input in inputs {
            let start = monotonicNanoseconds()
            follower.update(input)
            values.append(Double(monotonicNanoseconds() - start))
        }
        return Distribution(values).median
    }

    private func allocations(_ route: Route, _ inputs: [GuidanceInput]) -> UInt64 {
        var follower = RouteFollower()
        follower.setRoute(route)
        follower.update(inputs[0])
        let before = AllocationCounter.count
        for input in inputs.dropFirst() { follower.update(input) }
        return AllocationCounter.count - before
    }

    /// The simplest follower: the distance to every segment, in a plane.
    private func wholeSearch(_ points: [GeodeticPosition], _ inputs: [GuidanceInput]) -> Double {
        var checksum = 0
        let values = inputs.prefix(300).map { input in
            let start = monotonicNanoseconds()
            if let place = input.position { checksum &+= nearestSegment(points, to: place) }
            return Double(monotonicNanoseconds() - start)
        }
        // Prevents the compiler from removing the search.
        return checksum == 0 ? .nan : Distribution(values).median
    }

    @inline(never) private func nearestSegment(_ points: [GeodeticPosition], to place: GeodeticPosition) -> Int {
        let metersPerRadian = 6_371_000.0
        let metersPerRadianEast = metersPerRadian * 0.7
        var best = (squared: Double.infinity, index: 0)
        for index in 0..<(points.count - 1) {
            let ax = (points[index].longitudeRadians - place.longitudeRadians) * metersPerRadianEast
            let ay = (points[index].latitudeRadians - place.latitudeRadians) * metersPerRadian
            let bx = (points[index + 1].longitudeRadians - place.longitudeRadians) * metersPerRadianEast
            let by = (points[index + 1].latitudeRadians - place.latitudeRadians) * metersPerRadian
            let (x, y) = (bx - ax, by - ay)
            let fraction = min(max(-(ax * x + ay * y) / max(x * x + y * y, 1e-9), 0), 1)
            let (dx, dy) = (ax + fraction * x, ay + fraction * y)
            if dx * dx + dy * dy < best.squared { best = (dx * dx + dy * dy, index) }
        }
        return best.index
    }

    /// The same route as a file of each format.
    private func loading(_ points: [GeodeticPosition]) throws {
        let pairs = points.map { "[\($0.longitudeDegrees),\($0.latitudeDegrees)]" }.joined(separator: ",")
        let geoJSON = Array(#"{"type":"LineString","coordinates":[\#(pairs)]}"#.utf8)
        let track = points.map {
            "<trkpt lat=\"\($0.latitudeDegrees)\" lon=\"\($0.longitudeDegrees)\"><ele>500</ele></trkpt>"
        }.joined()
        let gpx = Array("<gpx><trk><trkseg>\(track)</trkseg></trk></gpx>".utf8)
        let limits = [String](repeating: #"{"speed":90,"unit":"km/h"}"#, count: points.count - 1).joined(separator: ",")
        let times = [String](repeating: "1.2", count: points.count - 1).joined(separator: ",")
        let leg = #"{"steps":[],"annotation":{"maxspeed":[\#(limits)],"duration":[\#(times)]}}"#
        let osrm = Array(
            #"{"code":"Ok","routes":[{"geometry":{"type":"LineString","coordinates":[\#(pairs)]},"legs":[\#(leg)]}]}"#
                .utf8)
        for (name, bytes) in [("OSRM response", osrm), ("GeoJSON", geoJSON), ("GPX", gpx)] {
            let values = try (0..<5).map { _ in
                let start = monotonicNanoseconds()
                _ = try RouteReader.read(bytes: bytes)
                return Double(monotonicNanoseconds() - start) / 1e6
            }
            let size = (Double(bytes.count) / 1e5).rounded() / 10
            Report.add(
                Figure(
                    name: "loading that route, \(name), \(size) MB", value: Distribution(values).median, unit: "ms",
                    limit: .atMost(300)))
        }
    }
}
