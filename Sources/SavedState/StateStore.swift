import Fusion
import Logging
import Platform
import PoseMath
import Synchronization

/// Keeps the mount from one drive to the next. For the socket thread, which it never makes wait: files are read and
/// written on a thread of its own.
package final class StateStore {
    /// What a thread brings back.
    private enum Outcome: Sendable {
        case read(SavedMount?)
        case written(SavedMount)
        case failed(String, StateProblem)
    }

    private let folder: String?
    private let log: Logger
    private let offer: (MountEstimate) -> Bool
    private var imu: String?
    private var keeping = MountSaving()
    private var worker: WorkerThread?
    private let mailbox = Mailbox()
    private var waiting: MountEstimate?
    private var lastProblem: String?
    package private(set) var notes: [String] = []

    /// - Parameters:
    ///   - folder: of the files; `nil`: nothing is kept.
    ///   - offer: hands a mount to the engine; `false` while that has no room for it.
    package init(folder: String?, log: Logger, offer: @escaping (MountEstimate) -> Bool) {
        self.folder = folder
        self.log = log
        self.offer = offer
        if folder == nil { notes = ["nothing is kept: state.folder is not set and the service manager gives none"] }
    }

    /// Looks after everything; a few times a second.
    ///
    /// - Parameters:
    ///   - imu: which IMU runs; `nil` while that is not known.
    ///   - mount: as known now.
    package func tend(imu: String?, mount: MountEstimate?, isAligned: Bool, now: MonotonicTime) {
        takeOutcome()
        guard let folder, let imu, worker == nil else { return }
        if imu != self.imu {
            // Another IMU: what the old one's file holds says nothing of it, and the mount known now may still be the
            // old one's.
            self.imu = imu
            keeping = MountSaving()
            return begin { Self.read(folder: folder, imu: imu) }
        }
        if let mount = waiting, offer(mount) { waiting = nil }
        guard let mount, keeping.wantsWriting(mount, state: isAligned, at: now) else { return }
        begin { Self.write(SavedMount(imu: imu, mount: mount), folder: folder) }
    }

    /// The daemon ends: waits for the thread, and writes what is worth it.
    package func finish(mount: MountEstimate?, isAligned: Bool, now: MonotonicTime) {
        worker?.stop()
        takeOutcome()
        guard let folder, let imu, let mount, keeping.wantsWriting(mount, state: isAligned, at: now, isLast: true)
        else { return }
        take(Self.write(SavedMount(imu: imu, mount: mount), folder: folder))
    }

    private func begin(_ work: @escaping @Sendable () -> Outcome) {
        let mailbox = mailbox
        let thread = WorkerThread(name: "state") { _ in mailbox.put(work()) }
        if thread.start() { worker = thread }
    }

    private func takeOutcome() {
        guard let outcome = mailbox.take() else { return }
        worker?.stop()
        worker = nil
        take(outcome)
    }

    private func take(_ outcome: Outcome) {
        switch outcome {
        case .read(nil): notes = ["no mount of an earlier drive"]
        case .read(let kept?):
            keeping.note(onDisk: kept.mount)
            waiting = kept.mount.onTheNextDrive
            notes = ["the mount of an earlier drive was read"]
            log.notice("the mount of an earlier drive is the beginning of this one's")
        case .written(let kept):
            keeping.note(onDisk: kept.mount)
            notes = ["the mount is kept"]
            lastProblem = nil
        case .failed(let path, let problem):
            let text = "\(path): \(problem); the mount is found while driving"
            notes = [text]
            // Once, until it works again or fails otherwise.
            if text != lastProblem { log.warning("\(text)") }
            lastProblem = text
        }
    }

    private static func read(folder: String, imu: String) -> Outcome {
        let path = "\(folder)/\(SavedMount.fileName(imu: imu))"
        do throws(StateProblem) {
            guard let bytes = try StateFile.read(path, atMost: SavedMount.longest) else { return .read(nil) }
            return .read(try SavedMount(bytes: bytes, imu: imu))
        } catch {
            return .failed(path, error)
        }
    }

    private static func write(_ kept: SavedMount, folder: String) -> Outcome {
        let path = "\(folder)/\(SavedMount.fileName(imu: kept.imu))"
        do throws(StateProblem) {
            try StateFile.replace(path, with: kept.bytes, folder: folder)
            return .written(kept)
        } catch {
            return .failed(path, error)
        }
    }

    /// From the thread back to the socket thread.
    private final class Mailbox: Sendable {
        private let content = Mutex<Outcome?>(nil)

        func put(_ outcome: Outcome) { content.withLock { $0 = outcome } }

        func take() -> Outcome? {
            content.withLock { content in
                defer { content = nil }
                return content
            }
        }
    }
}
