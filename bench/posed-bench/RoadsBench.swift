import Geodesy
import Glibc
import Guidance
import PoseMath
import RoadData
import Roads

/// The import of roads as a program, and a search of the road ahead in the resulting file.
struct RoadsBench {
    /// Path of posectl.
    var program: String

    /// Measures and reports.
    func run() throws {
        let folder = try TemporaryFolder()
        let roads = "\(folder.path)/roads.posed"
        if let extract = Self.extract {
            let (seconds, peak) = try importRoads(extract, to: roads)
            Report.add(Figure(name: "import of Andorra", value: seconds, unit: "s", limit: .atMost(5)))
            Report.add(Figure(name: "  peak memory", value: peak, unit: "MiB", limit: .atMost(200)))
            try ask(roads)
        } else {
            Report.skip("import of Andorra", because: "the extract is not beside the package")
        }
        for megabytes in Self.sizes {
            try SyntheticExtract(megabytes: megabytes).write(to: "\(folder.path)/large.osm.pbf")
            let (seconds, peak) = try importRoads("\(folder.path)/large.osm.pbf", to: roads)
            Report.add(
                Figure(
                    name: "import of a generated extract of \(megabytes) MB", value: seconds, unit: "s", limit: .none))
            Report.add(Figure(name: "  peak memory", value: peak, unit: "MiB", limit: .atMost(200)))
        }
    }

    /// 50 and 200 MB show that memory does not grow. A gigabyte takes minutes and 5 GB of disk, so it is measured only
    /// if POSED_BENCH_LARGE is set.
    private static var sizes: [Int] { getenv("POSED_BENCH_LARGE") == nil ? [50, 200] : [50, 200, 1000] }

    /// The extract beside the package, if it exists.
    private static var extract: String? {
        let parts = #filePath.split(separator: "/").dropLast(3)
        for count in stride(from: parts.count, to: 0, by: -1) {
            let path = "/" + parts.prefix(count).joined(separator: "/") + "/shared/data/osm/andorra.osm.pbf"
            if access(path, R_OK) == 0 { return path }
        }
        return nil
    }

    private func importRoads(_ extract: String, to path: String) throws -> (seconds: Double, peakMebibytes: Double) {
        let begin = monotonicNanoseconds()
        var child = try ChildProcess(program, ["roads", "import", extract, "-o", path])
        let code = child.wait()
        guard code == 0 else { throw BenchError("posectl roads import ended with \(code)") }
        return (Double(monotonicNanoseconds() - begin) / 1e9, child.peakKibibytes / 1024)
    }

    /// A drive along the edges of the map in sequence: the position and the speed horizon on each.
    private func ask(_ path: String) throws {
        var guide = RoadGuide(map: try RoadFile.open(path: path))
        var times: [Double] = []
        let frame = LocalFrame(origin: GeodeticPosition(latitudeDegrees: 42.5078, longitudeDegrees: 1.5211))
        for step in 0..<5000 {
            let place = frame.position(ofENUMeters: Vector3(Double(step) * 0.8 - 2000, Double(step) * 0.5 - 1200, 0))
            let input = RoadInput(
                time: MonotonicTime(nanoseconds: Int64(step) * 100_000_000), position: place, sigmaMeters: 4,
                directionRadians: 1.01,
                speedMetersPerSecond: 14)
            let start = monotonicNanoseconds()
            _ = guide.update(input, progress: nil)
            times.append(Double(monotonicNanoseconds() - start) / 1000)
        }
        let spread = Distribution(times)
        Report.add(
            Figure(
                name: "matched road and way ahead from the file, median", value: spread.median, unit: "us", limit: .none
            ))
        Report.add(Figure(name: "  99 of 100 within", value: spread.quantile(0.99), unit: "us", limit: .none))
    }
}
