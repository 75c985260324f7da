import Calibration
import Frames
import Fusion
import Glibc
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
        /// What is known of sensors, receiver and wheels.
        case sensors(SensorPrior)
        /// The pose of the last stop.
        case rest(RestingPose)
    }

    /// What is known now of the sensors.
    package struct Observed: Sendable {
        /// The running IMU; `nil` while unknown.
        package var imu: String?
        /// Its temperature, degrees Celsius; `nil` where it has no such channel.
        package var celsius: Double?
        /// The corrections of its sensors by `posectl calibrate`.
        package var corrections: SensorCorrections
        /// The current estimate of mount, gyro bias, receiver and wheels.
        package var calibration: SensorCalibration

        /// What is known now.
        package init(
            imu: String?, celsius: Double?, corrections: SensorCorrections?, calibration: SensorCalibration
        ) {
            (self.imu, self.celsius) = (imu, celsius)
            (self.corrections, self.calibration) = (corrections ?? SensorCorrections(), calibration)
        }
    }

    /// The result of a read or a write.
    enum Outcome: Sendable {
        /// The files were read.
        case read(Stored)
        /// The mount was written.
        case written(SavedMount)
        /// What was learned of the sensors was written.
        case sensorsWritten(SavedSensors)
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
    private let keepsStops: Bool
    private var restSaving: RestSaving
    private var sensorSaving: SensorSaving?
    private var corrections = SensorCorrections()
    /// Since when the sensors' prior waits for the temperature; `nil` where none waits.
    private var priorSince: MonotonicTime?
    /// Longest wait for it, seconds.
    private static let temperatureSeconds = 2.0
    private var worker: WorkerThread?
    private let mailbox = Mailbox()
    /// Longest wait for the disk at the end, seconds: a fraction of what the service manager grants.
    var patienceSeconds = 2.0
    private var pendingMount: MountEstimate?
    private var pendingRest: RestingPose?
    private var lastProblem: String?
    /// Notes for the `status` reply.
    package var notes: [String] { [folderProblem, mixture].compactMap { $0 } + fileNotes }
    /// The results of the last read or write.
    private var fileNotes: [String] = []
    /// Whether these are why a write failed.
    private var hasFailed = false
    /// Why nothing can be saved; `nil` as long as writing should work.
    private var folderProblem: String?
    /// Whether the pose was aligned with the running IMU.
    private var wasAligned = false
    /// Why nothing of the estimate is saved any more: it began with another IMU.
    private var mixture: String?

    /// Creates the store.
    ///
    /// - Parameters:
    ///   - folder: the folder of the files; `nil`: nothing is saved.
    ///   - isWanted: whether anything is to be read and saved.
    ///   - keepsStops: whether the place of a stop is saved: of what rolls on wheels, which alone can begin there.
    ///   - offer: passes what was kept to the engine; returns `false` while the engine has no space for it.
    package init(
        folder: String?, isWanted: Bool = true, keepsStops: Bool = true, log: Logger, offer: @escaping (Kept) -> Bool
    ) {
        self.folder = isWanted ? folder : nil
        self.keepsStops = keepsStops
        restSaving = RestSaving(keepsStops: keepsStops)
        self.log = log
        self.offer = offer
        guard isWanted else {
            fileNotes = ["the mount is not saved: state.keep_mount is false"]
            return
        }
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
    /// - observed: what is known of the sensors.
    /// - frame: the latest frame.
    package func update(_ observed: Observed, frame: Frame, now: MonotonicTime) {
        processOutcome(now)
        guard let folder, let imu = observed.imu, worker == nil else { return }
        if imu != self.imu {
            // Another IMU: the files of the old one, which may have been read only now, do not apply, and the mount and
            // the bias of the estimate stay those of the old one.
            if self.imu != nil, wasAligned { noteMixture(with: imu) }
            wasAligned = false
            (self.imu, corrections) = (imu, observed.corrections)
            (saving, restSaving, sensorSaving) = (MountSaving(), RestSaving(keepsStops: keepsStops), nil)
            (pendingMount, pendingRest, priorSince) = (nil, nil, nil)
            return start { .read(StateReader.read(folder: folder, imu: imu)) }
        }
        wasAligned = wasAligned || frame.pose.state == .aligned
        if let mount = pendingMount, offer(.mount(mount)) { pendingMount = nil }
        // After the mount: the lean of the last stop is compared through it.
        if pendingMount == nil, let rest = pendingRest, offer(.rest(rest)) { pendingRest = nil }
        offerSensors(observed.celsius, now)
        let isAligned = frame.pose.state == .aligned && mixture == nil
        if let mount = observed.calibration.mount, saving.shouldSave(mount, state: isAligned, at: now) {
            let saved = SavedMount(imu: imu, mount: saving.content(of: mount))
            return start { Self.write(saved, folder: folder) }
        }
        if let sensors = changedSensors(observed, isAligned, now) {
            return start { Self.write(sensors, folder: folder) }
        }
        guard let action = restSaving.action(for: frame, at: now), mixture == nil || action == .remove else { return }
        start { Self.perform(action, imu: imu, folder: folder) }
    }

    /// Saves what is known when the daemon stops: waits for the thread, and writes what is better than the saved. Gives
    /// up after ``patienceSeconds`` if the disk does not answer.
    package func finish(_ observed: Observed, frame: Frame, now: MonotonicTime) {
        let end = SystemClock.monotonicNow.advanced(bySeconds: patienceSeconds)
        // Where another IMU runs by now, what is known is not of the one whose files were read.
        guard isWorkDone(by: end, now), let folder, let imu, observed.imu == nil || observed.imu == imu else { return }
        let isAligned = frame.pose.state == .aligned && mixture == nil
        if let mount = observed.calibration.mount, saving.shouldSave(mount, state: isAligned, at: now, isLast: true) {
            let saved = SavedMount(imu: imu, mount: saving.content(of: mount))
            guard complete(by: end, now, { Self.write(saved, folder: folder) }) else { return }
        }
        if let sensors = changedSensors(observed, isAligned, now, isLast: true) {
            guard complete(by: end, now, { Self.write(sensors, folder: folder) }) else { return }
        }
        if let action = restSaving.action(for: frame, at: now, isLast: true), mixture == nil || action == .remove {
            _ = complete(by: end, now) { Self.perform(action, imu: imu, folder: folder) }
        }
    }

    /// Works on the thread and waits for it, or works here if the system cannot create one. Returns whether the work is
    /// done.
    private func complete(
        by end: MonotonicTime, _ now: MonotonicTime, _ work: @escaping @Sendable () -> Outcome
    ) -> Bool {
        start(work)
        if worker == nil { process(work(), now) }
        return isWorkDone(by: end, now)
    }

    /// Waits for the thread. One that the disk does not let go is left to the end of the process.
    private func isWorkDone(by end: MonotonicTime, _ now: MonotonicTime) -> Bool {
        processOutcome(now)
        while worker != nil, SystemClock.monotonicNow < end {
            usleep(2_000)
            processOutcome(now)
        }
        guard let stuck = worker else { return true }
        worker = nil
        stuck.requestStop()
        // Its deinitialiser would wait for the disk.
        _ = Unmanaged.passRetained(stuck)
        log.warning("the disk does not answer: what was not written yet is not saved for the next drive")
        return false
    }

    /// Passes the sensors' prior to the engine, once the temperature of the sensor is known or will not be.
    private func offerSensors(_ celsius: Double?, _ now: MonotonicTime) {
        guard let since = priorSince, let sensorSaving,
            celsius != nil || now.seconds(since: since) >= Self.temperatureSeconds
        else { return }
        let prior = sensorSaving.prior(celsius: celsius)
        guard prior.isEmpty || offer(.sensors(prior)) else { return }
        priorSince = nil
        guard let bias = prior.gyroBias?.radiansPerSecond else { return }
        log.notice("\(Self.beginning(with: bias, celsius: celsius))")
    }

    /// What the log says of a gyro bias, rad/s, with which the engine begins.
    static func beginning(with bias: Vector3, celsius: Double?) -> String {
        let degrees = bias * (180 / .pi)
        let numbers = [degrees.x, degrees.y, degrees.z].map { "\(($0 * 1000).rounded() / 1000)" }
        let at = celsius.map { " at \(($0 * 10).rounded() / 10) degrees Celsius" } ?? ""
        return "began with the saved gyro bias \(numbers.joined(separator: ", ")) deg/s\(at)"
    }

    /// What is known of the sensors, if it is to be saved now. Only an aligned pose knows.
    private func changedSensors(
        _ observed: Observed, _ isAligned: Bool, _ now: MonotonicTime, isLast: Bool = false
    ) -> SavedSensors? {
        guard isAligned else { return nil }
        sensorSaving?.note(observed.calibration.sensors, celsius: observed.celsius)
        guard sensorSaving?.shouldSave(at: now, isLast: isLast) == true else { return nil }
        return sensorSaving?.current
    }

    /// Starts work on the thread, of which none may be running.
    func start(_ work: @escaping @Sendable () -> Outcome) {
        let mailbox = mailbox
        let thread = WorkerThread(name: "state") { _ in mailbox.put(work()) }
        if thread.start() { worker = thread }
    }

    private func processOutcome(_ now: MonotonicTime) {
        guard let outcome = mailbox.take() else { return }
        worker?.stop()
        worker = nil
        process(outcome, now)
    }

    private func process(_ outcome: Outcome, _ now: MonotonicTime) {
        switch outcome {
        case .read(let stored): use(stored, now)
        case .sensorsWritten(let saved):
            sensorSaving?.recordSaved(saved)
            noteWritten()
        case .rested(let pose):
            restSaving.recordSaved(pose)
            noteWritten()
        case .written(let saved):
            saving.recordSaved(saved.mount)
            noteWritten()
            fileNotes = ["the mount is saved"]
        case .failed(let text):
            (fileNotes, hasFailed) = ([text], true)
            // Log a problem once, until writing works again or another problem occurs.
            if text != lastProblem { log.warning("\(text)") }
            lastProblem = text
        }
    }

    /// Notes that the estimate, which began with another IMU, is not that of this one.
    private func noteMixture(with imu: String) {
        guard mixture == nil else { return }
        let text = "nothing more is saved for the next drive: the IMU was changed for \(imu) on the way; restart posed"
        mixture = text
        log.warning("\(text)")
    }

    /// Forgets why writing failed: it works.
    private func noteWritten() {
        if hasFailed { fileNotes = [] }
        (hasFailed, folderProblem, lastProblem) = (false, nil, nil)
    }

    private func use(_ stored: Stored, _ now: MonotonicTime) {
        (fileNotes, hasFailed) = ([], false)
        for problem in stored.problems where problem != lastProblem {
            log.warning("\(problem)")
            lastProblem = problem
        }
        if let saved = stored.mount {
            saving.recordSaved(saved.mount)
            pendingMount = saved.mount.onTheNextDrive
            fileNotes.append("the saved mount was loaded")
            log.notice("loaded saved mount of \(saved.imu) as prior")
        } else if stored.problems.isEmpty {
            fileNotes.append("no saved mount")
        }
        fileNotes += stored.problems
        sensorSaving = SensorSaving(imu: stored.imu, read: stored.sensors, corrections: corrections)
        priorSince = stored.sensors == nil ? nil : now
        if let rest = stored.rest {
            restSaving.recordSaved(rest)
            pendingRest = rest.onTheNextStart
            fileNotes.append("the pose of the last stop was loaded")
            log.notice("loaded the pose of the last stop")
        }
    }

    private static func write(_ mount: SavedMount, folder: String) -> Outcome {
        do throws(StateProblem) {
            try StateReader.write(mount, folder: folder)
            return .written(mount)
        } catch {
            return .failed("\(error); the mount will be estimated while driving")
        }
    }

    private static func write(_ sensors: SavedSensors, folder: String) -> Outcome {
        do throws(StateProblem) {
            try StateReader.write(sensors, folder: folder)
            return .sensorsWritten(sensors)
        } catch {
            return .failed("\(error); the next drive begins without the gyro bias")
        }
    }

    private static func perform(_ action: RestSaving.Action, imu: String, folder: String) -> Outcome {
        do throws(StateProblem) {
            switch action {
            case .save(let pose):
                try StateReader.write(SavedRest(imu: imu, pose: pose), folder: folder)
                return .rested(pose)
            case .remove:
                try StateReader.removeRest(imu: imu, folder: folder)
                return .rested(nil)
            }
        } catch {
            return .failed("\(error); the next start may not know where the vehicle stands")
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
