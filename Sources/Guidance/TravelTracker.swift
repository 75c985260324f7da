import Geodesy
import PoseMath

#if canImport(Glibc)
    import Glibc
#endif

/// How the vehicle moves: as it is told, and where it is not, from the positions themselves.
struct TravelTracker: Sendable {
    /// How it moved up to one position.
    struct Step {
        /// Since the position before, seconds.
        var elapsedSeconds: Double
        /// Straight from the position before, metres.
        var movedMeters: Double
        /// Speed over ground, m/s; `nil` where unknown.
        var speedMetersPerSecond: Double?
        /// Direction of travel, unit length; `nil` where unknown or standing.
        var travel: PlaneOffset?
        /// 1-sigma of the direction, radians.
        var travelSigmaRadians: Double

        /// Whether it moves fast enough to have a direction.
        var isMoving: Bool { travel != nil }
        /// The way it may have made since the position before, metres.
        var lengthMeters: Double { max(movedMeters, (speedMetersPerSecond ?? 0) * elapsedSeconds) }
    }

    private var last: (time: MonotonicTime, point: Vector3)?
    /// The place that a course of our own is measured from.
    private var anchor: (time: MonotonicTime, point: Vector3)?
    private var ownCourseRadians: Double?
    private var ownSpeedMetersPerSecond: Double?

    /// Shortest way that gives a course of our own, metres: half the error of a fix on either end is 15 degrees.
    private static let baselineMeters = 15.0
    /// A course of our own is forgotten when no new one came for so long, seconds.
    private static let memorySeconds = 20.0

    /// Takes a position; `nil` when the time did not go forward.
    mutating func update(_ input: GuidanceInput, plane: TangentPlane, settings: GuidanceSettings) -> Step? {
        var elapsed = 0.0
        var moved = 0.0
        if let last {
            elapsed = input.time.seconds(since: last.time)
            guard elapsed > 0 else { return nil }
            moved = plane.offset(of: last.point).length
        }
        last = (input.time, plane.origin)
        trackOwn(input.time, plane: plane)
        let speed = input.speedMetersPerSecond.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil } ?? ownSpeedMetersPerSecond
        var step = Step(elapsedSeconds: elapsed, movedMeters: moved, speedMetersPerSecond: speed, travel: nil, travelSigmaRadians: 0.35)
        guard let speed, speed >= settings.movingMetersPerSecond else { return step }
        var radians: Double?
        if let course = input.courseOverGroundRadians, course.isFinite {
            radians = course
            step.travelSigmaRadians = TravelTracker.sound(input.courseSigmaRadians, otherwise: 0.1)
        } else if let own = ownCourseRadians {
            radians = own
        } else if let heading = input.headingTrueRadians, heading.isFinite {
            radians = heading
            step.travelSigmaRadians = TravelTracker.sound(input.headingSigmaRadians, otherwise: 0.35)
        }
        if let radians, step.travelSigmaRadians < 0.8 { step.travel = PlaneOffset(east: sin(radians), north: cos(radians)) }
        return step
    }

    private static func sound(_ sigma: Double?, otherwise: Double) -> Double {
        guard let sigma, sigma >= 0, sigma.isFinite else { return otherwise }
        return sigma
    }

    private mutating func trackOwn(_ time: MonotonicTime, plane: TangentPlane) {
        guard let from = anchor else {
            anchor = (time, plane.origin)
            return
        }
        let back = plane.offset(of: from.point)
        let elapsed = time.seconds(since: from.time)
        if back.length >= TravelTracker.baselineMeters {
            ownCourseRadians = atan2(-back.east, -back.north)
            ownSpeedMetersPerSecond = back.length / elapsed
            anchor = (time, plane.origin)
        } else if elapsed > TravelTracker.memorySeconds {
            ownCourseRadians = nil
            ownSpeedMetersPerSecond = back.length / elapsed
            anchor = (time, plane.origin)
        }
    }
}
