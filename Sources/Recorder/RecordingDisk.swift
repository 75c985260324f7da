import Files
import Glibc
import Platform
import PoseMath
import Synchronization

/// Writes recordings on a thread of its own, the only one that waits for the disk. Jobs are queued up to a limit of
/// memory, so a disk that stalls for some seconds loses nothing.
final class RecordingDisk: Sendable {
    /// Work for the thread.
    enum Job: Sendable {
        /// Creates a file, and writes to it from now on.
        case open(path: String)
        /// Appends bytes.
        case append([UInt8])
        /// Appends the last bytes of the file, and closes it.
        case end([UInt8])
        /// Closes the file as it is.
        case close
        /// Removes the file of a part that nobody needs.
        case remove(path: String)
    }

    private struct State {
        var jobs: [Job] = []
        var bytes = 0
        /// Whether the thread performs a job.
        var isBusy = false
        var problem: String?
        var folder: RecordingFolder?
        /// Whether the disk has little more free space than the reserve.
        var isShort = false
        /// Recordings that were removed to make room.
        var removed: [String] = []
    }

    /// Maximum of queued bytes: about 40 s of a 1 kHz IMU.
    static let mostBytes = 4 << 20
    /// Time between two calls that make the written bytes durable, seconds.
    private static let syncSeconds = 5.0

    private let state = Mutex(State())
    private let wakeUp = EventFD()
    private let thread = Mutex<WorkerThread?>(nil)

    init() {}

    /// Starts the thread; `false` if the system cannot create one.
    func start() -> Bool {
        thread.withLock { thread in
            if thread == nil { thread = WorkerThread(name: "recording") { [weak self] in self?.run($0) } }
            return thread?.start() ?? false
        }
    }

    /// Performs the queued jobs, for at most two seconds, and stops the thread. A thread that the disk does not let go
    /// is left to the end of the process.
    func stop() {
        let end = SystemClock.monotonicNow.advanced(bySeconds: 2)
        while isBusy, SystemClock.monotonicNow < end { usleep(2_000) }
        let isStuck = isBusy
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let thread, isStuck else { return thread?.stop() ?? () }
        thread.requestStop()
        // Its deinitialiser would wait for the disk.
        _ = Unmanaged.passRetained(thread)
    }

    /// Queues a job; `false` if the limit of memory is reached, then the job is dropped. The end of a file is always
    /// taken: the index in it grows with the file, to more than the limit, and was in memory before. No second one
    /// comes beyond the limit, because the next file has no room to begin.
    func submit(_ job: Job) -> Bool {
        defer { wakeUp.signal() }
        return state.withLock { state in
            switch job {
            case .append(let bytes):
                guard state.bytes + bytes.count <= Self.mostBytes else { return false }
                state.bytes += bytes.count
            case .end(let bytes): state.bytes += bytes.count
            case .open, .close, .remove: break
            }
            state.jobs.append(job)
            return true
        }
    }
}

extension RecordingDisk {
    /// Why the last file could not be written; `nil` while it can.
    var problem: String? { state.withLock { $0.problem } }

    /// Whether the disk has little more free space than the reserve: what nobody needs should go before recordings that
    /// were kept.
    var isShort: Bool { state.withLock { $0.isShort } }

    /// Paths of the recordings that were removed to make room since the last call.
    func takeRemoved() -> [String] {
        state.withLock { state in
            defer { state.removed = [] }
            return state.removed
        }
    }

    private func noteRemoved(_ path: String) { state.withLock { $0.removed.append(path) } }

    /// Creates a file, and writes to it from now on. Problems of earlier files are forgotten.
    func open(path: String) {
        state.withLock { $0.problem = nil }
        _ = submit(.open(path: path))
    }

    /// Whether there is work that is not done yet.
    var isBusy: Bool { state.withLock { $0.isBusy || !$0.jobs.isEmpty } }

    /// Bytes waiting for the disk.
    var queuedBytes: Int { state.withLock { $0.bytes } }

    /// Uses this folder and its limits from the next job on.
    func use(_ folder: RecordingFolder) { state.withLock { $0.folder = folder } }

    /// The file that is being written; used by the thread alone.
    private struct Output {
        var descriptor: Int32 = -1
        var path: String?
        /// Bytes written to it.
        var bytes = 0
        /// Bytes of the other recordings, when they were last counted.
        var otherBytes = 0
        var syncedAt = SystemClock.monotonicNow
    }

    private func run(_ stop: StopSignal) {
        var output = Output()
        while true {
            if let (job, folder) = nextJob() {
                perform(job, folder, &output)
                state.withLock { $0.isBusy = false }
            } else if stop.isRaised {
                break
            } else {
                _ = stop.wait(for: wakeUp.descriptor, seconds: 60)
                wakeUp.drain()
            }
        }
        close(&output)
    }

    private func nextJob() -> (Job, RecordingFolder)? {
        state.withLock { state in
            guard let folder = state.folder, !state.jobs.isEmpty else { return nil }
            state.isBusy = true
            return (state.jobs.removeFirst(), folder)
        }
    }

    private func perform(_ job: Job, _ folder: RecordingFolder, _ output: inout Output) {
        do throws(FileFault) {
            switch job {
            case .open(let path):
                close(&output)
                guard folder.makeRoom(for: 0, except: nil, removed: noteRemoved) else {
                    return fail(noRoom(folder), &output)
                }
                output.descriptor = try folder.create(path)
                (output.path, output.syncedAt) = (path, SystemClock.monotonicNow)
                (output.bytes, output.otherBytes) = (0, folder.bytes(except: path))
            case .append(let bytes): try append(bytes, folder, &output)
            case .end(let bytes):
                try append(bytes, folder, &output)
                close(&output)
            case .close: close(&output)
            case .remove(let path): unlink(path)
            }
        } catch {
            // Without the name of the file: each attempt has another one, and would be told as another problem.
            fail("\(folder.path): \(error.reason); \(error.remedy)", &output)
        }
    }

    private func append(_ bytes: [UInt8], _ folder: RecordingFolder, _ output: inout Output) throws(FileFault) {
        defer { state.withLock { $0.bytes -= bytes.count } }
        guard output.descriptor >= 0 else { return }
        let total = output.otherBytes + output.bytes + bytes.count
        if total > folder.settings.totalMebibytes << 20 || !folder.hasRoom(for: bytes.count) {
            guard folder.makeRoom(for: bytes.count, except: output.path, removed: noteRemoved) else {
                return fail(noRoom(folder), &output)
            }
            output.otherBytes = folder.bytes(except: output.path)
        }
        let isShort = !folder.hasRoom(for: bytes.count + folder.settings.spareMebibytes << 20)
        state.withLock { $0.isShort = isShort }
        let descriptor = output.descriptor
        try bytes.span.withUnsafeBytes { content throws(FileFault) in
            try FileTransfer.write(content, to: descriptor)
        }
        output.bytes += bytes.count
        let now = SystemClock.monotonicNow
        guard now.seconds(since: output.syncedAt) >= Self.syncSeconds else { return }
        output.syncedAt = now
        fdatasync(descriptor)
    }

    private func noRoom(_ folder: RecordingFolder) -> String {
        let reserve = folder.settings.reserveMebibytes
        guard reserve > 0 else { return "\(folder.path): the disk is full; free space on it" }
        return
            "\(folder.path): less than \(reserve) MiB are free on the disk; free space, or lower recording.reserve_mib"
    }

    /// Every attempt has a new file: one that stayed empty is removed.
    private func fail(_ problem: String, _ output: inout Output) {
        let empty = output.bytes == 0 ? output.path : nil
        close(&output)
        if let empty { unlink(empty) }
        state.withLock { $0.problem = problem }
    }

    private func close(_ output: inout Output) {
        guard output.descriptor >= 0 else { return }
        fdatasync(output.descriptor)
        Glibc.close(output.descriptor)
        (output.descriptor, output.path) = (-1, nil)
    }
}
