import Foundation
import Frames
import Glibc
import PosedClient
import Testing

/// The fused pose for programs that do not know posed: NMEA that a real gpsd reads, and gpsd's own protocol that a real
/// libgps reads.
@Suite(.serialized) struct ForeignOutputTests {
    private static var hasGpsd: Bool { GpsdProcess.isInstalled && ExternalProgram.has("gcc") }

    @Test(.enabled(if: hasGpsd, "gpsd or gcc is not installed"))
    func aRealGpsdTakesTheTerminalForAReceiver() throws {
        // GIVEN the daemon on its demo drive, well under way, with NMEA switched on; WHEN a real gpsd opens the
        // terminal and libgps asks that gpsd; THEN it reports the same place, speed and track as the frames, and the
        // attitude.
        let folder = try TemporaryFolder()
        let terminal = "\(folder.path)/nmea"
        let daemon = try DaemonProcess([
            "--source", "simulated", "--set", "outputs.nmea_path=\(terminal)", "--set", "outputs.nmea_rate_hz=5",
        ])
        var client = daemon.frameClient()
        let isAligned = DaemonProcess.poll(seconds: 60) {
            client.latestFrame(timeoutSeconds: 1)?.frame.pose.headingTrueRadians != nil
        }
        #expect(isAligned)
        let gpsd = try GpsdProcess(devices: [terminal])
        defer { gpsd.kill(SIGTERM) }
        let reports = try reports(port: Int(gpsd.port), count: 30, in: folder, &client)
        #expect(reports.places.count >= 5 && reports.attitudes.count >= 5, "\(reports)")
        // gpsd passes on degrees and minutes to 1e-7: the place lies on the track that the frames told meanwhile.
        for place in reports.places {
            #expect(
                reports.track.contains { abs($0.lat - place.lat) < 3e-5 && abs($0.lon - place.lon) < 4e-5 }, "\(place)")
            #expect(
                reports.track.contains {
                    abs($0.speed - place.speed) < 0.2 && Self.difference($0.course, place.track) < 2
                }, "\(place)")
        }
        for attitude in reports.attitudes {
            #expect(reports.track.contains { Self.difference($0.heading, attitude.heading) < 2 }, "\(attitude)")
        }
        // Once a cycle HDT alone, once with pitch and roll, to a hundredth of a degree: the attitude of one of the
        // frames meanwhile.
        let whole = reports.attitudes.filter { $0.pitch != nil && $0.roll != nil }
        #expect(whole.count >= 3, "\(reports.attitudes)")
        for attitude in whole {
            let (pitch, roll) = (attitude.pitch ?? .nan, attitude.roll ?? .nan)
            #expect(reports.track.contains { abs($0.pitch - pitch) < 0.2 && abs($0.roll - roll) < 0.2 }, "\(attitude)")
        }
        _ = daemon.stop()
        #expect(access(terminal, F_OK) != 0)
    }

    @Test(.enabled(if: hasGpsd, "gpsd or gcc is not installed"))
    func aRealLibgpsReadsTheReports() throws {
        // GIVEN gpsd's protocol switched on; WHEN libgps watches that port as if gpsd were there; THEN it finds place
        // and attitude.
        let port = try GpsdProcess.freePort()
        let folder = try TemporaryFolder()
        let daemon = try DaemonProcess([
            "--source", "simulated", "--set", "outputs.gpsd_port=\(port)", "--set", "outputs.gpsd_rate_hz=10",
        ])
        var client = daemon.frameClient()
        _ = DaemonProcess.poll(seconds: 60) {
            client.latestFrame(timeoutSeconds: 1)?.frame.pose.headingTrueRadians != nil
        }
        let reports = try reports(port: Int(port), count: 30, in: folder, &client)
        #expect(reports.places.count >= 10 && reports.attitudes.count >= 10, "\(reports)")
        for place in reports.places {
            #expect(
                reports.track.contains { abs($0.lat - place.lat) < 2e-5 && abs($0.lon - place.lon) < 3e-5 }, "\(place)")
        }
        for attitude in reports.attitudes {
            #expect(
                reports.track.contains {
                    Self.difference($0.heading, attitude.heading) < 2 && abs($0.pitch - (attitude.pitch ?? .nan)) < 0.2
                })
        }
    }

    @Test func whatCannotBeServedIsNamed() throws {
        // GIVEN a file where the link is to be, or a port in use; WHEN started; THEN the daemon says what and where,
        // and leaves the file alone.
        let folder = try TemporaryFolder()
        try folder.write("precious", to: "nmea")
        let first = try ExternalProgram.run(
            "posed",
            [
                "--source", "simulated", "--set", "sockets.folder=\(folder.path)", "--set",
                "outputs.nmea_path=\(folder.path)/nmea",
            ])
        #expect(first.exitCode == 78 && first.errors.contains("nmea_path"), "\(first)")
        #expect(folder.text(of: "nmea") == "precious")
        let port = try GpsdProcess.freePort()
        let daemon = try DaemonProcess(["--source", "simulated", "--set", "outputs.gpsd_port=\(port)"])
        let second = try ExternalProgram.run(
            "posed",
            ["--source", "simulated", "--set", "sockets.folder=\(folder.path)", "--set", "outputs.gpsd_port=\(port)"])
        #expect(second.exitCode == 78 && second.errors.contains("outputs.gpsd_port"), "\(second)")
        var client = daemon.frameClient()
        #expect(client.latestFrame(timeoutSeconds: 60) != nil)
    }

    private struct Reports {
        var places: [(lat: Double, lon: Double, speed: Double, track: Double)] = []
        var attitudes: [(heading: Double, pitch: Double?, roll: Double?)] = []
        var track:
            [(lat: Double, lon: Double, heading: Double, pitch: Double, roll: Double, speed: Double, course: Double)] =
                []
    }

    /// What libgps finds at a port, and what the frames said meanwhile.
    private func reports(port: Int, count: Int, in folder: TemporaryFolder, _ client: inout FrameClient) throws
        -> Reports
    {
        let source = "\(ExternalProgram.packageFolder)/Tests/IntegrationTests/Outputs/gpsd_probe.c"
        let built = try ExternalProgram.run("gcc", ["-O1", source, "-lgps", "-lm", "-o", "\(folder.path)/probe"])
        #expect(built.exitCode == 0, "\(built.errors)")
        let process = try ExternalProgram.start(
            "\(folder.path)/probe", [String(port), String(count)], output: "\(folder.path)/reports",
            errors: "\(folder.path)/errors")
        defer { process.kill() }
        var reports = Reports()
        var clock = NapClock()
        while process.isRunning, clock.seconds < 120 {
            clock.nap()
            guard let pose = client.latestFrame(timeoutSeconds: 0.05)?.frame.pose else { continue }
            guard let lat = pose.latitudeRadians, let lon = pose.longitudeRadians, let heading = pose.headingTrueRadians
            else { continue }
            let velocity = pose.velocityENUMetersPerSecond ?? .init(.nan, .nan, .nan)
            reports.track.append(
                (
                    lat * 180 / .pi, lon * 180 / .pi, heading * 180 / .pi, (pose.pitchRadians ?? .nan) * 180 / .pi,
                    (pose.rollRadians ?? .nan) * 180 / .pi,
                    hypot(velocity.x, velocity.y), (pose.courseOverGroundRadians ?? .nan) * 180 / .pi
                ))
        }
        for line in folder.text(of: "reports").split(separator: "\n") {
            let values = Dictionary(
                line.split(separator: " ").dropFirst().compactMap { word -> (String, Double)? in
                    let parts = word.split(separator: "=")
                    return parts.count == 2
                        ? Double(parts[1]).flatMap { $0.isFinite ? (String(parts[0]), $0) : nil } : nil
                }, uniquingKeysWith: { $1 })
            if line.hasPrefix("TPV"), let lat = values["lat"], let lon = values["lon"] {
                reports.places.append((lat, lon, values["speed"] ?? .nan, values["track"] ?? .nan))
            }
            if line.hasPrefix("ATT"), let heading = values["heading"] {
                reports.attitudes.append((heading, values["pitch"], values["roll"]))
            }
        }
        return reports
    }

    private static func difference(_ a: Double, _ b: Double) -> Double {
        abs((a - b + 540).truncatingRemainder(dividingBy: 360) - 180)
    }
}
