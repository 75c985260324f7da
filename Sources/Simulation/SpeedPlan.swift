import Glibc

/// The speed along a track: as fast as limits and curves allow, with limited acceleration and braking, and with stops.
struct SpeedPlan {
    /// A stop at a distance along the track.
    struct Halt {
        var distance: Double
        var seconds: Double
    }

    /// Speed between two places of rest that are one cell apart, where nothing can be planned, m/s.
    private static let creepMetersPerSecond = 0.5
    private let spacing: Double
    private var speeds: [Double]

    /// Plans the speed for each metre of the track.
    init(track: RoadTrack, plan: DrivePlan, halts: [Halt]) {
        let cells = max(4, Int(track.lengthMeters.rounded(.up)))
        let spacing = track.lengthMeters / Double(cells)
        self.spacing = spacing
        speeds = (0...cells).map { cell in
            let distance = Double(cell) * spacing
            let curvature = abs(track.bend(at: distance).curvature)
            let inCurve = curvature > 1e-9 ? (plan.lateralMetersPerSecondSquared / curvature).squareRoot() : .infinity
            return min(track.limit(at: distance) * plan.limitFactor, inCurve)
        }
        smoothAroundCurves()
        speeds[0] = 0
        speeds[cells] = 0
        for halt in halts { speeds[min(max(Int((halt.distance / spacing).rounded()), 0), cells)] = 0 }
        limitAcceleration(plan.accelerationMetersPerSecondSquared, braking: plan.brakingMetersPerSecondSquared)
    }

    /// The spline smooths the plan over about half a second, so a curve's limit applies that much before and after it.
    private mutating func smoothAroundCurves() {
        let reach = max(1, Int(3 / spacing))
        let original = speeds
        for cell in original.indices {
            for near in max(0, cell - reach)...min(original.count - 1, cell + reach) {
                speeds[cell] = min(speeds[cell], original[near])
            }
        }
    }

    private mutating func limitAcceleration(_ acceleration: Double, braking: Double) {
        for cell in 1..<speeds.count {
            speeds[cell] = min(
                speeds[cell], (speeds[cell - 1] * speeds[cell - 1] + 2 * acceleration * spacing).squareRoot())
        }
        for cell in (0..<(speeds.count - 1)).reversed() {
            speeds[cell] = min(speeds[cell], (speeds[cell + 1] * speeds[cell + 1] + 2 * braking * spacing).squareRoot())
        }
    }

    /// The drive as a function of time, from standstill to standstill, and its duration, seconds.
    func timeProfile(plan: DrivePlan, halts: [Halt]) -> (spline: DistanceSpline, duration: Double) {
        // Knots 0.3 s apart smooth the plan with a standard deviation of 0.21 s: the jerk of a gentle driver.
        let interval = 0.3
        var controls: [Double] = []
        var time = plan.standingSecondsBefore
        func hold(_ distance: Double, until end: Double) {
            while Double(controls.count) * interval < end { controls.append(distance) }
        }
        time += standingSeconds(at: 0, halts)
        hold(0, until: time)
        for cell in 0..<(speeds.count - 1) {
            var (v0, v1) = (speeds[cell], speeds[cell + 1])
            if v0 == 0, v1 == 0 { (v0, v1) = (Self.creepMetersPerSecond, Self.creepMetersPerSecond) }
            let start = Double(cell) * spacing
            let seconds = 2 * spacing / (v0 + v1)
            let acceleration = (v1 - v0) / seconds
            while Double(controls.count) * interval < time + seconds {
                let t = Double(controls.count) * interval - time
                controls.append(start + t * (v0 + 0.5 * acceleration * t))
            }
            time += seconds
            time += standingSeconds(at: cell + 1, halts)
            hold(start + spacing, until: time)
        }
        time += plan.standingSecondsAfter
        hold(Double(speeds.count - 1) * spacing, until: time)
        return (DistanceSpline(controls: controls, intervalSeconds: interval), time)
    }

    private func standingSeconds(at cell: Int, _ halts: [Halt]) -> Double {
        halts.filter { Int(($0.distance / spacing).rounded()) == cell }.reduce(0) { $0 + $1.seconds }
    }
}
