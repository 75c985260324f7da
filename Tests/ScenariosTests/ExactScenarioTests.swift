import Conversion
import Foundation
import Geodesy
import Measurements
import PoseMath
import Recording
import Simulation
import StoredTexts
import Testing

@testable import Scenarios

/// What a scenario changes in a drive, measurement by measurement, and the files that it writes.
@Suite struct ExactScenarioTests {
    /// A drive of about a minute with all sensors.
    private static func scenario(_ change: (inout Scenario) -> Void = { _ in }) -> Scenario {
        var scenario = Scenario(name: "x")
        scenario.way = .corners([[48, 11], [48.001, 11], [48.001, 11.002], [48.002, 11.003]])
        scenario.driver.standingSecondsBefore = 2
        (scenario.sensors.wheels, scenario.sensors.magnetometer) = (SensorSuite.Wheels(), SensorSuite.Magnetometer())
        scenario.sensors.barometer = SensorSuite.Barometer()
        change(&scenario)
        return scenario
    }

    private static func events(_ scenario: Scenario) throws -> [SensorEvent] {
        let recording = try ScenarioRecording(scenario)
        var events: [SensorEvent] = []
        while let event = recording.next() { events.append(event) }
        return events
    }

    @Test(arguments: Scenario.Fault.Kind.allCases)
    func aFaultChangesWhatItIsAboutInItsTime(kind: Scenario.Fault.Kind) throws {
        // GIVEN a drive with and without a fault from 10 s on for 5 s, both at times of measurements
        let usual = try Self.events(Self.scenario())
        var changed = try Self.events(
            Self.scenario { $0.faults = [.init(kind: kind, span: .init(from: 10, seconds: 5))] })
        changed.reverse()
        var (heldRate, held): (Vector3?, GnssFix?) = (nil, nil)
        var affected = 0
        for event in usual {
            let time = event.validityTime.seconds
            let isBroken = time >= 10 && time < 15
            // THEN every measurement in this time is the usual one with the fault, and the others are as usual
            let expected = Self.expected(event, isBroken ? kind : nil, &heldRate, &held)
            guard let expected else {
                affected += 1
                continue
            }
            if expected != event { affected += 1 }
            let found = changed.popLast()
            #expect(found == expected, "at \(time) s")
            guard found == expected else { return }
        }
        #expect(changed.isEmpty && affected > 3)
    }

    /// A measurement as a fault leaves it; `nil` where it does not come.
    private static func expected(
        _ event: SensorEvent, _ fault: Scenario.Fault.Kind?, _ heldRate: inout Vector3?, _ held: inout GnssFix?
    ) -> SensorEvent? {
        switch event {
        case .inertial(var sample):
            let rate = sample.angularRateRadiansPerSecond
            if fault != .gyroStuck { heldRate = rate }
            switch fault {
            case .imuGap: return nil
            case .gyroStuck: sample.angularRateRadiansPerSecond = heldRate ?? rate
            case .gyroClipped:
                sample.angularRateRadiansPerSecond = Vector3(
                    min(max(rate.x, -0.15), 0.15), min(max(rate.y, -0.15), 0.15), min(max(rate.z, -0.15), 0.15))
            default: break
            }
            return .inertial(sample)
        case .gnss(var fix):
            if fault != .receiverStuck { held = fix }
            switch fault {
            case .receiverStuck:
                (fix.latitudeRadians, fix.longitudeRadians) = (held?.latitudeRadians, held?.longitudeRadians)
            case .receiverJump: fix.latitudeRadians = fix.latitudeRadians.map { $0 + 100 / 6_378_137 }
            case .noVelocity: (fix.horizontalVelocity, fix.climbMetersPerSecond) = (nil, nil)
            case .noAccuracy: (fix.horizontalSigmaMeters, fix.verticalSigmaMeters) = (nil, nil)
            default: break
            }
            return .gnss(fix)
        default: return event
        }
    }

    @Test func jammingIsReportedInItsTime() throws {
        // GIVEN jamming from 10 s on for 5 s THEN the fixes of this time have it; each has UTC since 2026-09-21
        let fixes = try Self.events(Self.scenario { $0.jamming = [.init(from: 10, seconds: 5)] }).compactMap { event in
            if case .gnss(let fix) = event { fix } else { nil }
        }
        #expect(fixes.contains { $0.isInterfered } && fixes.contains { !$0.isInterfered })
        for fix in fixes {
            let time = fix.validityTime.seconds
            #expect(fix.isInterfered == (time >= 10 && time < 15), "\(time)")
            #expect(fix.utcNanoseconds == 1_790_000_000_000_000_000 + fix.validityTime.nanoseconds)
        }
    }

    @Test func aRecordingHasTheSensorsThatAreFitted() throws {
        let all = try ScenarioRecording(Self.scenario())
        #expect(all.kinds == [.gps, .imu, .magnetometer, .barometer, .wheels] && all.notes.isEmpty)
        var last = all.progress
        #expect(last == 0)
        while all.next() != nil {
            #expect(all.progress >= last && all.progress <= 1)
            last = all.progress
        }
        #expect(last > 0.99)
        let few = Self.scenario {
            ($0.hasIMU, $0.hasReceiver, $0.sensors.magnetometer, $0.sensors.barometer) = (false, false, nil, nil)
        }
        #expect(try ScenarioRecording(few).kinds == [.wheels])
        let others = Self.scenario { $0.sensors.wheels = nil }
        #expect(try ScenarioRecording(others).kinds == [.gps, .imu, .magnetometer, .barometer])
    }

    // MARK: - The plan

    @Test func aPlanHasTheLimitsAndTheStops() throws {
        // GIVEN four corners THEN the limit is 50 km/h, or the stated one, and the stops are at their corners
        #expect(try Self.scenario().plan().limitsMetersPerSecond == [50 / 3.6])
        let own = try Self.scenario {
            $0.limitMetersPerSecond = 7
            $0.stops = [3, 0].map { DrivePlan.Stop(vertex: $0, durationSeconds: 5) }
        }.plan()
        #expect(own.limitsMetersPerSecond == [7] && own.stops.map(\.vertex) == [3, 0] && own.vertices.count == 4)
        #expect(own.vertices.allSatisfy { $0.altitudeEllipsoidMeters == 100 } && own.standingSecondsBefore == 2)
        #expect(own.vertices.map(\.latitudeDegrees).map { ($0 * 1000).rounded() } == [48_000, 48_001, 48_001, 48_002])
        // GIVEN random streets THEN they are those of the seed, with their own stops
        let random = try Self.scenario { ($0.way, $0.seed) = (.random(edges: 7), 5) }.plan()
        let same = DrivePlan.random(seed: 5, edges: 7)
        #expect(random.vertices == same.vertices && random.stops == same.stops)
        // AND each of them has its own limit
        #expect(random.limitsMetersPerSecond == same.limitsMetersPerSecond && random.limitsMetersPerSecond.count == 7)
    }

    @Test func theDemoHasWhatItIsGiven() throws {
        // GIVEN the demo THEN a recording is one lap, with its receiver, its IMU and the sensors that are fitted
        let demo = Self.scenario { $0.way = .demo }
        let usual = try demo.simulated()
        #expect(!usual.drive.plan.repeats && usual.sensors.satellite?.outages.count == 1)
        #expect(try ScenarioRecording(demo).kinds == [.gps, .imu, .magnetometer, .barometer, .wheels])
        // AND those that are left out are missing
        var few = Scenario(name: "few")
        few.way = .demo
        few.hasReceiver = false
        #expect(try ScenarioRecording(few).kinds == [.imu])
        few.hasIMU = false
        few.sensors.wheels = SensorSuite.Wheels()
        #expect(try ScenarioRecording(few).kinds == [.wheels])
        // AND a tunnel is one more than its own, without a fix
        var tunnel = demo
        tunnel.tunnels = [.init(from: 20, seconds: 10)]
        #expect(try tunnel.simulated().sensors.satellite?.outages.contains(20...30) == true)
        let recording = try ScenarioRecording(tunnel)
        var times: [Double] = []
        while let event = recording.next(), event.arrivalTime.seconds < 40 {
            if case .gnss(let fix) = event { times.append(fix.validityTime.seconds) }
        }
        #expect(!times.contains { (20...30).contains($0) })
        #expect(times.contains { $0 < 20 } && times.contains { $0 > 30 })
    }

    @Test func aStopStaysAtItsCorner() throws {
        // GIVEN corners of which the second and the fourth are too near the one before THEN a stop at the third is
        // there, and one at the fourth is at the third, too
        func stops(_ vertices: [Int]) throws -> [Int] {
            try Self.scenario {
                $0.way = .corners([[48, 11], [48.00001, 11], [48.001, 11], [48.00101, 11], [48.002, 11]])
                $0.stops = vertices.map { DrivePlan.Stop(vertex: $0, durationSeconds: 5) }
            }.plan().stops.map(\.vertex)
        }
        #expect(try stops([0, 1, 2, 3, 4]) == [0, 0, 1, 1, 2])
        // AND one beyond the last corner is named
        let error = #expect(throws: Scenario.Failure.self) { try stops([4, 5]) }
        #expect(error?.description == "x: the way has no corner 5 for stop 1, only 0 to 4: correct stops")
    }

    @Test func aRouteFileIsFollowed() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/way.gpx"
        let points = ["48.0", "48.002", "48.004"].map { "<rtept lat=\"\($0)\" lon=\"11.5\"/>" }.joined()
        try "<gpx version=\"1.1\"><rte>\(points)</rte></gpx>".write(toFile: path, atomically: true, encoding: .utf8)
        let plan = try Self.scenario { $0.way = .file(path) }.plan()
        #expect(plan.vertices.first.map { ($0.latitudeDegrees * 1e6).rounded() } == 48e6)
        #expect(
            plan.vertices.allSatisfy { $0.altitudeEllipsoidMeters == 100 && abs($0.longitudeDegrees - 11.5) < 1e-9 })
        #expect(plan.limitsMetersPerSecond == [50 / 3.6])
        let error = #expect(throws: Scenario.Failure.self) { try Self.scenario { $0.way = .file(path + "x") }.plan() }
        #expect(error?.description.hasPrefix("\(path)x: ") == true)
    }

    /// Corners at metres east and north of a place.
    private static func corners(_ offsets: [(Double, Double)]) -> [GeodeticPosition] {
        let frame = LocalFrame(origin: GeodeticPosition(latitudeDegrees: 48, longitudeDegrees: 11))
        return offsets.map { frame.position(ofENUMeters: Vector3($0.0, $0.1, 0)) }
    }

    @Test func cornersAreEightMetersApart() {
        // GIVEN corners just nearer and just farther than 8 m from the one before THEN the near ones are left out
        for (east, north) in [(1.0, 0.0), (0, 1), (0.6, 0.8), (-0.8, 0.6)] {
            for (meters, count) in [(7.98, 1), (8.02, 2)] {
                #expect(Scenario.drivable(Self.corners([(0, 0), (east * meters, north * meters)])).count == count)
            }
        }
        // The distance is that from the last one that is kept.
        let chain = Self.corners((0..<10).map { (Double($0) * 5, 0) })
        #expect(Scenario.drivable(chain) == [0, 2, 4, 6, 8])
        #expect(Scenario.drivable([]).isEmpty)
    }

    @Test(arguments: [(2.38, 3), (2.42, 2), (-2.38, 3), (-2.42, 2), (3.1, 2), (0, 3)])
    func aTurnIsAtMostTwoPointFourRadians(turn: Double, count: Int) {
        // GIVEN a corner after 100 m in any direction, and a turn there THEN a corner of a sharper turn is left out
        for course in stride(from: 0.0, to: 6.2, by: 0.7) {
            let middle = (100 * sin(course), 100 * cos(course))
            let end = (middle.0 + 150 * sin(course + turn), middle.1 + 150 * cos(course + turn))
            let corners = Self.corners([(0, 0), middle, end])
            let kept = Scenario.drivable(corners)
            #expect(kept.count == count && kept.first == 0 && kept.last == 2, "\(course)")
        }
    }

    @Test(arguments: [0.0, 45, 90, 180, 250]) func aWayOutAndBackEndsWhereItTurns(degrees: Double) throws {
        // GIVEN a street of a kilometre out and back, with corners every 20 m or only at its ends WHEN what no vehicle
        // can take is left out THEN it can be driven, up to the place where it turns
        let course = degrees * .pi / 180
        for spacing in [20.0, 1000] {
            let out = stride(from: 0.0, through: 1000, by: spacing).map { ($0 * sin(course), $0 * cos(course)) }
            let back = Array(out.dropLast().reversed())
            let corners = Self.corners(out + back)
            let kept = Scenario.drivable(corners)
            #expect(kept == Array(out.indices), "\(spacing)")
            #expect(throws: Never.self) {
                try Drive(DrivePlan(vertices: kept.map { corners[$0] }, limitsMetersPerSecond: [10]))
            }
        }
        // AND a corner that is left out at a turn leaves none that is too near to the one before
        #expect(Scenario.drivable(Self.corners([(0, 0), (0, 100), (0, 200), (0, 100.7), (50, 100.7)])) == [0, 1, 4])
    }

    // MARK: - Files

    private static func folder() throws -> String {
        let folder = NSTemporaryDirectory() + "posed-exact-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test func theTruthIsTheStoredOne() throws {
        // GIVEN a short drive WHEN its truth is written THEN every row is the stored one, ten in a second; a file
        // beside an MCAP file, and in a folder
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let scenario = Self.scenario {
            $0.way = .corners([[48, 11], [48.0003, 11.0002]])
            ($0.driver.hillHeightMeters, $0.driver.hillWavelengthMeters) = (5, 60)
            $0.driver.standingSecondsAfter = 1
        }
        for (path, truth) in [("/a.b.mcap", "/a.b.truth.csv"), ("/x//", "/x/truth.csv"), ("/y", "/y/truth.csv")] {
            let written = try ScenarioOutput(path: folder + path).write(scenario)
            #expect(written.truth == folder + truth)
            #expect(written.measurements == (try Self.events(scenario)).count)
            let text = try String(contentsOfFile: folder + truth, encoding: .utf8)
            #expect(text.hasSuffix("\n"))
            #expect(try StoredText.differences(of: String(text.dropLast()), from: "truth") == [])
        }
        // A folder that holds a recording is not used again, and a scenario that cannot be driven is named.
        let error = #expect(throws: ScenarioOutput.Failure.self) {
            try ScenarioOutput(path: folder + "/y").write(scenario)
        }
        #expect(error?.description.contains("already holds a recording") == true, "\(error?.description ?? "")")
        let none = Self.scenario { $0.way = .corners([[48, 11], [48, 11]]) }
        let other = #expect(throws: ScenarioOutput.Failure.self) { try ScenarioOutput(path: folder + "/z").write(none) }
        #expect(other?.description.hasPrefix("x: the way cannot be driven: ") == true, "\(other?.description ?? "")")
        #expect(!FileManager.default.fileExists(atPath: folder + "/z"))
    }
}
