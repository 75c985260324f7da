import Glibc
import Measurements
import Platform
import PoseMath
import SensorInterface
import Synchronization
import Testing

@testable import Sensors

/// Counts fixes and changes of state.
private final class CountingSink: EventSink {
    private let fixes = Atomic<Int>(0)
    private let reports = Atomic<Int>(0)

    var fixCount: Int { fixes.load(ordering: .acquiring) }
    var reportCount: Int { reports.load(ordering: .acquiring) }

    func send(_ event: SensorEvent) { fixes.add(1, ordering: .releasing) }

    func send(_ report: SourceReport) { reports.add(1, ordering: .releasing) }
}

@Suite struct ReconnectTests {
    private static func settings(_ port: UInt16) -> GPSSettings {
        var settings = GPSSettings()
        (settings.host, settings.port) = ("127.0.0.1", port)
        return settings
    }

    /// Polls a condition until it holds or the time is over; whether it held.
    private static func poll(seconds: Double, _ condition: () -> Bool) -> Bool {
        let end = SystemClock.monotonicNow.advanced(bySeconds: seconds)
        while SystemClock.monotonicNow < end {
            if condition() { return true }
            usleep(2000)
        }
        return condition()
    }

    /// Open descriptors of this process.
    private static var descriptors: Int {
        (0..<1024).count { fcntl(Int32($0), F_GETFD) >= 0 }
    }

    /// Resident memory of this process without files, such as code that runs for the first time, bytes; 0 if it is
    /// unknown.
    private static var memory: Int {
        let file = open("/proc/self/statm", O_RDONLY)
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 128)
        let count = max(read(file, &text, text.count), 0)
        let words = String(decoding: text[..<count], as: UTF8.self).split(separator: " ")
        return words.count > 2 ? ((Int(words[1]) ?? 0) - (Int(words[2]) ?? 0)) * 4096 : 0
    }

    /// What is wrong after many connections.
    enum Problem {
        case noPort, tooSlow
        /// Descriptors more.
        case descriptors(Int)
        /// Bytes more.
        case memory(Int)
        /// Changes of state, too few.
        case states(Int)

        /// The exit code, which has little room: descriptors from 10, 10 kB from 50, hundreds of states from 200.
        var code: Int32 {
            switch self {
            case .noPort: 1
            case .tooSlow: 2
            case .descriptors(let count): 10 + Int32(min(count.magnitude, 39))
            case .memory(let bytes): 50 + Int32(min(bytes / 10_000, 149))
            case .states(let count): 200 + Int32(min(count / 100, 50))
            }
        }
    }

    /// A thousand connections of which one third each is closed after a fix, is reset, and hangs. Returns what is
    /// wrong.
    static func aThousandConnections() -> Problem? {
        let conducts: [ScriptedServer.Conduct] = [.serveAndClose, .reset, .silence]
        guard let server = ScriptedServer(conduct: { conducts[$0 % 3] }) else { return .noPort }
        var timing = GpsdLink.Timing()
        (timing.shortestBackoffSeconds, timing.longestBackoffSeconds) = (0.0005, 0.0005)
        timing.answerLimitSeconds = 0.003
        let sink = CountingSink()
        let source = GPSSource(
            settings: settings(server.port), timing: timing, sink: sink, board: SourceStatusBoard())
        source.start()
        guard poll(seconds: 30, { server.connectionCount >= 1000 }) else { return .tooSlow }
        let (open, resident) = (descriptors, memory)
        guard poll(seconds: 60, { server.connectionCount >= 2000 }) else { return .tooSlow }
        // One connection of each side is open or not at any moment.
        let (opened, grown) = (descriptors - open, memory - resident)
        let reports = sink.reportCount
        source.stop()
        server.stop()
        if opened.magnitude > 2 { return .descriptors(opened) }
        // 300 bytes for each connection would be more.
        if grown > 300_000 { return .memory(grown) }
        // Each third connection is `waiting` after its greeting, and then lost.
        return reports > 800 ? nil : .states(reports)
    }

    @Test func aThousandDisconnectsAndStallsRetainNothing() async {
        // GIVEN a server of which each connection ends soon, in a process of its own, so that nothing else opens files
        // WHEN there were 1000, and then 1000 more THEN there are as many descriptors, and no more memory
        await #expect(processExitsWith: .success) {
            // What would go on for ever is ended. The exit code names the problem.
            alarm(300)
            if let problem = ReconnectTests.aThousandConnections() { exit(problem.code) }
        }
    }

    @Test func dataThatReturnAreUsedWithinTwoSeconds() throws {
        // GIVEN a server that accepts and hangs, and one that is not there, for some seconds; the usual time limits
        let isBack = BackFlag()
        let hanging = try #require(ScriptedServer { _ in isBack.value ? .stream : .silence })
        let gone = ReservedPort()
        defer { gone.end() }
        let sinks = [CountingSink(), CountingSink()]
        let sources = zip([hanging.port, gone.port], sinks).map {
            GPSSource(settings: Self.settings($0), sink: $1, board: SourceStatusBoard())
        }
        sources.forEach { $0.start() }
        _ = Self.poll(seconds: 2.3) { false }
        #expect(sinks.allSatisfy { $0.fixCount == 0 } && hanging.connectionCount >= 2)
        // WHEN data return THEN there are fixes within 2 s
        isBack.raise()
        let returned = try #require(ScriptedServer(port: gone.port) { _ in .stream })
        #expect(Self.poll(seconds: 2) { sinks.allSatisfy { $0.fixCount > 0 } }, "\(sinks.map(\.fixCount))")
        sources.forEach { $0.stop() }
        [hanging, returned].forEach { $0.stop() }
    }
}

/// A port of loopback at which nobody listens, and that no other test gets. A server that shares its address may listen
/// there.
private struct ReservedPort {
    let port: UInt16
    private let descriptor: Int32

    init() {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, 4)
        var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(descriptor, $0, size)
                _ = getsockname(descriptor, $0, &size)
            }
        }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    func end() { close(descriptor) }
}

/// Whether data have returned.
private final class BackFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    var value: Bool { flag.load(ordering: .acquiring) }

    func raise() { flag.store(true, ordering: .releasing) }
}
