import Frames
import Fusion
import PoseMath

/// What a fleet compares between drives and vehicles: the receiver's honesty, the health of the IMU, guidance, and
/// where fixes are bad.
extension DriveFigures {
    /// Side of a cell of ``writePlaces(_:)``, degrees: 111 m from south to north.
    private static let cellDegrees = 0.001
    /// Maximum number of cells of one drive: a day's drive has some thousand.
    private static let mostCells = 20_000

    /// Writes the members.
    func writeFleet(_ writer: inout JSONWriter) {
        let all = drive.verdictSeconds.values.reduce(0, +)
        let trusted = drive.verdictSeconds[.trusted] ?? 0
        writer.number(",\"receiver_trusted_share\":", all > 0 ? trusted / all : nil, decimals: 4)
        writer.strings(",\"imu_faults\":", drive.inertialFaults.names)
        writer.number(",\"guidance\":{\"on_route_s\":", drive.poses.onRouteSeconds, decimals: 1)
        writer.number(",\"off_route_s\":", drive.poses.offRouteSeconds, decimals: 1)
        writer.integer(",\"departures\":", drive.poses.departures)
        writer.literal("}")
        writePlaces(&writer)
    }

    /// One cell of the ground.
    struct Cell: Hashable, Comparable {
        /// Number of the cell from the equator to the north.
        var north: Int
        /// Number of the cell from the meridian of Greenwich to the east.
        var east: Int

        /// Cells go from south to north, and from west to east.
        static func < (a: Cell, b: Cell) -> Bool { (a.north, a.east) < (b.north, b.east) }
    }

    /// How many fixes the filter got in each cell, and how many of them were bad: rejected, or farther from the
    /// estimate than three sigmas. Those for which one entry stands are in its cell.
    static func cells(
        of entries: [InnovationLog.Entry], along samples: [TrackSample]
    ) -> [Cell: (fixes: Int, bad: Int)] {
        var cells: [Cell: (fixes: Int, bad: Int)] = [:]
        var index = 0
        for entry in entries {
            while index + 1 < samples.count, samples[index + 1].time <= entry.time { index += 1 }
            guard index < samples.count, let latitude = samples[index].latitudeRadians,
                let longitude = samples[index].longitudeRadians, abs(latitude) <= .pi, abs(longitude) <= 2 * .pi
            else { continue }
            let cell = Cell(
                north: Int((latitude.radiansInDegrees / Self.cellDegrees).rounded(.down)),
                east: Int((longitude.radiansInDegrees / Self.cellDegrees).rounded(.down)))
            guard cells.count < Self.mostCells || cells[cell] != nil else { continue }
            cells[cell, default: (0, 0)].fixes += entry.count
            cells[cell, default: (0, 0)].bad += entry.bad
        }
        return cells
    }

    /// Writes the cells; none of a private recording, whose places are moved.
    private func writePlaces(_ writer: inout JSONWriter) {
        writer.number(",\"places\":{\"cell_deg\":", Self.cellDegrees, decimals: 3)
        writer.literal(",\"cells\":")
        let fixes = drive.info?.isPrivate == true ? nil : drive.innovations.sources[.gnssPosition]
        let cells = Self.cells(of: fixes?.allEntries ?? [], along: drive.track.samples)
        writer.list(cells.sorted { $0.key < $1.key }) { writer, cell in
            writer.literal("[")
            writer.integer("", cell.key.north)
            writer.integer(",", cell.key.east)
            writer.integer(",", cell.value.fixes)
            writer.integer(",", cell.value.bad)
            writer.literal("]")
        }
        writer.literal("}")
    }
}
