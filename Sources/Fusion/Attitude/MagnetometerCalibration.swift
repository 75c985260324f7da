import Glibc
import PoseMath

/// Finds magnetic north in the level frame, with the iron on the sensor's side and the delay of its readings.
///
/// Three hypotheses run side by side: one that trusts the maker's calibration, one that takes the iron to be unknown,
/// and one that takes soft iron to be unknown as well. The second takes over where it explains the readings far better,
/// or where the first has refused them for too long; the third where it alone explains them, over turns that have shown
/// all of it: a car never shows it, and never gets it. A field that strays in strength or dip is taken with less
/// weight, or refused for a bounded time; one that strays with the sensor, not with the place, is the sensor's own
/// iron, and learned.
struct MagnetometerCalibration: Sendable {
    private var sum = MagneticReading()
    private var count = 0
    private var hasBegun = false
    private var calibrated = MagneticModel()
    private var hardIronModel = MagneticModel()
    private var softIronModel = MagneticModel()
    private var strength = 0.0
    /// Mean squares of the innovations of the two, T2.
    private var calibratedStray = 0.0
    private var hardIronStray = 0.0
    /// The same of the first and the third over a longer time.
    private var straightStray = 0.0
    private var softIronStray = 0.0
    private var comparedSeconds = 0.0
    private var passedSeconds = 0.0
    /// Mean innovation of the first, seen in the sensor and in the level frame, and its mean square.
    private var strayInSensor = Vector3.zero
    private var strayInLevel = Vector3.zero
    private var strayPower = 0.0
    private var excess = 1.0
    private var refusedSeconds = 0.0

    /// A calibration that has seen nothing.
    init() {}

    /// Turn about up from the level frame to magnetic east-north-up, radians; `nil` before the first reading.
    /// docs/math.md, eq. 8.15.
    var levelToMagneticRadians: Double? { hasBegun ? atan2(field.x, field.y) : nil }
    /// 1-sigma of that, radians: at least what the field differs from place to place.
    private(set) var headingSigma = Double.pi
    /// The Earth's field in the level frame, tesla.
    private(set) var field = Vector3.zero
    /// The iron on the sensor's side, sensor axes, tesla.
    private(set) var hardIron = Vector3.zero
    /// Delay of the readings against the gyro's, seconds.
    private(set) var lagSeconds = 0.0
    /// All of it for people; `nil` before the first reading.
    private(set) var status: MagnetometerStatus?
    /// Whether the readings are refused now, as those of a disturbed field.
    var isDisturbed: Bool { refusedSeconds > 0 }
    /// Where the readings are taken: latitude and longitude, radians; `nil` while that is not known.
    var place: (latitudeRadians: Double, longitudeRadians: Double)?

    /// Takes down what was found, so that it can be read without a copy of the models.
    private mutating func noteFindings() {
        field = calibrated.field
        hardIron = calibrated.hardIron
        lagSeconds = calibrated.lagSeconds
        // A sensor that never turned about two axes takes iron along the third for a part of the field.
        let isPlausible = EarthField.isPlausible(field, at: place)
        let local = Tuning.Magnetometer.fieldShare * strength / max(field.horizontalLength, 1e-9)
        let sigma = (calibrated.headingVariance() + Tuning.Magnetometer.headingFieldShare * local * local).squareRoot()
        headingSigma = min(isPlausible ? sigma : max(sigma, Tuning.Magnetometer.implausibleHeadingSigma), .pi)
        let known: MagnetometerStatus.State =
            headingSigma < Tuning.Magnetometer.heldHeadingSigma ? .calibrated : .collecting
        status = MagnetometerStatus(
            state: isDisturbed ? .disturbed : isPlausible ? known : .implausible, ironTesla: hardIron,
            softIron: calibrated.softIron,
            fieldTesla: field.length, dipRadians: atan2(-field.z, field.horizontalLength),
            headingSigmaRadians: headingSigma)
    }

    /// Adds a reading; the attitude and the rate of turn are those of its time.
    mutating func add(_ reading: Vector3, axes: SensorAxes, rate: Vector3) {
        sum.add(reading, axes: axes, rate: rate, hardIron: hardIron)
        count += 1
    }

    /// Takes the readings since the last step.
    /// docs/math.md, eq. 8.14.
    ///
    /// - Parameters:
    ///   - seconds: length of the step.
    ///   - yawVariance: of the drift of the level frame about the vertical in it, rad2.
    ///   - still: whether the body rests.
    mutating func step(seconds: Double, yawVariance: Double, still: Bool) {
        guard count > 0 else {
            guard hasBegun else { return }
            drift(seconds: seconds, yawVariance: yawVariance)
            return noteFindings()
        }
        let reading = sum.mean(of: count)
        sum = MagneticReading()
        count = 0
        guard hasBegun else { return begin(reading) }
        // A body at rest turns by the gyro alone: what the magnetometer sees move is something else.
        if still, headingSigma < Tuning.Magnetometer.heldHeadingSigma { return }
        drift(seconds: seconds, yawVariance: yawVariance)
        updateHardIron(reading, seconds)
        updateSoftIron(reading, seconds)
        updateCalibrated(reading, seconds)
        if calibrated.hardIron.length > Tuning.Magnetometer.largeHardIron * strength { noteStrength() }
        let base = Tuning.Magnetometer.fieldShare * strength
        if refusedSeconds > Tuning.Magnetometer.patienceSeconds
            || (calibratedStray > Tuning.Magnetometer.leastCalibratedInnovation * base * base
                && hardIronStray < Tuning.Magnetometer.betterShare * calibratedStray)
        {
            calibrated = hardIronModel
            (calibratedStray, excess, refusedSeconds) = (hardIronStray, 1, 0)
            noteStrength()
        }
        noteFindings()
    }

    private mutating func begin(_ reading: MagneticReading) {
        strength = min(reading.field.length, Tuning.EarthField.strongestTesla)
        let base = Tuning.Magnetometer.fieldShare * strength
        calibrated = MagneticModel(
            reading,
            prior: .init(
                field: base, hardIron: Tuning.Magnetometer.hardIron * strength, lag: Tuning.Magnetometer.lagSigma,
                soft: 0))
        hardIronModel = MagneticModel(
            reading,
            prior: .init(
                field: base, hardIron: Tuning.Magnetometer.unknownHardIron * strength,
                lag: Tuning.Magnetometer.lagSigma, soft: 0))
        softIronModel = MagneticModel(
            reading,
            prior: .init(
                field: base, hardIron: Tuning.Magnetometer.unknownHardIron * strength,
                lag: Tuning.Magnetometer.lagSigma, soft: Tuning.Magnetometer.unknownSoftIron))
        hasBegun = true
        noteFindings()
    }

    private mutating func drift(seconds: Double, yawVariance: Double) {
        let (field, hardIron) = (Tuning.Magnetometer.fieldWalk * strength, Tuning.Magnetometer.hardIronWalk * strength)
        let soft = Tuning.Magnetometer.softIronWalk * Tuning.Magnetometer.softIronWalk * seconds
        calibrated.drift(
            fieldVariance: field * field * seconds, ironVariance: hardIron * hardIron * seconds, softVariance: soft,
            yawVariance: yawVariance)
        hardIronModel.drift(
            fieldVariance: field * field * seconds, ironVariance: hardIron * hardIron * seconds, softVariance: soft,
            yawVariance: yawVariance)
        softIronModel.drift(
            fieldVariance: field * field * seconds, ironVariance: hardIron * hardIron * seconds, softVariance: soft,
            yawVariance: yawVariance)
    }

    private mutating func updateHardIron(_ reading: MagneticReading, _ seconds: Double) {
        let base = Tuning.Magnetometer.fieldShare * strength
        let innovation = hardIronModel.innovation(reading)
        hardIronStray +=
            (innovation.lengthSquared - hardIronStray) * min(seconds / Tuning.Magnetometer.compareSeconds, 1)
        hardIronModel.update(
            reading, innovation: innovation, variance: base * base * Tuning.Magnetometer.fieldSeconds / seconds)
    }

    /// The third hypothesis: with soft iron. It takes over where it alone explains the readings, over turns that have
    /// shown all of it.
    /// docs/math.md, eq. 8.18.
    private mutating func updateSoftIron(_ reading: MagneticReading, _ seconds: Double) {
        // What differs from place to place lasts for longer than that: more readings would tell no more.
        passedSeconds += seconds
        guard passedSeconds >= Tuning.Magnetometer.softIronStepSeconds - 1e-6 else { return }
        let seconds = passedSeconds
        passedSeconds = 0
        let base = Tuning.Magnetometer.fieldShare * strength
        let innovation = softIronModel.innovation(reading)
        let part = min(seconds / Tuning.Magnetometer.softIronSeconds, 1)
        softIronStray += (innovation.lengthSquared - softIronStray) * part
        straightStray += (calibrated.innovation(reading).lengthSquared - straightStray) * part
        comparedSeconds += seconds
        softIronModel.update(
            reading, innovation: innovation, variance: base * base * Tuning.Magnetometer.fieldSeconds / seconds)
        let least = Tuning.Magnetometer.leastSoftIronInnovation * strength
        guard comparedSeconds > Tuning.Magnetometer.softIronComparisons * Tuning.Magnetometer.softIronSeconds,
            straightStray > least * least,
            softIronStray < Tuning.Magnetometer.softIronShare * straightStray,
            softIronModel.softSigma() < Tuning.Magnetometer.knownSoftIronSigma,
            softIronModel.softIronLength < Tuning.Magnetometer.largestSoftIron,
            EarthField.isPlausible(softIronModel.field, at: place)
        else { return }
        (calibrated, hardIronModel) = (softIronModel, softIronModel)
        (calibratedStray, hardIronStray, straightStray, excess, refusedSeconds) = (
            softIronStray, softIronStray, softIronStray, 1, 0
        )
        noteStrength()
    }

    /// The first reading's strength was that of field and iron together; from a new hypothesis on it is the field's, as
    /// far as it can be one.
    private mutating func noteStrength() {
        strength = min(max(calibrated.field.length, Tuning.EarthField.weakestTesla), Tuning.EarthField.strongestTesla)
    }

    /// docs/math.md, eq. 8.13.
    private mutating func updateCalibrated(_ reading: MagneticReading, _ seconds: Double) {
        let base = Tuning.Magnetometer.fieldShare * strength
        let innovation = calibrated.innovation(reading)
        let power = innovation.lengthSquared
        let part = min(seconds / Tuning.Magnetometer.innovationSeconds, 1)
        calibratedStray += (power - calibratedStray) * min(seconds / Tuning.Magnetometer.compareSeconds, 1)
        strayInSensor += (reading.toSensor(innovation) - strayInSensor) * part
        strayInLevel += (innovation - strayInLevel) * part
        strayPower += (power - strayPower) * part
        let own = min(max((strayInSensor.lengthSquared - strayInLevel.lengthSquared) / max(strayPower, 1e-30), 0), 1)
        if own > Tuning.Magnetometer.ownShare, strayInSensor.lengthSquared > base * base {
            calibrated.drift(
                fieldVariance: 0, ironVariance: strayInSensor.lengthSquared * part * Tuning.Magnetometer.ownGain,
                softVariance: 0,
                yawVariance: 0)
        }
        let ratio = power / (base * base + calibrated.expectedPower(reading))
        excess += (ratio - excess) * part
        let factor = max(1, max(excess, ratio) * (1 - own))
        guard factor < Tuning.Magnetometer.gate else {
            refusedSeconds += seconds
            return
        }
        refusedSeconds = max(refusedSeconds - Tuning.Magnetometer.patienceRecovery * seconds, 0)
        calibrated.update(
            reading, innovation: innovation, variance: base * base * Tuning.Magnetometer.fieldSeconds / seconds * factor
        )
    }
}
