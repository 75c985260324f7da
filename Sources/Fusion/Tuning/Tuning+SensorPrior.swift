/// Constants of what one drive keeps of sensors and receiver for the next one.
extension Tuning {
    /// Gyro bias, lags and wheels of an earlier drive (eq. 7.32, eq. 7.33).
    enum SensorPrior {
        /// 1-sigma below which a gyro bias is kept, the worst axis, rad/s: 0.06 deg/s.
        /// Source: own. Covered by: SensorPriorTests.
        static let knownGyroBiasSigma = 0.001
        /// Largest gyro bias, rad/s: 20 deg/s.
        /// Source: data sheets of consumer sensors promise 1 to 20. Covered by: SensorPriorTests.
        static let largestGyroBias = 0.35
        /// Growth of the 1-sigma of the gyro bias from one drive to the next at the same temperature, rad/s: 0.1 deg/s.
        /// Source: own: what consumer sensors change from power-up to power-up. Covered by: SensorPriorTests.
        static let betweenDrivesGyroBias = 0.001_7
        /// Change of the gyro bias with temperature, rad/s/K: 0.02 deg/s/K.
        /// Source: data sheets of consumer sensors promise 0.01 to 0.05. Covered by: SensorPriorTests.
        static let gyroBiasPerKelvin = 0.000_35
        /// Growth of that 1-sigma where the temperature is unknown, rad/s: 0.02 deg/s/K over 15 K.
        /// Source: data sheets of consumer sensors promise 0.01 to 0.05. Covered by: SensorPriorTests.
        static let otherTemperatureGyroBias = 0.005
        /// 1-sigma below which an accelerometer bias is kept, the worst axis, m/s2: below the one of a start without.
        /// Source: own. Covered by: SensorPriorTests.
        static let knownAccelerometerBiasSigma = 0.1
        /// Largest accelerometer bias, m/s2.
        /// Source: data sheets of consumer sensors promise 0.5 to 1. Covered by: SensorPriorTests.
        static let largestAccelerometerBias = 2.0
        /// 1-sigma of the accelerometer bias of a consumer sensor of which nothing was measured, m/s2: where one is
        /// kept, it replaces the narrow one of a start without.
        /// Source: data sheets of consumer sensors promise 0.5 to 1. Covered by: AttitudeFilterTests.
        static let unknownAccelerometerBias = 0.5
        /// Growth of its 1-sigma from one drive to the next, m/s2: 0.2 mg/K over 15 K.
        /// Source: data sheets of consumer sensors promise 0.1 to 0.5 mg/K. Covered by: SensorPriorTests.
        static let betweenDrivesAccelerometerBias = 0.03
        /// Growth of the 1-sigma of a lag, seconds.
        /// Source: own. Covered by: SensorPriorTests.
        static let betweenDrivesLag = 0.03
        /// Longest lag of a receiver, seconds.
        /// Source: own. Covered by: SensorPriorTests.
        static let longestLag = 5.0
        /// 1-sigma below which a scale of the wheels is kept.
        /// Source: own. Covered by: SensorPriorTests.
        static let knownWheelScaleSigma = 0.01
        /// Growth of the 1-sigma of that scale: pressure and temperature of the tyres.
        /// Source: own. Covered by: SensorPriorTests.
        static let betweenDrivesWheelScale = 0.01
        /// Sigmas from which a kept gyro bias contradicts the one that was found since the start.
        /// Source: own. Covered by: SensorPriorTests.
        static let gate = 5.0
        /// 1-sigma of roll and pitch below which a level found in motion is as good as one found at rest, radians.
        /// Source: as ``Start/knownTiltSigma``. Covered by: SensorPriorTests.
        static let foundTilt = 0.02
    }
}
