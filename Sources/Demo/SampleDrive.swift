import Measurements
import PoseMath
import Simulation

/// The sample drive that ships with the program: the first minute of the demo drive, with the rates and the resolution
/// of a simple IMU and receiver, so that it is small.
package enum SampleDrive {
    /// Its duration, seconds.
    package static let seconds = 60.0
    /// UTC at its time zero, nanoseconds since 1970: 2026-09-21, 14:13:20.
    package static let utcAtStart: Int64 = 1_790_000_000_000_000_000
    /// Rate of its IMU, Hz.
    private static let rateHertz = 50.0

    /// Its measurements in the order of their arrival; always the same.
    package static func events() throws(DemoDrive.Failure) -> [SensorEvent] {
        let drive = try DemoDrive.simulation(motionRateHertz: rateHertz)
        var events: [SensorEvent] = []
        for event in drive {
            guard event.arrivalTime.seconds <= seconds else { break }
            events.append(event.rounded)
        }
        return events
    }
}

extension Double {
    /// Rounded to a number of decimals, given as a power of ten.
    fileprivate func rounded(_ scale: Double) -> Double { (self * scale).rounded() / scale }
}

extension Vector3 {
    fileprivate func rounded(_ scale: Double) -> Vector3 {
        Vector3(x.rounded(scale), y.rounded(scale), z.rounded(scale))
    }
}

extension SensorEvent {
    /// With few decimals: 1e-5 rad/s, 1e-4 m/s2, 1e-8 degrees, and 0.1 mm/s.
    fileprivate var rounded: SensorEvent {
        switch self {
        case .inertial(var sample):
            sample.angularRateRadiansPerSecond = sample.angularRateRadiansPerSecond.rounded(1e5)
            sample.specificForceMetersPerSecondSquared = sample.specificForceMetersPerSecondSquared.rounded(1e4)
            return .inertial(sample)
        case .gnss(var fix):
            fix.utcNanoseconds = SampleDrive.utcAtStart + fix.validityTime.nanoseconds
            fix.latitudeRadians = fix.latitudeRadians?.radiansInDegrees.rounded(1e8).degreesInRadians
            fix.longitudeRadians = fix.longitudeRadians?.radiansInDegrees.rounded(1e8).degreesInRadians
            fix.altitudeEllipsoidMeters = fix.altitudeEllipsoidMeters?.rounded(1e3)
            fix.altitudeMeanSeaMeters = fix.altitudeMeanSeaMeters?.rounded(1e3)
            fix.horizontalVelocity = fix.horizontalVelocity.map {
                HorizontalVelocity(
                    eastMetersPerSecond: $0.eastMetersPerSecond.rounded(1e4),
                    northMetersPerSecond: $0.northMetersPerSecond.rounded(1e4))
            }
            fix.climbMetersPerSecond = fix.climbMetersPerSecond?.rounded(1e4)
            fix.magneticVariationRadians = fix.magneticVariationRadians?.radiansInDegrees.rounded(1e4).degreesInRadians
            return .gnss(fix)
        default: return self
        }
    }
}
