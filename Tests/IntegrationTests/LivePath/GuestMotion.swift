import Foundation

/// The motion of the guest's emulated sensor, as `Guest/motion.c` makes it: angles as a pure function of the time since
/// its start.
enum GuestMotion {
    /// An attitude as frames tell it: roll with the right side down positive, pitch with the nose up positive, degrees.
    struct Tilt {
        var rollDegrees: Double
        var pitchDegrees: Double
    }

    /// Level and still before the turning begins, seconds.
    static let restSeconds = 8.0
    /// The turning has its full size from here on, seconds since the start.
    static let fullSwingSeconds = 12.0

    /// Roll and pitch at a time since the start.
    static func tilt(at seconds: Double) -> Tilt {
        let t = seconds - restSeconds
        let u = min(max(t / (fullSwingSeconds - restSeconds), 0), 1)
        let fade = u * u * u * (u * (6 * u - 15) + 10)
        let phase = 2 * Double.pi * 0.2 * t
        // The sensor's y axis points left: turning about it puts the nose down.
        return Tilt(rollDegrees: 20 * fade * sin(phase), pitchDegrees: -15 * fade * sin(phase + .pi / 3))
    }
}

/// What a client saw, and the start of the motion that explains it best.
struct MotionMatch {
    /// A frame's instant and attitude.
    struct Sighting {
        var seconds: Double
        var tilt: GuestMotion.Tilt
    }

    /// When the motion began, on the clock of the sightings.
    let startSeconds: Double
    /// Root mean square of the difference of roll and of pitch, degrees.
    let rollRMSDegrees: Double
    let pitchRMSDegrees: Double
    /// The largest difference of either, degrees.
    let largestDegrees: Double

    /// Finds the start within a range: to 20 ms over all of it, then to 1 ms around the best.
    init(_ sightings: [Sighting], startWithin range: ClosedRange<Double>) {
        func cost(_ start: Double) -> Double {
            sightings.reduce(0) { sum, sighting in
                let truth = GuestMotion.tilt(at: sighting.seconds - start)
                return sum + pow(sighting.tilt.rollDegrees - truth.rollDegrees, 2)
                    + pow(sighting.tilt.pitchDegrees - truth.pitchDegrees, 2)
            }
        }
        func best(_ range: ClosedRange<Double>, step: Double) -> Double {
            stride(from: range.lowerBound, through: range.upperBound, by: step).min { cost($0) < cost($1) }
                ?? range.lowerBound
        }
        let coarse = best(range, step: 0.02)
        let start = best(coarse - 0.02...coarse + 0.02, step: 0.001)
        let differences = sightings.map { sighting in
            let truth = GuestMotion.tilt(at: sighting.seconds - start)
            return (
                roll: sighting.tilt.rollDegrees - truth.rollDegrees,
                pitch: sighting.tilt.pitchDegrees - truth.pitchDegrees
            )
        }
        func rms(_ values: [Double]) -> Double {
            (values.reduce(0) { $0 + $1 * $1 } / Double(max(values.count, 1))).squareRoot()
        }
        startSeconds = start
        rollRMSDegrees = rms(differences.map(\.roll))
        pitchRMSDegrees = rms(differences.map(\.pitch))
        largestDegrees = differences.map { max(abs($0.roll), abs($0.pitch)) }.max() ?? .infinity
    }
}
