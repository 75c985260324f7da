import Measurements
import PoseMath
import SensorInterface

/// Makes wheel speeds of the signals in CAN frames. Pure, no allocation per frame.
struct VehicleSignals: Sendable {
    /// What a signal is for.
    private enum Role: Sendable {
        case speed
        case wheel(Int)
        case reverse
        case steering
        case turnLeft
        case turnRight
    }

    private struct Channel: Sendable {
        var role: Role
        var signal: CANSignal
        var factor: Double
    }

    /// Largest speed of a vehicle, m/s.
    private static let largestSpeed = 150.0
    /// Largest difference of the times of the wheels whose mean is taken, seconds: they may come in two frames.
    private static let apartSeconds = 0.1
    /// Time for which the last direction is taken as valid, seconds: gear selectors are sent at least once per second.
    private static let directionSeconds = 3.0

    private let channels: [Channel]
    private let reverseValue: Double?
    private let wheelCount: Int
    private var wheels = InlineArray<4, Double>(repeating: 0)
    private var wheelTimes = InlineArray<4, MonotonicTime>(repeating: MonotonicTime(nanoseconds: .min))
    private var arrived: UInt8 = 0
    private var reversed: (is: Bool, time: MonotonicTime)?
    /// Number of rejections by reason.
    private(set) var counts = CANCounts()
    /// Angle of the steering wheel in the unit of its signal; `nil` before the first.
    private(set) var steeringAngle: Double?
    /// Whether the left and the right turn signal are on; `nil` before the first.
    private(set) var turnSignals: (left: Bool?, right: Bool?) = (nil, nil)

    init(_ settings: CANSettings) {
        let isPerWheel = settings.speed == nil && settings.diagnostics == .off
        let used = isPerWheel ? settings.usedWheels.map(\.signal) : []
        wheelCount = used.count
        reverseValue = settings.reverseValue.map { Double($0) }
        var roles: [(Role, CANSignal?)] = [
            (.reverse, settings.reverse), (.speed, settings.speed), (.steering, settings.steeringAngle),
            (.turnLeft, settings.turnLeft), (.turnRight, settings.turnRight),
        ]
        roles += used.enumerated().map { (.wheel($0.offset), $0.element) }
        channels = roles.compactMap { role, signal in
            signal.map { Channel(role: role, signal: $0, factor: $0.metersPerSecondPerUnit ?? 1) }
        }
    }

    /// The identifiers of the frames that it needs.
    var filters: [CANFilter] {
        channels.reduce(into: []) { filters, channel in
            let filter = CANFilter(id: channel.signal.id.kernelValue)
            if !filters.contains(filter) { filters.append(filter) }
        }
    }

    /// The frames that it needs, for messages.
    var frameNames: [String] {
        channels.reduce(into: []) { names, channel in
            let name = channel.signal.id.description
            if !names.contains(name) { names.append(name) }
        }
    }

    /// Takes a frame. Returns a wheel speed when the frame completes one.
    mutating func take(id: UInt32, _ data: UnsafeRawBufferPointer, time: MonotonicTime) -> WheelSpeedSample? {
        var sample: WheelSpeedSample?
        for index in channels.indices where channels[index].signal.id.kernelValue == id {
            switch channels[index].signal.read(data) {
            case .value(let value):
                sample = take(channels[index].role, value, channels[index].factor, time) ?? sample
            case .notInFrame: break
            case .shortFrame: counts.add(.shortFrame)
            case .notAvailable: counts.add(.notAvailable)
            case .outOfRange: counts.add(.outOfRange)
            }
        }
        return sample
    }

    /// The wheel speed of a speed in m/s that another protocol stated.
    mutating func take(speed: Double, time: MonotonicTime) -> WheelSpeedSample? { signed(speed, time) }

    private mutating func take(
        _ role: Role, _ value: Double, _ factor: Double, _ time: MonotonicTime
    ) -> WheelSpeedSample? {
        switch role {
        case .speed: return signed(value * factor, time)
        case .wheel(let index): return takeWheel(index, value * factor, time)
        case .reverse: reversed = (reverseValue.map { $0 == value } ?? (value != 0), time)
        case .steering: steeringAngle = value
        case .turnLeft: turnSignals.left = value != 0
        case .turnRight: turnSignals.right = value != 0
        }
        return nil
    }

    /// The mean of the wheels when each of them has a new speed.
    private mutating func takeWheel(_ index: Int, _ speed: Double, _ time: MonotonicTime) -> WheelSpeedSample? {
        let bit: UInt8 = 1 << UInt8(index)
        // The same wheel again: the others are missing.
        if arrived & bit != 0 {
            counts.add(.wheelsApart)
            arrived = 0
        }
        (wheels[index], wheelTimes[index]) = (speed, time)
        arrived |= bit
        guard arrived == (1 << UInt8(wheelCount)) - 1 else { return nil }
        arrived = 0
        var (sum, seconds, farthest) = (0.0, 0.0, 0.0)
        for wheel in 0..<wheelCount {
            let age = time.seconds(since: wheelTimes[wheel])
            sum += wheels[wheel]
            seconds += age
            farthest = max(farthest, age.magnitude)
        }
        guard farthest <= Self.apartSeconds else {
            counts.add(.wheelsApart)
            return nil
        }
        let count = Double(wheelCount)
        return signed(sum / count, time.advanced(bySeconds: -seconds / count))
    }

    private mutating func signed(_ speed: Double, _ time: MonotonicTime) -> WheelSpeedSample? {
        guard abs(speed) <= Self.largestSpeed else {
            counts.add(.outOfRange)
            return nil
        }
        let isReversed = reversed.map { $0.is && time.seconds(since: $0.time) <= Self.directionSeconds } ?? false
        return WheelSpeedSample(time: time, speedMetersPerSecond: isReversed ? -abs(speed) : speed)
    }

    /// Forgets what came before the bus was away: the wheels of an unfinished mean, and what is only shown.
    mutating func beginAnew() {
        arrived = 0
        steeringAngle = nil
        turnSignals = (nil, nil)
    }

    /// Adds to the count of a reason.
    mutating func count(_ reason: CANRejection, _ number: UInt64 = 1) { counts.add(reason, number) }

    /// Adds to the count of a refused time stamp.
    mutating func count(_ refusal: TimeStampRefusal, _ number: UInt64) { counts.add(refusal, number) }
}
