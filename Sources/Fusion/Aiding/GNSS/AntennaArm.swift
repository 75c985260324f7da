import Glibc
import PoseMath

/// Place of the antenna from the IMU in the vehicle, with its accuracy.
public struct AntennaArm: Sendable, Hashable {
    /// Forward and left, metres.
    public var meters = SIMD2<Double>.zero
    /// 1-sigma of them, metres.
    public var sigmaMeters = SIMD2(repeating: Tuning.Antenna.unknownSigma)

    /// A place; without arguments one that nobody has told.
    public init(meters: SIMD2<Double> = .zero, sigmaMeters: SIMD2<Double>? = nil) {
        self.meters = meters
        if let sigmaMeters { self.sigmaMeters = sigmaMeters }
    }

    /// One that nobody has told.
    init(untoldOn profile: MotionProfile) {
        self.init(sigmaMeters: SIMD2(repeating: profile.traits.antennaSigma ?? Tuning.Antenna.unknownSigma))
    }

    /// Whether it is on a vehicle, and has sigmas.
    public var isValid: Bool {
        (0..<2).allSatisfy {
            abs(meters[$0]) < Tuning.Antenna.largestDistance && sigmaMeters[$0] > 0
                && sigmaMeters[$0] < Tuning.Antenna.largestDistance
        }
    }

    /// Whether it was found well enough for the next drive.
    public var isWellKnown: Bool { isValid && sigmaMeters.max() < Tuning.Antenna.knownSigma }
}

/// Where the antenna is, relative to the IMU. Forward and left are states in a vehicle and on a person: known where the
/// settings state them, else within the size of a car.
extension NavigationFilter {
    /// Place of the antenna from the IMU, body axes, metres.
    var antennaBody: Vector3 {
        mutating get {
            bodyToAntennaAxes.inverse.rotate(
                Vector3(state.antennaArmMeters.x, state.antennaArmMeters.y, antennaUpMeters))
        }
    }

    /// The same, east, north, up, metres.
    var antennaENU: Vector3 { mutating get { state.vehicleToENU.rotate(antennaBody) } }

    /// From the axes in which the arm is a state to east, north, up. Those of the body, but on a person who has told
    /// nothing: a sensor that is held anyhow has no horizontal axes of its own.
    var antennaAxesToENU: Quaternion { mutating get { state.vehicleToENU * bodyToAntennaAxes.inverse } }

    /// Velocity of the antenna over that of the IMU, east, north, up, m/s.
    var antennaSwingENU: Vector3 {
        mutating get { state.sensorToENU.rotate(state.meanAngularRateSensor).cross(antennaENU) }
    }

    /// The place with its accuracy.
    var antennaArm: AntennaArm {
        mutating get {
            let (x, y) = (covariance[.antennaArm.x, .antennaArm.x], covariance[.antennaArm.y, .antennaArm.y])
            return AntennaArm(
                meters: state.antennaArmMeters, sigmaMeters: SIMD2(max(x, 0).squareRoot(), max(y, 0).squareRoot()))
        }
    }

    /// Adds what one axis of the antenna's place says of attitude, mount and arm. A height says nothing of the arm.
    /// docs/math.md, eq. 5.1.
    ///
    /// - Parameter attitude: what else the observation says of the attitude.
    @inline(__always) mutating func addAntenna(
        _ axis: Int, attitude: Vector3 = .zero, to row: inout ObservationRow
    ) {
        guard profile.traits.findsAntenna || antennaBody != .zero else {
            if attitude != .zero { row.add(.attitude, attitude) }
            return
        }
        // d(Exp(a) C l)/da = -[C l]x, and the mount turns the arm the other way: d(C Exp(-m) l)/dm = C [l]x.
        let axes = state.vehicleToENU.matrix
        row.add(.attitude, attitude - antennaENU.skew.row(axis))
        row.add(.mount, (axes * antennaBody.skew).row(axis))
        guard axis < 2 else { return }
        let arm = antennaAxesToENU.matrix
        row.add(.antennaArm.x, arm[axis, 0])
        row.add(.antennaArm.y, arm[axis, 1])
    }

    /// What the antenna's place says of attitude, mount and arm, on each axis.
    struct AntennaRows {
        var (east, north, up) = (ObservationRow(), ObservationRow(), ObservationRow())

        @inline(__always) subscript(axis: Int) -> ObservationRow { axis == 0 ? east : axis == 1 ? north : up }
    }

    /// What the antenna's place says of attitude, mount and arm now.
    var antennaRows: AntennaRows {
        mutating get {
            var rows = AntennaRows()
            addAntenna(0, to: &rows.east)
            addAntenna(1, to: &rows.north)
            addAntenna(2, to: &rows.up)
            return rows
        }
    }

    /// Variance of a sum of forward and left arm, which is the noise of an observation that says nothing of them.
    mutating func armVariance(forward: Double, left: Double) -> Double {
        guard profile.traits.findsAntenna else { return 0 }
        var row = ObservationRow()
        row.add(.antennaArm.x, forward)
        row.add(.antennaArm.y, left)
        return covariance.variance(of: row)
    }

    /// Mean squares of what the first order in the error of the attitude leaves out of a vector that turns with the
    /// vehicle, as the arm does, on the axes east, north, up.
    /// docs/math.md, eq. 5.33.
    mutating func secondOrderSquares(ofTurned vector: Vector3) -> Vector3 {
        guard vector != .zero else { return .zero }
        let p = vehicleAxesCovariance
        let q = p * vector
        let along = q.dot(vector)
        var (trace, squaredTrace) = (0.0, 0.0)
        for i in 0..<3 {
            trace += p[i, i]
            squaredTrace += p.row(i).dot(p.row(i))
        }
        var squares = Vector3.zero
        for i in 0..<3 {
            let l = vector[i]
            let twiceMean = q[i] - l * trace
            squares[i] =
                0.25 * (twiceMean * twiceMean + q[i] * q[i] + along * p[i, i])
                + l * (0.5 * l * squaredTrace - q.dot(p.row(i)))
        }
        return squares
    }

    /// Covariance of the error of the vehicle's axes, of attitude and mount together, east, north, up, rad2.
    private var vehicleAxesCovariance: Matrix<3, 3> {
        mutating get {
            var (attitude, shared, mount) = (Matrix<3, 3>(), Matrix<3, 3>(), Matrix<3, 3>())
            for i in 0..<3 {
                for j in 0..<3 {
                    attitude[i, j] = covariance[.attitude[i], .attitude[j]]
                    shared[i, j] = covariance[.attitude[i], .mount[j]]
                    mount[i, j] = covariance[.mount[i], .mount[j]]
                }
            }
            let axes = state.vehicleToENU.matrix
            let turned = shared * axes.transposed
            return attitude - turned - turned.transposed + axes * mount * axes.transposed
        }
    }

    /// Couples a position that came from fixes to the place of the antenna: an error of the arm, or of the axes in
    /// which it is known, is one of the IMU's place.
    /// docs/math.md, eq. 5.21.
    ///
    /// - Parameter hasHeight: whether the height came from fixes, too.
    mutating func coupleAntennaArm(hasHeight: Bool = true) { carryAntenna(by: -1, axes: hasHeight ? 3 : 2) }

    /// Carries the errors of attitude, mount and arm into the place, as much as the antenna's place says of them.
    ///
    /// - Parameters:
    ///   - share: 1 makes the place that of the antenna, -1 makes one of the antenna that of the IMU.
    ///   - axes: 2: the height is left as it is.
    private mutating func carryAntenna(by share: Double, axes: Int = 3) {
        let rows = antennaRows
        for axis in 0..<axes {
            for k in 0..<rows[axis].count {
                let (element, value) = rows[axis][k]
                covariance.carry(from: element, to: FilterState.position[axis].index, by: share * value)
            }
        }
    }

    /// Keeps that coupling the one of the corrected attitude, mount and arm. Else a corrected heading looks like a turn
    /// in which the antenna did not swing, and seems to prove that the arm is short.
    /// docs/math.md, eq. 4.18.
    ///
    /// - Parameter before: ``antennaRows`` before the correction.
    mutating func recoupleAntennaArm(since before: AntennaRows) {
        let rows = antennaRows
        for axis in 0..<3 {
            for k in 0..<rows[axis].count {
                let (element, value) = rows[axis][k]
                let change = value - before[axis][k].value
                guard change * change * covariance[element, element] > Tuning.GNSS.leastRecoupling else { continue }
                covariance.carry(from: element, to: FilterState.position[axis].index, by: -change)
            }
        }
    }

    /// Gives up an arm that lies further from what was told or assumed of it than any mistake in that explains: it has
    /// taken the error of something else, like a lag or a slope. The antenna stays where it is; the place of the IMU
    /// takes the arm back, as an announced jump. On a person none is found afterwards, nor faster than anybody runs: in
    /// the time of a lag whoever rides moves by more than any arm.
    /// docs/math.md, eq. 5.32.
    mutating func refuteAntennaArm() {
        guard let untold = profile.traits.antennaSigma else { return }
        let prior = receiver == 0 ? receiverPrior.antenna.first : receiverPrior.antenna.others
        let moved = state.antennaArmMeters - prior.meters
        let longest = Tuning.Antenna.refutedSigmas * untold
        let isRefuted = (moved * moved).sum() > longest * longest
        guard isRefuted || isAntennaRidden else { return }
        let before = state.position
        carryAntenna(by: 1)
        state.move(byENU: antennaAxesToENU.rotate(Vector3(moved.x, moved.y, 0)))
        let given = SIMD2(repeating: Tuning.Antenna.besideSigma)
        restartAntennaArm(
            profile.traits.rollsOnWheels ? prior : AntennaArm(meters: prior.meters, sigmaMeters: given))
        carryAntenna(by: -1)
        if (moved * moved).sum() > Tuning.Antenna.knownSigma * Tuning.Antenna.knownSigma { announceJump(from: before) }
    }

    /// Whether an arm that nobody has told is still searched for on a person who goes faster than anybody runs.
    private var isAntennaRidden: Bool {
        mutating get {
            guard !profile.traits.rollsOnWheels, receiver != 0 || !receiverPrior.isAntennaTold,
                state.velocityENU.horizontalLength > Tuning.Antenna.fastestOnFoot
            else { return false }
            return antennaArm.sigmaMeters.max() > 2 * Tuning.Antenna.besideSigma
        }
    }

    /// Sets the arm to what is assumed of it.
    mutating func restartAntennaArm(_ prior: AntennaArm) {
        state.antennaArmMeters = prior.meters
        restart(.antennaArm.x, variance: prior.sigmaMeters.x * prior.sigmaMeters.x)
        restart(.antennaArm.y, variance: prior.sigmaMeters.y * prior.sigmaMeters.y)
    }
}

extension AntennaArm {
    /// The probability that the antenna is beside the IMU (within 0.03 m, 1-sigma), and not anywhere on the car.
    ///
    /// Both hypotheses are normal distributions about the IMU; what the fixes say of the arm is its estimate without
    /// the prior (Kass and Raftery 1995, "Bayes factors", for two nested models).
    /// docs/math.md, eq. 5.23.
    public var probabilityOfBeside: Double { probabilityOfBeside(untoldSigma: Tuning.Antenna.unknownSigma) }

    /// The same.
    ///
    /// - Parameter untoldSigma: of an antenna that is elsewhere, metres.
    func probabilityOfBeside(untoldSigma: Double) -> Double {
        let wide = untoldSigma * untoldSigma
        let near = Tuning.Antenna.besideSigma * Tuning.Antenna.besideSigma
        var (ratio, exponent) = (1.0, 0.0)
        for axis in 0..<2 {
            let variance = sigmaMeters[axis] * sigmaMeters[axis]
            let seen = variance / max(1 - variance / wide, Tuning.Antenna.leastKnownShare)
            ratio *= (seen + wide) / (seen + near)
            exponent -= 0.5 * meters[axis] * meters[axis] * (1 / (seen + near) - 1 / (seen + wide))
        }
        let odds =
            Tuning.Antenna.besideProbability / (1 - Tuning.Antenna.besideProbability) * ratio.squareRoot()
            * exp(exponent)
        return odds / (1 + odds)
    }

    /// Root mean square on each horizontal axis of the way to the antenna, metres, where no heading tells its
    /// direction, and no motion whether it is beside the IMU.
    /// docs/math.md, eq. 5.34.
    var spread: Double { (((meters * meters).sum() + (sigmaMeters * sigmaMeters).sum()) / 2).squareRoot() }
}
