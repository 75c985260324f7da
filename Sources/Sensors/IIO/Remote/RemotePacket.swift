import Measurements
import PoseMath
import SensorInterface

/// What the process that reads a remote context tells the daemon. Pure.
///
/// A packet is a kind and seven words of 64 bits in the machine's byte order; a status is longer, with text behind. The
/// sender has read data of another machine, which may have damaged it: nothing in a packet is trusted.
enum RemotePacket: Equatable, Sendable {
    /// A measurement.
    case event(SensorEvent)
    /// A changed state.
    case report(SensorKind, SourceState)
    /// The status of a source.
    case status(RemoteStatus)
    /// The reading process has ended: its exit code, or 256 plus the signal that killed it.
    case ended(Int)

    private enum Kind: UInt64 {
        case inertial = 1
        case magnetic, pressure, report, status, ended
    }

    /// Size of a packet other than a status, bytes.
    static let plainBytes = 64
    /// Largest size of a packet, bytes.
    static let largestBytes = 16 * 1024

    /// The words of a packet without text.
    typealias Words = InlineArray<8, UInt64>

    /// The packet of a measurement; `nil` for a kind that IIO devices do not have. Does not allocate.
    static func words(_ event: SensorEvent) -> Words? {
        var words = Words(repeating: 0)
        words[1] = UInt64(bitPattern: event.validityTime.nanoseconds)
        switch event {
        case .inertial(let sample):
            words[0] = Kind.inertial.rawValue
            put(sample.angularRateRadiansPerSecond, at: 2, in: &words)
            put(sample.specificForceMetersPerSecondSquared, at: 5, in: &words)
        case .magnetic(let sample):
            words[0] = Kind.magnetic.rawValue
            put(sample.fluxDensityTesla, at: 2, in: &words)
        case .pressure(let sample):
            words[0] = Kind.pressure.rawValue
            words[2] = sample.pressurePascal.bitPattern
        case .gnss, .wheelSpeed: return nil
        }
        return words
    }

    /// The packet of a changed state.
    static func words(_ report: SourceReport) -> Words {
        var words = Words(repeating: 0)
        words[0] = Kind.report.rawValue
        words[1] = UInt64(report.source.rawValue)
        words[2] = UInt64(report.state.rawValue)
        return words
    }

    /// The packet of an end.
    static func words(ended code: Int) -> Words {
        var words = Words(repeating: 0)
        words[0] = Kind.ended.rawValue
        words[1] = UInt64(bitPattern: Int64(code))
        return words
    }

    /// The bytes of a status.
    static func bytes(_ status: RemoteStatus) -> [UInt8] {
        var bytes: [UInt8] = []
        for word in [Kind.status.rawValue] + status.words {
            withUnsafeBytes(of: word) { bytes.append(contentsOf: $0) }
        }
        for text in status.texts { bytes += text ?? [] }
        return bytes
    }

    /// Reads a packet; `nil` if it is none.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.plainBytes else { return nil }
        let word = { (index: Int) in bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self) }
        let kind = Kind(rawValue: word(0))
        guard kind == .status || bytes.count == Self.plainBytes else { return nil }
        let number = { (index: Int) in Double(bitPattern: word(index)) }
        let vector = { (index: Int) in Vector3(number(index), number(index + 1), number(index + 2)) }
        let time = MonotonicTime(nanoseconds: Int64(bitPattern: word(1)))
        switch kind {
        case .inertial:
            self = .event(
                .inertial(
                    InertialSample(
                        time: time, angularRateRadiansPerSecond: vector(2),
                        specificForceMetersPerSecondSquared: vector(5))))
        case .magnetic: self = .event(.magnetic(MagneticSample(time: time, fluxDensityTesla: vector(2))))
        case .pressure: self = .event(.pressure(PressureSample(time: time, pressurePascal: number(2))))
        case .report:
            guard let source = UInt8(exactly: word(1)).flatMap(SensorKind.init), Self.sources.contains(source),
                let state = UInt8(exactly: word(2)).flatMap(SourceState.init)
            else { return nil }
            self = .report(source, state)
        case .status:
            guard let status = RemoteStatus(bytes) else { return nil }
            self = .status(status)
        case .ended: self = .ended(Int(truncatingIfNeeded: Int64(bitPattern: word(1))))
        case nil: return nil
        }
    }

    /// The sources of an IIO context.
    static let sources: [SensorKind] = [.imu, .magnetometer, .barometer]

    private static func put(_ vector: Vector3, at index: Int, in words: inout Words) {
        words[index] = vector.x.bitPattern
        words[index + 1] = vector.y.bitPattern
        words[index + 2] = vector.z.bitPattern
    }
}

/// What changes in the status of a source.
struct RemoteStatus: Equatable, Sendable {
    /// Which source.
    var kind: SensorKind
    /// Its state.
    var state: SourceState
    /// Measurements delivered since the process started.
    var acceptedCount: UInt64 = 0
    /// Rejections since then, in the order of `IIORejection.allCases`.
    var rejections = [UInt64](repeating: 0, count: IIORejection.allCases.count)
    /// Measurements per second.
    var rateHertz: Double?
    /// Temperature of the sensor, degrees Celsius.
    var celsius: Double?
    /// How much faster the clock of the other machine runs, parts per million.
    var clockDrift: Double?
    /// Arrival of the last measurement.
    var lastDataTime: MonotonicTime?
    /// The device.
    var device: String?
    /// The reason for the state.
    var explanation = ""
    /// Why the data are worse than they could be.
    var degradation: String?

    /// Longest text, bytes of UTF-8; the rest is left out.
    static let longestText = 4000
    /// Length of a text that is `nil`.
    private static let noText = UInt64.max
    /// Words before the texts, without the kind of the packet.
    private static let headWords = 7 + IIORejection.allCases.count + 3

    /// The state of a source on the board of the reading process.
    init(_ status: SourceStatus) {
        kind = status.description.kind
        state = status.state
        acceptedCount = status.acceptedCount
        for (i, reason) in IIORejection.allCases.enumerated() {
            rejections[i] = status.rejections.first { $0.reason == reason.rawValue }?.count ?? 0
        }
        rateHertz = status.rateHertz
        celsius = status.celsius
        clockDrift = status.clockDriftPartsPerMillion
        lastDataTime = status.lastDataTime
        device = status.device
        explanation = status.explanation
        degradation = status.degradation
    }

    /// The texts, as bytes.
    var texts: [[UInt8]?] {
        [device, explanation, degradation].map { $0.map { Array($0.utf8.prefix(Self.longestText)) } }
    }

    /// The words before the texts.
    var words: [UInt64] {
        [
            UInt64(kind.rawValue), UInt64(state.rawValue), acceptedCount, (rateHertz ?? .nan).bitPattern,
            (celsius ?? .nan).bitPattern, (clockDrift ?? .nan).bitPattern,
            UInt64(bitPattern: lastDataTime?.nanoseconds ?? .min),
        ] + rejections + texts.map { $0.map { UInt64($0.count) } ?? Self.noText }
    }

    /// Reads a packet; `nil` if it is no status of a source of an IIO context.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 8 * (1 + Self.headWords) else { return nil }
        let word = { (index: Int) in bytes.loadUnaligned(fromByteOffset: 8 * (1 + index), as: UInt64.self) }
        guard let kind = UInt8(exactly: word(0)).flatMap(SensorKind.init), RemotePacket.sources.contains(kind),
            let state = UInt8(exactly: word(1)).flatMap(SourceState.init)
        else { return nil }
        let finite = { (index: Int) -> Double? in
            let value = Double(bitPattern: word(index))
            return value.isFinite ? value : nil
        }
        (self.kind, self.state, acceptedCount) = (kind, state, word(2))
        (rateHertz, celsius, clockDrift) = (finite(3), finite(4), finite(5))
        let time = Int64(bitPattern: word(6))
        lastDataTime = time == .min ? nil : MonotonicTime(nanoseconds: time)
        for i in rejections.indices { rejections[i] = word(7 + i) }
        var rest = bytes[(8 * (1 + Self.headWords))...]
        var texts: [String?] = []
        for index in 0..<3 {
            let count = word(7 + rejections.count + index)
            guard count != Self.noText else {
                texts.append(nil)
                continue
            }
            guard count <= UInt64(rest.count) else { return nil }
            texts.append(String(decoding: rest.prefix(Int(count)), as: UTF8.self))
            rest = rest.dropFirst(Int(count))
        }
        guard rest.isEmpty, let text = texts[1] else { return nil }
        (device, explanation, degradation) = (texts[0], text, texts[2])
    }
}
