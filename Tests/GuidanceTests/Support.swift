import Geodesy
import Glibc
import Guidance
import PoseMath
import SeededNumbers

// Makes the generator available in all files of these tests.
typealias SplitMix64 = SeededNumbers.SplitMix64

extension SplitMix64 {
    /// Normal with mean 0 and sigma 1 (Box and Muller 1958).
    mutating func normal() -> Double { (-2 * log(max(uniform(), 1e-300))).squareRoot() * cos(2 * .pi * uniform()) }
}

/// A local plane in which roads and drives are given in metres: x to the east, y to the north.
struct Sheet {
    let frame: LocalFrame

    init(latitudeDegrees: Double = 48, longitudeDegrees: Double = 11) {
        frame = LocalFrame(
            origin: GeodeticPosition(latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees))
    }

    func place(_ x: Double, _ y: Double) -> GeodeticPosition { frame.position(ofENUMeters: Vector3(x, y, 0)) }

    func route(
        _ points: [(Double, Double)], maneuvers: [PlannedManeuver] = [], limits: [SpeedLimit] = [],
        durations: [Double] = []
    ) throws -> Route {
        try Route(
            RoutePlan(
                points: points.map { place($0.0, $0.1) }, limits: limits, durationsSeconds: durations,
                maneuvers: maneuvers))
    }
}

/// A track in a sheet that a vehicle drives along.
struct Track {
    let points: [(Double, Double)]
    private let along: [Double]

    init(_ points: [(Double, Double)]) {
        self.points = points
        var sum = 0.0
        along = points.indices.map { index in
            if index > 0 { sum += hypot(points[index].0 - points[index - 1].0, points[index].1 - points[index - 1].1) }
            return sum
        }
    }

    var length: Double { along.last ?? 0 }

    /// Position and course (radians) at a distance along the track, metres.
    func at(_ meters: Double) -> (x: Double, y: Double, course: Double) {
        var index = 0
        while index < points.count - 2, along[index + 1] <= meters { index += 1 }
        let (a, b) = (points[index], points[index + 1])
        let fraction = (meters - along[index]) / (along[index + 1] - along[index])
        return (a.0 + (b.0 - a.0) * fraction, a.1 + (b.1 - a.1) * fraction, atan2(b.0 - a.0, b.1 - a.1))
    }
}

/// Options of a drive.
struct DriveOptions {
    var speed = 12.0
    var period = 1.0
    var sigma = 0.0
    var givesCourse = true
    var givesSpeed = true
    var seed: UInt64 = 1
}

/// Result of one position of a drive.
struct DriveStep {
    var time: Double
    var along: Double
    var status: GuidanceStatus
}

extension RouteFollower {
    /// Drives a vehicle along a track and returns the steps.
    mutating func drive(
        _ track: Track, on sheet: Sheet, startTime: Double = 0, options: DriveOptions = DriveOptions()
    ) -> [DriveStep] {
        var random = SplitMix64(seed: options.seed)
        var steps: [DriveStep] = []
        var along = 0.0
        var time = startTime
        while along <= track.length {
            let (x, y, course) = track.at(along)
            var input = GuidanceInput(
                time: MonotonicTime(nanoseconds: Int64(time * 1e9)),
                position: sheet.place(x + options.sigma * random.normal(), y + options.sigma * random.normal()),
                horizontalSigmaMeters: max(options.sigma, 1))
            if options.givesCourse {
                input.courseOverGroundRadians = Angle.wrappedToTwoPi(course + 0.03 * random.normal())
            }
            if options.givesSpeed { input.speedMetersPerSecond = options.speed }
            steps.append(DriveStep(time: time, along: along, status: update(input)))
            along += options.speed * options.period
            time += options.period
        }
        return steps
    }
}
