import BoundedJSON
import Conversion
import Files
import Frames
import Glibc

/// What the reports of many drives tell of each vehicle, and of places.
package struct FleetTable: Sendable {
    /// A quantity of which a vehicle has one value per drive.
    struct Quantity: Sendable {
        /// Name of the column, with the unit.
        var name: String
        /// Decimals of its values.
        var decimals: Int
        /// After how much the values begin anew: 360 for an angle; `nil` for others.
        var turn: Double?
        /// The value of a drive; `nil` if it is unknown.
        var value: @Sendable (JSONValue) -> Double?
    }

    /// One drive.
    private struct Drive: Sendable {
        /// Weeks since 1970; `nil` if the recording has no UTC.
        var weeks: Double?
        var values: [Double?]
        var faults: [String]
        var problems: [String]
    }

    /// A cell of the ground.
    private struct Cell: Hashable, Sendable {
        var north: Int
        var east: Int
    }

    /// Quantities whose change over weeks tells something about the vehicle.
    static let installation: [Quantity] = [
        Quantity(name: "mount_roll_deg", decimals: 2, turn: 360) { $0["mount"]?["rpy_deg"]?[0]?.double },
        Quantity(name: "mount_pitch_deg", decimals: 2, turn: 360) { $0["mount"]?["rpy_deg"]?[1]?.double },
        Quantity(name: "mount_yaw_deg", decimals: 2, turn: 360) { $0["mount"]?["rpy_deg"]?[2]?.double },
        Quantity(name: "antenna_forward_m", decimals: 2) { $0["antenna"]?["forward_left_m"]?[0]?.double },
        Quantity(name: "antenna_left_m", decimals: 2) { $0["antenna"]?["forward_left_m"]?[1]?.double },
        Quantity(name: "position_lag_s", decimals: 3) { $0["position_lag_s"]?.double },
        Quantity(name: "velocity_lag_s", decimals: 3) { $0["velocity_lag_s"]?.double },
        Quantity(name: "wheel_scale", decimals: 4) { $0["wheel_scale"]?.double },
        Quantity(name: "fix_innovation_rms", decimals: 2) { root in
            root["innovations"]?.elements.first { $0["source"]?.string == "gnssPosition" }?["normalised_rms"]?.double
        },
        Quantity(name: "receiver_trusted_share", decimals: 3) { $0["receiver_trusted_share"]?.double },
    ]

    /// Quantities that add up.
    static let sums: [Quantity] = [
        Quantity(name: "hours", decimals: 2) { $0["duration_s"]?.double.map { $0 / 3600 } },
        Quantity(name: "km", decimals: 1) { $0["length_m"]?.double.map { $0 / 1000 } },
        Quantity(name: "aligned_h", decimals: 2) { root in
            guard let share = root["pose"]?["state_share"]?["aligned"]?.double, let all = root["duration_s"]?.double
            else { return nil }
            return share * all / 3600
        },
        Quantity(name: "fixes_refused", decimals: 0) { $0["fixes"]?["refused"]?.double },
        Quantity(name: "on_route_h", decimals: 2) { $0["guidance"]?["on_route_s"]?.double.map { $0 / 3600 } },
        Quantity(name: "off_route_h", decimals: 2) { $0["guidance"]?["off_route_s"]?.double.map { $0 / 3600 } },
        Quantity(name: "departures", decimals: 0) { $0["guidance"]?["departures"]?.double },
    ]

    private var vehicles: [String: [Drive]] = [:]
    private var cells: [Cell: (fixes: Int, bad: Int, vehicles: Set<String>)] = [:]
    private var cellDegrees = 0.001

    /// Creates an empty table.
    package init() {}

    /// Adds the figures of one drive: what `posectl report` writes with `--figures`.
    package mutating func add(_ root: JSONValue, vehicle: String) {
        let quantities = Self.installation + Self.sums
        vehicles[vehicle, default: []].append(
            Drive(
                weeks: root["begin_utc_s"]?.double.map { $0 / 604_800 }, values: quantities.map { $0.value(root) },
                faults: root["imu_faults"]?.elements.compactMap(\.string) ?? [],
                problems: root["findings"]?.elements.filter { $0["severity"]?.string == "problem" }
                    .compactMap { $0["text"]?.string } ?? []))
        if let size = root["places"]?["cell_deg"]?.double, size > 0, size <= 1 { cellDegrees = size }
        for cell in root["places"]?["cells"].map({ Array($0.elements) }) ?? [] {
            guard let north = cell[0]?.int, let east = cell[1]?.int, let fixes = cell[2]?.int, let bad = cell[3]?.int,
                north.magnitude <= 200_000, east.magnitude <= 400_000, (0...100_000_000).contains(fixes),
                (0...fixes).contains(bad)
            else { continue }
            let key = Cell(north: north, east: east)
            var sum = cells[key] ?? (0, 0, [])
            sum = (sum.fixes &+ fixes, sum.bad &+ bad, sum.vehicles.union([vehicle]))
            cells[key] = sum
        }
    }

    /// The trend of a quantity of the installation of a vehicle, per week. Drives without UTC count for the mean if no
    /// other has one.
    private func trend(_ drives: [Drive], _ index: Int) -> Trend? {
        let values = drives.map { $0.values[index] }
        let unwrapped = Self.unwrapped(values, turn: Self.installation[index].turn)
        let known = zip(drives, unwrapped).compactMap { drive, value in
            value.map { (time: drive.weeks, value: $0) }
        }
        let timed = known.compactMap { point in point.time.map { (time: $0, value: point.value) } }
        // Drives of one day tell no change over weeks.
        return Trend(timed, shortestSpan: 1.0 / 7) ?? Trend(known.map { (time: 0, value: $0.value) })
    }

    /// Angles around the first one, so that a mount of 180 degrees is not spread over both ends of its range.
    private static func unwrapped(_ values: [Double?], turn: Double?) -> [Double?] {
        guard let turn, let first = values.lazy.compactMap({ $0 }).first(where: \.isFinite) else { return values }
        return values.map { value in value.map { first + remainder($0 - first, turn) } }
    }

    // MARK: - Outputs

    /// The table of the vehicles as CSV: of each installed quantity the mean, the scatter and the drift per week.
    package var csv: String {
        var columns = ["vehicle", "drives"] + Self.sums.map(\.name)
        for quantity in Self.installation {
            columns += [
                quantity.name, "\(quantity.name)_scatter", "\(quantity.name)_per_week", "\(quantity.name)_drifts",
            ]
        }
        columns += ["imu_faults", "problems"]
        var lines = [columns.joined(separator: ",")]
        for (vehicle, drives) in vehicles.sorted(by: { $0.key < $1.key }) {
            var row = [vehicle, "\(drives.count)"]
            for (index, quantity) in Self.sums.enumerated() {
                let values = drives.compactMap { $0.values[Self.installation.count + index] }
                row.append(
                    values.isEmpty ? "" : Decimal.text(values.reduce(0, +), decimals: quantity.decimals))
            }
            for (index, quantity) in Self.installation.enumerated() {
                let trend = trend(drives, index)
                let text = { (value: Double?) in
                    value.map { Decimal.text($0, decimals: quantity.decimals + 1) } ?? ""
                }
                row += [text(trend?.mean), text(trend?.scatter), text(trend?.slope)]
                row.append(trend?.slope == nil ? "" : trend?.isDrifting == true ? "yes" : "no")
            }
            row.append(Set(drives.flatMap(\.faults)).sorted().joined(separator: " "))
            row.append("\(drives.reduce(0) { $0 + $1.problems.count })")
            lines.append(row.map(BatchTable.quoted).joined(separator: ","))
        }
        return lines.joined(separator: "\r\n") + "\r\n"
    }

    /// The report of the fleet as Markdown: what changed, what is faulty, what went wrong.
    package var report: String {
        var lines = [
            "# Fleet", "", "\(vehicles.count) vehicles, \(vehicles.values.reduce(0) { $0 + $1.count }) drives.",
        ]
        for (vehicle, drives) in vehicles.sorted(by: { $0.key < $1.key }) {
            lines += ["", "## \(vehicle)", ""] + remarks(drives).map { "- \($0)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func remarks(_ drives: [Drive]) -> [String] {
        var remarks: [String] = []
        for (index, quantity) in Self.installation.enumerated() {
            guard let trend = trend(drives, index) else { continue }
            var text = "\(quantity.name): \(Decimal.text(trend.mean, decimals: quantity.decimals))"
            if let scatter = trend.scatter { text += ", scatter \(Decimal.text(scatter, decimals: quantity.decimals))" }
            if trend.isDrifting, let slope = trend.slope, let sigma = trend.slopeSigma {
                let decimals = quantity.decimals + 1
                text +=
                    "; DRIFTS by \(Decimal.text(slope, decimals: decimals)) per week, 1-sigma "
                    + Decimal.text(sigma, decimals: decimals)
            }
            remarks.append(text)
        }
        for fault in Set(drives.flatMap(\.faults)).sorted() {
            remarks.append("IMU: \(fault) on \(drives.count { $0.faults.contains(fault) }) drives")
        }
        var problems: [String: Int] = [:]
        for problem in drives.flatMap(\.problems) { problems[problem, default: 0] += 1 }
        for (problem, count) in problems.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(10) {
            remarks.append("\(count) times: \(problem)")
        }
        return remarks
    }

    /// The places where the filter got at least five fixes, as GeoJSON: squares with the share of bad ones, the worst
    /// first.
    package var geoJSON: String {
        var writer = JSONWriter(capacity: 1 << 14)
        let sorted = cells.filter { $0.value.fixes >= 5 }.sorted { a, b in
            let first = Double(a.value.bad) / Double(a.value.fixes)
            let second = Double(b.value.bad) / Double(b.value.fixes)
            return first != second ? first > second : (a.key.north, a.key.east) < (b.key.north, b.key.east)
        }
        writer.literal("{\"type\":\"FeatureCollection\",\"features\":")
        writer.list(sorted) { writer, cell in
            writer.literal("\n{\"type\":\"Feature\",\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[")
            let corners = [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)]
            writer.list(corners) { writer, corner in
                let east = Double(cell.key.east + corner.0) * cellDegrees
                let north = Double(cell.key.north + corner.1) * cellDegrees
                writer.numbers("", [east, north], decimals: 4)
            }
            writer.integer("]},\"properties\":{\"fixes\":", cell.value.fixes)
            writer.integer(",\"bad\":", cell.value.bad)
            writer.number(",\"bad_share\":", Double(cell.value.bad) / Double(cell.value.fixes), decimals: 3)
            writer.integer(",\"vehicles\":", cell.value.vehicles.count)
            writer.literal("}}")
        }
        writer.literal("}\n")
        return writer.text
    }

    /// Writes `fleet.csv`, `fleet.md` and `fleet.geojson`.
    package func write(folder: String) throws(FileFault) {
        for (name, text) in [("fleet.csv", csv), ("fleet.md", report), ("fleet.geojson", geoJSON)] {
            try AtomicFile.replace("\(folder)/\(name)", with: Array(text.utf8), permissions: 0o644)
        }
    }
}
