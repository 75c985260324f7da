import Foundation
import Geodesy
import Guidance
import PoseMath
import Simulation

/// City drives as fleets archive them: positions 5 to 15 s apart without speed, course and accuracy, of vehicles that
/// wait, park, drive into yards and lose reception for minutes.
///
/// The distance from the line follows a Student distribution with two degrees of freedom and a scale of 3.9 m. On 263
/// recorded city drives 12.6, 3.7, 2.4, 0.58 and 0.27 % of 14,651 positions were more than 10, 20, 25, 50 and 80 m from
/// their road; the distribution has 12.5, 3.6, 2.4, 0.6 and 0.24 %. Errors last for four to five positions.
package struct SparseCity {
    /// Scale of each axis of the position error, metres.
    private static let scaleMeters = 3.9
    /// Time constant of the error, and mean duration of one size of it, seconds.
    private static let errorSeconds = 40.0
    /// Largest error of an axis, metres: one in 14,651 positions was more than 120 m off.
    private static let largestErrorMeters = 120.0
    /// Speed in a yard, m/s.
    private static let yardSpeed = 3.0

    private let drive: Drive
    private var random: RandomSource
    /// Stops in order of the time of the drive: at which second of it, for how long, and how far off the road.
    private var stops: [(at: Double, seconds: Double, east: Double, north: Double)] = []
    /// Gaps in the reception, in seconds since the start.
    private var gaps: [ClosedRange<Double>] = []
    private var unit = SIMD2<Double>(0, 0)
    private var size = 1.0
    private var sizeEnd = 0.0

    /// The positions of a drive.
    package static func fixes(of drive: Drive, seed: UInt64) -> [RoadFix] {
        var city = SparseCity(drive, seed: seed)
        return city.fixes()
    }

    private init(_ drive: Drive, seed: UInt64) {
        self.drive = drive
        random = RandomSource(seed: seed, use: 17)
        addStops()
    }

    private mutating func addStops() {
        for _ in 0..<5 { addStop(seconds: random.uniform(5, 60), depth: 0) }
        if random.chance(0.3) { addStop(seconds: random.uniform(60, 600), depth: random.uniform(0, 15)) }
        if random.chance(0.08) { addStop(seconds: random.uniform(20, 900), depth: random.uniform(15, 60)) }
        stops.sort { $0.at < $1.at }
    }

    /// A stop at a random place, in a yard that far from the road, metres.
    private mutating func addStop(seconds: Double, depth: Double) {
        let at = random.uniform(0.05, 0.9) * drive.durationSeconds
        let velocity = drive.velocityENUMetersPerSecond(atSeconds: at)
        let side = (random.chance(0.5) ? 1.0 : -1) * random.uniform(1.1, 2.0)
        let bearing = atan2(velocity.x, velocity.y) + side
        stops.append((at, seconds + 2 * depth / Self.yardSpeed, depth * sin(bearing), depth * cos(bearing)))
    }

    private mutating func fixes() -> [RoadFix] {
        let total = drive.durationSeconds + stops.reduce(0) { $0 + $1.seconds }
        if random.chance(0.4) {
            let begin = random.uniform(0, total)
            gaps.append(begin...(begin + random.uniform(60, 240)))
        }
        let period = random.uniform(5, 15)
        var fixes: [RoadFix] = []
        var (seconds, last) = (0.0, 0.0)
        while seconds < total {
            let error = error(afterSeconds: seconds - last, at: seconds)
            last = seconds
            if !gaps.contains(where: { $0.contains(seconds) }) { fixes.append(fix(at: seconds, error: error)) }
            seconds += period * random.uniform(0.8, 1.2)
        }
        return fixes
    }

    private mutating func fix(at seconds: Double, error: SIMD2<Double>) -> RoadFix {
        var (driven, east, north) = (seconds, 0.0, 0.0)
        var before = 0.0
        for stop in stops where seconds > stop.at + before {
            let inside = min(seconds - stop.at - before, stop.seconds)
            before += inside
            guard inside < stop.seconds else { continue }
            let depth = max(hypot(stop.east, stop.north), 1e-9)
            let share = min(1, Self.yardSpeed * min(inside, stop.seconds - inside) / depth)
            (east, north) = (share * stop.east, share * stop.north)
        }
        driven = min(seconds - before, drive.durationSeconds)
        let truth = drive.place(atSeconds: driven)
        let place = LocalFrame(origin: truth.position)
            .position(ofENUMeters: Vector3(east + error.x, north + error.y, 0))
        return RoadFix(
            input: GuidanceInput(time: MonotonicTime(nanoseconds: Int64(seconds * 1e9)), position: place),
            truth: truth.position, drivenMeters: truth.distanceMeters,
            errorMeters: hypot(error.x, error.y))
    }

    private mutating func error(afterSeconds elapsed: Double, at seconds: Double) -> SIMD2<Double> {
        if seconds >= sizeEnd {
            let (a, b, c) = (random.gaussian(), random.gaussian(), random.gaussian())
            size = (3 / max(a * a + b * b + c * c, 1e-3)).squareRoot()
            sizeEnd = seconds - Self.errorSeconds * log(1 - random.unit())
        }
        let share = seconds == 0 ? 0 : exp(-elapsed / Self.errorSeconds)
        let noise = SIMD2(random.gaussian(), random.gaussian())
        unit = share * unit + (1 - share * share).squareRoot() * noise
        let limit = SIMD2(repeating: Self.largestErrorMeters)
        return (Self.scaleMeters * size * unit).clamped(lowerBound: -limit, upperBound: limit)
    }
}
