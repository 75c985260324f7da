import CSystem
import Glibc
import Measurements
import Platform
import PoseMath
import SensorInterface
import Synchronization

/// The process that reads an IIO context on another machine.
///
/// libiio 0.24 stores what an iiod sends without checking its length: a reply that is longer than the request
/// overwrites memory. So it runs in a process of its own, which sends packets (``RemotePacket``) to the daemon. It is a
/// copy of the daemon from before its first thread, so that it needs no file and no arguments. A keeper between the
/// two, with one thread and no data from outside, starts it again when it ends. Both end with the daemon.
package final class IIOReaderProcess: Sendable {
    /// The daemon's end of the socket.
    let socket: Int32
    private let keeper: Int32

    private init(socket: Int32, keeper: Int32) {
        self.socket = socket
        self.keeper = keeper
    }

    deinit { close(socket) }

    /// Starts the process. Call it before this process starts a thread. `nil` if the system cannot create processes.
    package static func start(_ settings: IIOSettings) -> IIOReaderProcess? {
        var process: Int32 = 0
        var socket: Int32 = -1
        switch posed_fork_with_socket(&process, &socket) {
        case 0: keep(socket, settings)
        case 1: return IIOReaderProcess(socket: socket, keeper: process)
        default: return nil
        }
    }

    /// Ends keeper and reader within 290 ms.
    func end() {
        shutdown(socket, Int32(SHUT_RDWR))
        let deadline = SystemClock.monotonicNow.advanced(bySeconds: 0.28)
        while posed_wait_process(keeper, 0) < 0 {
            guard SystemClock.monotonicNow < deadline else {
                // The reader is killed with its keeper.
                return posed_end_program(keeper)
            }
            usleep(2000)
        }
    }

    // MARK: - The keeper

    /// Starts the reader again and again, until the daemon closes the socket.
    private static func keep(_ socket: Int32, _ settings: IIOSettings) -> Never {
        posed_set_thread_name("posed-iio-keep")
        var logged: MonotonicTime?
        while true {
            var reader: Int32 = 0
            let side = posed_fork(&reader)
            if side == 0 { read(socket, settings) }
            let code = side < 0 ? -1 : Int(posed_wait_process(reader, 1))
            guard code != 0 else { _exit(0) }
            PacketSink.send(RemotePacket.words(ended: code), to: socket)
            let now = SystemClock.monotonicNow
            if logged.map({ now.seconds(since: $0) >= logSeconds }) ?? true {
                logged = now
                log(settings.contextURI, code)
            }
            if isClosed(socket, within: pauseSeconds) { _exit(0) }
        }
    }

    /// Time until a reader that has ended is started again, seconds: data return within 2 s.
    private static let pauseSeconds = 1.0

    /// Time between two lines of the log about readers that have ended, seconds.
    private static let logSeconds = 60.0

    /// Logs the end of a reader. The log of the daemon is not there: this process is a copy from before its start.
    private static func log(_ place: String, _ code: Int) {
        let text = "posed: warning: the process that reads \(place) \(RemoteReceiver.end(code)); it is started again\n"
        // A reader of the log that blocks must not hold up this process.
        var writable = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard poll(&writable, 1, 0) == 1 else { return }
        _ = Array(text.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Whether the daemon closes the socket within that time.
    private static func isClosed(_ socket: Int32, within seconds: Double) -> Bool {
        var watched = pollfd(fd: socket, events: 0, revents: 0)
        return poll(&watched, 1, Int32(seconds * 1000)) > 0
    }

    // MARK: - The reader

    /// Reads the context until the daemon closes the socket.
    private static func read(_ socket: Int32, _ settings: IIOSettings) -> Never {
        posed_set_thread_name("posed-iio-read")
        let board = SourceStatusBoard()
        let sink = PacketSink(socket: socket)
        let source = IIOSource(settings: settings, sink: sink, board: board)
        source.start()
        var watch = StallWatch(settings)
        var told: [RemoteStatus] = []
        repeat {
            let statuses = sink.withLosses(board.statuses.map { RemoteStatus($0) })
            let isTold = statuses.filter { !told.contains($0) }.map { PacketSink.send($0, to: socket) }
            if !isTold.contains(false) { told = statuses }
            // What a reply has overwritten can also keep libiio waiting for ever.
            if watch.hasStalled(statuses) { kill(getpid(), SIGKILL) }
        } while !isClosed(socket, within: StallWatch.checkSeconds)
        source.stop()
        _exit(0)
    }
}

/// Sends measurements and states to the daemon. Does not allocate per measurement.
final class PacketSink: EventSink {
    private let socket: Int32
    /// Measurements for which there was no room, in the order of `RemotePacket.sources`.
    private let lost = Mutex(InlineArray<3, UInt64>(repeating: 0))

    /// Sends to a socket, whose other end the daemon has.
    init(socket: Int32) { self.socket = socket }

    func send(_ event: SensorEvent) {
        guard let words = RemotePacket.words(event), !Self.send(words, to: socket),
            let source = RemotePacket.sources.firstIndex(of: event.kind)
        else { return }
        lost.withLock { $0[source] &+= 1 }
    }

    /// Sends a state. One for which there is no room comes with the status, which is sent until it arrives.
    func send(_ report: SourceReport) { Self.send(RemotePacket.words(report), to: socket) }

    /// The statuses, with the measurements for which there was no room among their rejections.
    func withLosses(_ statuses: [RemoteStatus]) -> [RemoteStatus] {
        let counts = lost.withLock { $0 }
        return statuses.map { status in
            var status = status
            if let source = RemotePacket.sources.firstIndex(of: status.kind),
                let reason = IIORejection.allCases.firstIndex(of: .queueFull)
            {
                status.rejections[reason] &+= counts[source]
            }
            return status
        }
    }

    /// Sends a packet. Returns whether there was room; without, it is lost.
    @discardableResult static func send(_ words: RemotePacket.Words, to socket: Int32) -> Bool {
        withUnsafeBytes(of: words) { posed_send(socket, $0.baseAddress, $0.count) } == RemotePacket.plainBytes
    }

    /// Sends a status. Returns whether there was room.
    static func send(_ status: RemoteStatus, to socket: Int32) -> Bool {
        let bytes = RemotePacket.bytes(status)
        return bytes.withUnsafeBytes { posed_send(socket, $0.baseAddress, $0.count) } == bytes.count
    }
}
