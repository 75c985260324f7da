import Frames

/// Statistics of the poses of a drive, by time.
struct PoseStatistics: Sendable {
    /// Seconds in each state.
    private(set) var stateSeconds: [Frame.PoseState: Double] = [:]
    /// Seconds from the first frame to the first aligned one; `nil` if there was none.
    private(set) var secondsToAligned: Double?
    /// Number of announced jumps.
    private(set) var jumps = 0
    /// Longest age of the last accepted fix, seconds, and when it was, seconds after the first frame.
    private(set) var longestWithoutFix = (seconds: 0.0, at: 0.0)
    /// Way along the velocity, metres.
    private(set) var lengthMeters = 0.0
    /// Seconds in motion, with a known limit, and above it by more than 3 %.
    private(set) var movingSeconds = 0.0
    private(set) var limitedSeconds = 0.0
    private(set) var overLimitSeconds = 0.0
    /// Largest speed, m/s.
    private(set) var largestSpeed: Double?

    /// Seconds on a route, and off it, the wrong way or about to turn; and how often it was left.
    private(set) var onRouteSeconds = 0.0
    private(set) var offRouteSeconds = 0.0
    private(set) var departures = 0

    private var wasOffRoute = false
    private var first: Int64?
    private var last: Int64?
    private var resetCount: UInt32?

    /// Seconds of all states.
    var seconds: Double { stateSeconds.values.reduce(0, +) }

    /// Counts a frame. A gap of more than two seconds between frames belongs to no state.
    mutating func note(_ frame: Frame) {
        let time = frame.timeNanoseconds
        let start = first ?? time
        first = start
        let step = last.map { Self.seconds($0, time) } ?? 0
        last = time
        let at = Self.seconds(start, time)
        let pose = frame.pose
        if pose.state == .aligned, secondsToAligned == nil { secondsToAligned = at }
        if let resetCount, pose.resetCount > resetCount { jumps += Int(pose.resetCount - resetCount) }
        resetCount = pose.resetCount
        if let age = pose.fixAgeSeconds, age > longestWithoutFix.seconds { longestWithoutFix = (age, at) }
        guard step > 0, step <= 2 else { return }
        stateSeconds[pose.state, default: 0] += step
        note(frame.guidance.state, step)
        note(frame.speed, pose, step)
    }

    /// Counts the jumps after a number of them from here on: those before a recording that begins in mid-run are not
    /// its own.
    mutating func countJumps(from count: UInt32) {
        if resetCount != nil { resetCount = count }
    }

    private mutating func note(_ guidance: Frame.GuidanceState, _ step: Double) {
        let isOff = [.offRoute, .wrongWay, .uTurnNeeded].contains(guidance)
        if isOff {
            offRouteSeconds += step
            if !wasOffRoute { departures += 1 }
        } else if [.onRoute, .offStep, .rejoinedAhead].contains(guidance) {
            onRouteSeconds += step
        }
        wasOffRoute = isOff
    }

    private mutating func note(_ speed: Frame.Speed, _ pose: Frame.Pose, _ step: Double) {
        guard
            let value = speed.speedMetersPerSecond
                ?? pose.velocityENUMetersPerSecond.map({ ($0.x * $0.x + $0.y * $0.y).squareRoot() })
        else { return }
        largestSpeed = max(largestSpeed ?? 0, value)
        guard value > 0.5, !pose.isStandingStill else { return }
        movingSeconds += step
        lengthMeters += value * step
        guard speed.limitSource != .fallback, let limit = speed.limitMetersPerSecond else { return }
        limitedSeconds += step
        if value > 1.03 * limit { overLimitSeconds += step }
    }

    /// Seconds between two times of a recording, which may be any numbers; 0 where the second is not later.
    private static func seconds(_ from: Int64, _ to: Int64) -> Double {
        let (difference, overflow) = to.subtractingReportingOverflow(from)
        return overflow ? 0 : max(Double(difference) * 1e-9, 0)
    }
}
