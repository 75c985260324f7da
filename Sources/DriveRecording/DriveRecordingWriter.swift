import Engine
import Frames
import Fusion
import Geodesy
import Guidance
import MCAP
import Measurements
import PoseMath

/// Makes the bytes of one file of a recording. The caller appends ``takeBytes()`` to the file.
///
/// The caller writes inputs first, then frames, then the publications that belong to them.
package struct DriveRecordingWriter: ~Copyable {
    private var file: MCAPWriter
    private let info: RecordingInfo
    private var channels: [Topic: UInt16] = [:]
    private var schemas: [String: UInt16] = [:]
    private var fields = ProtobufWriter()
    private var encoder = JSONFrameEncoder()
    private var lines = JSONWriter(capacity: 1024)
    /// Where positions are moved to; `nil` if they are recorded as they are.
    private let privatePlace: GeodeticPosition?
    private var shift: PlaceShift?
    /// Time of the newest input: commands have no time of their own.
    private var latest = MonotonicTime(nanoseconds: 0)

    /// Version of the layouts. Readers refuse a later one.
    static let formatVersion = 1

    /// Starts a file with the facts and settings.
    ///
    /// - Parameters:
    ///   - privatePlace: a random position. All positions are moved so that the first one lies there; texts that tell
    ///     the place are left out. `nil` records positions as they are.
    ///   - shiftingFrom: the true position that lies at that place, if an earlier part determined it.
    package init(
        info: RecordingInfo, settings: RecordedSettings, privatePlace: GeodeticPosition? = nil,
        shiftingFrom anchor: GeodeticPosition? = nil, limits: MCAPWriter.Limits = MCAPWriter.Limits()
    ) {
        self.info = info
        self.privatePlace = privatePlace
        file = MCAPWriter(profile: "posed", library: "posed \(info.release)", limits: limits)
        if let privatePlace, let anchor { shift = PlaceShift(from: anchor, to: privatePlace) }
        file.add(MCAPMetadata(name: MetadataName.info, values: info.values))
        write(settings)
    }

    /// The true position that lies at the private place; `nil` before the first position, and without one.
    package private(set) var anchor: GeodeticPosition?

    /// Bytes of the file so far, without the open chunk.
    package var size: Int { file.size }

    /// The bytes since the last call.
    package mutating func takeBytes() -> [UInt8] { file.takeBytes() }

    /// Finishes the open chunk, so that ``takeBytes()`` contains everything written so far.
    package mutating func finishChunk() { file.finishChunk() }

    /// Ends the file. Nothing may be written afterwards.
    package mutating func finish() { file.finish() }

    /// Writes which road file is in use; nothing in a private recording, because its name may tell the place.
    package mutating func write(_ roads: RoadFileIdentity) {
        guard privatePlace == nil else { return }
        file.add(MCAPMetadata(name: MetadataName.roads, values: ["path": roads.path, "content": roads.content]))
    }

    /// Writes an input of the engine with its number; 0 for one that is older than the file.
    package mutating func write(_ input: EngineInput, number: UInt64) {
        let sequence = Sequence.of(number)
        switch input {
        case .event(let event): write(event, sequence)
        case .report(let report):
            add(.source, report, MeasurementLayouts.report, report.time, sequence: sequence)
        case .command(let command): write(command, sequence)
        case .tick(let time):
            add(.tick, TickMessage(time: time), CommandLayouts.tick, time, sequence: sequence)
        case .repetition(let time):
            let message = TickMessage(time: time, isRepetition: true)
            add(.tick, message, CommandLayouts.tick, time, sequence: sequence)
        }
    }

    /// Writes publications in their order.
    package mutating func write(_ publications: [Publication]) {
        guard let last = publications.last else { return }
        add(.published, PublicationsMessage(publications), PublicationsMessage.layout, last.time)
    }

    /// Writes a published frame: as a line of JSON, and as Foxglove's position, pose and transform.
    package mutating func write(_ frame: Frame, number: UInt64) {
        let frame = moved(frame)
        let time = MonotonicTime(nanoseconds: frame.timeNanoseconds)
        let line = encoder.encode(frame) { Array($0.dropLast()) }
        add(.frame, line[...], time, sequence: Sequence.of(number))
        let stamp = logTime(time)
        addFields(.track, time) { $0.locationFix(frame, stamp: stamp) }
        addFields(.pose, time) { $0.poseInFrame(frame, stamp: stamp) }
        addFields(.transform, time) { $0.frameTransform(frame, stamp: stamp) }
    }

    /// Writes an event or a maneuver; other messages are not recorded.
    package mutating func write(_ message: Message, time: MonotonicTime) {
        switch message {
        case .event: lines.clear()
        case .maneuver(let maneuver):
            lines.clear()
            if privatePlace != nil {
                guard let shift else { return }
                lines.message(.maneuver(shift.moved(maneuver)))
                return add(.event, lines.withBytes { Array($0.dropLast()) }[...], time)
            }
        default: return
        }
        lines.message(message)
        add(.event, lines.withBytes { Array($0.dropLast()) }[...], time)
    }

    /// Writes a line of the log; nothing in a private recording, because log lines contain paths and names.
    package mutating func write(_ line: RecordedLogLine) {
        guard privatePlace == nil else { return }
        let stamp = logTime(line.time)
        addFields(.log, line.time) { fields in
            fields.log(line, stamp: stamp)
            return true
        }
    }

    // MARK: - Inputs

    private mutating func write(_ event: SensorEvent, _ sequence: UInt32) {
        let time = event.arrivalTime
        switch event {
        case .inertial(let sample): add(.imu, sample, MeasurementLayouts.inertial, time, sequence: sequence)
        case .magnetic(let sample): add(.magnetometer, sample, MeasurementLayouts.magnetic, time, sequence: sequence)
        case .pressure(let sample): add(.barometer, sample, MeasurementLayouts.pressure, time, sequence: sequence)
        case .wheelSpeed(let sample): add(.wheelSpeed, sample, MeasurementLayouts.wheelSpeed, time, sequence: sequence)
        case .gnss(let fix):
            let fix = moved(fix)
            add(.fix, fix, MeasurementLayouts.fix, time, published: fix.validityTime, sequence: sequence)
            let stamp = logTime(fix.validityTime)
            addFields(.locationFix, time) { $0.locationFix(fix, stamp: stamp) }
        }
    }

    private mutating func write(_ command: EngineCommand, _ sequence: UInt32) {
        switch command {
        case .setRoute(let route, let version):
            let message = RouteMessage(route.map { moved($0.plan) }, version: version, time: latest)
            add(.route, message, RouteLayout.route, latest, sequence: sequence)
        case .setSpeedHorizon(var horizon):
            // The time zone tells the region.
            if privatePlace != nil { horizon.utcOffsetSeconds = nil }
            add(.roadAhead, horizon, CommandLayouts.roadAhead, latest, sequence: sequence)
        case .trimHeading, .setHeadingTrim, .reset, .offerMount, .offerSensors, .offerRest, .setDeclination:
            guard let command = moved(command), let message = CommandMessage(command, time: latest) else { return }
            add(.command, message, CommandLayouts.command, latest, sequence: sequence)
        }
    }

    // MARK: - Private recordings

    private mutating func shift(at latitude: Double?, _ longitude: Double?, _ height: Double?) -> PlaceShift? {
        guard let privatePlace else { return nil }
        if shift == nil, let latitude, let longitude {
            let anchor = GeodeticPosition(
                latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: height ?? 0)
            self.anchor = anchor
            shift = PlaceShift(from: anchor, to: privatePlace)
        }
        return shift
    }

    private mutating func moved(_ fix: GnssFix) -> GnssFix {
        guard privatePlace != nil else { return fix }
        let height = fix.altitudeEllipsoidMeters ?? fix.altitudeMeanSeaMeters
        return shift(at: fix.latitudeRadians, fix.longitudeRadians, height)?.moved(fix) ?? fix.withoutPlace
    }

    private mutating func moved(_ frame: Frame) -> Frame {
        guard privatePlace != nil else { return frame }
        let pose = frame.pose
        let shift = shift(at: pose.latitudeRadians, pose.longitudeRadians, pose.altitudeEllipsoidMeters)
        return shift?.moved(frame) ?? frame.withoutPlace
    }

    private mutating func moved(_ plan: RoutePlan) -> RoutePlan {
        guard let first = plan.points.first else { return plan }
        return shift(at: first.latitudeRadians, first.longitudeRadians, nil)?.moved(plan) ?? plan
    }

    /// The command with a moved pose of the last stop; `nil` if it is not valid there. Thousands of kilometres from the
    /// first position the ellipsoid has another curvature: what is on the ground here is not on the ground there.
    private mutating func moved(_ command: EngineCommand) -> EngineCommand? {
        guard privatePlace != nil, case .offerRest(let rest) = command else { return command }
        let place = rest.position
        guard rest.isValid,
            let shift = shift(at: place.latitudeRadians, place.longitudeRadians, place.altitudeEllipsoidMeters)
        else { return nil }
        let moved = shift.moved(rest)
        return moved.isValid ? .offerRest(moved) : nil
    }

    // MARK: - Messages

    /// The time of a message in the file: UTC, as the clock was when the recording started.
    private func logTime(_ time: MonotonicTime) -> UInt64 {
        let (sum, overflow) = time.nanoseconds.addingReportingOverflow(info.clockOffsetNanoseconds)
        return overflow ? 0 : UInt64(clamping: sum)
    }

    private mutating func add<Value>(
        _ topic: Topic, _ value: Value, _ layout: MessageLayout<Value>, _ time: MonotonicTime,
        published: MonotonicTime? = nil, sequence: UInt32 = 0
    ) {
        fields.clear()
        layout.encode(value, to: &fields)
        add(topic, fields.bytes[...], time, published: published, sequence: sequence)
    }

    private mutating func addFields(
        _ topic: Topic, _ time: MonotonicTime, _ body: (inout ProtobufWriter) -> Bool
    ) {
        fields.clear()
        if body(&fields) { add(topic, fields.bytes[...], time) }
    }

    private mutating func add(
        _ topic: Topic, _ data: ArraySlice<UInt8>, _ time: MonotonicTime, published: MonotonicTime? = nil,
        sequence: UInt32 = 0
    ) {
        latest = max(latest, time)
        file.add(
            MCAPMessage(
                channel: channel(topic), sequence: sequence, logTime: logTime(time),
                publishTime: logTime(published ?? time), data: data))
    }

    private mutating func channel(_ topic: Topic) -> UInt16 {
        if let channel = channels[topic] { return channel }
        let (name, encoding, data) = topic.schema
        let schema = schemas[name] ?? file.addSchema(name: name, encoding: encoding, data: data)
        schemas[name] = schema
        let channel = file.addChannel(topic: topic.rawValue, encoding: topic.messageEncoding, schema: schema)
        channels[topic] = channel
        return channel
    }

    private mutating func write(_ settings: RecordedSettings) {
        // A settings file has paths and coordinates; the caller's options are those that a private recording may have.
        if let bytes = settings.file, privatePlace == nil {
            file.add(MCAPAttachment(name: MetadataName.settingsFile, mediaType: "application/yaml", data: bytes))
        }
        guard !settings.options.isEmpty else { return }
        var values: [String: String] = [:]
        for (index, option) in settings.options.enumerated() {
            // The number keeps the order: metadata have none.
            let digits = String(10_000 + index).dropFirst()
            values["\(digits) \(option.path)"] = option.value
        }
        file.add(MCAPMetadata(name: MetadataName.options, values: values))
    }
}

/// Names of metadata and attachments.
enum MetadataName {
    static let info = "posed"
    static let roads = "posed.roads"
    static let options = "posed.options"
    static let settingsFile = "posed.yaml"
}
