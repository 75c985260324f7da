import Measurements
import PoseMath

/// A course that the receiver holds. Many receivers, those of phones above all, keep the course at low speed or in a
/// turn, and state it with the present speed; the position then stays, or goes on along it.
struct HeldCourse: Sendable {
    /// Whether the last velocity had the course of the one before, to the last digit.
    var isHeld = false
    /// Time since the course was new, seconds.
    var seconds = 0.0
    /// Angle that the gyro has turned about the vertical since then, radians, left positive.
    var turned = 0.0
    /// Turn that is more than an error of the gyro, radians.
    var hiddenTurn = 0.0
    /// Way that may have led the receiver's position astray since then, metres.
    var strayedMeters = 0.0
}

extension NavigationFilter {
    /// Updates the held course with the next fix. One of a jammed receiver is compared with nothing; its time counts
    /// with the next one that is.
    /// docs/math.md, eq. 5.29.
    mutating func noteCourse(of fix: GnssFix) {
        guard !fix.isInterfered else { return }
        guard let now = fix.horizontalVelocity, let before = lastComparedFix?.horizontalVelocity,
            Self.isCourseHeld(now, after: before)
        else {
            heldCourse = HeldCourse()
            return
        }
        heldCourse.isHeld = true
        heldCourse.seconds += fixInterval
        // A body that is no vehicle turns without its course, and a filter that has not agreed with the receiver
        // through some changes of speed may be what turns.
        guard profile.traits.rollsOnWheels, constraintFit.isFitting, gnssIntegrity.isCrossChecked else { return }
        var row = ObservationRow()
        row.add(.gyroBias, state.sensorToENU.inverse.rotate(.unitZ))
        let drift = Tuning.GNSS.heldTurnSigmas * covariance.variance(of: row).squareRoot() * heldCourse.seconds
        heldCourse.hiddenTurn = min(max(abs(heldCourse.turned) - drift, 0), Tuning.GNSS.largestHiddenTurn)
        heldCourse.strayedMeters += heldCourseSigma(of: now) * fixInterval
    }

    /// Whether a velocity has the course of the one before, to the last digit.
    /// docs/math.md, eq. 5.29.
    static func isCourseHeld(_ now: HorizontalVelocity, after before: HorizontalVelocity) -> Bool {
        let old = SIMD2(before.eastMetersPerSecond, before.northMetersPerSecond)
        let new = SIMD2(now.eastMetersPerSecond, now.northMetersPerSecond)
        let speed = max(before.speedMetersPerSecond, now.speedMetersPerSecond)
        return (old * new).sum() > 0 && abs(old.x * new.y - old.y * new.x) <= Tuning.GNSS.courseResolution * speed
    }

    /// 1-sigma of a velocity for the turn that its held course hides, m/s; zero where the course is new. The speed is
    /// the receiver's: that of the filter may be what is wrong, and would take weight from what corrects it.
    /// docs/math.md, eq. 5.29.
    func heldCourseSigma(of velocity: HorizontalVelocity) -> Double {
        velocity.speedMetersPerSecond * heldCourse.hiddenTurn
    }
}
