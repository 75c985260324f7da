import DriveRecording
import Engine
import EngineRuntime
import Frames
import Logging
import MCAP
import Platform
import PoseMath
import Publishing

/// The work of the recorder's thread: empties the queues, decides what is recorded, and passes finished chunks to the
/// disk. It never waits.
final class RecorderWorker {
    /// The file that is being written.
    private struct Part {
        var path: String
        var openedAt: MonotonicTime
        /// Whether it is kept; otherwise it is removed when it is older than a minute, or with the history.
        var isKept: Bool
        var finishedAt: MonotonicTime
    }

    private let source: Recorder.Source
    private let disk: RecordingDisk
    private let log: Logger
    /// The system clock, nanoseconds since 1970.
    private let realtime: () -> Int64
    private var settings = RecorderSettings()
    private var folder: RecordingFolder?
    private var command: Bool?
    private var window = RecordingWindow()
    private var context = RecordingContext()
    private var session: RecordingSession?
    private var writer: DriveRecordingWriter?
    private var part: Part?
    /// Closed files that nobody needs yet, with the time of their end and their size: those of the last minute, or all
    /// since the engine's start.
    private var rolling: [(path: String, end: MonotonicTime, bytes: Int)] = []
    /// Whether no file since the engine's start has been removed: what happens now can be replayed from there.
    private var hasHistory = false
    /// The file with the last reset of the recording; `nil` without one, and where a replay from there on no longer
    /// comes to what is recorded now, because that file or one after it was removed.
    private var resetPath: String?
    private var roads: RoadFileIdentity?
    /// Publications of the open chunk, which are written together at its end.
    private var publications: [Publication] = []
    private var lostChunks: UInt64 = 0
    private var problem: String?
    private var retryAt: MonotonicTime?
    /// Time of the next whole frame that is recorded, nanoseconds.
    private var nextFrame = Int64.min

    /// Length of the files from which the minute before an event is made, seconds.
    private static let rollingSeconds = 30.0
    /// A chunk is finished once per second; the limit only catches times that jump.
    private static let limits: MCAPWriter.Limits = {
        var limits = MCAPWriter.Limits()
        limits.chunkNanoseconds = 2_000_000_000
        return limits
    }()
    /// A file that was written for this time ends a problem, seconds.
    private static let provenSeconds = 3.0
    /// Time between two attempts after a problem, seconds.
    private static let retrySeconds = 10.0

    init(
        source: Recorder.Source, disk: RecordingDisk, log: Logger,
        realtime: @escaping () -> Int64 = { SystemClock.realtimeNanoseconds }
    ) {
        self.source = source
        self.disk = disk
        self.log = log
        self.realtime = realtime
    }

    /// Whether everything is recorded; otherwise only what happens in the window, if anything.
    private var keepsAll: Bool { command ?? (settings.mode == .always) }
    /// Whether anything is written.
    private var isWanted: Bool { folder != nil && (command ?? (settings.mode != .off)) }
    /// Whether there is nothing to do.
    var isIdle: Bool { !isWanted && session == nil }

    /// Applies requests.
    func take(_ inbox: Recorder.Inbox, at now: MonotonicTime) {
        let wasWanted = isWanted
        if let settings = inbox.settings {
            // What is recorded already keeps its folder and its positions; what comes now needs a file of its own.
            if settings.isPrivate != self.settings.isPrivate || inbox.folder != folder?.path { close() }
            if settings.mode != self.settings.mode { command = nil }
            if settings.frameRateHertz != self.settings.frameRateHertz { nextFrame = .min }
            self.settings = settings
            folder = inbox.folder.map { RecordingFolder(path: $0, settings: settings) }
            if let folder { disk.use(folder) }
            if inbox.folder == nil, settings.mode != .off {
                fail("nothing is recorded: no folder; set recording.folder, or run posed as a service", at: now)
            } else if !isWanted {
                // What is switched off has no problem.
                (problem, retryAt) = (nil, nil)
            }
        }
        if let command = inbox.command {
            // A recording by command in a mode that keeps the last minute starts with that minute.
            if command { window.note(at: now) } else { window.close() }
            self.command = command
            (problem, retryAt) = (nil, nil)
        }
        if isWanted, !wasWanted {
            // The inputs were not followed while nothing was recorded: what they had set may have ended.
            context = RecordingContext()
            for input in inbox.context { context.note(input) }
        }
        (source.inputs.isOpen, source.publications.isOpen) = (isWanted, isWanted)
    }

    /// Empties the queues into the recording. Publications are taken first and written last, so that their frames and
    /// inputs precede them in the file. So are lines of the log: the input that opens the file has come before them.
    func drain(_ logLines: BoundedQueue<RecordedLogLine>, at now: MonotonicTime) {
        let lines = Self.all(logLines)
        let publications = Self.all(source.publications.notes).map {
            Publication(number: $0.number, time: $0.time, isNewest: $0.isNewest, isRepeat: $0.isRepeat)
        }
        let frames = Self.all(source.publications.frames)
        let announcements = Self.all(source.publications.announcements)
        let inputs = Self.all(source.inputs.queue)
        noteWindow(frames, announcements, at: now)
        if isWanted, writer == nil, let first = inputs.first, retryAt.map({ now >= $0 }) ?? true {
            open(first: first, at: now)
        }
        for entry in inputs { write(entry) }
        for frame in frames where isRecorded(frame.frame) { writer?.write(frame.frame, number: frame.number) }
        if writer != nil { self.publications += publications }
        for announcement in announcements { writer?.write(announcement.message, time: announcement.time) }
        for line in lines { writer?.write(line) }
        flush(at: now)
        if isWanted { rotate(at: now) } else { close() }
    }

    private static func all<Element>(_ queue: BoundedQueue<Element>) -> [Element] {
        var elements: [Element] = []
        while let element = queue.pop() { elements.append(element) }
        return elements
    }

    private func noteWindow(
        _ frames: [PublicationTap.WholeFrame], _ announcements: [PublicationTap.Announcement], at now: MonotonicTime
    ) {
        let happened =
            switch settings.mode {
            case .off, .always: false
            case .moving: frames.contains { RecordingWindow.isMoving($0.frame) }
            case .event: announcements.contains { RecordingWindow.isEvent($0.message) }
            }
        if happened { window.note(at: now) }
        guard keepsAll || window.isOpen(at: now) else { return }
        part?.isKept = true
        rolling.removeAll()
    }

    /// Whether a whole frame is recorded. The mode `moving` gets more of them than the settings ask for.
    private func isRecorded(_ frame: Frame) -> Bool {
        guard settings.frameRateHertz > 0 else { return false }
        guard settings.mode == .moving, settings.frameRateHertz < 1 else { return true }
        guard frame.timeNanoseconds >= nextFrame else { return false }
        nextFrame = frame.timeNanoseconds &+ Int64(1e9 / max(settings.frameRateHertz, 0.001))
        return true
    }

    private func write(_ entry: InputTap.Entry) {
        context.note(entry.input)
        if case .command(.reset) = entry.input, let part { resetPath = part.path }
        writer?.write(entry.input, number: entry.number)
    }

    // MARK: - Files

    private func open(first: InputTap.Entry, at now: MonotonicTime) {
        // The next file of a recording never waits for the disk: what comes meanwhile would be missing.
        let goesOn = self.session != nil
        guard let folder, goesOn || disk.queuedBytes < RecordingDisk.mostBytes / 2 else { return }
        // The end of the file before could not be written.
        if goesOn, let problem = disk.problem { return abandon(problem, at: now) }
        var session =
            session
            ?? RecordingSession(
                release: source.release, startsWithEngine: first.number == 1, isPrivate: settings.isPrivate, now: now,
                realtime: realtime())
        session.info.publishedBefore = first.published
        let path = folder.path(session: session.info.session, part: session.info.part)
        var next = DriveRecordingWriter(
            info: session.info, settings: source.settings(settings.isPrivate), privatePlace: session.privatePlace,
            shiftingFrom: session.anchor, limits: Self.limits)
        if session.info.part > 0 || !session.info.startsWithEngine {
            for input in context.inputs { next.write(input, number: 0) }
        }
        writer = consume next
        if session.info.part == 0 { hasHistory = session.info.startsWithEngine }
        session.info.part += 1
        self.session = session
        roads = nil
        disk.open(path: path)
        let isKept = keepsAll || window.isOpen(at: now)
        part = Part(path: path, openedAt: now, isKept: isKept, finishedAt: now)
        if problem == nil, session.info.part == 1 { log.notice("recording to \(path)") }
    }

    /// Passes finished chunks to the disk; finishes a chunk each second.
    private func flush(at now: MonotonicTime) {
        if let problem = disk.problem, part != nil { return abandon(problem, at: now) }
        guard let finishedAt = part?.finishedAt else { return }
        if now.seconds(since: finishedAt) >= 1 {
            if let roads = source.roads(), roads != self.roads {
                self.roads = roads
                writer?.write(roads)
            }
            if let step = session?.clockStep(to: realtime(), at: now) { log.notice("\(step)") }
            finishChunk()
            part?.finishedAt = now
        }
        guard let bytes = writer?.takeBytes(), !bytes.isEmpty, !disk.submit(.append(bytes)) else { return }
        lostChunks += 1
        abandon(
            "the disk is too slow: \(RecordingDisk.mostBytes >> 20) MiB are waiting for it; use a faster one", at: now)
    }

    private func finishChunk() {
        writer?.write(publications)
        publications.removeAll(keepingCapacity: true)
        writer?.finishChunk()
    }

    /// Starts the next file when a limit is reached, and removes what nobody needs.
    private func rotate(at now: MonotonicTime) {
        if problem != nil, let part, now.seconds(since: part.openedAt) >= Self.provenSeconds {
            problem = nil
            log.notice("recording continues in \(part.path)")
        }
        noteRemoved()
        trim(at: now)
        guard let part else { return }
        let isRolling = !keepsAll && !window.isOpen(at: now)
        let isOver =
            isRolling && (part.isKept || !hasHistory) && now.seconds(since: part.openedAt) >= Self.rollingSeconds
        let bytes = writer?.size ?? 0
        guard isOver || bytes >= settings.fileLimitBytes else { return }
        finishPart()
        if !part.isKept { rolling.append((part.path, now, bytes)) }
    }

    /// Removes the files that nobody needs: all but the last minute, where what has happened since the engine's start
    /// is not kept.
    private func trim(at now: MonotonicTime) {
        let unused = rolling.reduce(part?.isKept == false ? writer?.size ?? 0 : 0) { $0 + $1.bytes }
        let limit = settings.historyLimitMebibytes
        if hasHistory, unused > limit << 20 {
            giveHistoryUp("it has \(limit) MiB (recording.history_mib, or half of recording.total_mib)")
        } else if hasHistory, unused > 0, disk.isShort {
            giveHistoryUp("the disk is nearly full (recording.reserve_mib)")
        }
        guard !hasHistory else { return }
        let oldest = now.advanced(bySeconds: -RecordingWindow.beforeSeconds)
        let unneeded = rolling.prefix { $0.end < oldest }
        guard !unneeded.isEmpty else { return }
        for file in unneeded { _ = disk.submit(.remove(path: file.path)) }
        rolling.removeFirst(unneeded.count)
        // What was kept before them has a gap behind it now.
        if resetPath != part?.path, !rolling.contains(where: { $0.path == resetPath }) { resetPath = nil }
    }

    /// Takes note of the files of this recording that had to go for others. The oldest go first: without the first one
    /// there is not everything since the start.
    private func noteRemoved() {
        let removed = disk.takeRemoved()
        guard !removed.isEmpty, let session, let folder else { return }
        if let resetPath, removed.contains(resetPath) { self.resetPath = nil }
        guard hasHistory, removed.contains(folder.path(session: session.info.session, part: 0)) else { return }
        if part?.isKept == false {
            giveHistoryUp("its first file made room (recording.total_mib, keep_days or reserve_mib)")
        } else {
            hasHistory = false
        }
    }

    private func giveHistoryUp(_ reason: String) {
        hasHistory = false
        guard settings.historyLimitMebibytes > 0 else { return }
        log.notice(
            """
            what was recorded since the start is removed, because \(reason): only the last minute is kept, whose \
            replay aligns again
            """)
    }

    /// Ends the file with its summary.
    private func finishPart() {
        guard part != nil else { return }
        finishChunk()
        writer?.finish()
        _ = disk.submit(.end(writer?.takeBytes() ?? []))
        if let anchor = writer?.anchor { session?.anchor = anchor }
        writer = nil
        part = nil
    }

    /// Ends the recording.
    func close() {
        guard session != nil || !rolling.isEmpty else { return }
        flush(at: part?.finishedAt ?? MonotonicTime(nanoseconds: 0))
        let path = part?.path
        if part?.isKept == false, let path {
            finishPart()
            _ = disk.submit(.remove(path: path))
        }
        finishPart()
        for file in rolling { _ = disk.submit(.remove(path: file.path)) }
        rolling.removeAll()
        (session, hasHistory, resetPath) = (nil, false, nil)
        if let path { log.notice("recording ended: \(path)") }
    }

    /// Leaves the file as it is, which every complete chunk survives, and tries again later with a new recording.
    private func abandon(_ problem: String, at now: MonotonicTime) {
        _ = disk.submit(.close)
        // What nobody needs yet is kept for its minute, as ever, and then removed.
        if let part, !part.isKept { rolling.append((part.path, now, writer?.size ?? 0)) }
        writer = nil
        publications.removeAll()
        (part, session, hasHistory, resetPath) = (nil, nil, false, nil)
        fail("recording interrupted: \(problem)", at: now)
    }

    private func fail(_ text: String, at now: MonotonicTime) {
        if problem != text { log.error("\(text)") }
        problem = text
        retryAt = now.advanced(bySeconds: Self.retrySeconds)
    }

    // MARK: - Status

    /// What the recorder does.
    func status(at now: MonotonicTime) -> RecorderStatus {
        var status = RecorderStatus()
        status.isPrivate = settings.isPrivate
        (status.isFromStart, status.hasReset) = (part != nil && hasHistory, part != nil && resetPath != nil)
        status.file = part?.path
        status.bytes = writer?.size ?? 0
        status.seconds = session.map { now.seconds(since: $0.startedAt) } ?? 0
        status.lost =
            source.inputs.queue.refusedCount + source.publications.notes.refusedCount
            + source.publications.frames.refusedCount + source.publications.announcements.refusedCount
        status.lostChunks = lostChunks
        status.problem = problem
        status.state =
            !isWanted && problem == nil
            ? .off : part == nil ? (problem == nil ? .waiting : .failed) : part?.isKept == true ? .recording : .waiting
        return status
    }
}
