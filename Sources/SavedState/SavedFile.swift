import BoundedJSON

/// Checks a file of the saved state without using it.
package enum SavedFile {
    /// Maximum length of a file, bytes.
    package static let longest = max(
        SavedMount.longest, SavedRest.longest, SavedCalibration.longest, SavedSensors.longest)

    /// Why a file is not used; `nil` if it is valid, or not a file of the saved state.
    package static func problem(name: String, bytes: [UInt8]) -> String? {
        let imu = (try? JSONDocument(bytes: bytes))?.root["imu"]?.string ?? ""
        do throws(StateProblem) {
            if name.hasPrefix("mount-") { _ = try SavedMount(bytes: bytes, imu: imu) }
            if name.hasPrefix(SavedCalibration.prefix) { _ = try SavedCalibration(bytes: bytes) }
            if name.hasPrefix(SavedSensors.prefix) { _ = try SavedSensors(bytes: bytes, imu: imu) }
            if name.hasPrefix("rest-") { _ = try SavedRest(bytes: bytes, imu: imu) }
            return nil
        } catch {
            return error.description
        }
    }
}
