import Files
import Geodesy
import Glibc
import PoseMath
import Recording

/// A track that the poses are compared with: a better positioning system, the truth of a simulation, or the smoothed
/// track of the same recording.
package struct ReferenceTrack: Sendable {
    /// One point of the track.
    struct Point: Sendable {
        /// Time on the recording's clock.
        var time: MonotonicTime
        /// Place; its height is meaningful if ``ReferenceTrack/hasHeight``.
        var position: GeodeticPosition
        /// Heading, radians; `nil` where it is unknown.
        var headingRadians: Double?
    }

    /// Where it comes from, for people.
    package let name: String
    /// Whether it is the smoothed track of the same recording: its errors are then in common with the poses.
    package let isSmoothed: Bool
    /// Whether its points have heights.
    private(set) var hasHeight: Bool
    private(set) var points: [Point]

    /// Longest interval over which two points are joined, seconds.
    private static let longestGapSeconds = 2.5

    /// Creates a track of points in the order of time.
    init(name: String, points: [Point], hasHeight: Bool, isSmoothed: Bool) {
        (self.name, self.points, self.hasHeight, self.isSmoothed) = (name, points, hasHeight, isSmoothed)
    }

    /// The track that lies beside a recording: `truth.csv` in its folder, or `NAME.truth.csv` beside a file; `nil` if
    /// there is none.
    package static func beside(recording path: String) -> String? {
        var stem = path
        while stem.count > 1, stem.hasSuffix("/") { stem.removeLast() }
        let candidates: [String] =
            isFolder(stem)
            ? ["\(stem)/truth.csv"]
            : [(stem.hasSuffix(".mcap") ? String(stem.dropLast(5)) : stem) + ".truth.csv"]
        return candidates.first { access($0, R_OK) == 0 }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Reads a track: `t_s` on the recording's clock, `lat_deg`, `lon_deg`, and if known `alt_hae_m` and `heading_deg`.
    package init(path: String) throws(RecordingError) {
        let columns = [
            Column.seconds("t"), Column(quantity: "lat", unit: "deg", range: -90...90),
            Column(quantity: "lon", unit: "deg", range: -180...180), .optional("alt_hae", "m", -1e4...1e5),
            .optional("heading", "deg", -360...360),
        ]
        guard let table = try Table(path: path, columns: columns) else {
            throw RecordingError(path: path, problem: "does not exist", remedy: "check the path of the reference")
        }
        (name, isSmoothed) = (path.split(separator: "/").last.map(String.init) ?? path, false)
        (points, hasHeight) = ([], true)
        while try table.advance() {
            guard let time = table.time(0), let latitude = table.value(1), let longitude = table.value(2) else {
                continue
            }
            if let last = points.last, time <= last.time {
                throw table.error(at: 0, "the time is not later than the one before", "sort the file by t_s")
            }
            if table.value(3) == nil { hasHeight = false }
            points.append(
                Point(
                    time: time,
                    position: GeodeticPosition(
                        latitudeDegrees: latitude, longitudeDegrees: longitude,
                        altitudeEllipsoidMeters: table.value(3) ?? 0),
                    headingRadians: table.value(4).map { $0 * Angle.radiansPerDegree }))
        }
        guard points.count > 1 else {
            throw RecordingError(
                path: path, problem: "has fewer than two points", remedy: "give a track with a point per second or more"
            )
        }
    }

    /// The point at an instant; `nil` outside the track and within a gap. `cursor` is the caller's place in the track:
    /// times should not go back.
    func point(at time: MonotonicTime, cursor: inout Int) -> Point? {
        // The smoothed track of a recording with a single position has a single point.
        guard points.count > 1, let first = points.first, let last = points.last, time >= first.time,
            time <= last.time
        else { return nil }
        cursor = min(max(cursor, 0), points.count - 2)
        while cursor > 0, points[cursor].time > time { cursor -= 1 }
        while cursor + 2 < points.count, points[cursor + 1].time < time { cursor += 1 }
        let (a, b) = (points[cursor], points[cursor + 1])
        let span = b.time.seconds(since: a.time)
        guard span > 0, span <= Self.longestGapSeconds else { return nil }
        let share = time.seconds(since: a.time) / span
        func between(_ from: Double, _ to: Double) -> Double { from + (to - from) * share }
        let turn = Angle.wrappedToPi(b.position.longitudeRadians - a.position.longitudeRadians)
        let place = GeodeticPosition(
            latitudeRadians: between(a.position.latitudeRadians, b.position.latitudeRadians),
            longitudeRadians: Angle.wrappedToPi(a.position.longitudeRadians + turn * share),
            altitudeEllipsoidMeters: between(
                a.position.altitudeEllipsoidMeters, b.position.altitudeEllipsoidMeters))
        var heading: Double?
        if let from = a.headingRadians, let to = b.headingRadians {
            heading = from + Angle.wrappedToPi(to - from) * share
        }
        return Point(time: time, position: place, headingRadians: heading)
    }
}
