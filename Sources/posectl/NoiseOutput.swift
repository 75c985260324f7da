import ArgumentParser
import Calibration
import Configuration
import Files
import Frames
import Glibc

/// What is done with measured noise: text, plots, and settings.
struct NoiseOutput {
    /// Path of the drawing; `nil` for none.
    let plot: String?
    /// Path of the settings file; `nil` for none.
    let settings: String?
    /// Whether one JSON object is printed.
    let json: Bool

    /// Writes drawing and settings, and prints the result, also where a file cannot be written: the measurement may
    /// have taken an hour.
    func finish(_ report: CalibrationReport, _ collector: NoiseCollector) throws {
        let curves = collector.curves
        let plotted = AllanPlot(curves)
        let keys = Self.keys(curves)
        var failure: ExitCode?
        var notes = report.notes
        do throws(ExitCode) {
            if let plot { try write(Array(plotted.svg(title: "Allan deviation").utf8), to: plot) }
        } catch { failure = error }
        do throws(ExitCode) {
            if let settings, report.passes { notes.append(try writeSettings(keys, to: settings)) }
        } catch {
            failure = failure ?? error
            notes.append("the settings were not written")
        }
        if settings != nil, !report.passes { notes.append("the settings were not written") }
        try show(CalibrationText(report, notes: notes), curves, plotted, keys, passes: report.passes)
        if let failure { throw failure }
        if !report.passes { throw ExitCode(1) }
    }

    /// Prints the result.
    private func show(
        _ text: CalibrationText, _ curves: [NoiseCollector.Curve], _ plotted: AllanPlot,
        _ keys: [SettingsFileEdit.Key], passes: Bool
    ) throws(ExitCode) {
        guard json else {
            let yaml = passes ? "\nSettings:\n" + Self.yaml(keys) : ""
            let plots = plotted.text(ofGyro: true) + plotted.text(ofGyro: false)
            return try printResult(plots + text.lines("noise") + yaml)
        }
        let all = text.json("noise") { writer in
            writer.literal(",\"curves\":")
            writer.list(curves) { Self.write($1, &$0) }
            writer.literal(",\"settings\":{")
            for (index, key) in keys.enumerated() {
                if index > 0 { writer.literal(",") }
                writer.string("\(key.section).\(key.name)")
                writer.string(":", key.value)
            }
            writer.literal("}")
        }
        try printResult(all)
    }

    /// The settings: the largest random walk of each sensor's axes.
    static func keys(_ curves: [NoiseCollector.Curve]) -> [SettingsFileEdit.Key] {
        func largest(_ isGyro: Bool) -> Double? {
            let fits = curves.filter { $0.isGyro == isGyro }.compactMap(\.fit)
            return fits.count == 3 ? fits.map(\.randomWalk).max() : nil
        }
        var keys: [SettingsFileEdit.Key] = []
        if let gyro = largest(true) {
            keys.append(.init("fusion", "gyro_noise_deg_s_sqrt_hz", number(gyro * 180 / .pi)))
        }
        if let accelerometer = largest(false) {
            keys.append(.init("fusion", "accelerometer_noise_m_s2_sqrt_hz", number(accelerometer)))
        }
        return keys
    }

    /// A number without exponent.
    private static func number(_ value: Double) -> String {
        let micro = Int64(min(max((value * 1e7).rounded(), 1), 1e12))
        let digits = String(micro % 10_000_000)
        return "\(micro / 10_000_000)." + String(repeating: "0", count: 7 - digits.utf8.count) + digits
    }

    private static func yaml(_ keys: [SettingsFileEdit.Key]) -> String {
        keys.isEmpty ? "" : "fusion:\n" + keys.map { "  \($0.name): \($0.value)\n" }.joined()
    }

    private static func write(_ curve: NoiseCollector.Curve, _ writer: inout JSONWriter) {
        writer.string("{\"axis\":", curve.name)
        writer.numbers(",\"seconds\":", curve.points.map(\.seconds), decimals: 4)
        writer.numbers(",\"deviation\":", curve.points.map(\.deviation), decimals: 9)
        writer.literal("}")
    }

    private func write(_ bytes: [UInt8], to path: String) throws(ExitCode) {
        do throws(FileFault) {
            try AtomicFile.replace(path, with: bytes, permissions: 0o644)
        } catch {
            complain("\(path): \(error.reason); \(error.remedy)")
            throw ExitCode.cannotWrite
        }
    }

    /// Changes the keys of a settings file; returns what was done.
    private func writeSettings(_ keys: [SettingsFileEdit.Key], to path: String) throws(ExitCode) -> String {
        do throws(SettingsFileEdit.Failure) {
            return Self.note(try SettingsFileEdit.apply(keys, to: path), path)
        } catch {
            complain("\(path): \(error.reason)")
            throw error.isSettings ? ExitCode.badSettings : ExitCode.cannotWrite
        }
    }

    /// What was done with a settings file.
    static func note(_ change: SettingsFileEdit.Change, _ path: String) -> String {
        let before: String
        switch change {
        case .unchanged: return "\(path) has these settings already"
        case .created: before = ""
        case .changed(let previous): before = ", the one before is \(previous)"
        }
        return "written to \(path)\(before); in force after sudo systemctl restart posed"
    }
}
