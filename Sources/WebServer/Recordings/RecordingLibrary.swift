import Dispatch
import DriveRecording
import Frames
import Glibc
import Synchronization

import struct Foundation.Data

/// The recordings in one folder, and those that are open for playing.
final class RecordingLibrary: Sendable {
    private enum Drive: Sendable {
        case reading(part: Double)
        case ready(RecordedDrive)
        case failed(String)
    }

    /// A file at one time.
    private struct FileVersion: Equatable {
        var bytes: off_t
        var seconds: time_t
        var nanoseconds: Int

        init(_ status: stat) {
            (bytes, seconds, nanoseconds) = (status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        }
    }

    private struct Opened {
        var drive: Drive
        /// What was read before the file changed: it is played until the file is read again.
        var earlier: RecordedDrive?
        /// The file when its reading began.
        var version: FileVersion
        /// Whether a page has got it: a file that always grows is read once for each time that it is opened.
        var isTold = false

        var playable: RecordedDrive? {
            if case .ready(let drive) = drive { return drive }
            return earlier
        }
    }

    private struct State {
        var folder: String?
        var drives: [String: Opened] = [:]
        /// Names of the open recordings, the latest last.
        var order: [String] = []

        /// A recording that a page plays already: it goes on with what was read, also when the file is gone; `nil` if
        /// it has to be read.
        mutating func playing(_ name: String) -> RecordedDrive? {
            guard let drive = drives[name]?.playable else { return nil }
            moveToEnd(name)
            return drive
        }

        private mutating func moveToEnd(_ name: String) {
            order.removeAll { $0 == name }
            order.append(name)
        }

        /// What is known of a recording, and whether it has to be read.
        mutating func open(_ name: String, _ version: FileVersion) -> (drive: Drive, isNew: Bool) {
            moveToEnd(name)
            var earlier: RecordedDrive?
            switch drives[name]?.drive {
            case .reading(let part): return (.reading(part: part), false)
            case .failed(let problem):
                // It is read again when it is asked for again.
                drives[name] = nil
                return (.failed(problem), false)
            case .ready(let drive):
                guard drives[name]?.isTold == true, drives[name]?.version != version else {
                    drives[name]?.isTold = true
                    return (.ready(drive), false)
                }
                earlier = drive
            case nil: break
            }
            drives[name] = Opened(drive: .reading(part: 0), earlier: earlier, version: version)
            while order.count > RecordingLibrary.mostOpen { drives[order.removeFirst()] = nil }
            return (.reading(part: 0), true)
        }
    }

    /// Where the daemon's recordings are unless its settings say otherwise.
    static let defaultFolder = "/var/lib/posed/recordings"
    /// Recordings that are kept open.
    private static let mostOpen = 3
    /// Most lines of one answer: a minute at the highest rate of recorded frames.
    private static let mostLines = 3000

    private let state: Mutex<State>
    /// Reads files: they may make it wait, and the tasks of the connections must not.
    private let queue = DispatchQueue(label: "recordings")

    init(folder: String?) { state = Mutex(State(folder: folder)) }

    /// Uses another folder.
    func use(folder: String) {
        state.withLock { state in
            if state.folder != folder { state = State(folder: folder) }
        }
    }

    /// The folder in use.
    var folder: String { state.withLock { $0.folder } ?? Self.defaultFolder }

    /// The recordings in the folder: `{"folder":..., "problem":..., "recordings":[{"name","bytes","modified_s"}]}`.
    var list: Data {
        let folder = folder
        var problem: String?
        if access(folder, R_OK | X_OK) != 0 {
            let remedy = errno == ENOENT ? "nothing was recorded yet" : "only the daemon's user may read it"
            problem = "\(folder): \(String(cString: strerror(errno))); \(remedy)"
        }
        var writer = JSONWriter(capacity: 4096)
        writer.string(#"{"folder":"#, folder)
        writer.string(#","problem":"#, problem)
        writer.literal(#","recordings":"#)
        writer.list(files(in: folder)) { writer, file in
            writer.string(#"{"name":"#, file.name)
            writer.integer(#","bytes":"#, file.status.st_size)
            writer.integer(#","modified_s":"#, file.status.st_mtim.tv_sec)
            writer.literal("}")
        }
        writer.literal("}")
        return writer.data
    }

    private func files(in folder: String) -> [(name: String, status: stat)] {
        var files: [(name: String, status: stat)] = []
        for name in FolderNames.names(in: folder) where name.hasSuffix(".mcap") && name.utf8.count <= 255 {
            var status = stat()
            guard stat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            files.append((name, status))
        }
        return files.sorted { $0.status.st_mtim.tv_sec > $1.status.st_mtim.tv_sec }
    }

    /// What the page needs to play a recording, or how far its reading is.
    func summary(of name: String) async throws -> Data {
        switch try open(name) {
        case .reading(let part):
            var writer = JSONWriter(capacity: 64)
            writer.number(#"{"state":"reading","part":"#, part, decimals: 3)
            writer.literal("}")
            return writer.data
        case .failed(let problem): throw WebProblem(problem)
        case .ready(let drive): return await onQueue { drive.summary }
        }
    }

    /// The frames from one time to another, seconds from the start: one line each.
    func frames(of name: String, from: Double, to: Double) async throws -> Data {
        let playing = state.withLock { $0.playing(name) }
        guard let drive = try playing ?? openForPlaying(name) else {
            throw WebProblem("\(name): is being read; try again")
        }
        return await onQueue { Data(drive.lines.lines(from: from, to: to, most: Self.mostLines)) }
    }

    private func openForPlaying(_ name: String) throws(WebProblem) -> RecordedDrive? {
        guard case .ready(let drive) = try open(name) else { return nil }
        return drive
    }

    private func open(_ name: String) throws(WebProblem) -> Drive {
        let folder = folder
        // Only names of the list: nothing leads out of the folder.
        guard let file = files(in: folder).first(where: { $0.name == name }) else {
            throw WebProblem("\(folder): has no recording '\(name.prefix(80))'")
        }
        let version = FileVersion(file.status)
        let (drive, isNew) = state.withLock { $0.open(name, version) }
        if isNew { queue.async { self.read(name, in: folder) } }
        return drive
    }

    private func read(_ name: String, in folder: String) {
        let result: Drive
        do throws(WebProblem) {
            let drive = try RecordedDriveReader.read(path: "\(folder)/\(name)") { part in
                note(.reading(part: part), name, folder)
            }
            result = .ready(drive)
        } catch { result = .failed(error.description) }
        note(result, name, folder)
    }

    private func note(_ drive: Drive, _ name: String, _ folder: String) {
        state.withLock { state in
            guard state.folder ?? Self.defaultFolder == folder else { return }
            state.drives[name]?.drive = drive
            if case .ready = drive { state.drives[name]?.earlier = nil }
        }
    }

    private func onQueue(_ body: @escaping @Sendable () -> Data) async -> Data {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }
}
