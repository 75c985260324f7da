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

    private struct State {
        var folder: String?
        var drives: [String: Drive] = [:]
        /// Names of the open recordings, the latest last.
        var order: [String] = []
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
        let drive = try open(name)
        switch drive {
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
        guard case .ready(let drive) = try open(name) else { throw WebProblem("\(name): is being read; try again") }
        return await onQueue { Data(drive.lines.lines(from: from, to: to, most: Self.mostLines)) }
    }

    private func open(_ name: String) throws(WebProblem) -> Drive {
        let folder = folder
        // Only names of the list: nothing leads out of the folder.
        guard files(in: folder).contains(where: { $0.name == name }) else {
            throw WebProblem("\(folder): has no recording '\(name.prefix(80))'")
        }
        let (drive, isNew) = state.withLock { state -> (Drive, Bool) in
            state.order.removeAll { $0 == name }
            state.order.append(name)
            // A recording that grows, or that could not be read, is read again when it is asked for again.
            if let drive = state.drives[name] {
                if case .failed = drive { state.drives[name] = nil }
                return (drive, false)
            }
            state.drives[name] = .reading(part: 0)
            while state.order.count > Self.mostOpen { state.drives[state.order.removeFirst()] = nil }
            return (.reading(part: 0), true)
        }
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
            if state.folder ?? Self.defaultFolder == folder, state.drives[name] != nil { state.drives[name] = drive }
        }
    }

    private func onQueue(_ body: @escaping @Sendable () -> Data) async -> Data {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }
}
