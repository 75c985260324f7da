import Calibration
import Frames
import Measurements
import PoseMath
import Recording
import Simulation
import Synchronization
import Testing

@testable import Replay

/// Mount, antenna and lags of simulated drives, as `posectl align` finds them.
@Suite struct AlignmentTests {
    /// A simulated drive as a recording.
    private final class SimulatedReader: EventReader {
        private var events: SimulatedDrive.Iterator
        /// Number of events by kind that were given out.
        private(set) var given: [SensorKind: Int] = [:]
        private(set) var firstArrival: MonotonicTime?
        let kinds: Set<SensorKind>
        var progress: Double { 0 }
        var notes: [String] { [] }

        init(_ drive: SimulatedDrive, kinds: Set<SensorKind>) {
            events = drive.makeIterator()
            self.kinds = kinds
        }

        func next() throws(RecordingError) -> SensorEvent? {
            let event = events.next()
            if let event { given[event.kind, default: 0] += 1 }
            firstArrival = firstArrival ?? event?.arrivalTime
            return event
        }
    }

    /// Keeps the time of the first aligned frame.
    private final class FirstAligned: ReplaySink {
        private(set) var time: MonotonicTime?

        func write(_ frame: Frame) {
            if time == nil, frame.pose.state == .aligned { time = MonotonicTime(nanoseconds: frame.timeNanoseconds) }
        }
        func finish() {}
    }

    @Test(arguments: UInt64(1)...4) func theTimeToAlignedIsThatOfTheFrames(seed: UInt64) throws {
        // GIVEN the frames of a random drive
        let drive = SimulatedDrive(
            drive: try Drive(.random(seed: seed, edges: 4)), sensors: SensorSuite.random(seed: seed), seed: seed)
        let reader = SimulatedReader(drive, kinds: [.gps, .imu])
        let frames = FirstAligned()
        _ = try Replay(recording: "").run(reader, into: frames)
        let first = try #require(frames.time).seconds(since: try #require(reader.firstArrival))
        // WHEN the drive is aligned THEN the time to `aligned` is theirs: the estimate is looked at five times a second
        let alignment = try Replay(recording: "").align(SimulatedReader(drive, kinds: [.gps, .imu]))
        let found = try #require(alignment.alignedAfterSeconds)
        #expect((-0.05...0.25).contains(found - first), "\(found), \(first)")
    }

    @Test(arguments: UInt64(1)...6) func theMountOfASimulatedDriveIsFound(seed: UInt64) throws {
        // GIVEN a random drive with a random mount and consumer sensors
        let drive = try Drive(.random(seed: seed, edges: 12))
        var suite = SensorSuite.random(seed: seed)
        suite.satellite?.outages = []
        let truth = try #require(suite.inertial?.sensorToBody)
        let reader = SimulatedReader(SimulatedDrive(drive: drive, sensors: suite, seed: seed), kinds: [.gps, .imu])
        // WHEN it is aligned
        let told = Atomic<Int>(0)
        var replay = Replay(recording: "")
        replay.onProgress = { _ in told.add(1, ordering: .relaxed) }
        let alignment = try replay.align(reader)
        // THEN the mount is right within half a degree, and the verdict says that it is known
        let mount = try #require(alignment.mount)
        let error = (mount.sensorToBody * truth.inverse).rotationVector.length * 180 / .pi
        print("align \(seed): mount error \(error) deg, sigma \(mount.sigmaBodyRadians * 180 / .pi)")
        #expect(error < 0.5)
        let checks = alignment.findings.report().checks
        #expect(checks.filter { $0.name.contains("mount") }.allSatisfy { $0.passes }, "\(checks)")
        #expect(alignment.wayMeters > 500 && alignment.alignedAfterSeconds != nil)
        // AND the way and the turns while it was aligned are not more than those of the drive: a lap of twelve corners
        // turns by less than half a turn at each
        #expect(alignment.wayMeters < 1.05 * drive.lengthMeters)
        #expect(alignment.turnRadians > 1 && alignment.turnRadians < 12 * .pi, "\(alignment.turnRadians)")
        // AND what it says that it was found from is what was there
        #expect(alignment.counts == reader.given && reader.given[.gps] ?? 0 > 0 && reader.given[.imu] ?? 0 > 0)
        // AND the progress was told after every thousandth measurement
        #expect(told.load(ordering: .relaxed) == reader.given.values.reduce(0, +) / 1000)
    }

    @Test func aDriveThatShowsNothingContradictsNothing() throws {
        // GIVEN a recording without a row WHEN it is aligned THEN nothing was found, and nothing speaks against a
        // vehicle
        let reader = EmptyReader()
        let alignment = try Replay(recording: "").align(reader)
        #expect(alignment.mount == nil && alignment.antenna == nil && alignment.lags == nil && alignment.wheels == nil)
        #expect(alignment.doesProfileFit && !alignment.isConfiguredMountRefused && alignment.alignedAfterSeconds == nil)
        #expect(alignment.wayMeters == 0 && alignment.turnRadians == 0 && alignment.seconds == 0)
        #expect(alignment.findings.doesProfileFit && !alignment.findings.isConfiguredMountRefused)
    }

    private final class EmptyReader: EventReader {
        let kinds: Set<SensorKind> = [.imu]
        let progress = 1.0
        let notes: [String] = []

        func next() throws(RecordingError) -> SensorEvent? { nil }
    }
}
