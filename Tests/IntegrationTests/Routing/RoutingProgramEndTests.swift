import CSystem
import Foundation
import Glibc
import Testing

/// How the program posed-routing ends, by itself, whatever its other end says.
@Suite struct RoutingProgramEndTests {
    /// A call of a URL in bytes (docs of the records in RoutingProtocol): no body, no agent, proxy and authority, at
    /// most ten seconds and a hundred bytes.
    private static func call(_ url: String) -> [UInt8] {
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let none = [UInt8](repeating: 0xFF, count: 4)
        let payload =
            number(url.utf8.count) + Array(url.utf8) + none + number(0) + none + none + number(10_000) + number(100)
        return Array("PR".utf8) + [1, 1] + number(payload.count) + payload
    }

    /// The exit code and the answer of the program after these bytes, and the end of what is said to it.
    private func outcome(_ bytes: [UInt8]) throws -> (exitCode: Int32?, answer: [UInt8]) {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        // This only ends what hangs.
        var longest = timeval(tv_sec: 600, tv_usec: 0)
        setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &longest, socklen_t(MemoryLayout<timeval>.size))
        let process = try ExternalProgram.start("posed-routing", [], input: .descriptor(ends[1]))
        close(ends[1])
        _ = send(ends[0], bytes, bytes.count, Int32(MSG_NOSIGNAL))
        shutdown(ends[0], Int32(SHUT_WR))
        var (answer, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while true {
            let count = recv(ends[0], &chunk, chunk.count, 0)
            guard count > 0 else { break }
            answer += chunk[..<count]
        }
        process.waitUntilExit()
        return (process.exitCode, answer)
    }

    @Test func withoutASocketItSaysHowItIsStarted() throws {
        let result = try ExternalProgram.run("posed-routing")
        #expect(result.exitCode == 64 && result.output.isEmpty)
        #expect(
            result.errors == "posed-routing: must be started by posed or systemd, with a socket as standard input\n")
    }

    @Test func withoutARequestItEndsAtOnce() throws {
        // GIVEN nothing, a part of a request, and what is no single request WHEN the other end goes THEN the program
        // ends by itself, not by its alarm, and says nothing
        let call = Self.call("http://127.0.0.1:1/")
        let report =
            Array("PR".utf8) + [1, 3, 12] + [UInt8](repeating: 0, count: 7) + [200] + [UInt8](repeating: 0, count: 7)
        for bytes in [[], Array(call.dropLast()), Array("no record".utf8), call + call, report] {
            let found = try outcome(bytes)
            #expect(found.exitCode == 65 && found.answer.isEmpty, "\(bytes.count) bytes")
        }
    }
}
