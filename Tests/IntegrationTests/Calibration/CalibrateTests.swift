import Foundation
import PoseMath
import Testing

/// `posectl calibrate` as a user runs it, with recordings and with the live simulated daemon.
@Suite struct CalibrateTests {
    private static func calibrate(_ arguments: String...) throws -> ProgramResult {
        try ExternalProgram.run("posectl", ["calibrate"] + arguments)
    }

    private func json(_ result: ProgramResult) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
        return try #require(object as? [String: Any], "\(result.output)\(result.errors)")
    }

    private func numbers(_ json: [String: Any], _ name: String) throws -> [Double] {
        try #require((json["values"] as? [String: Any])?[name] as? [Double])
    }

    /// Forty seconds of rest with a bias of 0.4, -0.2 and 0.1 deg/s.
    private static func rest(seconds: Double = 40, bias: Vector3 = Vector3(0.4, -0.2, 0.1)) throws -> SensorFolder {
        var folder = try SensorFolder()
        folder.rest(
            seconds, rate: bias * (.pi / 180), force: Vector3(0, 0, 9.807), noise: (0.001_7, 0.02))
        try folder.finish()
        return folder
    }

    @Test(arguments: [false, true]) func aGyroAtRestPassesAndIsSaved(asMCAP: Bool) throws {
        // GIVEN a recording at rest, as CSV and as MCAP
        let folder = try Self.rest()
        let state = try TemporaryFolder()
        var recording = folder.path
        if asMCAP {
            recording = "\(state.path)/rest.mcap"
            #expect(try ExternalProgram.run("posectl", ["convert", folder.path, recording]).exitCode == 0)
        }
        // WHEN it is calibrated and saved for a device
        let arguments = [recording, "--save", "--state", "\(state.path)/kept", "--device", "bmi160 7", "--json"]
        let result = try ExternalProgram.run("posectl", ["calibrate", "gyro"] + arguments)
        // THEN it passes, with the bias within 0.002 deg/s: 0.1 deg/s over 4000 samples leaves 0.0016
        let found = try json(result)
        #expect(result.exitCode == 0 && found["pass"] as? Bool == true, "\(result.output)\(result.errors)")
        for (value, truth) in zip(try numbers(found, "bias_deg_s"), [0.4, -0.2, 0.1]) {
            #expect(abs(value - truth) < 0.006)
        }
        let file = try #require(found["saved_to"] as? String)
        let first = try String(contentsOfFile: file, encoding: .utf8)
        #expect(first.hasPrefix("{\"posed_calibration\":1"))
        // AND WHEN it is saved again with --add THEN the file before is kept
        let again = try ExternalProgram.run("posectl", ["calibrate", "gyro"] + arguments + ["--add"])
        #expect(again.exitCode == 0)
        #expect(try String(contentsOfFile: "\(file).previous", encoding: .utf8) == first)
        #expect(try String(contentsOfFile: file, encoding: .utf8) != first)
    }

    @Test func aFailureSavesNothingAndSaysWhatToDo() throws {
        // GIVEN ten seconds of rest WHEN they are calibrated THEN it fails with 1, with the remedy, and saves nothing
        let folder = try Self.rest(seconds: 10)
        let state = try TemporaryFolder()
        let result = try Self.calibrate(
            "gyro", folder.path, "--save", "--state", "\(state.path)/kept", "--device", "x")
        #expect(result.exitCode == 1 && result.output.contains("gyro: FAIL"))
        #expect(result.output.contains("-> time at rest"))
        #expect(!FileManager.default.fileExists(atPath: "\(state.path)/kept"))
    }

    @Test func sixFacesGiveTheAccelerometersErrors() throws {
        // GIVEN a box on six faces with an offset of 0.2 m/s2 in x, and a z axis that states 2 % too much
        var folder = try SensorFolder()
        let faces = [
            Vector3(1, 0, 0), Vector3(-1, 0, 0), Vector3(0, 1, 0), Vector3(0, -1, 0), Vector3(0, 0, 1),
            Vector3(0, 0, -1),
        ]
        for face in faces {
            folder.turn()
            let force = Vector3(face.x * 9.80665 + 0.2, face.y * 9.80665, face.z * 9.80665 * 1.02)
            folder.rest(5, rate: .zero, force: force, noise: (0.001, 0.02))
        }
        try folder.finish()
        // WHEN it is calibrated THEN both are found
        let result = try Self.calibrate("accel", folder.path, "--json")
        let found = try json(result)
        #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
        #expect(abs(try numbers(found, "offset_m_s2")[0] - 0.2) < 0.01)
        #expect(abs(try numbers(found, "scale")[2] - 1 / 1.02) < 0.001)
    }

    @Test func aMissingFaceIsNamed() throws {
        // GIVEN one face WHEN it is calibrated THEN it fails, and names the five others
        let folder = try Self.rest()
        let result = try Self.calibrate("accel", folder.path)
        #expect(result.exitCode == 1 && result.output.contains("missing: +x -x +y -y -z"), "\(result.output)")
    }

    @Test func turnsGiveTheMagnetometersIron() throws {
        // GIVEN directions all over the sphere with hard iron of 30, -10, 5 uT
        var folder = try SensorFolder()
        let count = 600
        let readings = (0..<count).map { index in
            let z = 1 - (2 * Double(index) + 1) / Double(count)
            let (r, angle) = ((1 - z * z).squareRoot(), Double(index) * 2.399_963)
            return Vector3(r * cos(angle), r * sin(angle), z) * 48 + Vector3(30, -10, 5)
        }
        try folder.magnetometer(readings)
        // WHEN it is calibrated THEN it passes, within 1 % of the field
        let result = try Self.calibrate("mag", folder.path, "--json")
        let found = try json(result)
        #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
        for (value, truth) in zip(try numbers(found, "hard_iron_ut"), [30.0, -10, 5]) {
            #expect(abs(value - truth) < 0.48)
        }
    }

    @Test func noiseIsPlottedAndWrittenAsSettings() throws {
        // GIVEN five minutes at rest with 0.01 deg/s/sqrt(Hz) and 0.002 m/s2/sqrt(Hz), and settings with comments
        var folder = try SensorFolder()
        folder.rest(
            300, rate: .zero, force: Vector3(0, 0, 9.807), noise: (0.01 * 10 * .pi / 180, 0.02))
        try folder.finish()
        let work = try TemporaryFolder()
        let before = "# mine\nfusion:\n  position_lag_s: 0.1 # measured\nimu:\n  gyro_rate_hz: 100\n"
        try work.write(before, to: "posed.yaml")
        let settings = "\(work.path)/posed.yaml"
        // WHEN the noise is measured
        let result = try Self.calibrate(
            "noise", folder.path, "--plot", "\(work.path)/noise.svg", "--settings", settings)
        #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
        // THEN the plots show it, the settings have it within 10 %, and everything else is as it was
        #expect(result.output.contains("Allan deviation of the gyro") && result.output.contains("gyro_noise_deg_s"))
        #expect(work.text(of: "noise.svg").hasPrefix("<svg ") && work.text(of: "noise.svg").contains("polyline"))
        let text = work.text(of: "posed.yaml")
        let gyro = try #require(text.firstMatch(of: /gyro_noise_deg_s_sqrt_hz: ([0-9.]+)/).flatMap { Double($0.1) })
        #expect(abs(gyro / 0.01 - 1) < 0.1, "\(gyro)")
        #expect(text.contains("# mine\n") && text.contains("position_lag_s: 0.1 # measured"))
        #expect(try ExternalProgram.run("posed", ["--check", "--config", settings]).exitCode == 0)
        #expect(work.text(of: "posed.yaml.previous").contains("# mine"))
        // AND a file with a mistake is not touched, and a drawing has no folder: what was measured is printed all the
        // same
        try work.write("fusion:\n  nonsense: 1\n", to: "wrong.yaml")
        let wrong = try Self.calibrate("noise", folder.path, "--settings", "\(work.path)/wrong.yaml")
        #expect(wrong.exitCode == 78 && work.text(of: "wrong.yaml") == "fusion:\n  nonsense: 1\n")
        #expect(wrong.output.contains("gyro_noise_deg_s_sqrt_hz: "))
        #expect(wrong.output.contains("the settings were not written"))
        let nowhere = try Self.calibrate("noise", folder.path, "--plot", "\(work.path)/none/noise.svg", "--json")
        #expect(nowhere.exitCode == 73, "\(nowhere)")
        #expect(try json(nowhere)["pass"] as? Bool == true)
    }

    @Test func theLiveDaemonsSamplesAreMeasured() throws {
        // GIVEN a daemon on the simulated drive, which stands for its first seconds and then moves
        let daemon = try DaemonProcess(["--source", "simulated"])
        // WHEN the gyro is calibrated live for six seconds, without a terminal
        let result = try ExternalProgram.run(
            "posectl", ["calibrate", "gyro", "--folder", daemon.folder.path, "--limit", "6"])
        // THEN it tells in lines what to do, and fails for lack of rest: samples have come
        #expect(result.exitCode == 1, "\(result.output)\(result.errors)")
        #expect(result.errors.contains("leave it still") || result.errors.contains("the sensor moves"))
        #expect(result.output.contains("FAIL time at rest"))
        let rest = try #require(result.output.firstMatch(of: /FAIL time at rest +([0-9.]+) s/).flatMap { Double($0.1) })
        // A busy machine may begin when the drive does.
        #expect((rest > 0 || result.errors.contains("the sensor moves")) && rest < 6, "\(result)")
    }

    @Test func withoutADaemonTheReasonIsTold() throws {
        // GIVEN no daemon WHEN asked live THEN the exit code is 2
        let folder = try TemporaryFolder()
        let result = try Self.calibrate("gyro", "--folder", folder.path)
        #expect(result.exitCode == 2 && result.errors.contains("start posed"))
        // AND a recording that is none is 65
        #expect(try Self.calibrate("gyro", folder.path).exitCode == 65)
    }
}
