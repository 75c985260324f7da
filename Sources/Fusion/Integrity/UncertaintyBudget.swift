import Glibc
import PoseMath

/// What the published 1-sigmas consist of. Each part is a 1-sigma; the squares of the parts sum to the square of the
/// whole.
public struct UncertaintyBudget: Sendable, Equatable {
    /// The parts of one quantity, in its unit.
    public struct Parts: Sendable, Equatable {
        /// The receiver: its slow error, and the noise of its measurements.
        public var receiver = 0.0
        /// The gyro: its bias and its scale.
        public var gyro = 0.0
        /// The mount of the IMU and the place of the antenna.
        public var mount = 0.0
        /// The lags of the receiver's position and velocity.
        public var lag = 0.0
        /// The growth since the last accepted fix.
        public var age = 0.0

        /// All zero.
        public init() {}

        /// 1-sigma of the quantity.
        public var whole: Double {
            (receiver * receiver + gyro * gyro + mount * mount + lag * lag + age * age).squareRoot()
        }
    }

    /// Heading, radians.
    public var heading = Parts()
    /// Horizontal position, the mean of both axes, metres.
    public var position = Parts()
    /// Speed along the course, m/s.
    public var speed = Parts()

    /// All zero.
    public init() {}
}

extension NavigationFilter {
    /// Variances of heading, speed and the place of the IMU (east, north) at the last accepted fix.
    struct MotionVariancesAtFix: Sendable {
        var heading = 0.0
        var speed = 0.0
        var place = SIMD2<Double>.zero
    }

    /// What the present sigmas consist of.
    ///
    /// The part of a group of states is the variance that would vanish if they were known, `(h P e)^2 / P_jj` summed
    /// over its elements; the part of the age is what the variance has gained since the last accepted fix; the
    /// receiver has the rest. Parts whose sum exceeds the whole are scaled down together.
    /// docs/math.md, eq. 12.15.
    mutating func uncertaintyBudget() -> UncertaintyBudget {
        var budget = UncertaintyBudget()
        let heading = headingRow()
        budget.heading = parts(of: [heading], grown: [covariance.variance(of: heading) - motionAtFix.heading])
        let place = (0..<2).map { axis in
            var row = ObservationRow()
            row.add(.position[axis], 1)
            return row
        }
        budget.position = parts(
            of: place, grown: (0..<2).map { covariance.variance(of: place[$0]) - motionAtFix.place[$0] })
        budget.position.receiver = hypot(budget.position.receiver, unstatedError.horizontal)
        let speed = speedRow()
        budget.speed = parts(of: [speed], grown: [covariance.variance(of: speed) - motionAtFix.speed])
        return budget
    }

    /// Stores the present variances of heading and speed, just after a fix.
    mutating func storeMotionAtFix() {
        motionAtFix.heading = headingVariance()
        motionAtFix.speed = covariance.variance(of: speedRow())
        for axis in 0..<2 {
            let element = FilterState.position[axis].index
            motionAtFix.place[axis] = covariance[element, element]
        }
    }

    /// The speed along the course; east where the body stands.
    private func speedRow() -> ObservationRow {
        let velocity = state.velocityENU
        let speed = velocity.horizontalLength
        var row = ObservationRow()
        row.add(.velocity.x, speed > 0.1 ? velocity.x / speed : 1)
        row.add(.velocity.y, speed > 0.1 ? velocity.y / speed : 0)
        return row
    }

    /// The mean parts of several rows.
    private mutating func parts(of rows: [ObservationRow], grown: [Double]) -> UncertaintyBudget.Parts {
        var (whole, age, gyro, mount, lag) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for (row, grown) in zip(rows, grown) {
            let variance = max(covariance.variance(of: row), 0)
            whole += variance
            age += min(max(grown, 0), variance)
            gyro += explained(row, [.gyroBias, .turnCoupling])
            mount += explained(row, [.mount, .antennaArm])
            lag += explained(row, [.positionLag, .velocityLag])
        }
        let count = Double(rows.count)
        let sum = age + gyro + mount + lag
        let scale = sum > whole ? whole / sum : 1
        func sigma(_ variance: Double) -> Double { (max(variance, 0) / count).squareRoot() }
        var parts = UncertaintyBudget.Parts()
        (parts.age, parts.gyro) = (sigma(age * scale), sigma(gyro * scale))
        (parts.mount, parts.lag) = (sigma(mount * scale), sigma(lag * scale))
        parts.receiver = sigma(whole - sum * scale)
        return parts
    }

    /// The variance of a row that would vanish if some states were known, each element by itself.
    private mutating func explained(_ row: ObservationRow, _ states: [FilterState]) -> Double {
        var sum = 0.0
        for state in states {
            for element in state.elements {
                let own = covariance[element, element]
                guard own > 0 else { continue }
                var common = 0.0
                for k in 0..<row.count { common += row[k].value * covariance[row[k].index, element] }
                sum += common * common / own
            }
        }
        return sum
    }
}
