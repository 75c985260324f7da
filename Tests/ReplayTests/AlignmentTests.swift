import Calibration
import Measurements
import PoseMath
import Recording
import Simulation
import Testing

@testable import Replay

/// Mount, antenna and lags of simulated drives, as `posectl align` finds them.
@Suite struct AlignmentTests {
    /// A simulated drive as a recording.
    private final class SimulatedReader: EventReader {
        private var events: SimulatedDrive.Iterator
        /// Number of events by kind that were given out.
        private(set) var given: [SensorKind: Int] = [:]
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
            return event
        }
    }

    @Test(arguments: UInt64(1)...6) func theMountOfASimulatedDriveIsFound(seed: UInt64) throws {
        // GIVEN a random drive with a random mount and consumer sensors
        let drive = try Drive(.random(seed: seed, edges: 12))
        var suite = SensorSuite.random(seed: seed)
        suite.satellite?.outages = []
        let truth = try #require(suite.inertial?.sensorToBody)
        let reader = SimulatedReader(SimulatedDrive(drive: drive, sensors: suite, seed: seed), kinds: [.gps, .imu])
        // WHEN it is aligned
        let alignment = try Replay(recording: "").align(reader)
        // THEN the mount is right within half a degree, and the verdict says that it is known
        let mount = try #require(alignment.mount)
        let error = (mount.sensorToBody * truth.inverse).rotationVector.length * 180 / .pi
        print("align \(seed): mount error \(error) deg, sigma \(mount.sigmaBodyRadians * 180 / .pi)")
        #expect(error < 0.5)
        let checks = alignment.findings.report().checks
        #expect(checks.filter { $0.name.contains("mount") }.allSatisfy { $0.passes }, "\(checks)")
        #expect(alignment.wayMeters > 500 && alignment.alignedAfterSeconds != nil)
        // AND what it says that it was found from is what was there
        #expect(alignment.counts == reader.given && reader.given[.gps] ?? 0 > 0 && reader.given[.imu] ?? 0 > 0)
    }
}
