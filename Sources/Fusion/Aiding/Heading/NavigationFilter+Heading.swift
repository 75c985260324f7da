import Glibc
import Measurements
import PoseMath

/// The receiver's own heading: that of the baseline between two antennas.
///
/// Starts on a vehicle or a boat when ten comparisons in a row with the filter's heading have confirmed the angle of
/// the baseline, and on a boat at once where the angle is told; another angle than the told one is found. Used as far
/// as the filter's heading is known worse. Stops, and is reported, when four angles, or 60 comparisons counted once a
/// second at most, were refuted; compared anew after five minutes.
extension NavigationFilter {
    /// Compares the heading of a fix with the filter's, and fuses it; the state has been predicted to its time.
    /// docs/math.md, eq. 5.26.
    mutating func fuseHeading(of fix: GnssFix) {
        guard profile.traits.isFastened, let stated = fix.headingTrueRadians else { return }
        var component = headingComponent(stated, statedSigma: fix.headingSigmaRadians)
        let known = covariance.variance(of: component.row)
        if showsHeading(variance: known) {
            baseline.compare(-component.innovation, known: known, white: component.variance, at: state.time)
            component = headingComponent(stated, statedSigma: fix.headingSigmaRadians)
        }
        let gate = Tuning.Heading.gate
        guard baseline.isUsable else {
            reject(
                .receiverHeading, component, gate: gate,
                because: baseline.givenUpAt == nil ? .unconfirmed : .contradicted)
            return
        }
        let lasting = baseline.lastingVariance
        guard
            component.innovation * component.innovation < gate * gate * (known + component.variance + lasting)
        else {
            reject(.receiverHeading, component, gate: gate, because: .innovation)
            return
        }
        // What lasts of the error counts once, however many headings come: the result is never surer than that.
        component.variance = max(component.variance, known * lasting / max(known - lasting, 1e-6 * lasting))
        fuse(.receiverHeading, component, gate: .infinity)
    }

    /// Whether the filter's heading shows the baseline: it is known, the body hardly turns, fixes come, and a vehicle,
    /// whose heading is that of its course, drives ahead.
    private mutating func showsHeading(variance: Double) -> Bool {
        variance < Tuning.Heading.comparedSigma * Tuning.Heading.comparedSigma && hasRecentFix
            && (!profile.traits.rollsOnWheels || showsCourse)
            && abs(state.meanYawRate) < Tuning.Heading.comparedRate
    }

    /// Whether a vehicle drives ahead so fast that the course is known: a slow one as soon as its velocity is known so
    /// well.
    /// docs/math.md, eq. 5.27.
    private var showsCourse: Bool {
        mutating get {
            let speed = state.velocityVehicle.x
            guard speed <= Tuning.Heading.courseSpeed else { return true }
            let limit = Tuning.Heading.comparedSigma * speed
            let (east, north) = (covariance[.velocity.x, .velocity.x], covariance[.velocity.y, .velocity.y])
            return speed > Tuning.Constraints.rollingSpeed && max(east, north) < limit * limit
        }
    }

    /// Observation of the heading of the antennas' baseline, radians, counter-clockwise from east.
    /// docs/math.md, eq. 5.25.
    mutating func headingComponent(_ stated: Double, statedSigma: Double? = nil) -> Component {
        let ahead = state.vehicleToENU.rotate(.unitX)
        let level = ahead.x * ahead.x + ahead.y * ahead.y
        let observed = .pi / 2 - (stated - baseline.angle)
        // d(Exp(a) f)/da, seen from above; the mount turns the vehicle's axes the other way.
        let turn = Vector3(-ahead.z * ahead.x / level, -ahead.z * ahead.y / level, 1)
        var row = ObservationRow()
        row.add(.attitude, turn)
        row.add(.mount, -state.vehicleToENU.inverse.rotate(turn))
        let age = Tuning.Heading.ageSigmaSeconds * state.meanYawRate
        return Component(
            row: row, innovation: Angle.wrappedToPi(observed - atan2(ahead.y, ahead.x)),
            variance: baseline.whiteVariance(statedSigma: statedSigma) + age * age, observation: observed)
    }
}
