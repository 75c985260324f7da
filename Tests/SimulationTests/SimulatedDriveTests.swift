import Fusion
import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Simulation

@Suite struct SimulatedDriveTests {
    private func inertial(_ events: [SensorEvent]) -> [InertialSample] {
        events.compactMap { if case .inertial(let sample) = $0 { sample } else { nil } }
    }

    private func fixes(_ events: [SensorEvent]) -> [GnssFix] {
        events.compactMap { if case .gnss(let fix) = $0 { fix } else { nil } }
    }

    private func everything() -> SensorSuite {
        var suite = SensorSuite()
        suite.magnetometer = SensorSuite.Magnetometer()
        suite.barometer = SensorSuite.Barometer()
        suite.wheels = SensorSuite.Wheels()
        return suite
    }

    @Test func sameSeedGivesSameEventsInOrder() throws {
        let drive = try Drive(townPlan())
        let first = Array(SimulatedDrive(drive: drive, sensors: everything(), seed: 7))
        // THEN a second run is bit-identical, and another seed differs
        #expect(first == Array(SimulatedDrive(drive: drive, sensors: everything(), seed: 7)))
        #expect(first != Array(SimulatedDrive(drive: drive, sensors: everything(), seed: 8)))
        // AND arrivals are in order, and each sensor keeps its rate
        #expect(zip(first, first.dropFirst()).allSatisfy { $0.arrivalTime <= $1.arrivalTime })
        #expect(inertial(first).count == Int(drive.durationSeconds * 100) + 1)
        #expect(fixes(first).count == Int(drive.durationSeconds) + 1)
        #expect(
            first.allSatisfy { event in
                if case .gnss(let fix) = event { fix.arrivalTime > fix.validityTime } else { true }
            })
    }

    @Test func receiverDoesNotAffectTheIMU() throws {
        let drive = try Drive(townPlan())
        var other = SensorSuite()
        other.satellite = .rtk
        other.wheels = SensorSuite.Wheels()
        let first = inertial(Array(SimulatedDrive(drive: drive, seed: 3)))
        #expect(first == inertial(Array(SimulatedDrive(drive: drive, sensors: other, seed: 3))))
    }

    @Test func perfectSensorMeasuresTheTruthInItsAxes() throws {
        let drive = try Drive(townPlan())
        var suite = SensorSuite()
        var random = RandomSource(seed: 5)
        let mount = random.rotation()
        suite.inertial?.errors = .perfect
        suite.inertial?.sensorToBody = mount
        let simulation = SimulatedDrive(drive: drive, sensors: suite, seed: 1)
        for sample in inertial(Array(simulation)) {
            let truth = simulation.truth(at: sample.time)
            // Times are integers of nanoseconds, in which a jerk of 10 m/s3 changes 1e-8 m/s2.
            #expect(
                (mount.rotate(sample.angularRateRadiansPerSecond) - truth.angularRateBodyRadiansPerSecond).length < 1e-7
            )
            #expect(
                (mount.rotate(sample.specificForceMetersPerSecondSquared)
                    - truth.specificForceBodyMetersPerSecondSquared).length < 1e-7)
        }
    }

    @Test(arguments: [InertialErrors.consumer, .automotive, .tactical])
    func noiseAndBiasMatchTheGrade(_ errors: InertialErrors) throws {
        // GIVEN a vehicle that stands for 300 s
        var plan = townPlan()
        plan.standingSecondsBefore = 300
        var suite = SensorSuite()
        suite.inertial?.errors = errors
        suite.inertial?.rateHertz = 100
        let simulation = SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: 11)
        let samples = inertial(Array(simulation)).prefix(29_900)
        let drawn = try #require(simulation.inertialErrors)
        let count = Double(samples.count)
        let mean = samples.reduce(Vector3(0, 0, 0)) { $0 + $1.angularRateRadiansPerSecond } / count
        let truth = simulation.truth(at: MonotonicTime(nanoseconds: 0)).angularRateBodyRadiansPerSecond
        // THEN the mean is the drawn bias, within the bias instability (4 sigma) and within scale and misalignment of
        // the Earth's rate (1e-6)
        #expect((mean - truth - drawn.gyroBiasRadiansPerSecond).length < 4 * errors.gyroInstability + 1e-6)
        #expect(
            drawn.gyroBiasRadiansPerSecond.max() <= errors.gyroBias
                && drawn.gyroBiasRadiansPerSecond.min() >= -errors.gyroBias)
        // AND consecutive readings differ by sqrt(2) of the noise at this rate: 30,000 differences determine it to 1 %
        let differences = zip(samples, samples.dropFirst()).map {
            ($1.angularRateRadiansPerSecond - $0.angularRateRadiansPerSecond).lengthSquared
        }
        let noise = (differences.reduce(0, +) / Double(differences.count) / 6).squareRoot()
        #expect(abs(noise / (errors.gyroNoiseDensity * 10) - 1) < 0.03)
    }

    @Test func fixErrorsMatchTheStatedSigma() throws {
        // GIVEN receivers with white and with correlated errors on many drives
        let drive = try Drive(townPlan())
        for receiver in [SatelliteReceiver.white, SatelliteReceiver(), .rtk] {
            var suite = SensorSuite()
            suite.inertial = nil
            suite.satellite = receiver
            var squares = Vector3(0, 0, 0)
            var velocity = 0.0
            var count = 0.0
            for seed in 0..<60 {
                let simulation = SimulatedDrive(drive: drive, sensors: suite, seed: UInt64(seed))
                for fix in fixes(Array(simulation)) {
                    let truth = simulation.truth(at: fix.validityTime)
                    let place = GeodeticPosition(
                        latitudeRadians: try #require(fix.latitudeRadians),
                        longitudeRadians: try #require(fix.longitudeRadians),
                        altitudeEllipsoidMeters: try #require(fix.altitudeEllipsoidMeters))
                    let error = LocalFrame(origin: truth.position).enuMeters(of: place)
                    squares += error * error
                    velocity += pow2((fix.climbMetersPerSecond ?? 99) - truth.velocityENUMetersPerSecond.z)
                    count += 1
                }
            }
            let sigma = try #require(fixes(Array(SimulatedDrive(drive: drive, sensors: suite, seed: 1))).first)
            let horizontal = ((squares.x + squares.y) / 2 / count).squareRoot()
            let vertical = (squares.z / count).squareRoot()
            // THEN the standard deviation is the stated sigma; 60 drives of 100 s contain about 200 independent
            // correlated errors on two axes: 5 % each, so 15 % is three of them
            #expect(abs(horizontal / (sigma.horizontalSigmaMeters ?? 0) - 1) < 0.15)
            #expect(abs(vertical / (sigma.verticalSigmaMeters ?? 0) - 1) < 0.2)
            #expect(abs((velocity / count).squareRoot() / receiver.velocityMetersPerSecond - 1) < 0.05)
        }
    }

    private func pow2(_ x: Double) -> Double { x * x }

    @Test func outageHasNoFixesAndNoEffectAfterwards() throws {
        let drive = try Drive(townPlan())
        var suite = SensorSuite()
        suite.inertial = nil
        let whole = fixes(Array(SimulatedDrive(drive: drive, sensors: suite, seed: 9)))
        suite.satellite?.outages = [20...35]
        let holed = fixes(Array(SimulatedDrive(drive: drive, sensors: suite, seed: 9)))
        #expect(holed == whole.filter { !(20...35).contains($0.validityTime.seconds) })
        #expect(whole.count - holed.count == 16)
    }

    @Test func otherSensorsFollowTheTruth() throws {
        let simulation = SimulatedDrive(drive: try Drive(townPlan()), sensors: everything(), seed: 4)
        for event in simulation {
            let truth = simulation.truth(at: event.arrivalTime)
            switch event {
            case .wheelSpeed(let sample):
                let speed = truth.velocityENUMetersPerSecond.length
                // 2 % of scale, five sigma of noise and half a step
                #expect(abs(sample.speedMetersPerSecond - speed) < 0.02 * speed + 0.16)
                if speed == 0 { #expect(sample.speedMetersPerSecond == 0) }
            case .pressure(let sample):
                // 480 m are about 956.7 hPa; 12 Pa to the metre over 8 m of hills, five sigma of drift and noise
                #expect(abs(sample.pressurePascal - 95_670) < 250)
            case .magnetic(let sample):
                // a rotation keeps the field's strength; six sigma of noise
                #expect(abs(sample.fluxDensityTesla.length - 48.34e-6) < 2.5e-6)
            default: break
            }
        }
    }

    @Test func startsWithinTheDrive() throws {
        let drive = try Drive(townPlan())
        let events = Array(SimulatedDrive(drive: drive, seed: 1, from: 20))
        #expect(events.first?.arrivalTime == MonotonicTime(seconds: 20))
        #expect(drive.truth(atSeconds: 20).velocityENUMetersPerSecond.length > 2)
    }

    @Test(arguments: 0..<16) func randomDrivesAreValid(_ seed: Int) throws {
        let plan = DrivePlan.random(seed: UInt64(seed))
        let drive = try Drive(plan)
        let suite = SensorSuite.random(seed: UInt64(seed))
        #expect(drive.durationSeconds > 30 && drive.durationSeconds < 3_000)
        var count = 0
        var strongest = 0.0
        var fastest = 0.0
        for event in SimulatedDrive(drive: drive, sensors: suite, seed: UInt64(seed)) {
            count += 1
            if case .inertial(let sample) = event {
                strongest = max(strongest, abs(sample.specificForceMetersPerSecondSquared.length - 9.81))
                fastest = max(fastest, sample.angularRateRadiansPerSecond.length)
            }
        }
        // The acceleration is at most braking, turns, bias and vibration on top of gravity.
        #expect(strongest < 8 && fastest < 1.5)
        #expect(count > 3_000)
        let end = drive.truth(atSeconds: drive.durationSeconds)
        let last = try #require(plan.vertices.last)
        let offset = end.position.surfaceOffsetMeters(to: last)
        // Edges are computed with mean latitudes: 1e-6 of the distance, at height slightly more.
        #expect((offset.east * offset.east + offset.north * offset.north).squareRoot() < 1)
    }
}

@Suite struct RepeatedDriveTests {
    @Test func repeatingDriveContinuesAtItsStart() throws {
        var plan = townPlan()
        plan.repeats = true
        let drive = try Drive(plan)
        let simulation = SimulatedDrive(drive: drive, seed: 2)
        let lap = drive.durationSeconds
        // THEN the truth is the same one lap later, and the events do not end
        #expect(drive.truth(atSeconds: lap + 30).position == drive.truth(atSeconds: 30).position)
        var latest = 0.0
        for event in simulation.prefix(Int(lap * 250)) { latest = event.arrivalTime.seconds }
        #expect(latest > 2 * lap)
    }
}
