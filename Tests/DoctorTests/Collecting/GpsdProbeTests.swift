import Foundation
import SensorInterface
import Testing

@testable import Doctor

/// What the doctor learns from a gpsd that the test plays.
@Suite struct GpsdProbeTests {
    /// What the probe finds where a program sends these lines to whoever connects.
    private func state(_ lines: [String], device: String? = nil, listed: [String] = []) throws -> GpsdState {
        let server = try PlayedServer(lines.map { $0 + "\r\n" }.joined())
        var settings = GPSSettings()
        (settings.host, settings.port, settings.device) = (PlayedServer.host, server.port, device)
        return GpsdProbe(settings: settings, files: SystemFiles(root: "/nonexistent"), listed: listed).run()
    }

    private static let greeting = #"{"class":"VERSION","release":"3.25","proto_major":3,"proto_minor":14}"#
    private static let sky = #"{"class":"SKY","satellites":[{"used":true},{"used":false},{"used":true},{}]}"#
    private static let fix =
        #"{"class":"TPV","device":"/dev/b","mode":3,"speed":0.5,"time":"2026-11-23T15:00:00.250Z"}"#

    @Test func reportsAreRead() throws {
        // GIVEN a gpsd with two receivers, of which one changes its speed, and reports without and with a fix WHEN
        // probed THEN each is told as it was reported, and the best fix counts
        let before = Date().timeIntervalSince1970
        let found = try state([
            Self.greeting,
            #"{"class":"DEVICES","devices":[{"path":"/dev/a","driver":"u-blox","bps":9600,"activated":"2026-11-23"},"#
                + #"{"path":"/dev/b","bps":4800,"activated":0},{"driver":"no path"}]}"#,
            #"{"class":"DEVICE","path":"/dev/b","bps":38400,"activated":1.5}"#, #"{"class":"DEVICE","bps":1}"#,
            #"{"class":"TPV","mode":1,"speed":7}"#, Self.sky, #"{"class":"TPV","mode":2}"#, Self.fix,
        ])
        #expect(found.connection == .greeted && found.release == "3.25" && found.protocolMajor == 3)
        var (first, second) = (GpsdState.Receiver(path: "/dev/a"), GpsdState.Receiver(path: "/dev/b"))
        (first.driver, first.speeds, first.isLocal) = ("u-blox", [9600], false)
        (second.speeds, second.isLocal) = ([4800, 38_400], false)
        #expect(found.receivers == [first, second])
        let reports = found.reports
        #expect([reports.count, reports.mode, reports.visible, reports.used] == [3, 3, 4, 2])
        #expect(reports.hasVelocity && reports.utcSeconds == 1_795_446_000.25)
        // The clocks of this machine: that of the system shows the time of the probe, to a millisecond for rounding.
        let system = try #require(reports.systemSeconds)
        #expect(system >= before - 1e-3 && system <= Date().timeIntervalSince1970 + 1e-3)
        #expect((reports.uptimeSeconds ?? 0) > 0)
        #expect((reports.uptimeSeconds ?? 1e9) < 1e9 && !found.isOnDefaultPort)
    }

    @Test func aSpeedWithoutAFixIsNone() throws {
        // GIVEN a receiver without a fix that states a speed, and counts of satellites of its own WHEN gpsd then ends
        // THEN it has no velocity, and the counts are those
        let found = try state([
            Self.greeting, #"{"class":"TPV","mode":1,"speed":7}"#,
            #"{"class":"SKY","nSat":14,"uSat":9,"satellites":[{"used":true}]}"#, #"{"class":"SKY"}"#,
            #"{"class":"DEVICES","devices":[{"path":"/dev/b","activated":0}]}"#,
        ])
        let reports = found.reports
        #expect([reports.count, reports.mode, reports.visible, reports.used] == [1, 1, 14, 9])
        #expect(!reports.hasVelocity && reports.utcSeconds == nil && reports.systemSeconds == nil)
        #expect(found.receivers?.map(\.isActive) == [false])
        // AND a fix of two dimensions may have one
        let flat = try state([Self.greeting, #"{"class":"TPV","mode":2,"speed":7}"#])
        #expect(flat.reports.hasVelocity && flat.reports.mode == 2 && flat.reports.visible == nil)
    }

    @Test func onlyTheReceiverOfTheSettingsCounts() throws {
        // GIVEN a receiver in the settings WHEN another one reports THEN its reports are left out; those that name no
        // device count
        let lines = [Self.greeting, Self.sky, Self.fix]
        #expect(try state(lines, device: "/dev/a").reports.count == 0)
        #expect(try state(lines, device: "/dev/a").reports.visible == 4)
        #expect(try state(lines, device: "/dev/b").reports.count == 1)
        #expect(try state(lines).reports.count == 1)
    }

    @Test func ofAListTheFirstReceiverThatIsThereCounts() throws {
        // GIVEN a list of two receivers WHEN gpsd has only the second one THEN its reports count; where it has both,
        // only those of the first do
        let fixes = [Self.fix, Self.fix.replacingOccurrences(of: "/dev/b", with: "/dev/a"), Self.fix]
        for (devices, count, used) in [
            (#"{"path":"/dev/b"}"#, 2, "/dev/b"), (#"{"path":"/dev/b"},{"path":"/dev/a"}"#, 1, "/dev/a"),
        ] {
            let list = #"{"class":"DEVICES","devices":[\#(devices)]}"#
            let found = try state([Self.greeting, list] + fixes, device: "/dev/a", listed: ["/dev/a", "/dev/b"])
            #expect(found.reports.count == count && found.used?.path == used)
        }
    }

    @Test func sixteenReceiversAndSpeedsAreKept() throws {
        // GIVEN a gpsd with seventeen receivers THEN the first sixteen are kept
        let devices = (0..<17).map { #"{"path":"/dev/gps\#($0)","bps":9600}"# }.joined(separator: ",")
        let many = try state([Self.greeting, #"{"class":"DEVICES","devices":[\#(devices)]}"#])
        #expect(many.receivers?.map(\.path) == (0..<16).map { "/dev/gps\($0)" })
        // AND of receivers that come one by one the last sixteen, and of the speeds of one the last sixteen
        let ones = (0..<17).map { #"{"class":"DEVICE","path":"/dev/gps\#($0)"}"# }
        #expect(try state([Self.greeting] + ones).receivers?.map(\.path) == (1..<17).map { "/dev/gps\($0)" })
        let speeds = (1...17).map { #"{"class":"DEVICE","path":"/dev/a","bps":\#($0)}"# }
        let changing = try state([Self.greeting] + speeds)
        #expect(changing.receivers?.map(\.speeds) == [Array(2...17)])
    }

    @Test func anotherProtocolAndOtherProgramsAreTold() throws {
        // GIVEN another protocol, another program, one that closes at once, and a line that never ends THEN the first
        // has its number, and the others are no gpsd
        let other = try state([#"{"class":"VERSION","release":"4.0","proto_major":4}"#, Self.fix])
        #expect(other.protocolMajor == 4 && other.reports.count == 0 && other.connection == .greeted)
        guard case .foreign(_, let line) = try state(["SSH-2.0-OpenSSH_9.2"]).connection else {
            Issue.record("not foreign")
            return
        }
        #expect(line == "SSH-2.0-OpenSSH_9.2")
        #expect(try state([]).connection == .silent)
    }

    @Test func aLineWithoutAnEndIsReadInParts() throws {
        // GIVEN a program that sends more than 256 KiB without the end of a line, and stays connected THEN its first
        // part counts as a line, so that memory is bounded, and it is told as another program
        let server = try PlayedServer(String(repeating: "x", count: 300_000), staysConnected: true)
        var settings = GPSSettings()
        (settings.host, settings.port) = (PlayedServer.host, server.port)
        let found = GpsdProbe(settings: settings, files: SystemFiles(root: "/nonexistent")).run()
        guard case .foreign(let kind, let line) = found.connection else {
            Issue.record("\(found.connection)")
            return
        }
        #expect(kind == "another program" && line == String(repeating: "x", count: 60))
    }

    @Test(
        arguments: [
            (nil, false), (0, true), (990, true), (999, true), (1000, false), (65_533, false), (65_534, true),
        ] as [(UInt32?, Bool)])
    func onlyTheProgramOfAServiceIsStartedAgain(owner: UInt32?, isService: Bool) {
        // GIVEN the owner of a process with the name gpsd THEN its arguments may become a command for root only where
        // that is a service, nobody, or the user who asks
        #expect(GpsdProbe.isService(owner) == (isService || owner == geteuid()))
    }

    @Test(
        arguments: [
            ("gpsd -n /dev/a", 2947), ("gpsd -S 2948", 2948), ("gpsd -S2949 /dev/a", 2949), ("gpsd", 2947),
            ("gpsd -S", nil), ("gpsd -S x", nil), ("gpsd -S 65536", nil), ("gpsd -N -S 65535 -n", 65_535),
        ] as [(String, UInt16?)]) func thePortIsThatOfTheCommandLine(words: String, port: UInt16?)
    {
        #expect(GpsdProbe.port(of: words.split(separator: " ").map(String.init)) == port)
    }
}

/// A program that sends a text to the first client, says that nothing follows unless it stays connected, and closes the
/// connection when the client does.
private final class PlayedServer: Sendable {
    /// An address of the tests of the probe alone.
    static let host = "127.77.29.61"
    let port: UInt16
    private let listener: Int32
    private let staysConnected: Bool

    struct Failure: Error {}

    init(_ text: String, staysConnected: Bool = false) throws {
        self.staysConnected = staysConnected
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = inet_addr(Self.host)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        port = place.sin_port.bigEndian
        guard isListening else { throw Failure() }
        Thread { [self] in serve(Array(text.utf8)) }.start()
    }

    deinit { close(listener) }

    private func serve(_ text: [UInt8]) {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        _ = send(client, text, text.count, Int32(MSG_NOSIGNAL))
        if !staysConnected { shutdown(client, Int32(SHUT_WR)) }
        // What the client says is read: unread input would discard what was sent.
        var buffer = [UInt8](repeating: 0, count: 4096)
        while recv(client, &buffer, buffer.count, 0) > 0 {}
        close(client)
    }
}
