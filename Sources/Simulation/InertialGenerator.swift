import Glibc
import Measurements
import PoseMath

/// Generates the readings of a simulated IMU.
struct InertialGenerator: EventGenerator {
    let drawn: InertialErrorRealization
    private let sensor: SensorSuite.InertialSensor
    private var clock: SampleClock
    private var random: RandomSource
    private var gyroWander: GaussMarkovVector
    private var accelWander: GaussMarkovVector
    private var enginePhase = 0.0

    init(_ sensor: SensorSuite.InertialSensor, seed: UInt64, window: ClosedRange<Double>) {
        self.sensor = sensor
        random = RandomSource(seed: seed, use: 1)
        drawn = InertialErrorRealization(sensor.errors, &random)
        clock = SampleClock(rateHertz: sensor.rateHertz, window: window)
        let errors = sensor.errors
        gyroWander = GaussMarkovVector(
            sigma: Vector3(repeating: errors.gyroInstability), timeConstantSeconds: errors.instabilitySeconds)
        accelWander = GaussMarkovVector(
            sigma: Vector3(repeating: errors.accelInstability), timeConstantSeconds: errors.instabilitySeconds)
    }

    mutating func next(_ drive: any MotionTruth) -> SensorEvent? {
        guard let seconds = clock.next() else { return nil }
        let truth = drive.truth(atSeconds: seconds)
        let turn = sensor.holderTurn
        let (part, turnRate) = turn?.progress(atSeconds: seconds) ?? (0, .zero)
        let turned = turn.map { Quaternion(rotationVector: $0.rotationVector * part) } ?? .identity
        let bodyToSensor = (sensor.sensorToBody * turned).inverse
        let speed = truth.velocityENUMetersPerSecond.length
        let shaking = shaking(speed: speed)
        let leaning = Quaternion(rotationVector: drawn.gyroMisalignment)
        let rate = leaning.rotate(bodyToSensor.rotate(truth.angularRateBodyRadiansPerSecond) + turnRate)
        let force = bodyToSensor.rotate(truth.specificForceBodyMetersPerSecondSquared)
        let errors = sensor.errors
        let rootRate = sensor.rateHertz.squareRoot()
        let gyroNoise = random.gaussianVector() * (errors.gyroNoiseDensity * rootRate)
        let accelDensity = errors.accelNoiseDensity + errors.roadVibration * speed
        let accelNoise = random.gaussianVector() * (accelDensity * rootRate)
        let gyroBias = drawn.gyroBiasRadiansPerSecond + gyroWander.next(afterSeconds: clock.interval, &random)
        let accelBias = drawn.accelBiasMetersPerSecondSquared + accelWander.next(afterSeconds: clock.interval, &random)
        return .inertial(
            InertialSample(
                time: clock.time(seconds),
                angularRateRadiansPerSecond: rate + rate * drawn.gyroScale + gyroBias + gyroNoise + shaking * 0.01,
                specificForceMetersPerSecondSquared: force + force * drawn.accelScale + accelBias + accelNoise + shaking
            ))
    }

    /// The engine runs at 800 revolutions per minute when idle and at up to 2,600 when driving; a four-cylinder engine
    /// vibrates twice per revolution.
    private mutating func shaking(speed: Double) -> Vector3 {
        guard sensor.errors.engineVibration > 0 else { return .zero }
        let hertz = 2 * (800 + 120 * min(speed, 15)) / 60
        enginePhase = fmod(enginePhase + 2 * .pi * hertz * clock.interval, 2 * .pi)
        let direction = Vector3(0.5, 0.3, 0.8)
        return direction * (sensor.errors.engineVibration * sin(enginePhase))
    }
}
