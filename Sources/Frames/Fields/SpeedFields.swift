import CPosed

/// The fields of the speed and the speed limit.
package enum SpeedFields: BlockFields {
    package typealias Block = posed_speed
    package static var id: UInt32 { POSED_BLOCK_SPEED }
    package static var topic: Topics { .speed }
    package static var name: StaticString { "speed" }

    @inline(__always)
    package static func visit<V: FieldVisitor>(_ v: inout V) where V.Block == posed_speed {
        v.number(
            "speed_m_s", \.speed.speedMetersPerSecond, \.speed_m_s, .same, bit: POSED_SPEED_SPEED, decimals: 4,
            range: .notNegative)
        v.number(
            "limit_m_s", \.speed.limitMetersPerSecond, \.limit_m_s, .same, bit: POSED_SPEED_LIMIT, decimals: 4,
            range: .notNegative)
        v.number("ratio", \.speed.ratio, \.ratio, .same, bit: POSED_SPEED_RATIO, decimals: 4, range: .notNegative)
        v.code("colour", \.speed.colour, \.colour)
        v.code("limit_source", \.speed.limitSource, \.limit_source)
        ahead(&v)
        v.flag("has_condition", \.speed.hasCondition, \.flags, mask: POSED_SPEED_CONDITION)
        v.number(
            "indicated_m_s", \.speed.indicatedMetersPerSecond, \.indicated_m_s, .same, bit: POSED_SPEED_INDICATED,
            decimals: 4, range: .notNegative)
        v.code("limit_reason", \.speed.limitReason, \.limit_reason)
        v.code("next_limit_reason", \.speed.nextLimitReason, \.next_limit_reason)
        v.number("age_s", \.speed.ageSeconds, \.age_s, .same, bit: POSED_SPEED_AGE, decimals: 3, range: .notNegative)
    }

    @inline(__always)
    private static func ahead<V: FieldVisitor>(_ v: inout V) where V.Block == posed_speed {
        v.number(
            "next_limit_m_s", \.speed.nextLimitMetersPerSecond, \.next_limit_m_s, .same, bit: POSED_SPEED_NEXT_LIMIT,
            decimals: 4, range: .notNegative)
        v.number(
            "next_limit_distance_m", \.speed.distanceToNextLimitMeters, \.next_limit_distance_m, .same,
            bit: POSED_SPEED_NEXT_LIMIT_DISTANCE, decimals: 3, range: .notNegative)
        v.code("next_limit_source", \.speed.nextLimitSource, \.next_limit_source)
        v.number(
            "curve_speed_m_s", \.speed.curveSpeedMetersPerSecond, \.curve_speed_m_s, .same, bit: POSED_SPEED_CURVE,
            decimals: 4, range: .notNegative)
        v.number(
            "curve_distance_m", \.speed.distanceToCurveMeters, \.curve_distance_m, .same,
            bit: POSED_SPEED_CURVE_DISTANCE, decimals: 3, range: .notNegative)
    }
}

/// The fields of the source states.
package enum SourcesFields: BlockFields {
    package typealias Block = posed_sources
    package static var id: UInt32 { POSED_BLOCK_SOURCES }
    package static var topic: Topics { .sources }
    package static var name: StaticString { "sources" }

    @inline(__always)
    package static func visit<V: FieldVisitor>(_ v: inout V) where V.Block == posed_sources {
        v.code("gps", \.sources.gps, \.gps)
        v.code("imu", \.sources.imu, \.imu)
        v.code("magnetometer", \.sources.magnetometer, \.magnetometer)
        v.code("barometer", \.sources.barometer, \.barometer)
        v.code("wheels", \.sources.wheels, \.wheels)
        ages(&v)
    }

    @inline(__always)
    private static func ages<V: FieldVisitor>(_ v: inout V) where V.Block == posed_sources {
        v.number(
            "gps_age_s", \.sources.gpsAgeSeconds, \.gps_age_s, .same,
            bit: POSED_SOURCES_GPS_AGE, decimals: 3, range: .notNegative)
        v.number(
            "imu_age_s", \.sources.imuAgeSeconds, \.imu_age_s, .same,
            bit: POSED_SOURCES_IMU_AGE, decimals: 3, range: .notNegative)
        v.number(
            "magnetometer_age_s", \.sources.magnetometerAgeSeconds, \.magnetometer_age_s, .same,
            bit: POSED_SOURCES_MAGNETOMETER_AGE, decimals: 3, range: .notNegative)
        v.number(
            "barometer_age_s", \.sources.barometerAgeSeconds, \.barometer_age_s, .same,
            bit: POSED_SOURCES_BAROMETER_AGE, decimals: 3, range: .notNegative)
        v.number(
            "wheels_age_s", \.sources.wheelsAgeSeconds, \.wheels_age_s, .same,
            bit: POSED_SOURCES_WHEELS_AGE, decimals: 3, range: .notNegative)
    }
}
