import Foundation
import Frames

/// The tables of every struct in `docs/protocol.md`.
enum ProtocolTables {
    private static let begin = "<!-- the structs of posed.h: written by `make generated` -->\n"
    private static let end = "<!-- end of the structs -->"

    /// The page with new tables; everything else stays unchanged.
    static func text(_ page: String, _ blocks: [BlockDescription], _ header: PosedHeader) -> String {
        guard let first = page.range(of: begin), let last = page.range(of: end, range: first.upperBound..<page.endIndex)
        else { return page }
        let tables = header.structs.map { layout in
            table(layout, blocks.first { "posed_\($0.name)" == layout.name }, header)
        }
        return page[..<first.upperBound] + "\n" + (tables + [constants(header)]).joined(separator: "\n") + "\n"
            + page[last.lowerBound...]
    }

    /// The codes and bits of posed.h with their numbers.
    private static func constants(_ header: PosedHeader) -> String {
        var text = "### Codes and bits\n\n| constant | number | meaning |\n|---|---|---|\n"
        for constant in header.constants {
            let meaning = constant.meaning.replacingOccurrences(of: "|", with: "\\|")
            text += "| `\(constant.name)` | \(number(of: constant)) | \(meaning) |\n"
        }
        return text
    }

    /// The number of a constant: of a bit from 0, the lowest.
    private static func number(of constant: PosedHeader.Constant) -> String {
        constant.isBit ? "bit \(constant.value.trailingZeroBitCount)" : "\(constant.value)"
    }

    private static func table(_ layout: PosedHeader.Struct, _ block: BlockDescription?, _ header: PosedHeader) -> String
    {
        var text = "### " + layout.name + "\n\n\(layout.size) bytes.\n\n"
        text += "| offset | type | field | unit | known by | meaning |\n|---|---|---|---|---|---|\n"
        for field in layout.fields {
            let bit = validityBit(of: field, in: layout, block, header)
            text +=
                "| \(field.offset) | \(field.type) | `\(field.name)` | \(unit(of: field)) | "
                + "\(known(by: bit, header)) | "
                + "\(field.meaning.replacingOccurrences(of: "|", with: "\\|")) |\n"
        }
        return text
    }

    /// The bit with its number; empty without one.
    private static func known(by bit: String?, _ header: PosedHeader) -> String {
        guard let bit, let constant = header.constants.first(where: { $0.name == bit }) else { return "" }
        return "`\(bit)`, \(number(of: constant))"
    }

    /// The fields that a bit makes known, for the structs that are not parts of a frame: the beginnings of their names.
    /// A bit without fields here is a flag. The bits of a sight are in the struct around it.
    static let known: [String: [String]] = [
        "POSED_STAMP_UTC": ["utc_ns"], "POSED_STAMP_SIMULATED": [],
        "POSED_ECEF_POSITION": ["ecef_m"],
        "POSED_MANEUVER_PRESENT": ["index", "along_route_m", "text_", "kind_"],
        "POSED_MANEUVER_POSITION": ["lat_deg", "lon_deg"], "POSED_MANEUVER_TURN_ANGLE": ["turn_angle_deg"],
        "POSED_MANEUVER_LANES": ["lane_"],
        "POSED_STATUS_IMU_RATE": ["imu_rate_hz"], "POSED_STATUS_FIX_RATE": ["fix_rate_hz"],
        "POSED_STATUS_MOUNT": ["mount_"], "POSED_STATUS_MAGNETOMETER": ["magnetic_", "magnetometer_"],
        "POSED_SIGHT_ENU": ["enu_m"], "POSED_SIGHT_BODY": ["body_m"], "POSED_SIGHT_SCREEN": ["screen"],
        "POSED_SIGHT_EDGE": ["edge_deg"], "POSED_SIGHT_DISTANCE": ["distance_m"],
        "POSED_SIGHT_BEARING": ["bearing_deg"], "POSED_SIGHT_RELATIVE_BEARING": ["relative_bearing_deg"],
        "POSED_SIGHT_SIZE": ["size"], "POSED_SIGHT_ELEVATION": ["elevation_m"],
        "POSED_SIGHT_DRAW_ELEVATION": ["draw_elevation_m"], "POSED_SIGHT_ELEVATION_ANGLE": ["elevation_angle_deg"],
        "POSED_SCENE_POINT_POSITION": ["lat_deg", "lon_deg"], "POSED_SCENE_POINT_ALONG_ROUTE": ["along_route_m"],
        "POSED_POINT_POSITION": ["lat_deg", "lon_deg"], "POSED_ROUTE_PLACE_ALONG_ROUTE": ["along_route_m"],
    ]

    /// The name of the bit that makes a field known; `nil` if the field is always known.
    static func validityBit(
        of field: PosedHeader.Field, in layout: PosedHeader.Struct, _ block: BlockDescription?, _ header: PosedHeader
    ) -> String? {
        let prefix = layout.name.uppercased() + "_"
        if let bit = block?.fields.first(where: { $0.offset == field.offset && $0.bit != 0 })?.bit {
            return header.constants.first { $0.isBit && $0.value == bit && $0.name.hasPrefix(prefix) }?.name
        }
        return known.keys.sorted().first { name in
            name.hasPrefix(prefix) && !name.dropFirst(prefix.count).isEmpty && owner(of: name, header) == layout.name
                && (known[name] ?? []).contains {
                    $0.hasSuffix("_") ? field.name.hasPrefix($0) : field.name == $0
                }
        }
    }

    /// The struct of a bit: the one with the longest name that begins the bit's name.
    static func owner(of bit: String, _ header: PosedHeader) -> String? {
        header.structs.map(\.name).filter { bit.hasPrefix($0.uppercased() + "_") }.max { $0.count < $1.count }
    }

    /// The unit of a field, from the end of its name.
    static func unit(of field: PosedHeader.Field) -> String {
        let units = [
            ("_m_s2", "m/s²"), ("_rad_s", "rad/s"), ("_deg_s", "deg/s"), ("_m_s", "m/s"), ("_mhz", "mHz"),
            ("_hz", "Hz"), ("_deg", "deg"), ("_ms", "ms"), ("_ns", "ns"), ("_ut", "µT"), ("_m", "m"), ("_s", "s"),
        ]
        return units.first { field.name.hasSuffix($0.0) }?.1 ?? ""
    }
}
