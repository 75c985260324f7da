import Measurements
import PoseMath
import SensorInterface
import Testing

@testable import GpsdReports
@testable import Sensors

/// What single reports do to the fixes and to the counts.
@Suite struct GPSPipelineReportTests {
    private var pipeline = GPSPipeline(settings: GPSSettings())

    private func arrival(_ second: Double) -> ArrivalTime { GPSPipelineTests.arrival(second) }

    /// The fixes of a report, with that of its epoch when it is held no longer.
    private mutating func fixes(_ second: Double, _ change: (inout GpsdFix) -> Void) -> [GnssFix] {
        guard case .fix(var fix) = GPSPipelineTests.fix(second) else { return [] }
        change(&fix)
        let fixes = pipeline.ingest(.fix(fix), at: arrival(second))
        return fixes + pipeline.expire(at: arrival(second + 0.9).monotonic)
    }

    @Test(arguments: [(0, nil), (1, nil), (2, .twoDimensional), (3, .threeDimensional)] as [(Int32, FixMode?)])
    mutating func aFixInTwoDimensionsIsOne(mode: Int32, expected: FixMode?) {
        // GIVEN a receiver that leads WHEN it reports with a mode of gpsd THEN 2 and 3 are fixes, and the others count
        // as none
        let first = fixes(1) { _ in }
        let second = fixes(2) { $0.mode = mode }
        #expect(first.map(\.mode) == [.threeDimensional])
        #expect(second.map(\.mode) == [expected].compactMap { $0 })
        #expect(pipeline.counts[.noFix] == (expected == nil ? 1 : 0))
        #expect(pipeline.acceptedCount == (expected == nil ? 1 : 2))
        // AND a receiver without a fix does not lead
        var other = GPSPipeline(settings: GPSSettings())
        guard case .fix(var fix) = GPSPipelineTests.fix(1) else { return }
        fix.mode = mode
        _ = other.ingest(.fix(fix), at: arrival(1))
        #expect(other.leadingDevice == (expected == nil ? nil : "/dev/a"))
    }

    @Test mutating func aTimeThatIsNoneAndLinesThatAreNoneAreCounted() {
        // GIVEN a receiver whose time is no date, and lines that cannot be read or are too long
        let none = fixes(1) { ($0.utcNanoseconds, $0.hasUnusableTime) = (nil, true) }
        #expect(none.isEmpty && pipeline.counts[.timeUnusable] == 1 && pipeline.counts[.timeMissing] == 1)
        let unsaid = fixes(2) { $0.utcNanoseconds = nil }
        #expect(unsaid.isEmpty && pipeline.counts[.timeUnusable] == 1 && pipeline.counts[.timeMissing] == 2)
        for report in [GpsdReport.unreadable, .other, .error("no"), .unreadable] {
            let fixes = pipeline.ingest(report, at: arrival(3))
            #expect(fixes.isEmpty)
        }
        pipeline.addOverlongLines(0)
        #expect(pipeline.counts[.unreadableLine] == 2 && pipeline.counts[.overlongLine] == 0)
        pipeline.addOverlongLines(3)
        #expect(pipeline.counts[.overlongLine] == 3 && pipeline.acceptedCount == 0 && pipeline.lastFix == nil)
    }

    @Test(arguments: [
        // The limit is 12 m divided by the interval, which counts as 0.02 s at least and as 10 s at most.
        (3.0, 5.9, true), (3, 6.1, false), (21, 1.15, true), (21, 1.25, false), (1.01, 590, true), (1.01, 610, false),
    ])
    mutating func anErrorOfTheSpeedIsJudgedByTheIntervalOfTheFixes(second: Double, error: Double, isOwn: Bool) {
        // GIVEN a fix at 1 s, and a later one with an error of the speed beside one of the position of 10 m THEN the
        // error is that of the receiver (95 %, 1.96 sigmas) up to the limit, and 0.3 m/s stand for a larger one
        let first = fixes(1) { _ in }
        let built = fixes(second) {
            ($0.speedErrorMetersPerSecond, $0.eastErrorMeters, $0.northErrorMeters) = (error, 10, 10)
        }
        #expect(first.count == 1 && built.count == 1)
        let sigma = built.first?.speedSigmaMetersPerSecond ?? 0
        #expect(abs(sigma - (isOwn ? error / 1.959_964 : 0.3)) < 1e-9, "\(sigma)")
    }

    @Test func theReportsOfAnEpochAddToEachOther() {
        // GIVEN the reports of an epoch, of which the later ones say less THEN the best of each is shown
        func at(_ seconds: Double) -> MonotonicTime { arrival(seconds).monotonic }
        var description = ReceiverDescription()
        var fix = FixBuilderTests.good
        (fix.devicePath, fix.utcNanoseconds, fix.mode, fix.status) = ("/dev/a", 1, 2, 2)
        fix.jammingIndicator = 40
        description.note(fix)
        func status() -> ReceiverStatus {
            description.status(driver: "", isJammed: true, used: 1, visible: nil, at: at(0))
        }
        #expect(status().mode == .twoDimensional && status().solution == "dgps" && status().jammingIndicator == 40)
        (fix.mode, fix.status, fix.jammingIndicator) = (3, 3, 50)
        description.note(fix)
        #expect(status().mode == .threeDimensional && status().solution == "rtk_fixed")
        (fix.mode, fix.status, fix.jammingIndicator) = (1, 0, nil)
        description.note(fix)
        #expect(status().mode == .threeDimensional && status().quality == .rtkFixed && status().jammingIndicator == 50)
        #expect(status().driver == nil && status().isJammed && status().satellitesVisible == nil)
        // WHEN the next epoch, or a report without a time, says less THEN that holds
        for utc in [2, nil, nil] as [Int64?] {
            (fix.utcNanoseconds, fix.mode) = (utc, 2)
            description.note(fix)
            #expect(status().mode == .twoDimensional && status().quality == .unknown)
            #expect(status().jammingIndicator == nil && status().device == "/dev/a")
            (fix.mode, fix.status) = (3, 3)
            description.note(fix)
            (fix.mode, fix.status) = (2, 0)
        }
        fix.devicePath = ""
        description.note(fix)
        #expect(status().device == nil)
    }
}

/// The entries of receivers on the board, before their threads run.
@Suite struct GPSSourceEntryTests {
    /// Takes everything.
    private final class Sink: EventSink {
        func send(_ event: SensorEvent) {}
        func send(_ report: SourceReport) {}
    }

    @Test func severalReceiversAreNumberedFromOne() {
        // GIVEN settings with two or three receivers THEN each has its entry, with its rank, its gpsd and its device
        let places = ["gpsd at localhost:2947, /dev/a", "gpsd at box:2950, /dev/b", "gpsd at third:2947"]
        for count in [2, 3] {
            let board = SourceStatusBoard()
            var settings = GPSSettings()
            let receivers = ["/dev/a", "box:2950:/dev/b", "third"].compactMap(GPSReceiverPlace.init)
            settings.receivers = Array(receivers.prefix(count))
            let source = GPSSource(settings: settings, sink: Sink(), board: board)
            #expect(board.statuses.map(\.description.name) == Array(["gps1", "gps2", "gps3"].prefix(count)))
            #expect(board.statuses.map(\.description.place) == Array(places.prefix(count)))
            #expect(board.statuses.compactMap(\.receiver).map(\.rank) == Array(1...count))
            let isInUse = board.statuses.compactMap(\.receiver).map(\.isInUse)
            #expect(isInUse.first == true && !isInUse.dropFirst().contains(true))
            source.stop()
        }
    }

    @Test func oneReceiverHasNoNumber() {
        // GIVEN one receiver, named as a device or by a place THEN its entry is `gps`, and it has no rank
        for receivers in [[], ["box:1"]] {
            let board = SourceStatusBoard()
            var settings = GPSSettings()
            settings.device = "/dev/x"
            settings.receivers = receivers.compactMap(GPSReceiverPlace.init)
            let source = GPSSource(settings: settings, sink: Sink(), board: board)
            let gpsd = receivers.isEmpty ? "localhost:2947" : "box:1"
            let expected = SourceDescription(name: "gps", kind: .gps, place: "gpsd at \(gpsd)")
            #expect(board.statuses.map(\.description) == [expected])
            #expect(board.statuses[0].receiver?.rank == nil && board.statuses[0].receiver?.isInUse == true)
            source.stop()
        }
    }
}
