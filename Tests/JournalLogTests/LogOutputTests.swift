import Glibc
import Logging
import Testing

@testable import JournalLog

@Suite struct LogOutputTests {
    @Test func onlyJournalLinesHavePriorities() throws {
        // GIVEN a stream that JOURNAL_STREAM names, and one that it does not
        let (journal, other) = (try #require(LogPipe()), try #require(LogPipe()))
        let environment = ["JOURNAL_STREAM": journal.identity]
        let marked = LogOutput(descriptor: journal.writeEnd, environment: environment)
        let plain = LogOutput(descriptor: other.writeEnd, environment: environment)
        // WHEN the same line is logged to both
        for output in [marked, plain] {
            output.write(.warning, "gpsd is silent", site: LogSite(file: "a", line: 1))
            output.write(.info, "gpsd is back", site: LogSite(file: "a", line: 2))
        }
        // THEN the journal's line has a priority, the other one a level name
        #expect(journal.text() == "<4>gpsd is silent\n<6>gpsd is back\n")
        #expect(other.text() == "posed: warning: gpsd is silent\nposed: gpsd is back\n")
    }

    @Test func aLoggerUsesItsLevelAndMetadata() throws {
        let pipe = try #require(LogPipe())
        let output = LogOutput(descriptor: pipe.writeEnd, environment: [:], level: .warning)
        var logger = Logger(label: "t") { _ in JournalLogHandler(output: output) }
        logger.info("not this")
        logger.error("this", metadata: ["b": "2", "a": "1"])
        // A reload changes the level of every logger at once.
        output.level = .debug
        logger[metadataKey: "source"] = "gps"
        logger.debug("and this")
        #expect(pipe.text() == "posed: error: this (a: 1, b: 2)\nposed: and this (source: gps)\n")
    }

    @Test func textFromOutsideCannotStartALine() {
        #expect(LogOutput.printable("a\n<0>b\u{1B}[2J\u{0}\tc") == "a <0>b [2J  c")
        #expect(LogOutput.printable(String(repeating: "x", count: 10_000)).count == 900)
    }

    @Test func aBlockedReaderLosesLinesWithoutDelay() throws {
        // GIVEN a pipe without a reader
        let pipe = try #require(LogPipe())
        let output = LogOutput(descriptor: pipe.writeEnd, environment: [:])
        // WHEN more is logged than the pipe holds, each line from another call site; a blocking write would hang here
        for line in 0..<400 {
            output.write(.info, String(repeating: "y", count: 800), site: LogSite(file: "b", line: UInt(line)))
        }
        // THEN complete lines were written, but not all of them
        let lines = pipe.text().split(separator: "\n")
        #expect(lines.count > 10 && lines.count < 400)
        #expect(lines.allSatisfy { $0.count == 807 })
    }
}

@Suite struct LogRateLimitTests {
    @Test func aFloodIsCountedAndSuppressed() {
        var limit = LogRateLimit()
        let site = LogSite(file: "f", line: 1)
        // GIVEN 10 000 lines per second for 10 s from one call site
        var written = 0
        for second in 0..<10 {
            for _ in 0..<10_000 where limit.admit(site, nowSeconds: second) != nil { written += 1 }
        }
        // THEN five are written, and the next one states the exact number of suppressed lines
        #expect(written == 5)
        let suppressed = [limit.admit(site, nowSeconds: 10), limit.admit(site, nowSeconds: 10)]
        #expect(suppressed == [99_995, 0])
    }

    @Test(arguments: [(511, false), (512, true)])
    func theCountsOf512CallSitesAreKept(others: Int, isForgotten: Bool) {
        // GIVEN a call site that has written its five lines WHEN others write, so that there are 512 or 513 THEN it is
        // still limited in the first case, and in the second one all begin anew
        var limit = LogRateLimit()
        let site = LogSite(file: "f", line: 0)
        for _ in 0..<6 { _ = limit.admit(site, nowSeconds: 0) }
        for line in 1...others { _ = limit.admit(LogSite(file: "f", line: UInt(line)), nowSeconds: 1) }
        let admitted = limit.admit(site, nowSeconds: 2)
        #expect(admitted == (isForgotten ? 0 : nil))
    }

    @Test(arguments: [(9, false), (10, true)])
    func aCallSiteMayWriteAgainAfterTenSeconds(seconds: Int, mayWrite: Bool) {
        var limit = LogRateLimit()
        let site = LogSite(file: "f", line: 1)
        let first = (0..<7).map { _ in limit.admit(site, nowSeconds: 100) }
        #expect(first == [0, 0, 0, 0, 0, nil, nil])
        let next = [limit.admit(site, nowSeconds: 100 + seconds), limit.admit(site, nowSeconds: 100 + seconds)]
        #expect(next == (mayWrite ? [2, 0] : [nil, nil]))
    }

    @Test func otherCallSitesAreNotLimited() {
        var limit = LogRateLimit()
        for _ in 0..<100 { _ = limit.admit(LogSite(file: "f", line: 1), nowSeconds: 0) }
        let other = limit.admit(LogSite(file: "f", line: 2), nowSeconds: 0)
        #expect(other == 0)
    }
}

/// A pipe to log to.
private final class LogPipe {
    let readEnd: Int32
    let writeEnd: Int32

    init?() {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0, fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 else { return nil }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Device and inode in the form of JOURNAL_STREAM.
    var identity: String {
        var status = stat()
        fstat(writeEnd, &status)
        return "\(status.st_dev):\(status.st_ino)"
    }

    /// The text written so far.
    func text() -> String {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(readEnd, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: all, as: UTF8.self) }
            all += buffer[..<count]
        }
    }
}
