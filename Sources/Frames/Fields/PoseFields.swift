import CPosed

/// The fields of the pose.
package enum PoseFields: BlockFields {
    package typealias Block = posed_pose
    package static var id: UInt32 { POSED_BLOCK_POSE }
    package static var topic: Topics { .pose }
    package static var name: StaticString { "pose" }

    @inline(__always)
    package static func visit<V: FieldVisitor>(_ v: inout V) where V.Block == posed_pose {
        v.code("state", \.pose.state, \.state)
        position(&v)
        motion(&v)
        attitude(&v)
        body(&v)
        bookkeeping(&v)
    }

    @inline(__always)
    private static func position<V: FieldVisitor>(_ v: inout V) where V.Block == posed_pose {
        v.place(
            latitude: \.pose.latitudeRadians, \.lat_deg, longitude: \.pose.longitudeRadians, \.lon_deg,
            bit: POSED_POSE_POSITION)
        v.number(
            "alt_hae_m", \.pose.altitudeEllipsoidMeters, \.alt_hae_m, .same, bit: POSED_POSE_ALT_HAE, decimals: 4,
            range: .any)
        v.number(
            "alt_msl_m", \.pose.altitudeMeanSeaMeters, \.alt_msl_m, .same, bit: POSED_POSE_ALT_MSL, decimals: 4,
            range: .any)
        v.triple(
            "sigma_enu_m", \.pose.positionSigmaENUMeters, \.sigma_enu_m, bit: POSED_POSE_SIGMA, decimals: 4)
        v.triple("enu_m", \.pose.positionENUMeters, \.enu_m, bit: POSED_POSE_ENU, decimals: 4)
        v.open("origin")
        v.count("epoch", \.pose.originEpoch, \.origin_epoch, range: .notNegative)
        v.place(
            latitude: \.pose.originLatitudeRadians, \.origin_lat_deg, longitude: \.pose.originLongitudeRadians,
            \.origin_lon_deg, bit: POSED_POSE_ORIGIN)
        v.number(
            "alt_hae_m", \.pose.originAltitudeEllipsoidMeters, \.origin_alt_hae_m, .same,
            bit: POSED_POSE_ORIGIN_ALT_HAE, decimals: 4, range: .any)
        v.close()
    }

    @inline(__always)
    private static func motion<V: FieldVisitor>(_ v: inout V) where V.Block == posed_pose {
        v.triple("vel_enu_m_s", \.pose.velocityENUMetersPerSecond, \.vel_enu_m_s, bit: POSED_POSE_VEL, decimals: 4)
        v.triple(
            "vel_sigma_enu_m_s", \.pose.velocitySigmaENUMetersPerSecond, \.vel_sigma_enu_m_s,
            bit: POSED_POSE_VEL_SIGMA, decimals: 4)
        v.triple(
            "accel_enu_m_s2", \.pose.accelerationENUMetersPerSecondSquared, \.accel_enu_m_s2,
            bit: POSED_POSE_ACCEL_ENU, decimals: 4)
        v.number(
            "course_deg", \.pose.courseOverGroundRadians, \.course_deg, .bearing, bit: POSED_POSE_COURSE, decimals: 4,
            range: .bearing)
    }

    @inline(__always)
    private static func attitude<V: FieldVisitor>(_ v: inout V) where V.Block == posed_pose {
        v.quadruple("q_enu_body", \.pose.bodyToENU, \.q_enu_body, bit: POSED_POSE_Q, decimals: 9)
        v.number(
            "roll_deg", \.pose.rollRadians, \.roll_deg, .degrees, bit: POSED_POSE_ROLL, decimals: 4, range: .halfTurn)
        v.number(
            "pitch_deg", \.pose.pitchRadians, \.pitch_deg, .degrees, bit: POSED_POSE_PITCH, decimals: 4,
            range: .quarterTurn)
        v.number(
            "heading_deg", \.pose.headingTrueRadians, \.heading_deg, .bearing, bit: POSED_POSE_HEADING, decimals: 4,
            range: .bearing)
        v.number(
            "heading_magnetic_deg", \.pose.headingMagneticRadians, \.heading_magnetic_deg, .bearing,
            bit: POSED_POSE_HEADING_MAGNETIC, decimals: 4, range: .bearing)
        v.number(
            "tilt_sigma_deg", \.pose.tiltSigmaRadians, \.tilt_sigma_deg, .degrees, bit: POSED_POSE_TILT_SIGMA,
            decimals: 4, range: .notNegative)
        v.number(
            "heading_sigma_deg", \.pose.headingSigmaRadians, \.heading_sigma_deg, .degrees,
            bit: POSED_POSE_HEADING_SIGMA, decimals: 4, range: .notNegative)
        v.number(
            "heading_magnetic_sigma_deg", \.pose.headingMagneticSigmaRadians, \.heading_magnetic_sigma_deg, .degrees,
            bit: POSED_POSE_HEADING_MAGNETIC_SIGMA, decimals: 4, range: .notNegative)
        v.number(
            "heading_trim_deg", \.pose.headingTrimRadians, \.heading_trim_deg, .degrees, decimals: 4,
            range: .halfTurn)
        v.number(
            "turn_rate_deg_s", \.pose.turnRateRadiansPerSecond, \.turn_rate_deg_s, .degrees,
            bit: POSED_POSE_TURN_RATE, decimals: 4, range: .any)
    }

    @inline(__always)
    private static func body<V: FieldVisitor>(_ v: inout V) where V.Block == posed_pose {
        v.triple(
            "rate_body_rad_s", \.pose.angularRateBodyRadiansPerSecond, \.rate_body_rad_s, bit: POSED_POSE_RATE,
            decimals: 6)
        v.triple(
            "accel_body_m_s2", \.pose.linearAccelerationBodyMetersPerSecondSquared, \.accel_body_m_s2,
            bit: POSED_POSE_ACCEL, decimals: 4)
        v.triple("gravity_body", \.pose.gravityDirectionBody, \.gravity_body, bit: POSED_POSE_GRAVITY, decimals: 6)
        v.number(
            "slip_m_s2", \.pose.slipMetersPerSecondSquared, \.slip_m_s2, .same, bit: POSED_POSE_SLIP, decimals: 4,
            range: .any)
        v.flag("standing_still", \.pose.isStandingStill, \.flags, mask: POSED_POSE_STANDING_STILL)
        v.flag("blending", \.pose.isBlending, \.flags, mask: POSED_POSE_BLENDING)
    }

    @inline(__always)
    private static func bookkeeping<V: FieldVisitor>(_ v: inout V) where V.Block == posed_pose {
        v.number(
            "fix_age_s", \.pose.fixAgeSeconds, \.fix_age_s, .same, bit: POSED_POSE_FIX_AGE, decimals: 3, range: .any)
        v.count("fix_mode", \.pose.fixMode, \.fix_mode, range: FieldRange(minimum: 0, maximum: 3))
        v.count("satellites_used", \.pose.satellitesUsed, \.satellites_used, bit: POSED_POSE_SATELLITES)
        v.count("reset_count", \.pose.resetCount, \.reset_count, range: .notNegative)
        v.triple("reset_delta_enu_m", \.pose.resetDeltaENUMeters, \.reset_delta_enu_m, decimals: 4)
        v.number(
            "reset_delta_heading_deg", \.pose.resetDeltaHeadingRadians, \.reset_delta_heading_deg, .degrees,
            decimals: 4, range: .any)
        v.triple("glide_enu_m", \.pose.glideENUMeters, \.glide_enu_m, decimals: 4)
        v.number(
            "glide_heading_deg", \.pose.glideHeadingRadians, \.glide_heading_deg, .degrees, decimals: 4, range: .any)
    }
}
