import Foundation

/// The motion of the guest's emulated sensor, as in `Guest/motion.c`: angles as a function of the time since its start.
enum GuestMotion {
    /// An attitude as in frames: roll with the right side down positive, pitch with the nose up positive, degrees.
    struct Tilt {
        var rollDegrees: Double
        var pitchDegrees: Double
    }

    /// Level and still before the rotation starts, seconds.
    static let restSeconds = 8.0
    /// The rotation has its full amplitude from here on, seconds since the start.
    static let fullSwingSeconds = 12.0

    /// Roll and pitch at a time since the start.
    static func tilt(at seconds: Double) -> Tilt {
        let t = seconds - restSeconds
        let u = min(max(t / (fullSwingSeconds - restSeconds), 0), 1)
        let fade = u * u * u * (u * (6 * u - 15) + 10)
        let phase = 2 * Double.pi * 0.2 * t
        // The sensor's y axis points left: a rotation about it lowers the nose.
        return Tilt(rollDegrees: 20 * fade * sin(phase), pitchDegrees: -15 * fade * sin(phase + .pi / 3))
    }
}

/// The attitudes that a client received, and the start of the motion that fits them best.
struct MotionMatch {
    /// Time and attitude of a frame.
    struct Sighting {
        var seconds: Double
        var tilt: GuestMotion.Tilt
    }

    /// Start of the motion, on the clock of the frames.
    let startSeconds: Double
    /// RMS of the differences of roll and of pitch, degrees.
    let rollRMSDegrees: Double
    let pitchRMSDegrees: Double
    /// The largest difference of either, degrees.
    let largestDegrees: Double

    /// Finds the start within a range: with a step of 20 ms over the whole range, then with 1 ms around the best.
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
