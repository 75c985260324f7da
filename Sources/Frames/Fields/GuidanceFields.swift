import CPosed

/// The fields of the guidance along the route.
package enum GuidanceFields: BlockFields {
    package typealias Block = posed_guidance
    package static var id: UInt32 { POSED_BLOCK_GUIDANCE }
    package static var topic: Topics { .guidance }
    package static var name: StaticString { "guidance" }

    @inline(__always)
    package static func visit<V: FieldVisitor>(_ v: inout V) where V.Block == posed_guidance {
        v.code("state", \.guidance.state, \.state)
        v.count("route_version", \.guidance.routeVersion, \.route_version, range: .notNegative)
        v.number(
            "progress_m", \.guidance.progressMeters, \.progress_m, .same, bit: POSED_GUIDANCE_PROGRESS, decimals: 3,
            range: .notNegative)
        v.number(
            "cross_track_m", \.guidance.crossTrackMeters, \.cross_track_m, .same, bit: POSED_GUIDANCE_CROSS_TRACK,
            decimals: 3, range: .any)
        v.number(
            "segment_bearing_deg", \.guidance.segmentBearingRadians, \.segment_bearing_deg, .bearing,
            bit: POSED_GUIDANCE_SEGMENT_BEARING, decimals: 4, range: .bearing)
        v.count(
            "next_maneuver", \.guidance.nextManeuver, \.next_maneuver, bit: POSED_GUIDANCE_NEXT_MANEUVER)
        turn(&v)
        v.number(
            "distance_left_m", \.guidance.distanceLeftMeters, \.distance_left_m, .same,
            bit: POSED_GUIDANCE_DISTANCE_LEFT, decimals: 3, range: .any)
        v.number(
            "time_left_s", \.guidance.timeLeftSeconds, \.time_left_s, .same, bit: POSED_GUIDANCE_TIME_LEFT,
            decimals: 3, range: .any)
        v.count("jump_count", \.guidance.jumpCount, \.jump_count, range: .notNegative)
        v.number("jump_delta_m", \.guidance.jumpDeltaMeters, \.jump_delta_m, .same, decimals: 3, range: .any)
        v.flag("in_tunnel", \.guidance.isInTunnel, \.flags, mask: POSED_GUIDANCE_IN_TUNNEL)
        v.number(
            "then_distance_m", \.guidance.distanceToThenMeters, \.then_distance_m, .same,
            bit: POSED_GUIDANCE_THEN_DISTANCE, decimals: 3, range: .notNegative)
        v.number(
            "age_s", \.guidance.ageSeconds, \.age_s, .same, bit: POSED_GUIDANCE_AGE, decimals: 3,
            range: .notNegative)
    }

    @inline(__always)
    private static func turn<V: FieldVisitor>(_ v: inout V) where V.Block == posed_guidance {
        v.number(
            "distance_to_turn_m", \.guidance.distanceToTurnMeters, \.distance_to_turn_m, .same,
            bit: POSED_GUIDANCE_DISTANCE_TO_TURN, decimals: 3, range: .any)
        v.number(
            "straight_distance_to_turn_m", \.guidance.straightDistanceToTurnMeters, \.straight_distance_to_turn_m,
            .same, bit: POSED_GUIDANCE_STRAIGHT_DISTANCE, decimals: 3, range: .notNegative)
        v.number(
            "turn_angle_deg", \.guidance.turnAngleRadians, \.turn_angle_deg, .degrees,
            bit: POSED_GUIDANCE_TURN_ANGLE, decimals: 3, range: .halfTurn)
    }
}
