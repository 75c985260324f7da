import Glibc

/// Plots of Allan deviations, both axes logarithmic.
public struct AllanPlot: Sendable {
    private let curves: [NoiseCollector.Curve]

    /// A plot of curves; those without points are left out.
    public init(_ curves: [NoiseCollector.Curve]) {
        self.curves = curves.map { curve in
            var curve = curve
            curve.points = curve.points.filter { $0.deviation > 0 && $0.seconds > 0 && $0.freedom >= 1 }
            return curve
        }.filter { $0.points.count >= 2 }
    }

    /// Decades that a group of curves covers.
    private struct Decades {
        var (left, right, low, high) = (0.0, 1.0, 0.0, 1.0)

        init?(_ curves: [NoiseCollector.Curve]) {
            let points = curves.flatMap(\.points)
            guard let first = points.first else { return nil }
            (left, right) = (log10(first.seconds), log10(first.seconds))
            (low, high) = (log10(first.deviation), log10(first.deviation))
            for point in points {
                (left, right) = (min(left, log10(point.seconds)), max(right, log10(point.seconds)))
                (low, high) = (min(low, log10(point.deviation)), max(high, log10(point.deviation)))
            }
            (left, right, low, high) = (left.rounded(.down), right.rounded(.up), low.rounded(.down), high.rounded(.up))
            if right <= left { right = left + 1 }
            if high <= low { high = low + 1 }
        }
    }

    // MARK: - Text

    /// Columns and rows of the text plot's area.
    private static let (columns, rows) = (64, 14)

    /// The curves of a sensor as text of at most 79 columns: x, y and z where the axes' curves are.
    public func text(ofGyro isGyro: Bool) -> String {
        let shown = curves.filter { $0.isGyro == isGyro }
        guard let range = Decades(shown) else { return "" }
        var area = Array(repeating: Array(repeating: Character(" "), count: Self.columns), count: Self.rows)
        for curve in shown {
            for point in curve.points {
                let x = (log10(point.seconds) - range.left) / (range.right - range.left)
                let y = (log10(point.deviation) - range.low) / (range.high - range.low)
                let column = min(max(Int(x * Double(Self.columns - 1)), 0), Self.columns - 1)
                let row = min(max(Int((1 - y) * Double(Self.rows - 1)), 0), Self.rows - 1)
                area[row][column] = curve.name.last ?? "*"
            }
        }
        let unit = isGyro ? "gyro, rad/s" : "accelerometer, m/s2"
        var lines = ["Allan deviation of the \(unit)"]
        var labels = Array(repeating: "", count: Self.rows)
        for exponent in stride(from: range.low, through: range.high, by: 1) {
            let share = (range.high - exponent) / (range.high - range.low)
            labels[min(max(Int((share * Double(Self.rows - 1)).rounded()), 0), Self.rows - 1)] = Self.power(exponent)
        }
        for (label, row) in zip(labels, area) { lines.append(Self.padded(label, to: 6) + " |" + String(row)) }
        let (left, right) = (Self.power(range.left) + " s", Self.power(range.right) + " s")
        lines.append("       +" + String(repeating: "-", count: Self.columns))
        let space = max(Self.columns - left.count - right.count, 1)
        lines.append("        " + left + String(repeating: " ", count: space) + right)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func power(_ exponent: Double) -> String { "1e\(Int(max(min(exponent, 99), -99)))" }

    private static func padded(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(width - text.count, 0)) + text
    }

    // MARK: - SVG

    /// Size of the drawing, and the areas of the two panels, pixels.
    private static let (width, height, panelWidth, panelHeight) = (980.0, 480.0, 380.0, 360.0)
    private static let (top, leftEdges) = (60.0, [80.0, 570.0])
    /// Colours that are told apart by colour-blind people (Okabe and Ito 2008).
    private static let colours = ["#0072B2", "#D55E00", "#009E73"]

    /// A self-contained drawing: gyro on the left, accelerometer on the right.
    public func svg(title: String) -> String {
        var parts = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(Int(Self.width))\" height=\"\(Int(Self.height))\" "
                + "viewBox=\"0 0 \(Int(Self.width)) \(Int(Self.height))\" font-family=\"sans-serif\" font-size=\"12\">",
            "<title>\(Self.escaped(title))</title>", "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
            "<text x=\"20\" y=\"26\" font-size=\"16\">\(Self.escaped(title))</text>",
        ]
        for (index, isGyro) in [true, false].enumerated() {
            let shown = curves.filter { $0.isGyro == isGyro }
            guard let range = Decades(shown) else { continue }
            parts += panel(shown, range, left: Self.leftEdges[index], isGyro: isGyro)
        }
        return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private func panel(_ shown: [NoiseCollector.Curve], _ range: Decades, left: Double, isGyro: Bool) -> [String] {
        func x(_ exponent: Double) -> Double {
            left + (exponent - range.left) / (range.right - range.left) * Self.panelWidth
        }
        func y(_ exponent: Double) -> Double {
            Self.top + (range.high - exponent) / (range.high - range.low) * Self.panelHeight
        }
        let bottom = Self.top + Self.panelHeight
        var parts = grid(range, left: left, x, y)
        for (index, curve) in shown.enumerated() {
            let colour = Self.colours[index % 3]
            let line = curve.points.map { "\(Self.short(x(log10($0.seconds)))),\(Self.short(y(log10($0.deviation))))" }
            parts.append(
                "<polyline fill=\"none\" stroke=\"\(colour)\" stroke-width=\"1.5\" "
                    + "points=\"\(line.joined(separator: " "))\"/>")
            if let fit = curve.fit {
                let text = Self.legend(curve.name, fit, isGyro: isGyro)
                parts.append(
                    "<text x=\"\(Self.short(left + 8))\" y=\"\(Self.short(bottom - 44 + 16 * Double(index)))\" "
                        + "fill=\"\(colour)\" font-size=\"11\">\(Self.escaped(text))</text>")
            }
        }
        let label = isGyro ? "gyro: Allan deviation, rad/s" : "accelerometer: Allan deviation, m/s2"
        parts.append("<text x=\"\(Self.short(left))\" y=\"\(Self.short(Self.top - 10))\">\(label)</text>")
        parts.append(
            "<text x=\"\(Self.short(left + Self.panelWidth / 2))\" y=\"\(Self.short(bottom + 36))\" "
                + "text-anchor=\"middle\">averaging time, s</text>")
        return parts
    }

    private func grid(
        _ range: Decades, left: Double, _ x: (Double) -> Double, _ y: (Double) -> Double
    ) -> [String] {
        let (right, bottom) = (left + Self.panelWidth, Self.top + Self.panelHeight)
        var parts: [String] = []
        for exponent in stride(from: range.left, through: range.right, by: 1) {
            let at = Self.short(x(exponent))
            parts.append(
                "<line x1=\"\(at)\" y1=\"\(Self.short(Self.top))\" x2=\"\(at)\" y2=\"\(Self.short(bottom))\" "
                    + "stroke=\"#ccc\"/>")
            parts.append(
                "<text x=\"\(at)\" y=\"\(Self.short(bottom + 16))\" text-anchor=\"middle\">"
                    + "\(Self.power(exponent))</text>")
        }
        for exponent in stride(from: range.low, through: range.high, by: 1) {
            let at = Self.short(y(exponent))
            parts.append(
                "<line x1=\"\(Self.short(left))\" y1=\"\(at)\" x2=\"\(Self.short(right))\" y2=\"\(at)\" "
                    + "stroke=\"#ccc\"/>")
            parts.append(
                "<text x=\"\(Self.short(left - 6))\" y=\"\(at)\" text-anchor=\"end\">\(Self.power(exponent))</text>")
        }
        return parts
    }

    private static func legend(_ name: String, _ fit: AllanFit, isGyro: Bool) -> String {
        let factor = isGyro ? 180 / Double.pi : 1
        let unit = isGyro ? "deg/s" : "m/s2"
        let walk = "N \(significant(fit.randomWalk * factor)) \(unit)/sqrt(Hz)"
        return "\(name): \(walk)"
            + (fit.biasInstability.map { ", B \(significant($0 * factor)) \(unit)" } ?? ", B not seen")
    }

    /// Three significant digits.
    static func significant(_ value: Double) -> String {
        guard value.isFinite, value != 0 else { return "0" }
        let digits = 2 - Int(max(min(log10(value.magnitude).rounded(.down), 12), -12))
        let scale = pow(10, Double(digits))
        return "\((value * scale).rounded() / scale)"
    }

    private static func short(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    private static func escaped(_ text: String) -> String {
        String(
            text.flatMap { character in
                switch character {
                case "&": "&amp;"
                case "<": "&lt;"
                case ">": "&gt;"
                case "\"": "&quot;"
                default: String(character)
                }
            })
    }
}
