import Engine
import Frames
import Fusion
import Geodesy
import Guidance
import Measurements
import PoseMath
import Simulation

/// Common data of the engine tests.
enum Scenes {
    /// The start: a level street.
    static let start = GeodeticPosition(latitudeDegrees: 46.05, longitudeDegrees: 14.5, altitudeEllipsoidMeters: 340)

    /// Four streets with three right-angled corners, 1.9 km.
    static var streets: [GeodeticPosition] {
        let frame = LocalFrame(origin: start)
        let corners = [
            Vector3(0, 0, 0), Vector3(0, 500, 0), Vector3(600, 500, 0), Vector3(600, 900, 0), Vector3(200, 900, 0),
        ]
        return corners.map { corner in
            var place = frame.position(ofENUMeters: corner)
            place.altitudeEllipsoidMeters = start.altitudeEllipsoidMeters
            return place
        }
    }

    /// The drive along the streets at 50 km/h with a consumer IMU and receiver.
    static func drive(_ change: (inout SensorSuite) -> Void = { _ in }) throws -> SimulatedDrive {
        var suite = SensorSuite()
        change(&suite)
        return SimulatedDrive(
            drive: try Drive(DrivePlan(vertices: streets, limitsMetersPerSecond: [50 / 3.6])), sensors: suite, seed: 20)
    }

    /// The route along the streets: right, left, left.
    static func route() throws -> Route {
        try Route(
            RoutePlan(
                points: streets, limits: Array(repeating: .metersPerSecond(50 / 3.6), count: 4),
                maneuvers: (1...3).map { PlannedManeuver(point: $0, kind: .turn) }))
    }

    static func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds) }

    /// A good fix that arrived 0.1 s after its validity.
    static func fix(
        at seconds: Double, _ place: GeodeticPosition = start, velocity: HorizontalVelocity? = nil,
        _ change: (inout GnssFix) -> Void = { _ in }
    ) -> SensorEvent {
        var fix = GnssFix(validityTime: time(seconds), arrivalTime: time(seconds + 0.1), mode: .threeDimensional)
        fix.latitudeRadians = place.latitudeRadians
        fix.longitudeRadians = place.longitudeRadians
        fix.altitudeEllipsoidMeters = place.altitudeEllipsoidMeters
        fix.horizontalVelocity = velocity
        fix.horizontalSigmaMeters = 2
        fix.verticalSigmaMeters = 4
        fix.satellitesUsed = 9
        change(&fix)
        return .gnss(fix)
    }

    /// A moving vehicle: 10 m/s in the direction of a heading.
    static func moving(headingDegrees: Double) -> HorizontalVelocity {
        let forward = EulerAngles(rollRadians: 0, pitchRadians: 0, headingTrueRadians: headingDegrees.degreesInRadians)
            .bodyToENU.rotate(.unitX)
        return HorizontalVelocity(eastMetersPerSecond: 10 * forward.x, northMetersPerSecond: 10 * forward.y)
    }

    /// An IMU at rest, level.
    static func resting(at seconds: Double) -> SensorEvent {
        .inertial(
            InertialSample(
                time: time(seconds), angularRateRadiansPerSecond: .zero,
                specificForceMetersPerSecondSquared: Vector3(0, 0, 9.806_65)))
    }
}

/// An engine in a class, so that its results can be checked in expectations.
final class RunningEngine {
    private var engine = Engine()

    var frame: Frame { engine.frame }
    var rejections: RejectionCounters { engine.rejections }

    @discardableResult func ingest(_ event: SensorEvent) -> Bool { engine.ingest(event) }
    func ingest(_ report: SourceReport) { engine.ingest(report) }
    func tick(at time: MonotonicTime) -> Bool { engine.tick(at: time) }
    func setRoute(_ route: Route?, version: UInt32) { engine.setRoute(route, version: version) }
    func setHeadingTrim(radians: Double) { engine.setHeadingTrim(radians: radians) }
    func trimHeading(byRadians angle: Double) { engine.trimHeading(byRadians: angle) }
    func reset() { engine.reset() }
    func aid(_ source: AidSource) -> AidSourceStatus? { engine.aid(source) }
}

/// The numeric fields of a value, at any depth, that are NaN or infinite.
func fieldsNotFinite(_ value: Any, _ path: String = "frame") -> [String] {
    if let number = value as? Double { return number.isFinite ? [] : [path] }
    return Mirror(reflecting: value).children.flatMap { fieldsNotFinite($0.value, path + "." + ($0.label ?? "")) }
}

/// The difference of two directions, degrees; NaN if one is unknown.
func degreesBetween(_ a: Double?, _ b: Double?) -> Double {
    guard let a, let b else { return .nan }
    return abs(Angle.wrappedToPi(a - b)).radiansInDegrees
}
