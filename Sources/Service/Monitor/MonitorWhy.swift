import Frames

extension Frame {
    /// Why the pose is in its state, and what it waits for: one sentence for people.
    var why: String {
        switch pose.state {
        case .starting: "waiting for \(missing)"
        case .aligning: pose.latitudeRadians == nil ? "level found; waiting for \(missing)" : "level found; heading comes with motion"
        case .coarse: coarseReason
        case .aligned: "position, heading and attitude agree"
        case .deadReckoning: "no fix for \(ageText); the uncertainty grows"
        case .lost: "too uncertain to be of use; waiting for a good fix"
        }
    }

    private var missing: String {
        let gps = sources.gps == .streaming
        let imu = sources.imu == .streaming
        if !gps && !imu { return "a receiver and an IMU" }
        if !imu { return pose.fixMode > 1 ? "an IMU" : "a fix" }
        return gps ? "a fix" : "a receiver"
    }

    private var coarseReason: String {
        if sources.imu != .streaming { return "no IMU: position and speed are the receiver's" }
        if pose.headingTrueRadians == nil || pose.headingSigmaRadians == nil { return "heading unknown: it comes with motion" }
        if sources.gps != .streaming { return "no receiver: attitude only" }
        return "uncertainty still large"
    }

    private var ageText: String {
        guard let age = pose.fixAgeSeconds else { return "some time" }
        return "\(Int(age.rounded())) s"
    }
}
