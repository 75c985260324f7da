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
/// from zero at the first fix. All consecutive reports of one receiver with the same time are one epoch. The first
/// receiver with a fix is used; another one with a fix takes over when that one has had none for 5 s.
final class GpsdLogReader: EventReader {
    let kinds: Set<SensorKind> = [.gps]

    private let source: any GpsdLineSource
    private let path: String
    private var rejections = GPSRejectionCounts()
    private var drivers: [String: String] = [:]
    private var sky = GpsdSky()
    private var leadingDevice: String?
    /// From when on other receivers have had a fix and the leading one none, by their time.
    private var othersSince: Int64?
    /// The receivers whose fixes were used, by device; their place is part of a fix. The last place is for all others.
    private var led: [String] = []
    private var lastDevice: String?
    private var open: GpsdFix?
    /// The last headings that are not part of an epoch yet, by device.
    private var pendingHeadings: [String: GpsdAttitude] = [:]
    /// Whether a receiver sends the heading of an epoch before its position, by device.
    private var sendsHeadingFirst: [String: Bool] = [:]
    private var clock = LogClock()
    private var interference = InterferenceDetector()
    private var hasFix = false

    /// A receiver that keeps changing its name must not use unlimited memory.
    private static let mostDrivers = 64
    private static let mostLed = 8
    private static let leadWithoutFixNanoseconds: Int64 = 5_000_000_000

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
        let isWithoutDate = !why.isEmpty && rejections.all.allSatisfy { $0.count <= rejections[.timeMissing] }
        let date =
            "the receiver sends no date: let it send RMC or ZDA, or record with posed, which has the times of arrival"
        let sky = "give a log of a receiver with a view of the sky, as gpspipe -w or the receiver itself writes it"
        return RecordingError(
            path: path, problem: "contains no usable fix" + (why.isEmpty ? "" : " (\(why))"),
            remedy: isWithoutDate ? date : sky)
    }

    /// Takes a report; returns the epoch that it completes.
    private func add(_ report: GpsdReport) -> GpsdFix? {
        switch report {
        case .fix(let fix): return add(fix)
        case .sky(let report) where leadingDevice == nil || report.devicePath == leadingDevice:
            if report.devicePath != sky.devicePath { sky = GpsdSky(devicePath: report.devicePath) }
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

    /// Takes the heading for the epoch with its time, else for that before or after it, as the receiver sends it.
    private func add(_ attitude: GpsdAttitude) {
        let device = attitude.devicePath
        let isOfOpen = open.map { $0.devicePath == device } ?? false
        switch attitude.usableHeading() {
        case .success(let degrees):
            let hasOpenTime = attitude.utcNanoseconds != nil && attitude.utcNanoseconds == open?.utcNanoseconds
            if isOfOpen, hasOpenTime || sendsHeadingFirst[device] != true {
                open?.headingDegrees = degrees
            } else if pendingHeadings.count < Self.mostDrivers || pendingHeadings[device] != nil {
                pendingHeadings[device] = attitude
            }
        case .failure(let reason): if isOfOpen { rejections.add(reason) }
        case nil: break
        }
    }

    /// Notes with a receiver's first report of a position whether its heading came before.
    private func noteOrder(_ fix: GpsdFix) {
        let device = fix.devicePath
        guard sendsHeadingFirst[device] == nil, sendsHeadingFirst.count < Self.mostDrivers else { return }
        guard let heading = pendingHeadings[device] else {
            sendsHeadingFirst[device] = false
            return
        }
        // A log may begin between a position and its heading: times tell, where there are some.
        sendsHeadingFirst[device] = heading.utcNanoseconds == nil || heading.utcNanoseconds == fix.utcNanoseconds
    }

    /// The first report of an epoch with the heading that came before it.
    private func withPendingHeading(_ fix: GpsdFix) -> GpsdFix {
        guard let heading = pendingHeadings.removeValue(forKey: fix.devicePath),
            sendsHeadingFirst[fix.devicePath] == true
        else { return fix }
        var fix = fix
        fix.headingDegrees = heading.headingDegrees
        return fix
    }

    private func register(_ device: GpsdDevice) {
        guard !device.driver.isEmpty, drivers.count < Self.mostDrivers || drivers[device.path] != nil else { return }
        drivers[device.path] = device.driver
    }

    private func add(_ fix: GpsdFix) -> GpsdFix? {
        noteOrder(fix)
        if fix.mode >= 2 {
            chooseLeader(fix)
        } else {
            // The heading of a time without a fix is not that of a later fix.
            pendingHeadings[fix.devicePath] = nil
        }
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
        guard let current = open, current.utcNanoseconds == fix.utcNanoseconds, current.devicePath == fix.devicePath
        else {
            defer { open = withPendingHeading(fix) }
            return open
        }
        open?.merge(fix)
        return nil
    }

    /// Lets the receiver of a fix lead if no other one does, or the leading one has had no fix for 5 s.
    private func chooseLeader(_ fix: GpsdFix) {
        if leadingDevice == nil || leadingDevice == fix.devicePath {
            leadingDevice = fix.devicePath
            othersSince = nil
            return
        }
        guard let utc = fix.utcNanoseconds else { return }
        // Times lie in 1970 to 2100, so that a difference fits. A date that is far from that of the leading receiver
        // does not tell how long that one is silent: then the other one's own time does.
        let near = 0...LogClock.dayNanoseconds
        let last: Int64? = open?.utcNanoseconds.flatMap { near.contains(utc - $0) ? $0 : nil }
        let since = othersSince ?? last ?? utc
        othersSince = since
        guard utc - since > Self.leadWithoutFixNanoseconds else { return }
        leadingDevice = fix.devicePath
        othersSince = nil
    }

    /// Number of a receiver, as the live source gives it: the same for the same device.
    private func number(of path: String) -> UInt8 {
        if !led.contains(path), led.count < Self.mostLed { led.append(path) }
        return UInt8(clamping: led.firstIndex(of: path) ?? Self.mostLed - 1)
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
        if sky.devicePath == epoch.devicePath {
            fix.satellitesUsed = sky.satellitesUsed
            fix.satellitesVisible = sky.satellitesVisible
        }
        fix.receiver = number(of: epoch.devicePath)
        if lastDevice != epoch.devicePath { interference = InterferenceDetector() }
        lastDevice = epoch.devicePath
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

    static let dayNanoseconds: Int64 = 86_400_000_000_000
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
