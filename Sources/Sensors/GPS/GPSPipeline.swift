import Measurements
import PoseMath
import SensorInterface

/// All between gpsd's reports and fixes: choice of the receiver, epochs, order in time, date, checks, time of validity.
/// Pure.
struct GPSPipeline {
    /// A receiver that gave no time at all for so long is taken as one that never does, seconds.
    private static let untimedAfterSeconds = 3.0
    /// A receiver without a fix for so long gives way to another that has one, seconds.
    private static let leadWithoutFixSeconds = 5.0

    private let settings: GPSSettings
    private let date: ReceiverDate
    private var assembler = EpochAssembler()
    private var timeline = EpochTimeline()
    private var clock: FixClock
    private var stuck = StuckReceiverDetector()
    private var interference = InterferenceDetector()
    private var cycle = CycleEstimate()
    private var drivers: [String: String] = [:]
    private var firstReport: MonotonicTime?
    private var lastTimedReport: MonotonicTime?
    private var lastEpochUTC: Int64?
    private var sky = GpsdSky()
    /// The receiver that led last, also after it fell silent.
    private var lastLeadingDevice: String?
    /// When the leading receiver had its last fix, or took the lead.
    private var lastFixArrival: MonotonicTime?

    /// Refusals by reason.
    private(set) var counts = GPSRejectionCounts()
    /// Fixes handed over.
    private(set) var acceptedCount: UInt64 = 0
    /// The receiver listened to; `nil` before the first report.
    private(set) var leadingDevice: String?
    /// The last fix handed over.
    private(set) var lastFix: GnssFix?

    /// A pipeline that has seen nothing.
    init(settings: GPSSettings) {
        self.settings = settings
        date = ReceiverDate(earliestUTCNanoseconds: settings.earliestUTCNanoseconds)
        clock = FixClock(nominalLatencySeconds: settings.nominalLatencySeconds)
    }

    /// Time between the receiver's epochs as far as known, seconds.
    var cycleSeconds: Double { cycle.seconds }

    /// Satellites used and in view as last said; `nil` is unknown.
    var satellites: (used: UInt16?, visible: UInt16?) { (sky.satellitesUsed, sky.satellitesVisible) }

    /// Whether the receiver says that it is jammed.
    var isJammed: Bool { interference.isJammed }

    /// Latency of the fastest way from the receiver's time of validity to here, seconds.
    var latencySeconds: Double { clock.latencySeconds }

    /// When ``expire(at:)`` has something to do; `nil` while nothing is held back.
    var deadline: MonotonicTime? { assembler.deadline }

    /// Takes a report and returns the fixes that are ready by it.
    mutating func ingest(_ report: GpsdReport, at arrival: ArrivalTime) -> [GnssFix] {
        switch report {
        case .fix(let fix): return ingest(fix, at: arrival)
        case .sky(let sky): ingest(sky)
        case .devices(let devices): devices.forEach { learn($0) }
        case .device(let device): learn(device)
        case .unreadable: counts.add(.unreadableLine)
        case .version, .error, .other: break
        }
        return []
    }

    /// Hands over the epoch that has been held back long enough.
    mutating func expire(at now: MonotonicTime) -> [GnssFix] {
        guard let epoch = assembler.expire(at: now) else { return [] }
        return finish([epoch], at: now)
    }

    /// Counts lines that were too long to be taken.
    mutating func addOverlongLines(_ count: UInt64) { counts.add(.overlongLine, times: count) }

    /// The receiver listened to fell silent or the connection broke: the next one to report leads, and an epoch in
    /// progress is dropped.
    mutating func receiverFellSilent() {
        assembler.restart()
        leadingDevice = nil
        sky = GpsdSky()
    }

    // MARK: Receivers

    private mutating func learn(_ device: GpsdDevice) {
        // A receiver that keeps changing its name must not fill the memory.
        if drivers.count > 64 { drivers.removeAll() }
        if !device.driver.isEmpty { drivers[device.path] = device.driver }
        if let seconds = device.cycleSeconds, device.path == leadingDevice || leadingDevice == nil {
            cycle.nominalSeconds = seconds
        }
    }

    /// Whether reports of this receiver count: it leads, or might come to lead because none does.
    func isListening(to path: String) -> Bool { isWanted(path) && (leadingDevice == nil || leadingDevice == path) }

    private func isWanted(_ path: String) -> Bool { settings.device == nil || path.isEmpty || path == settings.device }

    /// Whether this receiver, which has a fix, is the one listened to. The first with a fix becomes it, and another
    /// when it has had none for long.
    private mutating func isLeading(_ path: String, at now: MonotonicTime) -> Bool {
        guard isWanted(path) else { return false }
        if leadingDevice == path { return true }
        let isWithoutFix = lastFixArrival.map { now.seconds(since: $0) > Self.leadWithoutFixSeconds } ?? false
        guard leadingDevice == nil || isWithoutFix else { return false }
        leadingDevice = path
        lastFixArrival = now
        if let last = lastLeadingDevice, last != path { beginAnew() }
        lastLeadingDevice = path
        return true
    }

    /// Another receiver has another cadence, another latency and its own idea of an epoch.
    private mutating func beginAnew() {
        assembler.restart()
        timeline.restart()
        clock = FixClock(nominalLatencySeconds: settings.nominalLatencySeconds)
        stuck = StuckReceiverDetector()
        interference = InterferenceDetector()
        cycle = CycleEstimate()
        sky = GpsdSky()
    }

    // MARK: Reports

    private mutating func ingest(_ sky: GpsdSky) {
        guard sky.devicePath == leadingDevice || leadingDevice == nil else { return }
        self.sky.satellitesUsed = sky.satellitesUsed ?? self.sky.satellitesUsed
        self.sky.satellitesVisible = sky.satellitesVisible ?? self.sky.satellitesVisible
    }

    private mutating func ingest(_ fix: GpsdFix, at arrival: ArrivalTime) -> [GnssFix] {
        // Only a receiver with a fix takes the lead: one that never sees the sky would keep the others out.
        let isHeard = fix.mode >= 2 ? isLeading(fix.devicePath, at: arrival.monotonic) : isListening(to: fix.devicePath)
        guard isHeard else {
            counts.add(.otherDevice)
            return []
        }
        cycle.add(utcNanoseconds: fix.utcNanoseconds, arrival: arrival.monotonic)
        guard fix.mode >= 2 else {
            counts.add(.noFix)
            assembler.addNoFix(utcNanoseconds: fix.utcNanoseconds)
            return []
        }
        if fix.hasUnusableTime { counts.add(.timeUnusable) }
        guard hasTimeOrNeedsNone(fix, at: arrival.monotonic) else { return [] }
        assembler.cycleSeconds = cycle.seconds
        return finish(assembler.add(fix, at: arrival), at: arrival.monotonic)
    }

    /// Early in an epoch, and before it knows the date, a receiver may report without a time; only one that never gives
    /// any is heard without.
    private mutating func hasTimeOrNeedsNone(_ fix: GpsdFix, at now: MonotonicTime) -> Bool {
        let first = firstReport ?? now
        firstReport = first
        if fix.utcNanoseconds != nil {
            lastTimedReport = now
            return true
        }
        if now.seconds(since: lastTimedReport ?? first) > Self.untimedAfterSeconds { return true }
        counts.add(.timeMissing)
        return false
    }

    // MARK: Epochs

    private mutating func finish(_ epochs: [ReceiverEpoch], at now: MonotonicTime) -> [GnssFix] {
        epochs.compactMap { finish($0, at: now) }
    }

    private mutating func finish(_ epoch: ReceiverEpoch, at now: MonotonicTime) -> GnssFix? {
        let driver = drivers[epoch.fix.devicePath] ?? ""
        var builder = FixBuilder(
            maximumSpeedMetersPerSecond: settings.maximumSpeedMetersPerSecond,
            estimates: ErrorEstimates(confidence: settings.errorConfidence, driver: driver))
        guard follows(epoch) else { return nil }
        let interval = intervalSeconds(to: epoch)
        let built = builder.build(epoch.fix, validityTime: now, arrivalTime: now, intervalSeconds: interval)
        builder.rejections.forEach { counts.add($0) }
        guard var fix = built else { return nil }
        guard !stuck.isStuck(fix) else {
            counts.add(.positionStuck)
            return nil
        }
        // The fix goes on, marked: the filter records the veto, and a display shows that there is a receiver.
        fix.isInterfered = interference.update(epoch.fix.jammingIndicator, at: now)
        if fix.isInterfered { counts.add(.interference) }
        setTimes(of: &fix, epoch: epoch)
        fix.satellitesUsed = sky.satellitesUsed
        fix.satellitesVisible = sky.satellitesVisible
        lastEpochUTC = epoch.fix.utcNanoseconds
        lastFixArrival = now
        acceptedCount += 1
        lastFix = fix
        return fix
    }

    private mutating func follows(_ epoch: ReceiverEpoch) -> Bool {
        guard let utc = epoch.fix.utcNanoseconds else { return true }
        switch timeline.judge(utcNanoseconds: utc, arrival: epoch.firstArrival.monotonic) {
        case .accepted:
            return true
        case .acceptedAsNewTime:
            clock.restartTime()
            lastEpochUTC = nil
            return true
        case .refused(let reason):
            counts.add(reason)
            return false
        }
    }

    private func intervalSeconds(to epoch: ReceiverEpoch) -> Double {
        guard let utc = epoch.fix.utcNanoseconds, let last = lastEpochUTC else { return cycle.seconds }
        return min(max(Double(utc &- last) * 1e-9, 0.02), 10)
    }

    private mutating func setTimes(of fix: inout GnssFix, epoch: ReceiverEpoch) {
        if let utc = epoch.fix.utcNanoseconds {
            switch date.judge(utcNanoseconds: utc, realtimeNanoseconds: epoch.firstArrival.realtimeNanoseconds) {
            case .plausible(let right):
                fix.utcNanoseconds = right
            case .rolledOver(let right):
                fix.utcNanoseconds = right
                counts.add(.weekRollover)
            case .implausible:
                counts.add(.dateImplausible)
            }
        }
        fix.validityTime = clock.validity(
            utcNanoseconds: epoch.fix.utcNanoseconds, dateNanoseconds: fix.utcNanoseconds, arrival: epoch.firstArrival)
    }
}
