import Measurements

/// Finds a receiver that repeats one position for ever under fresh times while it says it moves.
struct StuckReceiverDetector {
    /// So many fixes with the same position to the last digit are no coincidence.
    static let repetitions = 5
    /// Only above this speed must positions differ, m/s.
    static let movingSpeedMetersPerSecond = 1.0

    private var latitudeRadians: Double?
    private var longitudeRadians: Double?
    private var count = 0

    /// Takes the next fix; whether it is the fifth or a later one in a row that stands still in motion.
    mutating func isStuck(_ fix: GnssFix) -> Bool {
        let isMoving = (fix.horizontalVelocity?.speedMetersPerSecond ?? 0) > Self.movingSpeedMetersPerSecond
        let isSame = fix.latitudeRadians == latitudeRadians && fix.longitudeRadians == longitudeRadians
        latitudeRadians = fix.latitudeRadians
        longitudeRadians = fix.longitudeRadians
        count = isMoving ? (isSame ? count + 1 : 1) : 0
        return count >= Self.repetitions
    }
}
