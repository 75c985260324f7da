import Measurements
import PoseMath

/// The layouts of the raw measurements. Units are part of the names; axes are the sensor's own.
enum MeasurementLayouts {
    static let inertial = MessageLayout<InertialSample>(
        "Imu",
        [
            .time(1, "time_ns", \.time),
            .double(2, "gyro_x_rad_s", \.angularRateRadiansPerSecond.x),
            .double(3, "gyro_y_rad_s", \.angularRateRadiansPerSecond.y),
            .double(4, "gyro_z_rad_s", \.angularRateRadiansPerSecond.z),
            .double(5, "accel_x_m_s2", \.specificForceMetersPerSecondSquared.x),
            .double(6, "accel_y_m_s2", \.specificForceMetersPerSecondSquared.y),
            .double(7, "accel_z_m_s2", \.specificForceMetersPerSecondSquared.z),
        ])

    static let magnetic = MessageLayout<MagneticSample>(
        "Magnetometer",
        [
            .time(1, "time_ns", \.time), .double(2, "mag_x_t", \.fluxDensityTesla.x),
            .double(3, "mag_y_t", \.fluxDensityTesla.y), .double(4, "mag_z_t", \.fluxDensityTesla.z),
        ])

    static let pressure = MessageLayout<PressureSample>(
        "Barometer", [.time(1, "time_ns", \.time), .double(2, "pressure_pa", \.pressurePascal)])

    static let wheelSpeed = MessageLayout<WheelSpeedSample>(
        "WheelSpeed", [.time(1, "time_ns", \.time), .double(2, "speed_m_s", \.speedMetersPerSecond)])

    /// Latitude and longitude are in radians, as the engine takes them: a conversion would change their last bits.
    static let fix = MessageLayout<GnssFix>(
        "Fix",
        [
            .time(1, "validity_ns", \.validityTime), .time(2, "arrival_ns", \.arrivalTime),
            .integer(3, "utc_ns", \.utcNanoseconds), .code(4, "mode", \.mode), .code(5, "quality", \.quality),
            .double(6, "lat_rad", \.latitudeRadians), .double(7, "lon_rad", \.longitudeRadians),
            .double(8, "alt_hae_m", \.altitudeEllipsoidMeters), .double(9, "alt_msl_m", \.altitudeMeanSeaMeters),
            .double(10, "vel_e_m_s", \.recordedEast), .double(11, "vel_n_m_s", \.recordedNorth),
            .double(12, "climb_m_s", \.climbMetersPerSecond),
            .double(13, "horizontal_sigma_m", \.horizontalSigmaMeters),
            .double(14, "vertical_sigma_m", \.verticalSigmaMeters),
            .double(15, "speed_sigma_m_s", \.speedSigmaMetersPerSecond),
            .double(16, "climb_sigma_m_s", \.climbSigmaMetersPerSecond),
            .double(17, "geoid_separation_m", \.geoidSeparationMeters),
            .double(18, "magnetic_variation_rad", \.magneticVariationRadians),
            .flag(19, "is_interfered", \.isInterfered), .count(20, "satellites_used", \.satellitesUsed),
            .count(21, "satellites_visible", \.satellitesVisible),
            .double(22, "heading_true_rad", \.headingTrueRadians),
            .double(23, "heading_sigma_rad", \.headingSigmaRadians),
            .count(24, "receiver", \.recordedReceiver),
            .double(25, "time_sigma_s", \.timeSigmaSeconds),
        ])

    static let report = MessageLayout<SourceReport>(
        "SourceReport",
        [
            .time(1, "time_ns", \.time), .code(2, "source", \.source), .code(3, "state", \.state),
            .flag(4, "is_simulated", \.isSimulated),
        ])
}

extension InertialSample {
    /// Reads a message as this release writes it, 63 bytes with all fields in their order; `nil` for another form. Most
    /// messages of a recording are of this kind.
    init?(recorded data: ArraySlice<UInt8>) {
        guard data.count == 63 else { return nil }
        var numbers = InlineArray<7, UInt64>(repeating: 0)
        let isUsual = data.withUnsafeBytes { bytes in
            for index in 0..<7 {
                guard bytes[index * 9] == UInt8(index + 1) << 3 | WireType.fixed64.rawValue else { return false }
                numbers[index] = UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: index * 9 + 1, as: UInt64.self))
            }
            return true
        }
        let nanoseconds = Int64(bitPattern: numbers[0])
        guard isUsual, nanoseconds.magnitude < 1 << 62 else { return nil }
        func vector(_ first: Int) -> Vector3 {
            Vector3(
                Double(bitPattern: numbers[first]), Double(bitPattern: numbers[first + 1]),
                Double(bitPattern: numbers[first + 2]))
        }
        self.init(
            time: MonotonicTime(nanoseconds: nanoseconds), angularRateRadiansPerSecond: vector(1),
            specificForceMetersPerSecondSquared: vector(4))
    }
}

extension GnssFix {
    /// The number of the receiver; the first one's is not written.
    fileprivate var recordedReceiver: UInt8? {
        get { receiver == 0 ? nil : receiver }
        set { receiver = newValue ?? 0 }
    }

    /// Eastward velocity; it and the northward velocity are known together.
    fileprivate var recordedEast: Double? {
        get { horizontalVelocity?.eastMetersPerSecond }
        set { recordVelocity(east: newValue) }
    }

    /// Northward velocity.
    fileprivate var recordedNorth: Double? {
        get { horizontalVelocity?.northMetersPerSecond }
        set { recordVelocity(north: newValue) }
    }

    private mutating func recordVelocity(east: Double? = nil, north: Double? = nil) {
        var velocity =
            horizontalVelocity ?? HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 0)
        velocity.eastMetersPerSecond = east ?? velocity.eastMetersPerSecond
        velocity.northMetersPerSecond = north ?? velocity.northMetersPerSecond
        horizontalVelocity = velocity
    }
}
