import Geodesy
import Measurements
import PoseMath

/// Generates the fixes of a simulated receiver.
struct SatelliteGenerator: EventGenerator {
    private let receiver: SatelliteReceiver
    private var clock: SampleClock
    private var random: RandomSource
    private var wander: GaussMarkovVector
    private var multipath = Vector3(0, 0, 0)
    private var multipathEnd = -1.0
    private var latestArrival = -Double.infinity

    init(_ receiver: SatelliteReceiver, seed: UInt64, window: ClosedRange<Double>) {
        self.receiver = receiver
        random = RandomSource(seed: seed, use: 2)
        clock = SampleClock(rateHertz: receiver.rateHertz, window: window)
        let sigma = receiver.wanderingMeters
        wander = GaussMarkovVector(
            sigma: Vector3(sigma, sigma, sigma * receiver.verticalFactor),
            timeConstantSeconds: receiver.wanderingSeconds)
    }

    mutating func next(_ drive: any MotionTruth) -> SensorEvent? {
        while let seconds = clock.next() {
            // Errors evolve during an outage too, so that an outage does not change the errors after it.
            let error = positionError(seconds)
            let velocityError = random.gaussianVector() * receiver.velocityMetersPerSecond
            let lags = velocityLags()
            let latency = receiver.latencySeconds + random.uniform(0, receiver.latencySpreadSeconds)
            let lapSeconds = drive.lapSeconds(seconds)
            guard !receiver.outages.contains(where: { $0.contains(lapSeconds) }) else { continue }
            // A serial line keeps the order of fixes.
            latestArrival = max(latestArrival, seconds + latency)
            return .gnss(fix(drive, seconds, error, velocityError, lags))
        }
        return nil
    }

    private mutating func positionError(_ seconds: Double) -> Vector3 {
        let axes = Vector3(1, 1, receiver.verticalFactor)
        let white = random.gaussianVector() * axes * receiver.whiteMeters
        let wandering = wander.next(afterSeconds: clock.interval, &random)
        let begins = random.chance(receiver.multipathEpisodesPerMinute / 60 * clock.interval)
        if begins, seconds >= multipathEnd {
            multipath = random.gaussianVector() * axes * receiver.multipathMeters
            multipathEnd = seconds + receiver.multipathSeconds * random.uniform(0.3, 1.7)
        }
        return white + wandering + (seconds < multipathEnd ? multipath : .zero)
    }

    /// Delay of this fix's horizontal velocity and climb relative to the time of validity, seconds.
    private mutating func velocityLags() -> (horizontal: Double, climb: Double) {
        func spread(_ sigma: Double) -> Double { sigma > 0 ? sigma * random.gaussianVector().x : 0 }
        return (
            receiver.velocityLagSeconds + spread(receiver.velocityLagSpreadSeconds),
            receiver.velocityLagSeconds + spread(receiver.climbLagSpreadSeconds)
        )
    }

    private func fix(
        _ drive: any MotionTruth, _ seconds: Double, _ error: Vector3, _ velocityError: Vector3,
        _ lags: (horizontal: Double, climb: Double)
    ) -> GnssFix {
        let there = LocalFrame(origin: position(drive, seconds - receiver.positionLagSeconds))
            .position(ofENUMeters: error)
        let motion = smoothedVelocity(drive, seconds - lags.horizontal, over: receiver.velocitySmoothingSeconds)
        let velocity = motion + velocityError
        let isClimbTheSame =
            lags.climb == lags.horizontal && receiver.climbSmoothingSeconds == receiver.velocitySmoothingSeconds
        let climb =
            (isClimbTheSame
            ? motion : smoothedVelocity(drive, seconds - lags.climb, over: receiver.climbSmoothingSeconds)).z
            + velocityError.z
        var fix = GnssFix(
            validityTime: clock.time(seconds), arrivalTime: clock.time(latestArrival), mode: .threeDimensional)
        fix.quality = receiver.wanderingMeters + receiver.whiteMeters < 0.1 ? .rtkFixed : .autonomous
        fix.latitudeRadians = there.latitudeRadians
        fix.longitudeRadians = there.longitudeRadians
        fix.altitudeEllipsoidMeters = there.altitudeEllipsoidMeters
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: velocity.x, northMetersPerSecond: velocity.y)
        fix.climbMetersPerSecond = climb
        let white = receiver.whiteMeters * receiver.whiteMeters
        let stated =
            (white + receiver.wanderingMeters * receiver.wanderingMeters).squareRoot() * receiver.statedSigmaScale
        fix.horizontalSigmaMeters = stated
        fix.verticalSigmaMeters = stated * receiver.verticalFactor
        fix.speedSigmaMetersPerSecond = receiver.velocityMetersPerSecond * receiver.statedSigmaScale
        fix.climbSigmaMetersPerSecond = receiver.velocityMetersPerSecond * receiver.statedSigmaScale
        fix.satellitesUsed = 12
        return fix
    }

    /// Ages (in time constants) and weights that approximate a first-order low-pass: exact for a polynomial of degree 9
    /// (Gauss-Laguerre quadrature; Abramowitz and Stegun 1964, table 25.9).
    private static let smoothing: [(age: Double, weight: Double)] = [
        (0.263560319718, 0.521755610583), (1.413403059107, 0.398666811083), (3.596425771041, 0.0759424496817),
        (7.085810005859, 0.00361175867992),
        (12.640800844276, 0.0000233699723858),
    ]

    /// Velocity of the antenna after a first-order low-pass with a time constant.
    private func smoothedVelocity(_ drive: any MotionTruth, _ seconds: Double, over timeConstant: Double) -> Vector3 {
        guard timeConstant > 0 else { return velocity(drive, seconds) }
        return Self.smoothing.reduce(.zero) {
            $0 + velocity(drive, seconds - $1.age * timeConstant) * $1.weight
        }
    }

    /// Velocity of the antenna.
    private func velocity(_ drive: any MotionTruth, _ seconds: Double) -> Vector3 {
        receiver.leverArmBodyMeters == .zero
            ? drive.velocityENUMetersPerSecond(atSeconds: seconds) : antenna(drive, seconds).velocity
    }

    /// Position of the antenna.
    private func position(_ drive: any MotionTruth, _ seconds: Double) -> GeodeticPosition {
        receiver.leverArmBodyMeters == .zero
            ? drive.place(atSeconds: seconds).position : antenna(drive, seconds).position
    }

    /// Position and velocity of an antenna that is not at the reference point, including its rotation about it as the
    /// body turns.
    private func antenna(_ drive: any MotionTruth, _ seconds: Double) -> (position: GeodeticPosition, velocity: Vector3)
    {
        let truth = drive.truth(atSeconds: seconds)
        let arm = truth.bodyToENU.rotate(receiver.leverArmBodyMeters)
        let place = LocalFrame(origin: truth.position).position(ofENUMeters: arm)
        let earth = WGS84.earthRateENU(latitudeRadians: truth.position.latitudeRadians)
        let rate =
            truth.bodyToENU.rotate(truth.angularRateBodyRadiansPerSecond) - Vector3(earth.east, earth.north, earth.up)
        return (place, truth.velocityENUMetersPerSecond + rate.cross(arm))
    }
}
