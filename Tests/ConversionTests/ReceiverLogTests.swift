import Foundation
import Recording
import Testing

@testable import Conversion

/// A receiver's log that gpsd reads.
@Suite struct ReceiverLogTests {
    /// Stands for a gpsd that has sent some reports and has ended.
    private final class EndedGpsd: ReceiverLink {
        let feed: Int32
        let reports: Int32
        private let receiver: Int32

        init(reporting text: String) throws {
            var (feeds, ends): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            try #require(socketpair(AF_UNIX, kind, 0, &feeds) == 0)
            try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
            (feed, receiver, reports) = (feeds[0], feeds[1], ends[0])
            let bytes = Array(text.utf8)
            let count = write(ends[1], bytes, bytes.count)
            close(ends[1])
            try #require(count == bytes.count)
        }

        deinit { for descriptor in [feed, receiver, reports] { close(descriptor) } }
    }

    @Test func aGpsdThatEndsBeforeTheLogIsAnError() throws {
        // GIVEN a gpsd that has reported something, and has ended before it was given the log
        let folder = try TemporaryFolder(["log": "$GPGGA\r\n"])
        let gpsd = try EndedGpsd(reporting: "{\"class\":\"VERSION\"}\n")
        let lines = try ReceiverLogLines(path: "\(folder.path)/log") { _ in gpsd }
        // WHEN it is read THEN its reports are there, and the rest is not left out without a word
        let first = try lines.next()
        #expect(first == Array("{\"class\":\"VERSION\"}".utf8))
        let problem = #expect(throws: RecordingError.self) { try lines.next() }
        #expect(problem?.problem == "gpsd has ended while it read the log")
    }
}
