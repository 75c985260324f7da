import Demo
import Glibc
import Platform
import Synchronization

/// Clients of the stream socket that read everything and send a new route now and then, and a look at the daemon's
/// memory and descriptors each second.
final class SoakCompanions: Sendable {
    /// What was counted.
    struct Tally: Sendable {
        /// Lines that all clients got.
        var lines = 0
        /// Routes that were sent, and those that the daemon took.
        var (routesSent, routesTaken) = (0, 0)
        /// Resident memory each second after the beginning, KiB.
        var kibibytes: [Double] = []
        /// Open descriptors each second after the beginning.
        var descriptors: [Int] = []

        /// Descriptors that stay open: the fewest of the last minute and of the first, because connections come and go.
        var descriptorsKept: Int { (descriptors.suffix(60).min() ?? 0) - (descriptors.prefix(60).min() ?? 0) }
        /// The most memory seen, KiB.
        var mostKibibytes: Double { kibibytes.max() ?? .nan }
        /// Slope of the memory in the second half of the time, by least squares, KiB per hour.
        var kibibytesPerHour: Double {
            let half = kibibytes[(kibibytes.count / 2)...]
            let (count, mean) = (Double(half.count), half.reduce(0, +) / Double(half.count))
            let middle = (count - 1) / 2
            let (product, square) = half.enumerated().reduce(into: (0.0, 0.0)) { sums, each in
                let seconds = Double(each.offset) - middle
                sums.0 += seconds * (each.element - mean)
                sums.1 += seconds * seconds
            }
            return 3600 * product / square
        }
    }

    /// Clients of the stream.
    static let clients = 4
    /// Code that runs for the first time, the first turn or route, allocates its memory once, seconds.
    private static let beginningSeconds = 60
    /// A client that reads later than this misses frames, which are replaced by newer ones.
    private static let readsPerSecond = 50
    /// A new route comes this often, seconds.
    private static let routeSeconds = 30

    private let state = Mutex(Tally())
    private let thread = Mutex<WorkerThread?>(nil)
    private let daemon: pid_t
    private let sockets: [FrameSocket]
    private let routes: [String]

    /// What was counted so far.
    var tally: Tally { state.withLock { $0 } }

    /// Connects to the daemon whose sockets are in a folder.
    init(folder: String, daemon: pid_t) throws {
        self.daemon = daemon
        routes = try Self.routeCommands()
        sockets = (0..<Self.clients).compactMap { _ in FrameSocket(path: "\(folder)/stream", type: SOCK_STREAM) }
        guard sockets.count == Self.clients else { throw BenchError("posed did not accept the clients of the stream") }
        for socket in sockets { Self.write("{\"cmd\":\"subscribe\",\"rate_hz\":10}\n", to: socket) }
    }

    /// Starts to read.
    func start() {
        let thread = WorkerThread(name: "companions") { [self] signal in run(until: signal) }
        self.thread.withLock { $0 = thread }
        _ = thread.start()
    }

    /// Ends when what was sent has been read.
    func stop() {
        thread.withLock { $0 }?.stop()
        for socket in sockets { socket.close() }
    }

    private func run(until signal: StopSignal) {
        var (step, rests) = (0, [[UInt8]](repeating: [], count: sockets.count))
        while signal.wait(seconds: 1 / Double(Self.readsPerSecond)) != .stopped {
            for index in sockets.indices { read(index, &rests[index]) }
            step += 1
            let (second, rest) = step.quotientAndRemainder(dividingBy: Self.readsPerSecond)
            guard rest == 0 else { continue }
            if second % Self.routeSeconds == 0 {
                Self.write(routes[second / Self.routeSeconds % routes.count], to: sockets[0])
                state.withLock { $0.routesSent += 1 }
            }
            if second >= Self.beginningSeconds { look() }
        }
        // The reply to the last route may be on its way.
        usleep(500_000)
        for index in sockets.indices { read(index, &rests[index]) }
    }

    /// Memory and descriptors of the daemon now.
    private func look() {
        let (memory, descriptors) = (ChildProcess.residentKibibytes(of: daemon), ChildProcess.descriptors(of: daemon))
        state.withLock {
            if let memory { $0.kibibytes.append(memory) }
            $0.descriptors.append(descriptors)
        }
    }

    /// Commands with the route of the demo drive, whole and without its end.
    private static func routeCommands() throws -> [String] {
        let points = try DemoRoute.corners().points
        return [points, Array(points.dropLast(2))].map { points in
            let places = points.map { "[\($0.longitudeDegrees),\($0.latitudeDegrees)]" }.joined(separator: ",")
            let route = "{\"type\":\"LineString\",\"coordinates\":[\(places)]}"
            return "{\"cmd\":\"route_load\",\"id\":\"soak\",\"route\":\(route)}\n"
        }
    }

    private static func write(_ text: String, to socket: FrameSocket) {
        let bytes = Array(text.utf8)
        _ = send(socket.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Reads what there is. `rest`: the begin of a line whose end is not there yet.
    private func read(_ index: Int, _ rest: inout [UInt8]) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(sockets[index].descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return }
            rest += buffer[..<count]
            let lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            rest = Array(lines.last ?? [])
            let taken = lines.count { $0.starts(with: Self.taken) }
            state.withLock {
                $0.lines += lines.count - 1
                $0.routesTaken += taken
            }
        }
    }

    /// How the reply to a route begins that was taken.
    private static let taken = Array(#"{"type":"reply","cmd":"route_load","id":"soak","ok":true"#.utf8)
}
