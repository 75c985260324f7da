import PoseMath

/// The readings of one step of the compass, in the level frame.
struct MagneticReading: Sendable {
    /// Field, level frame, tesla.
    private(set) var field = Vector3.zero
    /// Change of it that a delay of one second would make, level frame, tesla/s.
    private(set) var turn = Vector3.zero
    /// The sensor's axes in the level frame, by columns.
    private(set) var axes = (x: Vector3.zero, y: Vector3.zero, z: Vector3.zero)

    /// Adds a reading in sensor axes; only what is not the sensor's own iron comes late.
    mutating func add(_ m: Vector3, axes e: SensorAxes, rate: Vector3, iron: Vector3) {
        let delayed = rate.cross(m - iron)
        field += e.x * m.x + e.y * m.y + e.z * m.z
        turn += e.x * delayed.x + e.y * delayed.y + e.z * delayed.z
        axes.x += e.x
        axes.y += e.y
        axes.z += e.z
    }

    /// The mean of a number of readings that were added.
    func mean(of count: Int) -> MagneticReading {
        let part = 1 / Double(count)
        var mean = MagneticReading()
        mean.field = field * part
        mean.turn = turn * part
        mean.axes = (axes.x * part, axes.y * part, axes.z * part)
        return mean
    }

    /// A vector that is fixed in the sensor, seen in the level frame.
    func fromSensor(_ v: Vector3) -> Vector3 { axes.x * v.x + axes.y * v.y + axes.z * v.z }

    /// A vector that is fixed in the level frame, seen in the sensor.
    func toSensor(_ v: Vector3) -> Vector3 { Vector3(axes.x.dot(v), axes.y.dot(v), axes.z.dot(v)) }
}

/// One hypothesis of what the magnetometer sees: the Earth's field, the iron that turns with the sensor, and the delay of its readings.
///
/// A linear Kalman filter with the observation `R m = h + R b + T R (w x m)`: in the level frame the field h stands still, the iron b turns with
/// the sensor, and a delay T shows where the sensor turns.
struct MagneticModel: Sendable {
    /// The Earth's field, level frame, tesla.
    private(set) var field = Vector3.zero
    /// Field of the iron on the sensor's side, sensor axes, tesla.
    private(set) var iron = Vector3.zero
    /// Delay of the readings against the gyro, seconds.
    private(set) var lagSeconds = 0.0
    /// Covariance of field, iron and delay.
    private(set) var covariance = Matrix<7, 7>()

    /// A hypothesis without any reading.
    init() {}

    /// Begins with a reading, and a prior on iron and delay.
    /// docs/math.md, eq. 8.10.
    init(_ reading: MagneticReading, fieldSigma: Double, ironSigma: Double, lagSigma: Double) {
        field = reading.field
        let (p, f) = (ironSigma * ironSigma, fieldSigma * fieldSigma)
        let e = reading.axes
        for i in 0..<3 {
            covariance[i, i] = f
            covariance[3 + i, 3 + i] = p
            for j in 0..<3 { covariance[i, j] += p * (e.x[i] * e.x[j] + e.y[i] * e.y[j] + e.z[i] * e.z[j]) }
            // What the iron adds to the first reading is missing in the field.
            let missing = Vector3(e.x[i], e.y[i], e.z[i]) * -p
            for k in 0..<3 {
                covariance[i, 3 + k] = missing[k]
                covariance[3 + k, i] = missing[k]
            }
        }
        covariance[6, 6] = lagSigma * lagSigma
    }

    /// The variance of the horizontal direction of the field, rad2.
    /// docs/math.md, eq. 8.12.
    var headingVariance: Double {
        let h = field.horizontalLength
        guard h > 0 else { return 10 }
        let (n, e) = (field.y / h, field.x / h)
        return (covariance[0, 0] * n * n - 2 * covariance[0, 1] * n * e + covariance[1, 1] * e * e) / (h * h)
    }

    /// Lets time pass: field and iron walk, and the level frame drifts about the vertical.
    /// docs/math.md, eq. 8.11.
    mutating func drift(fieldVariance: Double, ironVariance: Double, yawVariance: Double) {
        for i in 0..<3 {
            covariance[i, i] += fieldVariance
            covariance[3 + i, 3 + i] += ironVariance
        }
        covariance[0, 0] += field.y * field.y * yawVariance
        covariance[1, 1] += field.x * field.x * yawVariance
        covariance[0, 1] -= field.x * field.y * yawVariance
        covariance[1, 0] -= field.x * field.y * yawVariance
    }

    /// Observed minus expected, level frame, tesla.
    /// docs/math.md, eq. 8.9.
    func innovation(_ reading: MagneticReading) -> Vector3 { reading.field - reading.fromSensor(iron) - reading.turn * lagSeconds - field }

    /// The sum of the variances that the model itself expects of the innovation's components.
    func expectedPower(_ reading: MagneticReading) -> Double {
        var sum = 0.0
        for axis in 0..<3 {
            let row = Row(axis, reading)
            sum += row.times(column(of: row))
        }
        return sum
    }

    /// Folds in a reading.
    mutating func take(_ reading: MagneticReading, innovation: Vector3, variance: Double) {
        var error = InlineArray<7, Double>(repeating: 0)
        for axis in 0..<3 {
            let row = Row(axis, reading)
            let column = column(of: row)
            let s = 1 / (row.times(column) + variance)
            let rest = innovation[axis] - row.times(error)
            for i in 0..<7 {
                let gain = column[i] * s
                error[i] += gain * rest
                for j in 0..<7 { covariance[i, j] -= gain * column[j] }
            }
        }
        field += Vector3(error[0], error[1], error[2])
        iron += Vector3(error[3], error[4], error[5])
        lagSeconds += error[6]
    }

    /// One component of the observation.
    private struct Row {
        let axis: Int
        let iron: Vector3
        let turn: Double

        init(_ axis: Int, _ reading: MagneticReading) {
            self.axis = axis
            iron = Vector3(reading.axes.x[axis], reading.axes.y[axis], reading.axes.z[axis])
            turn = reading.turn[axis]
        }

        func times(_ v: borrowing InlineArray<7, Double>) -> Double { v[axis] + iron.x * v[3] + iron.y * v[4] + iron.z * v[5] + turn * v[6] }
    }

    private func column(of row: Row) -> InlineArray<7, Double> {
        var column = InlineArray<7, Double>(repeating: 0)
        for i in 0..<7 {
            column[i] =
                covariance[i, row.axis] + covariance[i, 3] * row.iron.x + covariance[i, 4] * row.iron.y + covariance[i, 5] * row.iron.z
                + covariance[i, 6] * row.turn
        }
        return column
    }
}
