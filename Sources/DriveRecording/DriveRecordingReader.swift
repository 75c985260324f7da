import Engine
import Guidance
import MCAP
import Measurements
import PoseMath

/// Reads the entries of one file of a recording in their order, in bounded memory. Channels that posed does not know
/// are skipped.
package struct DriveRecordingReader: ~Copyable {
    private var file: MCAPReader
    private var topics: [UInt16: Topic] = [:]
    private var info: RecordingInfo?
    private var numbers = NumberExtension()

    /// Opens a file.
    package init(path: String) throws(MCAPProblem) { file = try MCAPReader(path: path) }

    /// Reads from memory; `path` is used in messages.
    package init(bytes: [UInt8], path: String) { file = MCAPReader(bytes: bytes, path: path) }

    /// Whether a file starts as a recording.
    package static func isRecording(path: String) -> Bool { MCAPReader.isMCAP(path: path) }

    /// Path of the file, for messages.
    package var path: String { file.path }
    /// How the file ended; `nil` before its end.
    package var end: MCAPEnd? { file.end }
    /// Bytes that were read so far.
    package var offset: Int { file.offset }
    /// Bytes of the file.
    package var size: Int { file.size }

    /// The next entry; `nil` at the end.
    package mutating func next() throws(MCAPProblem) -> RecordedEntry? {
        while let record = try file.next() {
            do throws(LayoutFault) {
                if let entry = try entry(record) { return entry }
            } catch {
                let damaged = "the file is damaged or of another program; use another copy or a newer release"
                throw MCAPProblem(
                    path: file.path, offset: file.offset, problem: error.problem, remedy: error.remedy ?? damaged)
            }
        }
        return nil
    }

    private mutating func entry(_ record: MCAPRecord) throws(LayoutFault) -> RecordedEntry? {
        switch record {
        case .header, .schema: return nil
        case .channel(let channel):
            try note(channel)
            return nil
        case .message(let message):
            guard let topic = topics[message.channel] else { return nil }
            return try entry(topic, message)
        case .attachment(let attachment):
            guard attachment.name == MetadataName.settingsFile else { return nil }
            var settings = RecordedSettings()
            settings.file = attachment.data
            return .settings(settings)
        case .metadata(let metadata): return try entry(metadata)
        }
    }

    private mutating func note(_ channel: MCAPChannel) throws(LayoutFault) {
        topics[channel.id] = nil
        guard let topic = Topic(rawValue: channel.topic) else { return }
        guard channel.encoding == topic.messageEncoding else {
            // Other programs have channels of the general names, too, such as /tf and /log.
            guard channel.topic.hasPrefix("/posed/") else { return }
            throw LayoutFault(
                problem: "\(channel.topic) is encoded as \(channel.encoding.prefix(32)), not \(topic.messageEncoding)")
        }
        topics[channel.id] = topic
    }

    private mutating func entry(_ metadata: MCAPMetadata) throws(LayoutFault) -> RecordedEntry? {
        switch metadata.name {
        case MetadataName.info:
            let info = try RecordingInfo(values: metadata.values)
            self.info = info
            return .info(info)
        case MetadataName.roads:
            return .roads(
                RoadFileIdentity(path: metadata.values["path"] ?? "", content: metadata.values["content"] ?? ""))
        case MetadataName.options:
            var settings = RecordedSettings()
            settings.options = metadata.values.sorted { $0.key < $1.key }.map {
                RecordedSettings.Option(path: String($0.key.drop { $0 != " " }.dropFirst()), value: $0.value)
            }
            return .settings(settings)
        default: return nil
        }
    }

    // MARK: - Messages

    private mutating func entry(_ topic: Topic, _ message: MCAPMessage) throws(LayoutFault) -> RecordedEntry? {
        switch topic {
        case .frame: return .frame(line: message.data, number: message.sequence)
        case .event: return .event(line: message.data, time: monotonic(message.logTime))
        case .published:
            return .publications(try decode(message, PublicationsMessage(), PublicationsMessage.layout).publications())
        case .log: return .log(try logLine(message))
        case .locationFix, .track, .pose, .transform: return nil
        default: break
        }
        let number = numbers.number(of: message.sequence)
        return .input(try input(topic, message), number: number)
    }

    private func input(_ topic: Topic, _ message: MCAPMessage) throws(LayoutFault) -> EngineInput {
        let zero = MonotonicTime(nanoseconds: 0)
        switch topic {
        case .imu:
            if let sample = InertialSample(recorded: message.data) { return .event(.inertial(sample)) }
            let start = InertialSample(
                time: zero, angularRateRadiansPerSecond: .zero, specificForceMetersPerSecondSquared: .zero)
            return .event(.inertial(try decode(message, start, MeasurementLayouts.inertial)))
        case .magnetometer:
            let start = MagneticSample(time: zero, fluxDensityTesla: .zero)
            return .event(.magnetic(try decode(message, start, MeasurementLayouts.magnetic)))
        case .barometer:
            let start = PressureSample(time: zero, pressurePascal: 0)
            return .event(.pressure(try decode(message, start, MeasurementLayouts.pressure)))
        case .wheelSpeed:
            let start = WheelSpeedSample(time: zero, speedMetersPerSecond: 0)
            return .event(.wheelSpeed(try decode(message, start, MeasurementLayouts.wheelSpeed)))
        case .fix:
            let start = GnssFix(validityTime: zero, arrivalTime: zero, mode: .none)
            return .event(.gnss(try decode(message, start, MeasurementLayouts.fix)))
        case .source:
            let start = SourceReport(time: zero, source: .gps, state: .absent)
            return .report(try decode(message, start, MeasurementLayouts.report))
        default: return try otherInput(topic, message)
        }
    }

    private func otherInput(_ topic: Topic, _ message: MCAPMessage) throws(LayoutFault) -> EngineInput {
        switch topic {
        case .tick:
            let tick = try decode(message, TickMessage(), CommandLayouts.tick)
            return tick.isRepetition ? .repetition(tick.time) : .tick(tick.time)
        case .route:
            let route = try decode(message, RouteMessage(), RouteLayout.route)
            return .command(.setRoute(try route.route(), version: route.version))
        case .roadAhead:
            let start = SpeedHorizon(time: MonotonicTime(nanoseconds: 0))
            return .command(.setSpeedHorizon(try decode(message, start, CommandLayouts.roadAhead)))
        default:
            guard let command = try decode(message, CommandMessage(), CommandLayouts.command).command else {
                throw LayoutFault(problem: "a command is incomplete")
            }
            return .command(command)
        }
    }

    private func decode<Value>(_ message: MCAPMessage, _ start: Value, _ layout: MessageLayout<Value>)
        throws(LayoutFault) -> Value
    {
        var value = start
        try layout.decode(message.data, into: &value)
        return value
    }

    private func logLine(_ message: MCAPMessage) throws(LayoutFault) -> RecordedLogLine {
        var line = RecordedLogLine(time: monotonic(message.logTime), level: .unknown, text: "")
        var reader = ProtobufReader(message.data)
        while let (number, value) = try reader.next() {
            switch (number, value) {
            case (2, .varint(let level)):
                line.level = UInt8(exactly: level).flatMap(RecordedLogLine.Level.init(rawValue:)) ?? .unknown
            case (3, .bytes(let text)): line.text = String(decoding: text, as: UTF8.self)
            default: break
            }
        }
        return line
    }

    /// The monotonic time of a message: its time in the file minus the offset of the clocks.
    private func monotonic(_ logTime: UInt64) -> MonotonicTime {
        let (time, overflow) = Int64(clamping: logTime).subtractingReportingOverflow(info?.clockOffsetNanoseconds ?? 0)
        return MonotonicTime(nanoseconds: overflow ? 0 : time)
    }
}

/// Restores the numbers of inputs from their lower 32 bits.
struct NumberExtension {
    private var last: UInt64 = 0

    /// The number that is next to the last one; 0 for 0.
    mutating func number(of sequence: UInt32) -> UInt64 {
        guard sequence != 0 else { return 0 }
        let lap = UInt64(UInt32.max)
        var number = last / lap &* lap &+ UInt64(sequence)
        if number &+ lap / 2 < last { number &+= lap }
        last = number
        return number
    }
}
