import Foundation
import Frames
import Geodesy
import PoseMath
import Testing

@testable import Engine

/// When the declination is computed, and of what.
@Suite struct DeclinationScheduleTests {
    private static let pacific = GeodeticPosition(latitudeDegrees: 33, longitudeDegrees: -145)
    /// 2026-07-01.
    private static let summer: Int64 = 1_782_864_000_000_000_000

    private func model() throws -> GeomagneticModel {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        return try GeomagneticModel(
            text: try String(contentsOf: folder.appendingPathComponent("../../data/WMM.COF"), encoding: .utf8))
    }

    private func schedule(_ place: GeodeticPosition? = nil) throws -> DeclinationSchedule {
        DeclinationSchedule(model: try model(), configuredPlace: place)
    }

    /// A frame with a place.
    private func frame(_ place: GeodeticPosition?, utc: Int64? = nil, sigma: Double = 3) -> Frame {
        var frame = Frame()
        frame.utcNanoseconds = utc
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (place?.latitudeRadians, place?.longitudeRadians)
        frame.pose.positionSigmaENUMeters = place.map { _ in .init(sigma, sigma, sigma) }
        return frame
    }

    private func degrees(_ command: EngineCommand?) -> Double? {
        guard case .setDeclination(let declination?) = command else { return nil }
        return declination.radians.radiansInDegrees
    }

    @Test func aConfiguredPlaceGivesItAtOnceAndOnce() throws {
        // GIVEN a place in the settings and no receiver WHEN frames come
        var schedule = try schedule(Self.pacific)
        let first = degrees(schedule.update(with: frame(nil), utcNanoseconds: Self.summer))
        // THEN the first gives the declination there, and no later one does: NOAA publishes 11.96 deg for 12 km of
        // height, where it differs by less than a tenth
        #expect(abs((first ?? 0) - 11.96) < 0.1, "\(String(describing: first))")
        for _ in 0..<10 { #expect(schedule.update(with: frame(nil), utcNanoseconds: Self.summer) == nil) }
        #expect(schedule.latest?.origin == .settings)
        // WHEN a receiver tells another place THEN it is that of the place, and stays when the position is lost
        // (published for 14 km: -3.10 deg)
        let maldives = GeodeticPosition(latitudeDegrees: 0, longitudeDegrees: 80)
        let there = degrees(schedule.update(with: frame(maldives), utcNanoseconds: Self.summer))
        #expect(abs((there ?? 0) + 3.10) < 0.1, "\(String(describing: there))")
        #expect(schedule.update(with: frame(nil), utcNanoseconds: Self.summer) == nil)
        #expect(schedule.latest?.origin == .pose)
    }

    @Test func itIsComputedAnewFarAwayAndLongAfter() throws {
        var schedule = try schedule()
        #expect(schedule.update(with: frame(nil), utcNanoseconds: Self.summer) == nil)
        // GIVEN a first place WHEN the vehicle drives 30 km to the north in steps of 10 m
        var count = 0
        for step in 0..<3000 {
            let place = LocalFrame(origin: Self.pacific).position(ofENUMeters: Vector3(0, Double(step) * 10, 0))
            if schedule.update(with: frame(place, utc: Self.summer)) != nil { count += 1 }
        }
        // THEN it is computed at its begin and each 10 km
        #expect(count == 3)
        // AND a year later, and with a place of which nothing is known it is not
        let place = try #require(schedule.latest?.place)
        #expect(schedule.update(with: frame(place, utc: Self.summer + 31_000_000_000_000_000)) != nil)
        #expect(
            schedule.update(with: frame(Self.pacific, utc: Self.summer + 31_000_000_000_000_000, sigma: 1e6)) == nil)
        #expect(schedule.update(with: frame(place, utc: Self.summer + 31_000_000_000_000_000)) == nil)
        // AND again if the engine did not take it
        schedule.restart()
        #expect(schedule.update(with: frame(place, utc: Self.summer)) != nil)
    }

    @Test func aClockThatWasNeverSetIsNoDate() throws {
        // GIVEN a board whose clock says 1970
        var schedule = try schedule(Self.pacific)
        _ = schedule.update(with: frame(nil), utcNanoseconds: 5_000_000_000)
        let undated = try #require(schedule.latest)
        // THEN the declination is less sure than with a date
        #expect(undated.year == nil)
        let sigma = try #require(undated.declination).sigmaRadians
        // WHEN the date gets known THEN it is computed with it
        #expect(schedule.update(with: frame(nil), utcNanoseconds: Self.summer) != nil)
        #expect((schedule.latest?.declination?.sigmaRadians ?? 9) < sigma)
        #expect(abs((schedule.latest?.year ?? 0) - 2026.496) < 0.003)
        // AND a receiver's date is believed, even if the model is not valid then
        #expect(schedule.update(with: frame(nil, utc: 0)) != nil)
        #expect(schedule.latest?.declination == nil && schedule.latest?.year == 1970)
    }

    @Test(arguments: [(1_735_632_360_000_000_000, true), (1_735_632_359_000_000_000, false)] as [(Int64, Bool)])
    func aDateIsOneFromTheEpochOfTheModelOn(utcNanoseconds: Int64, isDate: Bool) throws {
        // GIVEN the model of 2025, and a clock that says its first instant, 55 mean years of 31,556,952 s after 1970,
        // or a second less THEN only the former is a date
        var schedule = try schedule(Self.pacific)
        _ = schedule.update(with: frame(nil), utcNanoseconds: utcNanoseconds)
        let latest = try #require(schedule.latest)
        #expect(latest.year == (isDate ? 2025 : nil))
    }

    @Test func withoutAModelThereIsNone() {
        var schedule = DeclinationSchedule(model: nil, configuredPlace: Self.pacific)
        #expect(schedule.update(with: frame(Self.pacific), utcNanoseconds: Self.summer) == nil)
    }
}
