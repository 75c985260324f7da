import Frames
import Glibc
import Measurements
import Platform
import PoseMath

/// Plays a scenario in real time: NMEA on a pseudo-terminal for gpsd, and the IMU as an emulated IIO device.
package struct LiveScenario: Sendable {
    /// Why it cannot be played.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// What is wrong, and what to do.
        package var description: String
    }

    /// Where the sensors are to be found.
    package struct Places: Sendable {
        /// Path of the terminal for gpsd; `nil` without a receiver.
        package var terminal: String?
        /// Port of the emulated IIO device on loopback; `nil` without an IMU.
        package var port: UInt16?
    }

    private let scenario: Scenario
    private let port: UInt16

    /// Creates a player; `port` 0 takes a free one.
    package init(_ scenario: Scenario, port: UInt16 = 0) { (self.scenario, self.port) = (scenario, port) }

    /// Seconds between the announcement and the start, in which gpsd and the daemon may be started.
    private static let leadSeconds = 1.0

    /// Plays until the end of the drive, or until `shouldEnd`. `announce` gets the places before the first measurement.
    package func run(announce: (Places) -> Void, shouldEnd: () -> Bool, onProgress: (Double) -> Void) throws(Failure) {
        let recording: ScenarioRecording
        do throws(Scenario.Failure) { recording = try ScenarioRecording(scenario) } catch {
            throw Failure(description: error.description)
        }
        let begin = SystemClock.monotonicNow.advanced(bySeconds: Self.leadSeconds)
        let utcAtBegin = SystemClock.realtimeNanoseconds &+ Int64(Self.leadSeconds * 1e9)
        guard let terminal = PseudoTerminal() else {
            throw Failure(description: "no pseudo-terminal can be opened; mount /dev/pts")
        }
        var server: EmulatedIIO?
        if recording.kinds.contains(.imu) {
            server = EmulatedIIO(scenario, port: port, from: begin)
            guard server != nil else {
                throw Failure(description: "port \(port) of 127.0.0.1 is in use; choose another one with --port")
            }
        }
        defer { server?.end() }
        announce(Places(terminal: recording.kinds.contains(.gps) ? terminal.path : nil, port: server?.port))
        var encoder = NMEAEncoder()
        while let event = recording.next() {
            guard case .gnss(let fix) = event else { continue }
            let due = begin.advanced(bySeconds: fix.arrivalTime.seconds)
            guard !shouldEnd() else { return }
            while SystemClock.monotonicNow < due {
                guard !shouldEnd() else { return }
                server?.accept()
                usleep(UInt32(min(max(due.seconds(since: SystemClock.monotonicNow), 0), 0.02) * 1e6))
            }
            onProgress(recording.progress)
            terminal.write(encoder.sentences(Self.frame(fix, utcAtBegin)) + Self.satellites(fix))
        }
        // Without a receiver the IMU alone plays to the end.
        let end = begin.advanced(bySeconds: recording.simulated.drive.durationSeconds)
        while SystemClock.monotonicNow < end, !shouldEnd() {
            server?.accept()
            usleep(20_000)
        }
    }

    /// A fix as the frame that the NMEA encoder writes.
    static func frame(_ fix: GnssFix, _ utcAtBegin: Int64) -> Frame {
        var frame = Frame()
        let sum = utcAtBegin.addingReportingOverflow(fix.validityTime.nanoseconds)
        frame.utcNanoseconds = sum.overflow ? nil : sum.partialValue
        (frame.pose.state, frame.pose.fixAgeSeconds) = (.aligned, 0)
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (fix.latitudeRadians, fix.longitudeRadians)
        frame.pose.altitudeEllipsoidMeters = fix.altitudeEllipsoidMeters
        frame.pose.altitudeMeanSeaMeters = fix.altitudeMeanSeaMeters ?? fix.altitudeEllipsoidMeters
        (frame.pose.fixMode, frame.pose.satellitesUsed) = (fix.mode.rawValue, fix.satellitesUsed)
        if let sigma = fix.horizontalSigmaMeters {
            frame.pose.positionSigmaENUMeters = .init(sigma, sigma, fix.verticalSigmaMeters ?? 2 * sigma)
        }
        if let velocity = fix.horizontalVelocity {
            let (east, north) = (velocity.eastMetersPerSecond, velocity.northMetersPerSecond)
            frame.pose.velocityENUMetersPerSecond = .init(east, north, fix.climbMetersPerSecond ?? 0)
            let speed = (east * east + north * north).squareRoot()
            frame.speed.speedMetersPerSecond = speed
            if speed > 0.3 { frame.pose.courseOverGroundRadians = Angle.wrappedToTwoPi(atan2(east, north)) }
        }
        return frame
    }

    /// GSA and GSV: without them gpsd takes a position as no fix.
    static func satellites(_ fix: GnssFix) -> [UInt8] {
        let used = (1...9).map { "0\($0)" }.joined(separator: ",")
        var text = sentence("GPGSA,A,\(fix.mode.rawValue),\(used),,,,1.6,0.9,1.3")
        for part in 0..<3 {
            let list = (part * 3 + 1...part * 3 + 3).map { ",0\($0),45,\(100 + $0 * 20),40" }.joined()
            text += sentence("GPGSV,3,\(part + 1),09\(list)")
        }
        return Array(text.utf8)
    }

    private static func sentence(_ body: String) -> String {
        let sum = body.utf8.reduce(UInt8(0)) { $0 ^ $1 }
        let digits = String(sum, radix: 16, uppercase: true)
        return "$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n"
    }
}
