import Conversion
import Demo
import Foundation
import Frames
import Geodesy
import Measurements
import PoseMath
import Recording
import Simulation
import Testing

@testable import Scenarios

/// What becomes of a scenario: measurements with their faults, recordings with their truth, expected results.
@Suite struct ScenarioDriveTests {
    private static func read(_ text: String) throws -> Scenario {
        try ScenarioReader.read(bytes: Array("speed: {standing_before_s: 5}\n\(text)\n".utf8), path: "x.yaml")
    }

    @Test(arguments: ScenarioLibrary.names)
    func everyScenarioReachesWhatItExpects(name: String) throws {
        // WHEN the engine runs a scenario of the library
        let scenario = try #require(try ScenarioLibrary.scenario(name))
        let check = try ScenarioCheck(scenario)
        // THEN the result is the expected one
        for row in check.rows { #expect(row.isGood, "\(name): \(row)") }
    }

    @Test func theDemoIsTheDriveOfTheDaemon() throws {
        // GIVEN the scenario of the demo, and the drive that the daemon simulates
        let recording = try ScenarioRecording(try #require(try ScenarioLibrary.scenario("demo")))
        var demo = try DemoDrive.simulation().makeIterator()
        // THEN their first minute is the same to the last bit, but for the label of UTC
        for _ in 0..<6000 {
            guard case (let mine?, let other?) = (recording.next(), demo.next()) else {
                Issue.record("one of them has ended")
                return
            }
            if case (.gnss(var a), .gnss(let b)) = (mine, other) {
                a.utcNanoseconds = b.utcNanoseconds
                #expect(a == b)
            } else {
                #expect(mine == other)
            }
        }
    }

    @Test func aToldMountIsThatOfTheStatus() throws {
        // GIVEN scenarios with a mount that is turned about one axis by 10 degrees
        for axis in 0..<3 {
            var told = [0.0, 0, 0]
            told[axis] = 10
            let scenario = try Self.read("imu: {mount_deg: \(told), grade: perfect}")
            let q = try #require(scenario.sensors.inertial).sensorToBody
            // THEN the status of such a mount has these angles
            let mount = Message.Mount(
                sensorToBody: .init(q.w, q.x, q.y, q.z), sigmaRadians: .init(0, 0, 0), origin: .found)
            let turns = mount.rollPitchYawRadians
            let angles = [turns.x, turns.y, turns.z].map { $0 * 180 / .pi }
            for (angle, expected) in zip(angles, told) { #expect(abs(angle - expected) < 1e-9, "\(angles)") }
        }
        // AND with a pitch of +10 degrees the x axis points down: at rest the accelerometer's x is negative
        let scenario = try Self.read("imu: {mount_deg: [0, 10, 0], grade: perfect}")
        let recording = try ScenarioRecording(scenario)
        var first: Vector3?
        while first == nil, let event = recording.next() {
            if case .inertial(let sample) = event { first = sample.specificForceMetersPerSecondSquared }
        }
        let force = try #require(first)
        // It stands before it drives: gravity alone, of 9.78 to 9.83 m/s2.
        let expected = -9.81 * sin(10 * Double.pi / 180)
        #expect(abs(force.x - expected) < 0.02 && abs(force.y) < 0.02, "\(force)")
    }

    @Test func faultsAreInTheirTimeOnly() throws {
        // GIVEN a drive with every fault at its own time
        var scenario = Scenario(name: "faults")
        scenario.faults = [
            .init(kind: .imuGap, span: .init(from: 20, seconds: 2)),
            .init(kind: .gyroStuck, span: .init(from: 30, seconds: 2)),
            .init(kind: .noVelocity, span: .init(from: 40, seconds: 5)),
        ]
        scenario.tunnels = [.init(from: 50, seconds: 5)]
        let recording = try ScenarioRecording(scenario)
        var (samples, stuck, fixes) = ([Double](), Set<Vector3>(), [(Double, Bool)]())
        while let event = recording.next(), event.arrivalTime.seconds < 60 {
            switch event {
            case .inertial(let sample):
                samples.append(sample.time.seconds)
                if (30.001..<32).contains(sample.time.seconds) { stuck.insert(sample.angularRateRadiansPerSecond) }
            case .gnss(let fix): fixes.append((fix.validityTime.seconds, fix.horizontalVelocity != nil))
            default: break
            }
        }
        // THEN each fault is there, and not elsewhere
        let gaps = zip(samples, samples.dropFirst()).filter { $1 - $0 > 0.1 }
        #expect(gaps.count == 1 && abs((gaps.first?.1 ?? 0) - 22) < 0.02)
        #expect(stuck.count == 1)
        #expect(fixes.allSatisfy { time, has in has != (40..<45).contains(time) })
        #expect(!fixes.contains { (50...55).contains($0.0) } && fixes.contains { $0.0 > 55 })
    }

    @Test func aSensorThatIsStuckFromTheStartRepeatsItsFirstReading() throws {
        // GIVEN a gyro and a receiver that are stuck in the first seconds WHEN the scenario is driven THEN they repeat
        // their first reading in that time, and no longer
        var scenario = Scenario(name: "faults")
        scenario.faults = [
            .init(kind: .gyroStuck, span: .init(from: 0, seconds: 5)),
            .init(kind: .receiverStuck, span: .init(from: 0, seconds: 5)),
        ]
        let recording = try ScenarioRecording(scenario)
        var rates: [Set<Vector3>] = [[], []]
        var places: [Set<Double?>] = [[], []]
        while let event = recording.next(), event.arrivalTime.seconds < 10 {
            let part = event.validityTime.seconds < 5 ? 0 : 1
            switch event {
            case .inertial(let sample): rates[part].insert(sample.angularRateRadiansPerSecond)
            case .gnss(let fix): places[part].insert(fix.latitudeRadians)
            default: break
            }
        }
        #expect(rates[0].count == 1 && places[0].count == 1)
        #expect(rates[1].count > 100 && places[1].count > 3)
    }

    @Test func theRecordingAndItsTruthAreWritten() throws {
        // GIVEN a short scenario
        let folder = NSTemporaryDirectory() + "posed-scenario-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var scenario = Scenario(name: "short")
        scenario.way = .random(edges: 2)
        for path in ["\(folder)/x.mcap", "\(folder)/x"] {
            // WHEN it is written THEN the recording has the measurements, and the truth covers the drive
            let (count, truth) = try ScenarioOutput(path: path).write(scenario)
            let reader = try Conversion.open(path, try InputFormat.detect(path: path))
            var read = 0
            while try reader.next() != nil { read += 1 }
            #expect(read == count && count > 1000)
            let lines = try String(contentsOfFile: truth, encoding: .utf8).split(separator: "\n")
            let length = try scenario.simulated().drive.durationSeconds
            #expect(abs(Double(lines.count - 1) - length * 10) <= 2)
        }
        // THEN the same file has the same bytes
        _ = try ScenarioOutput(path: "\(folder)/y.mcap").write(scenario)
        let first = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/x.mcap"))
        let second = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/y.mcap"))
        #expect(first == second)
    }

    @Test func cornersBecomeDrivable() {
        // GIVEN corners with repetitions, tiny steps and a turn back
        let corners = [[48, 11], [48, 11], [48.00001, 11], [48.001, 11], [48.0001, 11.00001], [48.001, 11.002]].map {
            GeodeticPosition(latitudeDegrees: $0[0], longitudeDegrees: $0[1])
        }
        // THEN what is left can be driven
        let kept = Scenario.drivable(corners).map { corners[$0] }
        #expect(kept.count >= 2)
        #expect(throws: Never.self) { try Drive(DrivePlan(vertices: kept, limitsMetersPerSecond: [10])) }
    }

    @Test func aRoadFileThatIsNoneIsNamed() {
        var scenario = Scenario(name: "roads")
        scenario.way = .roads(path: "/nowhere.posed", from: [42, 1], to: [42, 2])
        let error = #expect(throws: Scenario.Failure.self) { try scenario.simulated() }
        #expect(error?.description.hasPrefix("/nowhere.posed") == true, "\(error?.description ?? "")")
    }
}
