import Frames
import Fusion
import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Engine

/// A board that is suspended on the way: the monotonic clock stands still, the vehicle does not.
@Suite struct SuspensionTests {
    /// Frames of a drive whose board sleeps from a second of the drive to another, while the monotonic clock stands.
    private final class SleepingBoard {
        static let (begin, end) = (60.0, 90.0)

        var engine = Engine()
        private let drive: Drive
        private let suite: SensorSuite
        /// Seconds by which UTC moves on: the vehicle may have stood, or gone round, for hours.
        private let seconds: Double

        init(seconds: Double) throws {
            var suite = SensorSuite()
            suite.inertial?.sensorToBody = Quaternion(rotationVector: Vector3(2.6, -0.4, 0.9))
            self.suite = suite
            self.seconds = seconds
            drive = try Drive(DrivePlan(vertices: Scenes.streets, limitsMetersPerSecond: [50 / 3.6]))
        }

        /// Drives until the board falls asleep.
        func fallAsleep() {
            for event in SimulatedDrive(drive: drive, sensors: suite, seed: 20) {
                guard event.arrivalTime.seconds <= Self.begin else { return }
                _ = engine.ingest(Self.labelled(event, 0))
            }
        }

        /// Tells the engine of the suspension.
        func tell() {
            engine.perform(.reset(after: engine.pastOfSuspension(until: Scenes.time(Self.begin), published: 0)))
        }

        /// Drives on, and passes each new frame.
        func wakeUp(_ body: (Frame) -> Void) {
            let shift = Int64((Self.begin - Self.end) * 1e9)
            for event in SimulatedDrive(drive: drive, sensors: suite, seed: 20, from: Self.end)
            where engine.ingest(Self.labelled(event.shifted(byNanoseconds: shift), seconds)) { body(engine.frame) }
        }

        /// UTC is 2^30 s ahead of the monotonic clock, and the time for which the board slept.
        private static func labelled(_ event: SensorEvent, _ asleep: Double) -> SensorEvent {
            guard case .gnss(var fix) = event else { return event }
            fix.utcNanoseconds = fix.validityTime.nanoseconds + (1 << 30 + Int64(asleep)) * 1_000_000_000
            return .gnss(fix)
        }

        /// Horizontal error of a frame after the suspension, metres; `nil` without a position.
        func error(of frame: Frame) -> Double? {
            guard let latitude = frame.pose.latitudeRadians, let longitude = frame.pose.longitudeRadians else {
                return nil
            }
            let place = GeodeticPosition(
                latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: 0)
            let truth = drive.truth(atSeconds: Double(frame.timeNanoseconds) * 1e-9 + Self.end - Self.begin)
            let offset = truth.position.surfaceOffsetMeters(to: place)
            return Vector3(offset.east, offset.north, 0).length
        }
    }

    /// What the frames after a suspension showed.
    private struct Finding {
        /// Largest error in its sigmas, and largest error, metres.
        var (worstRatio, worstMeters) = (0.0, 0.0)
        /// Seconds until the first position, and until `aligned`.
        var (placed, aligned): (Double?, Double?)
        var resetCounts: Set<UInt32> = []
        var first: Frame?
        /// Largest error of UTC, seconds.
        var worstUTC = 0.0
    }

    private func run(seconds: Double, isTold: Bool = true) throws -> (Finding, SleepingBoard) {
        let board = try SleepingBoard(seconds: seconds)
        board.engine.trimHeading(byRadians: 0.01)
        board.fallAsleep()
        #expect(board.engine.frame.pose.state == .aligned)
        if isTold { board.tell() }
        var finding = Finding()
        board.wakeUp { frame in
            let since = Double(frame.timeNanoseconds) * 1e-9 - SleepingBoard.begin
            finding.first = finding.first ?? frame
            finding.resetCounts.insert(frame.pose.resetCount)
            if let utc = frame.utcNanoseconds {
                let offset = Double(utc - frame.timeNanoseconds) * 1e-9 - Double(1 << 30)
                finding.worstUTC = max(finding.worstUTC, abs(offset - seconds))
            }
            if frame.pose.state == .aligned, finding.aligned == nil { finding.aligned = since }
            guard let error = board.error(of: frame), let sigma = frame.pose.positionSigmaENUMeters else { return }
            if finding.placed == nil { finding.placed = since }
            finding.worstMeters = max(finding.worstMeters, error)
            finding.worstRatio = max(finding.worstRatio, error / max(sigma.x, sigma.y))
        }
        return (finding, board)
    }

    @Test(arguments: [600.0, 28_800.0])
    func thePoseBeginsAnewWithTheMount(seconds: Double) throws {
        // GIVEN an aligned drive with the sensors turned in the vehicle, and a trim
        // WHEN the board is suspended on the way for minutes or hours, and the vehicle is elsewhere then
        let (found, board) = try run(seconds: seconds)
        let first = try #require(found.first)
        // THEN the first frame has neither place, velocity nor heading, and one jump is announced, for good
        #expect(first.pose.state == .starting || first.pose.state == .aligning)
        #expect(first.pose.latitudeRadians == nil && first.pose.velocityENUMetersPerSecond == nil)
        #expect(first.pose.headingTrueRadians == nil && first.pose.fixAgeSeconds == nil && first.utcNanoseconds == nil)
        #expect(found.resetCounts == [1], "\(found.resetCounts)")
        // and the place comes with the first fix and is as wrong as it states: four sigmas of 8,000 frames
        #expect((found.placed ?? 99) < 1.5 && found.worstRatio < 4 && found.worstMeters < 25, "\(found)")
        // and the vehicle is aligned sooner than at a start of which nothing is known
        #expect((found.aligned ?? 99) < 25, "\(found)")
        // and UTC has followed, and the trim has stayed
        #expect(found.worstUTC < 0.05, "\(found.worstUTC)")
        #expect(abs(board.engine.frame.pose.headingTrimRadians - 0.01) < 1e-12)
    }

    @Test func aSuspensionOfWhichNobodyTellsIsAJump() throws {
        // GIVEN the same drive WHEN the engine is not told
        let (found, _) = try run(seconds: 600, isTold: false)
        // THEN the pose is wrong by far more than it states: what the other tests would see
        #expect(found.worstRatio > 20 && found.worstMeters > 100, "\(found)")
    }

    @Test func theMountStaysAsOnTheNextDrive() throws {
        // GIVEN a drive that has found its mount
        let board = try SleepingBoard(seconds: 600)
        board.fallAsleep()
        let before = try #require(board.engine.calibration.mount)
        // WHEN the board was suspended
        board.tell()
        // THEN the mount is that of before with the sigma of another drive, as a prior
        let after = try #require(board.engine.calibration.mount)
        #expect(before.origin == .found && after.origin == .kept)
        #expect(after.sensorToBody == before.sensorToBody && after == before.onTheNextDrive)
        // AND a reset by command forgets it
        board.engine.perform(.reset())
        #expect(board.engine.calibration.mount == nil)
    }

    @Test func aRefusedMountOfTheSettingsStaysRefused() {
        // GIVEN an engine whose configured mount was contradicted
        var settings = EngineSettings()
        settings.fusion.sensorToBody = .identity
        var past = EnginePast()
        past.estimator.isConfiguredMountRefused = true
        var engine = Engine(settings: settings)
        #expect(engine.calibration.mount?.origin == .configured)
        engine.perform(.reset(after: past))
        // WHEN the board is suspended
        engine.perform(.reset(after: engine.pastOfSuspension(until: Scenes.time(5), published: 0)))
        // THEN it is not used again
        #expect(engine.calibration.mount == nil && engine.calibration.isConfiguredMountRefused)
    }
}
