import BoundedJSON
import Calibration
import PoseMath

/// What a reply to `status` tells of the installation.
package struct InstallationStatus: Sendable {
    /// For the verdict.
    package var findings = InstallationFindings()
    /// State of the pose, by its wire name.
    package var poseState = ""

    /// Reads a reply; `nil` if it is none of `status`.
    package init?(reply: String) {
        guard let root = (try? JSONDocument(bytes: Array(reply.utf8)))?.root, root["cmd"]?.string == "status",
            root["ok"]?.bool == true
        else { return nil }
        poseState = root["pose"]?["state"]?.string ?? ""
        findings.mount = Self.mount(root["mount"])
        findings.antenna = Self.antenna(root["antenna"])
        let trust = root["trust"]
        findings.doesProfileFit = trust?["profile_fits"]?.bool ?? true
        findings.isConfiguredMountRefused = trust?["mount_refused"]?.bool ?? false
        if let json = trust?["lags"], let position = json["position_s"]?.double,
            let positionSigma = json["position_sigma_s"]?.double, let velocity = json["velocity_s"]?.double,
            let velocitySigma = json["velocity_sigma_s"]?.double
        {
            findings.lags = .init(
                positionSeconds: position, positionSigmaSeconds: positionSigma, velocitySeconds: velocity,
                velocitySigmaSeconds: velocitySigma)
        }
        if let json = trust?["wheels"], let scale = json["scale"]?.double, let sigma = json["scale_sigma"]?.double,
            let lag = json["lag_s"]?.double, let lagSigma = json["lag_sigma_s"]?.double
        {
            findings.wheels = .init(scale: scale, scaleSigma: sigma, lagSeconds: lag, lagSigmaSeconds: lagSigma)
        }
    }

    private static func mount(_ json: JSONValue?) -> InstallationFindings.Mount? {
        let q = json?["q"]?.elements.compactMap(\.double) ?? []
        let sigma = json?["sigma_deg"]?.elements.compactMap(\.double) ?? []
        guard q.count == 4, sigma.count == 3 else { return nil }
        return .init(
            sensorToBody: Quaternion(w: q[0], x: q[1], y: q[2], z: q[3]),
            sigmaBodyRadians: Vector3(sigma[0], sigma[1], sigma[2]) * Angle.radiansPerDegree,
            isFound: json?["origin"]?.string == "found")
    }

    private static func antenna(_ json: JSONValue?) -> InstallationFindings.Antenna? {
        let sigma = json?["sigma_m"]?.elements.compactMap(\.double) ?? []
        guard let forward = json?["forward_m"]?.double, let left = json?["left_m"]?.double, sigma.count == 2 else {
            return nil
        }
        return .init(meters: SIMD2(forward, left), sigmaMeters: SIMD2(sigma[0], sigma[1]))
    }
}
