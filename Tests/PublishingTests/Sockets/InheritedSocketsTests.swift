import Glibc
import Testing

@testable import Publishing

/// Cases that depend only on the environment. The integration tests cover real descriptors with systemd's launcher.
@Suite struct InheritedSocketsTests {
    @Test(arguments: [
        [:], ["LISTEN_PID": "8", "LISTEN_FDS": "2"], ["LISTEN_PID": "7"], ["LISTEN_PID": "7", "LISTEN_FDS": "0"],
        ["LISTEN_FDS": "2"],
    ])
    func nothingWasHandedOver(environment: [String: String]) throws {
        #expect(try InheritedSockets.take(environment: environment, process: 7) == InheritedSockets())
    }

    @Test func theFirstDescriptorIsThatBehindTheStandardOnes() {
        // sd_listen_fds(3): SD_LISTEN_FDS_START is 3.
        #expect(InheritedSockets.firstDescriptor == 3)
    }

    @Test(arguments: ["x", "-1", "65", "99999999999"]) func aCountThatIsNoneIsSaid(count: String) {
        let fault = #expect(throws: InheritedSocketFault.self) {
            try InheritedSockets.take(environment: ["LISTEN_PID": "7", "LISTEN_FDS": count], process: 7)
        }
        #expect(fault == .count(count))
        #expect(
            fault?.description == "`\(count)` is not a number from 0 to 64; start posed by systemd, or unset LISTEN_FDS"
        )
    }
}
