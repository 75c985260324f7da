import Frames
import Fusion
import Measurements
import SensorInterface

/// The reasons why the pose is not better, shown first in `status`.
enum Diagnosis {
    /// One sentence for each problem, the most serious first; empty without problems.
    static func reasons(
        frame: Frame, sources: [SourceStatus], calibration: SensorCalibration = SensorCalibration(),
        trust: TrustReport = TrustReport(), north: MagneticNorth = MagneticNorth()
    ) -> [String] {
        var reasons: [String] = []
        for kind in [SensorKind.imu, .gps] {
            let ofKind = sources.filter { $0.description.kind == kind }
            guard !ofKind.contains(where: { $0.state == .streaming }) else { continue }
            let name = kind == .imu ? "no motion sensor" : "no satellite receiver"
            let shown = ofKind.first { $0.receiver?.isInUse == true } ?? ofKind.first
            let explanation =
                shown.map { "\($0.description.name) (\($0.description.place)): \($0.explanation)" }
                ?? "none is configured"
            reasons.append("\(name): \(explanation)")
        }
        reasons += sources.compactMap { source in
            source.degradation.map { "\(source.description.name): \($0)" }
        }
        reasons += trustReasons(trust)
        reasons += fixReasons(frame.pose)
        reasons += stateReasons(frame.pose)
        reasons += headingReasons(frame.pose, calibration, north)
        if calibration.isConfiguredMountRefused {
            reasons.append(
                "the mount in the settings contradicts gravity or the drive and is not used: correct "
                    + "fusion.sensor_to_body, or leave it out"
            )
        }
        return reasons
    }

    /// Age of a fix on arrival from which it is late, seconds: twice the delay of slow receivers.
    private static let lateSeconds = 2.0

    private static func lateness(_ trust: TrustReport) -> String {
        let seconds = Int(min(trust.fixLatenessSeconds, 1e9))
        let late = "the receiver's fixes arrive \(seconds) s late"
        guard trust.isReceiverTooLate else { return late + ": the time since then is dead reckoning" }
        return late + " and are not used: check its connection and the load of gpsd"
    }

    /// The reason where the motion does not fit the profile.
    private static let misfit =
        "the body slips sideways as no vehicle does, and the pose follows the fixes: set profile to wearable, or fix "
        + "the device to the vehicle"

    private static func reason(_ verdict: ReceiverVerdict) -> String? {
        switch verdict {
        case .trusted: nil
        case .stuck: "the receiver repeats one position while it reports motion; its fixes are rejected"
        case .drifting:
            "the receiver's positions drift from its own velocity (reflections, or spoofing); they are rejected"
        case .contradicted: "the receiver's speed contradicts the vehicle's; its fixes are rejected until they agree"
        case .interference: "the receiver reports jamming; its fixes are rejected"
        case .falseVelocity:
            "the receiver's speed and course are not those of its positions, from which they are derived: let it send "
                + "true ones (RMC or VTG)"
        }
    }

    private static func trustReasons(_ trust: TrustReport) -> [String] {
        var reasons = [reason(trust.receiver)].compactMap(\.self)
        if trust.fixLatenessSeconds > lateSeconds { reasons.append(lateness(trust)) }
        if trust.isVelocityUnstated {
            reasons.append(
                "the receiver states no velocity, which is derived from its positions: let it send speed and course "
                    + "(RMC or VTG)")
        }
        if trust.isAccuracyUnstated {
            reasons.append(
                "the receiver states no accuracy, and 8 m is assumed: let it send its error estimates (GST)")
        }
        if !trust.doesProfileFit { reasons.append(misfit) }
        let faults = trust.inertial
        if !faults.isDisjoint(with: [.gyroStuck, .accelerometerStuck]) {
            reasons.append("IMU repeats a reading: check its cable and driver")
        }
        if !faults.isDisjoint(with: [.gyroClipped, .accelerometerClipped]) {
            reasons.append("IMU saturated: choose a larger range, or a softer mount")
        }
        if faults.contains(.inconsistent) {
            reasons.append("IMU contradicts the receiver; its errors are being estimated again")
        }
        if faults.contains(.turned) {
            reasons.append("IMU has turned in the vehicle, and its mount is being estimated again: fix its holder")
        }
        return reasons
    }

    private static func fixReasons(_ pose: Frame.Pose) -> [String] {
        switch (pose.fixMode, pose.fixAgeSeconds) {
        case (0, nil): return ["no fix yet"]
        case (1, _): return ["the receiver has no fix; it needs a free view of the sky"]
        case (_, let age?) where age > 5: return ["the last usable fix is \(Int(min(age, 1e9))) s old"]
        case (_, _?) where isContested(pose):
            return ["the receiver's first fixes contradict each other: a position follows when four of them agree"]
        default: return []
        }
    }

    /// Whether there are fixes, none of which is believed.
    private static func isContested(_ pose: Frame.Pose) -> Bool {
        pose.fixAgeSeconds != nil && pose.latitudeRadians == nil && [.starting, .aligning].contains(pose.state)
    }

    private static func stateReasons(_ pose: Frame.Pose) -> [String] {
        switch pose.state {
        case .aligned: return []
        case .starting: return isContested(pose) ? [] : ["no usable measurement yet"]
        case .aligning: return ["roll and pitch are known; position or heading is still unknown"]
        case .coarse:
            guard pose.headingTrueRadians == nil else {
                return ["the uncertainty is large, or not yet confirmed by consistent fixes"]
            }
            return ["the heading is not known yet: drive on for some metres, or add a magnetometer"]
        case .deadReckoning: return ["dead reckoning without satellites; the uncertainty grows"]
        case .lost: return ["the uncertainty is too large; the next good fix starts the estimate again"]
        case .attitudeOnly: return ["roll and pitch are known; a position needs a satellite receiver with a fix"]
        }
    }

    /// Why there is no true heading though there is a magnetometer.
    private static func headingReasons(
        _ pose: Frame.Pose, _ calibration: SensorCalibration, _ north: MagneticNorth
    ) -> [String] {
        guard calibration.magnetometer != nil, pose.bodyToENU != nil else { return [] }
        guard pose.headingTrueRadians == nil else { return north.staleness.map { [$0] } ?? [] }
        guard pose.headingMagneticRadians != nil else {
            return [
                "the magnetometer cannot show where the vehicle points, because the mount of the IMU is unknown: drive "
                    + "with a receiver, or set fusion.sensor_to_body"
            ]
        }
        return ["the declination is unknown, so only the magnetic heading is published: \(north.remedy ?? "wait")"]
    }
}
