import Glibc
import RoadData

/// Invalid routes of the largest permitted size: the time until they are rejected, and the memory needed.
struct BadRoutesBench {
    /// Largest permitted size of a route text, bytes.
    private static let mostBytes = 64_000_000

    /// Measures and reports.
    func run() throws {
        Report.add(
            Figure(
                name: "rejection of an invalid route of 100 MB", value: try huge(), unit: "ms", limit: .atMost(1000))
        )
        for (name, head, unit, tail) in [
            ("GeoJSON of numbers", #"{"type": "LineString", "coordinates": ["#, "0,", "0]}"),
            ("GeoJSON of positions", #"{"type": "LineString", "coordinates": ["#, "[1,1],", "[1,1]]}"),
            ("OSRM of empty routes", #"{"code": "Ok", "routes": ["#, "{},", "{}]}"),
            ("Valhalla of empty legs", #"{"trip": {"legs": ["#, "{},", "{}]}}"),
            ("GPX of empty elements", "<gpx><trk><trkseg>", "<a/>", "</trkseg></trk></gpx>"),
            (
                "GPX of one repeated point", "<gpx><trk><trkseg>", #"<trkpt lat="1" lon="1"/>"#,
                "</trkseg></trk></gpx>"
            ),
            ("one text", #"{"type": ""#, "a", #""}"#), ("spaces", "{", " ", "}"), ("brackets", "", "[", ""),
        ] {
            let milliseconds = try refused(head, unit, tail)
            Report.add(Figure(name: "  of 64 MB, \(name)", value: milliseconds, unit: "ms", limit: .atMost(1000)))
        }
        Report.add(Figure(name: "  most memory in all of that", value: peakMegabytes, unit: "MB", limit: .none))
    }

    /// An empty file of 100 MB.
    private func huge() throws -> Double {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/route.json"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        guard descriptor >= 0, ftruncate(descriptor, 100_000_000) == 0 else {
            throw BenchError("\(path): \(String(cString: strerror(errno)))")
        }
        return try milliseconds { () throws(RouteDataProblem) in _ = try RouteFile.read(path: path) }
    }

    private func refused(_ head: String, _ unit: String, _ tail: String) throws -> Double {
        let (head, unit, tail) = (Array(head.utf8), Array(unit.utf8), Array(tail.utf8))
        var bytes = [UInt8](
            repeating: 0,
            count: head.count + (Self.mostBytes - head.count - tail.count) / unit.count * unit.count + tail.count)
        for index in head.indices { bytes[index] = head[index] }
        for index in 0..<(bytes.count - head.count - tail.count) {
            bytes[head.count + index] = unit[index % unit.count]
        }
        for index in tail.indices { bytes[bytes.count - tail.count + index] = tail[index] }
        return try milliseconds { () throws(RouteDataProblem) in _ = try RouteReader.read(bytes: bytes) }
    }

    private func milliseconds(_ read: () throws(RouteDataProblem) -> Void) throws -> Double {
        let begin = monotonicNanoseconds()
        do throws(RouteDataProblem) {
            try read()
        } catch { return Double(monotonicNanoseconds() - begin) / 1e6 }
        throw BenchError("an invalid route was accepted")
    }

    private var peakMegabytes: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return Double(usage.ru_maxrss) / 1000
    }
}
