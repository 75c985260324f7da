import PoseMath

/// The transition F of a strapdown step, on the errors that it connects.
/// docs/math.md, eq. 4.1.
///
/// F has, beside the identity: position <- velocity, velocity <- attitude (`-[f]x`), velocity <- accelerometer bias
/// (`-C`), velocity <- force coupling (`-C` times the false force by it), attitude <- attitude (`-[w]x`), attitude <-
/// gyro bias (`-C`), attitude <- turn coupling (`-C` times the yaw rate).
struct ErrorTransition {
    /// Three elements of a column or a row, each a number of its own: so the compiler does several columns at once.
    struct Triple {
        var x: Double
        var y: Double
        var z: Double
    }

    /// What F changes in a column or a row of the covariance, and what it reads.
    struct Errors {
        var position: Triple
        var velocity: Triple
        var attitude: Triple
        let gyroBias: Triple
        let accelerometerBias: Triple
        let turnCoupling: Triple
        let forceCoupling: Triple
    }

    private let seconds: Double
    /// Change of the velocity and turn of the local frame over the step.
    private let f: Vector3
    private let w: Vector3
    private let c: Matrix<3, 3>
    private let yawRate: Double
    private let falseForce: Matrix<3, 3>

    /// The transition of a step.
    @inline(__always) init(over step: Strapdown.Step) {
        seconds = step.seconds
        f = step.specificForceENU * step.seconds
        w = step.frameRateENU * step.seconds
        c = step.sensorToENU
        yawRate = step.yawRate
        falseForce = step.falseForce
    }

    /// Carries the errors over the step.
    @inline(__always) func carry(_ x: inout Errors) {
        let (v, a, g, t) = (x.velocity, x.attitude, x.gyroBias, x.turnCoupling)
        let (b, k, e) = (x.accelerometerBias, x.forceCoupling, falseForce)
        let turned = rotated(
            Triple(
                x: (g.x + yawRate * t.x) * seconds, y: (g.y + yawRate * t.y) * seconds,
                z: (g.z + yawRate * t.z) * seconds))
        let pushed = rotated(
            Triple(
                x: (b.x + e[0, 0] * k.x + e[0, 1] * k.y + e[0, 2] * k.z) * seconds,
                y: (b.y + e[1, 0] * k.x + e[1, 1] * k.y + e[1, 2] * k.z) * seconds,
                z: (b.z + e[2, 0] * k.x + e[2, 1] * k.y + e[2, 2] * k.z) * seconds))
        x.position.x += v.x * seconds
        x.position.y += v.y * seconds
        x.position.z += v.z * seconds
        x.velocity.x = v.x + f.z * a.y - f.y * a.z - pushed.x
        x.velocity.y = v.y - f.z * a.x + f.x * a.z - pushed.y
        x.velocity.z = v.z + f.y * a.x - f.x * a.y - pushed.z
        x.attitude.x = a.x + w.z * a.y - w.y * a.z - turned.x
        x.attitude.y = a.y - w.z * a.x + w.x * a.z - turned.y
        x.attitude.z = a.z + w.y * a.x - w.x * a.y - turned.z
    }

    /// Carries the errors over a step in which a vehicle rolls along its axis: only the force along it changes the
    /// velocity, and the velocity turns as the vehicle does.
    /// docs/math.md, eq. 4.9.
    @inline(__always) func carry(_ x: inout Errors, rolling: Strapdown.Rolling) {
        let (v, a) = (x.velocity, x.attitude)
        carry(&x)
        let (ahead, velocity) = (rolling.forward, rolling.velocityENU)
        let (turn, gain) = (rolling.yawRate * seconds, rolling.acceleration * seconds * a.z)
        // The force of the step has that of the turn too, which has another direction but no other speed.
        let along =
            ahead.x * (x.velocity.x - v.x) + ahead.y * (x.velocity.y - v.y) + ahead.z * (x.velocity.z - v.z)
            + turn * (ahead.x * velocity.x + ahead.y * velocity.y) * a.z
        let more = x.attitude.z - a.z
        x.velocity.x = v.x + ahead.x * along - (v.y * turn + ahead.y * gain + velocity.y * more)
        x.velocity.y = v.y + ahead.y * along + (v.x * turn + ahead.x * gain + velocity.x * more)
        x.velocity.z = v.z + ahead.z * along
    }

    /// `C` times three elements in sensor axes.
    @inline(__always) private func rotated(_ u: Triple) -> Triple {
        Triple(
            x: c[0, 0] * u.x + c[0, 1] * u.y + c[0, 2] * u.z, y: c[1, 0] * u.x + c[1, 1] * u.y + c[1, 2] * u.z,
            z: c[2, 0] * u.x + c[2, 1] * u.y + c[2, 2] * u.z)
    }
}

extension Covariance {
    private typealias Triple = ErrorTransition.Triple

    @inline(__always) private mutating func elements(of state: FilterState, column j: Int) -> Triple {
        let i = state.index
        return Triple(x: self[i, j], y: self[i + 1, j], z: self[i + 2, j])
    }

    @inline(__always) private mutating func elements(of state: FilterState, row i: Int) -> Triple {
        let j = state.index
        return Triple(x: self[i, j], y: self[i, j + 1], z: self[i, j + 2])
    }

    @inline(__always) private mutating func set(_ u: Triple, of state: FilterState, column j: Int) {
        let i = state.index
        (self[i, j], self[i + 1, j], self[i + 2, j]) = (u.x, u.y, u.z)
    }

    @inline(__always) private mutating func set(_ u: Triple, of state: FilterState, row i: Int) {
        let j = state.index
        (self[i, j], self[i, j + 1], self[i, j + 2]) = (u.x, u.y, u.z)
    }

    /// Carries a column over a step.
    @inline(__always)
    private mutating func carry(column j: Int, by transition: ErrorTransition, _ rolling: Strapdown.Rolling?) {
        var errors = ErrorTransition.Errors(
            position: elements(of: .position, column: j), velocity: elements(of: .velocity, column: j),
            attitude: elements(of: .attitude, column: j), gyroBias: elements(of: .gyroBias, column: j),
            accelerometerBias: elements(of: .accelerometerBias, column: j),
            turnCoupling: elements(of: .turnCoupling, column: j),
            forceCoupling: elements(of: .forceCoupling, column: j))
        if let rolling { transition.carry(&errors, rolling: rolling) } else { transition.carry(&errors) }
        set(errors.position, of: .position, column: j)
        set(errors.velocity, of: .velocity, column: j)
        set(errors.attitude, of: .attitude, column: j)
    }

    /// Carries a row over a step.
    @inline(__always)
    private mutating func carry(row i: Int, by transition: ErrorTransition, _ rolling: Strapdown.Rolling?) {
        var errors = ErrorTransition.Errors(
            position: elements(of: .position, row: i), velocity: elements(of: .velocity, row: i),
            attitude: elements(of: .attitude, row: i), gyroBias: elements(of: .gyroBias, row: i),
            accelerometerBias: elements(of: .accelerometerBias, row: i),
            turnCoupling: elements(of: .turnCoupling, row: i), forceCoupling: elements(of: .forceCoupling, row: i))
        if let rolling { transition.carry(&errors, rolling: rolling) } else { transition.carry(&errors) }
        set(errors.position, of: .position, row: i)
        set(errors.velocity, of: .velocity, row: i)
        set(errors.attitude, of: .attitude, row: i)
    }

    /// `F` times this matrix: the nine leading rows are combinations of rows; the rest stay (docs/math.md, eq. 4.1).
    mutating func advance(over step: Strapdown.Step) {
        if isOptionalAbsent() {
            advance(over: step, count: FilterState.permanentCount)
        } else {
            advance(over: step, count: FilterState.count)
        }
    }

    /// ``advance(over:)`` for a number of states that is known at compile time.
    @inline(__always) private mutating func advance(over step: Strapdown.Step, count: Int) {
        let transition = ErrorTransition(over: step)
        if let rolling = step.rolling {
            for j in 0..<count { carry(column: j, by: transition, rolling) }
        } else {
            for j in 0..<count { carry(column: j, by: transition, nil) }
        }
    }

    /// Carries the covariance over a strapdown step: `F P F^T`.
    mutating func propagate(over step: Strapdown.Step) {
        if isOptionalAbsent() {
            propagate(over: step, count: FilterState.permanentCount)
        } else {
            propagate(over: step, count: FilterState.count)
        }
    }

    /// ``propagate(over:)`` for a number of states that is known at compile time.
    @inline(__always) private mutating func propagate(over step: Strapdown.Step, count: Int) {
        advance(over: step, count: count)
        // Then (F P) F^T on the nine leading columns of the nine leading rows.
        let transition = ErrorTransition(over: step)
        for i in 0..<FilterState.dynamicCount { carry(row: i, by: transition, step.rolling) }
        mirrorDynamicBlock(count: count)
    }

    /// Makes what is below the nine leading rows the mirror image of what is above, and their own block even.
    @inline(__always) private mutating func mirrorDynamicBlock(count: Int) {
        for i in FilterState.dynamicCount..<count {
            for j in 0..<FilterState.dynamicCount { self[i, j] = self[j, i] }
        }
        // Rounding makes the leading block lopsided, no observation takes that away, and in half an hour it would
        // outgrow the correlations themselves.
        for i in 1..<FilterState.dynamicCount {
            for j in 0..<i {
                let mean = 0.5 * (self[i, j] + self[j, i])
                self[i, j] = mean
                self[j, i] = mean
            }
        }
    }
}
