import Foundation
import Testing

/// The mapping to ROS 2, with the definitions of its messages.
@Suite struct RobotMessageTests {
    private static let python = PythonEnvironment.with("rosbags")
    private static let folder = "\(ExternalProgram.packageFolder)/clients/ros2"

    @Test(.enabled(if: python != nil, "rosbags is not installed and cannot be had"))
    func everyMessageHasTheFieldsAndAxesOfItsDefinition() throws {
        // GIVEN a daemon on the demo drive, with a position WHEN each of its frames becomes messages THEN each is
        // serialised by the definition and read back, and place, attitude, velocity and gravity have the axes and signs
        // of ROS
        let daemon = try DaemonProcess()
        let line = try #require(LineConnection(daemon.streamPath))
        line.send(Array(#"{"cmd":"subscribe","topics":["pose"],"rate_hz":10}"#.utf8) + [0x0A])
        var latitude: Double?
        // A minute of frames.
        for _ in 0..<600 where latitude == nil {
            let text = try #require(line.receive())
            let frame = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            latitude = (frame?["pose"] as? [String: Any])?["lat_deg"] as? Double
        }
        #expect(latitude != nil, "\(daemon.log)")
        let result = try ExternalProgram.run(
            try #require(Self.python), ["\(Self.folder)/verify.py", daemon.framesPath, "400"],
            environment: ["PYTHONPATH": "\(ExternalProgram.packageFolder)/clients/python"])
        #expect(result.exitCode == 0, "\(result.errors.suffix(500))")
        for word in ["fix=400", "imu=", "odom=", "tf="] {
            #expect(result.output.contains(word), "\(result.output)")
        }
    }

    @Test(.enabled(if: ExternalProgram.has("python3"), "python3 is not installed"))
    func whatIsReckonedHasNoFix() throws {
        // GIVEN a stored frame in other states, whose last fix was a good one WHEN it becomes messages THEN it has a
        // fix only while fixes come, and no place when it is lost
        let script = """
            import pathlib, sys
            from dataclasses import replace
            from mapping import messages
            from posed_client import decode
            frame = decode(bytes.fromhex(pathlib.Path(sys.argv[1]).read_text()))
            for state, mode, fix in [("aligned", 3, 0), ("coarse", 2, 0), ("aligning", 3, 0), ("aligned", 1, -1),
                                     ("deadReckoning", 3, -1), ("lost", 3, -1)]:
                found = messages(replace(frame, pose=replace(frame.pose, state=state, fix_mode=mode)))
                assert found["fix"]["status"]["status"] == fix, (state, mode)
                assert ("odom" in found, "tf" in found) == (state != "lost",) * 2, state
            """
        let package = ExternalProgram.packageFolder
        let result = try ExternalProgram.run(
            "python3", ["-B", "-c", script, "\(package)/Tests/FramesTests/Golden/version1/frame.hex"],
            environment: ["PYTHONPATH": "\(package)/clients/python:\(Self.folder)"])
        #expect(result.exitCode == 0, "\(result.errors)")
    }

    @Test(.enabled(if: ExternalProgram.has("python3"), "python3 is not installed"))
    func theSigmasOfTheVelocityAreThoseOfTheBodysAxes() throws {
        // GIVEN a stored frame that heads north, east and between them WHEN it becomes messages THEN the variance of
        // the speed forwards is that of the world's axis in that direction; what is unknown stays so
        let script = """
            import math, pathlib, sys
            from dataclasses import replace
            from mapping import UNKNOWN_VARIANCE, messages
            from posed_client import decode
            frame = decode(bytes.fromhex(pathlib.Path(sys.argv[1]).read_text()))
            def variances(q, sigmas):
                pose = replace(frame.pose, state="aligned", q_enu_body=q, heading_deg=0.0, enu_m=(0.0, 0.0, 0.0),
                               vel_enu_m_s=(0.0, 20.0, 0.0), vel_sigma_enu_m_s=sigmas)
                covariance = messages(replace(frame, pose=pose))["odom"]["twist"]["covariance"]
                return [covariance[index * 7] for index in range(3)]
            def turned(degrees):
                half = math.radians(degrees) / 2
                return (math.cos(half), 0.0, 0.0, math.sin(half))
            sigmas, both = (0.05, 0.4, 0.1), (0.0025 + 0.16) / 2
            for degrees, expected in [(90, (0.16, 0.0025, 0.01)), (0, (0.0025, 0.16, 0.01)), (45, (both, both, 0.01))]:
                found = variances(turned(degrees), sigmas)
                assert all(abs(a - b) < 1e-9 for a, b in zip(found, expected)), (degrees, found)
            assert variances(turned(90), None) == [UNKNOWN_VARIANCE] * 3
            """
        let package = ExternalProgram.packageFolder
        let result = try ExternalProgram.run(
            "python3", ["-B", "-c", script, "\(package)/Tests/FramesTests/Golden/version1/frame.hex"],
            environment: ["PYTHONPATH": "\(package)/clients/python:\(Self.folder)"])
        #expect(result.exitCode == 0, "\(result.errors)")
    }

    @Test(.enabled(if: ExternalProgram.has("python3"), "python3 is not installed"))
    func theNodeIsValidAndShort() throws {
        // GIVEN the node, which needs a ROS that Debian does not have WHEN it is compiled THEN it is valid Python
        let text = try String(contentsOfFile: "\(Self.folder)/posed_ros.py", encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 61)
        let script = "import ast,sys; ast.parse(open(sys.argv[1]).read())"
        let result = try ExternalProgram.run("python3", ["-c", script, "\(Self.folder)/posed_ros.py"])
        #expect(result.exitCode == 0, "\(result.errors)")
    }
}
