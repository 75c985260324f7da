import PoseMath
import SensorInterface
import Testing

@testable import GpsdReports
@testable import Sensors

/// What reports of one epoch have together, and the heading of an attitude.
@Suite struct GpsdReportTests {
    @Test func aLaterReportAddsWhatItHas() {
        // GIVEN a report with every second quantity, and a later one with the others and some again
        var (first, later, expected) = (GpsdFix(), GpsdFix(), GpsdFix())
        for (number, quantity) in GpsdFix.quantities.enumerated() {
            let (old, new) = (Double(number) + 1, Double(number) + 101)
            if number % 2 == 0 { first[keyPath: quantity] = old }
            if number % 3 != 0 { later[keyPath: quantity] = new }
            expected[keyPath: quantity] = number % 3 != 0 ? new : number % 2 == 0 ? old : nil
        }
        (first.mode, first.status, first.jammingIndicator, first.devicePath) = (3, 2, 40, "/dev/a")
        (later.mode, later.status, later.devicePath) = (2, 0, "/dev/a")
        (expected.mode, expected.status, expected.jammingIndicator, expected.devicePath) = (3, 2, 40, "/dev/a")
        // WHEN they are merged THEN the newer values hold, mode and method do not get less, and nothing is lost
        first.merge(later)
        #expect(first == expected)
        (later.mode, later.status, later.jammingIndicator) = (3, 4, 50)
        first.merge(later)
        #expect(first.status == 4 && first.jammingIndicator == 50)
        var flat = GpsdFix()
        flat.mode = 2
        flat.merge(later)
        #expect(flat.mode == 3)
    }

    @Test func theContentHasABitForEachQuantity() {
        // GIVEN reports with one quantity each THEN no two have the same content, and the lowest bit tells the height
        var contents: [UInt32] = []
        for quantity in GpsdFix.quantities {
            var fix = GpsdFix()
            (fix.mode, fix[keyPath: quantity]) = (2, 1)
            contents.append(fix.content)
        }
        #expect(contents == GpsdFix.quantities.indices.map { 2 << UInt32($0) })
        var high = GpsdFix()
        #expect(high.content == 0)
        high.mode = 3
        #expect(high.content == 1)
        high.mode = 4
        #expect(high.content == 1)
    }

    @Test(
        arguments: [
            (0, 1, 0, nil), (0, 0, 1, nil), (0, nil, 0, nil), (0, 0, 0, .headingZero), (360, 0, 0, nil),
            (360.01, 0, 0, .headingOutOfRange), (-0.01, 1, 1, .headingOutOfRange),
            (.infinity, 1, 1, .headingOutOfRange),
        ] as [(Double, Double?, Double?, GPSRejection?)])
    func aHeadingIsWithinATurn(heading: Double, pitch: Double?, roll: Double?, reason: GPSRejection?) {
        var attitude = GpsdAttitude()
        (attitude.headingDegrees, attitude.pitchDegrees, attitude.rollDegrees) = (heading, pitch, roll)
        #expect(attitude.usableHeading() == reason.map { .failure($0) } ?? .success(heading))
        attitude.isMagnetic = true
        #expect(attitude.usableHeading() == .failure(.headingMagnetic))
        #expect(GpsdAttitude().usableHeading() == nil)
    }

    @Test func rejectionsAreListedInOneOrder() {
        // GIVEN counts in any order THEN those above zero are listed in the order of the reasons
        var counts = GPSRejectionCounts()
        for reason in GPSRejection.allCases.reversed() { counts.add(reason) }
        counts.add(.noFix, times: 4)
        counts.add(.noFix, times: 0)
        #expect(counts.all.map(\.reason) == GPSRejection.allCases.map(\.rawValue))
        #expect(counts[.noFix] == 5 && counts.all.filter { $0.count != 1 }.map(\.count) == [5])
        var some = GPSRejectionCounts()
        some.add(.interference, times: 0)
        #expect(some.all.isEmpty && some[.interference] == 0)
    }

    @Test(arguments: [
        (UInt16(199), false), (200, true),
    ])
    func jammingBeginsAtTheIndicatorOf200(indicator: UInt16, isJammed: Bool) {
        func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }
        var detector = InterferenceDetector()
        // GIVEN an indicator near the limit WHEN it lasts for a second THEN 200 is jamming, from the second on
        let states = [0, 999, 1000].map { detector.update(indicator, at: at($0)) }
        #expect(states == [false, false, isJammed])
        guard isJammed else { return }
        // WHEN it falls to 150 THEN nothing ends; WHEN it is 149 for five seconds THEN the jamming is over
        let above = [1500, 9000].map { detector.update(150, at: at($0)) }
        let below = [9500, 14_499, 14_500].map { detector.update(149, at: at($0)) }
        #expect(above == [true, true] && below == [true, true, false])
        // WHEN it is jammed again, and the indicator is missing for ten seconds THEN only after more it is over
        _ = [15_000, 16_000].map { detector.update(255, at: at($0)) }
        let missing = [26_000, 26_001].map { detector.update(nil, at: at($0)) }
        #expect(missing == [true, false])
    }

    @Test(arguments: [
        (#"{"class":"TPV","device":"/dev/a","mode":3,"jam":9999,"lat":1,"lon":2}"#, UInt16(9999)),
        (#"{"class":"TPV","jamming":1,"mode":3,"jam":0,"lat":1,"lon":2}"#, 0),
    ])
    func anIndicatorOfFourDigitsIsRead(line: String, indicator: UInt16) {
        guard case .fix(let fix) = GpsdParser().parse(Array(line.utf8)[...]) else {
            Issue.record("no fix: \(line)")
            return
        }
        #expect(fix.jammingIndicator == indicator)
    }

    @Test(
        arguments: [
            ("0", 0), ("86400", 86_400), ("86400.5", nil), ("-0.5", nil),
        ] as [(String, Double?)])
    func correctionsAreAtMostADayOld(text: String, age: Double?) {
        let line = #"{"class":"TPV","mode":3,"lat":1,"lon":2,"dgpsAge":\#(text),"dgpsSta":65535}"#
        guard case .fix(let fix) = GpsdParser().parse(Array(line.utf8)[...]) else {
            Issue.record("no fix: \(line)")
            return
        }
        #expect(fix.correctionsAgeSeconds == age && fix.correctionsStation == 65_535)
    }

    @Test(
        arguments: [
            ("0.02", 0.02), ("99.5", 99.5), ("100", nil), ("0", nil), ("-1", nil),
        ] as [(String, Double?)])
    func aDilutionIsPositive(text: String, dilution: Double?) {
        let line = #"{"class":"SKY","hdop":\#(text),"nSat":1,"uSat":0}"#
        guard case .sky(let sky) = GpsdParser().parse(Array(line.utf8)[...]) else {
            Issue.record("no report: \(line)")
            return
        }
        #expect(sky.horizontalDilution == dilution)
        #expect(sky.satellitesVisible == 1 && sky.satellitesUsed == 0)
    }

    @Test func deviceCyclesAreSecondsWithTheirFraction() {
        // GIVEN the cycles of two receivers, one closed, and one whose cycle cannot be
        func device(_ rest: String) -> GpsdReport {
            GpsdParser().parse(Array((#"{"class":"DEVICE","path":"/dev/x","driver":"d","# + rest + "}").utf8)[...])
        }
        #expect(
            device(#""activated":"2026-11-21T00:00:00.000Z","cycle":1.5"#)
                == .device(GpsdDevice(path: "/dev/x", driver: "d", isActive: true, cycleSeconds: 1.5)))
        #expect(
            device(#""cycle":0.1"#)
                == .device(GpsdDevice(path: "/dev/x", driver: "d", isActive: false, cycleSeconds: 0.1)))
        #expect(
            device(#""cycle":1000"#)
                == .device(GpsdDevice(path: "/dev/x", driver: "d", isActive: false, cycleSeconds: nil)))
    }
}
