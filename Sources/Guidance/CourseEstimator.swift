import Geodesy
import Glibc
import PoseMath

/// How the vehicle moves: as it is told, and where it is not, from the positions themselves.
struct CourseEstimator: Sendable {
    /// How it moved up to one position.
    struct Step {
        /// Since the position before, seconds.
        var elapsedSeconds: Double
        /// Straight from the position before, without what no vehicle does, metres.
        var movedMeters: Double
        /// What the position is shifted by, as far as is known, metres.
        var shift: PlaneOffset
        /// Speed over ground, m/s; `nil` where unknown.
        var speedMetersPerSecond: Double?
        /// The faster of the speeds here and at the position before, m/s; 0 where neither is known.
        var fastestMetersPerSecond = 0.0
        /// The mean of both speeds where both are known, else the one here, m/s; 0 where it is unknown.
        var meanMetersPerSecond = 0.0
        /// Direction of travel, unit length; `nil` where unknown or standing.
        var travel: PlaneOffset?
        /// 1-sigma of the direction, radians.
        var travelSigmaRadians: Double
        /// Whether the speed was told, not taken from the positions.
        var isSpeedTold = false
        /// Whether speed and direction were told, not taken from the positions.
        var isTravelTold = false

        /// Whether the position before is so long ago that it tells little of the way from there.
        var isSparse: Bool { elapsedSeconds >= 2.5 }
        /// Whether it moves fast enough to have a direction.
        var isMoving: Bool { travel != nil }
        /// The way it may have made since the position before, metres. A speed taken from the positions is no more than
        /// they are.
        var lengthMeters: Double { isSpeedTold ? max(movedMeters, meanMetersPerSecond * elapsedSeconds) : movedMeters }
    }

    private var lastTime: MonotonicTime?
    private var track = MultipathFilter()
    /// The place that a course of our own is measured from.
    private var anchor: (time: MonotonicTime, point: Vector3)?
    private var ownCourseRadians: Double?
    private var ownSpeedMetersPerSecond: Double?
    private var lastSpeedMetersPerSecond: Double?

    /// Shortest way that gives a course of our own, metres: with a metre or two of noise on either end it is good to 15
    /// degrees.
    private static let baselineMeters = 10.0
    /// A course of our own is forgotten when no new one came for so long, seconds.
    private static let memorySeconds = 20.0

    /// Positions nearer in time than this are the same one, seconds.
    private static let shortestSeconds = 0.001

    /// Takes a position; `nil` when the time did not go forward.
    mutating func update(_ input: GuidanceInput, plane: TangentPlane, settings: GuidanceSettings) -> Step? {
        let elapsed = lastTime.map { input.time.seconds(since: $0) } ?? 0
        guard lastTime == nil || elapsed >= CourseEstimator.shortestSeconds else { return nil }
        lastTime = input.time
        let told = input.speedMetersPerSecond.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
        let motion = track.update(
            input, plane: plane, elapsedSeconds: elapsed, velocity: velocity(told, input, settings))
        trackOwn(input.time, plane: plane)
        let speed = told ?? ownSpeedMetersPerSecond
        var step = Step(
            elapsedSeconds: elapsed, movedMeters: motion.moved.length, shift: motion.shift, speedMetersPerSecond: speed,
            fastestMetersPerSecond: max(speed ?? 0, lastSpeedMetersPerSecond ?? 0), travel: nil,
            travelSigmaRadians: 0.35)
        step.meanMetersPerSecond = speed.map { ($0 + (lastSpeedMetersPerSecond ?? $0)) / 2 } ?? 0
        lastSpeedMetersPerSecond = speed
        step.isSpeedTold = told != nil
        guard let speed, speed >= settings.movingMetersPerSecond else { return step }
        var radians: Double?
        if let course = input.courseOverGroundRadians, course.isFinite {
            radians = course
            step.isTravelTold = told != nil
            step.travelSigmaRadians = CourseEstimator.sound(input.courseSigmaRadians, otherwise: 0.1)
        } else if let own = ownCourseRadians {
            radians = own
        } else if let heading = input.headingTrueRadians, heading.isFinite {
            radians = heading
            step.travelSigmaRadians = CourseEstimator.sound(input.headingSigmaRadians, otherwise: 0.35)
        }
        if let radians, step.travelSigmaRadians < 0.8 {
            step.travel = PlaneOffset(east: sin(radians), north: cos(radians))
        }
        return step
    }

    /// The velocity as it is told, m/s; `nil` where it is not.
    private func velocity(_ speed: Double?, _ input: GuidanceInput, _ settings: GuidanceSettings) -> PlaneOffset? {
        guard let speed else { return nil }
        guard speed >= settings.movingMetersPerSecond / 2 else { return .zero }
        guard let course = input.courseOverGroundRadians, course.isFinite else { return nil }
        return PlaneOffset(east: speed * sin(course), north: speed * cos(course))
    }

    private static func sound(_ sigma: Double?, otherwise: Double) -> Double {
        guard let sigma, sigma >= 0, sigma.isFinite else { return otherwise }
        return sigma
    }

    private mutating func trackOwn(_ time: MonotonicTime, plane: TangentPlane) {
        guard let point = track.point else { return }
        guard let from = anchor else {
            anchor = (time, point)
            return
        }
        let way = plane.offset(of: point) - plane.offset(of: from.point)
        let elapsed = time.seconds(since: from.time)
        if way.length >= CourseEstimator.baselineMeters {
            ownCourseRadians = atan2(way.east, way.north)
            ownSpeedMetersPerSecond = way.length / elapsed
            anchor = (time, point)
        } else if elapsed > CourseEstimator.memorySeconds {
            ownCourseRadians = nil
            ownSpeedMetersPerSecond = way.length / elapsed
            anchor = (time, point)
        }
    }
}
