import Measurements
import SensorInterface

/// The sensors that a device must provide.
struct IIORoles: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    static let gyro = IIORoles(rawValue: 1)
    static let accelerometer = IIORoles(rawValue: 2)
    static let magnetometer = IIORoles(rawValue: 4)
    static let barometer = IIORoles(rawValue: 8)
    static let inertial: IIORoles = [.gyro, .accelerometer]
    static let each: [IIORoles] = [.gyro, .accelerometer, .magnetometer, .barometer]

    /// The quantity of a single role.
    var channelKind: IIOChannelKind {
        switch self {
        case .gyro: .gyro
        case .accelerometer: .accelerometer
        case .magnetometer: .magnetometer
        case .barometer: .barometer
        default: .other
        }
    }

    /// The source of a single role.
    var sensorKind: SensorKind {
        switch self {
        case .magnetometer: .magnetometer
        case .barometer: .barometer
        default: .imu
        }
    }

    /// Name for messages.
    var name: String {
        let names = Self.each.filter { contains($0) }.map { role in
            switch role {
            case .gyro: "gyro"
            case .accelerometer: "accelerometer"
            case .magnetometer: "magnetometer"
            default: "barometer"
            }
        }
        return names.joined(separator: " and ")
    }
}

extension IIOSettings {
    /// The settings of a single role.
    func sensor(_ role: IIORoles) -> IIOSensorSettings {
        switch role {
        case .gyro: gyro
        case .accelerometer: accelerometer
        case .magnetometer: magnetometer
        default: barometer
        }
    }
}

/// The assignment of devices to roles. Pure: devices and settings in, plan out.
struct IIOPlan: Equatable, Sendable {
    /// One device and its roles.
    struct Assignment: Hashable, Sendable {
        /// The device.
        var device: IIODevice
        /// The roles it serves.
        var roles: IIORoles
        /// Whether all roles use the buffer; otherwise each reading is a separate request.
        var isBuffered: Bool
    }

    /// A role without a device, with the reason and the remedy.
    struct Gap: Hashable, Sendable {
        /// The role.
        var role: IIORoles
        /// The reason and the remedy.
        var explanation: String
        /// Whether the role is wanted; false if the settings turn it off.
        var isWanted: Bool
    }

    /// One entry for each device in use.
    private(set) var assignments: [Assignment] = []
    /// The roles without a device.
    private(set) var gaps: [Gap] = []

    /// Selects devices of a context for the roles.
    init(devices: [IIODevice], settings: IIOSettings) {
        var chosen: [(role: IIORoles, device: IIODevice)] = []
        let candidates = IIORoles.each.map { role in Self.candidates(role, devices, settings) }
        let (gyro, accelerometer) = Self.inertialPair(candidates[0], candidates[1])
        if let gyro { chosen.append((.gyro, gyro)) }
        if let accelerometer { chosen.append((.accelerometer, accelerometer)) }
        for (index, role) in [(2, IIORoles.magnetometer), (3, .barometer)] {
            let sameDevice = candidates[index].first { device in
                chosen.contains { $0.device.id == device.id } && device.isBuffered(role.channelKind)
            }
            if let device = sameDevice ?? candidates[index].first { chosen.append((role, device)) }
        }
        for role in IIORoles.each where !chosen.contains(where: { $0.role == role }) {
            gaps.append(Self.gap(role, devices, settings))
        }
        for (role, device) in chosen { add(role, device) }
    }

    /// A device's buffer serves all its roles together; roles without a buffer get their own assignment.
    private mutating func add(_ role: IIORoles, _ device: IIODevice) {
        let buffered = device.isBuffered(role.channelKind)
        if let index = assignments.firstIndex(where: { $0.device.id == device.id && $0.isBuffered == buffered }) {
            assignments[index].roles.insert(role)
        } else {
            assignments.append(Assignment(device: device, roles: role, isBuffered: buffered))
        }
    }

    /// The devices that match a role's selector and can serve it, buffered ones first, in the context's order.
    private static func candidates(_ role: IIORoles, _ devices: [IIODevice], _ settings: IIOSettings) -> [IIODevice] {
        let suitable = devices.filter { $0.serves(role.channelKind) && matches(settings.sensor(role).device, $0) }
        return suitable.filter { $0.isBuffered(role.channelKind) }
            + suitable.filter { !$0.isBuffered(role.channelKind) }
    }

    private static func matches(_ selector: IIODeviceSelector, _ device: IIODevice) -> Bool {
        switch selector {
        case .automatic: true
        case .off: false
        case .name(let name): device.name == name
        case .label(let label): device.label == label
        case .serial(let serial): device.serial == serial
        case .id(let id): device.id == id
        }
    }

    /// One device with both sensors in its buffer is best; otherwise the two devices with the most similar labels and
    /// names.
    private static func inertialPair(_ gyros: [IIODevice], _ accelerometers: [IIODevice]) -> (IIODevice?, IIODevice?) {
        var best: (Int, IIODevice, IIODevice)?
        for gyro in gyros {
            for accelerometer in accelerometers {
                var score = commonPrefix(gyro.name, accelerometer.name)
                if let a = gyro.label, let b = accelerometer.label { score += 4 * commonPrefix(a, b) }
                if gyro.isBuffered(.gyro) { score += 1000 }
                if accelerometer.isBuffered(.accelerometer) { score += 1000 }
                if gyro.id == accelerometer.id { score += 500 }
                if score > best?.0 ?? -1 { best = (score, gyro, accelerometer) }
            }
        }
        if let best { return (best.1, best.2) }
        return (gyros.first, accelerometers.first)
    }

    private static func commonPrefix(_ a: String, _ b: String) -> Int { zip(a.utf8, b.utf8).prefix { $0 == $1 }.count }

    private static func gap(_ role: IIORoles, _ devices: [IIODevice], _ settings: IIOSettings) -> Gap {
        let selector = settings.sensor(role).device
        let place = settings.contextURI
        if selector == .off { return Gap(role: role, explanation: "turned off in the settings", isWanted: false) }
        let titles = devices.map(\.title).joined(separator: ", ")
        let found =
            titles.isEmpty ? "\(place) has no devices: check that the driver is loaded" : "\(place) has \(titles)"
        if selector == .automatic {
            return Gap(role: role, explanation: "no IIO device with \(article(role)); \(found)", isWanted: true)
        }
        if let device = devices.first(where: { matches(selector, $0) }) {
            return Gap(
                role: role,
                explanation: "IIO device \(device.title) has no \(role.name); choose another in the settings",
                isWanted: true)
        }
        return Gap(
            role: role, explanation: "no IIO device matches '\(selector)' for the \(role.name); \(found)",
            isWanted: true
        )
    }

    private static func article(_ role: IIORoles) -> String {
        role == .accelerometer ? "an accelerometer" : "a \(role.name)"
    }
}

extension IIOPlan {
    /// What is to be done beside devices that are in use.
    struct Step: Equatable, Sendable {
        /// The devices to start.
        var starts: [Assignment] = []
        /// The devices in use that end first.
        var ends: [Assignment] = []
    }

    /// The next step towards the plan. A device in use keeps its roles, and new roles for it wait until it is opened
    /// again; a device that comes later gets those that no other one serves. Only a gyro or an accelerometer that is
    /// alone gives way to a pair: without the other one it is of no use, and the axes of two chips may differ.
    func step(beside running: [Assignment]) -> Step {
        let served = running.reduce(into: IIORoles()) { $0.insert($1.roles) }
        var step = Step()
        step.ends = running.filter { givesWay($0, served) }
        let leaving = step.ends.reduce(into: IIORoles()) { $0.insert($1.roles) }
        for planned in assignments where planned.roles.isDisjoint(with: leaving) {
            let isInUse = running.contains { $0.isBuffered && $0.device.id == planned.device.id }
            var start = planned
            start.roles.subtract(served)
            if !start.roles.isEmpty, !(planned.isBuffered && isInUse) { step.starts.append(start) }
        }
        return step
    }

    /// Whether a device in use has the only inertial sensor that is served, and the plan has a pair without that one.
    private func givesWay(_ used: Assignment, _ served: IIORoles) -> Bool {
        let alone = used.roles.intersection(.inertial)
        guard !alone.isEmpty, alone != .inertial, served.intersection(.inertial) == alone,
            assignments.reduce(into: IIORoles(), { $0.insert($1.roles) }).isSuperset(of: .inertial)
        else { return false }
        return !assignments.contains { !$0.roles.isDisjoint(with: alone) && $0.device.id == used.device.id }
    }
}
