import PoseMath

extension SettingsNode {
    /// Three rows of three numbers, written as nine numbers or as three lists.
    func matrixRows() throws(SettingsComplaint) -> [Vector3] {
        guard case .list(let items, _) = self else { throw "is \(kindInWords), not a list" }
        var cells: [SettingsNode] = []
        for item in items {
            if case .list(let row, let position) = item {
                guard row.count == 3 else { throw SettingsComplaint("row \(cells.count / 3 + 1) has \(row.count) numbers, not 3", at: position) }
                cells += row
            } else {
                cells.append(item)
            }
        }
        guard cells.count == 9 else { throw "has \(cells.count) numbers, not 9" }
        var numbers: [Double] = []
        for cell in cells { numbers.append(try cell.number(unit: nil)) }
        return (0..<3).map { Vector3(numbers[3 * $0], numbers[3 * $0 + 1], numbers[3 * $0 + 2]) }
    }
}
