import Geodesy
import Glibc
import PoseMath

extension DrivePlan {
    /// A random plan: streets of 60 to 600 m with turns to both sides, hills, stops at some corners and random driver
    /// parameters, at a random position between 65 degrees south and north. Identical for the same seed.
    public static func random(seed: UInt64, edges: Int = 12) -> DrivePlan {
        var random = RandomSource(seed: seed, use: 11)
        let start = GeodeticPosition(
            latitudeDegrees: random.uniform(-65, 65), longitudeDegrees: random.uniform(-180, 180),
            altitudeEllipsoidMeters: random.uniform(0, 2_000))
        let frame = LocalFrame(origin: start)
        var corner = Vector3(0, 0, 0)
        var heading = random.uniform(-.pi, .pi)
        var plan = DrivePlan(vertices: [start], limitsMetersPerSecond: [])
        for edge in 0..<max(1, edges) {
            let length = random.uniform(60, 600)
            corner += Vector3(sin(heading), cos(heading), 0) * length
            // Vertices are on the ellipsoid below the tangent plane; heights come from the hills.
            var vertex = frame.position(ofENUMeters: corner)
            vertex.altitudeEllipsoidMeters = start.altitudeEllipsoidMeters
            plan.vertices.append(vertex)
            plan.limitsMetersPerSecond.append((length < 150 ? 30 : random.chance(0.3) ? 70 : 50) / 3.6)
            if edge > 0, random.chance(0.3) {
                plan.stops.append(Stop(vertex: edge, durationSeconds: random.uniform(2, 30)))
            }
            let sharpness = random.chance(0.25) ? random.uniform(0.05, 0.5) : random.uniform(0.9, 2.0)
            heading += random.chance(0.5) ? sharpness : -sharpness
        }
        plan.standingSecondsBefore = random.uniform(2, 40)
        plan.accelerationMetersPerSecondSquared = random.uniform(1, 3)
        plan.brakingMetersPerSecondSquared = random.uniform(1.2, 4)
        plan.lateralMetersPerSecondSquared = random.uniform(1.5, 4)
        plan.limitFactor = random.uniform(0.8, 1.15)
        plan.hillHeightMeters = random.uniform(0, 20)
        plan.hillWavelengthMeters = random.uniform(400, 2_000)
        return plan
    }
}

extension SensorSuite {
    /// Random sensors: an IMU of a random grade in a random mount, and a receiver with a random rate. Identical for the
    /// same seed.
    public static func random(seed: UInt64) -> SensorSuite {
        var random = RandomSource(seed: seed, use: 12)
        var suite = SensorSuite()
        var inertial = InertialSensor()
        inertial.rateHertz = random.chance(0.5) ? 100 : 200
        inertial.sensorToBody = random.rotation()
        let grades: [InertialErrors] = [.consumer, .consumer.withVibration, .automotive, .tactical]
        inertial.errors = grades[Int(random.uniform(0, Double(grades.count)))]
        suite.inertial = inertial
        var receiver: SatelliteReceiver = random.chance(0.3) ? .rtk : SatelliteReceiver()
        receiver.rateHertz = [1, 2, 4, 10][Int(random.uniform(0, 4))]
        receiver.latencySeconds = random.uniform(0.03, 0.4)
        suite.satellite = receiver
        return suite
    }
}
