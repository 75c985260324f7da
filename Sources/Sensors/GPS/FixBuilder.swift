import Glibc
import Measurements
import PoseMath

/// Checks one epoch and turns it into a ``GnssFix`` in SI units, radians and 1-sigma.
///
/// What makes the position worthless refuses the fix; what spoils one other quantity drops that quantity. Either is
/// counted by name. Every comparison is written so that NaN fails.
struct FixBuilder {
    /// Speeds above this are errors, m/s.
    var maximumSpeedMetersPerSecond: Double
    /// Reads the estimates of error.
    var estimates: ErrorEstimates
    /// Why something was refused or dropped, in the order found.
    private(set) var rejections: [GPSRejection] = []

    /// Below this speed a receiver without a course stands still for all that matters, m/s; the speed itself then
    /// bounds the error of saying so.
    private static let courselessSpeedMetersPerSecond = 0.5
    /// Climb above this is an error, m/s.
    private static let maximumClimbMetersPerSecond = 150.0

    init(maximumSpeedMetersPerSecond: Double, estimates: ErrorEstimates) {
        self.maximumSpeedMetersPerSecond = maximumSpeedMetersPerSecond
        self.estimates = estimates
    }

    /// The fix, or `nil` where its position cannot be used; its times are those given. `intervalSeconds` is the time
    /// since the epoch before.
    mutating func build(
        _ source: GpsdFix, validityTime: MonotonicTime, arrivalTime: MonotonicTime, intervalSeconds: Double
    ) -> GnssFix? {
        rejections = []
        guard let mode = Self.mode(source.mode) else { return refuse(.noFix) }
        guard hasSoundPosition(source), let latitude = source.latitudeDegrees, let longitude = source.longitudeDegrees
        else { return nil }
        var fix = GnssFix(validityTime: validityTime, arrivalTime: arrivalTime, mode: mode)
        fix.quality = Self.quality(source.status)
        fix.latitudeRadians = latitude.degreesInRadians
        fix.longitudeRadians = longitude.degreesInRadians
        fix.geoidSeparationMeters = source.geoidSeparationMeters.flatMap { abs($0) <= 200 ? $0 : nil }
        fix.magneticVariationRadians = source.magneticVariationDegrees.flatMap {
            abs($0) <= 180 ? $0.degreesInRadians : nil
        }
        guard addHorizontalSigma(source, to: &fix) else { return nil }
        addHeight(source, to: &fix)
        addVelocity(source, to: &fix, intervalSeconds: intervalSeconds)
        addClimb(source, to: &fix, intervalSeconds: intervalSeconds)
        return fix
    }

    private mutating func refuse(_ reason: GPSRejection) -> GnssFix? {
        rejections.append(reason)
        return nil
    }

    private static func mode(_ mode: Int32) -> FixMode? {
        switch mode {
        case 2: return .twoDimensional
        case 3: return .threeDimensional
        default: return nil
        }
    }

    /// gpsd leaves `status` out for a plain fix, which libgps shows as 0: not said.
    private static func quality(_ status: Int32) -> FixQuality {
        switch status {
        case 1, 9: return .autonomous
        case 2: return .differential
        case 3: return .rtkFixed
        case 4: return .rtkFloat
        case 5: return .deadReckoning
        case 6: return .combinedDeadReckoning
        case 7, 8: return .notMeasured
        default: return .unknown
        }
    }

    private mutating func hasSoundPosition(_ source: GpsdFix) -> Bool {
        guard let latitude = source.latitudeDegrees, let longitude = source.longitudeDegrees else {
            rejections.append(.positionMissing)
            return false
        }
        if !latitude.isFinite || !longitude.isFinite {
            rejections.append(.notFinite)
        } else if !(abs(latitude) <= 90) {
            rejections.append(.latitudeOutOfRange)
        } else if !(abs(longitude) <= 180) {
            rejections.append(.longitudeOutOfRange)
        } else if latitude == 0 && longitude == 0 {
            rejections.append(.zeroPosition)
        }
        return rejections.isEmpty
    }

    /// Whether the value is finite and in range; counts why not.
    private mutating func isSound(_ value: Double, in range: ClosedRange<Double>, else reason: GPSRejection) -> Bool {
        guard value.isFinite else {
            rejections.append(.notFinite)
            return false
        }
        guard range.contains(value) else {
            rejections.append(reason)
            return false
        }
        return true
    }

    /// Returns `false` where the receiver itself calls its position worthless.
    private mutating func addHorizontalSigma(_ source: GpsdFix, to fix: inout GnssFix) -> Bool {
        let stated = [source.horizontalErrorMeters, source.eastErrorMeters, source.northErrorMeters].compactMap { $0 }
        if stated.contains(where: { !($0 >= ErrorEstimates.smallestSigma && $0 <= ErrorEstimates.largestSigma) }) {
            rejections.append(.sigmaOutOfRange)
            if stated.contains(where: { !($0 <= ErrorEstimates.largestSigma) }) { return false }
        }
        fix.horizontalSigmaMeters =
            estimates.horizontalSigma(source)
            ?? ErrorEstimates.defaultHorizontalSigma(mode: fix.mode, quality: fix.quality)
        return true
    }

    private mutating func addHeight(_ source: GpsdFix, to fix: inout GnssFix) {
        guard fix.mode == .threeDimensional else { return }
        let range = -11_000.0...100_000.0
        if let altitude = source.altitudeMeanSeaMeters, isSound(altitude, in: range, else: .altitudeOutOfRange) {
            fix.altitudeMeanSeaMeters = altitude
        }
        if let altitude = source.altitudeEllipsoidMeters {
            if isSound(altitude, in: range, else: .altitudeOutOfRange) { fix.altitudeEllipsoidMeters = altitude }
        } else if let altitude = fix.altitudeMeanSeaMeters, let separation = fix.geoidSeparationMeters {
            fix.altitudeEllipsoidMeters = altitude + separation
        }
        guard fix.altitudeEllipsoidMeters != nil || fix.altitudeMeanSeaMeters != nil else { return }
        if let stated = source.verticalErrorMeters {
            _ = isSound(stated, in: ErrorEstimates.smallestSigma...ErrorEstimates.largestSigma, else: .sigmaOutOfRange)
        }
        let horizontal =
            fix.horizontalSigmaMeters ?? ErrorEstimates.defaultHorizontalSigma(mode: fix.mode, quality: fix.quality)
        fix.verticalSigmaMeters =
            estimates.verticalSigma(source) ?? ErrorEstimates.defaultVerticalSigma(horizontalSigmaMeters: horizontal)
    }

    private mutating func addVelocity(_ source: GpsdFix, to fix: inout GnssFix, intervalSeconds: Double) {
        guard let speed = source.speedMetersPerSecond,
            isSound(speed, in: 0...maximumSpeedMetersPerSecond, else: .speedOutOfRange)
        else { return }
        let sigma =
            estimates.speedSigma(source, intervalSeconds: intervalSeconds)
            ?? ErrorEstimates.defaultSpeedSigmaMetersPerSecond
        if let course = source.courseDegrees {
            guard isSound(course, in: 0...360, else: .courseOutOfRange) else { return }
            let direction = course.degreesInRadians
            fix.horizontalVelocity = HorizontalVelocity(
                eastMetersPerSecond: speed * sin(direction), northMetersPerSecond: speed * cos(direction))
            fix.speedSigmaMetersPerSecond = sigma
        } else if speed <= Self.courselessSpeedMetersPerSecond {
            fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 0)
            fix.speedSigmaMetersPerSecond = min(
                (sigma * sigma + speed * speed).squareRoot(), ErrorEstimates.largestSigma)
        }
    }

    private mutating func addClimb(_ source: GpsdFix, to fix: inout GnssFix, intervalSeconds: Double) {
        let range = -Self.maximumClimbMetersPerSecond...Self.maximumClimbMetersPerSecond
        guard fix.mode == .threeDimensional, let climb = source.climbMetersPerSecond,
            isSound(climb, in: range, else: .climbOutOfRange)
        else {
            return
        }
        fix.climbMetersPerSecond = climb
        fix.climbSigmaMetersPerSecond =
            estimates.climbSigma(source, intervalSeconds: intervalSeconds) ?? climbSigmaFromSpeed(source)
            ?? ErrorEstimates.defaultClimbSigmaMetersPerSecond
    }

    /// A u-blox receiver gives one error for its velocity in three dimensions; upward it is about half again as large
    /// as along the ground.
    private func climbSigmaFromSpeed(_ source: GpsdFix) -> Double? {
        guard estimates.driver == "u-blox" else { return nil }
        return estimates.speedSigma(source, intervalSeconds: 1).map { min(1.5 * $0, ErrorEstimates.largestSigma) }
    }
}
