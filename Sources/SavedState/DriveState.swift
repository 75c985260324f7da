import Calibration
import Frames
import Fusion
import PoseMath

/// The state of one IMU around a recording that is run as one of its drives.
package struct DriveState {
    private let folder: String
    private let imu: String
    private var mounts = MountSaving()
    private var sensors: SensorSaving
    private var rests: RestSaving

    /// What earlier drives have left, as the daemon would offer it to the engine, in this order.
    package private(set) var prior: [StateStore.Kept] = []

    /// Reads the state of an IMU.
    ///
    /// - Parameters:
    ///   - keepsStops: whether the place of a stop is saved: of what rolls on wheels, which alone can begin there.
    ///   - note: called with what a user has to know: a damaged file, and what follows.
    package init(folder: String, imu: String, keepsStops: Bool = true, note: (String) -> Void) {
        rests = RestSaving(keepsStops: keepsStops)
        (self.folder, self.imu) = (folder, imu)
        let stored = StateReader.read(folder: folder, imu: imu)
        stored.problems.forEach(note)
        sensors = SensorSaving(imu: imu, read: stored.sensors, corrections: SensorCorrections())
        if let saved = stored.mount {
            mounts.recordSaved(saved.mount)
            prior.append(.mount(saved.mount.onTheNextDrive))
        }
        if let rest = stored.rest {
            rests.recordSaved(rest)
            prior.append(.rest(rest.onTheNextStart))
        }
        let known = sensors.prior(celsius: nil)
        if !known.isEmpty { prior.append(.sensors(known)) }
    }

    /// Writes what a drive has found, where that is better than what is saved; returns what was changed, as words.
    ///
    /// - Parameters:
    ///   - found: what is known of mount, sensors and receiver.
    ///   - last: the last frame with an aligned pose: where the vehicle stands at the end, if it does.
    package mutating func finish(_ found: SensorCalibration, last: Frame) throws(StateProblem) -> [String] {
        var changed: [String] = []
        let end = MonotonicTime(nanoseconds: 0)
        if let mount = found.mount, mounts.shouldSave(mount, state: true, at: end, isLast: true) {
            try StateReader.write(SavedMount(imu: imu, mount: mounts.content(of: mount)), folder: folder)
            changed.append("saved mount")
        }
        sensors.note(found.sensors, celsius: nil)
        if sensors.shouldSave(at: end, isLast: true) {
            try StateReader.write(sensors.current, folder: folder)
            changed.append("saved gyro bias, lags and wheels")
        }
        switch rests.action(for: last, at: end, isLast: true) {
        case nil: break
        case .save(let pose):
            try StateReader.write(SavedRest(imu: imu, pose: pose), folder: folder)
            changed.append("saved pose of the last stop")
        case .remove:
            try StateReader.removeRest(imu: imu, folder: folder)
            changed.append("removed pose of the last stop, which the vehicle has left")
        }
        return changed
    }
}
