import Foundation
import Frames
import Fusion
import Geodesy
import PoseMath
import Simulation
import Testing

@testable import SavedState

/// The pose of the last stop: its file, and when it is written and removed.
@Suite struct SavedRestTests {
    private static let pose = RestingPose(
        position: GeodeticPosition(latitudeDegrees: 47.1, longitudeDegrees: -9.5, altitudeEllipsoidMeters: 460),
        horizontalSigmaMeters: 1.5, verticalSigmaMeters: 3, headingTrueRadians: 1.2, headingSigmaRadians: 0.01,
        downBody: Vector3(0.1, 0, -(1 - 0.01).squareRoot()))

    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds)
    }

    /// A frame of the vehicle, some metres north of the pose.
    private static func frame(north: Double = 0, stands: Bool = true, heading: Double = 1.2) -> Frame {
        var frame = Frame()
        let place = LocalFrame(origin: pose.position).position(ofENUMeters: Vector3(0, north, 0))
        frame.pose.state = .aligned
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
        frame.pose.altitudeEllipsoidMeters = 460
        frame.pose.positionSigmaENUMeters = .init(1, 1.5, 3)
        (frame.pose.headingTrueRadians, frame.pose.headingSigmaRadians) = (heading, 0.01)
        frame.pose.gravityDirectionBody = .init(pose.downBody.x, pose.downBody.y, pose.downBody.z)
        frame.pose.isStandingStill = stands
        return frame
    }

    @Test func aFileGivesTheSamePose() throws {
        let read = try SavedRest(bytes: SavedRest(imu: "imu", pose: Self.pose).bytes, imu: "imu").pose
        // A nanodegree, a millimetre and 1e-7 are written.
        let offset = read.position.surfaceOffsetMeters(to: Self.pose.position)
        #expect(Vector3(offset.east, offset.north, 0).length < 2e-3)
        #expect(abs(read.headingTrueRadians - 1.2) < 1e-6 && abs(read.horizontalSigmaMeters - 1.5) < 1e-3)
        #expect((read.downBody - Self.pose.downBody).length < 1e-6)
    }

    @Test func damagedAndForeignFilesAreRejected() throws {
        let bytes = SavedRest(imu: "imu", pose: Self.pose).bytes
        // GIVEN a file truncated at any byte, of another IMU, or changed in any byte before its checksum THEN it is
        // rejected
        for count in 0..<(bytes.count - 1) {
            #expect(throws: StateProblem.self) { try SavedRest(bytes: Array(bytes[..<count]), imu: "imu") }
        }
        #expect(throws: StateProblem.self) { try SavedRest(bytes: bytes, imu: "other") }
        #expect(throws: StateProblem.self) { try SavedMount(bytes: bytes, imu: "imu") }
        for place in 0..<(bytes.count - 20) {
            var changed = bytes
            changed[place] ^= 0x01
            #expect(throws: StateProblem.self, "\(place)") { try SavedRest(bytes: changed, imu: "imu") }
        }
        // and one whose numbers are no pose
        var broken = Self.pose
        broken.downBody = .zero
        #expect(throws: StateProblem.self) {
            try SavedRest(bytes: SavedRest(imu: "imu", pose: broken).bytes, imu: "imu")
        }
    }

    @Test func aReplayedDriveBeginsAndEndsWithItsStop() throws {
        // GIVEN a drive that was replayed with a folder for its state, and ended standing
        let folder = NSTemporaryDirectory() + "posed-drive-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var found = SensorCalibration()
        found.mount = MountEstimate(
            sensorToBody: .identity, sigmaBodyRadians: Vector3(repeating: 0.002), origin: .found)
        var first = DriveState(folder: folder, imu: "imu") { Issue.record("\($0)") }
        #expect(first.prior.isEmpty)
        let saved = try first.finish(found, last: Self.frame())
        #expect(saved.contains { $0.contains("last stop") })
        // THEN the next one is offered mount and stop, in this order, with the sigmas of another start
        var second = DriveState(folder: folder, imu: "imu") { Issue.record("\($0)") }
        guard second.prior.count == 2, case .mount = second.prior[0], case .rest(let pose) = second.prior[1] else {
            Issue.record("\(second.prior)")
            return
        }
        #expect(pose.horizontalSigmaMeters > 3 && abs(pose.headingTrueRadians - 1.2) < 1e-6)
        // AND one that ends on the way, elsewhere, leaves no stop
        let changed = try second.finish(found, last: Self.frame(north: 100, stands: false))
        #expect(changed.contains { $0.hasPrefix("removed") }, "\(changed)")
        #expect(DriveState(folder: folder, imu: "imu") { Issue.record("\($0)") }.prior.count == 1)
    }

    @Test func aReplayedWalkLeavesNoPlace() throws {
        // GIVEN a recording of a person that ends at rest WHEN its state is saved THEN no file has the place
        let folder = NSTemporaryDirectory() + "posed-walk-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var walk = DriveState(folder: folder, imu: "imu", keepsStops: false) { Issue.record("\($0)") }
        #expect(try walk.finish(SensorCalibration(), last: Self.frame()).isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    @Test func aStopIsSavedOnceAndRemovedWhenTheVehicleLeaves() {
        // GIVEN a vehicle that stops for a minute
        var saving = RestSaving()
        var actions: [(Double, RestSaving.Action)] = []
        func run(_ seconds: ClosedRange<Int>, _ frame: (Double) -> Frame) {
            for half in (2 * seconds.lowerBound)...(2 * seconds.upperBound) {
                let second = Double(half) / 2
                guard let action = saving.action(for: frame(second), at: Self.time(second)) else { continue }
                actions.append((second, action))
                if case .save(let pose) = action { saving.recordSaved(pose) } else { saving.recordSaved(nil) }
            }
        }
        run(0...60) { _ in Self.frame() }
        // THEN its pose is saved once, after 5 s
        #expect(actions.map(\.0) == [5])
        // WHEN it drives off at 10 m/s THEN the pose is removed when it is 30 m away, and nothing is saved on the way
        actions = []
        run(61...100) { Self.frame(north: ($0 - 61) * 10, stands: false) }
        #expect(actions.map(\.1) == [.remove] && (actions.first?.0 ?? 0) < 65)
        // WHEN it stops elsewhere, for 3 s only, and the daemon ends there THEN that is saved
        actions = []
        run(101...103) { _ in Self.frame(north: 390) }
        #expect(actions.isEmpty)
        guard case .save(let last)? = saving.action(for: Self.frame(north: 390), at: Self.time(104), isLast: true)
        else {
            Issue.record("not saved at the end")
            return
        }
        #expect(abs(last.position.surfaceOffsetMeters(to: Self.pose.position).north + 390) < 1)
    }

    @Test func whatIsNotAKnownRestIsNotSaved() {
        // GIVEN a frame that moves, is not aligned, or has no heading THEN there is nothing to save
        #expect(RestingPose(atRest: Self.frame()) != nil)
        #expect(RestingPose(atRest: Self.frame(stands: false)) == nil)
        var coarse = Self.frame()
        coarse.pose.state = .coarse
        #expect(RestingPose(atRest: coarse) == nil)
        var unknown = Self.frame()
        unknown.pose.headingTrueRadians = nil
        #expect(RestingPose(atRest: unknown) == nil)
        // and a trim is not part of the vehicle's heading
        var trimmed = Self.frame(heading: 0.1)
        trimmed.pose.headingTrimRadians = 0.3
        #expect(abs((RestingPose(atRest: trimmed)?.headingTrueRadians ?? 0) - (2 * .pi - 0.2)) < 1e-9)
    }
}
