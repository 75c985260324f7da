import Fusion
import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation

/// A voyage with ten degrees of crab in waves, and what the profile `boat` makes of it: how right its heading and its
/// position are, and whether the sigmas hold.
package struct BoatTrial: Sendable {
    /// The receiver and its rate.
    package enum Receiver: Int, CaseIterable, Sendable { case consumer1, consumer5, rtk1, rtk5 }

    /// Where the antenna is, and whether the settings state it.
    package enum Antenna: Sendable { case toldOnMast, besideIMU }

    /// What the boat has and does.
    package struct Setup: Sendable {
        /// Of all that is random.
        package var seed: UInt64
        /// Whether there is a magnetometer.
        package var hasMagnetometer = false
        /// Iron of the hull, 1-sigma on each axis, tesla.
        package var ironTesla = 4e-6
        /// First turn, degrees; with a magnetometer a whole circle shows the iron.
        package var firstTurnDegrees: Double
        /// The antenna.
        package var antenna = Antenna.toldOnMast
        /// Where the IMU is turned in the hull by the settings.
        package var sensorToBody: Quaternion?
        /// What the settings state of its uncertainty, radians.
        package var sensorToBodySigmaRadians = 0.2 * Angle.radiansPerDegree
        /// The receiver.
        package var receiver: Receiver
        /// Whether it tells height and climb.
        package var tellsHeight = true

        /// A boat with the receivers in turn.
        package init(seed: UInt64, hasMagnetometer: Bool = false) {
            (self.seed, self.hasMagnetometer) = (seed, hasMagnetometer)
            firstTurnDegrees = hasMagnetometer ? 360 : 90
            receiver = Receiver.allCases[Int(seed % 4)]
        }
    }

    /// Heading before the first manoeuvre, where one is published, and from its end on, radians.
    package private(set) var headingBefore = TrialErrors()
    package private(set) var headingAfter = TrialErrors()
    /// Seconds before the first manoeuvre without a heading.
    package private(set) var secondsWithoutHeading = 0.0
    /// Each horizontal axis of the position from the end of the first manoeuvre on, and of the fixes themselves.
    package private(set) var position = TrialErrors()
    package private(set) var fixes = TrialErrors()
    /// The same before the end of the first manoeuvre.
    package private(set) var positionBefore = TrialErrors()
    package private(set) var fixesBefore = TrialErrors()
    /// Times the filter jumped or began anew, and whether it ever held the boat at rest.
    package private(set) var resetCount: UInt32 = 0
    package private(set) var hasRested = false
    /// Share of the time after the first manoeuvre in which the pose was aligned.
    package var shareAligned: Double { headingSeconds > 0 ? alignedSeconds / headingSeconds : 0 }
    private var (alignedSeconds, headingSeconds) = (0.0, 0.0)
    /// Largest vertical velocity that was published, m/s.
    package private(set) var largestClimb = 0.0

    /// Begin and end of the first manoeuvres, seconds.
    package static let manoeuvreBegin = 90.0
    package let manoeuvreEnd: Double

    /// Runs it.
    package init(_ setup: Setup) {
        let (plan, end) = Self.plan(setup)
        manoeuvreEnd = end
        run(SimulatedVoyage(voyage: Voyage(plan), sensors: Self.suite(setup), seed: setup.seed), setup)
    }

    /// A quiet leg, manoeuvres of 0.5 m/s2, a quiet leg of three minutes, a turn, and a quiet leg.
    private static func plan(_ setup: Setup) -> (plan: VoyagePlan, manoeuvreEnd: Double) {
        var random = RandomSource(seed: setup.seed, use: 51)
        var plan = VoyagePlan()
        plan.seed = setup.seed
        plan.headingRadians = random.uniform(-.pi, .pi)
        plan.speedMetersPerSecond = random.uniform(4, 7)
        // Ten degrees of crab: half by wind, the rest by a current across.
        let across = plan.speedMetersPerSecond * tan(10 * Angle.radiansPerDegree) * (random.chance(0.5) ? 1 : -1)
        plan.leeway = across / 2
        plan.current = SIMD2(-cos(plan.headingRadians), sin(plan.headingRadians)) * (across / 2)
        plan.wavePeakSeconds = random.uniform(3.5, 7)
        plan.waveHeight = random.uniform(0.2, 0.8)
        plan.waveAngles = Vector3(random.uniform(2, 6), random.uniform(1, 3), 0.7) * Angle.radiansPerDegree
        // The greatest acceleration of a turn is 1.875 times its mean rate times the speed.
        func turn(_ begin: Double, _ degrees: Double) -> VoyagePlan.Manoeuvre {
            let radians = degrees * Angle.radiansPerDegree
            let seconds = 1.875 * abs(radians) * plan.speedMetersPerSecond / 0.5
            return VoyagePlan.Manoeuvre(begin: begin, seconds: seconds, turnRadians: radians)
        }
        let side = random.chance(0.5) ? 1.0 : -1
        let first = turn(manoeuvreBegin, side * setup.firstTurnDegrees)
        let end = first.begin + first.seconds
        let slower = VoyagePlan.Manoeuvre(begin: end, seconds: 1.875 * 2 / 0.5, speedChange: -2)
        let faster = VoyagePlan.Manoeuvre(begin: end + slower.seconds, seconds: slower.seconds, speedChange: 2)
        let manoeuvred = faster.begin + faster.seconds
        let second = turn(manoeuvred + 180, -side * 100)
        plan.manoeuvres = [first, slower, faster, second]
        plan.durationSeconds = second.begin + second.seconds + 60
        return (plan, manoeuvred)
    }

    private static func suite(_ setup: Setup) -> SensorSuite {
        var suite = SensorSuite()
        suite.inertial?.rateHertz = 50
        if let mount = setup.sensorToBody { suite.inertial?.sensorToBody = mount }
        switch setup.receiver {
        case .consumer1, .consumer5: suite.satellite = SatelliteReceiver()
        case .rtk1, .rtk5: suite.satellite = .rtk
        }
        suite.satellite?.rateHertz = [.consumer1, .rtk1].contains(setup.receiver) ? 1 : 5
        suite.satellite?.leverArmBodyMeters = arm(setup)
        if setup.hasMagnetometer {
            var random = RandomSource(seed: setup.seed, use: 53)
            suite.magnetometer = SensorSuite.Magnetometer()
            suite.magnetometer?.rateHertz = 25
            suite.magnetometer?.hardIronTesla = random.gaussianVector() * setup.ironTesla
        }
        return suite
    }

    /// Place of the antenna from the IMU, metres: on a mast behind it, or beside it.
    private static func arm(_ setup: Setup) -> Vector3 {
        switch setup.antenna {
        case .toldOnMast: Vector3(-1.5, 0.3, 3)
        case .besideIMU: .zero
        }
    }

    private mutating func run(_ simulated: SimulatedVoyage, _ setup: Setup) {
        var settings = FusionSettings()
        settings.profile = .boat
        settings.sensorToBody = setup.sensorToBody
        settings.sensorToBodySigmaRadians = setup.sensorToBodySigmaRadians
        if setup.antenna == .toldOnMast { settings.antennaLeverArmBodyMeters = Self.arm(setup) }
        var estimator = PoseEstimator(settings: settings)
        if setup.hasMagnetometer {
            let field = SensorSuite.Magnetometer().fieldENUTesla
            estimator.set(declination: Declination(radians: atan2(field.x, field.y), sigmaRadians: 0.005))
        }
        var judged = 0.0
        for var event in simulated {
            if case .gnss(var fix) = event {
                judge(fix, simulated.truth(at: fix.validityTime), antenna: Self.arm(setup))
                if !setup.tellsHeight {
                    (fix.mode, fix.altitudeEllipsoidMeters, fix.climbMetersPerSecond) = (.twoDimensional, nil, nil)
                    event = .gnss(fix)
                }
            }
            guard estimator.ingest(event) else { continue }
            let seconds = estimator.estimate.time.seconds
            hasRested = hasRested || estimator.estimate.isStandingStill
            largestClimb = max(largestClimb, abs(estimator.estimate.velocityENUMetersPerSecond?.z ?? 0))
            guard seconds >= judged + 0.25 else { continue }
            judged = seconds
            judge(estimator.estimate, simulated.truth(at: estimator.estimate.time))
        }
        resetCount = estimator.estimate.resetCount
    }

    /// A fix is that of the antenna.
    private mutating func judge(_ fix: GnssFix, _ truth: DriveTruth, antenna: Vector3) {
        guard let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians else { return }
        let place = LocalFrame(origin: truth.position).position(ofENUMeters: truth.bodyToENU.rotate(antenna))
        let offset = place.surfaceOffsetMeters(
            to: GeodeticPosition(
                latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: 0))
        for error in [offset.east, offset.north] {
            if truth.seconds > manoeuvreEnd {
                fixes.add(error, sigma: fix.horizontalSigmaMeters ?? .nan)
            } else {
                fixesBefore.add(error, sigma: fix.horizontalSigmaMeters ?? .nan)
            }
        }
    }

    private mutating func judge(_ estimate: PoseEstimate, _ truth: DriveTruth) {
        let isAfter = truth.seconds > manoeuvreEnd
        if isAfter {
            headingSeconds += 0.25
            if estimate.state == .aligned { alignedSeconds += 0.25 }
        }
        if let place = estimate.position, let sigma = estimate.positionSigmaENUMeters {
            let offset = truth.position.surfaceOffsetMeters(to: place)
            if isAfter {
                position.add(offset.east, sigma: sigma.x)
                position.add(offset.north, sigma: sigma.y)
            } else {
                positionBefore.add(offset.east, sigma: sigma.x)
                positionBefore.add(offset.north, sigma: sigma.y)
            }
        }
        guard let attitude = estimate.bodyToENU, let sigma = estimate.headingSigmaRadians else {
            if truth.seconds < Self.manoeuvreBegin { secondsWithoutHeading += 0.25 }
            return
        }
        let error = Angle.wrappedToPi(
            EulerAngles(bodyToENU: attitude).headingTrueRadians
                - EulerAngles(bodyToENU: truth.bodyToENU).headingTrueRadians)
        if isAfter {
            headingAfter.add(error, sigma: sigma)
        } else if truth.seconds < Self.manoeuvreBegin {
            headingBefore.add(error, sigma: sigma)
        }
    }
}

extension BoatTrial {
    /// Its figures in one line.
    package var line: String {
        func text(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
        let before = headingBefore
        let after = headingAfter
        return "before: \(text(before.root.radiansInDegrees)) deg, \(text(before.shareWithin)) within, "
            + "\(text(before.largestRatio)) sigmas, none for \(secondsWithoutHeading) s; after: "
            + "\(text(after.root.radiansInDegrees)) deg, \(text(after.shareWithin)), \(text(after.largestRatio)); "
            + "aligned \(text(shareAligned)); position \(text(positionBefore.root))/\(text(fixesBefore.root)), "
            + "\(text(position.root))/\(text(fixes.root)) m, within \(text(positionBefore.shareWithin)), "
            + "\(text(position.shareWithin)), \(text(position.largestRatio)); resets \(resetCount)"
    }
}
