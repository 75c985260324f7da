import ArgumentParser
import Calibration
import Conversion
import Geodesy
import Glibc
import Measurements
import Monitor
import Platform
import Recording

/// Where the samples of a calibration come from.
struct CalibrationInput: ParsableArguments {
    @Argument(
        help: "The recording: a file or a folder. Without it live from the daemon.", completion: .file())
    var recording: String?

    @OptionGroup var socket: SocketOptions

    @Option(help: ArgumentHelp("Give up live after so long, 1 to 1000000.", valueName: "seconds"))
    var limit: Double?

    /// Time after which a live calibration gives up, seconds.
    static let usualLimit = 600.0

    func validate() throws {
        if let limit, !(limit >= 1 && limit <= 1_000_000) {
            throw ValidationError("--limit must lie between 1 and 1000000 seconds")
        }
    }

    /// The recording, opened; a damaged one ends the program.
    func reader(_ path: String) throws -> any EventReader {
        let format = try RecordingFormat.detected(nil, of: path)
        do throws(RecordingError) {
            return try Conversion.open(path, format)
        } catch {
            complain(error.description)
            throw ExitCode.badData
        }
    }

    /// Gravity at the first fix of the recording, m/s2; `nil` without one.
    func recordedGravity() throws -> Double? {
        guard let recording else { return nil }
        let reader = try reader(recording)
        for _ in 0..<100_000 {
            guard let event = try? reader.next() else { return nil }
            if case .gnss(let fix) = event, let latitude = fix.latitudeRadians, latitude.magnitude <= .pi / 2 {
                let height = fix.altitudeEllipsoidMeters ?? 0
                return WGS84.normalGravity(
                    latitudeRadians: latitude, altitudeEllipsoidMeters: min(max(height, -500), 9000))
            }
        }
        return nil
    }
}

/// Collects the samples of a calibration, and shows how far it is.
struct CalibrationRun<Collector: CalibrationCollector> {
    /// The collector.
    private(set) var collector: Collector
    /// The device of gyro and accelerometer of a live calibration; `nil` for a recording, or while unknown.
    private(set) var imuDevice: String?
    /// The device of the magnetometer.
    private(set) var magnetometerDevice: String?
    /// The corrections that the samples had already.
    private(set) var inForce = SensorCorrections()
    /// Whether the samples came from the daemon.
    let isLive: Bool

    private let input: CalibrationInput
    private let title: String
    private let isQuiet: Bool

    init(_ collector: Collector, input: CalibrationInput, title: String, isQuiet: Bool) {
        self.collector = collector
        self.input = input
        self.title = title
        self.isQuiet = isQuiet
        isLive = input.recording == nil
    }

    /// Collects until there is enough, and judges.
    mutating func collect() throws -> CalibrationReport {
        if let path = input.recording {
            try read(path)
        } else {
            try listen()
        }
        return collector.report()
    }

    private mutating func read(_ path: String) throws {
        let reader = try input.reader(path)
        let bar = ProgressBar(isHidden: isQuiet)
        var count = 0
        defer { bar.clear() }
        do throws(RecordingError) {
            while let event = try reader.next() {
                collector.add(event)
                count += 1
                if count % 1000 == 0 { bar.show(reader.progress) }
            }
        } catch {
            bar.clear()
            complain(error.description)
            throw ExitCode.badData
        }
        for note in reader.notes { complain("left out: \(note)") }
    }

    // MARK: - Live

    private static var pollSeconds: Double { 0.1 }
    private static var silenceSeconds: Double { 5 }

    private mutating func listen() throws {
        let signals = SignalSource()
        let screen = CalibrationScreen(title: title, isQuiet: isQuiet)
        let began = SystemSeconds.now
        var heard = began
        do throws(CommandClient.Failure) {
            var client = try SampleClient(socketPath: input.socket.path)
            while !collector.progress.isComplete, signals?.next() == nil {
                let batch = try client.next()
                note(batch)
                let now = SystemSeconds.now
                if batch.events.contains(where: { $0.kind == Collector.sensor }) { heard = now }
                screen.show(collector.progress, seconds: now - began)
                guard now - heard < Self.silenceSeconds else {
                    screen.end()
                    let name = Collector.sensor == .imu ? "IMU" : "magnetometer"
                    complain("the daemon receives no samples of the \(name): posectl status tells why")
                    throw CommandClient.Failure.rejected("")
                }
                guard now - began < input.limit ?? CalibrationInput.usualLimit else { break }
                wait(signals)
            }
            screen.show(collector.progress, seconds: SystemSeconds.now - began)
            screen.end()
        } catch {
            screen.end()
            if !error.description.isEmpty { complain(error.description) }
            if case .noDaemon = error { throw ExitCode.noDaemon }
            throw ExitCode.badData
        }
    }

    private mutating func note(_ batch: SampleClient.Batch) {
        for event in batch.events { collector.add(event) }
        imuDevice = batch.imuDevice ?? imuDevice
        magnetometerDevice = batch.magnetometerDevice ?? magnetometerDevice
        inForce = batch.corrections
    }

    /// Waits for the next samples, or for Ctrl-C.
    private func wait(_ signals: SignalSource?) {
        var watched = pollfd(fd: signals?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
        poll(&watched, 1, Int32(Self.pollSeconds * 1000))
    }
}

/// Shows the progress of a live calibration: one screen on a terminal, else a line for each change.
final class CalibrationScreen {
    private let title: String
    private let isTerminal: Bool
    private let isQuiet: Bool
    private var shownAt = -1.0
    private var line = ""
    private var lines = 0

    private static let interval = 0.25
    private static let width = 40
    /// Most rows of one line.
    private static let rowLimit = 6

    init(title: String, isQuiet: Bool) {
        self.title = title
        self.isQuiet = isQuiet
        let isDumb = getenv("TERM").map { strcmp($0, "dumb") == 0 } ?? true
        isTerminal = isatty(STDERR_FILENO) == 1 && !isDumb
    }

    /// Shows the present state.
    func show(_ progress: CollectionProgress, seconds: Double) {
        guard !isQuiet, progress.isComplete || seconds - shownAt >= Self.interval else { return }
        guard isTerminal else {
            if let text = newLine(for: progress) { writeText(text, to: STDERR_FILENO) }
            return
        }
        shownAt = seconds
        let full = Int((min(max(progress.share, 0), 1) * Double(Self.width)).rounded(.down))
        let bar = String(repeating: "#", count: full) + String(repeating: ".", count: Self.width - full)
        let text = [
            "Calibration of the \(title), \(Int(seconds)) s (Ctrl-C ends it)", "",
            "  [\(bar)] \(Int(progress.share * 100)) %", "  \(progress.coverage)", "", "  \(progress.advice)", "",
        ]
        let rows = Self.rows(text, columns: Self.columns)
        writeText(Self.drawing(rows, over: lines), to: STDERR_FILENO)
        lines = rows.count
    }

    /// The columns of the terminal; 80 if it does not report them.
    private static var columns: Int {
        var size = winsize()
        // Where it fails, zeros stay.
        _ = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size)
        return size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Lines in rows that fit the columns, each as far to the right as its line. Where the terminal broke a line by
    /// itself, the next drawing would not find the first one.
    static func rows(_ lines: [String], columns: Int) -> [String] {
        lines.flatMap { line -> [String] in
            let space = String(line.prefix { $0 == " " }.prefix(max(columns - 1, 0)))
            let text = String(line.drop { $0 == " " })
            let rows = Ellipsis(sign: "...").wrap(text, max(columns - space.count, 1), most: rowLimit)
            return rows.isEmpty ? [""] : rows.map { space + $0 }
        }
    }

    /// Rows in place of those that were drawn before, of which some may be left.
    static func drawing(_ rows: [String], over before: Int) -> String {
        (before > 0 ? "\u{1B}[\(before)A\r\u{1B}[J" : "") + rows.map { "\r\u{1B}[K\($0)\n" }.joined()
    }

    /// Ends the screen; what was shown last stays.
    func end() { lines = 0 }

    /// A line for a state of which more than the numbers of the advice has changed since the last one, else `nil`.
    func newLine(for progress: CollectionProgress) -> String? {
        let new = progress.advice.filter { !$0.isNumber && $0 != "." }
        let covered = progress.coverage.hasPrefix("faces") ? progress.coverage : ""
        guard new + covered != line else { return nil }
        line = new + covered
        let percent = Int(min(max(progress.share, 0), 1) * 100)
        return "\(percent) %, \(progress.coverage): \(progress.advice)\n"
    }
}
