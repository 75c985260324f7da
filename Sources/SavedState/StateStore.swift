import Fusion
import Logging
import Platform
import PoseMath
import Synchronization

/// Saves the mount from one drive to the next. Used by the socket thread, which it never blocks: files are read and
/// written on a separate thread.
package final class StateStore {
    /// The result of a read or a write.
    private enum Outcome: Sendable {
        case read(SavedMount?)
        case written(SavedMount)
        case failed(String, StateProblem)
    }

    private let folder: String?
    private let log: Logger
    private let useMount: (MountEstimate) -> Bool
    private var imu: String?
    private var saving = MountSaving()
    private var worker: WorkerThread?
    private let mailbox = Mailbox()
    private var pendingMount: MountEstimate?
    private var lastProblem: String?
    /// Notes for the `status` reply.
    package private(set) var notes: [String] = []

    /// Creates the store.
    ///
    /// - Parameters:
    ///   - folder: the folder of the files; `nil`: nothing is saved.
    ///   - offer: passes a mount to the engine; returns `false` while the engine has no space for it.
    package init(folder: String?, log: Logger, offer: @escaping (MountEstimate) -> Bool) {
        self.folder = folder
        self.log = log
        self.useMount = offer
        if folder == nil {
            notes = ["the mount is not saved: state.folder is not set and the service manager provides no folder"]
        }
    }

    /// Processes results and starts the next read or write. Call it a few times per second.
    ///
    /// - Parameters:
    /// - imu: the running IMU; `nil` while unknown.
    /// - mount: the current estimate.
    package func update(imu: String?, mount: MountEstimate?, isAligned: Bool, now: MonotonicTime) {
        processOutcome()
        guard let folder, let imu, worker == nil else { return }
        if imu != self.imu {
            // Another IMU: the file of the old one does not apply, and the current estimate may still be that of the
            // old IMU.
            self.imu = imu
            saving = MountSaving()
            return start { Self.read(folder: folder, imu: imu) }
        }
        if let mount = pendingMount, useMount(mount) { pendingMount = nil }
        guard let mount, saving.shouldSave(mount, state: isAligned, at: now) else { return }
        start { Self.write(SavedMount(imu: imu, mount: mount), folder: folder) }
    }

    /// Saves the mount when the daemon stops: waits for the thread, and writes the mount if it is better than the saved
    /// one.
    package func finish(mount: MountEstimate?, isAligned: Bool, now: MonotonicTime) {
        worker?.stop()
        processOutcome()
        guard let folder, let imu, let mount, saving.shouldSave(mount, state: isAligned, at: now, isLast: true)
        else { return }
        process(Self.write(SavedMount(imu: imu, mount: mount), folder: folder))
    }

    private func start(_ work: @escaping @Sendable () -> Outcome) {
        let mailbox = mailbox
        let thread = WorkerThread(name: "state") { _ in mailbox.put(work()) }
        if thread.start() { worker = thread }
    }

    private func processOutcome() {
        guard let outcome = mailbox.take() else { return }
        worker?.stop()
        worker = nil
        process(outcome)
    }

    private func process(_ outcome: Outcome) {
        switch outcome {
        case .read(nil): notes = ["no saved mount"]
        case .read(let saved?):
            saving.recordSaved(saved.mount)
            pendingMount = saved.mount.onTheNextDrive
            notes = ["the saved mount was loaded"]
            log.notice("loaded saved mount of \(saved.imu) as prior")
        case .written(let saved):
            saving.recordSaved(saved.mount)
            notes = ["the mount is saved"]
            lastProblem = nil
        case .failed(let path, let problem):
            let text = "\(path): \(problem); the mount will be estimated while driving"
            notes = [text]
            // Log a problem once, until writing works again or another problem occurs.
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

    private static func write(_ mount: SavedMount, folder: String) -> Outcome {
        let path = "\(folder)/\(SavedMount.fileName(imu: mount.imu))"
        do throws(StateProblem) {
            try StateFile.replace(path, with: mount.bytes, folder: folder)
            return .written(mount)
        } catch {
            return .failed(path, error)
        }
    }

    /// Passes the result from the thread to the socket thread.
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
