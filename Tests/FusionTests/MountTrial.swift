import Geodesy
import PoseMath
import Simulation

@testable import Fusion

/// A random drive with the IMU mounted as told, and what the estimator finds of that, with a mount known beforehand or
/// without.
struct MountTrial {
    /// Driving until the estimate called itself aligned, seconds; `nil` where it never did.
    private(set) var drivingSecondsToAligned: Double?
    /// Error of the mount after a minute of driving and at the end, degrees, and its stated sigma about the vertical
    /// after that minute.
    private(set) var mountErrorAfterAMinute = Double.infinity
    private(set) var statedSigmaAfterAMinute = Double.infinity
    private(set) var finalMountError = Double.infinity
    /// Heading error at the end, degrees.
    private(set) var finalHeadingError = Double.infinity
    /// Seconds with a heading wrong by more than 10 degrees and stated to be better than 5.
    private(set) var wronglySureSeconds = 0.0
    /// The estimator after the drive.
    private(set) var estimator: PoseEstimator
    private let sensorToBody: Quaternion

    /// - Parameters:
    ///   - mount: the true one; `nil`: as the seed has it.
    ///   - movingStart: whether the drive is joined 20 s after the vehicle began to move.
    ///   - prior: the mount known beforehand from the true one.
    init(
        seed: UInt64, mount: Quaternion? = nil, movingStart: Bool = false, settings: FusionSettings = FusionSettings(),
        prior: ((Quaternion) -> MountEstimate)? = nil
    ) throws {
        let drive = try Drive(.random(seed: seed, edges: 6))
        var suite = SensorSuite.random(seed: seed)
        suite.satellite?.outages = []
        if let mount { suite.inertial?.sensorToBody = mount }
        sensorToBody = suite.inertial?.sensorToBody ?? .identity
        estimator = PoseEstimator(settings: settings)
        if let prior { estimator.offer(mount: prior(sensorToBody)) }
        let start = movingStart ? drive.plan.standingSecondsBefore + 20 : 0
        run(SimulatedDrive(drive: drive, sensors: suite, seed: seed, from: start))
    }

    private mutating func run(_ simulated: SimulatedDrive) {
        var driving = 0.0
        var last: MonotonicTime?
        for event in simulated where estimator.ingest(event) {
            let estimate = estimator.estimate
            let truth = simulated.truth(at: estimate.time)
            let seconds = last.map { estimate.time.seconds(since: $0) } ?? 0
            last = estimate.time
            if truth.velocityENUMetersPerSecond.length > 1 { driving += seconds }
            if estimate.state == .aligned, drivingSecondsToAligned == nil { drivingSecondsToAligned = driving }
            if let mount = estimate.mount {
                finalMountError = (mount.sensorToBody * sensorToBody.inverse).rotationVector.length.radiansInDegrees
                if driving >= 60, mountErrorAfterAMinute == .infinity {
                    (mountErrorAfterAMinute, statedSigmaAfterAMinute) = (
                        finalMountError, mount.sigmaBodyRadians.z.radiansInDegrees
                    )
                }
            }
            guard let attitude = estimate.bodyToENU, let sigma = estimate.headingSigmaRadians else { continue }
            let error =
                EulerAngles(bodyToENU: attitude).headingTrueRadians
                - EulerAngles(bodyToENU: truth.bodyToENU).headingTrueRadians
            finalHeadingError = abs(Angle.wrappedToPi(error)).radiansInDegrees
            if finalHeadingError > 10, sigma < 5.0.degreesInRadians { wronglySureSeconds += seconds }
        }
    }

    /// The 24 ways in which the axes of a box can lie along those of another.
    static let axisOrientations: [Quaternion] = {
        let axes = [Vector3.unitX, .unitY, .unitZ, .unitX * -1, .unitY * -1, .unitZ * -1]
        return axes.flatMap { x in
            axes.filter { abs($0.dot(x)) < 0.5 }.map { y in Quaternion(matrix: Matrix(rows: x, y, x.cross(y))) }
        }
    }()
}
