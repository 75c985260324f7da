import Engine
import Explanation
import Frames
import Fusion
import Geodesy
import Glibc
import Guidance
import Measurements
import PoseMath
import SeededNumbers
import Simulation

/// One simulated drive in which one fault dominates, and the question that a user asks at a random moment of its last
/// third. The faults, their sizes and the right actions were written before any explanation was seen.
struct FaultDrive {
    /// What is wrong.
    enum Fault: CaseIterable {
        case tunnel, jammed, repeatedPosition, reflections, overconfident, slowReceiver, lateFixes, noVelocity
        case noAccuracy, noisyGyro, stuckGyro, clippedGyro, wrongMount, noIMU, noReceiver, person, antennaArm
        case standing, departed, noRoute, noRoads

        /// The quantities that it spoils, and the action that helps.
        var right: (quantities: [Explanation.Quantity], action: Action) {
            switch self {
            case .tunnel: ([.heading, .position, .speed], .freeSky)
            case .jammed: ([.heading, .position, .speed], .removeInterference)
            case .repeatedPosition: ([.position, .speed], .restartReceiver)
            case .reflections: ([.position], .placeAntenna)
            case .overconfident: ([.position], .placeAntenna)
            case .slowReceiver: ([.position, .speed], .fasterReceiver)
            case .lateFixes: ([.position, .speed], .fasterLink)
            case .noVelocity: ([.heading, .speed], .stateVelocity)
            case .noAccuracy: ([.position], .stateAccuracy)
            case .noisyGyro: ([.heading], .quieterIMU)
            case .stuckGyro: ([.heading], .checkIMU)
            case .clippedGyro: ([.heading], .largerRange)
            case .wrongMount: ([.heading], .correctMount)
            case .noIMU: ([.heading], .connectIMU)
            case .noReceiver: ([.position, .speed], .connectReceiver)
            case .person: ([.heading], .changeProfile)
            case .antennaArm: ([.position], .configureAntenna)
            case .standing: ([.heading], .driveOn)
            case .departed: ([.offRoute], .returnToRoute)
            case .noRoute: ([.offRoute], .loadRoute)
            case .noRoads: ([.limit], .importRoads)
            }
        }
    }

    let seed: UInt64
    let fault: Fault
    let quantity: Explanation.Quantity
    /// A number from 0 to 1 that decides the size of the fault.
    private let size: Double
    private let moment: Double

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed &* 977 &+ 13)
        self.seed = seed
        fault = Fault.allCases[Int(random.uniform(0, Double(Fault.allCases.count)))]
        let quantities = fault.right.quantities
        quantity = quantities[Int(random.uniform(0, Double(quantities.count)))]
        size = random.uniform()
        moment = random.uniform(0.67, 0.95)
    }

    /// A value between two bounds, by the size of the fault.
    private func between(_ low: Double, _ high: Double) -> Double { low + (high - low) * size }

    /// The explanation that a user gets, and the facts behind it.
    func explained() throws -> (explanation: Explanation, facts: ExplanationFacts) {
        var run = FaultRun(settings: settings())
        let asked = try play(&run)
        let facts = run.facts(at: asked)
        return (Explanation(quantity, facts), facts)
    }

    private func settings() -> EngineSettings {
        var settings = EngineSettings()
        if fault == .wrongMount {
            settings.fusion.sensorToBody = Quaternion(rotationVector: Vector3(0, 0, between(0.6, 2.6)))
        }
        return settings
    }

    private func sensors() -> SensorSuite {
        var suite = SensorSuite.random(seed: seed)
        var receiver = SatelliteReceiver()
        receiver.rateHertz = 5
        receiver.wanderingMeters = 1
        receiver.latencySeconds = 0.1
        switch fault {
        case .reflections:
            (receiver.multipathEpisodesPerMinute, receiver.multipathMeters) = (12, between(15, 60))
            receiver.multipathSeconds = 8
        case .overconfident: (receiver.statedSigmaScale, receiver.wanderingMeters) = (between(0.05, 0.2), 4)
        case .slowReceiver: receiver.rateHertz = 1 / between(2, 5)
        case .lateFixes: receiver.latencySeconds = between(1.4, 4)
        case .antennaArm: receiver.leverArmBodyMeters = Vector3(-between(1.6, 4), 0, 0.3)
        default: break
        }
        if fault == .antennaArm { (receiver.whiteMeters, receiver.wanderingMeters) = (0.01, 0.01) }
        suite.satellite = fault == .noReceiver ? nil : receiver
        if fault == .noIMU { suite.inertial = nil }
        if fault == .noisyGyro { suite.inertial?.errors.gyroNoiseDensity *= between(60, 200) }
        if fault == .wrongMount { suite.inertial?.sensorToBody = .identity }
        return suite
    }

    /// Plays the events with the fault in them; returns the time of the question, seconds.
    private func play(_ run: inout FaultRun) throws -> Double {
        if fault == .person {
            var plan = WalkPlan()
            (plan.seed, plan.winding) = (seed, between(0.8, 1.6))
            let walk = SimulatedWalk(walk: Walk(plan), sensors: sensors(), seed: seed)
            return run.play(walk.makeIterator(), until: plan.durationSeconds * moment) { $0 }
        }
        var plan = DrivePlan.random(seed: seed, edges: 14)
        if fault == .standing { plan.standingSecondsBefore = 600 }
        let simulated = SimulatedDrive(drive: try Drive(plan), sensors: sensors(), seed: seed)
        let end = fault == .standing ? 60 + 300 * moment : simulated.drive.durationSeconds * moment
        if fault != .noRoute, fault != .standing { run.follow(try route(of: simulated.drive, until: end)) }
        var spoiler = Spoiler(fault: fault, size: size, from: end - between(18, 45), clip: between(0.1, 0.25))
        return run.play(simulated.makeIterator(), until: end) { spoiler.spoiled($0) }
    }

    /// The way of the drive as a route. One that departs goes straight on for 400 m from where the vehicle was 40 s
    /// before the question.
    private func route(of drive: Drive, until end: Double) throws -> Route {
        let last = fault == .departed ? end - 40 : drive.durationSeconds
        var points: [GeodeticPosition] = []
        var meters = -20.0
        for seconds in stride(from: 0, through: last, by: 1) {
            let place = drive.place(atSeconds: seconds)
            guard place.distanceMeters - meters > 10 else { continue }
            (points, meters) = (points + [place.position], place.distanceMeters)
        }
        if fault == .departed {
            let truth = drive.truth(atSeconds: last)
            let heading = EulerAngles(bodyToENU: truth.bodyToENU).headingTrueRadians
            // To the other side of the next turn, so that the vehicle is away from it for sure.
            let later = EulerAngles(bodyToENU: drive.truth(atSeconds: end).bodyToENU).headingTrueRadians
            let side = Angle.wrappedToPi(later - heading) > 0 ? -1.2 : 1.2
            let frame = LocalFrame(origin: truth.position)
            for step in 1...40 {
                let way = Double(step) * 10
                points.append(
                    frame.position(ofENUMeters: Vector3(sin(heading + side), cos(heading + side), 0) * way))
            }
        }
        return try Route(RoutePlan(points: points))
    }
}

/// Puts a fault into measurements.
private struct Spoiler {
    let fault: FaultDrive.Fault
    let size: Double
    /// When a fault of the receiver begins, seconds.
    let from: Double
    /// Where the range of a clipped gyro ends, rad/s.
    let clip: Double
    private var held: GnssFix?
    private var first: InertialSample?

    init(fault: FaultDrive.Fault, size: Double, from: Double, clip: Double) {
        (self.fault, self.size, self.from, self.clip) = (fault, size, from, clip)
    }

    /// The event with the fault; `nil` where it does not arrive.
    mutating func spoiled(_ event: SensorEvent) -> SensorEvent? {
        let isLate = event.arrivalTime.seconds > from
        switch event {
        case .gnss(var fix):
            switch fault {
            case .tunnel where isLate: return nil
            case .jammed where isLate: fix.isInterfered = true
            case .repeatedPosition where isLate:
                let old = held ?? fix
                held = old
                (fix.latitudeRadians, fix.longitudeRadians) = (old.latitudeRadians, old.longitudeRadians)
            case .noVelocity: (fix.horizontalVelocity, fix.climbMetersPerSecond) = (nil, nil)
            case .noAccuracy: (fix.horizontalSigmaMeters, fix.verticalSigmaMeters) = (nil, nil)
            default: break
            }
            return .gnss(fix)
        case .inertial(var sample):
            let old = first ?? sample
            first = old
            if fault == .stuckGyro, isLate { sample.angularRateRadiansPerSecond = old.angularRateRadiansPerSecond }
            if fault == .clippedGyro {
                var rate = sample.angularRateRadiansPerSecond
                for axis in 0..<3 { rate[axis] = min(max(rate[axis], -clip), clip) }
                sample.angularRateRadiansPerSecond = rate
            }
            return .inertial(sample)
        default: return event
        }
    }
}
