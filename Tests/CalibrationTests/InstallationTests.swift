import Calibration
import PoseMath
import Testing

@Suite struct InstallationTests {
    private var good: InstallationFindings {
        var findings = InstallationFindings()
        findings.mount = .init(
            sensorToBody: Quaternion(rotationVector: Vector3(0, 0, .pi / 2)),
            sigmaBodyRadians: Vector3(repeating: 0.003), isFound: true)
        findings.antenna = .init(meters: SIMD2(1, -0.5), sigmaMeters: SIMD2(0.1, 0.1))
        findings.lags = .init(
            positionSeconds: 0.02, positionSigmaSeconds: 0.01, velocitySeconds: 0.15, velocitySigmaSeconds: 0.02)
        return findings
    }

    @Test func whatIsKnownPasses() throws {
        // GIVEN a mount of 90 degrees of yaw, an antenna and lags that are known WHEN judged THEN they pass
        let report = good.report()
        #expect(report.passes)
        let angles = try #require(report.values.first { $0.name == "mount_roll_pitch_yaw_deg" }?.numbers)
        #expect(abs(angles[0]) < 1e-9 && abs(angles[1]) < 1e-9 && abs(angles[2] - 90) < 1e-9)
    }

    @Test func eachThatIsNotKnownFailsWithARemedy() {
        // GIVEN one thing that is not known THEN it alone fails
        let changes: [(String, (inout InstallationFindings) -> Void)] = [
            ("mount found on this drive", { $0.mount?.isFound = false }),
            ("sigma of the mount's heading", { $0.mount?.sigmaBodyRadians.z = 0.02 }),
            ("sigma of the mount's tilt", { $0.mount?.sigmaBodyRadians.x = .nan }),
            ("sigma of the antenna's place", { $0.antenna = nil }),
            ("sigma of the lags", { $0.lags?.velocitySigmaSeconds = 0.2 }),
            ("mount of the settings", { $0.isConfiguredMountRefused = true }),
            ("motion of a vehicle", { $0.doesProfileFit = false }),
            (
                "sigma of the wheels' scale",
                { $0.wheels = .init(scale: 1, scaleSigma: 0.02, lagSeconds: 0, lagSigmaSeconds: 0.1) }
            ),
        ]
        for (name, change) in changes {
            var findings = good
            change(&findings)
            let failed = findings.report().checks.filter { !$0.passes }
            #expect(failed.map(\.name) == [name])
            #expect(failed.allSatisfy { !$0.remedy.isEmpty })
        }
        #expect(!InstallationFindings().report().passes)
    }
}
