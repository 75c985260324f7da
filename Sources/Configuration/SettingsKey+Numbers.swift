import Geodesy
import PoseMath

/// The allowed numbers of a key.
struct SettingsRange: Sendable {
    /// Minimum and maximum.
    var bounds: ClosedRange<Double>
    /// Whether the minimum itself is excluded.
    var excludesLower = false
    /// Whether zero is excluded.
    var excludesZero = false

    /// A closed range.
    init(_ bounds: ClosedRange<Double>) { self.bounds = bounds }

    /// Greater than `lower`, up to `upper`.
    init(above lower: Double, to upper: Double) {
        bounds = lower...upper
        excludesLower = true
    }

    /// A closed range without zero, such as the range of a factor.
    static func factor(_ bounds: ClosedRange<Double>) -> SettingsRange {
        var range = SettingsRange(bounds)
        range.excludesZero = true
        return range
    }

    /// Whether the range contains a number; false for NaN.
    func contains(_ value: Double) -> Bool {
        bounds.contains(value) && !(excludesLower && value == bounds.lowerBound) && !(excludesZero && value == 0)
    }

    /// The range as text.
    var inWords: String {
        let lower = SettingsNumber.text(bounds.lowerBound)
        let upper = SettingsNumber.text(bounds.upperBound)
        let span = excludesLower ? "more than \(lower) up to \(upper)" : "\(lower) to \(upper)"
        return excludesZero ? "\(span), not 0" : span
    }
}

extension SettingsKey {
    /// A key with a number in `unit`.
    static func number(
        _ label: SettingsKeyLabel, _ place: SettingsPlace<Double>, unit: String?, _ range: SettingsRange
    ) -> SettingsKey {
        make(label, place, ("number", unit, range.inWords), .number(unit: unit, range))
    }

    /// A key with a number in `unit`; the stored value is the number times `factor`.
    static func scaledNumber(
        _ label: SettingsKeyLabel, _ place: SettingsPlace<Double>, unit: String, factor: Double, _ range: SettingsRange
    ) -> SettingsKey {
        make(label, place, ("number", unit, range.inWords), .number(unit: unit, factor: factor, range))
    }

    /// A key with a number in `unit`, or `null`.
    static func optionalNumber(
        _ label: SettingsKeyLabel, _ place: SettingsPlace<Double?>, unit: String?, _ range: SettingsRange
    ) -> SettingsKey {
        make(label, place, ("number or null", unit, range.inWords), .optional(.number(unit: unit, range)))
    }

    /// A key with a number in `unit`, or `null`; the stored value is the number times `factor`.
    static func optionalNumber(
        _ label: SettingsKeyLabel, _ place: SettingsPlace<Double?>, unit: String, factor: Double, _ range: SettingsRange
    ) -> SettingsKey {
        make(
            label, place, ("number or null", unit, range.inWords), .optional(.number(unit: unit, factor: factor, range))
        )
    }

    /// A key with a number in `unit`; the stored value is the number times `factor`.
    static func number(
        _ label: SettingsKeyLabel, _ place: SettingsPlace<Double>, unit: String, factor: Double, _ range: SettingsRange
    ) -> SettingsKey {
        make(label, place, ("number", unit, range.inWords), .number(unit: unit, factor: factor, range))
    }

    /// A key with a network port.
    static func port(_ label: SettingsKeyLabel, _ place: SettingsPlace<UInt16>) -> SettingsKey {
        let whole = SettingsCoder<Int>.integer(unit: nil, 1...65535)
        let coder = SettingsCoder<UInt16>(
            decode: { (node) throws(SettingsComplaint) in UInt16(truncatingIfNeeded: try whole.decode(node)) },
            encode: { String($0) })
        return make(label, place, ("whole number", nil, "1 to 65535"), coder)
    }

    /// A key with an integer.
    static func integer(
        _ label: SettingsKeyLabel, _ place: SettingsPlace<Int>, unit: String? = nil, _ range: ClosedRange<Int>
    ) -> SettingsKey {
        make(
            label, place, ("whole number", unit, "\(range.lowerBound) to \(range.upperBound)"),
            .integer(unit: unit, range))
    }

    /// A key with an integer, or `null`.
    static func optionalInteger(
        _ label: SettingsKeyLabel, _ place: SettingsPlace<Int?>, unit: String? = nil, _ range: ClosedRange<Int>
    ) -> SettingsKey {
        let words = (type: "whole number or null", unit: unit, allowed: "\(range.lowerBound) to \(range.upperBound)")
        return make(label, place, words, .optional(.integer(unit: unit, range)))
    }

    /// A key with `[latitude, longitude]`, or `null`; the height is 0.
    static func optionalPlace(_ label: SettingsKeyLabel, _ place: SettingsPlace<GeodeticPosition?>) -> SettingsKey {
        let allowed = "`[latitude, longitude]`, -90 to 90 and -180 to 180"
        return make(label, place, ("two numbers or null", "deg", allowed), .optional(.place))
    }

    /// A key with `[x, y, z]`, or `null`.
    static func optionalVector(
        _ label: SettingsKeyLabel, _ place: SettingsPlace<Vector3?>, unit: String, _ range: SettingsRange
    ) -> SettingsKey {
        let words = (type: "three numbers or null", unit: Optional(unit), allowed: "`[x, y, z]`, each \(range.inWords)")
        return make(label, place, words, .optional(.vector(unit: unit, range)))
    }
}

extension SettingsCoder where Value == Double {
    /// Reads a number in a range.
    static func number(unit: String?, _ range: SettingsRange) -> SettingsCoder<Double> {
        SettingsCoder(
            decode: { (node) throws(SettingsComplaint) in
                let value = try node.number(unit: unit)
                guard range.contains(value) else {
                    throw SettingsComplaint("\(SettingsNumber.text(value)) is out of range", at: node.position)
                }
                return value
            },
            encode: { SettingsNumber.text($0) })
    }
}

extension SettingsCoder where Value == Double {
    /// Reads a number in a range; the stored value is the number times `factor`.
    static func number(unit: String, factor: Double, _ range: SettingsRange) -> SettingsCoder<Double> {
        let plain = SettingsCoder<Double>.number(unit: unit, range)
        return SettingsCoder(
            decode: { (node) throws(SettingsComplaint) in try plain.decode(node) * factor },
            // Nine decimals hide the rounding of the conversion.
            encode: { SettingsNumber.text(($0 / factor * 1e9).rounded() / 1e9) })
    }
}

extension SettingsCoder where Value == Int {
    /// Reads an integer in a range.
    static func integer(unit: String?, _ range: ClosedRange<Int>) -> SettingsCoder<Int> {
        SettingsCoder(
            decode: { (node) throws(SettingsComplaint) in
                let value = try node.number(unit: unit)
                guard value == value.rounded() else { throw "\(SettingsNumber.text(value)) is not a whole number" }
                guard let whole = Int(exactly: value), range.contains(whole) else {
                    throw "\(SettingsNumber.text(value)) is out of range"
                }
                return whole
            },
            encode: { String($0) })
    }
}

extension SettingsCoder where Value == Vector3 {
    /// Reads three numbers in a range.
    static func vector(unit: String, _ range: SettingsRange) -> SettingsCoder<Vector3> {
        SettingsCoder(
            decode: { (node) throws(SettingsComplaint) in
                guard case .list(let items, _) = node else { throw "is \(node.kindInWords), not a list" }
                guard items.count == 3 else { throw "has \(items.count) numbers, not 3" }
                let coder = SettingsCoder<Double>.number(unit: unit, range)
                return Vector3(try coder.decode(items[0]), try coder.decode(items[1]), try coder.decode(items[2]))
            },
            encode: { "[\(SettingsNumber.text($0.x)), \(SettingsNumber.text($0.y)), \(SettingsNumber.text($0.z))]" })
    }
}

extension SettingsCoder where Value == GeodeticPosition {
    /// Reads latitude and longitude, degrees.
    static let place = SettingsCoder<GeodeticPosition>(
        decode: { (node) throws(SettingsComplaint) in
            guard case .list(let items, _) = node else { throw "is \(node.kindInWords), not a list" }
            guard items.count == 2 else { throw "has \(items.count) numbers, not 2" }
            let latitude = SettingsCoder<Double>.number(unit: "deg", SettingsRange(-90...90))
            let longitude = SettingsCoder<Double>.number(unit: "deg", SettingsRange(-180...180))
            return GeodeticPosition(
                latitudeDegrees: try latitude.decode(items[0]), longitudeDegrees: try longitude.decode(items[1]))
        },
        // Nine decimals hide the rounding of the conversion.
        encode: { place in
            let numbers = [place.latitudeDegrees, place.longitudeDegrees].map { ($0 * 1e9).rounded() / 1e9 }
            return "[\(SettingsNumber.text(numbers[0])), \(SettingsNumber.text(numbers[1]))]"
        })
}

extension SettingsCoder {
    /// Reads a value with `coder`, or `null`.
    static func optional<Wrapped: Sendable>(_ coder: SettingsCoder<Wrapped>) -> SettingsCoder where Value == Wrapped? {
        SettingsCoder(
            decode: { (node) throws(SettingsComplaint) in node.isNull ? nil : try coder.decode(node) },
            encode: { $0.map(coder.encode) ?? "null" })
    }
}
