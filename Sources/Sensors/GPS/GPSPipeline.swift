import GpsdReports
import Measurements
import PoseMath
import SensorInterface

/// Converts gpsd's reports into fixes: selection of the receiver, epochs, order in time, date, checks, time of
/// validity. Pure.
struct GPSPipeline {
    /// After this time without any time report a receiver counts as one that never reports time, seconds.
    private static let untimedAfterSeconds = 3.0
    /// After this time without a fix a receiver is replaced by another one that has a fix, seconds.
    private static let leadWithoutFixSeconds = 5.0

    private let settings: GPSSettings
    private let date: ReceiverDate
    private var assembler = EpochAssembler()
    private var timeline = EpochTimeline()
    private var clock: FixClock
    private var repeatedPosition = RepeatedPositionDetector()
    private var interference = InterferenceDetector()
    /// The receiver whose indicator the detector has.
    private var interferenceDevice: String?
    /// Whether the receiver has reported since it last fell silent: an old indicator says nothing of now.
    private var isInterferenceCurrent = false
    private var cycle = CycleEstimate()
    private var drivers: [String: String] = [:]
    private var firstReport: MonotonicTime?
    private var lastTimedReport: MonotonicTime?
    private var lastEpochUTC: Int64?
    private var sky = GpsdSky()
    private var description = ReceiverDescription()
    /// The receivers that have led, by device; their place is part of a fix. The last place is for all others.
    private var led: [String] = []
    private static let mostLed = 8
    private let firstReceiver: UInt8
    /// The last leading receiver; kept when it stops sending.
    private var lastLeadingDevice: String?
    /// The receiver whose satellites and attitude were taken last while none led.
    private var heardDevice: String?
    /// Time of the leading receiver's last fix, or when it became the leading one.
    private var lastFixArrival: MonotonicTime?
    private var isRepeated = false

    /// Rejections by reason.
    private(set) var counts = GPSRejectionCounts()
    /// Number of fixes delivered.
    private(set) var acceptedCount: UInt64 = 0
    /// The receiver in use; `nil` before the first report.
    private(set) var leadingDevice: String?
    /// The receiver whose position report was used last, also after it fell silent; `nil` before the first one.
    private(set) var lastUsedDevice: String?
    /// The last fix delivered.
    private(set) var lastFix: GnssFix?

    /// Creates a pipeline without history.
    ///
    /// - Parameter place: of the receiver, or of the gpsd with several, in the order of the settings, from 0.
    init(settings: GPSSettings, place: Int = 0) {
        self.settings = settings
        firstReceiver = UInt8(clamping: place * Self.mostLed)
        date = ReceiverDate(earliestUTCNanoseconds: settings.earliestUTCNanoseconds)
        clock = FixClock(nominalLatencySeconds: settings.nominalLatencySeconds)
    }

    /// Estimated time between the receiver's epochs, seconds.
    var cycleSeconds: Double { cycle.seconds }

    /// Satellites used and in view as last reported; `nil` if unknown.
    var satellites: (used: UInt16?, visible: UInt16?) { (sky.satellitesUsed, sky.satellitesVisible) }

    /// Whether the last fix repeats the position before it.
    var isPositionStuck: Bool { isRepeated }

    /// What the receiver reports of itself.
    func receiverStatus(at now: MonotonicTime) -> ReceiverStatus {
        let driver = (leadingDevice ?? lastLeadingDevice).flatMap { drivers[$0] }
        return description.status(
            driver: driver, isJammed: isJammed, used: sky.satellitesUsed, visible: sky.satellitesVisible, at: now)
    }

    /// Whether the receiver reports that it is jammed.
    var isJammed: Bool { isInterferenceCurrent && interference.isJammed }

    /// Smallest latency from the receiver's time of validity to the arrival here, seconds.
    var latencySeconds: Double { clock.latencySeconds }

    /// Whether the real-time clock has determined that latency, and is not read again.
    var isLatencySettled: Bool { clock.isLatencySettled }

    /// How much faster the receiver's time runs than the clock of this machine, parts per million; `nil` while unknown.
    var clockDriftPartsPerMillion: Double? { clock.drift.partsPerMillion }

    /// When ``expire(at:)`` must be called; `nil` while no epoch is held.
    var deadline: MonotonicTime? { assembler.deadline }

    /// Processes a report. Returns the fixes that are complete now.
    mutating func ingest(_ report: GpsdReport, at arrival: ArrivalTime) -> [GnssFix] {
        switch report {
        case .fix(let fix): return ingest(fix, at: arrival)
        case .sky(let sky): ingest(sky)
        case .attitude(let attitude): return ingest(attitude, at: arrival)
        case .devices(let devices): devices.forEach { register($0) }
        case .device(let device): register(device)
        case .unreadable: counts.add(.unreadableLine)
        case .version, .error, .other: break
        }
        return []
    }

    /// Returns the fix of the held epoch when its hold time is over.
    mutating func expire(at now: MonotonicTime) -> [GnssFix] {
        guard let epoch = assembler.expire(at: now) else { return [] }
        return finish([epoch], at: now)
    }

    /// Counts lines that exceeded the length limit.
    mutating func addOverlongLines(_ count: UInt64) { counts.add(.overlongLine, times: count) }

    /// Handles a silent receiver or a broken connection: the next receiver that reports becomes the leading one, and an
    /// epoch in progress is dropped.
    mutating func receiverFellSilent() {
        assembler.restart()
        leadingDevice = nil
        sky = GpsdSky()
        description.forget()
        // The detector itself stays: a receiver that comes back jammed is not used at once.
        isInterferenceCurrent = false
    }

    // MARK: Receivers

    private mutating func register(_ device: GpsdDevice) {
        // A receiver that keeps changing its name must not use unlimited memory.
        if drivers.count > 64 { drivers.removeAll() }
        if !device.driver.isEmpty { drivers[device.path] = device.driver }
        if let seconds = device.cycleSeconds, device.path == leadingDevice || leadingDevice == nil {
            cycle.nominalSeconds = seconds
        }
    }

    /// Whether reports of this receiver are used: it is the leading one, or there is none.
    func isListening(to path: String) -> Bool { isWanted(path) && (leadingDevice == nil || leadingDevice == path) }

    private func isWanted(_ path: String) -> Bool { settings.device == nil || path.isEmpty || path == settings.device }

    /// Whether this receiver, which has a fix, is the leading one. The first receiver with a fix becomes it; another
    /// one replaces it when it has had no fix for ``leadWithoutFixSeconds``.
    private mutating func isLeading(_ path: String, at now: MonotonicTime) -> Bool {
        guard isWanted(path) else { return false }
        if leadingDevice == path { return true }
        let isWithoutFix = lastFixArrival.map { now.seconds(since: $0) > Self.leadWithoutFixSeconds } ?? false
        guard leadingDevice == nil || isWithoutFix else { return false }
        if leadingDevice == nil, let heardDevice, heardDevice != path {
            listen(to: path)
            description.forget()
        }
        heardDevice = nil
        leadingDevice = path
        lastFixArrival = now
        if let last = lastLeadingDevice, last != path { resetForNewReceiver() }
        lastLeadingDevice = path
        return true
    }

    /// Forgets satellites and heading of another receiver; called while none leads.
    private mutating func listen(to path: String) {
        if let heardDevice, heardDevice != path {
            assembler.restart()
            sky = GpsdSky()
        }
        heardDevice = path
    }

    /// Clears what depends on the receiver: its cycle, latency and epoch content, and whether it reports a time.
    private mutating func resetForNewReceiver() {
        assembler.restart()
        (firstReport, lastTimedReport) = (nil, nil)
        timeline.restart()
        clock = FixClock(nominalLatencySeconds: settings.nominalLatencySeconds)
        repeatedPosition = RepeatedPositionDetector()
        interference = InterferenceDetector()
        cycle = CycleEstimate()
        sky = GpsdSky()
        description.forget()
    }

    /// Number of the leading receiver: the same for the same device.
    private mutating func number(of path: String) -> UInt8 {
        if !led.contains(path), led.count < Self.mostLed { led.append(path) }
        return firstReceiver &+ UInt8(clamping: led.firstIndex(of: path) ?? Self.mostLed - 1)
    }

    // MARK: Reports

    private mutating func ingest(_ sky: GpsdSky) {
        guard sky.devicePath == leadingDevice || leadingDevice == nil else { return }
        if leadingDevice == nil { listen(to: sky.devicePath) }
        self.sky.satellitesUsed = sky.satellitesUsed ?? self.sky.satellitesUsed
        self.sky.satellitesVisible = sky.satellitesVisible ?? self.sky.satellitesVisible
    }

    private mutating func ingest(_ attitude: GpsdAttitude, at arrival: ArrivalTime) -> [GnssFix] {
        guard attitude.devicePath == leadingDevice || leadingDevice == nil else { return [] }
        if leadingDevice == nil { listen(to: attitude.devicePath) }
        description.note(attitude, at: arrival.monotonic)
        switch attitude.usableHeading() {
        case .success(let degrees):
            return finish(assembler.add(headingDegrees: degrees, at: arrival), at: arrival.monotonic)
        case .failure(let reason): counts.add(reason)
        case nil: break
        }
        return []
    }

    private mutating func ingest(_ fix: GpsdFix, at arrival: ArrivalTime) -> [GnssFix] {
        // Only a receiver with a fix becomes the leading one: a receiver without a view of the sky would block the
        // others.
        let isUsed = fix.mode >= 2 ? isLeading(fix.devicePath, at: arrival.monotonic) : isListening(to: fix.devicePath)
        guard isUsed else {
            counts.add(.otherDevice)
            return []
        }
        lastUsedDevice = fix.devicePath
        description.note(fix)
        cycle.add(utcNanoseconds: fix.utcNanoseconds, arrival: arrival.monotonic)
        guard fix.mode >= 2 else {
            counts.add(.noFix)
            // Jamming often takes the fix, too.
            if updateInterference(fix, at: arrival.monotonic) { counts.add(.interference) }
            assembler.addNoFix(utcNanoseconds: fix.utcNanoseconds)
            return []
        }
        if fix.hasUnusableTime { counts.add(.timeUnusable) }
        guard hasRequiredTime(fix, at: arrival.monotonic) else { return [] }
        assembler.cycleSeconds = cycle.seconds
        return finish(assembler.add(fix, at: arrival), at: arrival.monotonic)
    }

    /// A receiver may report without a time early in an epoch and before it knows the date. Reports without a time are
    /// used only from a receiver that never reports one.
    private mutating func hasRequiredTime(_ fix: GpsdFix, at now: MonotonicTime) -> Bool {
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

    /// Processes the jamming indicator of a report. Returns whether its receiver is jammed.
    private mutating func updateInterference(_ fix: GpsdFix, at now: MonotonicTime) -> Bool {
        if interferenceDevice != fix.devicePath { interference = InterferenceDetector() }
        interferenceDevice = fix.devicePath
        isInterferenceCurrent = true
        return interference.update(fix.jammingIndicator, at: now)
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
        guard isInOrder(epoch) else { return nil }
        let interval = intervalSeconds(to: epoch)
        let built = builder.build(epoch.fix, validityTime: now, arrivalTime: now, intervalSeconds: interval)
        builder.rejections.forEach { counts.add($0) }
        guard var fix = built else { return nil }
        // The fix is delivered with this mark: the filter records the veto, and a display shows that there is a
        // receiver.
        fix.isInterfered = updateInterference(epoch.fix, at: now)
        if fix.isInterfered { counts.add(.interference) }
        setTimes(of: &fix, epoch: epoch)
        fix.satellitesUsed = sky.satellitesUsed
        fix.satellitesVisible = sky.satellitesVisible
        lastEpochUTC = epoch.fix.utcNanoseconds
        fix.receiver = number(of: epoch.fix.devicePath)
        isRepeated = repeatedPosition.update(fix) == .stuck
        if isRepeated { counts.add(.positionStuck) }
        // A receiver that repeats its position keeps the lead only until another one has a fix. Its fix is delivered:
        // the estimator vetoes it.
        if !isRepeated { lastFixArrival = now }
        acceptedCount += 1
        lastFix = fix
        return fix
    }

    private mutating func isInOrder(_ epoch: ReceiverEpoch) -> Bool {
        guard let utc = epoch.fix.utcNanoseconds else { return true }
        switch timeline.check(utcNanoseconds: utc, arrival: epoch.firstArrival.monotonic) {
        case .accepted:
            return true
        case .acceptedAsNewTime:
            clock.restartTime()
            lastEpochUTC = nil
            return true
        case .rejected(let reason):
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
            switch date.check(utcNanoseconds: utc, realtimeNanoseconds: epoch.firstArrival.realtimeNanoseconds) {
            case .plausible(let corrected):
                fix.utcNanoseconds = corrected
            case .rolledOver(let corrected):
                fix.utcNanoseconds = corrected
                counts.add(.weekRollover)
            case .implausible:
                counts.add(.dateImplausible)
            }
        }
        fix.validityTime = clock.validity(
            utcNanoseconds: epoch.fix.utcNanoseconds, dateNanoseconds: fix.utcNanoseconds, arrival: epoch.firstArrival)
        fix.timeSigmaSeconds = clock.timeSigmaSeconds
    }
}
