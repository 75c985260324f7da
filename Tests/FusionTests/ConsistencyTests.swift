import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Whether the filter is as sure as it may be: the normalised estimation error squared over many simulated drives.
@Suite struct ConsistencyTests {
    /// Sensors with just the errors that the filter takes the world to have.
    private func sensors() -> SensorSuite {
        var suite = SensorSuite()
        var inertial = SensorSuite.InertialSensor()
        var errors = InertialErrors.perfect
        errors.gyroNoiseDensity = Self.gyroDensity
        errors.accelNoiseDensity = Self.accelerometerDensity
        // Drawn evenly within the bounds: the standard deviation is the bound over the root of three.
        errors.gyroBias = Self.gyroBiasBound
        errors.instabilitySeconds = Self.gyroBiasWanderSeconds
        errors.gyroInstability = Self.gyroBiasWander
        guard case .constant(let accelerometerBias, _) = StateTable.entry(.accelerometerBias)?.initialSigma else {
            return SensorSuite()
        }
        errors.accelBias = accelerometerBias * 3.0.squareRoot()
        inertial.errors = errors
        suite.inertial = inertial
        var receiver = SatelliteReceiver()
        receiver.wanderingMeters = 2
        receiver.whiteMeters = Tuning.GNSS.whiteShare * 2
        receiver.wanderingSeconds = FilterState.gnssBiasSeconds
        receiver.velocityMetersPerSecond = 0.1
        receiver.velocitySmoothingSeconds = 0.1
        receiver.climbSmoothingSeconds = 0.25
        receiver.velocityLagSpreadSeconds = Tuning.GNSS.velocityErrorSecondsWearable
        receiver.climbLagSpreadSeconds = 0.05
        suite.satellite = receiver
        return suite
    }

    /// A filter begun at the truth of an instant, moved by errors drawn from the uncertainty it is told.
    private func begun(at truth: DriveTruth, fix: GnssFix, time: MonotonicTime, random: inout RandomSource) throws
        -> NavigationFilter
    {
        var settings = FusionSettings()
        settings.profile = .wearable
        let sigma = NavigationFilter.StartSigmas(
            position: try #require(GNSSPositionFilter(fix: fix)), velocity: 0.3, tilt: 0.02, heading: 0.1,
            gyroBias: Vector3(repeating: hypot(Self.gyroBiasBound / 3.0.squareRoot(), Self.gyroBiasWander)),
            isLevelKnown: true, mountTilt: 0,
            mountHeading: 0, coupling: .independent)
        var position = truth.position
        position.latitudeRadians = try #require(fix.latitudeRadians)
        position.longitudeRadians = try #require(fix.longitudeRadians)
        position.altitudeEllipsoidMeters = try #require(fix.altitudeEllipsoidMeters)
        let turn = random.gaussianVector() * Vector3(sigma.tilt, sigma.tilt, sigma.heading)
        var state = NavigationState(
            time: time, position: position,
            velocityENU: truth.velocityENUMetersPerSecond + random.gaussianVector() * sigma.velocity,
            sensorToENU: Quaternion(rotationVector: -turn) * truth.bodyToENU)
        state.velocityLagSeconds = 0.1
        return NavigationFilter(state: state, sigma: sigma, settings: settings)
    }

    /// Noise of the simulated sensors, rad/s/sqrt(Hz) and m/s2/sqrt(Hz), which the filter is told.
    private static let gyroDensity = 0.1 * Angle.radiansPerDegree
    private static let accelerometerDensity = 0.02
    private static let noise = IMUNoiseEstimator.Density(
        gyro: SymmetricMatrix3(isotropic: gyroDensity * gyroDensity),
        accelerometer: SymmetricMatrix3(isotropic: accelerometerDensity * accelerometerDensity))

    /// Bound of the simulated gyro bias, rad/s.
    private static let gyroBiasBound = 0.5 * Angle.radiansPerDegree

    /// A Gauss-Markov process of a time far beyond that of a drive, seconds, grows as the random walk of the bias does
    /// with this 1-sigma, rad/s.
    private static let gyroBiasWanderSeconds = 1000.0
    private static let gyroBiasWander = Tuning.GyroBias.carriedWalk * (gyroBiasWanderSeconds / 2).squareRoot()

    /// NEES of one block of the state: squared error by the inverse of its covariance.
    private func nees(_ filter: NavigationFilter, _ truth: DriveTruth, block: Int) -> Double {
        let offset = filter.state.position.surfaceOffsetMeters(to: truth.position)
        let error: Vector3
        switch block {
        case FilterState.position.index:
            error = Vector3(
                offset.east, offset.north,
                truth.position.altitudeEllipsoidMeters - filter.state.position.altitudeEllipsoidMeters)
        case FilterState.velocity.index: error = truth.velocityENUMetersPerSecond - filter.state.velocityENU
        default: error = (truth.bodyToENU * filter.state.sensorToENU.inverse).rotationVector
        }
        var p = Matrix<3, 3>()
        for i in 0..<3 { for j in 0..<3 { p[i, j] = filter.covariance[block + i, block + j] } }
        return error.dot(solve(p, error))
    }

    /// `p^-1 v` by Cramer's rule.
    private func solve(_ p: Matrix<3, 3>, _ v: Vector3) -> Vector3 {
        let (a, b, c) = (p.column(0), p.column(1), p.column(2))
        return Vector3(v.dot(b.cross(c)), a.dot(v.cross(c)), a.dot(b.cross(v))) / a.dot(b.cross(c))
    }

    /// A filter begun with a fix of an earlier instant. The fix serves as position of its own instant, moved on as the
    /// truth moved: only its own error is in it.
    private func begun(on drive: Drive, fix: GnssFix, time: MonotonicTime, random: inout RandomSource) throws
        -> NavigationFilter
    {
        let truth = drive.truth(atSeconds: time.seconds)
        var fresh = try begun(at: truth, fix: fix, time: time, random: &random)
        let past = drive.truth(atSeconds: fix.validityTime.seconds).position
        let moved = past.surfaceOffsetMeters(to: truth.position)
        let climbed = truth.position.altitudeEllipsoidMeters - past.altitudeEllipsoidMeters
        fresh.state.move(byENU: Vector3(moved.east, moved.north, climbed))
        return fresh
    }

    /// One drive from its first fix on; the filter and the truth at the end.
    private func run(seed: UInt64) throws -> (filter: NavigationFilter, truth: DriveTruth)? {
        var plan = DrivePlan.random(seed: seed, edges: 3)
        plan.stops = []
        plan.standingSecondsBefore = 2
        let drive = try Drive(plan)
        var random = RandomSource(seed: seed, use: 77)
        var history = DelayedMeasurementBuffer()
        var filter: NavigationFilter?
        var pending: GnssFix?
        for event in SimulatedDrive(drive: drive, sensors: sensors(), seed: seed, from: 8) {
            guard event.arrivalTime.seconds < drive.durationSeconds - plan.standingSecondsAfter - 3 else { break }
            switch event {
            case .gnss(let fix) where filter == nil: pending = fix
            case .gnss(let fix):
                if var running = filter {
                    _ = history.insert(.fix(fix), into: &running)
                    filter = running
                }
            case .inertial(let reading):
                let sample = DelayedMeasurementBuffer.Sample(
                    time: reading.time, angularRate: reading.angularRateRadiansPerSecond,
                    specificForce: reading.specificForceMetersPerSecondSquared, meanAngularRate: .zero, isStill: false,
                    noise: Self.noise)
                if var running = filter {
                    history.advance(&running, to: sample)
                    filter = running
                } else if let fix = pending {
                    var fresh = try begun(on: drive, fix: fix, time: reading.time, random: &random)
                    history.note(sample)
                    history.begin(with: &fresh, at: history.sampleCount - 1)
                    filter = fresh
                }
            default: break
            }
        }
        return filter.map { ($0, drive.truth(atSeconds: $0.state.time.seconds)) }
    }

    @Test func errorsFitTheirCovariance() throws {
        // GIVEN random drives with just the errors the filter expects, each begun within its stated uncertainty; no
        // constraint of a vehicle is used, so that nothing but the filter's own equations is on trial
        var sums = [FilterState.position.index: 0.0, FilterState.velocity.index: 0.0, FilterState.attitude.index: 0.0]
        let runs = 240
        for seed in 1...UInt64(runs) {
            guard let end = try run(seed: seed) else { continue }
            for block in sums.keys { sums[block, default: 0] += nees(end.filter, end.truth, block: block) }
        }
        // WHEN the squared errors at the end are normalised and averaged THEN each mean lies in the 95 % band of a
        // chi-square variable of 3 degrees of freedom over as many runs: 3 +- 1.96 sqrt(6 / n)
        let half = 1.96 * (6 / Double(runs)).squareRoot()
        for (block, sum) in sums {
            let mean = sum / Double(runs)
            #expect(mean > 3 - half && mean < 3 + half, "block \(block): mean NEES \(mean), band 3 +- \(half)")
        }
    }

    @Test func halfAnHourLeavesTheCovarianceSymmetric() throws {
        // GIVEN a drive of half an hour with good fixes; WHEN the filter has run through it; THEN no two mirrored
        // elements differ by more than rounding (1e-9 of the sigmas they belong to), and it has not had to jump
        let drive = try Drive(.random(seed: 3, edges: 60))
        var suite = SensorSuite()
        var receiver = SatelliteReceiver()
        receiver.wanderingMeters = 0.02
        receiver.whiteMeters = 0.01
        suite.satellite = receiver
        var estimator = PoseEstimator()
        for event in SimulatedDrive(drive: drive, sensors: suite, seed: 3) { _ = estimator.ingest(event) }
        #expect(drive.durationSeconds > 1800 && estimator.isNavigating && estimator.totalResets.count == 0)
        let p = estimator.filter.covariance
        for i in 0..<FilterState.count {
            for j in 0..<i {
                #expect(abs(p[i, j] - p[j, i]) < 1e-9 * (p[i, i] * p[j, j]).squareRoot() + 1e-30, "\(i) \(j)")
            }
        }
    }
}
