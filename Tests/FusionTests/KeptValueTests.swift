import Geodesy
import PoseMath
import Testing

@testable import Fusion

/// Which values of an earlier drive are taken, which are worth keeping, and how they age.
@Suite struct KeptValueTests {
    private static func gyro(_ bias: Double, sigma: Double) -> SensorPrior.GyroBias {
        .init(
            radiansPerSecond: Vector3(0, -bias, 0), sigmaRadiansPerSecond: Vector3(0.0001, 0.0001, sigma))
    }

    private static func accelerometer(_ bias: Double, sigma: Double) -> SensorPrior.AccelerometerBias {
        .init(
            metersPerSecondSquared: Vector3(0, 0, -bias), sigmaMetersPerSecondSquared: Vector3(0.01, sigma, 0.01))
    }

    @Test func aBiasIsThatOfASensor() {
        // GIVEN biases and sigmas at the ends of their ranges, and beyond THEN only the former are valid
        let gyros: [(Double, Double, Bool)] = [
            (0.35, 0.001, true), (0.351, 0.001, false), (0.01, 0.35, true), (0.01, 0.351, false), (0.01, 0, false),
            (Double.nan, 0.001, false), (0.01, Double.nan, false),
        ]
        for (bias, sigma, isValid) in gyros {
            #expect(Self.gyro(bias, sigma: sigma).isValid == isValid, "gyro \(bias) \(sigma)")
        }
        let accelerometers: [(Double, Double, Bool)] = [
            (2, 0.05, true), (2.01, 0.05, false), (0.1, 2, true), (0.1, 2.01, false), (0.1, 0, false),
            (Double.nan, 0.05, false), (0.1, Double.nan, false),
        ]
        for (bias, sigma, isValid) in accelerometers {
            #expect(Self.accelerometer(bias, sigma: sigma).isValid == isValid, "accelerometer \(bias) \(sigma)")
        }
    }

    @Test func aBiasIsKeptWhereItsWorstAxisIsKnown() {
        // GIVEN sigmas just within a thousandth of a radian a second, and a tenth of a metre a second squared, and
        // those beyond THEN only the former are kept
        #expect(Self.gyro(0.01, sigma: 0.000_99).isWellKnown && !Self.gyro(0.01, sigma: 0.001_01).isWellKnown)
        #expect(Self.accelerometer(0.1, sigma: 0.099).isWellKnown)
        #expect(!Self.accelerometer(0.1, sigma: 0.101).isWellKnown)
    }

    @Test func lagsAreThoseOfAReceiver() {
        // GIVEN lags of position and velocity with their sigmas THEN they are valid up to five seconds, either way
        func isValid(_ lag: Double, _ sigma: Double) -> Bool {
            let first = LagCalibration(
                positionSeconds: lag, positionSigmaSeconds: sigma, velocitySeconds: 0.1, velocitySigmaSeconds: 0.1)
            let second = LagCalibration(
                positionSeconds: 0.1, positionSigmaSeconds: 0.1, velocitySeconds: -lag, velocitySigmaSeconds: sigma)
            #expect(first.isValid == second.isValid)
            return first.isValid
        }
        #expect(isValid(5, 0.1) && isValid(-5, 5) && !isValid(5.01, 0.1) && !isValid(1, 5.01))
        #expect(!isValid(1, 0) && !isValid(.nan, 0.1) && !isValid(1, .nan))
        // AND they are known where both sigmas are below a tenth
        let sigmas: [(Double, Double, Bool)] = [(0.099, 0.099, true), (0.101, 0.01, false), (0.01, 0.101, false)]
        for (position, velocity, isKnown) in sigmas {
            let lags = LagCalibration(
                positionSeconds: 0, positionSigmaSeconds: position, velocitySeconds: 0, velocitySigmaSeconds: velocity)
            #expect(lags.isKnown == isKnown)
        }
    }

    @Test func aScaleIsThatOfWheels() {
        // GIVEN scale, its sigma, lag and its sigma THEN a unit explains a scale of 0.2 to 5, and a lag is up to 1.5 s
        let cases: [((Double, Double), (Double, Double), Bool)] = [
            ((0.2, 0.01), (0.1, 0.1), true), ((0.19, 0.01), (0.1, 0.1), false), ((5, 0.01), (0.1, 0.1), true),
            ((5.01, 0.01), (0.1, 0.1), false), ((1, 1), (0.1, 0.1), true), ((1, 1.01), (0.1, 0.1), false),
            ((1, 0), (0.1, 0.1), false), ((1, 0.01), (1.49, 0.1), true), ((1, 0.01), (-1.49, 0.1), true),
            ((1, 0.01), (1.51, 0.1), false), ((1, 0.01), (0.1, 10), true), ((1, 0.01), (0.1, 10.1), false),
            ((1, 0.01), (0.1, 0), false),
        ]
        for ((scale, scaleSigma), (lag, lagSigma), isValid) in cases {
            let wheels = SensorPrior.Wheels(
                scale: scale, scaleSigma: scaleSigma, lagSeconds: lag, lagSigmaSeconds: lagSigma)
            #expect(wheels.isValid == isValid, "\(wheels)")
        }
        // AND it is kept where it is known to a hundredth, and the lag to a tenth of a second
        let sigmas: [(Double, Double, Bool)] = [(0.009, 0.09, true), (0.011, 0.09, false), (0.009, 0.11, false)]
        for (scaleSigma, lagSigma, isKnown) in sigmas {
            let wheels = SensorPrior.Wheels(
                scale: 1, scaleSigma: scaleSigma, lagSeconds: 0, lagSigmaSeconds: lagSigma)
            #expect(wheels.isWellKnown == isKnown)
        }
    }

    private static func mount(_ sigma: Vector3, antenna: AntennaArm? = nil) -> MountEstimate {
        MountEstimate(sensorToBody: .identity, sigmaBodyRadians: sigma, origin: .found, antenna: antenna)
    }

    @Test func aMountIsKeptWhereItIsKnownToOneDegreeAboutTheVertical() {
        // GIVEN sigmas about forward, left and up axis THEN a mount is kept up to 2, 2 and 1 degrees
        let degree = Double.pi / 180
        let sigmas: [(Vector3, Bool)] = [
            (Vector3(1.9, 1.9, 0.95), true), (Vector3(2.1, 0.1, 0.1), false), (Vector3(0.1, 2.1, 0.1), false),
            (Vector3(0.1, 0.1, 1.05), false),
        ]
        for (sigma, isKnown) in sigmas {
            #expect(Self.mount(sigma * degree).isWellKnown == isKnown, "\(sigma)")
        }
        // AND it is valid with sigmas above zero, up to half a turn
        #expect(Self.mount(Vector3(.pi, .pi, .pi)).isValid && !Self.mount(Vector3(0.1, 3.15, 0.1)).isValid)
        #expect(!Self.mount(Vector3(0, 0.1, 0.1)).isValid && !Self.mount(Vector3(0.1, 0.1, .nan)).isValid)
        var stretched = Self.mount(Vector3(repeating: 0.1))
        stretched.sensorToBody = Quaternion(w: 1.001, x: 0, y: 0, z: 0)
        #expect(!stretched.isValid)
    }

    @Test func anAntennaIsWithinFiftyMeters() {
        // GIVEN a place of an antenna with its sigma THEN it is valid below 50 m, and kept where it is known to 0.3 m
        let places: [(Double, Double, Bool, Bool)] = [
            (49.9, 0.29, true, true), (-49.9, 0.31, true, false), (50.1, 0.1, false, false), (1, 49.9, true, false),
            (1, 50.1, false, false), (1, 0, false, false), (Double.nan, 0.1, false, false),
        ]
        for (meters, sigma, isValid, isKnown) in places {
            let arm = AntennaArm(meters: SIMD2(0.1, meters), sigmaMeters: SIMD2(0.1, sigma))
            #expect(arm.isValid == isValid && arm.isWellKnown == isKnown, "\(meters) \(sigma)")
            #expect(Self.mount(Vector3(repeating: 0.1), antenna: arm).isValid == isValid)
        }
        // AND one that nobody has told may be a metre off
        #expect(AntennaArm().sigmaMeters == SIMD2(1, 1) && AntennaArm().meters == .zero)
    }

    @Test func aMountAgesByTwoDegreesFromDriveToDrive() {
        // GIVEN a mount and an antenna that are known exactly WHEN the next drive begins THEN their sigmas are what a
        // holder moves: 1.5 degrees about the horizontal axes, 2 about the vertical, and 5 cm
        let arm = AntennaArm(meters: SIMD2(1, -0.5), sigmaMeters: SIMD2(1e-9, 1e-9))
        let next = Self.mount(Vector3(repeating: 1e-9), antenna: arm).onTheNextDrive
        #expect((next.sigmaBodyRadians - Vector3(0.026, 0.026, 0.035)).length < 1e-9 && next.origin == .kept)
        #expect(next.antenna?.meters == SIMD2(1, -0.5))
        for axis in 0..<2 { #expect(abs((next.antenna?.sigmaMeters[axis] ?? 0) - 0.05) < 1e-9) }
        // AND what is known worse grows as a square
        let worse = Self.mount(Vector3(repeating: 0.084)).onTheNextDrive.sigmaBodyRadians
        #expect(abs(worse.z - 0.091) < 1e-9)
    }

    private static let stop = RestingPose(
        position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 460),
        horizontalSigmaMeters: 4, verticalSigmaMeters: 4, headingTrueRadians: 1, headingSigmaRadians: 0.012,
        downBody: Vector3(0, 0, -1))

    @Test func theLastStopAgesByThreeMeters() {
        // GIVEN the pose of the last stop WHEN the next start comes THEN its sigmas are larger, each as a square: by
        // 3 m and 2 degrees
        let next = Self.stop.onTheNextStart
        #expect(abs(next.horizontalSigmaMeters - 5) < 1e-9 && abs(next.verticalSigmaMeters - 5) < 1e-9)
        #expect(abs(next.headingSigmaRadians - 0.037) < 1e-9)
        // AND what it was at the stop is known from that
        #expect(abs(next.sigmaBeforeStart - 4) < 1e-9)
    }

    @Test func theLastStopIsAPlaceOnEarth() {
        // GIVEN one value of the pose of the last stop at the end of its range, and one beyond THEN only the former is
        // valid
        let parts: [(WritableKeyPath<RestingPose, Double>, [Double], [Double])] = [
            (\.position.latitudeRadians, [-1.57, 1.57], [-1.571, 1.571, .nan]),
            (\.position.longitudeRadians, [-3.141, 3.141], [-3.142, 3.142, .infinity]),
            (\.position.altitudeEllipsoidMeters, [-19_999, 19_999], [-20_001, 20_001]),
            (\.horizontalSigmaMeters, [0.001, 999], [0, -1, 1001]),
            (\.verticalSigmaMeters, [0.001, 999], [0, -1, 1001]),
            (\.headingTrueRadians, [0, 6.283], [-0.001, 6.284]),
            (\.headingSigmaRadians, [0.001, 3.141], [0, 3.142]),
            (\.downBody.z, [-1.000_9, -0.999_1], [-1.001_1, -0.998_9, .nan]),
        ]
        for (part, valid, invalid) in parts {
            for (values, isValid) in [(valid, true), (invalid, false)] {
                for value in values {
                    var pose = Self.stop
                    pose[keyPath: part] = value
                    #expect(pose.isValid == isValid, "\(part) \(value)")
                }
            }
        }
    }
}
