import Foundation
import Testing

/// The mapping to ROS 2, with the definitions of its messages.
@Suite struct RobotMessageTests {
    private static let python = PythonEnvironment.with("rosbags")
    private static let folder = "\(ExternalProgram.packageFolder)/clients/ros2"

    @Test(.enabled(if: python != nil, "rosbags is not installed and cannot be had"))
    func everyMessageHasTheFieldsAndAxesOfItsDefinition() throws {
        // GIVEN a daemon on the demo drive WHEN each of its frames becomes messages THEN each is serialised by the
        // definition and read back, and place, attitude, velocity and gravity have the axes and signs of ROS
        let daemon = try DaemonProcess()
        let result = try ExternalProgram.run(
            try #require(Self.python), ["\(Self.folder)/verify.py", daemon.framesPath, "400"],
            environment: ["PYTHONPATH": "\(ExternalProgram.packageFolder)/clients/python"], seconds: 60)
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
    func theNodeIsValidAndShort() throws {
        // GIVEN the node, which needs a ROS that Debian does not have WHEN it is compiled THEN it is valid Python
        let text = try String(contentsOfFile: "\(Self.folder)/posed_ros.py", encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 61)
        let script = "import ast,sys; ast.parse(open(sys.argv[1]).read())"
        let result = try ExternalProgram.run("python3", ["-c", script, "\(Self.folder)/posed_ros.py"])
        #expect(result.exitCode == 0, "\(result.errors)")
    }
}
