import CSystem
import Engine
import Frames
import Glibc
import Logging
import Platform
import PoseMath
import Synchronization
import Testing

@testable import EngineRuntime
@testable import Publishing

/// What a server has passed on to the rest of the daemon.
final class Received: Sendable {
    private let texts = Mutex<[String]>([])
    /// Readable after each note.
    let event = EventFD()

    func note(_ text: String) {
        texts.withLock { $0.append(text) }
        event.signal()
    }

    /// The notes once there are so many of them, or after 20 s.
    func notes(_ count: Int) -> [String] {
        while true {
            event.drain()
            let all = texts.withLock { $0 }
            var watched = pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0)
            guard all.count < count, poll(&watched, 1, 20_000) == 1 else { return all }
        }
    }
}

/// Notes what the server passes on. A line `no` counts as one without a valid command, `yes` as one with it. A line
/// `answer` is answered with another hello.
final class NotingDelegate: SocketServerDelegate {
    private let received: Received
    private let signals: EventFD

    private let notesSweeps: Bool

    init(_ received: Received, _ signals: EventFD, notesSweeps: Bool) {
        (self.received, self.signals, self.notesSweeps) = (received, signals, notesSweeps)
    }

    func server(_ server: SocketServer, received line: ArraySlice<UInt8>, from client: Client) {
        let text = String(decoding: line, as: UTF8.self)
        if text == "no" { client.nonsense += 1 }
        if text == "yes" { client.nonsense = 0 }
        if text == "all" {
            server.fanOut.subscribe(
                client, .init(topics: .all, rateMillihertz: 0), now: MonotonicTime(nanoseconds: 0))
        }
        if text == "answer" {
            server.fanOut.send(.hello(server.fanOut.hello), to: client, now: SystemClock.monotonicNow)
        }
        received.note(text.count > 40 ? "\(text.count) bytes" : text)
    }

    func serverHasCompletions(_ server: SocketServer) { received.note("completion") }
    func server(_ server: SocketServer, didPublish frame: PublishedFrame) { received.note("frame \(frame.number)") }
    func serverDidSweep(_ server: SocketServer) { if notesSweeps { received.note("sweep") } }

    func serverHasSignal(_ server: SocketServer) -> Bool {
        signals.drain()
        return false
    }
}

/// An output in another format, which notes what it is given.
final class NotingOutput: FrameOutput {
    private let received: Received
    private let input: EventFD

    var descriptor: Int32 { input.descriptor }

    init(_ received: Received, _ input: EventFD) { (self.received, self.input) = (received, input) }

    func serve(now: MonotonicTime) {
        input.drain()
        received.note("serve")
    }

    func publish(_ frame: Frame, now: MonotonicTime) { received.note("output \(frame.sequence)") }

    func remove() {}
}

/// A clock that a test sets.
final class StandingClock: Sendable {
    private let nanoseconds = Atomic<Int64>(0)

    var now: MonotonicTime { MonotonicTime(nanoseconds: nanoseconds.load(ordering: .acquiring)) }

    func set(_ seconds: Double) { nanoseconds.store(Int64((seconds * 1e9).rounded()), ordering: .releasing) }
}

/// A server of both sockets in a folder of its own, on a thread of its own.
final class Served {
    let loop = EngineLoop(engine: EngineSettings())
    let folder: SocketFolder
    let received = Received()
    private let signals = EventFD()
    private let go = EventFD()
    private let completion = Mutex<EventFD?>(nil)
    private let thread: WorkerThread
    /// The clock of the server; `nil`: that of the machine.
    private let time: StandingClock?

    /// Listens; ``start()`` serves. With a clock that stands, the test sets the time; `inputs` of outputs are readable
    /// when these are to be served. `onClock` is called on the thread of the server each time it reads its clock.
    init(
        clients: Int = 16, clockStands: Bool = false, inputs: [EventFD] = [],
        onClock: @escaping @Sendable () -> Void = {}
    ) throws {
        folder = try SocketFolder()
        let sockets = [
            try ListeningSocket(path: folder.path("frames"), kind: .frames, mode: 0o600, group: nil),
            try ListeningSocket(path: folder.path("stream"), kind: .stream, mode: 0o600, group: nil),
        ]
        let descriptors = sockets.map { dup($0.descriptor) }
        let (loop, received, signals, go) = (loop, received, signals, go)
        let time = clockStands ? StandingClock() : nil
        self.time = time
        thread = WorkerThread(name: "sockets") { stop in
            _ = stop.wait(for: go.descriptor, seconds: 60)
            let listeners = [
                ListeningSocket(inherited: descriptors[0], kind: .frames),
                ListeningSocket(inherited: descriptors[1], kind: .stream),
            ]
            let fanOut = FanOut(hello: .init(release: "test"), limits: .init(clients: clients))
            let delegate = NotingDelegate(received, signals, notesSweeps: time != nil)
            let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            guard
                let server = try? SocketServer(
                    listeners: listeners, outputs: inputs.map { NotingOutput(received, $0) }, loop: loop,
                    signals: signals.descriptor, fanOut: fanOut,
                    log: silent,
                    clock: {
                        onClock()
                        return time?.now ?? SystemClock.monotonicNow
                    })
            else { return received.note("no server") }
            server.delegate = delegate
            server.completionEvent.signal()
            server.run()
            received.note("ended")
        }
        thread.start()
    }

    deinit {
        go.signal()
        signals.signal()
        thread.stop()
    }

    func start() { go.signal() }

    /// Sets the time since the start, and has the server go through one cycle with a frame of that number.
    func cycle(_ number: UInt64, at seconds: Double) {
        time?.set(seconds)
        publish(number...number)
    }

    /// Ends the server as a signal does.
    func end() { signals.signal() }

    /// Publishes frames of these numbers.
    func publish(_ numbers: ClosedRange<UInt64>) {
        for number in numbers {
            var frame = Frame()
            frame.sequence = number
            loop.frames.push(PublishedFrame(frame: frame, isRepeat: false, number: number))
        }
        loop.frameEvent.signal()
    }
}

/// A client of a socket; its reads wait for 20 s at most.
final class FarEnd {
    let descriptor: Int32
    private let kind: SocketKind
    private var rest: [UInt8] = []

    init(_ served: Served, _ kind: SocketKind) throws {
        self.kind = kind
        descriptor = posed_unix_socket(kind.type)
        try #require(posed_connect(descriptor, served.folder.path(kind == .frames ? "frames" : "stream")) == 0)
    }

    deinit { close(descriptor) }

    @discardableResult func send(_ bytes: [UInt8]) -> Int { posed_send(descriptor, bytes, bytes.count) }
    func send(_ text: String) { send(Array(text.utf8)) }
    func send(_ message: Message) { send(message.packet(sequence: 1)) }

    /// The next packet, or the bytes that are there; `nil` at the end.
    private func receive() -> [UInt8]? {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&watched, 1, 20_000) == 1 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// The next message of the binary socket; `nil` at the end.
    func message() throws -> Message? {
        try receive()?.withUnsafeBytes { try ReceivedMessage(packet: $0).message }
    }

    /// The next line of the stream; `nil` at the end.
    func line() -> String? {
        while true {
            if let end = rest.firstIndex(of: 0x0A) {
                defer { rest.removeFirst(end + 1) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            guard let more = receive() else { return nil }
            rest += more
        }
    }

    /// Whether the connection ends next: the server has closed it, and no time has run out.
    func ends() -> Bool {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var byte: UInt8 = 0
        return poll(&watched, 1, 20_000) == 1 && recv(descriptor, &byte, 1, 0) == 0
    }

    /// Whether the frame of a number comes before the end.
    func getsFrame(_ number: UInt64) throws -> Bool {
        while let message = try message() {
            if case .frame(let frame, _) = message, frame.sequence == number { return true }
        }
        return false
    }

    /// The last message before the end: its reason and text.
    func bye() throws -> Message.Bye? {
        var bye: Message.Bye?
        while let message = try message() { if case .bye(let found) = message { bye = found } }
        return bye
    }

    /// The last line before the end.
    func lastLine() -> String {
        var last = ""
        while let line = line() { last = line }
        return last
    }
}
