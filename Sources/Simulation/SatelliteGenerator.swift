import Geodesy
import Measurements
import PoseMath

/// Fixes of a simulated receiver, one after the other.
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
            // Errors go on while there is no fix, so that an outage changes nothing after it.
            let error = positionError(seconds)
            let velocityError = random.gaussianVector() * receiver.velocityMetersPerSecond
            let lags = velocityLags()
            let latency = receiver.latencySeconds + random.uniform(0, receiver.latencySpreadSeconds)
            let lapSeconds = drive.lapSeconds(seconds)
            guard !receiver.outages.contains(where: { $0.contains(lapSeconds) }) else { continue }
            // A serial line delivers in order.
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

    /// By how much this fix's horizontal velocity and climb are older than it states, seconds.
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
        let antenna = antenna(drive, seconds - receiver.positionLagSeconds)
        let there = LocalFrame(origin: antenna.position).position(ofENUMeters: error)
        let velocity =
            smoothedVelocity(drive, seconds - lags.horizontal, over: receiver.velocitySmoothingSeconds) + velocityError
        let climb =
            smoothedVelocity(drive, seconds - lags.climb, over: receiver.climbSmoothingSeconds).z + velocityError.z
        var fix = GnssFix(
            validityTime: clock.time(seconds), arrivalTime: clock.time(latestArrival), mode: .threeDimensional)
        fix.quality = receiver.wanderingMeters + receiver.whiteMeters < 0.1 ? .rtkFixed : .autonomous
        fix.latitudeRadians = there.latitudeRadians
        fix.longitudeRadians = there.longitudeRadians
        fix.altitudeEllipsoidMeters = there.altitudeEllipsoidMeters
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: velocity.x, northMetersPerSecond: velocity.y)
        fix.climbMetersPerSecond = climb
        let white = receiver.whiteMeters * receiver.whiteMeters
        let stated = (white + receiver.wanderingMeters * receiver.wanderingMeters).squareRoot() * receiver.honesty
        fix.horizontalSigmaMeters = stated
        fix.verticalSigmaMeters = stated * receiver.verticalFactor
        fix.speedSigmaMetersPerSecond = receiver.velocityMetersPerSecond * receiver.honesty
        fix.climbSigmaMetersPerSecond = receiver.velocityMetersPerSecond * receiver.honesty
        fix.satellitesUsed = 12
        return fix
    }

    /// Ages, in time constants, and weights of the values that a low-pass of first order is the mean of: exact for what
    /// a polynomial of degree 9 follows (Gauss-Laguerre quadrature; Abramowitz and Stegun 1964, table 25.9).
    private static let smoothing: [(age: Double, weight: Double)] = [
        (0.263560319718, 0.521755610583), (1.413403059107, 0.398666811083), (3.596425771041, 0.0759424496817),
        (7.085810005859, 0.00361175867992),
        (12.640800844276, 0.0000233699723858),
    ]

    /// The velocity of the antenna after a low-pass with a time constant.
    private func smoothedVelocity(_ drive: any MotionTruth, _ seconds: Double, over timeConstant: Double) -> Vector3 {
        guard timeConstant > 0 else { return antenna(drive, seconds).velocity }
        return Self.smoothing.reduce(.zero) {
            $0 + antenna(drive, seconds - $1.age * timeConstant).velocity * $1.weight
        }
    }

    /// Place and velocity of the antenna; it goes round the reference point as the body turns over the ground.
    private func antenna(_ drive: any MotionTruth, _ seconds: Double) -> (position: GeodeticPosition, velocity: Vector3)
    {
        let truth = drive.truth(atSeconds: seconds)
        guard receiver.leverArmBodyMeters != .zero else { return (truth.position, truth.velocityENUMetersPerSecond) }
        let arm = truth.bodyToENU.rotate(receiver.leverArmBodyMeters)
        let place = LocalFrame(origin: truth.position).position(ofENUMeters: arm)
        let earth = WGS84.earthRateENU(latitudeRadians: truth.position.latitudeRadians)
        let rate =
            truth.bodyToENU.rotate(truth.angularRateBodyRadiansPerSecond) - Vector3(earth.east, earth.north, earth.up)
        return (place, truth.velocityENUMetersPerSecond + rate.cross(arm))
    }
}
