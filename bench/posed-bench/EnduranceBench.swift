import CBench
import Frames
import Glibc

/// Conditions that must hold for minutes: no unreported loss of a frame, no loss at a client that reads, and no
/// descriptor left open after a thousand connections.
///
/// Times and memory are reported, and judged by `--check`. Counts must be exact; a wrong one is a ``BrokenCount``.
/// During a disturbance the receiver has real-time priority if the system permits it, because a reader that does not
/// run in time loses frames without a fault of the sender. Otherwise it has none, because each packet would then
/// preempt the sender.
struct EnduranceBench {
    /// Path of posed.
    var program: String

    private static let loads = [
        FanOutLoad(clients: 64, rateHertz: 200, seconds: 60, medianLimit: 0.25, tailLimit: 1, processorLimit: 5),
        FanOutLoad(clients: 256, rateHertz: 200, seconds: 60, tailLimit: 2, processorLimit: 20),
    ]
    private static let disturbed = FanOutLoad(
        clients: 64, rateHertz: 200, seconds: 60, tailLimit: 2, receiverPriority: 10)
    /// Connections per second that are opened and closed.
    private static let stormHertz = 100.0
    private static let sleepers = 5
    private static let beside = FanOutLoad(
        clients: 59, rateHertz: 250, seconds: 110, tailLimit: 2, receiverPriority: 10,
        settings: ["sockets.slow_client_s=600"])

    /// Measures and reports.
    func run() throws {
        FanOutLoad.allowDescriptors()
        var broken: [BrokenCount] = []
        func part(_ measure: () throws -> Void) throws {
            do { try measure() } catch let error as BrokenCount { broken.append(error) }
        }
        for load in Self.loads { try part { try check(load, load.measureDaemon(program), "\(load.name), a minute") } }
        let connections = Int32(Self.stormHertz * (Self.disturbed.seconds - 4))
        try part {
            try disturb("a minute of \(Int(Self.stormHertz)) connections a second") { frames, _ in
                bench_start_storm(frames, Int64(1e9 / Self.stormHertz), connections)
            }
        }
        try part {
            try disturb("a minute of garbage, empty packets, descriptors, half-open connections") { frames, stream in
                bench_start_abuse(frames, stream, Self.disturbed.seconds - 4)
            }
        }
        try part { try sleep() }
        guard broken.isEmpty else { throw BrokenCount(description: broken.map(\.description).joined(separator: "; ")) }
    }

    /// Checks that clients are served normally and nothing stays open during a disturbance.
    private func disturb(_ what: String, _ start: (String, String) -> pid_t) throws {
        var (before, after, other) = (0, 0, pid_t(-1))
        let result = try Self.disturbed.measureDaemon(program) { daemon, frames in
            before = Self.settledDescriptors(of: daemon)
            other = start(frames, frames.dropLast("frames".utf8.count) + "stream")
            guard other > 0 else { throw BenchError("cannot start the process that causes the disturbance") }
        } afterwards: { daemon in
            after = Self.settledDescriptors(of: daemon)
        }
        var status: Int32 = 0
        waitpid(other, &status, 0)
        try check(Self.disturbed, result, "\(Self.disturbed.name), \(what)")
        Report.add(Figure(name: "  descriptors kept", value: Double(after - before), unit: "", limit: .atMost(0)))
        guard after <= before else {
            throw BrokenCount(description: "\(what): \(after) descriptors where there were \(before)")
        }
        guard status == 0 else { throw BrokenCount(description: "\(what): an offender was not let go within a second") }
    }

    /// Some clients read nothing for two minutes while others do; then they read.
    private func sleep() throws {
        var (sleeping, memory, late): ([FrameSocket], (Double, Double), [Double]) = ([], (0, 0), [])
        var broken: BrokenCount?
        let result = try Self.beside.measureDaemon(program) { daemon, frames in
            sleeping = (0..<Self.sleepers).compactMap { _ in FrameSocket(path: frames) }
            for socket in sleeping { socket.subscribeToEveryFrame() }
            // Code that runs for the first time in these seconds (the first turn, a route) allocates its memory once.
            usleep(5_000_000)
            memory.0 = ChildProcess.residentKibibytes(of: daemon) ?? .nan
        } afterwards: { daemon in
            memory.1 = ChildProcess.residentKibibytes(of: daemon) ?? .nan
            for socket in sleeping {
                do throws(BrokenCount) { late.append(try Self.wake(socket)) } catch { broken = error }
                socket.close()
            }
        }
        try check(Self.beside, result, "\(Self.beside.name) beside \(Self.sleepers) that sleep, 110 s")
        if let broken { throw broken }
        guard late.count == Self.sleepers else {
            throw BrokenCount(description: "\(late.count) of \(Self.sleepers) sleepers were still served")
        }
        Report.add(
            Figure(
                name: "  age of the first fresh frame of a sleeper, oldest", value: late.max() ?? .nan, unit: "ms",
                limit: .atMost(50)))
        Report.add(Figure(name: "  memory grown", value: (memory.1 - memory.0) / 1024, unit: "MiB", limit: .atMost(1)))
    }

    /// Reads the available messages up to the first fresh frame. Returns its age, milliseconds. Received and reported
    /// lost messages must add up to all messages.
    private static func wake(_ socket: FrameSocket) throws(BrokenCount) -> Double {
        var packet = [UInt8](repeating: 0, count: 65_536)
        var taken: UInt64 = 0
        let end = monotonicNanoseconds() + 2_000_000_000
        while monotonicNanoseconds() < end {
            var ready = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, 100) == 1 else { continue }
            let count = recv(socket.descriptor, &packet, packet.count, Int32(MSG_DONTWAIT))
            guard count > 0, let received = try? packet[..<count].withUnsafeBytes({ try ReceivedMessage(packet: $0) })
            else { break }
            taken += 1
            guard case .frame(let frame, let delivery) = received.message else { continue }
            let age = Double(monotonicNanoseconds() - frame.publishedNanoseconds) / 1e6
            guard age < 1000 else { continue }
            guard received.sequence == taken + delivery.dropped, delivery.dropped > 20_000 else {
                throw BrokenCount(
                    description:
                        "a sleeping client received \(taken), with \(delivery.dropped) reported lost, at sequence "
                        + "\(received.sequence)"
                )
            }
            return age
        }
        throw BrokenCount(description: "a sleeping client received no fresh frame")
    }

    private func check(_ load: FanOutLoad, _ result: FanOutResult, _ name: String) throws {
        Report.add(
            Figure(
                name: "\(name): frames lost", value: Double(result.lost), unit: "of \(result.ages.count)",
                limit: .atMost(0)))
        Report.add(
            Figure(
                name: "  publish to receive, median", value: result.ages.median, unit: "ms",
                limit: load.medianLimit.map { .atMost($0) } ?? .none))
        Report.add(
            Figure(
                name: "  publish to receive, 99 of 100 within", value: result.ages.quantile(0.99), unit: "ms",
                limit: .atMost(load.tailLimit), ownSlack: Figure.longRunSlack))
        Report.add(
            Figure(
                name: "  publish to receive, longest", value: result.ages.quantile(1), unit: "ms", limit: .atMost(10),
                ownSlack: Figure.longRunSlack))
        Report.add(
            Figure(
                name: "  processor time of the sockets", value: result.processorPercent, unit: "% of a core",
                limit: load.processorLimit.map { .atMost($0) } ?? .none))
        Report.add(
            Figure(
                name: "  processor time of the engine beside them", value: result.enginePercent, unit: "% of a core",
                limit: .none))
        guard result.lost == result.told else {
            throw BrokenCount(description: "\(name): \(result.lost) frames lost, \(result.told) told")
        }
        guard result.lost == 0 else {
            throw BrokenCount(description: "\(name): \(result.lost) frames lost, all of them told")
        }
    }

    /// Number of open descriptors of a process when it has been constant for half a second: connections are accepted
    /// and closed a moment later.
    private static func settledDescriptors(of process: pid_t) -> Int {
        var (count, since) = (-1, monotonicNanoseconds())
        let end = since + 10_000_000_000
        while monotonicNanoseconds() < end, monotonicNanoseconds() - since < 500_000_000 {
            let found = ChildProcess.descriptors(of: process)
            if found != count { (count, since) = (found, monotonicNanoseconds()) }
            usleep(5000)
        }
        return count
    }
}
