import Fusion

/// What the files of one IMU contain.
struct Stored: Sendable {
    /// The IMU.
    var imu: String
    /// The mount; `nil` without a valid file.
    var mount: SavedMount?
    /// Gyro bias, lags and wheels.
    var sensors: SavedSensors?
    /// The pose of the last stop.
    var rest: RestingPose?
    /// What is damaged, and what follows.
    var problems: [String] = []
}

/// Reads and writes the files of one IMU.
enum StateReader {
    /// The content of the files. Where one is damaged, the one before is used, and without it the defaults.
    static func read(folder: String, imu: String) -> Stored {
        var stored = Stored(imu: imu)
        var problems: [String] = []
        let path = "\(folder)/\(SavedMount.fileName(imu: imu))"
        stored.mount = StateFile.newestValid(path, atMost: SavedMount.longest, note: { problems.append($0) }) {
            bytes throws(StateProblem) in
            try SavedMount(bytes: bytes, imu: imu)
        } otherwise: {
            "the mount will be estimated while driving"
        }
        let sensors = "\(folder)/\(SavedSensors.fileName(imu: imu))"
        stored.sensors = StateFile.newestValid(sensors, atMost: SavedSensors.longest, note: { problems.append($0) }) {
            bytes throws(StateProblem) in
            try SavedSensors(bytes: bytes, imu: imu)
        } otherwise: {
            "the drive begins without the gyro bias, the lags and the wheels of earlier ones"
        }
        stored.problems = problems
        // The pose of the last stop means nothing without the mount.
        if stored.mount != nil { readRest(folder: folder, into: &stored) }
        return stored
    }

    private static func readRest(folder: String, into stored: inout Stored) {
        let path = "\(folder)/\(SavedRest.fileName(imu: stored.imu))"
        do throws(StateProblem) {
            // No previous one: the pose of an earlier stop is not where the vehicle stands.
            guard let bytes = try StateFile.read(path, atMost: SavedRest.longest) else { return }
            stored.rest = try SavedRest(bytes: bytes, imu: stored.imu).pose
        } catch {
            stored.problems.append("\(path): \(error); the start is without the pose of the last stop")
        }
    }

    /// Replaces the file of a mount; keeps the one before.
    static func write(_ mount: SavedMount, folder: String) throws(StateProblem) {
        try replace(mount.bytes, "\(folder)/\(SavedMount.fileName(imu: mount.imu))", folder) { bytes in
            (try? SavedMount(bytes: bytes, imu: mount.imu)) != nil
        }
    }

    /// Replaces the file of the sensors; keeps the one before.
    static func write(_ sensors: SavedSensors, folder: String) throws(StateProblem) {
        try replace(sensors.bytes, "\(folder)/\(SavedSensors.fileName(imu: sensors.imu))", folder) { bytes in
            (try? SavedSensors(bytes: bytes, imu: sensors.imu)) != nil
        }
    }

    /// Replaces the file of the last stop. The one before is of no use.
    static func write(_ rest: SavedRest, folder: String) throws(StateProblem) {
        let path = "\(folder)/\(SavedRest.fileName(imu: rest.imu))"
        do throws(StateProblem) {
            try StateFile.replace(path, with: rest.bytes, folder: folder)
        } catch {
            throw StateProblem(description: "\(path): \(error)")
        }
    }

    /// Removes the file of the last stop.
    static func removeRest(imu: String, folder: String) throws(StateProblem) {
        let path = "\(folder)/\(SavedRest.fileName(imu: imu))"
        do throws(StateProblem) {
            try StateFile.remove(path, folder: folder)
        } catch {
            throw StateProblem(description: "\(path): \(error)")
        }
    }

    private static func replace(
        _ bytes: [UInt8], _ path: String, _ folder: String, keeping isValid: ([UInt8]) -> Bool
    ) throws(StateProblem) {
        do throws(StateProblem) {
            try StateFile.replace(path, with: bytes, folder: folder, keeping: isValid)
        } catch {
            throw StateProblem(description: "\(path): \(error)")
        }
    }
}
