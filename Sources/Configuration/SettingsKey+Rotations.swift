import PoseMath
import SensorInterface

extension SettingsKey {
    private static let allowedRotations = "the rows of a rotation, such as `[[0, -1, 0], [1, 0, 0], [0, 0, 1]]`"

    /// A key with the nine numbers of a rotation matrix, or `null`.
    static func optionalRotation(_ label: SettingsKeyLabel, _ place: SettingsPlace<Quaternion?>) -> SettingsKey {
        make(label, place, ("rotation matrix or null", nil, allowedRotations), .optional(.rotation))
    }

    /// A key with a rotation matrix in the format of the drivers, or `null` for the driver's matrix.
    static func optionalMountMatrix(_ label: SettingsKeyLabel, _ place: SettingsPlace<String?>) -> SettingsKey {
        make(label, place, ("rotation matrix or null", nil, allowedRotations), .optional(.mountMatrix))
    }

    /// A key that selects an IIO device.
    static func device(_ label: SettingsKeyLabel, _ place: SettingsPlace<IIODeviceSelector>) -> SettingsKey {
        let allowed = "auto, off, or name:X, label:X, serial:X or id:X"
        return make(label, place, ("device", nil, allowed), .device)
    }
}

extension SettingsCoder where Value == IIODeviceSelector {
    /// Reads a device selector.
    static let device = SettingsCoder<IIODeviceSelector>(
        decode: { (node) throws(SettingsComplaint) in
            let text = try node.scalar("a device").text
            guard text.utf8.count <= 128, let selector = IIODeviceSelector(text) else {
                throw "`\(text.prefix(60))` names no device"
            }
            return selector
        },
        encode: { SettingsWriter.quotedWhereNeeded($0.description) })
}

extension SettingsCoder where Value == Quaternion {
    /// Reads the rows of a rotation matrix; throws with an explanation if it is not a rotation.
    static let rotation = SettingsCoder<Quaternion>(
        decode: { (node) throws(SettingsComplaint) in try node.mountMatrix(try node.matrixRows()).sensorToBoard },
        encode: { rotation in
            let matrix = rotation.matrix
            // Twelve decimals hide the rounding of the conversion to a quaternion.
            let text = { (x: Double) in SettingsNumber.text((x * 1e12).rounded() / 1e12) }
            let rows = (0..<3).map { row in (0..<3).map { text(matrix[row, $0]) }.joined(separator: ", ") }
            return "[[" + rows.joined(separator: "], [") + "]]"
        })
}

extension SettingsCoder where Value == String {
    /// Reads the rows of a rotation matrix, or the text format of the drivers: `a, b, c; d, e, f; g, h, i`. Throws with
    /// an explanation if it is not a rotation.
    static let mountMatrix = SettingsCoder<String>(
        decode: { (node) throws(SettingsComplaint) in
            if case .scalar(let scalar) = node {
                do throws(MountMatrixFault) {
                    _ = try MountMatrix(scalar.text)
                    return scalar.text
                } catch {
                    throw SettingsComplaint("\(error)", at: scalar.position)
                }
            }
            let rows = try node.matrixRows()
            _ = try node.mountMatrix(rows)
            return rows.map {
                "\(SettingsNumber.text($0.x)), \(SettingsNumber.text($0.y)), \(SettingsNumber.text($0.z))"
            }.joined(separator: "; ")
        },
        encode: { "\"\($0)\"" })
}

extension SettingsNode {
    /// The rotation of three rows; throws with an explanation if it is not a rotation.
    fileprivate func mountMatrix(_ rows: [Vector3]) throws(SettingsComplaint) -> MountMatrix {
        do throws(MountMatrixFault) {
            return try MountMatrix(checking: rows)
        } catch {
            throw SettingsComplaint("\(error)", at: position)
        }
    }

    /// Three rows of three numbers, from nine numbers or three lists.
    fileprivate func matrixRows() throws(SettingsComplaint) -> [Vector3] {
        guard case .list(let items, _) = self else { throw "is \(kindInWords), not a list" }
        var cells: [SettingsNode] = []
        for item in items {
            if case .list(let row, let position) = item {
                guard row.count == 3 else {
                    throw SettingsComplaint("row \(cells.count / 3 + 1) has \(row.count) numbers, not 3", at: position)
                }
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
