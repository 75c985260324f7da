import PoseMath

/// What was found of the magnetometer.
public struct MagnetometerStatus: Hashable, Sendable {
    /// How far it can be trusted.
    public enum State: UInt8, Sendable, CaseIterable {
        /// Not turned enough yet to separate hard iron from the Earth's field.
        case collecting = 1
        /// Iron and field are known.
        case calibrated = 2
        /// The field here is not the Earth's; readings are refused for a while.
        case disturbed = 3
        /// What was found cannot be the Earth's field.
        case implausible = 4
    }

    /// How far it can be trusted.
    public var state: State
    /// Iron that turns with the sensor, sensor axes, tesla.
    public var ironTesla: Vector3
    /// Soft iron and errors of the axes, rows: one and this, times a reading less the iron, is the field.
    public var softIron: (x: Vector3, y: Vector3, z: Vector3) { (softIronX, softIronY, softIronZ) }
    /// Strength of the Earth's field as found, tesla.
    public var fieldTesla: Double
    /// How far it points down, radians.
    public var dipRadians: Double
    /// 1-sigma of the magnetic heading, radians.
    public var headingSigmaRadians: Double

    private var softIronX: Vector3
    private var softIronY: Vector3
    private var softIronZ: Vector3

    init(
        state: State, ironTesla: Vector3, softIron: (x: Vector3, y: Vector3, z: Vector3), fieldTesla: Double,
        dipRadians: Double,
        headingSigmaRadians: Double
    ) {
        self.state = state
        self.ironTesla = ironTesla
        (softIronX, softIronY, softIronZ) = softIron
        self.fieldTesla = fieldTesla
        self.dipRadians = dipRadians
        self.headingSigmaRadians = headingSigmaRadians
    }
}

/// What is known of the sensors themselves, beside the pose.
public struct SensorCalibration: Hashable, Sendable {
    /// How the IMU sits in the vehicle; `nil` while it is not known, and elsewhere.
    public var mount: MountEstimate?
    /// Whether gravity or the drive has contradicted the mount in the settings.
    public var isConfiguredMountRefused = false
    /// Whether the settings state the place of the antenna.
    public var isAntennaTold = false
    /// What was found of the magnetometer; `nil` without one.
    public var magnetometer: MagnetometerStatus?
    /// What is known of gyro bias, receiver and wheels, for the next drive.
    public var sensors = SensorPrior()

    /// Nothing known.
    public init() {}
}

extension PoseEstimator {
    /// What is known of the sensors themselves.
    public var calibration: SensorCalibration {
        // Read in place: a copy of the estimator for each frame would be 33 kB.
        mutating get {
            var calibration = SensorCalibration()
            calibration.mount = mount
            calibration.isConfiguredMountRefused = mounts.isConfiguredRefused
            calibration.isAntennaTold = settings.antennaLeverArmBodyMeters != nil
            calibration.magnetometer = attitude.findings.magnetometer
            calibration.sensors = sensorPrior
            return calibration
        }
    }
}
