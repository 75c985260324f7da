import Glibc
import KeptLog
import Logging
import Synchronization
import Testing

import struct Foundation.Data

@testable import WebServer

/// The server's connections to a daemon that the test plays.
@Suite struct DaemonLinkTests {
    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test func commandsThatWaitAreBounded() {
        // GIVEN a link that is not started THEN 64 commands may wait
        let link = DaemonLink(socketPath: "/nowhere", hub: ViewerHub(limit: 1), log: Self.log) {}
        let taken = (0..<66).map { _ in link.send("{}") }
        #expect(taken == [Bool](repeating: true, count: 64) + [false, false])
        #expect(link.problem == nil && link.places == DaemonLink.Places())
    }

    /// The next line for a page that is no hello.
    private func next(_ mailbox: Mailbox) async -> String {
        while case .text(let data) = await mailbox.next() {
            let text = String(decoding: data, as: UTF8.self)
            if !text.contains(#""type":"hello""#) { return text }
        }
        return "closed"
    }

    @Test func theLinesGoWhereTheyBelong() async throws {
        // GIVEN an open page WHEN the link starts THEN one connection subscribes to frames, the other to surroundings,
        // which also asks for the status
        let daemon = try TwoConnections()
        let hub = ViewerHub(limit: 2)
        let (number, mailbox) = try #require(hub.join())
        let (changes, continuation) = AsyncStream<Void>.makeStream()
        let link = DaemonLink(socketPath: daemon.path, hub: hub, log: Self.log) { continuation.yield() }
        #expect(link.start())
        defer { link.stop() }
        daemon.accept()
        #expect(
            daemon.heard(.frames) == #"{"cmd":"subscribe","rate_hz":20.000,"topics":["pose","guidance","speed","#
                + #""sources","events","status","route"],"every":false,"smooth":true}"#)
        #expect(
            daemon.heard(.surroundings)
                == #"{"cmd":"subscribe","topics":["scene","points"],"every":false,"smooth":false}"#)
        #expect(daemon.heard(.surroundings) == #"{"cmd":"status","id":"status"}"#)
        // WHEN the daemon answers THEN the page has the answer, and the server the places in it; the folder stays known
        let full =
            #"{"type":"reply","cmd":"status","id":"status","ok":true,"roads":{"file":"/r"},"recording":{"folder":"/f"}}"#
        daemon.say(full, .surroundings)
        #expect(await next(mailbox) == full)
        #expect(link.places == .init(roadFile: "/r", recordingFolder: "/f"))
        let empty = #"{"type":"reply","cmd":"status","id":"status","ok":true}"#
        daemon.say(empty, .surroundings)
        #expect(await next(mailbox) == empty)
        #expect(link.places == .init(roadFile: nil, recordingFolder: "/f") && link.problem == nil)
        try await passesCommands(link, daemon, mailbox, number)
        // WHEN the daemon ends THEN the reason is known, and a new page is told nothing of it
        daemon.end()
        for await _ in changes where link.problem != nil { break }
        let later = try #require(hub.join())
        hub.publish(Data("scene".utf8), .scene)
        guard case .text(let first) = await later.mailbox.next() else {
            Issue.record("closed")
            return
        }
        #expect(String(decoding: first, as: UTF8.self) == "scene")
    }

    @Test func theConnectionIsToldOnce() async throws {
        // GIVEN an open page
        let daemon = try TwoConnections()
        let hub = ViewerHub(limit: 1)
        let page = try #require(hub.join())
        let lines = LogLines()
        let link = DaemonLink(socketPath: daemon.path, hub: hub, log: Logger(label: "test") { _ in lines }) {}
        #expect(link.start())
        defer { link.stop() }
        // WHEN both connections to the daemon are made, and each has given the page something
        daemon.accept()
        for (line, purpose) in [
            (#"{"type":"reply","cmd":"status","id":"status","ok":true}"#, TwoConnections.Purpose.surroundings),
            (#"{"type":"frame","seq":1}"#, .frames),
        ] {
            daemon.say(line, purpose)
            #expect(await next(page.mailbox) == line)
        }
        // THEN the log has one line of it
        #expect(lines.labelled == ["info: connected to posed at \(daemon.path)"])
    }

    @Test func aLaterPageGetsNothingOfAnEarlierTime() async throws {
        // GIVEN a page that got a frame, a maneuver and a scene
        let daemon = try TwoConnections()
        let hub = ViewerHub(limit: 2)
        let first = try #require(hub.join())
        let link = DaemonLink(socketPath: daemon.path, hub: hub, log: Self.log) {}
        #expect(link.start())
        daemon.accept()
        for (line, purpose) in [
            (#"{"type":"frame","seq":1}"#, TwoConnections.Purpose.frames),
            (#"{"type":"maneuver","route_version":1}"#, .frames), (#"{"type":"scene"}"#, .surroundings),
        ] {
            daemon.say(line, purpose)
            #expect(await next(first.mailbox) == line)
        }
        // WHEN it is closed, and with it both connections to the daemon
        hub.leave(first.number)
        for purpose in [TwoConnections.Purpose.frames, .surroundings] { #expect(daemon.ends(purpose)) }
        link.stop()
        // THEN a page that is opened later gets none of them
        let later = try #require(hub.join())
        later.mailbox.finish(code: 1000, reason: "")
        #expect(await later.mailbox.next() == .close(code: 1000, reason: ""))
    }

    /// Connects as a user who may not.
    static func connectWithoutRights() async throws {
        // What would go on for ever is ended.
        alarm(60)
        let daemon = try TwoConnections()
        defer { daemon.end() }
        // The owner has no rights. Root has them all, and goes by another user and without its groups.
        let isRoot = geteuid() == 0
        if isRoot { #expect(chown(daemon.path, 0, 1) == 0 && setgroups(0, nil) == 0) }
        #expect(chmod(daemon.path, 0o060) == 0)
        if isRoot { #expect(seteuid(65_534) == 0) }
        defer { if isRoot { seteuid(0) } }
        let hub = ViewerHub(limit: 1)
        let page = hub.join()?.number
        let (changes, continuation) = AsyncStream<Void>.makeStream()
        let link = DaemonLink(socketPath: daemon.path, hub: hub, log: log) { continuation.yield() }
        #expect(page != nil && link.start())
        for await _ in changes where link.problem != nil { break }
        let problem = link.problem ?? ""
        #expect(problem.hasPrefix("\(daemon.path): access is denied: the socket is for members of group "))
        #expect(problem.contains("; run `sudo usermod -aG ") && !problem.contains("start posed"), "\(problem)")
        link.stop()
    }

    @Test func aUserWithoutRightsIsToldTheGroup() async {
        // GIVEN a socket that only a group may use WHEN a user who is not in it opens the page THEN the problem names
        // the group, and does not say that posed has to be started; the user is that of the process
        await #expect(processExitsWith: .success) { try await DaemonLinkTests.connectWithoutRights() }
    }

    @Test func aDaemonThatDoesNotRunIsToldWithTheRemedy() async throws {
        // GIVEN an open page WHEN there is no socket THEN the problem says what to start
        let hub = ViewerHub(limit: 1)
        _ = try #require(hub.join())
        let (changes, continuation) = AsyncStream<Void>.makeStream()
        let link = DaemonLink(socketPath: "/nowhere/stream", hub: hub, log: Self.log) { continuation.yield() }
        #expect(link.start())
        defer { link.stop() }
        for await _ in changes where link.problem != nil { break }
        #expect(
            link.problem
                == "/nowhere/stream: the socket does not exist; start posed (sudo systemctl start posed), or name its "
                + "folder (--folder)")
    }

    /// WHEN a page sends a command THEN its answer goes to that page alone, and events and frames to all
    private func passesCommands(
        _ link: DaemonLink, _ daemon: TwoConnections, _ mailbox: Mailbox, _ number: UInt64
    ) async throws {
        let command = #"{"cmd":"ping","id":"\#(number):5"}"#
        #expect(link.send(command))
        var heard = daemon.heard(.surroundings)
        // One comes every two seconds, also while other tests run.
        for _ in 0..<1000 where heard.contains(#""status""#) { heard = daemon.heard(.surroundings) }
        #expect(heard == command)
        let answer = #"{"type":"reply","cmd":"ping","id":"\#(number):5","ok":true}"#
        daemon.say(answer, .surroundings)
        #expect(await next(mailbox) == answer)
        for id in ["99:5", "\(number)", "x:5"] {
            daemon.say(#"{"type":"reply","cmd":"ping","id":"\#(id)","ok":true}"#, .surroundings)
        }
        let event = #"{"type":"event","t_s":1,"event":"reset","reset_count":3}"#
        daemon.say(event, .surroundings)
        #expect(await next(mailbox) == event)
        for line in [#"{"type":"frame","seq":1}"#, #"{"type":"maneuver","route_version":1}"#, #"{"type":"route"}"#] {
            daemon.say(line, .frames)
            #expect(await next(mailbox) == line)
        }
        // AND the connection for frames has asked for nothing but them
        #expect(!daemon.hasMore(.frames))
    }
}

/// A daemon with two connections.
private final class TwoConnections: Sendable {
    enum Purpose { case frames, surroundings }

    let path: String
    private let listener: Int32
    private let connections = Mutex<(frames: Int32, surroundings: Int32)>((-1, -1))

    struct Failure: Error {}

    init() throws {
        path = "/tmp/posed-link-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let (listener, path) = (listener, path)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isListening = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(listener, 4) == 0
            }
        }
        guard isListening else { throw Failure() }
        Self.limitWaits(listener)
    }

    deinit {
        end()
        close(listener)
    }

    /// A deadline that only ends what hangs.
    private static func limitWaits(_ descriptor: Int32) {
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Accepts both connections and greets them; the subscription tells which is which.
    func accept() {
        for _ in 0..<2 {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else {
                Issue.record("no connection")
                return
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            Self.limitWaits(descriptor)
            Self.send("{\"type\":\"hello\",\"release\":\"test\"}", descriptor)
            // The subscription is read again by the test.
            var bytes = [UInt8](repeating: 0, count: 512)
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_PEEK))
            let isFrames = String(decoding: bytes[..<max(count, 0)], as: UTF8.self).contains("\"pose\"")
            connections.withLock { if isFrames { $0.frames = descriptor } else { $0.surroundings = descriptor } }
        }
    }

    private func descriptor(_ purpose: Purpose) -> Int32 {
        connections.withLock { purpose == .frames ? $0.frames : $0.surroundings }
    }

    private static func send(_ line: String, _ descriptor: Int32) {
        let bytes = Array("\(line)\n".utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    func say(_ line: String, _ purpose: Purpose) { Self.send(line, descriptor(purpose)) }

    /// The next line that was received.
    func heard(_ purpose: Purpose) -> String {
        var (bytes, byte) = ([UInt8](), UInt8(0))
        while recv(descriptor(purpose), &byte, 1, 0) == 1, byte != 0x0A { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether the other side ends the connection, after all that it still sends, within a minute.
    func ends(_ purpose: Purpose) -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        var byte: UInt8 = 0
        while ContinuousClock.now < deadline {
            let count = recv(descriptor(purpose), &byte, 1, 0)
            guard count == 1 else { return count == 0 || errno == ECONNRESET }
        }
        return false
    }

    /// Whether more has come than was heard.
    func hasMore(_ purpose: Purpose) -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor(purpose), &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 1
    }

    /// Closes everything.
    func end() {
        connections.withLock { open in
            for descriptor in [open.frames, open.surroundings] where descriptor >= 0 { close(descriptor) }
            open = (-1, -1)
        }
        shutdown(listener, Int32(SHUT_RDWR))
        unlink(path)
    }
}
