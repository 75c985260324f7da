import Guidance

extension SettingsKey {
    /// A key with thresholds of the speed colour by limit, or `null`.
    static func speedTable(_ label: SettingsKeyLabel, _ place: SettingsPlace<[SpeedThresholds]>) -> SettingsKey {
        make(
            label, place,
            (
                "table or null", nil,
                "1 to 16 rows of 5 numbers in rising order of the limit, such as `[[0, 0, 0, 0, 5], [100, 0, 0, 5, 0]]`"
            ),
            .speedTable)
    }
}

extension SettingsCoder where Value == [SpeedThresholds] {
    /// Numbers per row: limit, orange percent and km/h, red percent and km/h.
    private static let columns = 5
    private static let mostRows = 16

    /// Reads the rows; throws with an explanation if one is invalid.
    static let speedTable = SettingsCoder<[SpeedThresholds]>(
        decode: { (node) throws(SettingsComplaint) in
            if node.isNull { return [] }
            guard case .list(let items, _) = node else { throw "is \(node.kindInWords), not a list of rows" }
            guard (1...mostRows).contains(items.count) else { throw "has \(items.count) rows, not 1 to \(mostRows)" }
            var rows: [SpeedThresholds] = []
            for item in items {
                let row = try thresholds(item)
                if let last = rows.last, row.fromLimitMetersPerSecond <= last.fromLimitMetersPerSecond {
                    throw SettingsComplaint("the limits of the rows do not rise", at: item.position)
                }
                rows.append(row)
            }
            return rows
        },
        encode: { rows in rows.isEmpty ? "null" : "[" + rows.map { text($0) }.joined(separator: ", ") + "]" })

    private static func thresholds(_ node: SettingsNode) throws(SettingsComplaint) -> SpeedThresholds {
        guard case .list(let cells, let position) = node else {
            throw SettingsComplaint("a row is \(node.kindInWords), not a list", at: node.position)
        }
        guard cells.count == columns else {
            throw SettingsComplaint("a row has \(cells.count) numbers, not \(columns)", at: position)
        }
        var numbers: [Double] = []
        for cell in cells { numbers.append(try cell.number(unit: nil)) }
        guard numbers[0] >= 0, numbers[0] <= 500 else {
            throw SettingsComplaint("a limit is 0 to 500 km/h", at: position)
        }
        guard numbers.dropFirst().allSatisfy({ $0 >= -50 && $0 <= 200 }) else {
            throw SettingsComplaint("percent and km/h are -50 to 200", at: position)
        }
        return SpeedThresholds(
            fromLimitMetersPerSecond: numbers[0] / 3.6, orangeRatio: 1 + numbers[1] / 100,
            orangeAboveMetersPerSecond: numbers[2] / 3.6,
            redRatio: 1 + numbers[3] / 100, redAboveMetersPerSecond: numbers[4] / 3.6)
    }

    private static func text(_ row: SpeedThresholds) -> String {
        let numbers = [
            row.fromLimitMetersPerSecond * 3.6, (row.orangeRatio - 1) * 100, row.orangeAboveMetersPerSecond * 3.6,
            (row.redRatio - 1) * 100,
            row.redAboveMetersPerSecond * 3.6,
        ]
        // Nine decimals hide the rounding of the unit conversion.
        return "[" + numbers.map { SettingsNumber.text(($0 * 1e9).rounded() / 1e9) }.joined(separator: ", ") + "]"
    }
}
