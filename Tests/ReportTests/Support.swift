import Engine
import Fusion
import Geodesy
import Measurements
import PoseMath
import Recording
import Replay
import Simulation

@testable import Report

/// A simulated drive as a recording.
final class SimulatedRecording: EventReader {
    let kinds: Set<SensorKind>
    var progress: Double { 0.5 }
    var notes: [String] { [] }
    private var events: SimulatedDrive.Iterator

    init(_ drive: SimulatedDrive) {
        var kinds: Set<SensorKind> = [.gps]
        if drive.sensors.inertial != nil { kinds.insert(.imu) }
        self.kinds = kinds
        events = drive.makeIterator()
    }

    func next() -> SensorEvent? { events.next() }
}

enum Drives {
    /// A drive of some minutes with turns and stops; `change` changes the sensors.
    static func simulated(seed: UInt64, edges: Int = 14, _ change: (inout SensorSuite) -> Void = { _ in }) throws
        -> SimulatedDrive
    {
        var suite = SensorSuite()
        suite.satellite = .rtk
        suite.inertial?.errors = .automotive
        change(&suite)
        return SimulatedDrive(drive: try Drive(.random(seed: seed, edges: edges)), sensors: suite, seed: seed)
    }

    /// The truth of a drive as a reference, five points per second.
    static func truth(_ simulated: SimulatedDrive) -> ReferenceTrack {
        let points = stride(from: 0, to: simulated.drive.durationSeconds, by: 0.2).map { seconds in
            let truth = simulated.drive.truth(atSeconds: seconds)
            return ReferenceTrack.Point(
                time: MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded())), position: truth.position,
                headingRadians: EulerAngles(bodyToENU: truth.bodyToENU).headingTrueRadians)
        }
        return ReferenceTrack(name: "the truth", points: points, hasHeight: true, isSmoothed: false)
    }

    /// The figures of a drive against its truth.
    static func figures(_ simulated: SimulatedDrive, settings: EngineSettings = EngineSettings()) throws
        -> DriveFigures
    {
        let recording = SimulatedRecording(simulated)
        let collector = DriveCollector(kinds: recording.kinds)
        var replay = Replay(recording: "simulated")
        replay.engine = settings
        _ = try replay.run(recording, into: collector)
        return DriveFigures(
            name: "simulated", format: "simulation", drive: collector, reference: truth(simulated),
            settings: settings.fusion, notes: [], roads: nil)
    }
}
