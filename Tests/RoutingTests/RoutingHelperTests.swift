import Foundation
import Platform
import RoutingProtocol
import Testing

@testable import Routing

/// The program that sends a request, played by another one.
@Suite struct RoutingHelperTests {
    /// What comes of a request whose answer has eight bytes, of which so many are allowed.
    private func answer(maximumBytes: UInt32) throws -> Result<RoutingHelper.Answer, RoutingHelper.Failure> {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Programs"
        let helper = RoutingHelper(programPath: "\(folder)/answers-twice-four-bytes")
        let call = RoutingCall(
            url: "http://127.0.0.1:1", agent: "a", limitMilliseconds: 30_000, maximumBytes: maximumBytes)
        do throws(RoutingHelper.Failure) {
            return .success(try helper.perform(call, stop: StopSignal()))
        } catch { return .failure(error) }
    }

    @Test func theProgramHasHalfASecondMoreThanItsRequest() {
        // GIVEN a limit of five seconds THEN the program's own report of it is waited for, half a second longer
        let call = RoutingCall(url: "http://127.0.0.1:1", agent: "a", limitMilliseconds: 5000, maximumBytes: 1)
        #expect(RoutingHelper.patienceSeconds(call) == 5.5)
    }

    @Test func anAnswerHasTheBytesThatAreAllowed() throws {
        // GIVEN an answer in two pieces WHEN all of it is allowed THEN it is whole
        let expected = RoutingHelper.Answer(status: 200, body: Array("abcdefgh".utf8))
        #expect(try answer(maximumBytes: 8).get() == expected)
        #expect(try answer(maximumBytes: 9).get() == expected)
        // WHEN a byte less is THEN the program, which must keep to that, is none of this release
        for bytes in [7, 4, 3] as [UInt32] {
            guard case .failure(.helper(let what, _)) = try answer(maximumBytes: bytes) else {
                Issue.record("\(bytes) bytes")
                continue
            }
            #expect(what == "the program posed-routing uses another protocol version than posed")
        }
    }

    @Test func aProgramIsFoundOnceItIsInstalled() throws {
        // GIVEN a daemon whose program posed-routing is not installed
        let place = FileManager.default.temporaryDirectory.path + "/posed-helper-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: place) }
        for folder in ["bin", "libexec/posed"] {
            try FileManager.default.createDirectory(atPath: "\(place)/\(folder)", withIntermediateDirectories: true)
        }
        var installed = RoutingHelper()
        installed.folder = "\(place)/bin"
        let helper = installed
        let call = RoutingCall(url: "http://127.0.0.1:1", agent: "a", limitMilliseconds: 30_000, maximumBytes: 8)
        let missing = #expect(throws: RoutingHelper.Failure.self) { try helper.perform(call, stop: StopSignal()) }
        let expected = RoutingHelper.Failure.helper(
            "the program posed-routing is neither in ../libexec/posed nor beside posed",
            remedy: "install it, or set routing.program to its path")
        #expect(missing == expected)
        // WHEN it is installed THEN the next request is answered, without a restart of the daemon
        let program =
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Programs/answers-twice-four-bytes"
        // A link, because a file that was just written may still be open in a program that another test starts.
        try FileManager.default.createSymbolicLink(
            atPath: "\(place)/libexec/posed/posed-routing", withDestinationPath: program)
        #expect(try helper.perform(call, stop: StopSignal()).status == 200)
    }

    @Test func aRaisedSignalStartsNothing() {
        let stop = StopSignal()
        stop.raise()
        let call = RoutingCall(url: "http://127.0.0.1:1", agent: "a", limitMilliseconds: 1000, maximumBytes: 1)
        #expect(throws: RoutingHelper.Failure.cancelled) {
            try RoutingHelper(programPath: "/no/such/program").perform(call, stop: stop)
        }
    }
}
