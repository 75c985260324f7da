import Foundation
import Guidance
import RoadDrives
import Simulation
import Testing

/// Simulated drives on real roads from an extract of OpenStreetMap, with receivers of all kinds, gaps, reflections and
/// outages.
@Suite(.enabled(if: SharedData.extract != nil, "the extract of OpenStreetMap is not beside the package"))
struct RoadDriveTests {
    /// Routes and drives along them, created once for all tests.
    private static let drives = Result { try make(seed: 1) }
    /// Other routes and noise, not used for tuning.
    private static let otherDrives = Result { try make(seed: 20261) }

    private static func make(seed: Int) throws -> [(route: RoadRoute, drive: Drive)] {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Support/RoadDrives/road_routes.py").path
        return try RoadRoute.make(count: 240, seed: seed, extract: SharedData.extract ?? "", script: script).map {
            ($0, try $0.drive())
        }
    }

    /// Untuned drives: the total rate of false states is as low as for the tuned ones, although it is higher for the
    /// worst receiver.
    @Test func untunedDrivesStayOnRoute() throws {
        var (misled, count) = ([String](), 0)
        for view in DriveView.all {
            var (thrownBack, misturned) = ([Int](), [Int]())
            for (index, (road, drive)) in try RoadDriveTests.otherDrives.get().enumerated() {
                // GIVEN a drive along its route WHEN it is followed
                let faults = RoadFaults(
                    view.fixes(of: drive, seed: UInt64(770_001 + index)), on: try road.route(),
                    reflectionMeters: view.receiver.multipathEpisodesPerMinute > 0 ? view.receiver.multipathMeters : 0)
                if faults.isFalse { misled.append("\(view.name) \(index)") }
                if faults.backwardJumps > 0 { thrownBack.append(index) }
                if faults.wrongManeuvers > 0 { misturned.append(index) }
                count += 1
            }
            // THEN none jumps back, and no turn is missed
            #expect(thrownBack.isEmpty && misturned.isEmpty, "\(view.name): \(thrownBack) \(misturned)")
        }
        // AND at most one in a hundred has a false state
        #expect(count >= 1_900)
        #expect(Double(misled.count) < 0.01 * Double(count), "\(misled)")
    }

    /// False states per kind of receiver: at most 1 in 100 drives of 15 minutes.
    @Test(arguments: DriveView.all.map(\.name))
    func simulatedDrivesStayOnRoute(name: String) throws {
        let view = try #require(DriveView.all.first { $0.name == name })
        let drives = try RoadDriveTests.drives.get()
        #expect(drives.count >= 200)
        var (misled, thrownBack, misturned) = ([Int](), [Int](), [Int]())
        for (index, (road, drive)) in drives.enumerated() {
            // GIVEN a drive along its route WHEN it is followed
            let faults = RoadFaults(
                view.fixes(of: drive, seed: UInt64(index + 1)), on: try road.route(),
                reflectionMeters: view.receiver.multipathEpisodesPerMinute > 0 ? view.receiver.multipathMeters : 0)
            if faults.isFalse { misled.append(index) }
            if faults.backwardJumps > 0 { thrownBack.append(index) }
            if faults.wrongManeuvers > 0 { misturned.append(index) }
        }
        // THEN almost none has a false state, none jumps back, and no turn is missed
        #expect(Double(misled.count) < 0.01 * Double(drives.count), "\(misled)")
        #expect(thrownBack.isEmpty, "\(thrownBack)")
        #expect(misturned.isEmpty, "\(misturned)")
    }

    @Test func outagesOfAMinuteAreBridged() throws {
        var (misled, thrownBack) = ([Int](), [Int]())
        var (misplaced, count) = (0, 0)
        let drives = try RoadDriveTests.drives.get().prefix(60)
        for (index, (road, drive)) in drives.enumerated() {
            // GIVEN a drive with an IMU of unknown mount, a receiver with reflections, and outages of 30 and 60 s
            let (first, second) = (0.3 * drive.durationSeconds, 0.6 * drive.durationSeconds)
            let fixes = DriveView.fused(
                drive, seed: UInt64(index + 1), dark: [first...(first + 30), second...(second + 60)])
            // WHEN the filtered positions are followed
            let faults = RoadFaults(fixes, on: try road.route(), reflectionMeters: 12)
            if faults.isFalse { misled.append(index) }
            if faults.backwardJumps > 0 { thrownBack.append(index) }
            misplaced += faults.misplaced
            count += faults.count
        }
        // THEN there is no false departure and no backward jump, and the along-route error exceeds 15 m for at most a
        // third of the outages
        #expect(misled.isEmpty, "\(misled)")
        #expect(thrownBack.isEmpty, "\(thrownBack)")
        #expect(Double(misplaced) < 0.03 * Double(count))
    }

    /// Positions as in fleet archives, without course and speed, one in forty more than 25 m off for tens of seconds.
    /// They cannot be distinguished from a departure.
    @Test(arguments: [(1.0, 10.0, 0.04), (5, 20, 0.04), (10, 40, 0.01)])
    func poorPositionsRarelyCauseFalseStates(period: Double, episode: Double, share: Double) throws {
        let view = DriveView.fleet(every: period, episode: episode)
        let drives = try RoadDriveTests.drives.get()
        let misled = try drives.enumerated().filter { index, drive in
            RoadFaults(view.fixes(of: drive.drive, seed: UInt64(index + 1)), on: try drive.route.route()).isFalse
        }
        #expect(Double(misled.count) <= share * Double(drives.count), "\(misled.count)")
    }

    /// Receivers with enough data to detect a departure in time.
    @Test(arguments: ["open sky", "city", "positions only", "10 Hz"], [false, true])
    func departuresAtJunctionsAreDetectedInTime(name: String, others: Bool) throws {
        let view = try #require(DriveView.all.first { $0.name == name })
        var delays: [Double] = []
        var early: [Int] = []
        let drives = try others ? RoadDriveTests.otherDrives.get() : RoadDriveTests.drives.get()
        for (index, (road, drive)) in drives.enumerated() {
            // GIVEN a route that takes another road at a junction
            guard let planned = try road.plannedRoute() else { continue }
            let departure = RoadDeparture(
                view.fixes(of: drive, seed: UInt64(index + (others ? 770_001 : 1))), planned: planned)
            guard departure.leaves else { continue }
            if departure.isEarly { early.append(index) }
            delays.append(departure.delaySeconds)
        }
        // THEN none is missed, almost all are detected within 6 s after the vehicle is 25 m away, and none before it
        // has left the route
        #expect(delays.count >= 100)
        let missed = delays.filter { !$0.isFinite }
        #expect(missed.isEmpty)
        // Positions without velocity that are 25 m off for half a minute look like a departure: one in 300.
        #expect(early.count <= (name == "positions only" ? 1 : 0), "\(early)")
        let late = delays.filter { $0 > 6 }
        #expect(Double(late.count) <= 0.02 * Double(delays.count), "\(late)")
    }

    /// With a position every five seconds, two positions off the route are sufficient after a turn.
    @Test func sparsePositionsDetectADepartureAtTheSecondOne() throws {
        let view = try #require(DriveView.all.first { $0.name == "5 s" })
        var delays: [Double] = []
        for (index, (road, drive)) in try RoadDriveTests.drives.get().enumerated() {
            guard let planned = try road.plannedRoute() else { continue }
            let departure = RoadDeparture(view.fixes(of: drive, seed: UInt64(index + 1)), planned: planned)
            if departure.leaves { delays.append(departure.delaySeconds) }
        }
        delays.sort()
        #expect(delays.count >= 100)
        #expect(delays[delays.count / 2] <= 5.001)
    }
}
