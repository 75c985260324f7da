import Frames
import Glibc

/// An artificial horizon of characters: sky above, ground below, the vehicle's mark in the middle. A cell is twice as
/// high as wide, so each cell is drawn as two halves.
struct Horizon {
    private static let sky: UInt8 = 25
    private static let ground: UInt8 = 94
    /// Pitch from the middle to the edge, degrees.
    private static let reachDegrees = 25.0

    /// Position and size on the screen.
    var row: Int
    var column: Int
    var width: Int
    var height: Int

    /// Draws the attitude, or a message if it is unknown.
    func draw(_ pose: Frame.Pose, _ symbols: Symbols, on canvas: inout Canvas) {
        guard let roll = pose.rollRadians, let pitch = pose.pitchRadians else {
            for line in 0..<height {
                canvas.fill(row + line, column..<(column + width), symbols.isUnicode ? "·" : ".", .faint)
            }
            canvas.put(" no attitude ", row + height / 2, column + (width - 13) / 2, .faint)
            return
        }
        for line in 0..<height {
            for step in 0..<width {
                let upper = isGround(step, 2 * line, roll, pitch)
                let lower = isGround(step, 2 * line + 1, roll, pitch)
                put(upper, lower, row + line, column + step, symbols, &canvas)
            }
        }
        mark((roll, pitch), symbols, &canvas)
    }

    /// Whether half a cell shows the ground. With the right side down, the horizon rises on the right.
    private func isGround(_ step: Int, _ half: Int, _ roll: Double, _ pitch: Double) -> Bool {
        let x = Double(step) + 0.5 - Double(width) / 2
        let y = Double(half) + 0.5 - Double(height)
        let pitchHalves = pitch * 180 / .pi / Self.reachDegrees * Double(height)
        return y * cos(roll) + x * sin(roll) - pitchHalves > 0
    }

    private func put(
        _ upper: Bool, _ lower: Bool, _ row: Int, _ column: Int, _ symbols: Symbols, _ canvas: inout Canvas
    ) {
        guard symbols.isUnicode else {
            canvas.put(upper && lower ? ":" : (upper || lower ? "-" : " "), row, column, .plain)
            return
        }
        let (top, bottom) = (upper ? Self.ground : Self.sky, lower ? Self.ground : Self.sky)
        if top == bottom {
            canvas.put(" ", row, column, CellStyle(foreground: nil, background: top))
        } else {
            canvas.put("▀", row, column, CellStyle(foreground: top, background: bottom))
        }
    }

    /// Draws the vehicle's mark over the horizon.
    private func mark(_ pose: (roll: Double, pitch: Double), _ symbols: Symbols, _ canvas: inout Canvas) {
        let middle = width / 2
        for (step, sign) in zip((middle - 2)..., symbols.isUnicode ? "━━┿━━" : "--+--") {
            let behind = isGround(step, height, pose.roll, pose.pitch) ? Self.ground : Self.sky
            let style = CellStyle(foreground: 226, background: symbols.isUnicode ? behind : nil, isBold: true)
            canvas.put(String(sign), row + height / 2, column + step, style)
        }
    }
}

/// A strip of the compass with the heading in its middle.
enum CompassStrip {
    /// Draws the strip, or a message if the heading is unknown.
    static func draw(_ heading: Double?, row: Int, columns: Range<Int>, on canvas: inout Canvas) {
        guard let heading, abs(heading) < 1e6 else {
            canvas.put("heading unknown", row, columns.lowerBound + (columns.count - 15) / 2, .faint)
            return
        }
        let middle = columns.lowerBound + columns.count / 2
        let degreesPerColumn = 3.0
        let center = heading * 180 / .pi
        for mark in 0..<72 {
            let degrees = Double(mark) * 5
            let offset = remainder(degrees - center, 360) / degreesPerColumn
            let column = middle + Int(offset.rounded())
            guard columns.contains(column) else { continue }
            if mark % 9 == 0 {
                let name = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"][mark / 9]
                guard columns.contains(column + name.count - 1) else { continue }
                canvas.put(name, row, column, CellStyle(foreground: 255, isBold: true))
            } else if mark % 3 == 0 {
                canvas.put("'", row, column, .faint)
            }
        }
    }
}
