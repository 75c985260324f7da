import Glibc
import Measurements
import PoseMath
import SensorInterface
import Sensors

/// What the sources cost: the vehicle bus at 1 kHz, an IMU by single readings, and a daemon that finds nothing.
struct SourcesBench {
    /// Path of posed.
    var program: String

    private static let seconds = 8.0

    /// Measures and reports.
    func run() throws {
        try measureBus()
        let folder = try TemporaryFolder()
        try folder.write("gps:\n  port: 2\n", to: "posed.yaml")
        try measureNothing(in: folder)
        guard EmulatedIMU.isInstalled else {
            return Report.skip("IMU by single readings", because: "umockdev is not installed: scripts/packages test")
        }
        try measureClients(in: folder)
        try measurePolling(in: folder)
    }

    // MARK: - The vehicle bus

    /// Counts what it gets.
    private final class Sink: EventSink {
        func send(_ event: SensorEvent) {}
        func send(_ report: SourceReport) {}
    }

    /// A frame each millisecond, on a socket whose packets have the kernel's form of CAN frames.
    private func measureBus() throws {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0, &ends) == 0 else {
            throw BenchError("cannot create a socket pair")
        }
        defer { close(ends[1]) }
        var settings = CANSettings()
        settings.interface = "bench"
        settings.rearLeft = try CANSignal(#"0x4B0 16|16@1+ (0.01,0) [0|655.34] "km/h" na=0xFFFF"#)
        settings.rearRight = try CANSignal(#"0x4B0 32|16@1+ (0.01,0) [0|655.34] "km/h" na=0xFFFF"#)
        let board = SourceStatusBoard()
        let source = CANSource(settings: settings, descriptor: ends[0], sink: Sink(), board: board)
        source.start()
        var frame: [UInt8] = [0xB0, 0x04, 0, 0, 8, 0, 0, 0, 0, 0, 0x88, 0x13, 0x9C, 0x13, 0, 0]
        let begin = monotonicNanoseconds()
        let cpu = { Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - Self.nanoseconds(CLOCK_THREAD_CPUTIME_ID) }
        var before: Int64 = 0
        for k in 0..<Int(Self.seconds * 1000) {
            // The first two seconds find the rate.
            if k == 2000 { before = cpu() }
            frame[10] = UInt8(truncatingIfNeeded: k)
            _ = frame.withUnsafeBytes { send(ends[1], $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
            Self.wait(until: begin + Int64(k + 1) * 1_000_000)
        }
        let used = Double(cpu() - before) * 1e-9 / (Self.seconds - 2)
        source.stop()
        let accepted = board.statuses.first?.acceptedCount ?? 0
        guard accepted > 5000 else { throw BenchError("\(accepted) of \(Int(Self.seconds * 1000)) frames arrived") }
        Report.add(
            Figure(name: "vehicle bus, 1000 frames/s: load", value: used * 100, unit: "% of a core", limit: .atMost(2)))
    }

    // MARK: - The daemon

    private func command(_ folder: borrowing TemporaryFolder) -> [String] {
        [
            program, "--config", "\(folder.path)/posed.yaml", "--source", "live", "--set",
            "sockets.folder=\(folder.path)", "--set", "imu.stuck_samples=0", "--log-level", "error",
        ]
    }

    /// Neither gpsd nor an IIO device.
    private func measureNothing(in folder: borrowing TemporaryFolder) throws {
        let words = command(folder)
        var daemon = try ChildProcess(words[0], Array(words.dropFirst()))
        // A program that has ended has no load at all.
        try FrameSocket.whenServed(path: "\(folder.path)/frames", by: daemon.id).close()
        // For five seconds after the start the engine looks for measurements at its full rate.
        usleep(7_000_000)
        let used = try Self.load(of: daemon.id, seconds: Self.seconds)
        try daemon.stopCleanly()
        Report.add(Figure(name: "without devices: load", value: used, unit: "% of a core", limit: .atMost(0.2)))
    }

    /// A device with a buffer, and four clients that read every frame. The emulation of the device runs in the daemon.
    private func measureClients(in folder: borrowing TemporaryFolder) throws {
        var imu = try EmulatedIMU.start(command(folder), rateHertz: 200, in: folder)
        defer { imu.stop() }
        usleep(3_000_000)
        try FrameSocket.whenServed(path: "\(folder.path)/frames", by: imu.program).close()
        let sockets = (0..<4).compactMap { _ in FrameSocket(path: "\(folder.path)/frames") }
        defer { for socket in sockets { socket.close() } }
        guard sockets.count == 4 else { throw BenchError("posed accepted \(sockets.count) of 4 clients") }
        for socket in sockets { socket.subscribeToEveryFrame() }
        var ages: FrameAges?
        let used = try Self.load(of: imu.program) {
            ages = FrameAges.collect(sockets.map(\.descriptor), seconds: Self.seconds, discardingFirst: 0.5) {
                FrameSocket.time(ofPacket: $0)
            }
        }
        let rate = (ages?.perSecond ?? 0) / 4
        guard rate > 100 else { throw BenchError("each client got only \(rate) of 200 frames per second") }
        Report.add(Figure(name: "IMU at 200 Hz, 4 clients: load", value: used, unit: "% of a core", limit: .atMost(3)))
        Report.add(Figure(name: "  frames to each client", value: rate, unit: "Hz", limit: .none))
        let loop = try FanOutLoad(clients: sockets.count, rateHertz: 200, seconds: Self.seconds, tailLimit: 1)
            .measureLoop()
        Report.add(
            Figure(name: "  a C loop that only sends: load", value: loop.lifePercent, unit: "% of a core", limit: .none)
        )
        Report.add(Figure(name: "  posed over that loop", value: used / loop.lifePercent, unit: "times", limit: .none))
    }

    /// A device whose buffer delivers nothing.
    private func measurePolling(in folder: borrowing TemporaryFolder) throws {
        var imu = try EmulatedIMU.start(command(folder), rateHertz: 100, delivers: false, in: folder)
        defer { imu.stop() }
        usleep(5_000_000)
        let socket = try FrameSocket.whenServed(path: "\(folder.path)/frames", by: imu.program)
        defer { socket.close() }
        socket.subscribeToEveryFrame()
        var times: [Int64] = []
        let used = try Self.load(of: imu.program) {
            _ = FrameAges.collect([socket.descriptor], seconds: Self.seconds, discardingFirst: 0.5) { packet in
                let time = FrameSocket.time(ofPacket: packet)
                if let time, time != times.last { times.append(time) }
                return time
            }
        }
        guard times.count > 300 else { throw BenchError("only \(times.count) single readings in \(Self.seconds) s") }
        let period: Int64 = 10_000_000
        let phases = times.map { Double(($0 - times[0] + period / 2) % period - period / 2) * 1e-6 }
        let middle = Distribution(phases).median
        let jitter = Distribution(phases.map { abs($0 - middle) })
        let name = "IMU by single readings, 100 Hz"
        let (p99, share) = (jitter.quantile(0.99), Double(times.count) / (Self.seconds * 100) * 100)
        Report.add(Figure(name: "\(name): jitter, 99 of 100 within", value: p99, unit: "ms", limit: .atMost(2)))
        Report.add(Figure(name: "  readings of those asked for", value: share, unit: "%", limit: .none))
        Report.add(Figure(name: "  load of the whole daemon", value: used, unit: "% of a core", limit: .none))
    }

    // MARK: - Clocks

    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var now = timespec()
        clock_gettime(clock, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    private static func wait(until nanoseconds: Int64) {
        var until = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &until, nil)
    }

    /// Load of a process over some seconds, percent of a core.
    private static func load(of process: pid_t, seconds: Double) throws -> Double {
        try load(of: process) { wait(until: monotonicNanoseconds() + Int64(seconds * 1e9)) }
    }

    /// Load of a process during work, percent of a core.
    private static func load(of process: pid_t, during work: () -> Void) throws -> Double {
        let (begin, before) = (monotonicNanoseconds(), try cpuNanoseconds(of: process))
        work()
        let used = try cpuNanoseconds(of: process) - before
        return Double(used) / Double(monotonicNanoseconds() - begin) * 100
    }

    /// The time that all threads of a process have run.
    private static func cpuNanoseconds(of process: pid_t) throws -> Int64 {
        var clock = clockid_t()
        guard clock_getcpuclockid(process, &clock) == 0 else { throw BenchError("the measured program has ended") }
        return nanoseconds(clock)
    }
}
