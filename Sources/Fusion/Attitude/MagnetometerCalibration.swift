import Glibc
import PoseMath

/// Estimates magnetic north in the level frame, with hard and soft iron and the delay of the readings.
///
/// Three models run in parallel: calibrated (the sensor's calibration holds), hard iron (unknown hard iron), and soft
/// iron (unknown soft iron as well). The hard-iron model replaces the calibrated one where its innovations are far
/// smaller, or where the calibrated one has rejected readings for too long. The soft-iron model replaces both where it
/// alone explains the readings, over turns that make it observable: never on a car. A disturbed field is used with less
/// weight, or rejected for a limited time. A disturbance that turns with the sensor is hard iron, and is learned.
struct MagnetometerCalibration: Sendable {
    private var sum = MagneticReading()
    private var count = 0
    /// Time of the steps since the one with the last reading, seconds.
    private var unreadSeconds = 0.0
    /// Whether there was a reading.
    private(set) var hasBegun = false
    private var calibrated = MagneticModel()
    private var hardIronModel = MagneticModel()
    private var softIronModel = MagneticModel()
    private var strength = 0.0
    /// Mean squared innovations of the calibrated and the hard-iron model, T2.
    private var calibratedPower = 0.0
    private var hardIronPower = 0.0
    /// The same of the calibrated and the soft-iron model over a longer time.
    private var calibratedSlowPower = 0.0
    private var softIronPower = 0.0
    private var comparedSeconds = 0.0
    private var passedSeconds = 0.0
    /// Mean innovation of the calibrated model in sensor and level axes, and its mean square.
    private var innovationInSensor = Vector3.zero
    private var innovationInLevel = Vector3.zero
    private var innovationPower = 0.0
    private var excess = 1.0
    /// Squared innovations over the expected ones as far as turns have shown them, at most 1.
    private var shownPower = 1.0
    private var refusedSeconds = 0.0

    /// Turn of the level frame, left positive, that the last readings show against the field, radians, with its
    /// variance, rad2; `nil` where none were used.
    private(set) var yawObservation: (radians: Double, variance: Double)?
    /// How long the field's differences from place to place last, seconds, and the random walk along the way,
    /// 1/sqrt(s).
    private let fieldSeconds: Double
    private let fieldWalk: Double
    /// Parts of the variance of ``MagneticModel``, and of the local differences, in that of the heading, 1.
    private let modelShare: Double
    private let localShare: Double
    /// 1-sigma of the heading with the differences of the field as they are assumed for its use, radians.
    private var assumedSigma = Double.pi
    /// Whether the sensor is on a vehicle; see ``init(isFastened:)``.
    private let isFastened: Bool
    /// How long the gyro alone has held the heading, seconds, and 1-sigma of what it may have turned since, radians.
    private var heldSeconds = 0.0
    private var heldTurn = 0.0
    /// Variance of the turn of the level frame about the vertical that no sample has shown, and no reading yet, rad2.
    private var hiddenTurn = 0.0
    /// The same of what the gyro may have turned it by since the last reading, rad2.
    private var unreadTurn = 0.0
    /// Whether the readings of the last step have shown all of such a turn.
    private(set) var hasFoundHiddenTurn = false

    /// A calibration without readings.
    ///
    /// - Parameter isFastened: whether the sensor is on a vehicle, which leaves each place at once. A hand stays about
    ///   one place for long: the field differs there from the Earth's in the same way all the time.
    init(isFastened: Bool = true) {
        self.isFastened = isFastened
        fieldSeconds = isFastened ? Tuning.Magnetometer.fieldSeconds : Tuning.Magnetometer.heldFieldSeconds
        fieldWalk = isFastened ? Tuning.Magnetometer.fieldWalk : Tuning.Magnetometer.heldFieldWalk
        modelShare = isFastened ? 1 : Tuning.Magnetometer.heldModelShare
        localShare = isFastened ? 1 : Tuning.Magnetometer.heldLocalShare
    }

    /// Turn about up from the level frame to magnetic east-north-up, radians; `nil` before the first reading.
    /// docs/math.md, eq. 8.15.
    var levelToMagneticRadians: Double? { hasBegun ? atan2(field.x, field.y) : nil }
    /// 1-sigma of that, radians: at least the local differences of the field.
    private(set) var headingSigma = Double.pi
    /// The same as it is published: smaller where turns have shown that the field differs less from place to place.
    private(set) var statedHeadingSigma = Double.pi
    /// The Earth's field in the level frame, tesla.
    private(set) var field = Vector3.zero
    /// Hard iron, sensor axes, tesla.
    private(set) var hardIron = Vector3.zero
    /// Delay of the readings against the gyro's, seconds.
    private(set) var lagSeconds = 0.0
    /// Status for display; `nil` before the first reading.
    private(set) var status: MagnetometerStatus?
    /// Whether readings are rejected now because of a disturbed field.
    var isDisturbed: Bool { refusedSeconds > 0 }
    /// Place of the readings: latitude and longitude, radians; `nil` while it is unknown.
    var place: (latitudeRadians: Double, longitudeRadians: Double)?

    /// Copies the results, so that they are read without a copy of the models.
    private mutating func noteFindings() {
        field = calibrated.field
        hardIron = calibrated.hardIron
        lagSeconds = calibrated.lagSeconds
        // A sensor that never turned about two axes takes hard iron along the third for a part of the field.
        let isPlausible = EarthField.isPlausible(field, at: place)
        let local = Tuning.Magnetometer.fieldShare * strength / max(field.horizontalLength, 1e-9)
        let (model, share) = (calibrated.headingVariance(), Tuning.Magnetometer.headingFieldShare * localShare)
        assumedSigma = (model + Tuning.Magnetometer.headingFieldShare * local * local).squareRoot()
        let sigma = (openVariance(calibrated: model) + share * local * local).squareRoot()
        headingSigma = min(isPlausible ? sigma : max(sigma, Tuning.Magnetometer.implausibleHeadingSigma), .pi)
        let stated = isPlausible ? shownHeadingSigma() : headingSigma
        // At rest both are the drift of the gyro.
        let turned = (max(heldTurn * heldTurn, unreadTurn) + hiddenTurn).squareRoot()
        headingSigma = min(hypot(headingSigma, turned), .pi)
        statedHeadingSigma = min(hypot(stated, turned), .pi)
        let known: MagnetometerStatus.State =
            headingSigma < Tuning.Magnetometer.heldHeadingSigma ? .calibrated : .collecting
        status = MagnetometerStatus(
            state: isDisturbed ? .disturbed : isPlausible ? known : .implausible, ironTesla: hardIron,
            softIron: calibrated.softIron,
            fieldTesla: field.length, dipRadians: atan2(-field.z, field.horizontalLength),
            headingSigmaRadians: statedHeadingSigma)
    }

    /// Variance of the heading that the models leave, rad2: that of the one that knows less, and their difference.
    /// Until turns have shown the iron, any of it may be in the field.
    /// docs/math.md, eq. 8.20.
    private mutating func openVariance(calibrated model: Double) -> Double {
        let open = hardIronModel.headingVariance()
        let scale = hardIronModel.field.horizontalLength / (Tuning.Magnetometer.unknownHardIron * strength)
        let unknown = min(open * scale * scale, 1)
        let share = modelShare + (1 - modelShare) * unknown * unknown
        let apart = Angle.wrappedToPi(
            atan2(hardIronModel.field.x, hardIronModel.field.y) - atan2(field.x, field.y))
        return share * max(model, open) + apart * apart
    }

    /// 1-sigma of the heading with the differences of the field that turns have shown, and what no innovation shows.
    /// docs/math.md, eq. 8.20.
    private func shownHeadingSigma() -> Double {
        let residual = Tuning.Magnetometer.residualShare * strength / max(field.horizontalLength, 1e-9)
        return min((shownPower * headingSigma * headingSigma + residual * residual).squareRoot(), headingSigma)
    }

    /// Follows the innovations: up at once, and down with the turn of the field in the sensor. A sensor that does not
    /// turn would see no difference of any field.
    private mutating func noteShownPower(_ reading: MagneticReading, _ seconds: Double) {
        let turn = reading.turn.length / max(strength, 1e-9) * seconds
        let fall = (shownPower - excess) * min(turn / Tuning.Magnetometer.shownTurnRadians, 1)
        shownPower = min(max(shownPower - max(fall, 0), excess), 1)
    }

    /// Adds a reading; the attitude and the rate of turn are those of its time.
    mutating func add(_ reading: Vector3, axes: SensorAxes, rate: Vector3) {
        sum.add(reading, axes: axes, rate: rate, hardIron: hardIron)
        count += 1
    }

    /// Adds a turn of the level frame about the vertical that no sample has shown: its variance, rad2. A small one does
    /// not count, and on a vehicle it is a part of the drift. The readings from before do not show it.
    /// docs/math.md, eq. 8.23.
    mutating func noteHiddenTurn(variance: Double) {
        let least = Tuning.Magnetometer.largestHeldTurn
        guard hasBegun, !isFastened, variance > least * least else { return }
        hiddenTurn += variance
        // It is a part of what the next step adds to that.
        unreadTurn -= variance
        (sum, count) = (MagneticReading(), 0)
    }

    /// Adds what the level frame may have turned by in a step. A reading begins anew; the first one after a silence
    /// shows what is more than a small turn as a hidden one.
    /// docs/math.md, eq. 8.23.
    ///
    /// - Parameters:
    ///   - variance: growth of that of the turn, rad2.
    ///   - isRead: whether the step has a reading.
    ///   - isSilent: whether there was none for some time before.
    private mutating func noteUnreadTurn(_ variance: Double, isRead: Bool, isSilent: Bool) {
        guard !isFastened else { return }
        unreadTurn = max(unreadTurn + variance, 0)
        guard isRead else { return }
        let least = Tuning.Magnetometer.largestHeldTurn
        if isSilent, unreadTurn > least * least { hiddenTurn += unreadTurn }
        unreadTurn = 0
    }

    /// Turns the fields of the models to the first reading after a large turn that no sample has shown: the models are
    /// linear, and would take a part of it for iron. What the field differs by here is unsure then.
    /// docs/math.md, eq. 8.23.
    ///
    /// - Parameter tiltVariance: of the level's two axes together, rad2.
    /// - Returns: whether readings may be used: while the level is unsure, it looks like a turn.
    private mutating func followHiddenTurn(_ reading: MagneticReading, tiltVariance: Double) -> Bool {
        let largest = Tuning.Magnetometer.heldHeadingSigma
        guard hiddenTurn > largest * largest else { return true }
        let field = calibrated.field
        let (base, horizontal) = (Tuning.Magnetometer.fieldShare * strength, max(field.horizontalLength, 1e-9))
        let leaning = tiltVariance * field.z * field.z
        guard leaning < base * base else { return false }
        let variance = min(hiddenTurn, base * base / (horizontal * horizontal)) + leaning / (horizontal * horizontal)
        calibrated.turn(to: reading, variance: variance)
        hardIronModel.turn(to: reading, variance: variance)
        softIronModel.turn(to: reading, variance: variance)
        (heldSeconds, heldTurn, refusedSeconds, shownPower) = (0, 0, 0, 1)
        (hiddenTurn, hasFoundHiddenTurn) = (0, true)
        return true
    }

    /// Updates with the readings since the last step.
    /// docs/math.md, eq. 8.14.
    ///
    /// - Parameters:
    ///   - seconds: length of the step.
    ///   - yawVariance: of the drift of the level frame about the vertical in it, rad2.
    ///   - still: whether the body rests.
    ///   - gyroBiasSigma: 1-sigma of the bias of the gyro, which holds the heading at rest, rad/s.
    ///   - tiltVariance: of the level's two axes together, rad2.
    ///   - turnGrowth: about a person, growth in the step of the variance of the turn of the level frame about the
    ///     vertical, rad2; below zero where a rest has shown it.
    mutating func step(
        seconds: Double, yawVariance: Double, still: Bool, gyroBiasSigma: Double = 0, tiltVariance: Double = 0,
        turnGrowth: Double = 0
    ) {
        (yawObservation, hasFoundHiddenTurn) = (nil, false)
        let reading = count > 0 ? sum.mean(of: count) : nil
        (sum, count) = (MagneticReading(), 0)
        guard hasBegun else {
            if let reading { begin(reading) }
            return
        }
        // A reading stands for the time since the one before.
        let passed = min(unreadSeconds + seconds, Tuning.Magnetometer.fieldSeconds)
        unreadSeconds = reading == nil ? unreadSeconds + seconds : 0
        noteUnreadTurn(turnGrowth, isRead: reading != nil, isSilent: passed >= Tuning.Magnetometer.fieldSeconds)
        if let reading, !followHiddenTurn(reading, tiltVariance: tiltVariance) {
            drift(seconds: seconds, yawVariance: yawVariance)
            return noteFindings()
        }
        if isHeld(seconds: seconds, yawVariance: yawVariance, still: still, gyroBiasSigma: gyroBiasSigma) {
            return noteFindings()
        }
        // About a person, what the level frame may have turned is the attitude's to learn; see eq. 8.22.
        let turned = isFastened ? heldTurn * heldTurn : 0
        if isFastened || reading != nil { heldTurn = 0 }
        drift(seconds: seconds, yawVariance: yawVariance + turned)
        if let reading { update(reading, passed) }
        noteFindings()
    }

    /// Updates the models with a reading, some seconds after the one before.
    /// docs/math.md, eq. 8.14.
    private mutating func update(_ reading: MagneticReading, _ seconds: Double) {
        updateHardIron(reading, seconds)
        updateSoftIron(reading, seconds)
        updateCalibrated(reading, seconds)
        if calibrated.hardIron.length > Tuning.Magnetometer.largeHardIron * strength { noteStrength() }
        let base = Tuning.Magnetometer.fieldShare * strength
        if refusedSeconds > Tuning.Magnetometer.patienceSeconds
            || (calibratedPower > Tuning.Magnetometer.leastCalibratedInnovation * base * base
                && hardIronPower < Tuning.Magnetometer.betterShare * calibratedPower)
        {
            calibrated = hardIronModel
            (calibratedPower, excess, refusedSeconds) = (hardIronPower, 1, 0)
            noteStrength()
        }
    }

    /// Whether the gyro alone holds the heading. At rest a change of the field is a disturbance, until the gyro may
    /// have drifted by more: a sensor that warms up changes its bias.
    /// docs/math.md, eq. 8.14.
    private mutating func isHeld(
        seconds: Double, yawVariance: Double, still: Bool, gyroBiasSigma: Double
    ) -> Bool {
        guard still else {
            heldSeconds = 0
            return false
        }
        guard assumedSigma < Tuning.Magnetometer.heldHeadingSigma else { return false }
        heldSeconds += seconds
        let turn = gyroBiasSigma * heldSeconds
        let hidden = (hiddenTurn + yawVariance).squareRoot()
        guard hypot(turn, hidden) < Tuning.Magnetometer.largestHeldTurn else { return false }
        heldTurn = turn
        return true
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
        let (field, hardIron) = (fieldWalk * strength, Tuning.Magnetometer.hardIronWalk * strength)
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
        hardIronPower +=
            (innovation.lengthSquared - hardIronPower) * min(seconds / Tuning.Magnetometer.compareSeconds, 1)
        hardIronModel.update(
            reading, innovation: innovation, variance: base * base * fieldSeconds / seconds)
    }

    /// Updates the soft-iron model. It replaces the others where it alone explains the readings, over turns that make
    /// it observable.
    /// docs/math.md, eq. 8.18.
    private mutating func updateSoftIron(_ reading: MagneticReading, _ seconds: Double) {
        // Local differences of the field are correlated for longer: more readings would not add information.
        passedSeconds += seconds
        guard passedSeconds >= Tuning.Magnetometer.softIronStepSeconds - 1e-6 else { return }
        let seconds = passedSeconds
        passedSeconds = 0
        let base = Tuning.Magnetometer.fieldShare * strength
        let innovation = softIronModel.innovation(reading)
        let part = min(seconds / Tuning.Magnetometer.softIronSeconds, 1)
        softIronPower += (innovation.lengthSquared - softIronPower) * part
        calibratedSlowPower += (calibrated.innovation(reading).lengthSquared - calibratedSlowPower) * part
        comparedSeconds += seconds
        softIronModel.update(
            reading, innovation: innovation, variance: base * base * fieldSeconds / seconds)
        let least = Tuning.Magnetometer.leastSoftIronInnovation * strength
        guard comparedSeconds > Tuning.Magnetometer.softIronComparisons * Tuning.Magnetometer.softIronSeconds,
            calibratedSlowPower > least * least,
            softIronPower < Tuning.Magnetometer.softIronShare * calibratedSlowPower,
            softIronModel.softSigma() < Tuning.Magnetometer.knownSoftIronSigma,
            softIronModel.softIronLength < Tuning.Magnetometer.largestSoftIron,
            EarthField.isPlausible(softIronModel.field, at: place)
        else { return }
        (calibrated, hardIronModel) = (softIronModel, softIronModel)
        (calibratedPower, hardIronPower, calibratedSlowPower, excess, refusedSeconds) = (
            softIronPower, softIronPower, softIronPower, 1, 0
        )
        noteStrength()
    }

    /// Updates the strength: that of the first reading was of field and hard iron together.
    private mutating func noteStrength() {
        strength = min(max(calibrated.field.length, Tuning.EarthField.weakestTesla), Tuning.EarthField.strongestTesla)
    }

    /// docs/math.md, eq. 8.13.
    private mutating func updateCalibrated(_ reading: MagneticReading, _ seconds: Double) {
        let base = Tuning.Magnetometer.fieldShare * strength
        let innovation = calibrated.innovation(reading)
        let power = innovation.lengthSquared
        let part = min(seconds / Tuning.Magnetometer.innovationSeconds, 1)
        calibratedPower += (power - calibratedPower) * min(seconds / Tuning.Magnetometer.compareSeconds, 1)
        innovationInSensor += (reading.toSensor(innovation) - innovationInSensor) * part
        innovationInLevel += (innovation - innovationInLevel) * part
        innovationPower += (power - innovationPower) * part
        let own = min(
            max((innovationInSensor.lengthSquared - innovationInLevel.lengthSquared) / max(innovationPower, 1e-30), 0),
            1)
        if own > Tuning.Magnetometer.ownShare, innovationInSensor.lengthSquared > base * base {
            calibrated.drift(
                fieldVariance: 0, ironVariance: innovationInSensor.lengthSquared * part * Tuning.Magnetometer.ownGain,
                softVariance: 0,
                yawVariance: 0)
        }
        let ratio = power / (base * base + calibrated.expectedPower(reading))
        excess += (ratio - excess) * part
        noteShownPower(reading, seconds)
        let factor = max(1, max(excess, ratio) * (1 - own))
        guard factor < Tuning.Magnetometer.gate else {
            refusedSeconds += seconds
            return
        }
        refusedSeconds = max(refusedSeconds - Tuning.Magnetometer.patienceRecovery * seconds, 0)
        let variance = base * base * fieldSeconds / seconds * factor
        noteYaw(innovation, variance)
        calibrated.update(reading, innovation: innovation, variance: variance)
    }

    /// A field that seems to have turned right shows that the level frame has turned left.
    private mutating func noteYaw(_ innovation: Vector3, _ variance: Double) {
        let (h, squared) = (calibrated.field, calibrated.field.horizontalLength * calibrated.field.horizontalLength)
        guard squared > 1e-20 else { return }
        let noise = variance / squared
        yawObservation = ((innovation.x * h.y - innovation.y * h.x) / squared, noise)
        hiddenTurn *= noise / (hiddenTurn + noise)
    }
}
