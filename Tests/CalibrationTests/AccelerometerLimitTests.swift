import Measurements
import PoseMath
import Testing

@testable import Calibration

/// What counts as a pose of the accelerometer, with samples without noise.
@Suite struct AccelerometerLimitTests {
    /// A collector that is fed window by window.
    private struct Box {
        var collector = AccelerometerCollector(gravity: 10)
        private var samples = 0

        /// Holds a force for some windows of half a second; at 100 Hz the sample that ends a window is its 51st. The
        /// first window after another force is one of motion, or has none before it.
        mutating func hold(_ force: Vector3, windows: Int, rate: Vector3 = .zero) {
            for _ in 0..<(windows * 51) {
                collector.add(.imu(Double(samples) / 100, rate: rate, force: force))
                samples += 1
            }
        }

        /// Rests in an attitude for some windows, which count.
        mutating func rest(_ force: Vector3, windows: Int = 6, rate: Vector3 = .zero) {
            hold(force, windows: windows + 1, rate: rate)
        }

        /// A time without samples.
        mutating func pause(seconds: Int) { samples += seconds * 100 }
    }

    /// A force of 10 m/s2 that leans from a face towards the next axis, degrees.
    private static func force(_ face: Face, leaning degrees: Double = 0) -> Vector3 {
        var force = Vector3.zero
        force[face.axis] = cosine(degrees) * (face.isNegative ? -10 : 10)
        force[(face.axis + 1) % 3] = cosine(90 - degrees) * 10
        return force
    }

    private static func cosine(_ degrees: Double) -> Double { degrees.degreesInRadians.cosine }

    /// All faces, of which none follows its opposite.
    private static let order = [0, 2, 1, 4, 3, 5].map { Face.all[$0] }

    /// A box that rested on all faces, with an offset and a scale of x.
    private static func box(offset: Vector3 = .zero, scale: Double = 1) -> Box {
        var box = Box()
        for face in Self.order {
            var force = Self.force(face)
            force.x /= scale
            box.rest(force + offset)
        }
        return box
    }

    @Test("a face counts from three seconds of rest on") func aFaceNeedsThreeSeconds() {
        // GIVEN a face that is up for two and a half seconds, and for three THEN the second counts
        for (windows, coverage) in [(5, "faces up: none"), (6, "faces up: +x")] {
            var box = Box()
            box.rest(Vector3(10, 0, 0), windows: windows)
            #expect(box.collector.progress.coverage == coverage)
            #expect(box.collector.progress.share == (windows == 6 ? 1.0 / 6 : 0))
        }
        // AND before that the advice is to hold it so much longer, and then to turn it
        var box = Box()
        box.rest(Vector3(10, 0, 0), windows: 2)
        #expect(box.collector.progress.advice == "hold it still with +x up: 2.0 s more")
        box.hold(Vector3(10, 0, 0), windows: 4)
        let missing = "-x +y -y +z -z are missing (the axis that points up)"
        #expect(box.collector.progress.advice == "put the box on another face: \(missing)")
    }

    @Test("opposite faces are two poses") func oppositeFacesAreTwoPoses() {
        // GIVEN a box that is turned from a face straight to its opposite, without any noise
        var box = Box()
        for face in Face.all { box.rest(Self.force(face)) }
        // THEN all six faces have been up
        #expect(box.collector.progress.share == 1)
    }

    @Test("a face may lean by 25 degrees", arguments: Face.all) func aFaceMayLean(face: Face) {
        // GIVEN a face that leans by 24.9 degrees, and by 25.2 THEN the second is none, and the advice says so
        for (degrees, isFace) in [(24.9, true), (25.2, false)] {
            var box = Box()
            box.rest(Self.force(face, leaning: degrees))
            #expect(box.collector.progress.coverage == (isFace ? "faces up: \(face.name)" : "faces up: none"))
            let advice = box.collector.progress.advice
            #expect(advice.hasPrefix("no axis points up within 25 degrees") == !isFace, "\(advice)")
        }
    }

    @Test("another pose is one that turned by a twentieth of a radian") func anotherPoseHasTurned() {
        // GIVEN rests between which the box turned by a little less and a little more THEN the second is another pose
        for (radians, count) in [(0.049, 1), (0.051, 2)] {
            var box = Box()
            box.rest(Vector3(0, 0, 10))
            box.rest(Vector3(10 * radians, 0, 10))
            #expect(box.collector.poses.count == count, "\(radians)")
        }
        // AND a rest of half a second is no pose, one of a whole second is
        for (windows, seconds) in [(1, [3.0]), (2, [1.0, 3.0])] {
            var box = Box()
            box.rest(Vector3(0, 0, 10), windows: windows)
            box.rest(Vector3(0, 10, 0))
            #expect(box.collector.poses.map(\.seconds) == seconds)
        }
    }

    @Test("a box that leans slowly is in one pose") func aSlowLeanIsOnePose() {
        // GIVEN a box that leans by 0.007 rad more in each window, slower than what is motion, to 0.2 rad
        var box = Box()
        box.rest(Vector3(0, 0, 10))
        for step in 1...28 { box.hold(Vector3(0.07 * Double(step), 0, 10), windows: 1) }
        // THEN it is one pose of all windows, of the mean force
        #expect(box.collector.poses.map(\.windows) == [34])
        let force: Double = box.collector.poses.first?.force.x ?? 0
        #expect(abs(force - 0.07 * 406 / 34) < 1e-9)
    }

    @Test("two hundred poses are kept") func posesAreBounded() {
        // GIVEN more poses than are kept THEN of the later ones those count that are the last that was kept
        var box = Box()
        for index in 0..<203 { box.rest(index % 2 == 0 ? Vector3(10, 0, 0) : Vector3(0, 10, 0), windows: 2) }
        #expect(box.collector.poses.count == 200)
        #expect(box.collector.poses.last?.windows == 4)
        #expect(box.collector.poses.last?.force == Vector3(0, 10, 0))
    }

    @Test("a box that is turned while no samples come is in another pose") func aGapEndsAPose() throws {
        // GIVEN a face that is up for 30 s, five seconds without samples, and another face that is up for one
        var box = Box()
        box.rest(Vector3(0, 0, 10), windows: 60)
        box.pause(seconds: 5)
        box.hold(Vector3(0, 10, 0), windows: 2)
        // THEN the first pose has the force of its own face
        #expect(box.collector.poses.first?.force == Vector3(0, 0, 10))
        // AND with all faces the sensor is found to be without an error
        for face in Self.order { box.rest(Self.force(face)) }
        let report = box.collector.report()
        #expect(report.passes, "\(report.checks.filter { !$0.passes })")
        #expect(try #require(report.correction).offset.magnitude < 1e-9)
    }

    @Test("a biased gyro does not hinder") func aBiasedGyroDoesNotHinder() {
        // GIVEN six faces, with a gyro whose bias is 8 deg/s THEN all of them are at rest
        var box = Box()
        for face in Self.order { box.rest(Self.force(face), rate: Vector3(0.14, 0, 0)) }
        #expect(box.collector.progress.share == 1 && box.collector.report().passes)
    }

    @Test("offset and scale have their limits") func offsetAndScaleHaveLimits() throws {
        // GIVEN offsets and scales on both sides of the largest ones THEN those beyond them fail, by their name
        for (offset, scale, failed) in [
            (1.49, 1, []), (1.51, 1, ["largest offset"]), (-1.51, 1, ["largest offset"]),
            (0, 1.049, []), (0, 1.051, ["largest scale error"]), (0, 0.951, []), (0, 0.949, ["largest scale error"]),
        ] as [(Double, Double, [String])] {
            let report = Self.box(offset: Vector3(offset, 0, 0), scale: scale).collector.report()
            #expect(report.checks.filter { !$0.passes }.map(\.name) == failed, "\(offset), \(scale)")
            let found = try #require(report.correction)
            #expect(abs(found.offset.x - offset) < 1e-9 && abs(found.diagonal.x - scale) < 1e-9)
        }
    }

    @Test("what the poses do not show is noted") func whatIsNotShownIsNoted() throws {
        // GIVEN six poses, seven, and eighteen that are tilted too
        var box = Self.box()
        let six = box.collector.report()
        box.rest(Vector3(6, 8, 0))
        let seven = box.collector.report()
        for (a, b) in [(6.0, 8.0), (-6, 8), (6, -8), (-6, -8)] {
            for force in [Vector3(a, b, 0), Vector3(0, a, b), Vector3(b, 0, a)] { box.rest(force) }
        }
        let many = box.collector.report()
        // THEN the first notes that nothing shows whether they agree, and both that the angles need more poses; the
        // angles of the last were found, and nothing is noted
        #expect(six.notes.map { $0.prefix(10) } == ["6 poses: t", "six poses "])
        #expect(six.checks.map(\.name) == ["faces"] + Self.checked && seven.checks.last?.name == "residual")
        #expect(
            seven.notes == [
                "7 poses: the angles between the axes need 12, some of them tilted by 30 to 60 degrees"
            ])
        #expect(many.notes == [] && many.passes)
        // AND the values are those of the fit: half a per cent of gravity is assumed for six poses, two on each axis
        func numbers(_ name: String) -> [Double] { six.values.first { $0.name == name }?.numbers ?? [] }
        #expect(numbers("gravity_m_s2") == [10] && numbers("poses") == [6])
        let sigma = 0.05 / 2.0.squareRoot()
        #expect(numbers("offset_sigma_m_s2").allSatisfy { abs($0 - sigma) < 1e-9 })
        let check = try #require(six.checks.first { $0.name == "sigma of the offset" })
        #expect(abs(check.value - sigma) < 1e-9)
    }

    private static let checked = [
        "largest offset", "largest scale error", "sigma of the offset", "sigma of the scale",
    ]
}

extension Double {
    /// Its cosine, for radians.
    fileprivate var cosine: Double { Quaternion(rotationVector: Vector3(0, 0, self)).rotate(.unitX).x }
}
