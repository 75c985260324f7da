import Geodesy
import Glibc
import PoseMath
import RoadData
import Roads

/// A search for nearby points among a million points of interest, as during a drive.
struct PointsBench {
    /// The side of the square with evenly distributed points, km.
    var sideKilometers: Double

    private static let count = 1_000_000
    private static let centre = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8)

    /// Measures and reports.
    func run() throws {
        let folder = try TemporaryFolder()
        try writePoints("\(folder.path)/points.csv")
        let begin = monotonicNanoseconds()
        let report = try PointImport().run(from: "\(folder.path)/points.csv", to: "\(folder.path)/points.posed")
        let seconds = Double(monotonicNanoseconds() - begin) / 1e9
        let map = try PointImport().open(path: "\(folder.path)/points.posed").map
        guard report.count == Self.count, map.count == Self.count else {
            throw BenchError("\(report.count) points of \(Self.count) were taken")
        }
        let name = "1 million points in \(Int(sideKilometers)) km square"
        let (times, hits) = ask(map, [])
        Report.add(Figure(name: "\(name): query, median", value: times.median, unit: "us", limit: .atMost(50)))
        Report.add(
            Figure(
                name: "  99 of 100 within (\(hits) within 1.5 km)", value: times.quantile(0.99), unit: "us",
                limit: .none))
        Report.add(
            Figure(
                name: "  of two categories of 20, median", value: ask(map, ["kind3", "kind7"]).0.median, unit: "us",
                limit: .atMost(50)))
        let all = Distribution((0..<5).map { _ in lookAtAll(map) })
        Report.add(
            Figure(name: "  looking at every point, for comparison", value: all.median, unit: "us", limit: .none))
        Report.add(Figure(name: "  times as fast as that", value: all.median / times.median, unit: "", limit: .none))
        Report.add(Figure(name: "  import from CSV", value: seconds, unit: "s", limit: .none))
    }

    private func ask(_ map: PointMap, _ categories: Set<String>) -> (Distribution, Int) {
        var hits = PointHits()
        var query = PointQuery()
        query.categories = categories
        let frame = LocalFrame(origin: Self.centre)
        var times: [Double] = []
        for step in 0..<4000 {
            // 60 per second at 25 m/s.
            let place = frame.position(ofENUMeters: Vector3(Double(step) * 0.4, Double(step) * 0.1, 0))
            let start = monotonicNanoseconds()
            hits.search(map, near: place, query)
            let end = monotonicNanoseconds()
            if step >= 100 { times.append(Double(end - start) / 1000) }
        }
        return (Distribution(times), hits.total)
    }

    private func lookAtAll(_ map: PointMap) -> Double {
        let start = monotonicNanoseconds()
        let place = Self.centre.ecefMeters
        var within = 0
        for number in 0..<map.count {
            if let record = map.point(number), (record.place.meters - place).lengthSquared <= 2_250_000 { within += 1 }
        }
        return Double(monotonicNanoseconds() - start) / 1000 + Double(within) * 0
    }

    private func writePoints(_ path: String) throws {
        guard let stream = fopen(path, "we") else { throw BenchError("\(path): \(String(cString: strerror(errno)))") }
        fputs("id,lat,lon,category\n", stream)
        var random = Scatter(seed: 1)
        let spanNorth = sideKilometers / 111.2
        let spanEast = sideKilometers / 76
        for index in 0..<Self.count {
            let north = Self.centre.latitudeDegrees + (random.next() - 0.5) * spanNorth
            let east = Self.centre.longitudeDegrees + (random.next() - 0.5) * spanEast
            fputs(
                "\(index),\((north * 1e6).rounded() / 1e6),\((east * 1e6).rounded() / 1e6),kind\(index % 20)\n", stream)
        }
        guard fclose(stream) == 0 else { throw BenchError("\(path): \(String(cString: strerror(errno)))") }
    }
}

/// Random numbers in 0 ..< 1 from a seed (SplitMix64).
struct Scatter {
    private var state: UInt64

    /// Creates a generator with a seed.
    init(seed: UInt64) { state = seed }

    /// The next number.
    mutating func next() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((z ^ (z >> 31)) >> 11) * 0x1p-53
    }
}
