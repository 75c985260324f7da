import CSystem
import Frames
import Glibc
import Platform
import PoseMath
import RoutingProtocol

/// Connects to the program posed-routing for one request: through the socket where the service manager starts it, or as
/// a child process that ends with the request.
package struct RoutingHelper: Sendable, Equatable {
    /// Path of the socket where the service manager listens; `nil` for none.
    var socketPath: String?
    /// Path of the program; `nil`: it is searched beside the daemon.
    var programPath: String?
    /// Folder of the daemon's program; `nil` if the system does not tell.
    var folder: String? = RoutingHelper.ownFolder

    /// Creates a helper with these paths.
    package init(socketPath: String? = nil, programPath: String? = nil) {
        self.socketPath = socketPath
        self.programPath = programPath
    }

    /// Why there is no answer.
    enum Failure: Error, Equatable {
        /// The server or the network failed; `detail` is the library's text.
        case transfer(RoutingFault, detail: String)
        /// The time limit has passed.
        case tooSlow
        /// The request was cancelled.
        case cancelled
        /// The program cannot be started or does not answer: what is wrong and what to do.
        case helper(String, remedy: String)
    }

    /// The answer of a server.
    struct Answer: Sendable, Equatable {
        /// HTTP status code.
        var status: Int
        /// Body of the answer.
        var body: [UInt8]
    }

    /// Size of the receive buffer, bytes.
    private static let bufferBytes = 65_536
    /// Time to wait for the program's report after its own time limit, seconds.
    private static let reserveSeconds = 0.5

    /// How long a request may take until it is given up, seconds.
    static func patienceSeconds(_ call: RoutingCall) -> Double {
        Double(call.limitMilliseconds) / 1000 + reserveSeconds
    }

    /// Performs a request. Blocks for at most its time limit and half a second; returns at once when the stop signal is
    /// raised. In every case it closes the connection and ends a program that it started.
    func perform(_ call: RoutingCall, stop: StopSignal) throws(Failure) -> Answer {
        let deadline = SystemClock.monotonicNow.advanced(bySeconds: Self.patienceSeconds(call))
        guard !stop.isRaised else { throw .cancelled }
        let connection = try open()
        defer { connection.close() }
        try connection.send(RoutingRecord.call(call).bytes, stop: stop, deadline: deadline)
        var reader = RoutingRecordReader()
        var body: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: Self.bufferBytes)
        while true {
            let count = try connection.receive(&buffer, stop: stop, deadline: deadline)
            guard let records = try? reader.append(buffer[..<count]) else { throw Self.unintelligible }
            for record in records {
                switch record {
                case .body(let bytes):
                    guard bytes.count <= Int(call.maximumBytes) - body.count else { throw Self.unintelligible }
                    body += bytes
                case .report(.answered(let status)): return Answer(status: Int(status), body: body)
                case .report(.failed(let fault, let detail)): throw .transfer(fault, detail: detail)
                case .call: throw Self.unintelligible
                }
            }
        }
    }

    private static let unintelligible = Failure.helper(
        "the program posed-routing uses another protocol version than posed",
        remedy: "install both from the same version")

    private func open() throws(Failure) -> HelperConnection {
        if let socketPath, let connection = HelperConnection(socket: socketPath) { return connection }
        guard let program = programPath ?? installedProgram else {
            throw .helper(
                "the program posed-routing is neither in ../libexec/posed nor beside posed",
                remedy: "install it, or set routing.program to its path")
        }
        var process: Int32 = -1
        let descriptor = posed_start_program(program, &process)
        guard descriptor >= 0 else {
            throw .helper(
                "\(program) cannot be started: \(describe(errno))", remedy: "check routing.program, or install it")
        }
        return HelperConnection(descriptor: descriptor, process: process)
    }

    /// The installed program, or the program of this build; `nil` if neither exists. It is searched for each request,
    /// because it may be installed while posed runs.
    private var installedProgram: String? {
        guard let folder else { return nil }
        return ["\(folder)/../libexec/posed/posed-routing", "\(folder)/posed-routing"].first { access($0, X_OK) == 0 }
    }

    private static let ownFolder: String? = {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count)
        guard count > 0 else { return nil }
        let bytes = path[..<count].map { UInt8(truncatingIfNeeded: $0) }
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return String(decoding: bytes[..<slash], as: UTF8.self)
    }()
}

/// The connection to the program, and its process if it was started here.
struct HelperConnection {
    private let descriptor: Int32
    private let process: Int32

    /// Takes ownership of a connection and a process.
    init(descriptor: Int32, process: Int32) {
        self.descriptor = descriptor
        self.process = process
    }

    /// Connects to the service manager's socket; `nil` if nobody listens or its connections are all in use.
    init?(socket path: String) {
        let descriptor = posed_unix_socket(Int32(SOCK_STREAM.rawValue))
        guard descriptor >= 0 else { return nil }
        guard posed_connect(descriptor, path) == 0 else {
            Glibc.close(descriptor)
            return nil
        }
        self.init(descriptor: descriptor, process: -1)
    }

    /// Closes the connection and ends the process.
    func close() {
        Glibc.close(descriptor)
        posed_end_program(process)
    }

    /// Sends all bytes.
    func send(_ bytes: [UInt8], stop: StopSignal, deadline: MonotonicTime) throws(RoutingHelper.Failure) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                posed_send(descriptor, $0.baseAddress.map { $0 + done }, bytes.count - done)
            }
            if count > 0 {
                done += count
            } else if errno == EAGAIN || errno == EINTR {
                try wait(for: Int16(POLLOUT), stop: stop, deadline: deadline)
            } else {
                throw Self.ended
            }
        }
    }

    /// Receives bytes; returns how many, at least one.
    func receive(_ buffer: inout [UInt8], stop: StopSignal, deadline: MonotonicTime) throws(RoutingHelper.Failure)
        -> Int
    {
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 { return count }
            guard count < 0, errno == EAGAIN || errno == EINTR else { throw Self.ended }
            try wait(for: Int16(POLLIN), stop: stop, deadline: deadline)
        }
    }

    private static let ended = RoutingHelper.Failure.helper(
        "the program posed-routing ended without an answer",
        remedy: "see the log of posed, or of posed-routing@ where systemd starts it")

    private func wait(for events: Int16, stop: StopSignal, deadline: MonotonicTime) throws(RoutingHelper.Failure) {
        let remaining = deadline.seconds(since: SystemClock.monotonicNow)
        guard !stop.isRaised else { throw .cancelled }
        guard remaining > 0 else { throw .tooSlow }
        if stop.wait(for: descriptor, events: events, seconds: remaining) == .stopped { throw .cancelled }
    }
}
