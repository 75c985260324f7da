import DriveRecording
import Engine
import Foundation
import Frames
import Geodesy
import Guidance
import Measurements
import PoseMath
import Recording
import Replay
import Testing

@testable import Conversion

/// What is told of a recording of posed beside its measurements.
@Suite struct RecordingDetailsTests {
    /// A reading of the wheels.
    private func wheels(_ seconds: Int64) -> EngineInput {
        .event(
            .wheelSpeed(
                WheelSpeedSample(time: MonotonicTime(nanoseconds: seconds * 1_000_000_000), speedMetersPerSecond: 3)))
    }

    /// The details and notes of a recording after its end.
    private func read(
        _ change: (inout RecordingInfo) -> Void = { _ in }, _ write: (inout DriveRecordingWriter) -> Void
    ) throws -> (details: [String], notes: [String]) {
        var info = RecordingInfo(release: "9.8", session: "s")
        info.startsWithEngine = true
        change(&info)
        var writer = DriveRecordingWriter(info: info, settings: RecordedSettings())
        write(&writer)
        writer.finish()
        let folder = try TemporaryFolder()
        try folder.write(Data(writer.takeBytes()), to: "a.mcap")
        let reader = try Conversion.open("\(folder.path)/a.mcap", .mcap)
        #expect(reader.details.isEmpty && reader.kinds == [.wheels] && reader.progress < 1)
        while try reader.next() != nil {}
        return (reader.details, reader.notes)
    }

    @Test func everythingInARecordingIsCounted() throws {
        // GIVEN a recording with five measurements, of whose numbers seven are missing, and other entries
        let read = try read { writer in
            for number in [1, 2, 5, 6, 12] { writer.write(wheels(Int64(number)), number: UInt64(number)) }
            writer.write(.command(.trimHeading(byRadians: 0.1)), number: 13)
            writer.write(.command(.setRoute(nil, version: 1)), number: 14)
            let answer = SpeedHorizon(time: MonotonicTime(nanoseconds: 12_000_000_000))
            for number in [15, 16, 17] { writer.write(.command(.setSpeedHorizon(answer)), number: UInt64(number)) }
            var frame = Frame()
            frame.timeNanoseconds = 12_000_000_000
            for number in [18, 19, 20, 21] { writer.write(frame, number: UInt64(number)) }
            writer.write(
                .event(Message.Event(timeNanoseconds: 5, change: .poseState(.lost))),
                time: MonotonicTime(nanoseconds: 12_000_000_000))
            for text in ["gpsd is silent", "gpsd is back", "the disk is slow", "recording ends", "posed stops"] {
                let time = MonotonicTime(nanoseconds: 12_000_000_000)
                writer.write(RecordedLogLine(time: time, level: .warning, text: text))
            }
        }
        // THEN each kind is counted, and the loss is told
        #expect(
            read.details == [
                "recorded by release 9.8",
                "4 frames, 1 events and maneuvers, 2 commands, 3 road answers, 5 log lines",
            ])
        #expect(read.notes == ["7 inputs were lost while recording"])
    }

    @Test func whatCameBeforeTheRecordingIsNotLost() throws {
        // GIVEN a recording that was started when the engine had processed 499 inputs THEN none is missing
        let read = try read({ $0.startsWithEngine = false }) { writer in
            for number in 500...502 { writer.write(wheels(Int64(number)), number: UInt64(number)) }
        }
        #expect(read.notes == [])
    }

    @Test func aNumberThatComesTwiceIsNoLoss() throws {
        // GIVEN a recording in which one number comes twice, and one after a later one THEN only the gap before that
        // counts
        let read = try read { writer in
            for number in [1, 2, 2, 4, 3, 5] { writer.write(wheels(Int64(number)), number: UInt64(number)) }
        }
        #expect(read.notes == ["1 inputs were lost while recording"])
    }

    @Test func itsOriginIsTold() throws {
        let counts = "0 frames, 0 events and maneuvers, 0 commands, 0 road answers, 0 log lines"
        // GIVEN a recording of another program, at a random place THEN that is told, and it begins where it begins
        let converted = try read {
            ($0.startsWithEngine, $0.convertedFrom, $0.isPrivate) = (false, "KITTI", true)
        } _: {
            $0.write(wheels(1), number: 1)
        }
        #expect(
            converted.details == ["converted from KITTI by release 9.8, positions moved to a random place", counts])
        // GIVEN one of a part with the largest number THEN it is counted from 1
        let last = try read {
            $0.part = Int.max
        } _: {
            $0.write(wheels(1), number: 1)
        }
        #expect(last.details.first == "recorded by release 9.8, part 9223372036854775808")
        // GIVEN one that begins while the engine runs THEN a replay differs, up to the first reset with its past
        let midRun = try read {
            $0.startsWithEngine = false
        } _: {
            $0.write(wheels(1), number: 1)
        }
        #expect(
            midRun.details == [
                "recorded by release 9.8",
                "begins in mid-run: a replay aligns again, its frames are not the live ones", counts,
            ])
        var engine = Engine()
        let past = engine.past
        let reset = try read {
            $0.startsWithEngine = false
        } _: {
            $0.write(wheels(1), number: 1)
            $0.write(.command(.reset(after: past)), number: 2)
        }
        #expect(
            reset.details.contains("begins in mid-run: its replay gives the live frames from the first reset on"))
        #expect(midRun.notes.isEmpty && reset.notes.isEmpty)
    }

    /// Notes whether the engine of a replay has got a declination.
    private final class DeclinationNote: ReplaySink {
        private(set) var isKnown = false
        func write(_ frame: Frame) {}
        func finish() {}
        func note(_ event: SensorEvent, _ engine: inout Engine) {
            if engine.past.estimator.declination != nil { isKnown = true }
        }
    }

    @Test(arguments: [true, false]) func aConversionKeepsThatPositionsWereMoved(isPrivate: Bool) throws {
        // GIVEN a recording whose positions were moved to a random place, and one that has its own
        var info = RecordingInfo(release: "9.8", session: "s")
        info.isPrivate = isPrivate
        var writer = DriveRecordingWriter(info: info, settings: RecordedSettings())
        for number in 1...3 { writer.write(wheels(Int64(number)), number: UInt64(number)) }
        writer.finish()
        let folder = try TemporaryFolder()
        try folder.write(Data(writer.takeBytes()), to: "a.mcap")
        let (input, output) = ("\(folder.path)/a.mcap", "\(folder.path)/b.mcap")
        // WHEN it is converted to a recording THEN that one tells it, too
        _ = try Conversion(input: input, from: .mcap, output: output, to: .mcap).run()
        let reader = try Conversion.open(output, .mcap)
        while try reader.next() != nil {}
        #expect(reader.details.first?.hasSuffix(", positions moved to a random place") == isPrivate)
        // AND its replay computes no declination of a place where the magnetometer never was
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let text = try String(contentsOf: here.appendingPathComponent("../../data/WMM.COF"), encoding: .utf8)
        var replay = Replay(recording: output)
        replay.declination = DeclinationSchedule(
            model: try GeomagneticModel(text: text),
            configuredPlace: GeodeticPosition(latitudeDegrees: 46, longitudeDegrees: 6))
        let note = DeclinationNote()
        _ = try replay.runRecorded(into: note)
        #expect(note.isKnown != isPrivate)
    }
}
