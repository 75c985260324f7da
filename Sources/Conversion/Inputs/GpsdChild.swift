import CSystem
import Glibc
import Recording

/// The connections to a gpsd that reads a receiver's log.
protocol ReceiverLink: AnyObject {
    /// The connection from which gpsd reads the receiver; not blocking.
    var feed: Int32 { get }
    /// The connection to gpsd's reports; not blocking.
    var reports: Int32 { get }
}

/// A private gpsd as a child process: it reads a receiver's bytes from a local connection and serves its reports on a
/// port of its own.
///
/// It runs in an IPC name space of its own where the system permits that, so that the old times in a log reach neither
/// a time service nor other clients through gpsd's shared memory. It ends with this process, however that ends: a shell
/// waits for the end of its input, whose other end only this process has, and kills a gpsd that does not end.
final class GpsdChild: ReceiverLink {
    let feed: Int32
    let reports: Int32

    private var process: pid_t = 0
    private var input: Int32 = -1

    /// Time for each step of the start, milliseconds.
    private static let limitMilliseconds = 10_000

    /// Time of a gpsd to end by itself, steps of ``stepMicroseconds``.
    static let graceSteps = 100
    /// Time beyond that until the shell is killed too, steps.
    private static let spareSteps = 60
    private static let stepMicroseconds: UInt32 = 50_000

    /// The first argument is the time to end, steps; the others are the command.
    private static let script = """
        trap : INT TERM HUP
        steps=$1
        shift
        if unshare --ipc true 2>/dev/null; then set -- unshare --ipc "$@"
        elif unshare --user --ipc true 2>/dev/null; then set -- unshare --user --ipc "$@"
        fi
        DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent "$@" >/dev/null 2>&1 &
        gpsd=$!
        read -r line
        kill "$gpsd" 2>/dev/null
        while [ "$steps" -gt 0 ] && kill -0 "$gpsd" 2>/dev/null; do
            sleep 0.05
            steps=$((steps - 1))
        done
        [ "$steps" -gt 0 ] || kill -KILL "$gpsd" 2>/dev/null
        wait
        """

    /// Starts gpsd. `path` is the log, for messages.
    init(path: String) throws(RecordingError) {
        guard let program = Self.program else {
            throw RecordingError(
                path: path, problem: "a receiver's log needs gpsd, which is not installed",
                remedy: "install it: apt install gpsd")
        }
        let listener = posed_listen_loopback(0)
        defer { close(listener) }
        guard listener >= 0, let feedPort = Self.port(of: listener), let port = Self.freePort() else {
            throw Self.failure(path, "cannot listen on the loopback interface (\(String(cString: strerror(errno))))")
        }
        let started = Self.spawn([program, "-N", "-b", "-S", String(port), "tcp://127.0.0.1:\(feedPort)"])
        guard let started else { throw Self.failure(path, "cannot start \(program)") }
        guard let reports = Self.connect(port) else {
            Self.end(started)
            throw Self.failure(path, "gpsd did not open its port")
        }
        guard Self.watch(reports), Self.wait(listener, POLLIN), case let feed = posed_accept(listener), feed >= 0 else {
            close(reports)
            Self.end(started)
            throw Self.failure(path, "gpsd did not read its receiver")
        }
        (process, input) = started
        (self.feed, self.reports) = (feed, reports)
    }

    deinit {
        close(feed)
        close(reports)
        Self.end((process, input))
    }

    private static func failure(_ path: String, _ problem: String) -> RecordingError {
        RecordingError(
            path: path, problem: problem, remedy: "try `gpsd -N -n` by hand, or give the output of gpspipe -w")
    }

    /// The program in the places of Debian and of a local build.
    private static var program: String? {
        ["/usr/sbin/gpsd", "/usr/local/sbin/gpsd"].first { access($0, X_OK) == 0 }
    }

    /// Starts a shell with gpsd: its process, and the end of its input. No other process inherits that end, and the
    /// shell inherits nothing else, so that it holds no connection of this process open.
    static func spawn(
        _ arguments: [String], graceSteps: Int = GpsdChild.graceSteps
    ) -> (process: pid_t, input: Int32)? {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        defer { close(ends[0]) }
        var words = (["/bin/sh", "-c", script, "sh", String(graceSteps)] + arguments).map { strdup($0) }
        defer { words.forEach { free($0) } }
        words.append(nil)
        var process: pid_t = 0
        // In a group of its own, which can be killed as a whole.
        guard posed_spawn("/bin/sh", words, environ, [ends[0], -1, STDERR_FILENO], 3, 1, &process) == 0 else {
            close(ends[1])
            return nil
        }
        return (process, ends[1])
    }

    /// Ends gpsd and its shell.
    static func end(_ started: (process: pid_t, input: Int32), graceSteps: Int = GpsdChild.graceSteps) {
        close(started.input)
        for _ in 0..<(graceSteps + spareSteps) {
            if posed_wait_process(started.process, 0) >= 0 { return }
            usleep(stepMicroseconds)
        }
        kill(-started.process, SIGKILL)
        _ = posed_wait_process(started.process, 1)
    }

    /// Waits until a descriptor is ready.
    private static func wait(_ descriptor: Int32, _ events: Int32) -> Bool {
        var ready = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return poll(&ready, 1, Int32(limitMilliseconds)) == 1
    }

    private static func watch(_ reports: Int32) -> Bool {
        let request = Array(#"?WATCH={"enable":true,"json":true};"#.utf8) + [10]
        return posed_send(reports, request, request.count) == request.count
    }

    /// Connects to gpsd's port as soon as it listens.
    private static func connect(_ port: UInt16) -> Int32? {
        for _ in 0..<(limitMilliseconds / 20) {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = loopback(port)
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) }
            }
            if result == 0 {
                // gpsd drops reports for a client whose buffers are full.
                var bytes: Int32 = 1 << 22
                setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
                _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
                return descriptor
            }
            close(descriptor)
            usleep(20_000)
        }
        return nil
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    /// A port that nobody listens on now.
    private static func freePort() -> UInt16? {
        let descriptor = posed_listen_loopback(0)
        defer { close(descriptor) }
        return port(of: descriptor)
    }

    private static func port(of descriptor: Int32) -> UInt16? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        return result == 0 ? UInt16(bigEndian: address.sin_port) : nil
    }
}
