import Engine
import EngineRuntime
import Foundation
import Frames
import Geodesy
import Logging
import Platform
import PoseMath
import SensorInterface
import Testing

@testable import Commands

/// The declination in `status`, and what would help where it is unknown.
@Suite struct MagneticNorthTests {
    /// The installed model, which is valid from 2025 to 2030.
    private static func model() throws -> GeomagneticModel {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let file = folder.appendingPathComponent("../../data/WMM.COF")
        return try GeomagneticModel(text: String(contentsOf: file, encoding: .utf8))
    }

    /// A frame of a year after 1970, without a position.
    private static func frame(year: Double) -> Frame {
        var frame = Frame()
        frame.utcNanoseconds = Int64((year - 1970) * 365.2425 * 86_400e9)
        return frame
    }

    /// The declination at a place in the settings, in a year that a receiver gives.
    private static func north(_ latitude: Double, _ longitude: Double, year: Double) throws -> MagneticNorth {
        var north = MagneticNorth()
        north.schedule = DeclinationSchedule(
            model: try model(),
            configuredPlace: GeodeticPosition(latitudeDegrees: latitude, longitudeDegrees: longitude))
        #expect(north.schedule.update(with: frame(year: year)) != nil)
        return north
    }

    private func text(_ north: MagneticNorth) -> String {
        var writer = JSONWriter(capacity: 512)
        north.write(to: &writer)
        return writer.text
    }

    @Test func aKnownDeclinationIsInDegrees() throws {
        // GIVEN a published value of the model: 1.28 degrees at 80 degrees north in 2025, where 6523.2 nT are
        // horizontal, so that its sigma is the root of 0.26 squared and 5417 nT through that, squared
        let north = try Self.north(80, 0, year: 2025.0001)
        #expect(
            text(north) == #","declination":{"deg":1.282,"sigma_deg":0.870,"from":"settings","model":"WMM-2025","#
                + #""valid_from_year":2025.0,"valid_to_year":2030.0,"note":null}"#)
        #expect(north.remedy == nil && north.staleness == nil)
    }

    @Test func aModelBeforeOrAfterItsTimeIsTold() throws {
        let stale = "the magnetic model WMM-2025 is valid from 2025 to 2030 only: install a newer WMM.COF"
        for (year, note) in [(2024.9, stale), (2025.1, nil), (2029.9, nil), (2030.1, stale)] {
            let north = try Self.north(47, 8, year: year)
            #expect(north.staleness == note && north.remedy == nil, "\(year)")
            #expect(text(north).hasSuffix(note.map { ",\"note\":\"\($0)\"}" } ?? ",\"note\":null}"))
        }
        // GIVEN a date so long after the model that it is not used THEN a newer one helps
        let late = try Self.north(47, 8, year: 2046)
        #expect(
            late.remedy == "the magnetic model WMM-2025 is not for this date: install a newer WMM.COF, or set the clock"
        )
        #expect(text(late).hasPrefix(#","declination":{"deg":null,"sigma_deg":null,"from":"settings","#))
    }

    @Test func whatIsMissingIsTheRemedy() throws {
        // GIVEN no model, with and without a reason THEN that is the remedy
        var north = MagneticNorth()
        #expect(north.remedy == "there is no magnetic model" && north.staleness == nil)
        north.problem = "WMM.COF has no line"
        #expect(north.remedy == "WMM.COF has no line")
        // GIVEN a model and no place THEN a place
        north.schedule = DeclinationSchedule(model: try Self.model(), configuredPlace: nil)
        #expect(north.remedy == "set magnetic.place_deg, or connect a satellite receiver")
        // GIVEN the magnetic pole in the north, in a year of the model THEN nothing helps
        #expect(try Self.north(86, 140, year: 2026).remedy == "too close to a magnetic pole for a compass")
    }

    @Test func theEngineIsToldOnceAndAgainWhereItHadNoRoom() throws {
        // GIVEN a handler with a model and a place; the clock of the system gives the date unless that is a recording
        let loop = EngineLoop(engine: .init())
        let handler = CommandHandler(
            loop: loop, wheels: loop.makeSink(name: "wheels"), board: SourceStatusBoard(), completionEvent: EventFD(),
            defaultRateMillihertz: 10_000, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let place = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8)
        handler.north.schedule = DeclinationSchedule(model: try Self.model(), configuredPlace: place)
        #expect(MagneticNorth().usesSystemClock)
        handler.north.usesSystemClock = false
        handler.updateDeclination()
        let first = try #require(handler.north.schedule.latest)
        #expect(first.declination != nil && first.year == nil)
        // AND a recording that begins now has it
        let command = EngineInput.command(.setDeclination(first.declination))
        #expect(handler.recordingContext.map { "\($0)" }.contains("\(command)"))
        // WHEN the queue of the engine is full THEN the declination is not lost
        while loop.submit(.reset()) {}
        handler.didPublish(Self.frame(year: 2026), fanOut: .init(hello: .init(release: "test")))
        handler.updateDeclination()
        #expect(handler.north.schedule.latest == nil)
    }
}
