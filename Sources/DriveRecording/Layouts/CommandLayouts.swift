import Engine
import Fusion
import Geodesy
import Guidance
import PoseMath

/// A command to the engine as it is recorded; routes and road data have layouts of their own.
struct CommandMessage: Sendable {
    /// Kind of command.
    enum Kind: String, Sendable {
        case trimBy = "trim_by"
        case trimTo = "trim_to"
        case reset
        case offerMount = "offer_mount"
        case offerSensors = "offer_sensors"
        case offerRest = "offer_rest"
        case declination
    }

    var time = MonotonicTime(nanoseconds: 0)
    var kind: Kind?
    var angleRadians: Double?
    var mount: MountEstimate?
    /// What an earlier drive has found of sensors and receiver.
    var sensors: SensorPrior?
    /// The pose of the last stop.
    var rest: RestingPose?
    /// The declination; `nil` if it is unknown.
    var declination: Declination?
    /// What a reset keeps; `nil` in recordings of releases that did not record it.
    var past: EnginePast?

    /// The command; `nil` if its values are missing.
    var command: EngineCommand? {
        switch kind {
        case .trimBy: angleRadians.map { .trimHeading(byRadians: $0) }
        case .trimTo: angleRadians.map { .setHeadingTrim(radians: $0) }
        case .reset: .reset(after: past)
        case .offerMount: mount.map { .offerMount($0) }
        case .offerSensors: sensors.map { .offerSensors($0) }
        case .offerRest: rest.map { .offerRest($0) }
        case .declination: declination?.isUsable ?? true ? .setDeclination(declination) : nil
        case nil: nil
        }
    }

    /// The mount in its recorded form; empty without one.
    var mountNumbers: [Double] {
        get { mount?.recorded ?? [] }
        set { if let found = MountEstimate(recorded: newValue, origin: mountOrigin ?? .kept) { mount = found } }
    }

    /// What an earlier drive has found of sensors and receiver, in its recorded form; empty without.
    var sensorNumbers: [Double] {
        get { sensors?.recorded ?? [] }
        set { sensors = SensorPrior(recorded: newValue) }
    }

    /// The pose of the last stop in its recorded form; empty without one.
    var restNumbers: [Double] {
        get { rest?.recorded ?? [] }
        set { rest = RestingPose(recorded: newValue) }
    }

    /// The declination and its sigma, radians; empty while it is unknown.
    var declinationNumbers: [Double] {
        get { declination?.recorded ?? [] }
        set { declination = Declination(recorded: newValue) }
    }

    /// Number of the mount's origin.
    var mountOriginNumber: UInt8? {
        get { mount?.origin.rawValue }
        set {
            mountOrigin = newValue.flatMap(MountEstimate.Origin.init(rawValue:))
            if let mountOrigin { mount?.origin = mountOrigin }
        }
    }

    private var mountOrigin: MountEstimate.Origin?

    init() {}

    /// The command in its recorded form; `nil` for routes and road data.
    init?(_ command: EngineCommand, time: MonotonicTime) {
        self.time = time
        switch command {
        case .trimHeading(let angle): (kind, angleRadians) = (.trimBy, angle)
        case .setHeadingTrim(let angle): (kind, angleRadians) = (.trimTo, angle)
        case .reset(let past): (kind, self.past) = (.reset, past?.value)
        case .offerMount(let mount): (kind, self.mount) = (.offerMount, mount)
        case .offerSensors(let prior): (kind, sensors) = (.offerSensors, prior.value)
        case .offerRest(let pose): (kind, rest) = (.offerRest, pose)
        case .setDeclination(let declination): (kind, self.declination) = (.declination, declination)
        case .setRoute, .setSpeedHorizon: return nil
        }
    }
}

/// An instant without a measurement at which the engine made a frame, or at which the last frame was published again.
struct TickMessage: Sendable {
    var time = MonotonicTime(nanoseconds: 0)
    var isRepetition = false
}

/// The layouts of the engine's inputs that are not measurements.
enum CommandLayouts {
    static let command = MessageLayout<CommandMessage>(
        "Command",
        [
            .time(1, "time_ns", \.time), .word(2, "command", \.kind), .double(3, "angle_rad", \.angleRadians),
            .doubles(4, "mount", \.mountNumbers), .count(5, "mount_origin", \.mountOriginNumber),
            .messages(6, "past", \.pastList, PastLayout.past, EnginePast()),
            .doubles(7, "declination", \.declinationNumbers), .doubles(8, "rest", \.restNumbers),
            .doubles(9, "sensors", \.sensorNumbers),
        ], inner: [PastLayout.past.description])

    static let tick = MessageLayout<TickMessage>(
        "Tick", [.time(1, "time_ns", \.time), .flag(2, "is_repetition", \.isRepetition)])

    /// A limit is absent if unknown, and infinite where the road has none.
    static let roadAhead = MessageLayout<SpeedHorizon>(
        "RoadAhead",
        [
            .time(1, "time_ns", \.time), .double(2, "limit_m_s", \.limit.recorded),
            .code(3, "limit_source", \.limitSource), .flag(4, "has_condition", \.hasCondition),
            .double(5, "next_limit_m_s", \.nextLimit.recorded), .code(6, "next_limit_source", \.nextLimitSource),
            .double(7, "next_limit_distance_m", \.distanceToNextLimitMeters),
            .double(8, "curve_speed_m_s", \.curveSpeedMetersPerSecond),
            .double(9, "curve_distance_m", \.distanceToCurveMeters), .code(10, "path", \.path),
            .double(11, "after_next_limit_m_s", \.afterNextLimit.recorded),
            .code(12, "after_next_limit_source", \.afterNextLimitSource),
            .double(13, "after_next_limit_distance_m", \.distanceToAfterNextLimitMeters),
            .double(14, "progress_m", \.progressMeters), .code(15, "limit_reason", \.limitReason),
            .code(16, "next_limit_reason", \.nextLimitReason),
            .code(17, "after_next_limit_reason", \.afterNextLimitReason),
            .double(18, "utc_offset_s", \.utcOffsetSeconds),
        ])
}

extension SpeedLimit {
    /// The limit as a number: `nil` if unknown, infinite if there is none.
    var recorded: Double? {
        get {
            switch self {
            case .unknown: nil
            case .unlimited: .infinity
            case .metersPerSecond(let value): value
            }
        }
        set { self = newValue.map { $0 == .infinity ? .unlimited : .metersPerSecond($0) } ?? .unknown }
    }
}

extension MountEstimate {
    /// Rotation and sigmas: w, x, y, z, and the sigmas about x, y, z; where it is known, the place of the antenna,
    /// forward and left, and the sigmas of that.
    var recorded: [Double] {
        let (q, sigma) = (sensorToBody, sigmaBodyRadians)
        let turn = [q.w, q.x, q.y, q.z, sigma.x, sigma.y, sigma.z]
        guard let antenna else { return turn }
        return turn + [antenna.meters.x, antenna.meters.y, antenna.sigmaMeters.x, antenna.sigmaMeters.y]
    }

    /// The mount of its recorded form; `nil` for another number of numbers.
    init?(recorded numbers: [Double], origin: Origin) {
        guard numbers.count == 7 || numbers.count == 11 else { return nil }
        self.init(
            sensorToBody: Quaternion(w: numbers[0], x: numbers[1], y: numbers[2], z: numbers[3]),
            sigmaBodyRadians: Vector3(numbers[4], numbers[5], numbers[6]), origin: origin,
            antenna: numbers.count == 7
                ? nil
                : AntennaArm(meters: SIMD2(numbers[7], numbers[8]), sigmaMeters: SIMD2(numbers[9], numbers[10])))
    }
}

extension SensorPrior {
    /// Gyro bias and its sigmas, rad/s; lag of the position and its sigma, lag of the velocity and its sigma, seconds;
    /// scale of the wheels and its sigma, their lag and its sigma; accelerometer bias and its sigmas, m/s2. Zeros where
    /// nothing is known.
    var recorded: [Double] {
        let (bias, sigma) = (gyroBias?.radiansPerSecond ?? .zero, gyroBias?.sigmaRadiansPerSecond ?? .zero)
        let (force, forceSigma) = (
            accelerometerBias?.metersPerSecondSquared ?? .zero, accelerometerBias?.sigmaMetersPerSecondSquared ?? .zero
        )
        return [
            bias.x, bias.y, bias.z, sigma.x, sigma.y, sigma.z, lags?.positionSeconds ?? 0,
            lags?.positionSigmaSeconds ?? 0, lags?.velocitySeconds ?? 0, lags?.velocitySigmaSeconds ?? 0,
            wheels?.scale ?? 0, wheels?.scaleSigma ?? 0, wheels?.lagSeconds ?? 0, wheels?.lagSigmaSeconds ?? 0,
            force.x, force.y, force.z, forceSigma.x, forceSigma.y, forceSigma.z,
        ]
    }

    /// What the recorded form states; `nil` for another number of numbers.
    init?(recorded n: [Double]) {
        guard n.count == 20 else { return nil }
        self.init()
        gyroBias = GyroBias(
            radiansPerSecond: Vector3(n[0], n[1], n[2]), sigmaRadiansPerSecond: Vector3(n[3], n[4], n[5]))
        lags = LagCalibration(
            positionSeconds: n[6], positionSigmaSeconds: n[7], velocitySeconds: n[8], velocitySigmaSeconds: n[9])
        wheels = Wheels(scale: n[10], scaleSigma: n[11], lagSeconds: n[12], lagSigmaSeconds: n[13])
        accelerometerBias = AccelerometerBias(
            metersPerSecondSquared: Vector3(n[14], n[15], n[16]),
            sigmaMetersPerSecondSquared: Vector3(n[17], n[18], n[19]))
        self = valid
    }
}

extension RestingPose {
    /// Latitude, longitude, radians, height, metres, the sigmas of position and height, heading and its sigma, radians,
    /// and the direction of gravity in body axes.
    var recorded: [Double] {
        [
            position.latitudeRadians, position.longitudeRadians, position.altitudeEllipsoidMeters,
            horizontalSigmaMeters, verticalSigmaMeters, headingTrueRadians, headingSigmaRadians, downBody.x, downBody.y,
            downBody.z,
        ]
    }

    /// The pose of its recorded form; `nil` for another number of numbers, and if it is not valid.
    init?(recorded numbers: [Double]) {
        guard numbers.count == 10 else { return nil }
        self.init(
            position: GeodeticPosition(
                latitudeRadians: numbers[0], longitudeRadians: numbers[1], altitudeEllipsoidMeters: numbers[2]),
            horizontalSigmaMeters: numbers[3], verticalSigmaMeters: numbers[4], headingTrueRadians: numbers[5],
            headingSigmaRadians: numbers[6], downBody: Vector3(numbers[7], numbers[8], numbers[9]))
        guard isValid else { return nil }
    }
}

extension Declination {
    /// The angle and its sigma, radians.
    var recorded: [Double] { [radians, sigmaRadians] }

    /// The declination of its recorded form; `nil` for another number of numbers.
    init?(recorded numbers: [Double]) {
        guard numbers.count == 2 else { return nil }
        self.init(radians: numbers[0], sigmaRadians: numbers[1])
    }

    /// Whether it is an angle with a sigma.
    var isUsable: Bool { abs(radians) <= .pi && sigmaRadians > 0 && sigmaRadians <= .pi }
}
