import Engine
import Frames
import Geodesy
import Measurements
import PoseMath
import Replay
import Simulation

/// Runs a scenario through the engine and compares the result with what it expects.
package struct ScenarioCheck: Sendable {
    /// One figure: what was reached, and what is asked.
    package struct Row: Sendable, Equatable {
        /// Name of the figure with its unit.
        package var name: String
        /// What was reached; `nil` if nothing was.
        package var reached: Double?
        /// What is asked; `nil` if nothing is.
        package var asked: Double?
        /// Whether more is better.
        package var isLeast = false

        /// Whether what is asked was reached.
        package var isGood: Bool {
            guard let asked else { return true }
            guard let reached else { return false }
            return isLeast ? reached >= asked : reached <= asked
        }
    }

    /// The figures.
    package let rows: [Row]
    /// Whether all that is expected was reached.
    package var isGood: Bool { rows.allSatisfy(\.isGood) }

    /// Seconds after the alignment in which mount and biases settle, and errors are not judged.
    private static let settlingSeconds = 30.0

    /// Runs a scenario.
    package init(_ scenario: Scenario, engine settings: EngineSettings = EngineSettings()) throws(Scenario.Failure) {
        let recording = try ScenarioRecording(scenario)
        let sink = ErrorSink(recording.simulated, settling: Self.settlingSeconds)
        var replay = Replay(recording: scenario.name)
        replay.engine = settings
        replay.rateHertz = 10
        do throws(Replay.Failure) { _ = try replay.run(recording, into: sink) } catch {
            throw Scenario.Failure(description: "\(scenario.name): \(error.description)")
        }
        rows = sink.rows(scenario.expected)
    }
}

/// Compares frames with the truth.
final class ErrorSink: ReplaySink {
    private let simulated: SimulatedDrive
    private let settling: Double
    private var aligned: Double?
    private var horizontal = (sum: 0.0, count: 0.0, worst: 0.0)
    private var heading = (sum: 0.0, count: 0.0)
    private var height = (sum: 0.0, count: 0.0)
    private var (frames, lost, judged, within) = (0.0, 0.0, 0.0, 0.0)

    init(_ simulated: SimulatedDrive, settling: Double) { (self.simulated, self.settling) = (simulated, settling) }

    func write(_ frame: Frame) {
        let time = MonotonicTime(nanoseconds: frame.timeNanoseconds)
        frames += 1
        if frame.pose.state == .lost { lost += 1 }
        if aligned == nil, frame.pose.state == .aligned { aligned = time.seconds }
        guard let aligned, let latitude = frame.pose.latitudeRadians, let longitude = frame.pose.longitudeRadians else {
            return
        }
        let truth = simulated.drive.truth(atSeconds: time.seconds)
        let place = GeodeticPosition(
            latitudeRadians: latitude, longitudeRadians: longitude,
            altitudeEllipsoidMeters: truth.position.altitudeEllipsoidMeters)
        let offset = truth.position.surfaceOffsetMeters(to: place)
        let distance = (offset.east * offset.east + offset.north * offset.north).squareRoot()
        horizontal.worst = max(horizontal.worst, distance)
        guard time.seconds > aligned + settling else { return }
        (horizontal.sum, horizontal.count) = (horizontal.sum + distance * distance, horizontal.count + 1)
        if let sigma = frame.pose.positionSigmaENUMeters {
            judged += 1
            if distance <= 3 * (sigma.x * sigma.x + sigma.y * sigma.y).squareRoot() { within += 1 }
        }
        if let own = frame.pose.headingTrueRadians {
            let other = EulerAngles(bodyToENU: truth.bodyToENU).headingTrueRadians
            let error = Angle.wrappedToPi(own - other).radiansInDegrees
            (heading.sum, heading.count) = (heading.sum + error * error, heading.count + 1)
        }
        if let own = frame.pose.altitudeEllipsoidMeters {
            let error = own - truth.position.altitudeEllipsoidMeters
            (height.sum, height.count) = (height.sum + error * error, height.count + 1)
        }
    }

    func finish() {}

    func rows(_ expected: Scenario.Expectation) -> [ScenarioCheck.Row] {
        func root(_ sum: Double, _ count: Double) -> Double? { count > 0 ? (sum / count).squareRoot() : nil }
        return [
            .init(name: "aligned after, s", reached: aligned, asked: expected.alignedWithinSeconds),
            .init(
                name: "horizontal error, RMS, m", reached: root(horizontal.sum, horizontal.count),
                asked: expected.horizontalMeters),
            .init(
                name: "horizontal error, largest, m", reached: aligned == nil ? nil : horizontal.worst,
                asked: expected.worstMeters),
            .init(
                name: "heading error, RMS, deg", reached: root(heading.sum, heading.count),
                asked: expected.headingDegrees),
            .init(name: "height error, RMS, m", reached: root(height.sum, height.count), asked: expected.heightMeters),
            .init(name: "share lost", reached: frames > 0 ? lost / frames : nil, asked: expected.lostShare),
            .init(
                name: "share within 3 sigma", reached: judged > 0 ? within / judged : nil,
                asked: expected.withinThreeSigmas, isLeast: true),
        ]
    }
}
