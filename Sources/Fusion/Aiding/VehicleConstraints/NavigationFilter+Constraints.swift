import PoseMath

/// What the motion itself tells: standing still, wheels that do not slip, a vehicle that does not lean for long.
extension NavigationFilter {
    /// Seconds between two uses of the constraints. The errors of slope and suspension are correlated over about that
    /// long.
    static let constraintSeconds = 0.2

    /// 1-sigma of the velocity of something that stands still (a rocking body), m/s.
    private static let stillVelocitySigma = 0.03
    /// 1-sigma of its rate of turn about the vertical, rad/s.
    private static let stillRotationSigma = 0.002
    /// Gate of the standing still: pulling away gently looks still, and one false stop costs tens of metres.
    private static let stillGate = 3.0
    /// 1-sigma of the sideways velocity of wheels that roll, m/s, before slip.
    private static let lateralSigma = 0.04
    /// What is left of the sideslip beyond what is estimated, radians per m/s2 of sideways acceleration: tyres bend,
    /// roads bank. Cars slip by 0.005.
    private static let sideslipSigma = 0.002
    /// 1-sigma of the velocity out of the road, m/s: suspension and slope change, far from white.
    private static let verticalSigma = 0.15
    /// Growth of that with the speed, rad: the body's angle against the road.
    private static let verticalAngleSigma = 0.04
    /// Speed from which the wheels tell a direction, m/s.
    private static let rollingSpeed = 1.0
    /// 1-sigma of a vehicle's lean over the mean of many roads, radians, at each use.
    private static let levelSigma = 0.15

    /// A stretch at whose end the constraints apply.
    struct ConstraintInterval {
        /// Its length, seconds.
        var seconds: Double
        /// Mean acceleration over it, east, north, up, m/s2.
        var accelerationENU: Vector3
    }

    /// Lets the parameters drift when the constraints are due, a few times a second; `nil` when they are not.
    mutating func beginConstraints() -> ConstraintInterval? {
        let seconds = state.time.seconds(since: lastConstraintTime)
        guard seconds >= Self.constraintSeconds - 1e-6 else { return nil }
        lastConstraintTime = state.time
        let interval = ConstraintInterval(
            seconds: seconds, accelerationENU: (gainedSinceBeginning - gainedAtConstraints) * (1 / seconds))
        gainedAtConstraints = gainedSinceBeginning
        driftParameters(seconds: seconds)
        return interval
    }

    /// Applies what holds now; `still` says whether the body stands.
    /// docs/math.md, eq. 5.15.
    mutating func applyConstraints(
        _ interval: ConstraintInterval, still: Bool, spread: Double, meanAngularRate: Vector3, stepsPerSecond: Double
    ) {
        learnSpread(spread, seconds: interval.seconds)
        doubtTurn(interval)
        if still, isRestCredible(spread: spread), fuseZeroVelocity() {
            fuseZeroRotation(meanAngularRate: meanAngularRate)
        } else if profile == .vehicle {
            fuseNonholonomic(acceleration: interval.accelerationENU)
            fuseLevelVehicle()
        } else {
            fuseSteps(stepsPerSecond, seconds: interval.seconds)
        }
    }

    /// Speed from which the body surely moves, m/s; age of the fix that shows it, seconds.
    private static let movingSpeed = 3.0
    private static let shownSeconds = 1.5
    /// Part of the least spread on the move up to which a body is taken to rest though no fix shows it.
    private static let restingShare = 0.6
    /// How fast the least spread is forgotten, 1/s.
    private static let forgetting = 1.0 / 300

    /// Whether a body that feels still may be taken to stand.
    ///
    /// While fixes come, the velocity tells, through its gate. Without them the velocity soon is too unsure to deny
    /// anything, and a smooth ride would pass for a stop: then only what is clearly quieter than the quietest ride so
    /// far is one. docs/math.md, eq. 5.16.
    private func isRestCredible(spread: Double) -> Bool {
        guard isSeenByReceiver else { return movingSpread.map { spread < Self.restingShare * $0 } ?? true }
        return true
    }

    /// Whether a fix was taken a moment ago.
    var isSeenByReceiver: Bool { lastFixTime.map { state.time.seconds(since: $0) < Self.shownSeconds } ?? false }

    /// Learns how quiet a ride can be.
    private mutating func learnSpread(_ spread: Double, seconds: Double) {
        guard state.velocityENU.lengthSquared > Self.movingSpeed * Self.movingSpeed, isSeenByReceiver else { return }
        movingSpread = min(movingSpread.map { $0 * (1 + seconds * Self.forgetting) } ?? spread, spread)
    }

    private mutating func fuseZeroVelocity() -> Bool {
        guard fuse(.zeroVelocity, zeroVelocityComponent(0), zeroVelocityComponent(1), gate: Self.stillGate) else {
            return false
        }
        return fuse(.zeroVelocity, zeroVelocityComponent(2), gate: Self.stillGate)
    }

    /// One axis of the velocity of what stands: none.
    /// docs/math.md, eq. 5.4.
    func zeroVelocityComponent(_ axis: Int) -> Component {
        var row = ObservationRow()
        row.add(.velocity[axis], 1)
        return Component(
            row: row, innovation: -state.velocityENU[axis], variance: Self.stillVelocitySigma * Self.stillVelocitySigma)
    }

    private mutating func fuseZeroRotation(meanAngularRate: Vector3) {
        let taken = fuse(.zeroRotation, zeroRotationComponent(meanAngularRate: meanAngularRate), gate: Self.stillGate)
        doubtRest(turns: !taken)
    }

    /// The rate of turn of what stands, about the vertical: the gyro's bias.
    /// docs/math.md, eq. 5.5.
    func zeroRotationComponent(meanAngularRate: Vector3) -> Component {
        // Only about the vertical: engine and wind rock the body about the other two.
        let up = state.sensorToENU.inverse.rotate(.unitZ)
        var row = ObservationRow()
        row.add(.gyroBias, up)
        let innovation = up.dot(meanAngularRate - state.gyroBias)
        return Component(row: row, innovation: innovation, variance: Self.stillRotationSigma * Self.stillRotationSigma)
    }

    private mutating func fuseNonholonomic(acceleration: Vector3) {
        guard let components = nonholonomicComponents(acceleration: acceleration) else { return }
        doubtSlip(components.lateral)
        fuse(.nonholonomic, components.lateral, components.vertical, gate: 5)
    }

    /// Velocity of the rolling wheels across and out of the road: none but sideslip and squat; `nil` where the vehicle
    /// is too slow to tell a direction.
    /// docs/math.md, eq. 5.6, eq. 5.7.
    func nonholonomicComponents(acceleration: Vector3) -> (lateral: Component, vertical: Component)? {
        let toVehicle = (state.sensorToVehicle * state.sensorToENU.inverse).matrix
        let v = toVehicle * state.velocityENU
        guard abs(v.x) > Self.rollingSpeed else { return nil }
        let rate = state.sensorToVehicle.rotate(state.angularRateSensor)
        let offset = state.rearAxleOffsetMeters
        // Columns of d v_vehicle / d attitude: C [v]x with C = vehicle from ENU.
        let attitude = toVehicle * state.velocityENU.skew
        let mount = v.skew
        let bounce = Self.verticalSigma + Self.verticalAngleSigma * abs(v.x)
        let drift = v.x * rate.z * v.x
        let lift = (toVehicle * acceleration).x * v.x
        func component(_ axis: Int, _ predicted: Double, _ offsetRate: Double, _ sigma: Double) -> Component {
            var row = ObservationRow()
            row.add(.velocity, toVehicle.row(axis))
            row.add(.attitude, attitude.row(axis))
            row.add(.mount, -mount.row(axis))
            row.add(.rearAxleOffset, offsetRate)
            if axis == 2 { row.add(.squat, lift) } else { row.add(.sideslip, drift) }
            return Component(row: row, innovation: -predicted, variance: sigma * sigma)
        }
        let slip = Self.lateralSigma + Self.sideslipSigma * abs(drift)
        return (
            component(1, v.y + rate.z * offset + state.sideslip * drift, rate.z, slip),
            component(2, v.z - rate.y * offset + state.squat * lift, -rate.y, bounce)
        )
    }

    private mutating func fuseLevelVehicle() { fuse(.levelVehicle, levelVehicleComponent(), gate: 5) }

    /// The vehicle's lean: none in the mean.
    /// docs/math.md, eq. 5.8.
    func levelVehicleComponent() -> Component {
        // Component of the vertical along the vehicle's left axis: zero when it does not lean.
        let up = state.vehicleToENU.inverse.rotate(.unitZ)
        let left = state.vehicleToENU.rotate(.unitY)
        var row = ObservationRow()
        // d(left.z)/d attitude = (unitZ x)-part of -[left]x, i.e. attitude x left, third component.
        row.add(.attitude, Vector3(left.y, -left.x, 0))
        // A mount error m turns the vehicle's axes by -m: left changes by -(C m) x left.
        row.add(.mount, Vector3(-up.z, 0, up.x))
        return Component(row: row, innovation: -left.z, variance: Self.levelSigma * Self.levelSigma)
    }
}
