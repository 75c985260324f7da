import Calibration
import Measurements
import Platform
import PoseMath
import SensorInterface
import Synchronization

/// The output of all device threads: measurements to the sink, states to the sink and the status board.
final class IIOOutput: Sendable {
    /// The last status of one role from its device's thread.
    private struct Role: Sendable {
        var state = SourceState.absent
        var explanation = "not started"
        var degradation: String?
        var rejections = InlineArray<8, UInt64>(repeating: 0)
        var accepted: UInt64 = 0
        var rateHertz: Double?
        var celsius: Double?
        var clockDrift: Double?
        var lastDataTime: MonotonicTime?
        var device: String?
    }

    private struct State: Sendable {
        var roles: [Role] = Array(repeating: Role(), count: 4)
        var reported: [SensorKind: SourceState] = [:]
    }

    private let sink: any EventSink
    private let board: SourceStatusBoard
    private let entries: [SensorKind: Int]
    /// The mount matrix that the settings give for each role, in the order of ``IIORoles/each``.
    private let mountOverrides: [String?]
    private let settings: IIOSettings
    private let state = Mutex(State())
    private let pairing = Mutex(InertialPairing())
    private let gravity = Mutex(GravityCheck())
    private let isClosed = Atomic<Bool>(false)

    /// Creates an output and registers the wanted sources on the board.
    init(settings: IIOSettings, sink: any EventSink, board: SourceStatusBoard) {
        self.sink = sink
        self.board = board
        entries = Self.register(settings, on: board)
        mountOverrides = IIORoles.each.map { settings.sensor($0).mountMatrixOverride }
        self.settings = settings
    }

    /// Registers the wanted sources on the board. Returns their entries.
    static func register(_ settings: IIOSettings, on board: SourceStatusBoard) -> [SensorKind: Int] {
        var entries: [SensorKind: Int] = [:]
        let sources: [(String, SensorKind, Bool)] = [
            ("imu", .imu, settings.gyro.device != .off || settings.accelerometer.device != .off),
            ("magnetometer", .magnetometer, settings.magnetometer.device != .off),
            ("barometer", .barometer, settings.barometer.device != .off),
        ]
        let place = settings.isLocal ? "IIO of this machine" : "IIO at \(settings.contextURI)"
        for (name, kind, isWanted) in sources where isWanted {
            entries[kind] = board.register(SourceDescription(name: name, kind: kind, place: place))
        }
        return entries
    }

    /// Stops all further output.
    func close() { isClosed.store(true, ordering: .releasing) }

    /// Sends one measurement. Does not allocate.
    func send(_ event: SensorEvent) {
        guard !isClosed.load(ordering: .acquiring) else { return }
        if case .inertial(let sample) = event { gravity.withLock { $0.add(sample) } }
        sink.send(event)
    }

    /// Why the accelerometer's scale is wrong; `nil` while nothing contradicts it.
    private var scaleProblem: String? {
        gravity.withLock { check in
            guard check.isContradicted, let force = check.restingForce else { return nil }
            return "the accelerometer measures \(IIOText.short((force * 100).rounded() / 100)) m/s2 at rest instead of "
                + "\(IIOText.short((InertialSample.standardGravity * 100).rounded() / 100)): its scale is wrong; set "
                + "imu.accelerometer_scale"
        }
    }

    /// Adds a gyro reading from a device without accelerometer. Returns how many inertial samples it completed.
    @discardableResult
    func pair(gyro sample: AxisSample) -> UInt64 {
        pairing.withLock { pairing in
            pairing.ingest(gyro: sample)
            return drain(&pairing)
        }
    }

    /// Adds an accelerometer reading from a device without gyro. Returns how many inertial samples it completed.
    @discardableResult
    func pair(accelerometer sample: AxisSample) -> UInt64 {
        pairing.withLock { pairing in
            pairing.ingest(accelerometer: sample)
            return drain(&pairing)
        }
    }

    private func drain(_ pairing: inout InertialPairing) -> UInt64 {
        var count: UInt64 = 0
        while let sample = pairing.next() {
            send(.inertial(sample))
            count += 1
        }
        return count
    }

    /// Sets the state of the roles of one device.
    func set(_ roles: IIORoles, _ newState: SourceState, _ explanation: String, degradation: String? = nil) {
        state.withLock { state in
            for (i, role) in IIORoles.each.enumerated() where roles.contains(role) {
                state.roles[i].state = newState
                state.roles[i].explanation = explanation
                state.roles[i].degradation = degradation
                if newState != .streaming, newState != .stale { state.roles[i].rateHertz = nil }
            }
            publish(&state)
        }
    }

    /// Sets the device that serves the roles. The device identity includes the mount matrix of the settings, because
    /// saved calibration values refer to the rotated axes.
    func set(device: IIODevice, for roles: IIORoles) {
        let name = device.identity
        state.withLock { state in
            for (i, role) in IIORoles.each.enumerated() where roles.contains(role) {
                state.roles[i].device = IIODevice.identity(name, turnedBy: mountOverrides[i])
                noteCorrection(settings.correction(role, deviceIdentity: name), of: role)
            }
        }
    }

    /// Shows the correction that a sensor has.
    private func noteCorrection(_ correction: SensorCorrection?, of role: IIORoles) {
        guard let entry = entries[role.sensorKind] else { return }
        board.update(entry) { status in
            switch role {
            case .gyro: status.corrections.gyro = correction
            case .accelerometer: status.corrections.accelerometer = correction
            case .magnetometer: status.corrections.magnetometer = correction
            default: break
            }
        }
    }

    /// Adds the counts of a device's thread since the last call. Called at most a few times per second.
    func add(_ tally: IIOTally, to roles: IIORoles) {
        state.withLock { state in
            for (i, role) in IIORoles.each.enumerated() where roles.contains(role) {
                let sensor = tally.sensors[i]
                for reason in IIORejection.allCases.indices {
                    state.roles[i].rejections[reason] += sensor.rejections[reason]
                }
                state.roles[i].accepted += sensor.accepted
                state.roles[i].rateHertz = sensor.rateShare > 0 ? tally.rateHertz.map { $0 * sensor.rateShare } : nil
                state.roles[i].clockDrift = tally.clockDrift
                state.roles[i].celsius = tally.celsius ?? state.roles[i].celsius
                if let time = tally.lastDataTime { state.roles[i].lastDataTime = time }
            }
            publish(&state)
        }
    }
}

/// The counts of one device's thread since its last report.
struct IIOTally: Sendable {
    /// The counts of one role.
    struct Sensor: Sendable {
        /// Rejections, in the order of `IIORejection.allCases`.
        var rejections = InlineArray<8, UInt64>(repeating: 0)
        /// Measurements delivered, without those that ``IIOOutput`` pairs.
        var accepted: UInt64 = 0
        /// Share of the samples that were measurements of it, 0 to 1.
        var rateShare = 1.0
    }

    /// In the order of ``IIORoles/each``.
    var sensors = InlineArray<4, Sensor>(repeating: Sensor())
    /// Samples per second since the last report; `nil` while there are none.
    var rateHertz: Double?
    /// Temperature of the device, degrees Celsius; `nil` while it is unknown.
    var celsius: Double?
    /// How much faster the clock of its time stamps runs than that of this machine, parts per million.
    var clockDrift: Double?
    /// Arrival time of the last sample.
    var lastDataTime: MonotonicTime?

    /// Counts rejections of the sensor at a place of ``IIORoles/each``.
    mutating func count(_ number: UInt64, _ reason: IIORejection, _ slot: Int) {
        guard number > 0, let index = IIORejection.allCases.firstIndex(of: reason) else { return }
        sensors[slot].rejections[index] += number
    }

    /// Counts what a sensor's check has rejected since its earlier state.
    mutating func countRejections(of check: SampleCheck, since earlier: SampleCheck, _ slot: Int) {
        count(check.notFinite - earlier.notFinite, .notFinite, slot)
        count(check.outOfRange - earlier.outOfRange, .outOfRange, slot)
        count(check.stuck - earlier.stuck, .stuck, slot)
    }
}

extension IIOOutput {
    /// Writes the sources' entries on the board and reports changed states. The inertial source has the worse state of
    /// its two sensors.
    private func publish(_ state: inout State) {
        for (kind, entry) in entries {
            let roles = IIORoles.each.indices.filter { IIORoles.each[$0].sensorKind == kind }.map { state.roles[$0] }
            let worst = roles.max { Self.severity($0.state) < Self.severity($1.state) } ?? Role()
            var counts = InlineArray<8, UInt64>(repeating: 0)
            for role in roles { for i in counts.indices { counts[i] += role.rejections[i] } }
            let pairs = kind == .imu ? pairing.withLock { $0.counts } : PairingCounts()
            Self.add(pairs, to: &counts)
            let explanations =
                roles.first.map { first in roles.allSatisfy { $0.explanation == first.explanation } } == true
            let text =
                explanations
                ? worst.explanation
                : roles.filter { $0.state == worst.state }.map(\.explanation).joined(separator: "; ")
            let rejections = IIORejection.allCases.enumerated().filter { counts[$0.offset] > 0 }
                .map { RejectionCount(reason: $0.element.rawValue, count: counts[$0.offset]) }
            let devices = roles.compactMap(\.device)
            let scaleProblem = kind == .imu ? scaleProblem : nil
            board.update(entry) { status in
                // Gyro and accelerometer may be two devices.
                status.device = devices.count == roles.count ? Self.joined(devices) : nil
                status.state = worst.state
                status.explanation = text
                let degradation = roles.lazy.compactMap(\.degradation).first ?? scaleProblem
                status.degradation = worst.state == .streaming ? degradation : nil
                status.acceptedCount = (roles.map(\.accepted).max() ?? 0) + pairs.paired + pairs.held
                status.rejections = rejections
                status.rateHertz = roles.compactMap(\.rateHertz).min()
                // Of the IMU, that of the gyro: its bias depends on it.
                status.celsius = roles.first?.celsius
                status.clockDriftPartsPerMillion = roles.first?.clockDrift
                status.lastDataTime = roles.compactMap(\.lastDataTime).max()
            }
            guard state.reported[kind] != worst.state, !isClosed.load(ordering: .acquiring) else { continue }
            state.reported[kind] = worst.state
            sink.send(SourceReport(time: SystemClock.monotonicNow, source: kind, state: worst.state))
        }
    }

    private static func joined(_ devices: [String]) -> String {
        devices.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }.joined(separator: " and ")
    }

    private static func add(_ pairing: PairingCounts, to counts: inout InlineArray<8, UInt64>) {
        for (i, reason) in IIORejection.allCases.enumerated() {
            switch reason {
            case .withoutAcceleration: counts[i] += pairing.withoutAcceleration
            case .queueFull: counts[i] += pairing.overflowed
            case .timeNotIncreasing: counts[i] += pairing.disordered
            default: break
            }
        }
    }

    /// Order of states from best to worst, for a source with two sensors.
    private static func severity(_ state: SourceState) -> Int {
        switch state {
        case .streaming: 0
        case .waiting: 1
        case .stale: 2
        case .opening: 3
        case .lost: 4
        case .absent: 5
        }
    }
}
