import GpsdReports
import Measurements
import PoseMath
import Recording
import SensorInterface

/// Delivers the lines of gpsd's JSON: from a file, or from a running gpsd.
protocol GpsdLineSource: AnyObject {
    /// The share that has been read, 0 to 1.
    var progress: Double { get }
    /// The next line; `nil` at the end.
    func next() throws(RecordingError) -> [UInt8]?
}

/// Converts gpsd's reports into fixes with the checks of the live source.
///
/// Such a log has no times of arrival: a fix arrives when it is valid, and the recording's clock is the receiver's,
/// from zero at the first fix. All consecutive reports of one receiver with the same time are one epoch.
final class GpsdLogReader: EventReader {
    let kinds: Set<SensorKind> = [.gps]

    private let source: any GpsdLineSource
    private let path: String
    private var rejections = GPSRejectionCounts()
    private var drivers: [String: String] = [:]
    private var sky = GpsdSky()
    private var leadingDevice: String?
    private var open: GpsdFix?
    private var clock = LogClock()
    private var interference = InterferenceDetector()
    private var hasFix = false

    /// A receiver that keeps changing its name must not use unlimited memory.
    private static let mostDrivers = 64

    init(_ source: any GpsdLineSource, path: String) {
        self.source = source
        self.path = path
    }

    var progress: Double { source.progress }

    var notes: [String] {
        var notes = rejections.all.map { "\($0.reason): \($0.count) reports" }
        if clock.steps > 0 { notes.append("the log's time changes \(clock.steps) times; the clock continues there") }
        return notes
    }

    func next() throws(RecordingError) -> SensorEvent? {
        while let line = try source.next() {
            guard let epoch = add(GpsdJSON.report(line)), let fix = fix(of: epoch) else { continue }
            return .gnss(fix)
        }
        defer { open = nil }
        if let last = open, let fix = fix(of: last) { return .gnss(fix) }
        if !hasFix { throw withoutFix }
        return nil
    }

    private var withoutFix: RecordingError {
        let why = rejections.all.map { "\($0.reason) \($0.count)" }.joined(separator: ", ")
        return RecordingError(
            path: path, problem: "contains no usable fix" + (why.isEmpty ? "" : " (\(why))"),
            remedy: "give a log of a receiver with a view of the sky, as gpspipe -w or the receiver itself writes it")
    }

    /// Takes a report; returns the epoch that it completes.
    private func add(_ report: GpsdReport) -> GpsdFix? {
        switch report {
        case .fix(let fix): return add(fix)
        case .sky(let report) where leadingDevice == nil || report.devicePath == leadingDevice:
            sky.satellitesUsed = report.satellitesUsed ?? sky.satellitesUsed
            sky.satellitesVisible = report.satellitesVisible ?? sky.satellitesVisible
        case .attitude(let attitude): add(attitude)
        case .device(let device): register(device)
        case .devices(let devices): devices.forEach { register($0) }
        case .unreadable: rejections.add(.unreadableLine)
        case .sky, .version, .error, .other: break
        }
        return nil
    }

    /// Takes the heading for the epoch in which the log has it.
    private func add(_ attitude: GpsdAttitude) {
        guard open != nil, leadingDevice == nil || attitude.devicePath == leadingDevice else { return }
        switch attitude.usableHeading() {
        case .success(let degrees): open?.headingDegrees = degrees
        case .failure(let reason): rejections.add(reason)
        case nil: break
        }
    }

    private func register(_ device: GpsdDevice) {
        guard !device.driver.isEmpty, drivers.count < Self.mostDrivers || drivers[device.path] != nil else { return }
        drivers[device.path] = device.driver
    }

    private func add(_ fix: GpsdFix) -> GpsdFix? {
        if fix.mode >= 2, leadingDevice == nil { leadingDevice = fix.devicePath }
        let problem: GPSRejection? =
            if let leadingDevice, fix.devicePath != leadingDevice {
                .otherDevice
            } else if fix.mode < 2 {
                .noFix
            } else if fix.utcNanoseconds == nil {
                fix.hasUnusableTime ? .timeUnusable : .timeMissing
            } else {
                nil
            }
        if let problem {
            rejections.add(problem)
            return nil
        }
        guard let current = open, current.utcNanoseconds == fix.utcNanoseconds else {
            defer { open = fix }
            return open
        }
        open?.merge(fix)
        return nil
    }

    /// Checks an epoch and converts it; `nil` if it is rejected.
    private func fix(of epoch: GpsdFix) -> GnssFix? {
        guard let utc = epoch.utcNanoseconds else { return nil }
        guard let (time, interval) = clock.time(utcNanoseconds: utc) else {
            rejections.add(.timeNotForward)
            return nil
        }
        let settings = GPSSettings()
        var builder = FixBuilder(
            maximumSpeedMetersPerSecond: settings.maximumSpeedMetersPerSecond,
            estimates: ErrorEstimates(
                confidence: settings.errorConfidence, driver: drivers[epoch.devicePath] ?? ""))
        let built = builder.build(epoch, validityTime: time, arrivalTime: time, intervalSeconds: interval)
        builder.rejections.forEach { rejections.add($0) }
        guard var fix = built else { return nil }
        fix.utcNanoseconds = utc
        fix.satellitesUsed = sky.satellitesUsed
        fix.satellitesVisible = sky.satellitesVisible
        fix.isInterfered = interference.update(epoch.jammingIndicator, at: time)
        if fix.isInterfered { rejections.add(.interference) }
        hasFix = true
        return fix
    }
}

/// The clock of a log without times of arrival: the receiver's UTC from zero at the first epoch.
///
/// Single epochs whose time goes back are rejected. Three in a row, or a jump ahead of more than a day, are another
/// recording in the same file, or a receiver that has learned the date: the clock continues one second later.
struct LogClock {
    /// Number of changes of the receiver's time.
    private(set) var steps = 0
    private var last: (utc: Int64, time: Int64)?
    private var back: (utc: Int64, count: Int)?

    private static let dayNanoseconds: Int64 = 86_400_000_000_000
    private static let secondNanoseconds: Int64 = 1_000_000_000
    private static let confirmations = 3

    /// The time of an epoch and the seconds since the last one; `nil` if it is rejected.
    mutating func time(utcNanoseconds utc: Int64) -> (time: MonotonicTime, intervalSeconds: Double)? {
        guard let last else {
            return accept(utc, 0, intervalSeconds: 1)
        }
        // Both lie in 1970 to 2100, so that the difference fits.
        let elapsed = utc - last.utc
        if elapsed > 0, elapsed <= Self.dayNanoseconds {
            return accept(utc, last.time &+ elapsed, intervalSeconds: Double(elapsed) * 1e-9)
        }
        if elapsed <= 0 {
            let count = back.map { utc > $0.utc ? $0.count + 1 : 1 } ?? 1
            back = (utc, count)
            guard count >= Self.confirmations else { return nil }
        }
        steps += 1
        return accept(utc, last.time &+ Self.secondNanoseconds, intervalSeconds: 1)
    }

    private mutating func accept(_ utc: Int64, _ time: Int64, intervalSeconds: Double) -> (MonotonicTime, Double) {
        last = (utc, time)
        back = nil
        return (MonotonicTime(nanoseconds: time), min(max(intervalSeconds, 0.02), 10))
    }
}

/// The lines of a file.
final class FileLines: GpsdLineSource {
    private let reader: LineReader

    /// A line of gpsd has at most about 15,000 bytes.
    private static let maximumLineBytes = 65_536

    init(path: String) throws(RecordingError) {
        guard let reader = try LineReader(path: path, maximumLineBytes: Self.maximumLineBytes) else {
            throw RecordingError(path: path, problem: "does not exist", remedy: "check the path")
        }
        self.reader = reader
    }

    var progress: Double { reader.size > 0 ? min(Double(reader.bytesRead) / Double(reader.size), 1) : 0 }

    /// The next line from its first brace on: gpspipe may write a time before it. Blank lines are skipped.
    func next() throws(RecordingError) -> [UInt8]? {
        while let line = try reader.next() {
            let json = line.drop { $0 != UInt8(ascii: "{") }
            if !json.isEmpty { return Array(json) }
            if line.contains(where: { $0 > 32 }) { return [] }
        }
        return nil
    }
}
