import Engine
import Frames
import Fusion
import Geodesy
import Guidance
import MCAP
import Measurements
import PoseMath
import Testing

@testable import DriveRecording

/// Whatever is written comes back to the bit.
@Suite struct RoundTripTests {
    /// Everything that a drive keeps of the sensors.
    private static var sensors: SensorPrior {
        var prior = SensorPrior()
        prior.gyroBias = .init(
            radiansPerSecond: Vector3(0.01, -0.02, 1e-9), sigmaRadiansPerSecond: Vector3(0.001, 0.002, 0.003))
        prior.accelerometerBias = .init(
            metersPerSecondSquared: Vector3(0.1, -0.2, 0.3), sigmaMetersPerSecondSquared: Vector3(0.01, 0.02, 0.03))
        prior.lags = LagCalibration(
            positionSeconds: -0.02, positionSigmaSeconds: 0.01, velocitySeconds: 0.15, velocitySigmaSeconds: 0.02)
        prior.wheels = .init(scale: 1.03, scaleSigma: 0.01, lagSeconds: 0.2, lagSigmaSeconds: 0.05)
        return prior
    }

    private func inputs() -> [EngineInput] {
        [
            .report(SourceReport(time: at(1), source: .imu, state: .streaming)),
            .event(
                .inertial(
                    InertialSample(
                        time: at(-2), angularRateRadiansPerSecond: Vector3(0.1, -0.0, 1e-300),
                        specificForceMetersPerSecondSquared: Vector3(0.3, .nan, 9.806_65)))),
            .event(.magnetic(MagneticSample(time: at(3), fluxDensityTesla: Vector3(2e-5, 1e-6, -4e-5)))),
            .event(.pressure(PressureSample(time: at(4), pressurePascal: 101_325.125))),
            .event(.wheelSpeed(WheelSpeedSample(time: at(5), speedMetersPerSecond: -0.5))),
            .event(.gnss(Sample.fullFix)), .event(.gnss(GnssFix(validityTime: at(6), arrivalTime: at(7), mode: .none))),
            .tick(at(8)), .repetition(at(9)), .command(.trimHeading(byRadians: 0.1)),
            .command(.setHeadingTrim(radians: -0.2)), .command(.reset()), .command(.reset(after: Sample.fullPast)),
            .command(.reset(after: EnginePast())),
            .command(
                .offerMount(
                    MountEstimate(
                        sensorToBody: Quaternion(w: 0.5, x: -0.5, y: 0.5, z: 0.500_000_1),
                        sigmaBodyRadians: Vector3(0.01, 0.02, 0.03), origin: .found))),
            .command(
                .offerMount(
                    MountEstimate(
                        sensorToBody: .identity, sigmaBodyRadians: Vector3(0.01, 0.02, 0.03), origin: .kept,
                        antenna: AntennaArm(meters: SIMD2(1.25, -0.5), sigmaMeters: SIMD2(0.03, 0.04))))),
            .command(
                .offerRest(
                    RestingPose(
                        position: GeodeticPosition(
                            latitudeRadians: 0.8, longitudeRadians: -1.5, altitudeEllipsoidMeters: 460.25),
                        horizontalSigmaMeters: 1.5, verticalSigmaMeters: 3, headingTrueRadians: 6.1,
                        headingSigmaRadians: 0.02, downBody: Vector3(0.6, 0, -0.8)))),
            .command(.offerSensors(Self.sensors)), .command(.offerSensors(SensorPrior())),
            .command(.setSpeedHorizon(Sample.fullHorizon)),
            .command(.setSpeedHorizon(SpeedHorizon(time: at(10)))),
            .command(.setRoute(nil, version: 7)),
        ]
    }

    @Test func foxglovesTypesAreThoseItPublishes() {
        // GIVEN the descriptions of foxglove's own types THEN their fields have the numbers of its .proto files, which
        // all are of version 3
        let files = [Foxglove.locationFix, Foxglove.poseInFrame, Foxglove.frameTransform, Foxglove.log]
        for file in files + files.flatMap(\.uses) + files.flatMap(\.uses).flatMap(\.uses) {
            #expect(file.isProto3, "\(file.name)")
            for message in file.messages {
                let numbers = message.fields.map(\.number)
                #expect(numbers == Array(1...UInt32(numbers.count)), "\(message.name)")
            }
        }
        #expect(
            Foxglove.log.messages.first?.fields.map(\.name)
                == ["timestamp", "level", "message", "name", "file", "line"])
    }

    @Test func everyInputComesBackInItsOrder() throws {
        // GIVEN one input of every kind, with every field, with unknown fields, and with NaN and -0
        var writer = Sample.writer()
        for (index, input) in inputs().enumerated() { writer.write(input, number: UInt64(index + 1)) }
        // WHEN they are written and read
        let entries = try Sample.entries(&writer)
        // THEN they are the same, with their numbers; printing shows every digit of a number
        let read = entries.compactMap { entry -> (EngineInput, UInt64)? in
            if case .input(let input, let number) = entry { (input, number) } else { nil }
        }
        #expect(read.map(\.1) == (1...UInt64(inputs().count)).map { $0 })
        for (found, wanted) in zip(read.map(\.0), inputs()) { #expect("\(found)" == "\(wanted)") }
    }

    @Test func aPastThatCannotBeContinuedIsNone() throws {
        // GIVEN resets with counts at the end of their range, and with numbers that are none
        for change: (inout EnginePast) -> Void in [
            { $0.published = .max }, { $0.sequence = .max }, { $0.originEpoch = .max }, { $0.progressJumpCount = .max },
            { $0.estimator.jumpCount = .max - 1 }, { $0.progressJumpMeters = .nan },
            { $0.estimator.lastJumpENUMeters.z = .infinity },
            { $0.estimator.lastJumpHeadingRadians = .nan }, { $0.headingTrimRadians = .infinity },
            { $0.estimator.mount?.sensorToBody.w = 2 }, { $0.estimator.mount?.sigmaBodyRadians.x = .nan },
        ] {
            var past = Sample.fullPast
            change(&past)
            var writer = Sample.writer()
            writer.write(.command(.reset(after: past)), number: 1)
            // WHEN they are read THEN they are resets without a past
            let entries = try Sample.entries(&writer)
            let isPlain = entries.contains {
                if case .input(.command(.reset(nil)), _) = $0 { true } else { false }
            }
            #expect(isPlain, "\(entries)")
        }
    }

    @Test func bothWaysToReadAnIMUSampleAgree() throws {
        // GIVEN a sample in the usual form, and with its fields in another order
        let sample = InertialSample(
            time: at(12.5), angularRateRadiansPerSecond: Vector3(1, -2, 3e-9),
            specificForceMetersPerSecondSquared: Vector3(-4, 5, 9.81))
        var fields = ProtobufWriter()
        MeasurementLayouts.inertial.encode(sample, to: &fields)
        // WHEN it is read by the table THEN it is what the direct way gives
        var read = InertialSample(
            time: at(0), angularRateRadiansPerSecond: .zero, specificForceMetersPerSecondSquared: .zero)
        try MeasurementLayouts.inertial.decode(fields.bytes[...], into: &read)
        #expect(read == sample)
        #expect(InertialSample(recorded: fields.bytes[...]) == sample)
        // WHEN the form differs, or the time is out of range THEN the direct way leaves it to the table
        let turned = fields.bytes[9...] + fields.bytes[..<9]
        #expect(InertialSample(recorded: ArraySlice(turned)) == nil)
        #expect(InertialSample(recorded: fields.bytes.dropLast()) == nil)
        var late = fields.bytes
        late[8] = 0x7F
        #expect(InertialSample(recorded: late[...]) == nil)
    }

    @Test func aRouteComesBackWithEverythingInIt() throws {
        // GIVEN a route with limits, durations, tunnels, heights, maneuvers and lanes
        let plan = Sample.plan
        var writer = Sample.writer()
        writer.write(.command(.setRoute(try Route(plan), version: 3)), number: 1)
        // WHEN it is written and read
        let entries = try Sample.entries(&writer)
        guard case .input(.command(.setRoute(let route?, version: 3)), number: 1)? = entries.last else {
            Issue.record("no route in \(entries)")
            return
        }
        // THEN it was made of the same plan
        #expect("\(route.plan)" == "\(plan)")
        #expect(route.maneuvers == (try Route(plan)).maneuvers)
    }

    @Test func publicationsFramesEventsAndLogLinesComeBack() throws {
        // GIVEN publications with a gap in the numbers, a repetition, and one whose time goes back
        let publications = [
            Publication(number: 5, time: at(1), isNewest: true, isRepeat: false),
            Publication(number: 6, time: at(2), isNewest: false, isRepeat: false),
            Publication(number: 9, time: at(1.5), isNewest: true, isRepeat: true),
        ]
        var frame = Frame()
        frame.sequence = 4
        frame.timeNanoseconds = 2_000_000_000
        let log = RecordedLogLine(time: at(3), level: .warning, text: "a \"line\"")
        var writer = Sample.writer()
        writer.write(frame, number: 6)
        writer.write(publications)
        writer.write(.event(.init(timeNanoseconds: 1_000_000_000, change: .route(version: 2))), time: at(1))
        writer.write(log)
        writer.write(RoadFileIdentity(path: "/a.roads", content: "12 road segments"))
        // WHEN they are written and read
        let entries = try Sample.entries(&writer)
        // THEN they are the same
        var found = (publications: false, frame: false, event: false, log: false, roads: false)
        for entry in entries {
            switch entry {
            case .publications(let read): found.publications = read == publications
            case .frame(let line, let number):
                var encoder = JSONFrameEncoder()
                found.frame = number == 6 && encoder.text(frame) == String(decoding: line, as: UTF8.self) + "\n"
            case .event(let line, let time):
                found.event = time == at(1) && String(decoding: line, as: UTF8.self).contains(#""event":"route""#)
            case .log(let line): found.log = line == log
            case .roads(let roads):
                found.roads = roads == RoadFileIdentity(path: "/a.roads", content: "12 road segments")
            default: break
            }
        }
        #expect(found == (true, true, true, true, true))
    }

    @Test func factsAndSettingsComeBack() throws {
        // GIVEN facts and settings: a file and options, of which a later one overrides an earlier one
        var info = RecordingInfo(release: "1.2", session: "s")
        (info.part, info.clockOffsetNanoseconds) = (3, -5)
        (info.startsWithEngine, info.hasPublications, info.isPrivate) = (true, true, true)
        info.convertedFrom = "KITTI"
        info.publishedBefore = 1 << 40
        var settings = RecordedSettings()
        settings.file = Array("gps:\n  port: 2950\n".utf8)
        settings.options = (0..<12).map { RecordedSettings.Option(path: "gps.port", value: "\($0)") }
        var writer = DriveRecordingWriter(info: info, settings: settings)
        // WHEN they are written and read
        let entries = try Sample.entries(&writer)
        // THEN they are the same, the options in their order
        var read = RecordedSettings()
        for entry in entries {
            if case .settings(let part) = entry {
                read.file = part.file ?? read.file
                read.options += part.options
            }
        }
        #expect(read == settings)
        guard case .info(let found)? = entries.first else {
            Issue.record("no facts")
            return
        }
        #expect(found == info)
    }

    @Test func numbersContinueBeyond32Bits() {
        // GIVEN numbers around two laps of 32 bits
        var numbers = NumberExtension()
        let lap = UInt64(UInt32.max)
        for number in [1, 2, lap - 1, lap, lap + 1, lap + 5, 2 * lap, 2 * lap + 1] {
            // WHEN only 32 bits are stored THEN they are restored, also with a zero between
            #expect(numbers.number(of: Sequence.of(number)) == number)
            #expect(numbers.number(of: Sequence.of(0)) == 0)
        }
    }
}

/// A recording of a newer release, and damaged messages inside intact chunks, give one message.
@Suite struct DamagedEntryTests {
    private func problem(_ topic: Topic, _ data: [UInt8]) -> String {
        var writer = MCAPWriter(profile: "posed", library: "test")
        let schema = writer.addSchema(name: topic.schema.name, encoding: topic.schema.encoding, data: topic.schema.data)
        let channel = writer.addChannel(topic: topic.rawValue, encoding: topic.messageEncoding, schema: schema)
        writer.add(MCAPMessage(channel: channel, sequence: 1, logTime: 0, publishTime: 0, data: data[...]))
        writer.finish()
        var reader = DriveRecordingReader(bytes: writer.takeBytes(), path: "a.mcap")
        do throws(MCAPProblem) {
            while try reader.next() != nil {}
            return "none"
        } catch { return error.description }
    }

    @Test func aMissingOrDamagedFieldIsNamed() {
        // GIVEN messages that are empty, cut, of a wrong wire type, or out of range
        #expect(problem(.imu, []).contains("posed.Imu has no time_ns; the file is damaged"))
        #expect(problem(.imu, [0x09, 1, 2]).contains("the message is damaged"))
        #expect(problem(.imu, [0x08, 1]).contains("time_ns is damaged"))
        #expect(problem(.imu, [0x09] + [UInt8](repeating: 0x7F, count: 8)).contains("time_ns is out of range"))
        #expect(problem(.source, [0x09, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 9]).contains("source has an unknown value"))
        #expect(problem(.fix, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]).contains("damaged"))
        #expect(problem(.published, [0x08, 1, 0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0x1A, 1, 4]).contains("differ in length"))
        let tooFar: [UInt8] = [0x08] + [UInt8](repeating: 0xFF, count: 9) + [1]
        let steps = tooFar + [0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0x1A, 1, 4, 0x22, 1, 0]
        #expect(problem(.published, steps).contains("a step is out of range"))
        #expect(problem(.command, [0x09, 0, 0, 0, 0, 0, 0, 0, 0]).contains("a command is incomplete"))
        #expect(problem(.route, [0x09, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 1, 0x18, 1]).contains("the route is invalid"))
    }

    @Test func anUnknownFieldIsSkipped() {
        // GIVEN a message with a field of a later release, of every wire type; THEN the rest is read
        var fields = ProtobufWriter()
        MeasurementLayouts.pressure.encode(PressureSample(time: at(1), pressurePascal: 5), to: &fields)
        fields.field(99, varint: .max)
        fields.field(98, double: 1)
        fields.field(97, fixed32: 1)
        fields.field(96, text: "later")
        #expect(problem(.barometer, fields.bytes) == "none")
    }

    @Test func aNewerFormatIsNamed() throws {
        // GIVEN a recording of format 2
        var writer = MCAPWriter(profile: "posed", library: "test")
        writer.add(MCAPMetadata(name: "posed", values: ["format": "2", "release": "9.0"]))
        writer.finish()
        var reader = DriveRecordingReader(bytes: writer.takeBytes(), path: "a.mcap")
        // WHEN it is read THEN the message names both formats and the release that can read it
        let problem = #expect(throws: MCAPProblem.self) { _ = try reader.next() }
        #expect(
            problem?.description.contains("has format 2, this release reads up to 1; read it with release 9.0") == true)
    }

    @Test func foreignChannelsAreSkipped() throws {
        // GIVEN a recording of another program
        var writer = MCAPWriter(profile: "ros2", library: "test")
        let channel = writer.addChannel(topic: "/camera", encoding: "cdr", schema: 0)
        writer.add(MCAPMessage(channel: channel, sequence: 1, logTime: 0, publishTime: 0, data: [1, 2]))
        writer.finish()
        // WHEN it is read THEN there is no entry and no problem
        var reader = DriveRecordingReader(bytes: writer.takeBytes(), path: "a.mcap")
        let entry = try reader.next()
        #expect(entry == nil)
        #expect(reader.end == .complete)
    }
}

/// Values for the tests.
enum Sample {
    /// What a reset keeps, with every member set.
    static var fullPast: EnginePast {
        var past = EnginePast()
        (past.published, past.sequence, past.originEpoch, past.routeVersion) = (1 << 40, 1 << 41, 7, .max)
        past.estimator.time = at(12.25)
        (past.estimator.jumpCount, past.estimator.lastJumpENUMeters) = (5, Vector3(1, -2, 0.5))
        past.estimator.lastJumpHeadingRadians = -0.25
        (past.progressJumpCount, past.progressJumpMeters) = (3, -77.5)
        (past.lastMeasurement, past.lastWheelSpeed) = (at(12), at(-11.5))
        past.clock = UTCLabel(recentOffsets: [1_700_000_000_000_000_000, -5, .max, .min])
        (past.fixMode, past.satellitesUsed) = (3, 11)
        past.sources.gps = .streaming
        (past.sources.imu, past.sources.magnetometer) = (.stale, .lost)
        (past.sources.barometer, past.sources.wheels) = (.opening, .waiting)
        past.headingTrimRadians = -0.125
        past.estimator.mount = MountEstimate(
            sensorToBody: Quaternion(w: 0.5, x: 0.5, y: -0.5, z: 0.5), sigmaBodyRadians: Vector3(0.02, 0.03, 0.04),
            origin: .configured, antenna: AntennaArm(meters: SIMD2(-0.5, 0.25), sigmaMeters: SIMD2(0.1, 0.2)))
        (past.estimator.isConfiguredMountRefused, past.estimator.measuredFrom) = (true, at(12.5))
        return past
    }

    static func writer() -> DriveRecordingWriter {
        DriveRecordingWriter(info: RecordingInfo(release: "1", session: "s"), settings: RecordedSettings())
    }

    /// Ends a file and reads it.
    static func entries(_ writer: inout DriveRecordingWriter) throws -> [RecordedEntry] {
        writer.finish()
        var reader = DriveRecordingReader(bytes: writer.takeBytes(), path: "test.mcap")
        var entries: [RecordedEntry] = []
        while let entry = try reader.next() { entries.append(entry) }
        return entries
    }

    static var fullFix: GnssFix {
        var fix = GnssFix(validityTime: at(10.9), arrivalTime: at(11), mode: .threeDimensional)
        fix.utcNanoseconds = 1_700_000_000_123_456_789
        fix.quality = .rtkFixed
        (fix.latitudeRadians, fix.longitudeRadians) = (0.741_4, 0.026_5)
        (fix.altitudeEllipsoidMeters, fix.altitudeMeanSeaMeters) = (1073.25, 1021.5)
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: -3.5, northMetersPerSecond: 12.25)
        fix.climbMetersPerSecond = 0.1
        (fix.horizontalSigmaMeters, fix.verticalSigmaMeters) = (1.5, 2.5)
        (fix.speedSigmaMetersPerSecond, fix.climbSigmaMetersPerSecond) = (0.1, 0.2)
        (fix.geoidSeparationMeters, fix.magneticVariationRadians) = (51.75, 0.02)
        fix.isInterfered = true
        (fix.satellitesUsed, fix.satellitesVisible) = (11, 17)
        (fix.headingTrueRadians, fix.headingSigmaRadians) = (1.25, 0.007)
        (fix.receiver, fix.timeSigmaSeconds) = (9, 0.29)
        return fix
    }

    static var fullHorizon: SpeedHorizon {
        var horizon = SpeedHorizon(time: at(12))
        (horizon.limit, horizon.limitSource, horizon.hasCondition) = (.unlimited, .road, true)
        (horizon.nextLimit, horizon.nextLimitSource) = (.metersPerSecond(0), .roadClass)
        horizon.distanceToNextLimitMeters = 12.5
        (horizon.afterNextLimit, horizon.afterNextLimitSource) = (.metersPerSecond(5), .route)
        (horizon.distanceToAfterNextLimitMeters, horizon.progressMeters) = (40, 1234.5)
        (horizon.limitReason, horizon.nextLimitReason, horizon.afterNextLimitReason) = (.season, .weight, .several)
        horizon.utcOffsetSeconds = -3600
        (horizon.curveSpeedMetersPerSecond, horizon.distanceToCurveMeters) = (9, 100)
        horizon.path = .likelyRoad
        return horizon
    }

    static var plan: RoutePlan {
        let points = (0..<4).map { GeodeticPosition(latitudeDegrees: 42.5 + Double($0) * 1e-3, longitudeDegrees: 1.5) }
        let lanes = [
            Lane(indications: [.left, .straight], isValid: false), Lane(indications: [], isValid: true),
            Lane(indications: [.sharpRight], isValid: true, isRecommended: false, validIndication: .sharpRight),
        ]
        var plan = RoutePlan(
            points: points, limits: [.unknown, .unlimited, .metersPerSecond(13.888_888)],
            durationsSeconds: [10, 20.5, 30],
            maneuvers: [
                PlannedManeuver(point: 0, kind: .depart),
                PlannedManeuver(
                    point: 2, kind: .roundabout, modifier: .slightRight, instruction: "turn", roadName: "CG-1", exit: 2,
                    lanes: lanes),
                PlannedManeuver(point: 3, kind: .arrive),
            ], name: "home")
        plan.tunnels = [false, true, false]
        plan.elevationsMeters = [1000, nil, 1010.5, 1020]
        return plan
    }
}

func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }
