import Glibc
import PoseMath

/// The readings of one step of the compass, in the level frame.
struct MagneticReading: Sendable {
    /// Field, level frame, tesla.
    private(set) var field = Vector3.zero
    /// Change of it that a delay of one second would make, level frame, tesla/s.
    private(set) var turn = Vector3.zero
    /// The sensor's axes in the level frame, by columns.
    private(set) var axes = (x: Vector3.zero, y: Vector3.zero, z: Vector3.zero)
    /// The reading less the hard iron, sensor axes, tesla. Soft iron is small, so that the product of the means
    /// replaces the mean of the product: for a turn of half a radian within a step, which is fast, the error is a
    /// fiftieth of the soft iron's part.
    private(set) var bare = Vector3.zero

    /// Adds a reading in sensor axes; the hard iron is not delayed.
    mutating func add(_ m: Vector3, axes e: SensorAxes, rate: Vector3, hardIron: Vector3) {
        let own = m - hardIron
        let delayed = rate.cross(own)
        bare += own
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
        mean.bare = bare * part
        return mean
    }

    /// Field of one of the five elements of soft iron; see ``MagneticModel/softIron``.
    func softIronTerm(_ way: Int) -> Vector3 {
        switch way {
        case 0: (axes.x * bare.x - axes.y * bare.y) * Self.half
        case 1: (axes.x * bare.x + axes.y * bare.y - axes.z * (2 * bare.z)) * Self.sixth
        case 2: (axes.x * bare.y + axes.y * bare.x) * Self.half
        case 3: (axes.x * bare.z + axes.z * bare.x) * Self.half
        default: (axes.y * bare.z + axes.z * bare.y) * Self.half
        }
    }

    /// Normalisation of the five elements: roots of a half and of a sixth.
    static let half = 0.5.squareRoot()
    static let sixth = (1.0 / 6).squareRoot()

    /// A vector that is fixed in the sensor, seen in the level frame.
    func fromSensor(_ v: Vector3) -> Vector3 { axes.x * v.x + axes.y * v.y + axes.z * v.z }

    /// A vector that is fixed in the level frame, seen in the sensor.
    func toSensor(_ v: Vector3) -> Vector3 { Vector3(axes.x.dot(v), axes.y.dot(v), axes.z.dot(v)) }
}

/// Model of a magnetometer: the Earth's field, hard iron, soft iron (with errors of the axes' scale and direction), and
/// the delay of the readings.
///
/// A linear Kalman filter with the observation `R m = h + R b + T R (w x m) - R E (m - b)`. In the level frame the
/// field h is constant, the hard iron b turns with the sensor, soft iron E shows in turns about several axes, and a
/// delay T in any turn. Elements that the turns do not make observable keep their prior: on a car, which turns about
/// the vertical alone, only the relevant ones are learned.
struct MagneticModel: Sendable {
    /// A vector of the state's length: field, iron, delay, soft iron.
    typealias Elements = InlineArray<12, Double>
    /// Elements in use; without those of soft iron where there is none.
    private var count = 12

    /// The Earth's field, level frame, tesla.
    private(set) var field = Vector3.zero
    /// Hard iron, sensor axes, tesla.
    private(set) var hardIron = Vector3.zero
    /// Delay of the readings against the gyro, seconds.
    private(set) var lagSeconds = 0.0
    /// Soft iron in the five elements of a symmetric matrix without a trace. The scale is left out: it is the field's
    /// strength.
    private(set) var softIronCoefficients = InlineArray<5, Double>(repeating: 0)
    /// Covariance of all that.
    ///
    /// Its readers below are `mutating` though they change nothing: what is used in place is not copied.
    private(set) var covariance = Matrix<12, 12>()

    /// 1-sigma of the initial state.
    struct Prior: Sendable {
        /// Field, tesla.
        var field: Double
        /// Hard iron, tesla.
        var hardIron: Double
        /// Delay, seconds.
        var lag: Double
        /// Soft iron, each of its five elements; 0: it is not estimated.
        var soft: Double
    }

    /// A model without readings.
    init() {}

    /// Starts with a reading, and a prior on all but the field.
    /// docs/math.md, eq. 8.10.
    init(_ reading: MagneticReading, prior: Prior) {
        field = reading.field
        var own = Elements(repeating: 0)
        for k in 3..<6 { own[k] = prior.hardIron * prior.hardIron }
        own[6] = prior.lag * prior.lag
        for k in 7..<12 { own[k] = prior.soft * prior.soft }
        for k in 3..<12 { covariance[k, k] = own[k] }
        count = prior.soft > 0 ? 12 : 7
        // The part of the other elements in the first reading is missing in the field; the delay's part is small and
        // left out.
        own[6] = 0
        let hasSoftIron = prior.soft > 0
        let rows = (
            Row(0, reading, hasSoftIron: hasSoftIron), Row(1, reading, hasSoftIron: hasSoftIron),
            Row(2, reading, hasSoftIron: hasSoftIron)
        )
        func row(_ i: Int) -> Row { i == 0 ? rows.0 : i == 1 ? rows.1 : rows.2 }
        for i in 0..<3 {
            covariance[i, i] = prior.field * prior.field
            for k in 3..<12 {
                let missing = -row(i).elements[k] * own[k]
                covariance[i, k] = missing
                covariance[k, i] = missing
            }
        }
        for i in 0..<3 {
            for j in 0..<3 { for k in 3..<12 { covariance[i, j] += row(i).elements[k] * own[k] * row(j).elements[k] } }
        }
    }

    /// The variance of the horizontal direction of the field, rad2.
    /// docs/math.md, eq. 8.12.
    mutating func headingVariance() -> Double {
        let h = field.horizontalLength
        guard h > 0 else { return Tuning.Magnetometer.unknownHeadingVariance }
        let (n, e) = (field.y / h, field.x / h)
        return (covariance[0, 0] * n * n - 2 * covariance[0, 1] * n * e + covariance[1, 1] * e * e) / (h * h)
    }

    /// The largest 1-sigma of an element of soft iron.
    mutating func softSigma() -> Double {
        var largest = 0.0
        for k in 7..<12 { largest = max(largest, covariance[k, k]) }
        return largest.squareRoot()
    }

    /// Adds process noise: random walks of field, hard and soft iron, and the drift of the level frame about the
    /// vertical.
    /// docs/math.md, eq. 8.11.
    mutating func drift(fieldVariance: Double, ironVariance: Double, softVariance: Double, yawVariance: Double) {
        for i in 0..<3 {
            covariance[i, i] += fieldVariance
            covariance[3 + i, 3 + i] += ironVariance
        }
        if count > 7 { for i in 7..<12 { covariance[i, i] += softVariance } }
        covariance[0, 0] += field.y * field.y * yawVariance
        covariance[1, 1] += field.x * field.x * yawVariance
        covariance[0, 1] -= field.x * field.y * yawVariance
        covariance[1, 0] -= field.x * field.y * yawVariance
    }

    /// Turns the field about the vertical to where a reading shows it, which leaves a variance, rad2.
    /// docs/math.md, eq. 8.23.
    mutating func turn(to reading: MagneticReading, variance: Double) {
        let seen = field + innovation(reading)
        let angle = atan2(seen.y, seen.x) - atan2(field.y, field.x)
        let (c, s) = (cos(angle), sin(angle))
        field = Vector3(c * field.x - s * field.y, s * field.x + c * field.y, field.z)
        for k in 0..<12 {
            let (x, y) = (covariance[0, k], covariance[1, k])
            (covariance[0, k], covariance[1, k]) = (c * x - s * y, s * x + c * y)
        }
        for k in 0..<12 {
            let (x, y) = (covariance[k, 0], covariance[k, 1])
            (covariance[k, 0], covariance[k, 1]) = (c * x - s * y, s * x + c * y)
        }
        drift(fieldVariance: 0, ironVariance: 0, softVariance: 0, yawVariance: variance)
    }

    /// Observed minus expected, level frame, tesla.
    /// docs/math.md, eq. 8.9.
    mutating func innovation(_ reading: MagneticReading) -> Vector3 {
        var softIronPart = Vector3.zero
        if count > 7 { for k in 0..<5 { softIronPart += reading.softIronTerm(k) * softIronCoefficients[k] } }
        return reading.field + softIronPart - reading.fromSensor(hardIron) - reading.turn * lagSeconds - field
    }

    /// Sum of the variances of the innovation's components, without noise.
    mutating func expectedPower(_ reading: MagneticReading) -> Double {
        var sum = 0.0
        for axis in 0..<3 {
            let row = Row(axis, reading, hasSoftIron: count > 7)
            sum += row.times(column(of: row))
        }
        return sum
    }

    /// Fuses a reading.
    mutating func update(_ reading: MagneticReading, innovation: Vector3, variance: Double) {
        var error = Elements(repeating: 0)
        for axis in 0..<3 {
            let row = Row(axis, reading, hasSoftIron: count > 7)
            let column = column(of: row)
            let s = 1 / (row.times(column) + variance)
            let rest = innovation[axis] - row.times(error)
            for i in 0..<count {
                let gain = column[i] * s
                error[i] += gain * rest
                for j in 0..<count { covariance[i, j] -= gain * column[j] }
            }
        }
        field += Vector3(error[0], error[1], error[2])
        hardIron += Vector3(error[3], error[4], error[5])
        lagSeconds += error[6]
        for k in 0..<5 { softIronCoefficients[k] += error[7 + k] }
    }

    /// Soft iron matrix: the identity plus this, times a reading less the hard iron, is the field.
    /// docs/math.md, eq. 8.17.
    var softIron: (x: Vector3, y: Vector3, z: Vector3) {
        let (a, b) = (softIronCoefficients[0] * MagneticReading.half, softIronCoefficients[1] * MagneticReading.sixth)
        let (xy, xz, yz) = (
            softIronCoefficients[2] * MagneticReading.half, softIronCoefficients[3] * MagneticReading.half,
            softIronCoefficients[4] * MagneticReading.half
        )
        return (Vector3(a + b, xy, xz), Vector3(xy, b - a, yz), Vector3(xz, yz, -2 * b))
    }

    /// Frobenius norm of the soft iron.
    var softIronLength: Double {
        var sum = 0.0
        for k in 0..<5 { sum += softIronCoefficients[k] * softIronCoefficients[k] }
        return sum.squareRoot()
    }

    /// One component of the observation.
    private struct Row {
        /// The coefficients of all elements.
        private(set) var elements = Elements(repeating: 0)
        private let axis: Int

        init(_ axis: Int, _ reading: MagneticReading, hasSoftIron: Bool) {
            self.axis = axis
            elements[axis] = 1
            elements[3] = reading.axes.x[axis]
            elements[4] = reading.axes.y[axis]
            elements[5] = reading.axes.z[axis]
            elements[6] = reading.turn[axis]
            guard hasSoftIron else { return }
            for k in 0..<5 { elements[7 + k] = -reading.softIronTerm(k)[axis] }
        }

        func times(_ v: borrowing Elements) -> Double {
            var sum = v[axis]
            for k in 3..<12 { sum += elements[k] * v[k] }
            return sum
        }
    }

    private mutating func column(of row: Row) -> Elements {
        var column = Elements(repeating: 0)
        for i in 0..<count {
            var sum = 0.0
            for k in 0..<count { sum += covariance[i, k] * row.elements[k] }
            column[i] = sum
        }
        return column
    }
}
