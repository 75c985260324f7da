import Geodesy
import PoseMath
import Testing

@testable import Simulation

/// An independent dead reckoning in Earth-centred coordinates; it shares no code with the local-level equations of the
/// drive.
private struct EarthCentredStrapdown {
    var bodyToEarth: Quaternion
    var position: Vector3
    var velocity: Vector3

    static let earthRate = Vector3(0, 0, WGS84.earthRateRadiansPerSecond)

    init(_ truth: DriveTruth) {
        let enuToEarth = Self.enuToEarth(truth.position)
        bodyToEarth = enuToEarth * truth.bodyToENU
        position = truth.position.ecefMeters
        velocity = enuToEarth.rotate(truth.velocityENUMetersPerSecond)
    }

    static func enuToEarth(_ place: GeodeticPosition) -> Quaternion {
        Quaternion(rotationVector: Vector3(0, 0, place.longitudeRadians + .pi / 2))
            * Quaternion(rotationVector: Vector3(.pi / 2 - place.latitudeRadians, 0, 0))
    }

    static func gravity(_ p: Vector3) -> Vector3 {
        let place = GeodeticPosition(ecefMeters: p)
        let g = WGS84.normalGravity(
            latitudeRadians: place.latitudeRadians, altitudeEllipsoidMeters: place.altitudeEllipsoidMeters)
        return enuToEarth(place).rotate(Vector3(0, 0, -g))
    }

    /// One step with the readings at its midpoint: exact rotation for a constant rate, midpoint rule for the rest.
    mutating func step(rate: Vector3, force: Vector3, seconds dt: Double) {
        let middle =
            Quaternion(rotationVector: Self.earthRate * (-dt / 2)) * bodyToEarth
            * Quaternion(rotationVector: rate * (dt / 2))
        bodyToEarth =
            Quaternion(rotationVector: Self.earthRate * -dt) * bodyToEarth * Quaternion(rotationVector: rate * dt)
        bodyToEarth.normalize()
        let feltThere = middle.rotate(force)
        let half = velocity + (feltThere + Self.gravity(position) - 2 * Self.earthRate.cross(velocity)) * (dt / 2)
        let there = position + velocity * (dt / 2)
        let acceleration = feltThere + Self.gravity(there) - 2 * Self.earthRate.cross(half)
        position += (velocity + acceleration * (dt / 2)) * dt
        velocity += acceleration * dt
    }
}

@Suite struct StrapdownTests {
    @Test func deadReckoningWithPerfectReadingsAgreesWithTheTruth() throws {
        // GIVEN a minute of a town drive with turns, hills and a stop, and its error-free readings at 1 kHz
        let drive = try Drive(townPlan())
        let dt = 1e-3
        let start = 8.0
        var reckoning = EarthCentredStrapdown(drive.truth(atSeconds: start))
        var worst = 0.0
        for step in 0..<60_000 {
            let felt = drive.truth(atSeconds: start + (Double(step) + 0.5) * dt)
            reckoning.step(
                rate: felt.angularRateBodyRadiansPerSecond, force: felt.specificForceBodyMetersPerSecondSquared,
                seconds: dt)
            if step % 1_000 == 999 {
                let truth = drive.truth(atSeconds: start + Double(step + 1) * dt)
                worst = max(worst, (reckoning.position - truth.position.ecefMeters).length)
            }
        }
        // THEN dead reckoning agrees with the truth within a millimetre
        #expect(worst < 1e-3)
        // AND the attitude within a thousandth of a degree
        let truth = drive.truth(atSeconds: start + 60)
        let attitude = EarthCentredStrapdown(truth).bodyToEarth
        #expect((attitude.inverse * reckoning.bodyToEarth).rotationVector.length < 1.7e-5)
        // AND the vehicle did travel
        #expect(truth.distanceMeters > 300)
    }
}
