import PoseMath
import Testing

@testable import GpsdReports
@testable import SensorInterface
@testable import Sensors

/// A receiver that reports jamming.
@Suite struct InterferenceDetectorTests {
    private func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    @Test func jammingStartsAfterOneSecondAndEndsAfterFive() {
        // GIVEN an indicator that rises above 200 WHEN it stays there for one second THEN the receiver counts as jammed
        var watch = InterferenceDetector()
        var states: [Bool] = []
        for (second, indicator) in [(0.0, 30), (1, 210), (1.5, 180), (2, 230), (2.5, 230), (3, 255)]
            as [(Double, UInt16)]
        {
            states.append(watch.update(indicator, at: time(second)))
        }
        #expect(states == [false, false, false, false, false, true])
        // WHEN it falls, but not below 150 or not for five seconds THEN the receiver stays jammed
        for second in 4...8 {
            let jammed = watch.update(second == 6 ? 160 : 100, at: time(Double(second)))
            #expect(jammed)
        }
        var last = true
        for second in 9...13 { last = watch.update(100, at: time(Double(second))) }
        #expect(!last)
    }

    @Test func aReceiverWithoutIndicatorIsNotJammed() {
        var watch = InterferenceDetector()
        for second in 0...3 { _ = watch.update(255, at: time(Double(second))) }
        #expect(watch.isJammed)
        // WHEN the indicator is missing for longer than ten seconds THEN the last one is ignored
        let soon = watch.update(nil, at: time(9))
        let late = watch.update(nil, at: time(14))
        #expect(soon && !late)
    }

    @Test func theIndicatorIsParsed() throws {
        // GIVEN reports in the form of gpsd 3.25 and of 3.22; the other fields are read in both
        let parser = GpsdParser()
        func fix(_ line: String) -> GpsdFix? {
            guard case .fix(let fix) = parser.parse(Array(line.utf8)[...]) else { return nil }
            return fix
        }
        let jammed = try #require(
            fix(#"{"class":"TPV","device":"/dev/a","mode":3,"lat":48.5,"ant":2,"jam":217,"lon":9.5}"#))
        #expect(jammed.jammingIndicator == 217 && jammed.latitudeDegrees == 48.5 && jammed.longitudeDegrees == 9.5)
        #expect(
            try #require(fix(#"{"class":"TPV","device":"/dev/a","mode":3,"lat":48.5,"lon":9.5}"#)).jammingIndicator
                == nil)
        #expect(
            fix(#"{"class":"TPV","device":"/dev/a","mode":3,"jam":99999,"lat":48.5,"lon":9.5}"#)?.jammingIndicator
                == nil)
        #expect(
            fix(#"{"class":"TPV","device":"/dev/a","mode":3,"jam":-1,"lat":48.5,"lon":9.5}"#)?.jammingIndicator == nil)
    }

    @Test func fixesOfAJammedReceiverAreMarkedAndCounted() {
        // GIVEN a receiver that is jammed from the third second on
        var pipeline = GPSPipeline(settings: GPSSettings())
        var marks: [Bool] = []
        for second in 1...9 {
            guard case .fix(var fix) = GPSPipelineTests.fix(Double(second)) else { return }
            fix.jammingIndicator = second < 3 ? 20 : 240
            marks += pipeline.ingest(.fix(fix), at: GPSPipelineTests.arrival(Double(second) + 0.1)).map(\.isInterfered)
        }
        // THEN its fixes are delivered with a mark, and counted, one second later; the status gives the reason
        #expect(marks.suffix(3) == [true, true, true] && marks.first == false)
        #expect(pipeline.counts[.interference] == UInt64(marks.count { $0 }))
        #expect(pipeline.isJammed)
    }

    @Test func jammingThatTakesTheFixIsReportedUntilTheReceiverFallsSilent() {
        // GIVEN a receiver with a fix, which jamming takes from the second second on
        var pipeline = GPSPipeline(settings: GPSSettings())
        func marks(_ second: Double, mode: Int32, indicator: UInt16) -> [Bool] {
            guard case .fix(var fix) = GPSPipelineTests.fix(second) else { return [] }
            (fix.mode, fix.jammingIndicator) = (mode, indicator)
            let fixes = pipeline.ingest(.fix(fix), at: GPSPipelineTests.arrival(second))
            return (fixes + pipeline.expire(at: GPSPipelineTests.arrival(second + 0.9).monotonic)).map(\.isInterfered)
        }
        func isShown(_ second: Double) -> Bool {
            pipeline.receiverStatus(at: GPSPipelineTests.arrival(second).monotonic).isJammed
        }
        let first = marks(1, mode: 3, indicator: 20)
        #expect(first == [false])
        // WHEN it lasts for a second THEN it is shown, and counted beside the missing fix
        let isJammed = (2...5).map { second in
            _ = marks(Double(second), mode: 1, indicator: 240)
            return pipeline.isJammed
        }
        #expect(isJammed == [false, true, true, true] && isShown(5))
        #expect(pipeline.counts[.interference] == 3 && pipeline.counts[.noFix] == 4)
        // WHEN the receiver falls silent THEN it is shown no longer
        pipeline.receiverFellSilent()
        #expect(!pipeline.isJammed && !isShown(6))
        // WHEN it comes back with a fix, and is still jammed THEN that fix is marked at once
        let last = marks(20, mode: 3, indicator: 240)
        #expect(last == [true] && pipeline.isJammed && isShown(21))
    }
}
