import Foundation
import PoseMath
import Simulation
import Testing

@testable import Scenarios

/// Scenario files: every value arrives, every mistake has its place.
@Suite struct ScenarioReaderTests {
    private static func read(_ text: String) throws -> Scenario {
        try ScenarioReader.read(bytes: Array(text.utf8), path: "x.yaml")
    }

    @Test func everyValueArrives() throws {
        let scenario = try Self.read(
            """
            title: a test
            seed: 7
            imu: {enabled: true, rate_hz: 200, grade: tactical, gyro_noise_factor: 3, mount_deg: [0, 0, 90]}
            receiver:
              rate_hz: 10
              arm_m: [-1, 2, 3]
            route:
              corners: [[48, 11], [48.01, 11]]
            stops: [[1, 5]]
            tunnels: [[10, 20]]
            faults: [[gyro_stuck, 1, 2]]
            expect:
              horizontal_rms_m: 3
            """)
        #expect(scenario.name == "x" && scenario.title == "a test" && scenario.seed == 7)
        #expect(scenario.way == .corners([[48, 11], [48.01, 11]]))
        #expect(scenario.sensors.inertial?.rateHertz == 200)
        // The factor applies to the grade, whatever the order in the file.
        let noise = InertialErrors.tactical.gyroNoiseDensity * 3
        #expect(scenario.sensors.inertial?.errors.gyroNoiseDensity == noise)
        let forward = try #require(scenario.sensors.inertial?.sensorToBody).rotate(Vector3(1, 0, 0))
        #expect((forward - Vector3(0, 1, 0)).length < 1e-9, "\(forward)")
        #expect(scenario.sensors.satellite?.leverArmBodyMeters == Vector3(-1, 2, 3))
        #expect(scenario.stops == [DrivePlan.Stop(vertex: 1, durationSeconds: 5)])
        #expect(scenario.tunnels == [.init(from: 10, seconds: 20)])
        #expect(scenario.faults == [.init(kind: .gyroStuck, span: .init(from: 1, seconds: 2))])
        #expect(scenario.expected.horizontalMeters == 3 && scenario.expected.headingDegrees == nil)
    }

    @Test(arguments: [
        ("receiver:\n  rate: 5\n", "x.yaml:2:3: receiver.rate is no key of a scenario; did you mean receiver.rate_hz?"),
        ("seed: -1\n", "x.yaml:1:1: seed must be a number from 0 to"),
        ("imu:\n  grade: good\n", "x.yaml:2:3: imu.grade must be consumer, automotive, tactical or perfect"),
        ("stops: [[1.5, 3]]\n", "x.yaml:1:1: stops must be a list of `[corner, seconds]`"),
        ("imu: yes\n", "x.yaml:1:1: imu is a section; write its keys below it"),
        ("route:\n  roads: x.posed\n", "x.yaml: a way on roads needs route.roads, route.from and route.to"),
        ("a: [1\n", "x.yaml:1:"), ("faults: [[melted, 1, 2]]\n", "with a kind of imu_gap, gyro_stuck"),
        ("tunnels: [[1, -2]]\n", "x.yaml:1:1: tunnels must be"), ("seed: .nan\n", "x.yaml:1:1: seed must be"),
    ])
    func mistakesAreNamedWithTheirPlace(text: String, message: String) {
        let error = #expect(throws: ScenarioReader.Failure.self) { try Self.read(text) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        ("receiver:\n  rate_hz: 1", "3:3: receiver.rate_hz"), ("imu:\n  grade: tactical", "3:3: imu.grade"),
        ("speed:\n  factor: 1", "3:3: speed.factor"), ("hills:\n  height_m: 3", "3:3: hills.height_m"),
        ("stops: [[1, 5]]", "2:1: stops"),
    ])
    func whatTheDemoDoesNotFollowIsRefused(text: String, key: String) {
        // GIVEN a key about what the demo has of its own WHEN it is given with the demo THEN it is named with its place
        let error = #expect(throws: ScenarioReader.Failure.self) { try Self.read("route: {demo: true}\n\(text)\n") }
        #expect(
            error?.problems == [
                "x.yaml:\(key) has no effect with route.demo, whose driver, receiver and IMU are its own; leave it "
                    + "out, or choose another route"
            ])
        // AND with another way it is taken
        #expect(throws: Never.self) { try Self.read("route: {random: 5}\n\(text)\n") }
    }

    @Test func hostileTextsDoNotTrap() {
        // GIVEN texts that are no scenarios
        for text in [
            "", "---", "- 1", "route:\n  corners: [[90, 0], [0, 400]]", "seed: 1e400", "stops: [[1e300, 1e300]]",
            "route: {random: 1e9}", String(repeating: "[", count: 10_000), "\0\u{1}", "seed: &a 1",
        ] { _ = try? Self.read(text) }
    }

    @Test func theLibraryIsWhole() throws {
        // GIVEN the scenarios that come with the program THEN there are twelve, each with an expected result
        #expect(ScenarioLibrary.names.count == 12 && ScenarioLibrary.names.contains("demo"))
        for name in ScenarioLibrary.names {
            let scenario = try #require(try ScenarioLibrary.scenario(name))
            #expect(!scenario.title.isEmpty && scenario.expected != Scenario.Expectation(), "\(name)")
        }
        let none = try ScenarioLibrary.scenario("nowhere")
        #expect(none?.name == nil)
    }
}
