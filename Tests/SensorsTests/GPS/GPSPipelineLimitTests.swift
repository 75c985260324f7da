import Measurements
import PoseMath
import Testing

@testable import GpsdReports
@testable import SensorInterface
@testable import Sensors

/// Which receiver is listened to, and from when on, at the limits.
@Suite struct GPSPipelineLimitTests {
    private var pipeline = GPSPipeline(settings: GPSSettings())

    private func arrival(_ second: Double) -> ArrivalTime { GPSPipelineTests.arrival(second) }

    /// Takes a fix of a receiver that arrives when it is valid; whether it came out.
    private mutating func takes(_ device: String, _ second: Double, mode: Int32 = 3, isTimed: Bool = true) -> Bool {
        guard case .fix(var fix) = GPSPipelineTests.fix(second, device: device) else { return false }
        fix.mode = mode
        if !isTimed { fix.utcNanoseconds = nil }
        let fixes = pipeline.ingest(.fix(fix), at: arrival(second))
        return !(fixes + pipeline.expire(at: arrival(second + 0.9).monotonic)).isEmpty
    }

    private var leadersDriver: String? { pipeline.receiverStatus(at: arrival(1).monotonic).driver }

    @Test mutating func aReceiverLeadsForFiveSecondsWithoutAFix() {
        // GIVEN a receiver whose last fix came out 0.9 s after its arrival at the latest WHEN another one has a fix
        // five seconds after that THEN it is not used; it is a millisecond later
        let isFirst = takes("/dev/a", 1)
        let last = pipeline.lastFix?.arrivalTime.seconds ?? 0
        #expect(isFirst && (1...2).contains(last))
        let isEarly = takes("/dev/b", last + 5)
        #expect(!isEarly && pipeline.leadingDevice == "/dev/a" && pipeline.counts[.otherDevice] == 1)
        // A report without a fix does not lead.
        let hasNone = takes("/dev/b", last + 5.0005, mode: 1)
        #expect(!hasNone && pipeline.leadingDevice == "/dev/a" && pipeline.counts[.otherDevice] == 2)
        #expect(pipeline.counts[.noFix] == 0)
        let isLater = takes("/dev/b", last + 5.001)
        #expect(isLater && pipeline.leadingDevice == "/dev/b" && pipeline.counts[.otherDevice] == 2)
        // AND the first one is now the other
        let isBack = takes("/dev/a", last + 6)
        #expect(!isBack && pipeline.counts[.otherDevice] == 3)
        let isWithoutFix = takes("/dev/b", last + 7, mode: 1)
        #expect(!isWithoutFix && pipeline.counts[.noFix] == 1 && pipeline.isListening(to: "/dev/b"))
    }

    @Test mutating func aReceiverHasNoTimeAfterThreeSeconds() {
        // GIVEN a receiver without a time THEN its fixes are used from more than three seconds on; WHEN it then has a
        // time THEN three seconds begin anew
        let begin = [0.0, 1.5, 3].map { takes("/dev/a", $0, isTimed: false) }
        #expect(begin == [false, false, false] && pipeline.counts[.timeMissing] == 3)
        let isUsed = takes("/dev/a", 3.001, isTimed: false)
        #expect(isUsed && pipeline.counts[.timeMissing] == 3)
        let isTimed = takes("/dev/a", 5)
        let then = [6.0, 8].map { takes("/dev/a", $0, isTimed: false) }
        #expect(isTimed && then == [false, false] && pipeline.counts[.timeMissing] == 5)
        let again = takes("/dev/a", 8.001, isTimed: false)
        #expect(again && pipeline.counts[.timeMissing] == 5)
    }

    @Test mutating func thatOneHasNoTimeSaysNothingOfAnother() {
        // GIVEN a receiver that never has a time and falls silent WHEN another one leads, whose first report of an
        // epoch has none THEN that one is left out, and the one with the time is used
        let first = [0.0, 3.1].map { takes("/dev/a", $0, isTimed: false) }
        #expect(first == [false, true] && pipeline.counts[.timeMissing] == 1)
        pipeline.receiverFellSilent()
        let begin = takes("/dev/b", 10, isTimed: false)
        #expect(!begin && pipeline.leadingDevice == "/dev/b" && pipeline.counts[.timeMissing] == 2)
        let isTimed = takes("/dev/b", 10.2)
        #expect(isTimed && pipeline.lastFix?.utcNanoseconds != nil)
    }

    @Test mutating func onlyTheReceiverOfTheSettingsIsListenedTo() {
        // GIVEN settings that name a receiver THEN only that one, and one without a name, are used
        var settings = GPSSettings()
        settings.device = "/dev/b"
        pipeline = GPSPipeline(settings: settings)
        #expect(pipeline.isListening(to: "/dev/b") && pipeline.isListening(to: "") && !pipeline.isListening(to: "/a"))
        let isOther = takes("/dev/a", 1)
        let isWanted = takes("/dev/b", 2)
        #expect(!isOther && isWanted && pipeline.counts[.otherDevice] == 1 && pipeline.leadingDevice == "/dev/b")
        #expect(!pipeline.isListening(to: ""))
    }

    @Test mutating func satellitesAndAttitudeAreThoseOfTheLeader() {
        // GIVEN a leading receiver WHEN it and another one tell satellites and attitude THEN those of the other are
        // left out, and what a report does not tell stays
        let first = GpsdSky(devicePath: "/dev/b", satellitesVisible: 9, satellitesUsed: 5)
        _ = pipeline.ingest(.sky(first), at: arrival(0))
        #expect(pipeline.satellites == (5, 9))
        _ = takes("/dev/a", 1)
        #expect(pipeline.satellites == (nil, nil))
        _ = pipeline.ingest(.sky(first), at: arrival(1))
        let own = GpsdSky(devicePath: "/dev/a", satellitesVisible: 9, satellitesUsed: 5)
        _ = pipeline.ingest(.sky(own), at: arrival(1))
        _ = pipeline.ingest(.sky(GpsdSky(devicePath: "/dev/a", satellitesUsed: 7)), at: arrival(1))
        #expect(pipeline.satellites == (7, 9))
        _ = pipeline.ingest(
            .sky(GpsdSky(devicePath: "/dev/b", satellitesVisible: 1, satellitesUsed: 1)), at: arrival(1))
        #expect(pipeline.satellites == (7, 9))
        for (device, heading) in [("/dev/b", 10.0), ("/dev/a", 20), ("/dev/b", 30)] {
            var attitude = GpsdAttitude()
            (attitude.devicePath, attitude.headingDegrees) = (device, heading)
            (attitude.pitchDegrees, attitude.rollDegrees) = (180, -180.1)
            _ = pipeline.ingest(.attitude(attitude), at: arrival(2))
        }
        // An attitude is shown for five seconds; a pitch up to 180 degrees is one.
        for (age, isShown) in [(5.0, true), (5.001, false)] {
            let status = pipeline.receiverStatus(at: arrival(2 + age).monotonic)
            #expect(status.headingDegrees == (isShown ? 20 : nil) && status.pitchDegrees == (isShown ? 180 : nil))
            #expect(status.rollDegrees == nil && status.device == "/dev/a")
        }
        // AND a receiver that fell silent has told nothing
        pipeline.receiverFellSilent()
        #expect(pipeline.satellites == (nil, nil) && pipeline.leadingDevice == nil)
        #expect(pipeline.receiverStatus(at: arrival(2).monotonic).headingDegrees == nil)
    }

    @Test(arguments: [("/dev/a", 12, 1.0), ("/dev/b", nil, nil)] as [(String, UInt16?, Double?)])
    mutating func whatAnotherHasToldIsNotTheLeaders(heard: String, satellites: UInt16?, heading: Double?) {
        // GIVEN satellites and a heading of a receiver while none leads WHEN a receiver has its first fix, and again
        // after a silence THEN that has them only if they are its own
        var attitude = GpsdAttitude()
        (attitude.devicePath, attitude.headingDegrees) = (heard, 180 / Double.pi)
        let sky = GpsdSky(devicePath: heard, satellitesVisible: 15, satellitesUsed: 12)
        for second in [1.0, 11] {
            _ = pipeline.ingest(.sky(sky), at: arrival(second - 0.2))
            _ = pipeline.ingest(.attitude(attitude), at: arrival(second - 0.1))
            let isUsed = takes("/dev/a", second)
            #expect(isUsed && pipeline.lastFix?.satellitesUsed == satellites)
            let found = pipeline.lastFix?.headingTrueRadians
            #expect(heading.map { abs((found ?? 0) - $0) < 1e-9 } ?? (found == nil), "\(String(describing: found))")
            pipeline.receiverFellSilent()
        }
    }

    @Test mutating func theCycleAndTheDriverAreThoseOfTheLeader() {
        // GIVEN what gpsd says of its receivers, before and after one leads THEN the cycle is that of the last one, and
        // then that of the leader
        func device(_ path: String, _ cycle: Double?) -> GpsdReport {
            .device(GpsdDevice(path: path, driver: "driver of \(path)", cycleSeconds: cycle))
        }
        _ = pipeline.ingest(device("/dev/b", 0.2), at: arrival(0))
        #expect(pipeline.cycleSeconds == 0.2)
        _ = takes("/dev/a", 1)
        for (path, cycle, expected) in [("/dev/b", 0.5, 0.2), ("/dev/a", 0.25, 0.25), ("/dev/a", nil, 0.25)] {
            _ = pipeline.ingest(device(path, cycle), at: arrival(1))
            #expect(pipeline.cycleSeconds == expected, "\(path)")
        }
        #expect(leadersDriver == "driver of /dev/a")
        // WHEN 63 others are named THEN the leader's driver is known; one more, and all are forgotten
        for number in 0..<63 { _ = pipeline.ingest(device("/dev/x\(number)", nil), at: arrival(1)) }
        #expect(leadersDriver == "driver of /dev/a")
        _ = pipeline.ingest(.device(GpsdDevice(path: "/dev/y")), at: arrival(1))
        #expect(leadersDriver == nil)
    }

    @Test(
        arguments: [
            (0, 0, 0, 0), (-1024 * 7 * 86_400, 0, 1, 0), (-2048 * 7 * 86_400, nil, 0, 1), (1024 * 7 * 86_400, 0, 1, 0),
        ] as [(Int64, Int64?, UInt64, UInt64)])
    mutating func aDateIsCorrectedOrCounted(offset: Int64, expected: Int64?, rolled: UInt64, implausible: UInt64) {
        // GIVEN a receiver whose date is off by some weeks, on a machine that knows the date THEN 1024 weeks are
        // corrected, and 2048 give no date
        guard case .fix(var fix) = GPSPipelineTests.fix(0) else { return }
        fix.utcNanoseconds = GPSPipelineTests.start + offset * 1_000_000_000
        var fixes = pipeline.ingest(.fix(fix), at: arrival(0))
        fixes += pipeline.expire(at: arrival(0.9).monotonic)
        #expect(fixes.map(\.utcNanoseconds) == [expected.map { GPSPipelineTests.start + $0 * 1_000_000_000 }])
        #expect(pipeline.counts[.weekRollover] == rolled && pipeline.counts[.dateImplausible] == implausible)
    }
}
