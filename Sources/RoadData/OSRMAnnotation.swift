import BoundedJSON
import Geodesy
import Guidance

/// Annotations of segments in the OSRM format (limits and durations), and the check of their units.
extension OSRMResponse {
    /// Reads a leg's annotation for the segments from point `first` to the last one.
    mutating func readSegments(_ leg: JSONValue, from first: Int) throws(JSONProblem) {
        let segments = points.count - 1 - first
        let annotation = try leg.optional("annotation")
        if durations.count < points.count - 1 { try distribute(leg, from: first) }
        if let values = try annotation?.optional("duration") {
            var read: [Double] = []
            for value in try values.requiredElements() {
                read.append(value.isNull ? 0 : try value.requiredDouble(in: 0...1e8))
            }
            if read.count == segments {
                durations.replaceSubrange(first..., with: read)
                hasDurations = true
            }
        }
        guard let values = try annotation?.optional("maxspeed") else {
            fillLimits()
            return
        }
        var read: [SpeedLimit] = []
        for value in try values.requiredElements() { read.append(try SpeedLimitText.annotation(value)) }
        hasLimits = true
        guard read.count != segments else {
            limits += read
            return fillLimits()
        }
        let lengths = try annotation?.optional("distance").map { value throws(JSONProblem) in
            try OSRMResponse.numbers(value)
        }
        guard let lengths, lengths.count == read.count, !read.isEmpty else {
            throw values.problem(
                "has \(read.count) entries for \(segments) segments",
                remedy: "ask the router with overview=full, and for the distance annotation too"
            )
        }
        limits += aligned(read, lengths: lengths, from: first)
        fillLimits()
    }

    private static func numbers(_ value: JSONValue) throws(JSONProblem) -> [Double] {
        var numbers: [Double] = []
        for element in try value.requiredElements() { numbers.append(try element.requiredDouble(in: 0...1e8)) }
        return numbers
    }

    /// Fills missing limits with unknown, so that there is one limit per segment.
    private mutating func fillLimits() {
        limits += [SpeedLimit](repeating: .unknown, count: max(0, points.count - 1 - limits.count))
    }

    /// Maps the values of a finer line to the segments of a coarser one: each segment gets the value at its middle, by
    /// fraction of the length.
    private func aligned(_ values: [SpeedLimit], lengths: [Double], from first: Int) -> [SpeedLimit] {
        let total = lengths.reduce(0, +)
        let own = (first..<(points.count - 1)).map { Coordinates.distanceMeters(points[$0], points[$0 + 1]) }
        let scale = total / max(own.reduce(0, +), 1e-9)
        var (at, end, along) = (0, lengths[0], 0.0)
        return own.map { length in
            let middle = (along + length / 2) * scale
            along += length
            while middle > end, at < lengths.count - 1 {
                at += 1
                end += lengths[at]
            }
            return values[at]
        }
    }

    /// Fills the way from the end of a leg to the point where the next one starts, some metres away: it takes no time,
    /// and its limit is not known.
    mutating func skip(to point: Int) {
        durations += [Double](repeating: 0, count: max(0, point - durations.count))
        limits += [SpeedLimit](repeating: .unknown, count: max(0, point - limits.count))
    }

    /// Distributes the duration of a leg or a route over its segments in proportion to their lengths.
    mutating func distribute(_ value: JSONValue, from first: Int) throws(JSONProblem) {
        guard let duration = try value.optional("duration") else {
            durations += [Double](repeating: 0, count: points.count - 1 - durations.count)
            return
        }
        distribute([try duration.requiredDouble(in: 0...1e8)], starts: [first])
    }

    /// Distributes the durations of steps over their segments in proportion to their lengths.
    mutating func distribute(_ stepDurations: [Double], starts: [Int]) {
        hasDurations = true
        for (index, duration) in stepDurations.enumerated() {
            let end = index + 1 < starts.count ? starts[index + 1] : points.count - 1
            durations += Coordinates.shares(of: duration, between: points[starts[index]...max(starts[index], end)])
        }
    }

    /// Compares the stated distance and duration with the line, to detect other units than metres and seconds.
    mutating func checkUnits(_ value: JSONValue, route: Route) throws(JSONProblem) {
        if let declared = try value.optional("distance") {
            let meters = try declared.requiredDouble(in: 0...1e9)
            let ratio = route.lengthMeters / max(meters, 1e-9)
            for (unit, factor) in [("kilometres", 1000.0), ("miles", 1609.344)] where abs(ratio / factor - 1) < 0.1 {
                throw declared.problem(
                    "is \(meters), but the line is \(Coordinates.shown(route.lengthMeters)) long: these are \(unit)",
                    remedy: "give metres")
            }
            if abs(ratio - 1) > 0.05 {
                notes.append(
                    "\(declared.path) is \(Coordinates.shown(meters)), but the line is "
                        + "\(Coordinates.shown(route.lengthMeters)) long; the line's length is used"
                )
            }
        }
        guard let declared = try value.optional("duration") else { return }
        let seconds = try declared.requiredDouble(in: 0...1e8)
        let speed = route.lengthMeters / max(seconds, 1e-9)
        guard route.lengthMeters < 1000 || (speed > 0.05 && speed < 150) else {
            throw declared.problem(
                "is \(seconds), which means \(Coordinates.shown(route.lengthMeters)) at "
                    + "\((speed * 36).rounded() / 10) km/h",
                remedy: "give seconds")
        }
    }
}
