import Foundation
import PoseMath
import Testing

/// `posectl align` as a user runs it.
@Suite struct AlignTests {
    private static let sample = "\(ExternalProgram.packageFolder)/samples/drive"
    private static let car = "\(ExternalProgram.packageFolder)/../shared/data/car_drive"

    private func json(_ result: ProgramResult) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
        return try #require(object as? [String: Any], "\(result.output)\(result.errors)")
    }

    @Test func aShortDriveFailsAndSaysWhatIsMissing() throws {
        // GIVEN the first five seconds of the sample drive, which stand
        let folder = try TemporaryFolder()
        for name in ["imu.csv", "gnss.csv"] {
            let lines = try String(contentsOfFile: "\(Self.sample)/\(name)", encoding: .utf8).split(separator: "\n")
            let kept = lines.prefix(name == "imu.csv" ? 251 : 26)
            try folder.write(kept.joined(separator: "\n") + "\n", to: name)
        }
        // WHEN they are aligned THEN it fails, with a remedy for each number
        let result = try ExternalProgram.run("posectl", ["align", folder.path])
        #expect(result.exitCode == 1 && result.output.hasPrefix("align: FAIL"), "\(result.output)\(result.errors)")
        #expect(result.output.contains("-> mount found on this drive: drive some minutes"))
        #expect(result.output.contains("the pose was never aligned"))
    }

    @Test func theSampleDrivePasses() throws {
        // GIVEN the sample drive of a minute WHEN it is aligned THEN it passes, with the rows for the settings
        let result = try ExternalProgram.run("posectl", ["align", Self.sample])
        #expect(result.exitCode == 0 && result.output.hasPrefix("align: PASS"), "\(result.output)\(result.errors)")
        #expect(result.output.contains("sensor_to_body_row_3"))
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: car), "the recorded drive is not here"))
    func theRecordedDriveGivesItsMount() throws {
        // GIVEN the recorded drive WHEN it is aligned THEN the mount is the one that the data's page states (forward,
        // right, down: roll -178.2, pitch 6.6, yaw -174.9 degrees, good to about 0.3), within 1.5 degrees
        let result = try ExternalProgram.run("posectl", ["align", Self.car, "--json"])
        let found = try json(result)
        let values = try #require(found["values"] as? [String: Any])
        let sigma = try #require(values["mount_sigma_deg"] as? [Double])
        #expect(sigma.count == 3 && sigma.allSatisfy { $0 < 1 }, "\(result.output)")
        let rows = try (1...3).map { row -> Vector3 in
            let n = try #require(values["sensor_to_body_row_\(row)"] as? [Double])
            return Vector3(n[0], n[1], n[2])
        }
        func turn(_ degrees: Double, _ axis: Vector3) -> Quaternion {
            Quaternion(rotationVector: axis * (degrees * .pi / 180))
        }
        let stated =
            turn(180, .unitX) * turn(-174.9, .unitZ) * turn(6.6, .unitY) * turn(-178.2, .unitX)
        let mount = Quaternion(matrix: Matrix(rows: rows[0], rows[1], rows[2]))
        let error = (mount * stated.inverse).rotationVector.length * 180 / .pi
        print("car_drive: mount \(error) degrees from the stated one, \(result.output)")
        #expect(error < 1.5)
    }

    @Test(arguments: [[12.0, -8, -135], [170, 10, -60]])
    func theMountOfASimulatedDriveIsFound(mount: [Double]) throws {
        // GIVEN a simulated drive with a consumer receiver and a mount that nobody has told
        let folder = try TemporaryFolder()
        let scenario = try ExternalProgram.run("posectl", ["simulate", "--print", "open-sky"]).output
        try folder.write(
            scenario.replacing("mount_deg: [2, 4, 30]", with: "mount_deg: \(mount)"), to: "drive.yaml")
        let drive = "\(folder.path)/drive"
        let made = try ExternalProgram.run(
            "posectl", ["simulate", "\(folder.path)/drive.yaml", "--output", drive, "--quiet"])
        #expect(made.exitCode == 0, "\(made.errors)")
        // WHEN it is aligned THEN the mount is the one of the simulation, within half a degree
        let found = try json(
            try ExternalProgram.run("posectl", ["align", drive, "--json"]))
        let values = try #require(found["values"] as? [String: Any])
        let angles = try #require(values["mount_roll_pitch_yaw_deg"] as? [Double])
        let errors = zip(angles, mount).map { ($0 - $1).remainder(dividingBy: 360) }
        print("simulated drive: mount \(mount), found \(angles)")
        #expect(errors.allSatisfy { abs($0) < 0.5 }, "\(angles)")
    }

    @Test func theLiveDaemonIsAsked() throws {
        // GIVEN a daemon that has just begun WHEN asked THEN the verdict is one of status, in JSON too
        let daemon = try DaemonProcess(["--source", "simulated"])
        let result = try ExternalProgram.run("posectl", ["align", "--folder", daemon.folder.path, "--json"])
        let found = try json(result)
        #expect(result.exitCode == 1 && found["pass"] as? Bool == false)
        let checks = try #require(found["checks"] as? [[String: Any]])
        #expect(checks.contains { $0["name"] as? String == "mount found on this drive" })
    }
}
