import PoseMath

/// Density of the white noise that a sensor has in itself, whatever shakes it: the least Allan variance times averaging
/// time that any axis has had over any averaging time so far.
///
/// White noise has the same product at all averaging times, and a sensor has it always. Vibration and motion only add:
/// vibration at short averaging times, motion at long ones, each not on all axes and not all the time.
/// docs/math.md, eq. 4.16.
struct WhiteNoiseFloor: Sendable {
    /// Differences between successive means over one averaging time.
    private struct Octave: Sendable {
        private var first: Vector3?
        private var before: Vector3?
        private var squares = Vector3.zero
        private var count = 0

        /// Takes a mean of the octave below. Returns the mean of two, every second time.
        mutating func pair(_ mean: Vector3) -> Vector3? {
            guard let first else {
                self.first = mean
                return nil
            }
            self.first = nil
            return (first + mean) * 0.5
        }

        /// Takes a mean over the averaging time. Returns the least Allan variance of the axes each time that enough
        /// differences have come.
        mutating func leastVariance(_ mean: Vector3) -> Double? {
            defer { before = mean }
            guard let before else { return nil }
            let d = mean - before
            squares += Vector3(d.x * d.x, d.y * d.y, d.z * d.z)
            count += 1
            guard count == Tuning.IMUNoise.allanDifferences else { return nil }
            let variance = min(squares.x, squares.y, squares.z) / Double(2 * count)
            (squares, count) = (.zero, 0)
            return variance
        }
    }

    /// The density, the square of the sensor's unit per hertz; zero before it is known.
    private(set) var density = 0.0
    private var octaves: (Octave, Octave, Octave, Octave, Octave, Octave) = (
        Octave(), Octave(), Octave(), Octave(), Octave(), Octave()
    )

    /// Takes the next sample.
    ///
    /// - Parameters:
    ///   - sample: reading of three axes.
    ///   - interval: mean interval of the samples, seconds, more than zero.
    mutating func add(_ sample: Vector3, interval: Double) {
        var (mean, seconds) = (Optional(sample), interval)
        func take(_ octave: inout Octave) {
            guard let value = mean else { return }
            if let variance = octave.leastVariance(value), variance > 0 {
                density = density == 0 ? variance * seconds : min(density, variance * seconds)
            }
            (mean, seconds) = (octave.pair(value), seconds * 2)
        }
        take(&octaves.0)
        take(&octaves.1)
        take(&octaves.2)
        take(&octaves.3)
        take(&octaves.4)
        take(&octaves.5)
    }
}
