import Frames
import Fusion
import Logging
import Platform
import PoseMath
import Synchronization

/// Saves the mount, and where the vehicle stands, from one drive to the next. Used by the socket thread, which it never
/// blocks: files are read and written on a separate thread.
package final class StateStore {
    /// What an earlier drive has left for the engine.
    package enum Kept: Sendable {
        /// The mount, as a prior.
        case mount(MountEstimate)
        /// The pose of the last stop.
        case rest(RestingPose)
    }

    /// The result of a read or a write.
    private enum Outcome: Sendable {
        case read(SavedMount?, RestingPose?, restProblem: String?)
        case written(SavedMount)
        /// The pose at rest was written or, `nil`, removed.
        case rested(RestingPose?)
        /// What failed, and what follows.
        case failed(String)
    }

    private let folder: String?
    private let log: Logger
    private let offer: (Kept) -> Bool
    private var imu: String?
    private var saving = MountSaving()
    private var restSaving = RestSaving()
    private var worker: WorkerThread?
    private let mailbox = Mailbox()
    private var pendingMount: MountEstimate?
    private var pendingRest: RestingPose?
    private var lastProblem: String?
    /// Notes for the `status` reply.
    package var notes: [String] { (folderProblem.map { [$0] } ?? []) + fileNotes }
    /// The results of the last read or write.
    private var fileNotes: [String] = []
    /// Why nothing can be saved; `nil` as long as writing should work.
    private var folderProblem: String?

    /// Creates the store.
    ///
    /// - Parameters:
    ///   - folder: the folder of the files; `nil`: nothing is saved.
    ///   - offer: passes what was kept to the engine; returns `false` while the engine has no space for it.
    package init(folder: String?, log: Logger, offer: @escaping (Kept) -> Bool) {
        self.folder = folder
        self.log = log
        self.offer = offer
        if folder == nil {
            fileNotes = ["the mount is not saved: state.folder is not set and the service manager provides no folder"]
        }
        if let folder, let problem = StateFile.problem(ofFolder: folder) {
            folderProblem = "nothing can be saved for the next drive: \(problem)"
            log.warning("\(folderProblem ?? problem)")
        }
    }

    /// Processes results and starts the next read or write. Call it a few times per second.
    ///
    /// - Parameters:
    /// - imu: the running IMU; `nil` while unknown.
    /// - mount: the current estimate.
    /// - frame: the latest frame.
    package func update(imu: String?, mount: MountEstimate?, frame: Frame, now: MonotonicTime) {
        processOutcome()
        guard let folder, let imu, worker == nil else { return }
        if imu != self.imu {
            // Another IMU: the file of the old one does not apply, and the current estimate may still be that of the
            // old IMU.
            self.imu = imu
            (saving, restSaving) = (MountSaving(), RestSaving())
            return start { Self.read(folder: folder, imu: imu) }
        }
        if let mount = pendingMount, offer(.mount(mount)) { pendingMount = nil }
        // After the mount: the lean of the last stop is compared through it.
        if pendingMount == nil, let rest = pendingRest, offer(.rest(rest)) { pendingRest = nil }
        if let mount, saving.shouldSave(mount, state: frame.pose.state == .aligned, at: now) {
            return start { Self.write(SavedMount(imu: imu, mount: mount), folder: folder) }
        }
        guard let action = restSaving.action(for: frame, at: now) else { return }
        start { Self.perform(action, imu: imu, folder: folder) }
    }

    /// Saves the mount when the daemon stops: waits for the thread, and writes the mount if it is better than the saved
    /// one.
    package func finish(mount: MountEstimate?, frame: Frame, now: MonotonicTime) {
        worker?.stop()
        processOutcome()
        guard let folder, let imu else { return }
        if let mount, saving.shouldSave(mount, state: frame.pose.state == .aligned, at: now, isLast: true) {
            process(Self.write(SavedMount(imu: imu, mount: mount), folder: folder))
        }
        if let action = restSaving.action(for: frame, at: now, isLast: true) {
            process(Self.perform(action, imu: imu, folder: folder))
        }
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
        case .read(let saved, let rest, let restProblem):
            use(saved)
            if let rest {
                restSaving.recordSaved(rest)
                pendingRest = rest.onTheNextStart
                fileNotes.append("the pose of the last stop was loaded")
                log.notice("loaded the pose of the last stop")
            }
            if let restProblem { log.warning("\(restProblem)") }
        case .rested(let pose):
            restSaving.recordSaved(pose)
            folderProblem = nil
        case .written(let saved):
            saving.recordSaved(saved.mount)
            fileNotes = ["the mount is saved"]
            folderProblem = nil
            lastProblem = nil
        case .failed(let text):
            fileNotes = [text]
            // Log a problem once, until writing works again or another problem occurs.
            if text != lastProblem { log.warning("\(text)") }
            lastProblem = text
        }
    }

    private func use(_ saved: SavedMount?) {
        guard let saved else {
            fileNotes = ["no saved mount"]
            return
        }
        saving.recordSaved(saved.mount)
        pendingMount = saved.mount.onTheNextDrive
        fileNotes = ["the saved mount was loaded"]
        log.notice("loaded saved mount of \(saved.imu) as prior")
    }

    private static func read(folder: String, imu: String) -> Outcome {
        let path = "\(folder)/\(SavedMount.fileName(imu: imu))"
        do throws(StateProblem) {
            guard let bytes = try StateFile.read(path, atMost: SavedMount.longest) else {
                return .read(nil, nil, restProblem: nil)
            }
            // The pose of the last stop means nothing without the mount.
            return readRest(folder: folder, imu: imu, with: try SavedMount(bytes: bytes, imu: imu))
        } catch {
            return .failed("\(path): \(error); the mount will be estimated while driving")
        }
    }

    private static func write(_ mount: SavedMount, folder: String) -> Outcome {
        let path = "\(folder)/\(SavedMount.fileName(imu: mount.imu))"
        do throws(StateProblem) {
            try StateFile.replace(path, with: mount.bytes, folder: folder)
            return .written(mount)
        } catch {
            return .failed("\(path): \(error); the mount will be estimated while driving")
        }
    }

    private static func readRest(folder: String, imu: String, with mount: SavedMount) -> Outcome {
        let path = "\(folder)/\(SavedRest.fileName(imu: imu))"
        do throws(StateProblem) {
            let bytes = try StateFile.read(path, atMost: SavedRest.longest)
            let rest = try bytes.map { (bytes) throws(StateProblem) in try SavedRest(bytes: bytes, imu: imu).pose }
            return .read(mount, rest, restProblem: nil)
        } catch {
            return .read(mount, nil, restProblem: "\(path): \(error); the start is without the pose of the last stop")
        }
    }

    private static func perform(_ action: RestSaving.Action, imu: String, folder: String) -> Outcome {
        let path = "\(folder)/\(SavedRest.fileName(imu: imu))"
        do throws(StateProblem) {
            switch action {
            case .save(let pose):
                try StateFile.replace(path, with: SavedRest(imu: imu, pose: pose).bytes, folder: folder)
                return .rested(pose)
            case .remove:
                try StateFile.remove(path, folder: folder)
                return .rested(nil)
            }
        } catch {
            return .failed("\(path): \(error); the next start may not know where the vehicle stands")
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
