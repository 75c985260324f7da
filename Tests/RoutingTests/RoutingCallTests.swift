import CSystem
import Foundation
import Geodesy
import Platform
import RoadData
import RoutingProtocol
import Testing

@testable import Routing

/// What the program that sends a request is told, and how it is reached.
@Suite struct RoutingCallTests {
    private static let programs = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Programs"

    @Test(
        arguments: [
            (5.0, 5000), (5.0004, 5000), (5.0006, 5001), (60, 60_000), (60.01, 60_000), (1e9, 60_000),
        ] as [(Double, Int)])
    func aRequestHasTheTimeOfTheSettingsAndTheSizeOfARoute(seconds: Double, milliseconds: Int) throws {
        // GIVEN a program that fails with the limits of its request as the reason WHEN a route is asked for
        let server = try #require(RoutingServer(kind: .osrm, address: "http://127.0.0.1:1"))
        let helper = RoutingHelper(programPath: "\(Self.programs)/answers-its-limits")
        let client = RoutingClient(server: server, limitSeconds: seconds, helper: helper)
        let query = RoutingQuery(
            start: GeodeticPosition(latitudeDegrees: 42.5078, longitudeDegrees: 1.5211),
            destination: GeodeticPosition(latitudeDegrees: 42.5666, longitudeDegrees: 1.597))
        let problem = #expect(throws: RequestProblem.self) { try client.route(query, stop: StopSignal()) }
        // THEN they are the time in milliseconds, a minute at most, and the 64 MB that a route may have
        let limits = "\(milliseconds) ms, 64000000 bytes"
        let what = problem?.what ?? ""
        #expect(what.hasPrefix("the request to 127.0.0.1 port 1 failed (\(limits) "), "\(what)")
    }

    @Test func aLongRequestIsSentWhole() throws {
        // GIVEN a request of a million bytes, more than a socket takes at once, and a program that adds them up
        let call = RoutingCall(
            url: "http://127.0.0.1:1", body: (0..<999_945).map { UInt8($0 % 251) }, agent: "a",
            limitMilliseconds: 30_000, maximumBytes: 100)
        #expect(RoutingRecord.call(call).bytes.count == 1_000_000)
        // WHEN it is sent THEN every byte has arrived in its place
        let helper = RoutingHelper(programPath: "\(Self.programs)/checks-a-million-bytes")
        let answer = try helper.perform(call, stop: StopSignal())
        #expect(answer == RoutingHelper.Answer(status: 200, body: []))
    }

    @Test func aProgramThatListensIsAskedAndNoneIsStarted() throws {
        // GIVEN a socket on which a program listens WHEN a request is made THEN it is that program that answers
        let program = try ListeningProgram([.body([7, 8]), .report(.answered(status: 204))])
        defer { withExtendedLifetime(program) {} }
        let call = RoutingCall(url: "http://127.0.0.1:1", agent: "a", limitMilliseconds: 30_000, maximumBytes: 100)
        let helper = RoutingHelper(socketPath: program.path, programPath: "/no/such/program")
        let answer = try helper.perform(call, stop: StopSignal())
        #expect(answer == RoutingHelper.Answer(status: 204, body: [7, 8]))
        // AND where nobody listens a program is started
        let started = RoutingHelper(
            socketPath: program.path + "-none", programPath: "\(Self.programs)/answers-twice-four-bytes")
        let other = try started.perform(call, stop: StopSignal())
        #expect(other == RoutingHelper.Answer(status: 200, body: Array("abcdefgh".utf8)))
    }
}

/// Stands for posed-routing where the service manager has started it: gives each connection the same answer.
private final class ListeningProgram: Sendable {
    let path: String
    private let folder: String
    private let listener: Int32

    init(_ records: [RoutingRecord]) throws {
        var template = Array("/tmp/posed-listening.XXXXXX".utf8CString)
        let made = mkdtemp(&template).map { String(cString: $0) }
        let folder = try #require(made)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        (self.folder, path, listener) = (folder, folder + "/routing", descriptor)
        let isUp = posed_bind(descriptor, folder + "/routing") == 0 && listen(descriptor, 4) == 0
        try #require(isUp)
        let answer = records.flatMap(\.bytes)
        acceptAll(descriptor) { _ = send($0, answer, answer.count, Int32(MSG_NOSIGNAL)) }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        unlink(path)
        rmdir(folder)
    }
}
