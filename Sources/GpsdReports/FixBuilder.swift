import Glibc
import Measurements
import PoseMath

/// Checks one epoch and converts it into a ``GnssFix`` in SI units, radians and 1-sigma.
///
/// An error that makes the position unusable rejects the fix; an error in another quantity drops that quantity. Both
/// are counted by name. Every comparison is written so that NaN fails.
package struct FixBuilder {
    /// A speed above this value is an error, m/s.
    var maximumSpeedMetersPerSecond: Double
    /// Converts the error estimates.
    var estimates: ErrorEstimates
    /// The reasons for rejected or dropped parts, in the order of the checks.
    package private(set) var rejections: [GPSRejection] = []

    /// Below this speed a fix without a course counts as zero velocity, m/s; the speed itself then bounds the error of
    /// that assumption.
    private static let courselessSpeedMetersPerSecond = 0.5
    /// A climb above this value is an error, m/s.
    private static let maximumClimbMetersPerSecond = 150.0

    /// Creates a conversion that has rejected nothing.
    package init(maximumSpeedMetersPerSecond: Double, estimates: ErrorEstimates) {
        self.maximumSpeedMetersPerSecond = maximumSpeedMetersPerSecond
        self.estimates = estimates
    }

    /// Returns the fix with the given times, or `nil` when its position is unusable. `intervalSeconds` is the time
    /// since the previous epoch.
    package mutating func build(
        _ source: GpsdFix, validityTime: MonotonicTime, arrivalTime: MonotonicTime, intervalSeconds: Double
    ) -> GnssFix? {
        rejections = []
        guard let mode = Self.mode(source.mode) else { return reject(.noFix) }
        guard let (latitude, longitude) = position(of: source) else { return nil }
        var fix = GnssFix(validityTime: validityTime, arrivalTime: arrivalTime, mode: mode)
        fix.quality = Self.quality(source.status)
        fix.latitudeRadians = latitude.degreesInRadians
        fix.longitudeRadians = longitude.degreesInRadians
        fix.geoidSeparationMeters = source.geoidSeparationMeters.flatMap { abs($0) <= 200 ? $0 : nil }
        fix.magneticVariationRadians = source.magneticVariationDegrees.flatMap {
            abs($0) <= 180 ? $0.degreesInRadians : nil
        }
        fix.headingTrueRadians = source.headingDegrees?.degreesInRadians
        guard addHorizontalSigma(source, to: &fix) else { return nil }
        addHeight(source, to: &fix)
        addVelocity(source, to: &fix, intervalSeconds: intervalSeconds)
        addClimb(source, to: &fix, intervalSeconds: intervalSeconds)
        return fix
    }

    private mutating func reject(_ reason: GPSRejection) -> GnssFix? {
        rejections.append(reason)
        return nil
    }

    /// The kind of a fix from gpsd's `mode`; `nil` without a fix.
    package static func mode(_ mode: Int32) -> FixMode? {
        switch mode {
        case 2: return .twoDimensional
        case 3: return .threeDimensional
        default: return nil
        }
    }

    /// The method of a fix from gpsd's `status`. gpsd omits it for a plain fix; libgps shows it as 0, unknown.
    package static func quality(_ status: Int32) -> FixQuality {
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

    /// Latitude and longitude, degrees; `nil`, with the reasons counted, where they are not usable.
    private mutating func position(of source: GpsdFix) -> (latitude: Double, longitude: Double)? {
        guard let latitude = source.latitudeDegrees, let longitude = source.longitudeDegrees else {
            rejections.append(.positionMissing)
            return nil
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
        return rejections.isEmpty ? (latitude, longitude) : nil
    }

    /// Whether the value is finite and in range; counts the reason if not.
    private mutating func isValid(_ value: Double, in range: ClosedRange<Double>, else reason: GPSRejection) -> Bool {
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

    /// Returns `false` when the receiver itself reports its position as unusable.
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
        if let altitude = source.altitudeMeanSeaMeters, isValid(altitude, in: range, else: .altitudeOutOfRange) {
            fix.altitudeMeanSeaMeters = altitude
        }
        var isImpossible = false
        if let altitude = source.altitudeEllipsoidMeters {
            isImpossible = !isValid(altitude, in: range, else: .altitudeOutOfRange)
            if !isImpossible { fix.altitudeEllipsoidMeters = altitude }
        }
        // The other values of a report with an impossible height give none in its place.
        if !isImpossible { fix.completeHeights() }
        guard fix.altitudeEllipsoidMeters != nil || fix.altitudeMeanSeaMeters != nil else { return }
        if let stated = source.verticalErrorMeters {
            _ = isValid(stated, in: ErrorEstimates.smallestSigma...ErrorEstimates.largestSigma, else: .sigmaOutOfRange)
        }
        let horizontal =
            fix.horizontalSigmaMeters ?? ErrorEstimates.defaultHorizontalSigma(mode: fix.mode, quality: fix.quality)
        fix.verticalSigmaMeters =
            estimates.verticalSigma(source) ?? ErrorEstimates.defaultVerticalSigma(horizontalSigmaMeters: horizontal)
    }

    private mutating func addVelocity(_ source: GpsdFix, to fix: inout GnssFix, intervalSeconds: Double) {
        guard let speed = source.speedMetersPerSecond,
            isValid(speed, in: 0...maximumSpeedMetersPerSecond, else: .speedOutOfRange)
        else { return }
        let sigma =
            estimates.speedSigma(source, intervalSeconds: intervalSeconds)
            ?? ErrorEstimates.defaultSpeedSigmaMetersPerSecond
        if let course = source.courseDegrees {
            guard isValid(course, in: 0...360, else: .courseOutOfRange) else { return }
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
            isValid(climb, in: range, else: .climbOutOfRange)
        else {
            return
        }
        fix.climbMetersPerSecond = climb
        fix.climbSigmaMetersPerSecond =
            estimates.climbSigma(source, intervalSeconds: intervalSeconds) ?? climbSigmaFromSpeed(source)
            ?? ErrorEstimates.defaultClimbSigmaMetersPerSecond
    }

    /// A u-blox receiver reports one error for its 3D velocity; the vertical error is about 1.5 times the horizontal
    /// one.
    private func climbSigmaFromSpeed(_ source: GpsdFix) -> Double? {
        guard estimates.driver == "u-blox" else { return nil }
        return estimates.speedSigma(source, intervalSeconds: 1).map { min(1.5 * $0, ErrorEstimates.largestSigma) }
    }
}
