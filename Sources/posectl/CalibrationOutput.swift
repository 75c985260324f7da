import ArgumentParser
import Calibration
import Files
import Frames
import Glibc
import SavedState

/// The sensor that a calibration corrects.
enum CalibratedSensor: String {
    case gyro
    case accelerometer
    case magnetometer
}

/// What is done with the result of a calibration.
struct CalibrationOutput: ParsableArguments {
    @Flag(help: "Save the result for the device, if it passes; the daemon uses it from its next start.")
    var save = false

    @Option(
        help: ArgumentHelp("The daemon's folder of state files, for --save.", valueName: "path"),
        completion: .directory)
    var state = "/var/lib/posed"

    @Option(
        help: ArgumentHelp("The device, for --save of a recording; live the daemon names it.", valueName: "name"))
    var device: String?

    @Flag(help: "The recording was made with the saved correction in force: add the result to it.")
    var add = false

    @Flag(help: "Print one JSON object.")
    var json = false

    /// Prints the result, saves it on request, and ends the program with 1 if it failed.
    func finish<Collector>(
        _ report: CalibrationReport, _ run: CalibrationRun<Collector>, of sensor: CalibratedSensor
    ) throws {
        var notes = report.notes
        var file: String?
        var failure: (any Error)?
        if save, report.passes {
            do {
                file = try saved(report, run, of: sensor)
                notes.append("the daemon uses it from its next start: sudo systemctl restart posed")
            } catch {
                // What was measured is shown all the same.
                failure = error
                notes.append("not saved; a saved calibration stays as it is")
            }
        } else if save {
            notes.append("nothing was saved; a saved calibration stays as it is")
        } else if report.passes {
            notes.append("not saved; --save keeps it for the daemon")
        }
        let text = CalibrationText(report, notes: notes, savedTo: file)
        try printResult(json ? text.json(sensor.rawValue) : text.lines(sensor.rawValue))
        if let failure { throw failure }
        if !report.passes { throw ExitCode(1) }
    }

    /// Saves the correction; returns the path of the file.
    private func saved<Collector>(
        _ report: CalibrationReport, _ run: CalibrationRun<Collector>, of sensor: CalibratedSensor
    ) throws -> String {
        let live = sensor == .magnetometer ? run.magnetometerDevice : run.imuDevice
        guard let device = device ?? live, let correction = report.correction else {
            complain("the device is not known: name it with --device, as the journal of posed names it")
            throw ExitCode.cannotWrite
        }
        let folder = CalibrationFolder(path: state)
        var calibration =
            folder.calibration(of: device) { complain($0) }
            ?? SavedCalibration(device: device, corrections: SensorCorrections())
        let place = sensor.place
        let before = run.isLive ? run.inForce[keyPath: place] : add ? calibration.corrections[keyPath: place] : nil
        calibration.corrections[keyPath: place] = before.map { correction.after($0) } ?? correction
        guard calibration.corrections[keyPath: place]?.isValid == true else {
            complain("the result together with the correction in force is none of a working sensor; nothing was saved")
            throw ExitCode.cannotWrite
        }
        do throws(StateProblem) {
            try folder.save(calibration)
        } catch {
            let remedy = "run it as root (sudo), make room, or name another folder with --state"
            complain("\(folder.file(of: device)): \(error); \(remedy)")
            throw ExitCode.cannotWrite
        }
        return folder.file(of: device)
    }
}

extension CalibratedSensor {
    /// Where its correction is.
    fileprivate var place: WritableKeyPath<SensorCorrections, SensorCorrection?> {
        switch self {
        case .gyro: \.gyro
        case .accelerometer: \.accelerometer
        case .magnetometer: \.magnetometer
        }
    }
}

/// A result as text or JSON.
struct CalibrationText {
    private let report: CalibrationReport
    private let notes: [String]
    private let file: String?

    init(_ report: CalibrationReport, notes: [String], savedTo file: String? = nil) {
        (self.report, self.notes, self.file) = (report, notes, file)
    }

    /// Lines for people: the verdict, what was found, what was judged, what to do.
    func lines(_ title: String) -> String {
        var lines = ["\(title): \(report.passes ? "PASS" : "FAIL")"]
        for value in report.values {
            let numbers = value.numbers.map { $0.isFinite ? Self.short($0) : "-" }.joined(separator: "  ")
            lines.append("  \(Self.padded(value.name, to: 40)) \(numbers)")
        }
        for check in report.checks {
            let limit: String
            switch check.limit {
            case .atMost(let most): limit = "at most \(Self.short(most))"
            case .atLeast(let least): limit = "at least \(Self.short(least))"
            }
            let value = check.value.isFinite ? Self.short(check.value) : "unknown"
            let mark = check.passes ? "ok  " : "FAIL"
            let unit = check.unit.isEmpty ? "" : " \(check.unit)"
            lines.append("  \(mark) \(Self.padded(check.name, to: 35)) \(value)\(unit) (\(limit))")
        }
        for check in report.checks where !check.passes { lines.append("  -> \(check.name): \(check.remedy)") }
        lines += notes.map { "  \($0)" }
        if let file {
            let previous = access("\(file).previous", F_OK) == 0 ? "; the one before is \(file).previous" : ""
            lines.append("  saved to \(file)\(previous)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// One JSON object.
    func json(_ title: String, more: (inout JSONWriter) -> Void = { _ in }) -> String {
        var writer = JSONWriter(capacity: 2048)
        writer.string("{\"calibration\":", title)
        writer.boolean(",\"pass\":", report.passes)
        writer.literal(",\"values\":{")
        for (index, value) in report.values.enumerated() {
            if index > 0 { writer.literal(",") }
            writer.string(value.name)
            writer.numbers(":", value.numbers, decimals: 9)
        }
        writer.literal("},\"checks\":")
        writer.list(report.checks) { writer, check in
            writer.string("{\"name\":", check.name)
            writer.number(",\"value\":", check.value, decimals: 6)
            writer.string(",\"unit\":", check.unit)
            switch check.limit {
            case .atMost(let most): writer.number(",\"at_most\":", most, decimals: 6)
            case .atLeast(let least): writer.number(",\"at_least\":", least, decimals: 6)
            }
            writer.boolean(",\"pass\":", check.passes)
            writer.string(",\"remedy\":", check.passes ? nil : check.remedy)
            writer.literal("}")
        }
        writer.strings(",\"notes\":", notes)
        writer.string(",\"saved_to\":", file)
        more(&writer)
        writer.literal("}\n")
        return writer.text
    }

    /// Four significant digits, at least as many decimals as show them.
    static func short(_ value: Double) -> String {
        guard value.isFinite else { return "unknown" }
        guard value != 0 else { return "0" }
        let digits = min(max(3 - Int(log10(value.magnitude).rounded(.down)), 0), 9)
        let scale = pow(10, Double(digits))
        let rounded = (value * scale).rounded() / scale
        let text = "\(rounded)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }
}
