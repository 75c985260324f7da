import Glibc
import Measurements
import PoseMath

/// Measures offset and scale of an accelerometer from gravity on six faces of the box, and with more poses the angles
/// between its axes.
public struct AccelerometerCollector: CalibrationCollector {
    /// The sensor that it measures.
    public static let sensor = SensorKind.imu
    /// Rest on a face that is needed, seconds.
    static let neededSeconds = 3.0
    /// Cosine of the largest angle between a face's axis and the vertical: 25 degrees.
    private static let faceCosine = 0.906
    /// Turn from which a rest is another pose, radians.
    private static let otherPoseRadians = 0.05
    /// Poses from which on the angles between the axes are fitted: three more than the unknowns.
    static let posesForAngles = 12
    /// Largest offset of a working accelerometer, m/s2: data sheets of consumer MEMS sensors promise 0.5 to 1.
    static let largestOffset = 1.5
    /// Largest deviation of a scale from 1: data sheets promise 0.5 to 3 %.
    static let largestScaleError = 0.05
    /// Largest residual, as a share of gravity.
    static let largestResidual = 0.002
    /// Largest 1-sigma of an offset, m/s2, and of a scale.
    static let (largestOffsetSigma, largestScaleSigma) = (0.05, 0.005)

    /// A rest in one attitude.
    struct Pose: Sendable {
        /// Mean force, m/s2.
        var force = Vector3.zero
        /// Windows in it.
        var windows = 0
        /// Its time, seconds.
        var seconds: Double { Double(windows) * RestWindows.seconds }
    }

    private let gravity: Double
    private var windows = RestWindows()
    private(set) var poses: [Pose] = []
    private var isResting = false
    private var hasMoved = true
    /// Force of the last window at rest.
    private var lastForce: Vector3?

    /// Poses that are kept at most.
    private static let mostPoses = 200

    /// A collector without samples, for the gravity at the place, m/s2.
    public init(gravity: Double = InertialSample.standardGravity) { self.gravity = gravity }

    /// Takes a measurement; others than those of its sensor are ignored.
    public mutating func add(_ event: SensorEvent) {
        guard case .inertial(let sample) = event, let window = windows.add(sample) else { return }
        isResting = window.isStill
        guard window.isStill else {
            hasMoved = true
            return
        }
        // Without a motion it may still be another pose: the box was turned while no samples came. A slow lean differs
        // little from window to window.
        let before = hasMoved ? poses.last?.force : lastForce
        let isSame = before.map { Self.angle($0, window.force) < Self.otherPoseRadians } ?? false
        if !isSame {
            if let last = poses.last, last.seconds < 2 * RestWindows.seconds { poses.removeLast() }
            // The windows that follow are compared with the last pose, too.
            hasMoved = true
            guard poses.count < Self.mostPoses else { return }
            poses.append(Pose())
        }
        (hasMoved, lastForce) = (false, window.force)
        guard let index = poses.indices.last else { return }
        poses[index].windows += 1
        poses[index].force += (window.force - poses[index].force) / Double(poses[index].windows)
    }

    private static func angle(_ a: Vector3, _ b: Vector3) -> Double { atan2(a.cross(b).length, a.dot(b)) }

    /// Poses that lasted long enough.
    private var usable: [Pose] { poses.filter { $0.seconds >= Self.neededSeconds } }

    /// The face that points up in a pose; `nil` where none does.
    private static func face(_ pose: Pose) -> Face? {
        let face = Face(of: pose.force)
        let along = pose.force[face.axis] * (face.isNegative ? -1 : 1)
        return along >= faceCosine * pose.force.length ? face : nil
    }

    private var faces: Set<Face> { Set(usable.compactMap(Self.face)) }

    /// How far it is, and what to do.
    public var progress: CollectionProgress {
        let found = faces
        let missing = Face.all.filter { !found.contains($0) }
        let current = isResting ? poses.last : nil
        let advice: String
        if missing.isEmpty {
            advice = "done"
        } else if let current, let face = Self.face(current), missing.contains(face) {
            let left = max(Self.neededSeconds - current.seconds, 0)
            advice = "hold it still with \(face.name) up: \(left) s more"
        } else if let current, Self.face(current) == nil {
            advice = "no axis points up within 25 degrees: put the box flat on a face"
        } else {
            let names = missing.map(\.name).joined(separator: " ")
            let verb = missing.count == 1 ? "is" : "are"
            advice = "put the box on another face: \(names) \(verb) missing (the axis that points up)"
        }
        let covered = found.isEmpty ? "none" : Face.all.filter(found.contains).map(\.name).joined(separator: " ")
        return CollectionProgress(share: Double(found.count) / 6, advice: advice, coverage: "faces up: \(covered)")
    }

    /// The result of what was collected so far.
    /// docs/math.md, eq. 13.4.
    public func report() -> CalibrationReport {
        let (used, found) = (usable, faces)
        guard found.count == 6, let (fit, hasAngles) = Self.fit(used.map(\.force), gravity) else {
            let remedy = "the poses determine no offset and scale: put the box flat on each face, and hold it still"
            let checks = found.count == 6 ? [coverage(found), residual(.infinity, remedy)] : [coverage(found)]
            return CalibrationReport(values: [], checks: checks, notes: ["\(used.count) poses at rest"])
        }
        let correction = fit.correction
        return CalibrationReport(
            values: values(correction, fit, poses: used.count),
            checks: [coverage(found)] + checks(correction, fit), correction: correction,
            notes: notes(fit, hasAngles: hasAngles, poses: used.count))
    }

    private func coverage(_ found: Set<Face>) -> CalibrationCheck {
        CalibrationCheck(
            "faces", Double(found.count), "of 6", .atLeast(6),
            remedy: "put the box on each of its six faces, 3 s each; missing: "
                + Face.all.filter { !found.contains($0) }.map(\.name).joined(separator: " "))
    }

    private func residual(_ share: Double, _ remedy: String) -> CalibrationCheck {
        CalibrationCheck("residual", share * 100, "% of g", .atMost(Self.largestResidual * 100), remedy: remedy)
    }

    private func checks(_ correction: SensorCorrection, _ fit: EllipsoidFit) -> [CalibrationCheck] {
        let largestScale = (correction.diagonal - Vector3(repeating: 1)).magnitude
        let again = "lay the box on each face again, and hold it still"
        var checks = [
            CalibrationCheck(
                "largest offset", correction.offset.magnitude, "m/s2", .atMost(Self.largestOffset),
                remedy: "repeat; if it stays, the accelerometer or its scale (imu.accelerometer_scale) is wrong"),
            CalibrationCheck(
                "largest scale error", largestScale * 100, "%", .atMost(Self.largestScaleError * 100),
                remedy: "set the accelerometer's scale (imu.accelerometer_scale), and repeat"),
            CalibrationCheck(
                "sigma of the offset", fit.offsetSigmaShare.max() * gravity, "m/s2", .atMost(Self.largestOffsetSigma),
                remedy: again),
            CalibrationCheck(
                "sigma of the scale", fit.scaleSigma.max() * 100, "%", .atMost(Self.largestScaleSigma * 100),
                remedy: again),
        ]
        if let share = fit.residualShare {
            checks.append(
                residual(
                    share, "the poses contradict each other: hold the box still on each face, on a firm table"))
        }
        return checks
    }

    /// The fit, with the angles between the axes where the poses determine them: faces alone do not.
    private static func fit(_ forces: [Vector3], _ gravity: Double) -> (fit: EllipsoidFit, hasAngles: Bool)? {
        if forces.count >= posesForAngles, let full = EllipsoidFit(forces, length: gravity, shape: .full),
            max(full.scaleSigma.max(), full.offDiagonalSigma.max()) <= largestScaleSigma
        {
            return (full, true)
        }
        return EllipsoidFit(forces, length: gravity, shape: .scales).map { ($0, false) }
    }

    private func values(
        _ correction: SensorCorrection, _ fit: EllipsoidFit, poses: Int
    ) -> [CalibrationValue] {
        let sigma = fit.offsetSigmaShare * gravity
        return [
            CalibrationValue("offset_m_s2", correction.offset.list),
            CalibrationValue("offset_sigma_m_s2", sigma.list),
            CalibrationValue("scale", correction.diagonal.list), CalibrationValue("scale_sigma", fit.scaleSigma.list),
            CalibrationValue("off_diagonal_yz_xz_xy", correction.offDiagonal.list),
            CalibrationValue("gravity_m_s2", [gravity]), CalibrationValue("poses", [Double(poses)]),
        ]
    }

    private func notes(_ fit: EllipsoidFit, hasAngles: Bool, poses: Int) -> [String] {
        var notes: [String] = []
        if !hasAngles {
            notes.append(
                "\(poses) poses: the angles between the axes need \(Self.posesForAngles), some of them tilted by 30 to "
                    + "60 degrees")
        }
        if fit.residualShare == nil {
            notes.append("six poses leave no residual: a seventh shows whether they agree")
        }
        return notes
    }
}

extension Vector3 {
    /// The three numbers.
    var list: [Double] { [x, y, z] }
    /// The largest of the three, without sign.
    var magnitude: Double { Swift.max(x.magnitude, y.magnitude, z.magnitude) }
}
