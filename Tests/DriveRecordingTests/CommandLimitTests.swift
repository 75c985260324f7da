import Engine
import Frames
import Fusion
import Geodesy
import MCAP
import Measurements
import PoseMath
import Testing

@testable import DriveRecording

/// Which commands of a recording are read, at the limits of their values.
@Suite struct CommandLimitTests {
    /// The inputs of a recording with a command, or what is wrong with it.
    private func read(_ command: EngineCommand) -> (inputs: [EngineInput], problem: String?) {
        var writer = Sample.writer()
        writer.write(.command(command), number: 1)
        writer.finish()
        var reader = DriveRecordingReader(bytes: writer.takeBytes(), path: "a.mcap")
        var inputs: [EngineInput] = []
        do throws(MCAPProblem) {
            while let entry = try reader.next() { if case .input(let input, _) = entry { inputs.append(input) } }
            return (inputs, nil)
        } catch { return (inputs, error.problem) }
    }

    /// What is read of a reset with a changed past.
    private func past(_ change: (inout EnginePast) -> Void) -> EnginePast? {
        var past = Sample.fullPast
        change(&past)
        guard case .command(.reset(let read))? = read(.reset(after: past)).inputs.first else { return nil }
        return read?.value
    }

    private static let declinations: [(Declination, Bool)] = [
        (Declination(radians: 0.05, sigmaRadians: 0.01), true), (Declination(radians: .pi, sigmaRadians: .pi), true),
        (Declination(radians: -.pi, sigmaRadians: 1e-300), true),
        (Declination(radians: Double.pi.nextUp, sigmaRadians: 0.1), false),
        (Declination(radians: -Double.pi.nextUp, sigmaRadians: 0.1), false),
        (Declination(radians: 0.1, sigmaRadians: Double.pi.nextUp), false),
        (Declination(radians: 0.1, sigmaRadians: 0), false), (Declination(radians: 0.1, sigmaRadians: -0.1), false),
        (Declination(radians: .nan, sigmaRadians: 0.1), false), (Declination(radians: 0.1, sigmaRadians: .nan), false),
    ]

    @Test(arguments: declinations.indices) func aDeclinationIsAnAngleWithASigma(index: Int) {
        // GIVEN a declination up to half a turn with a sigma above zero up to half a turn, or another one
        let (declination, isUsable) = Self.declinations[index]
        // WHEN it was commanded THEN it comes back, or the command is refused
        let (inputs, problem) = read(.setDeclination(declination))
        #expect(problem == (isUsable ? nil : "a command is incomplete"))
        #expect(inputs.count == (isUsable ? 1 : 0))
        if isUsable, case .command(.setDeclination(let found))? = inputs.first { #expect(found == declination) }
        // WHEN it is that of a past THEN the past comes back with it, or the reset has none
        let past = past { $0.estimator.declination = declination }
        #expect((past != nil) == isUsable && past?.estimator.declination == (isUsable ? declination : nil))
    }

    @Test func anUnknownDeclinationComesBack() {
        // GIVEN the command that the declination is unknown WHEN it is read THEN it is that command
        let (inputs, problem) = read(.setDeclination(nil))
        guard problem == nil, case .command(.setDeclination(nil))? = inputs.first else {
            Issue.record("\(inputs), \(problem ?? "")")
            return
        }
        // AND a past without one has none
        let past = past { _ in }
        #expect(past != nil && past?.estimator.declination == nil)
    }

    @Test func aPastHasCountsThatCanGoOn() {
        // GIVEN a past with a count just below its limit, and at it THEN only the first one is kept
        let large: [WritableKeyPath<EnginePast, UInt64>] = [\.published, \.sequence]
        let most: UInt64 = (1 << 62) - 1
        for path in large {
            #expect(past { $0[keyPath: path] = most }?[keyPath: path] == most)
            #expect(past { $0[keyPath: path] = 1 << 62 } == nil)
        }
        let small: [WritableKeyPath<EnginePast, UInt32>] = [
            \.originEpoch, \.progressJumpCount, \.estimator.jumpCount,
        ]
        let mostJumps: UInt32 = (1 << 31) - 1
        for path in small {
            #expect(past { $0[keyPath: path] = mostJumps }?[keyPath: path] == mostJumps)
            #expect(past { $0[keyPath: path] = 1 << 31 } == nil)
        }
        // AND any version of a route is one
        #expect(past { $0.routeVersion = .max }?.routeVersion == .max)
    }

    @Test func aPastHasNumbersThatAreNumbers() {
        for poison in [Double.nan, .infinity, -.infinity] {
            #expect(past { $0.estimator.lastJumpENUMeters.x = poison } == nil)
            #expect(past { $0.estimator.lastJumpENUMeters.y = poison } == nil)
            #expect(past { $0.estimator.lastJumpENUMeters.z = poison } == nil)
            #expect(past { $0.estimator.lastJumpHeadingRadians = poison } == nil)
            #expect(past { $0.progressJumpMeters = poison } == nil && past { $0.headingTrimRadians = poison } == nil)
        }
    }

    @Test func aTimeOfMoreThan146YearsIsNone() {
        // GIVEN times of a past that are known or not THEN those below 2^62 ns come back, and the others are unknown
        let last = (Int64(1) << 62) - 1
        for (nanoseconds, isKnown) in [(last, true), (-last, true), (last + 1, false), (-last - 1, false)] {
            let time = MonotonicTime(nanoseconds: nanoseconds)
            let found = past { ($0.lastWheelSpeed, $0.estimator.measuredFrom, $0.estimator.time) = (time, time, time) }
            #expect(found?.lastWheelSpeed == (isKnown ? time : nil))
            #expect(found?.estimator.measuredFrom == (isKnown ? time : nil))
            #expect(found?.estimator.time == (isKnown ? time : EstimatorPast().time))
        }
    }

    @Test func publicationsHaveTimesAndNumbersInRange() throws {
        // GIVEN publications whose steps lead just below a time of 146 years, or to it, or beyond the largest number
        // THEN only the former are read
        func read(_ first: UInt64, _ steps: [UInt64], _ times: [Int64]) -> [Publication]? {
            var message = PublicationsMessage()
            (message.firstNumber, message.steps, message.timeSteps) = (first, steps, times.map(ZigZag.encode))
            return try? message.publications()
        }
        let last = (Int64(1) << 62) - 1
        #expect(read(1, [0], [last])?.map(\.time.nanoseconds) == [last] && read(1, [0], [last + 1]) == nil)
        #expect(read(1, [0], [-last])?.map(\.time.nanoseconds) == [-last] && read(1, [0], [-last - 1]) == nil)
        #expect(read(1, [0, 0], [last, 1]) == nil && read(1, [0, 0], [last, -1])?.count == 2)
        #expect(read(.max - 1, [4], [0])?.map(\.number) == [.max] && read(.max - 1, [8], [0]) == nil)
        #expect(read(1, [4], []) == nil && read(1, [], [1]) == nil && read(7, [], [])?.isEmpty == true)
        // AND each step tells whether it was the newest, and a repetition
        let flags = read(1, [4, 5, 6, 7], [0, 0, 0, 0])
        #expect(flags?.map(\.number) == [2, 3, 4, 5])
        #expect(flags?.map(\.isNewest) == [false, false, true, true])
        #expect(flags?.map(\.isRepeat) == [false, true, false, true])
    }

    @Test func onlyItsOwnAttachmentIsASettingsFile() throws {
        // GIVEN a file with attachments and metadata of another program beside its own WHEN it is read THEN only its
        // own are entries
        var writer = MCAPWriter(profile: "posed", library: "test")
        writer.add(MCAPAttachment(name: "posed.yml", mediaType: "application/yaml", data: [1]))
        writer.add(MCAPAttachment(name: "posed.yaml", mediaType: "application/yaml", data: [2]))
        writer.add(MCAPMetadata(name: "posed.other", values: ["path": "x"]))
        writer.add(MCAPMetadata(name: "posed.roads", values: ["path": "/a"]))
        writer.finish()
        var reader = DriveRecordingReader(bytes: writer.takeBytes(), path: "a.mcap")
        var found: [String] = []
        while let entry = try reader.next() {
            switch entry {
            case .settings(let settings): found.append("settings \(settings.file ?? []) \(settings.options)")
            case .roads(let roads): found.append("roads \(roads.path) \(roads.content)")
            default: found.append("\(entry)")
            }
        }
        #expect(found == ["settings [2] []", "roads /a "])
    }

    @Test func aChannelOfAnotherEncodingIsRefused() {
        // GIVEN a channel of posed whose messages have another encoding WHEN it is read THEN the message names both
        for (topic, encoding, expected) in [
            (Topic.imu, "json", "protobuf"), (.frame, "protobuf", "json"), (.event, "cbor", "json"),
        ] {
            var writer = MCAPWriter(profile: "posed", library: "test")
            let channel = writer.addChannel(topic: topic.rawValue, encoding: encoding, schema: 0)
            writer.add(MCAPMessage(channel: channel, sequence: 1, logTime: 0, publishTime: 0, data: []))
            writer.finish()
            var reader = DriveRecordingReader(bytes: writer.takeBytes(), path: "a.mcap")
            let problem = #expect(throws: MCAPProblem.self) { _ = try reader.next() }
            #expect(problem?.problem == "\(topic.rawValue) is encoded as \(encoding), not \(expected)")
        }
    }

    @Test func aChannelOfAnotherProgramWithAGeneralNameIsSkipped() throws {
        // GIVEN a recording that was merged with transforms and a log of another program, in the encodings of that one
        var sample = ProtobufWriter()
        MeasurementLayouts.pressure.encode(PressureSample(time: at(1), pressurePascal: 96_000), to: &sample)
        var writer = MCAPWriter(profile: "ros2", library: "test")
        for (topic, encoding, data) in [
            ("/tf", "cdr", [0, 1, 2]), ("/log", "json", [0x7B, 0x7D]), ("/posed/barometer", "protobuf", sample.bytes),
            ("/fix", "ros1", [0xFF]),
        ] as [(String, String, [UInt8])] {
            let channel = writer.addChannel(topic: topic, encoding: encoding, schema: 0)
            writer.add(MCAPMessage(channel: channel, sequence: 1, logTime: 0, publishTime: 0, data: data[...]))
        }
        writer.finish()
        // WHEN it is read THEN the measurement of posed is there, and nothing else
        var reader = DriveRecordingReader(bytes: writer.takeBytes(), path: "a.mcap")
        var pressures: [Double] = []
        while let entry = try reader.next() {
            guard case .input(.event(.pressure(let read)), _) = entry else {
                Issue.record("\(entry)")
                continue
            }
            pressures.append(read.pressurePascal)
        }
        #expect(pressures == [96_000] && reader.end == .complete)
    }

    @Test(arguments: [1_700_000_000_123_456_789, -3_000_000_000] as [Int64])
    func timesComeBackFromUTC(offset: Int64) throws {
        // GIVEN a recording whose clock is ahead of UTC or behind it WHEN events and lines of the log are read THEN
        // they have the times of its clock again
        var info = RecordingInfo(release: "1", session: "s")
        info.clockOffsetNanoseconds = offset
        var writer = DriveRecordingWriter(info: info, settings: RecordedSettings())
        writer.write(.event(.init(timeNanoseconds: 5, change: .reset(count: 1))), time: at(4))
        writer.write(RecordedLogLine(time: at(5), level: .error, text: "x"))
        var times: [MonotonicTime] = []
        for entry in try Sample.entries(&writer) {
            if case .event(_, let time) = entry { times.append(time) }
            if case .log(let line) = entry { times.append(line.time) }
        }
        #expect(times == [at(4), at(5)])
    }
}
