import CSystem
import Frames
import Glibc
import Platform
import PoseMath
import RoutingProtocol

/// The program that asks routing servers, reached for one request: over the socket where the service manager starts it,
/// else started here and ended with the request.
package struct RoutingHelper: Sendable, Equatable {
    /// Where the service manager listens for it; `nil`: nowhere.
    var socketPath: String?
    /// The program; `nil`: it is looked for beside the daemon's own.
    var programPath: String?

    /// The program at these places.
    package init(socketPath: String? = nil, programPath: String? = nil) {
        self.socketPath = socketPath
        self.programPath = programPath
    }

    /// Why there is no answer.
    enum Failure: Error, Equatable {
        /// The server's or the network's fault, with the library's own words.
        case transfer(RoutingFault, detail: String)
        /// The time was over.
        case tooSlow
        /// The request is not wanted any more.
        case cancelled
        /// The program cannot be had, or does not do its work: what, and what to do.
        case helper(String, remedy: String)
    }

    /// A server's answer.
    struct Answer: Sendable, Equatable {
        /// The status of HTTP.
        var status: Int
        /// The body.
        var body: [UInt8]
    }

    /// Bytes received at once.
    private static let bufferBytes = 65_536
    /// The program's own limit comes first; so much longer is waited for its report, seconds.
    private static let reserveSeconds = 0.5

    /// Carries out a request. Blocks up to its time limit and half a second more; ends at once with the stop signal.
    /// Whatever happens, the connection is closed and a program that was started here has ended.
    func perform(_ call: RoutingCall, stop: StopSignal) throws(Failure) -> Answer {
        let seconds = Double(call.limitMilliseconds) / 1000 + Self.reserveSeconds
        let deadline = SystemClock.monotonicNow.advanced(bySeconds: seconds)
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
        "the program posed-routing answers in another form than this version of posed knows",
        remedy: "install both from the same version")

    private func open() throws(Failure) -> HelperConnection {
        if let socketPath, let connection = HelperConnection(socket: socketPath) { return connection }
        guard let program = programPath ?? Self.installedProgram else {
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

    /// The program of this installation, or of this build; `nil` where it is in neither place.
    static let installedProgram: String? = {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count)
        guard count > 0 else { return nil }
        let bytes = path[..<count].map { UInt8(bitPattern: $0) }
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let folder = String(decoding: bytes[..<slash], as: UTF8.self)
        return ["\(folder)/../libexec/posed/posed-routing", "\(folder)/posed-routing"].first { access($0, X_OK) == 0 }
    }()
}

/// A connection to the program, and its process where it was started here.
struct HelperConnection {
    private let descriptor: Int32
    private let process: Int32

    /// Takes over a connection and a process.
    init(descriptor: Int32, process: Int32) {
        self.descriptor = descriptor
        self.process = process
    }

    /// Connects to the service manager's socket; `nil` where nobody listens there, or all its places are taken.
    init?(socket path: String) {
        let descriptor = posed_unix_socket(Int32(SOCK_STREAM.rawValue))
        guard descriptor >= 0 else { return nil }
        guard posed_connect(descriptor, path) == 0 else {
            Glibc.close(descriptor)
            return nil
        }
        self.init(descriptor: descriptor, process: -1)
    }

    /// Closes the connection, and ends the process.
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

    /// Receives some bytes; how many, at least one.
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
