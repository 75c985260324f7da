import Frames

/// The position in the form of OwnTracks (https://owntracks.org/booklet/tech/json, `_type` location).
package enum OwnTracks {
    /// The message; `nil` without a position or UTC.
    package static func location(_ frame: Frame, id: String) -> [UInt8]? {
        let pose = frame.pose
        guard let latitude = pose.latitudeRadians, let longitude = pose.longitudeRadians,
            let utc = frame.utcNanoseconds, utc > 0
        else { return nil }
        var writer = JSONWriter(capacity: 256)
        writer.number("{\"_type\":\"location\",\"lat\":", latitude * 180 / .pi, decimals: 7)
        writer.number(",\"lon\":", longitude * 180 / .pi, decimals: 7)
        writer.integer(",\"tst\":", utc / 1_000_000_000)
        // Whole metres, degrees and km/h: the form has no others.
        if let sigma = pose.positionSigmaENUMeters {
            let radius = (sigma.x * sigma.x + sigma.y * sigma.y).squareRoot()
            writer.number(",\"acc\":", min(radius, 1e6).rounded(.up), decimals: 0)
        }
        if let altitude = pose.altitudeMeanSeaMeters { writer.number(",\"alt\":", altitude.rounded(), decimals: 0) }
        if let course = pose.courseOverGroundRadians {
            writer.number(",\"cog\":", (course * 180 / .pi).rounded(.down), decimals: 0)
        }
        if let velocity = pose.velocityENUMetersPerSecond {
            let speed = (velocity.x * velocity.x + velocity.y * velocity.y).squareRoot()
            writer.number(",\"vel\":", (speed * 3.6).rounded(), decimals: 0)
        }
        // Two letters on the map.
        writer.string(",\"tid\":", String(id.suffix(2)))
        writer.literal("}")
        return writer.withBytes { Array($0) }
    }
}
