import DriveRecording
import Engine
import MCAP
import Measurements
import Recording
import Replay

/// Reads the measurements of a recording of posed, in the order in which the engine took them. It goes on with the next
/// part of a recording of several files.
final class MCAPRecordingReader: InputReader {
    private(set) var kinds: Set<SensorKind> = []

    private let reader: RecordedParts
    private var info: RecordingInfo?
    private var lastNumber: UInt64 = 0
    private var lost: UInt64 = 0
    private var counts = Counts()

    /// Whether posed was reset, from where on the frames of a replay are known.
    private var hasReset = false

    /// Entries that are no measurements.
    private struct Counts {
        var frames = 0
        var events = 0
        var commands = 0
        var roadAnswers = 0
        var logLines = 0
    }

    /// Opens a recording. It is read once to find its sensors.
    init(path: String) throws(RecordingError) {
        let all = SensorKind.allCases.count
        let first = try Self.reading { () throws(MCAPProblem) in try RecordedParts(path: path) }
        while kinds.count < all,
            let entry = try Self.reading({ () throws(MCAPProblem) in try first.next() })
        {
            if case .input(.event(let event), _) = entry { kinds.insert(event.kind) }
        }
        reader = try Self.reading { () throws(MCAPProblem) in try RecordedParts(path: path) }
        guard !kinds.isEmpty else {
            throw .empty(path, notes: first.notes)
        }
    }

    var progress: Double { min(reader.progress, 1) }

    /// Whether the positions were moved to a random place; known with the first measurement.
    var isPrivate: Bool { info?.isPrivate ?? false }

    var notes: [String] {
        reader.notes + (lost > 0 ? ["\(lost) inputs were lost while recording"] : [])
    }

    var details: [String] {
        guard let info else { return [] }
        let origin = info.convertedFrom.map { "converted from \($0)" } ?? "recorded"
        let part = info.part > 0 ? ", part \(UInt(info.part) + 1)" : ""
        let place = info.isPrivate ? ", positions moved to a random place" : ""
        let midRun =
            "begins in mid-run: "
            + (hasReset
                ? "its replay gives the live frames from the first reset on"
                : "a replay aligns again, its frames are not the live ones")
        return ["\(origin) by release \(info.release)\(part)\(place)"] + (info.beginsInMidRun ? [midRun] : []) + [
            "\(counts.frames) frames, \(counts.events) events and maneuvers, \(counts.commands) commands, "
                + "\(counts.roadAnswers) road answers, \(counts.logLines) log lines"
        ]
    }

    func next() throws(RecordingError) -> SensorEvent? {
        while let input = try nextInput() {
            if case .event(let event) = input { return event }
        }
        return nil
    }

    func nextInput() throws(RecordingError) -> EngineInput? {
        while let entry = try Self.reading({ () throws(MCAPProblem) in try reader.next() }) {
            switch entry {
            case .info(let facts): info = info ?? facts
            case .input(let input, let number):
                note(number)
                note(input)
                // What is older than the file was already read in the file before.
                if number > 0 || reader.isFirstFile { return input }
            case .frame: counts.frames += 1
            case .event: counts.events += 1
            case .log: counts.logLines += 1
            case .settings, .roads, .publications: break
            }
        }
        return nil
    }

    private func note(_ input: EngineInput) {
        guard case .command(let command) = input else { return }
        if case .reset(_?) = command { hasReset = true }
        if case .setSpeedHorizon = command { counts.roadAnswers += 1 } else { counts.commands += 1 }
    }

    /// Counts the inputs that are missing between two numbers; 0 is an input from before the file.
    private func note(_ number: UInt64) {
        guard number > 0 else { return }
        if lastNumber > 0, number > lastNumber { lost += number - lastNumber - 1 }
        lastNumber = max(lastNumber, number)
    }

    private static func reading<Value: ~Copyable>(_ body: () throws(MCAPProblem) -> Value) throws(RecordingError)
        -> Value
    {
        do throws(MCAPProblem) { return try body() } catch {
            let place = error.offset.map { "byte \($0): " } ?? ""
            throw RecordingError(path: error.path, problem: place + error.problem, remedy: error.remedy)
        }
    }
}
