import Frames
import Geodesy
import PoseMath
import Testing

@testable import Horizon

/// The events that a target is near and that it is far again.
@Suite struct TargetEventTests {
    private static let target = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8)

    /// A pose at a distance north of the target, metres.
    private func input(_ meters: Double, second: Int) throws -> HorizonInput {
        let place = LocalFrame(origin: Self.target).position(ofENUMeters: Vector3(0, meters, 0))
        var frame = Frame()
        frame.timeNanoseconds = Int64(second) * 1_000_000_000
        frame.pose.state = .aligned
        frame.pose.latitudeRadians = place.latitudeRadians
        frame.pose.longitudeRadians = place.longitudeRadians
        frame.pose.positionSigmaENUMeters = .init(1, 1, 2)
        return try #require(HorizonInput(frame, route: nil))
    }

    @Test func nearAndFarAreToldOnceEach() throws {
        var horizon = ElectronicHorizon(settings: HorizonSettings(), map: nil)
        horizon.targetPlaces = [Self.target]
        // GIVEN a drive to the target, some seconds there with noise about the border of 15 m, and on
        let distances: [Double] = [60, 40, 20, 14, 16, 14, 0, 3, 16, 14, 20, 24.9, 30, 24, 16, 50, 90]
        var events: [(Int, Message.Change)] = []
        for (second, meters) in distances.enumerated() {
            _ = horizon.update(try input(meters, second: second))
            if let event = horizon.targetChange {
                #expect(event.timeNanoseconds == Int64(second) * 1_000_000_000)
                events.append((second, event.change))
            }
        }
        // THEN it is near at 14 m, and far again beyond 25 m: 10 m of margin
        #expect(events.map(\.0) == [3, 12])
        #expect(events.map(\.1) == [.target(number: 1, isNear: true), .target(number: 1, isNear: false)])
    }

    @Test func anotherTargetBeginsAnewAndOtherSettingsDoNot() throws {
        var horizon = ElectronicHorizon(settings: HorizonSettings(), map: nil)
        horizon.targetPlaces = [Self.target]
        _ = horizon.update(try input(5, second: 0))
        #expect(horizon.targetChange?.change == .target(number: 1, isNear: true))
        // WHEN the settings are reloaded THEN the event is not sent again
        var settings = HorizonSettings()
        settings.targetNearMeters = 40
        var next = ElectronicHorizon(settings: settings, map: nil)
        next.goOn(after: horizon)
        _ = next.update(try input(6, second: 1))
        #expect(next.targetChange == nil)
        _ = next.update(try input(60, second: 2))
        #expect(next.targetChange?.change == .target(number: 1, isNear: false))
        // WHEN another is chosen THEN its own event is sent, with its number; without a target there is none
        next.targetPlaces = [LocalFrame(origin: Self.target).position(ofENUMeters: Vector3(0, 100, 0))]
        _ = next.update(try input(90, second: 3))
        #expect(next.targetChange?.change == .target(number: 2, isNear: true))
        next.targetPlaces = []
        _ = next.update(try input(95, second: 4))
        #expect(next.targetChange == nil)
    }

    @Test func severalTargetsAreReachedOneByOne() throws {
        // GIVEN three targets on a road, and a pose that passes them
        var horizon = ElectronicHorizon(settings: HorizonSettings(), map: nil)
        let frame = LocalFrame(origin: Self.target)
        horizon.targetPlaces = [0, 100, 200].map { frame.position(ofENUMeters: Vector3(0, $0, 0)) }
        var events: [(Int, Message.Change)] = []
        var shown: [Int] = []
        for second in 0..<30 {
            _ = horizon.update(try input(10 * Double(second) - 30, second: second))
            shown.append(horizon.content?.targets.count ?? 0)
            if let event = horizon.targetChange { events.append((second, event.change)) }
        }
        // THEN each is near at 15 m, the first at -10 m; the next one is then the target; the last remains, and is far
        // again beyond 25 m
        #expect(events.map(\.0) == [2, 12, 22, 26])
        #expect(
            events.map(\.1) == [
                .target(number: 1, isNear: true), .target(number: 2, isNear: true), .target(number: 3, isNear: true),
                .target(number: 3, isNear: false),
            ])
        #expect(shown.first == 3 && shown[15] <= 2 && shown.last == 1)
    }
}
