import Geodesy
import Glibc
import PoseMath
import Testing

@testable import Simulation

/// A town drive with left and right turns, a bend, hills and a stop.
func townPlan() -> DrivePlan {
    let origin = GeodeticPosition(latitudeDegrees: 47.2, longitudeDegrees: 9.4, altitudeEllipsoidMeters: 480)
    let frame = LocalFrame(origin: origin)
    let corners: [Vector3] = [
        [0, 0, 0], [0, 220, 0], [180, 220, 0], [260, 240, 0], [260, 60, 0], [420, -40, 0], [420, -240, 0],
    ]
    var plan = DrivePlan(vertices: corners.map { frame.position(ofENUMeters: $0) }, limitsMetersPerSecond: [50 / 3.6])
    plan.stops = [DrivePlan.Stop(vertex: 3, durationSeconds: 6)]
    plan.hillHeightMeters = 8
    plan.hillWavelengthMeters = 500
    return plan
}

@Suite struct DriveTests {
    @Test func startsAndEndsAtStandstill() throws {
        let plan = townPlan()
        let drive = try Drive(plan)
        let start = drive.truth(atSeconds: 0)
        let end = drive.truth(atSeconds: drive.durationSeconds)
        #expect(start.velocityENUMetersPerSecond == .zero)
        #expect(end.velocityENUMetersPerSecond == .zero)
        #expect(start.position.ecefMeters == plan.vertices[0].ecefMeters)
        // Edges are computed with mean latitudes (1e-6 of the distance) and corners are rounded symmetrically.
        let offset = end.position.surfaceOffsetMeters(to: plan.vertices[6])
        #expect(abs(offset.east) < 0.02 && abs(offset.north) < 0.02)
        #expect(abs(end.distanceMeters - drive.lengthMeters) < 1e-6)
    }

    @Test func respectsThePlan() throws {
        let plan = townPlan()
        let drive = try Drive(plan)
        var fastest = 0.0
        var sideways = 0.0
        var longest = 0.0
        var standing = 0.0
        for step in 0..<Int(drive.durationSeconds / 0.05) {
            let truth = drive.truth(atSeconds: Double(step) * 0.05)
            let body = truth.bodyToENU.inverse.rotate(truth.accelerationENUMetersPerSecondSquared)
            fastest = max(fastest, truth.velocityENUMetersPerSecond.length)
            longest = max(longest, abs(body.x))
            sideways = max(sideways, abs(body.y))
            if truth.velocityENUMetersPerSecond.length == 0, truth.seconds > 20,
                truth.distanceMeters < drive.lengthMeters - 5
            {
                standing += 0.05
            }
        }
        #expect(fastest > 12 && fastest < 50 / 3.6 * 1.01)
        // Smoothing in time may exceed the plan by a little where braking meets a curve.
        #expect(sideways > 1.5 && sideways < 2.5 * 1.15)
        #expect(longest > 1.5 && longest < 2.2 * 1.15)
        // The stop of 6 s, less the time the spline needs to come to rest (three knots on both sides).
        #expect(standing > 3.5 && standing <= 6.5)
    }

    @Test func derivativesAreConsistent() throws {
        // GIVEN the truth at an instant and a tenth of a millisecond around it
        let drive = try Drive(townPlan())
        let h = 1e-4
        for step in 0..<900 {
            let t = Double(step) * 0.1 + 0.0123
            let (before, now, after) = (
                drive.truth(atSeconds: t - h), drive.truth(atSeconds: t), drive.truth(atSeconds: t + h)
            )
            // THEN the velocity is the derivative of the position on the ellipsoid (central differences: rounding of
            // 1e-9 m over 2e-4 s)
            let local = LocalFrame(origin: now.position)
            let velocity = (local.enuMeters(of: after.position) - local.enuMeters(of: before.position)) / (2 * h)
            #expect((velocity - now.velocityENUMetersPerSecond).length < 1e-4)
            // AND the acceleration is that of the velocity
            let acceleration = (after.velocityENUMetersPerSecond - before.velocityENUMetersPerSecond) / (2 * h)
            #expect((acceleration - now.accelerationENUMetersPerSecondSquared).length < 1e-6)
            // AND the angular rate is the derivative of the attitude plus the rotation of the frames
            let turned = (before.bodyToENU.inverse * after.bodyToENU).rotationVector / (2 * h)
            let enuToBody = now.bodyToENU.inverse
            let place = now.position
            let earth = WGS84.earthRateENU(latitudeRadians: place.latitudeRadians)
            let v = now.velocityENUMetersPerSecond
            let m = WGS84.meridianRadiusMeters(latitudeRadians: place.latitudeRadians) + place.altitudeEllipsoidMeters
            let n =
                WGS84.primeVerticalRadiusMeters(latitudeRadians: place.latitudeRadians) + place.altitudeEllipsoidMeters
            let tangent = (place.ecefMeters.z / (1 - WGS84.eccentricitySquared)) / place.ecefMeters.horizontalLength
            let frames = Vector3(earth.east - v.y / m, earth.north + v.x / n, earth.up + v.x / n * tangent)
            let felt = turned + enuToBody.rotate(frames)
            // The tangent of the latitude is taken at height, accurate to 1e-4 of a rate of 1e-6.
            #expect((felt - now.angularRateBodyRadiansPerSecond).length < 1e-7)
        }
    }

    @Test func perfectAccelerometerMeasuresGravityAtRest() throws {
        let drive = try Drive(townPlan())
        let truth = drive.truth(atSeconds: 1)
        let gravity = WGS84.normalGravity(latitudeRadians: truth.position.latitudeRadians, altitudeEllipsoidMeters: 480)
        #expect(abs(truth.specificForceBodyMetersPerSecondSquared.length - gravity) < 1e-12)
        #expect(abs(truth.angularRateBodyRadiansPerSecond.length - WGS84.earthRateRadiansPerSecond) < 1e-15)
    }

    @Test func invalidPlansAreRefused() {
        let a = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9)
        let b = GeodeticPosition(latitudeDegrees: 47.001, longitudeDegrees: 9)
        func error(_ vertices: [GeodeticPosition], _ change: (inout DrivePlan) -> Void = { _ in }) -> DrivePlanError? {
            var plan = DrivePlan(vertices: vertices, limitsMetersPerSecond: [10])
            change(&plan)
            return #expect(throws: DrivePlanError.self) { try Drive(plan) }
        }
        #expect(error([a]) == .tooShort)
        #expect(error([a, a]) == .badEdge(0))
        #expect(error([a, b, a]) == .tooSharp(1))
        #expect(error([a, GeodeticPosition(latitudeDegrees: .nan, longitudeDegrees: 9)]) == .badVertex(1))
        // Within a kilometre of a pole there is no road.
        let pole = GeodeticPosition(latitudeRadians: .pi / 2 - 1.6e-4, longitudeRadians: 0, altitudeEllipsoidMeters: 0)
        #expect(error([pole, a]) == .badVertex(0))
        #expect(error([a, b]) { $0.limitsMetersPerSecond = [] } == .badLimits)
        #expect(error([a, b]) { $0.limitsMetersPerSecond = [.nan] } == .badLimits)
        #expect(error([a, b]) { $0.limitsMetersPerSecond = [0.4] } == .badLimits)
        #expect(throws: Never.self) { try Drive(DrivePlan(vertices: [a, b], limitsMetersPerSecond: [0.5])) }
        #expect(error([a, b]) { $0.stops = [DrivePlan.Stop(vertex: 2, durationSeconds: 1)] } == .badStop(0))
        #expect(error([a, b]) { $0.brakingMetersPerSecondSquared = .infinity } == .badDriverParameters)
    }

    @Test func overHillsATrackIsThatAtTheirMeanHeight() {
        // GIVEN 10 km to the north over ten hills of 1000 m, from a valley at 480 m
        let origin = GeodeticPosition(latitudeDegrees: 47.2, longitudeDegrees: 9, altitudeEllipsoidMeters: 480)
        let piece = RoadTrack.Piece(start: 0, length: 10_000, heading: 0, turn: 0, limit: 20)
        let hill = RoadTrack.Hill(amplitude: 500, wavelength: 1_000)
        let track = RoadTrack(origin: origin, pieces: [piece], hills: [hill])
        // THEN the end is where 10 km in the mean height, 980 m, lead: on the ellipsoid that is M / (M + 980 m) of
        // it, with a radius M of the meridian of 6,369.9 km
        let end = track.position(at: 10_000)
        let north = origin.surfaceOffsetMeters(to: end).north
        #expect(abs(north - 9_998.461_8) < 1e-3, "\(north)")
        // AND the heights are those of valley, slope and top
        for (meters, height) in [(0.0, 480.0), (250, 980), (500, 1480), (10_000, 480)] {
            #expect(abs(track.position(at: meters).altitudeEllipsoidMeters - height) < 1e-9)
        }
    }

    @Test(arguments: [47.2, 75, -30]) func aLineOfConstantHeadingIsTheRhumbLine(latitude: Double) {
        // GIVEN 10 km to the north-east on the ellipsoid
        let heading = 0.8
        let origin = GeodeticPosition(latitudeDegrees: latitude, longitudeDegrees: 9)
        let piece = RoadTrack.Piece(start: 0, length: 10_000, heading: heading, turn: 0, limit: 20)
        // WHEN its end is found THEN the longitude is that of the rhumb line to its latitude, to 0.1 mm: the tangent of
        // the heading by the difference of the isometric latitudes
        let end = RoadTrack(origin: origin, pieces: [piece], hills: []).position(at: 10_000)
        let eccentricity = WGS84.eccentricitySquared.squareRoot()
        func isometric(_ latitude: Double) -> Double {
            atanh(sin(latitude)) - eccentricity * atanh(eccentricity * sin(latitude))
        }
        let east = tan(heading) * (isometric(end.latitudeRadians) - isometric(origin.latitudeRadians))
        let offset = (end.longitudeRadians - origin.longitudeRadians - east) * cos(end.latitudeRadians)
        #expect(abs(offset) * WGS84.semiMajorAxisMeters < 1e-4, "\(offset * WGS84.semiMajorAxisMeters) m")
    }
}
