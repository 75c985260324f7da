import Geodesy
import Glibc
import PoseMath

/// Speed and direction of travel. Uses the measured values where they exist, and otherwise derives them from the
/// positions.
struct CourseEstimator: Sendable {
    /// Motion between the previous position and this one.
    struct Step {
        /// Time since the previous position, seconds.
        var elapsedSeconds: Double
        /// Straight-line distance from the previous position, after removal of multipath steps, metres.
        var displacementMeters: Double
        /// Estimated multipath shift of the position, metres.
        var shift: PlaneOffset
        /// Speed over ground, m/s; `nil` where unknown.
        var speedMetersPerSecond: Double?
        /// The larger of the speeds at this and the previous position, m/s; 0 where neither is known.
        var fastestMetersPerSecond = 0.0
        /// Mean of the speeds at this and the previous position, m/s. The speed at this position where only that is
        /// known; 0 where it is unknown.
        var meanMetersPerSecond = 0.0
        /// Direction of travel, unit length; `nil` if unknown or if the vehicle stands.
        var travelDirection: PlaneOffset?
        /// 1-sigma of the direction of travel, radians.
        var travelDirectionSigmaRadians: Double
        /// Whether the speed was measured rather than derived from positions.
        var isSpeedMeasured = false
        /// Whether speed and direction were measured rather than derived from positions.
        var isVelocityMeasured = false

        /// Whether the vehicle stands, or positions far apart in time differ by no more than their errors.
        var isStanding = false

        /// Whether the previous position is too old to describe the motion since then.
        var isSparse: Bool { elapsedSeconds >= Step.sparseSeconds }
        /// Positions at least this far apart in time are sparse, seconds.
        static let sparseSeconds = 2.5
        /// Whether the vehicle is fast enough to have a direction of travel.
        var isMoving: Bool { travelDirection != nil }
        /// Distance that the vehicle may have travelled since the previous position, metres. A speed derived from
        /// positions adds no information to their displacement.
        var lengthMeters: Double {
            isSpeedMeasured ? max(displacementMeters, meanMetersPerSecond * elapsedSeconds) : displacementMeters
        }
    }

    private var lastTime: MonotonicTime?
    private var multipathFilter = MultipathFilter()
    /// Start of the baseline for the derived course.
    private var anchor: (time: MonotonicTime, point: Vector3)?
    private var derivedCourseRadians: Double?
    private var derivedSpeedMetersPerSecond: Double?
    private var lastSpeedMetersPerSecond: Double?

    /// Minimum baseline for a derived course, metres. With 1 to 2 m of noise at either end the course is good to 15
    /// degrees.
    private static let baselineMeters = 10.0
    /// Minimum baseline between positions far apart in time, in sigmas of a position: such positions have lost most of
    /// their common error, and a standing vehicle must not appear to move.
    private static let sparseBaselineSigmas = 2.5
    /// A derived course expires after this time without an update, seconds.
    private static let maximumCourseAgeSeconds = 20.0

    /// Positions closer in time than this count as the same position, seconds.
    private static let shortestSeconds = 0.001

    /// Processes a position; returns `nil` if its time is not later than the previous one.
    mutating func update(_ input: GuidanceInput, plane: TangentPlane, settings: GuidanceSettings) -> Step? {
        let elapsed = lastTime.map { input.time.seconds(since: $0) } ?? 0
        guard lastTime == nil || elapsed >= CourseEstimator.shortestSeconds else { return nil }
        lastTime = input.time
        let measuredSpeed = input.speedMetersPerSecond.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
        let motion = multipathFilter.update(
            input, plane: plane, elapsedSeconds: elapsed, velocity: measuredVelocity(measuredSpeed, input, settings))
        let sigma = input.horizontalSigmaMeters ?? settings.defaultPositionSigmaMeters
        updateDerivedCourse(input.time, plane: plane, sigmaMeters: elapsed >= Step.sparseSeconds ? sigma : 0)
        // Between sparse positions a vehicle may have stopped: the earlier speed is no longer its speed.
        let isOutdated = elapsed >= Step.sparseSeconds && anchor?.time != input.time
        let speed =
            measuredSpeed
            ?? derivedSpeedMetersPerSecond.map { isOutdated ? min($0, motion.displacement.length / elapsed) : $0 }
        var step = Step(
            elapsedSeconds: elapsed, displacementMeters: motion.displacement.length, shift: motion.shift,
            speedMetersPerSecond: speed,
            fastestMetersPerSecond: max(speed ?? 0, lastSpeedMetersPerSecond ?? 0), travelDirection: nil,
            travelDirectionSigmaRadians: 0.35)
        step.meanMetersPerSecond = speed.map { ($0 + (lastSpeedMetersPerSecond ?? $0)) / 2 } ?? 0
        lastSpeedMetersPerSecond = speed
        step.isSpeedMeasured = measuredSpeed != nil
        step.isStanding = (measuredSpeed == nil && isOutdated) || settings.isStanding(speed)
        guard let speed, speed >= settings.movingMetersPerSecond else { return step }
        var radians: Double?
        if let course = input.courseOverGroundRadians, course.isFinite {
            radians = course
            step.isVelocityMeasured = measuredSpeed != nil
            step.travelDirectionSigmaRadians = CourseEstimator.validSigma(input.courseSigmaRadians, otherwise: 0.1)
        } else if let derivedCourse = derivedCourseRadians {
            radians = derivedCourse
        } else if let heading = input.headingTrueRadians, heading.isFinite {
            radians = heading
            step.travelDirectionSigmaRadians = CourseEstimator.validSigma(input.headingSigmaRadians, otherwise: 0.35)
        }
        if let radians, step.travelDirectionSigmaRadians < 0.8 {
            step.travelDirection = PlaneOffset(east: sin(radians), north: cos(radians))
        }
        return step
    }

    /// The measured velocity, m/s; `nil` if it is not measured.
    private func measuredVelocity(_ speed: Double?, _ input: GuidanceInput, _ settings: GuidanceSettings)
        -> PlaneOffset?
    {
        guard let speed else { return nil }
        guard speed >= settings.movingMetersPerSecond / 2 else { return .zero }
        guard let course = input.courseOverGroundRadians, course.isFinite else { return nil }
        return PlaneOffset(east: speed * sin(course), north: speed * cos(course))
    }

    private static func validSigma(_ sigma: Double?, otherwise: Double) -> Double {
        guard let sigma, sigma >= 0, sigma.isFinite else { return otherwise }
        return sigma
    }

    /// `sigmaMeters`: 1-sigma of a position that has little error in common with the previous one, else 0.
    private mutating func updateDerivedCourse(_ time: MonotonicTime, plane: TangentPlane, sigmaMeters: Double) {
        guard let point = multipathFilter.point else { return }
        guard let from = anchor else {
            anchor = (time, point)
            return
        }
        let displacement = plane.offset(of: point) - plane.offset(of: from.point)
        let elapsed = time.seconds(since: from.time)
        let baseline = max(CourseEstimator.baselineMeters, CourseEstimator.sparseBaselineSigmas * sigmaMeters)
        if displacement.length >= baseline {
            derivedCourseRadians = atan2(displacement.east, displacement.north)
            derivedSpeedMetersPerSecond = displacement.length / elapsed
            anchor = (time, point)
        } else if elapsed > CourseEstimator.maximumCourseAgeSeconds {
            derivedCourseRadians = nil
            derivedSpeedMetersPerSecond = displacement.length / elapsed
            anchor = (time, point)
        }
    }
}
