import Foundation
import Measurements
import PoseMath
import Testing

@testable import GpsdReports
@testable import SensorInterface
@testable import Sensors

@Suite struct GPSPipelineTests {
    static let start: Int64 = 1_795_219_200_000_000_000

    static func fix(_ second: Double, device: String = "/dev/a", latitude: Double = 48) -> GpsdReport {
        var fix = FixBuilderTests.good
        fix.devicePath = device
        fix.utcNanoseconds = start + Int64(second * 1e9)
        fix.latitudeDegrees = latitude + 1e-6 * second.truncatingRemainder(dividingBy: 1000)
        return .fix(fix)
    }

    static func arrival(_ second: Double) -> ArrivalTime {
        ArrivalTime(
            monotonic: MonotonicTime(nanoseconds: Int64(second * 1e9)), realtimeNanoseconds: start + Int64(second * 1e9)
        )
    }

    @Test func aFixHasSatellitesDateAndBothTimes() throws {
        var pipeline = GPSPipeline(settings: GPSSettings())
        _ = pipeline.ingest(
            .sky(GpsdSky(devicePath: "/dev/a", satellitesVisible: 19, satellitesUsed: 12)), at: Self.arrival(0))
        var fixes: [GnssFix] = []
        for second in 1...10 {
            fixes += pipeline.ingest(Self.fix(Double(second)), at: Self.arrival(Double(second) + 0.12))
        }
        let fix = try #require(fixes.last)
        #expect(fixes.count == 10)
        #expect(fix.satellitesUsed == 12 && fix.satellitesVisible == 19)
        #expect(fix.utcNanoseconds == Self.start + 10_000_000_000)
        #expect(abs(fix.validityTime.seconds - 10) < 1e-6 && abs(fix.arrivalTime.seconds - 10.12) < 1e-6)
        #expect(pipeline.acceptedCount == 10 && pipeline.counts.all.isEmpty)
    }

    @Test(arguments: [(true, nil), (false, 0.2)] as [(Bool, Double?)])
    func aFixHasTheSigmaOfItsTime(isSynchronized: Bool, sigma: Double?) {
        // GIVEN a system clock that a time service keeps right, or nothing WHEN fixes come THEN each has the sigma of
        // its time, and after the fifth one the clock is not asked again
        var pipeline = GPSPipeline(settings: GPSSettings())
        for second in 1...6 {
            #expect(pipeline.isLatencySettled == (second > 5))
            var arrival = Self.arrival(Double(second) + 0.12)
            arrival.isRealtimeSynchronized = isSynchronized
            let fixes =
                pipeline.ingest(Self.fix(Double(second)), at: arrival)
                + pipeline.expire(at: Self.arrival(Double(second) + 0.9).monotonic)
            #expect(fixes.map(\.timeSigmaSeconds) == [sigma])
        }
    }

    @Test func eachDeviceHasItsNumber() {
        // GIVEN the second gpsd of the settings with two receivers, of which the first one falls silent and comes back
        var pipeline = GPSPipeline(settings: GPSSettings(), place: 1)
        var numbers: [UInt8] = []
        for (second, device) in [(1, "/dev/a"), (2, "/dev/b"), (3, "/dev/a")] {
            numbers += pipeline.ingest(Self.fix(Double(second), device: device), at: Self.arrival(Double(second))).map(
                \.receiver)
            numbers += pipeline.expire(at: Self.arrival(Double(second) + 0.9).monotonic).map(\.receiver)
            pipeline.receiverFellSilent()
        }
        // THEN its fixes have the same number again
        #expect(numbers == [8, 9, 8])
    }

    @Test func theLastNumberIsForAllFurtherDevices() {
        // GIVEN the second gpsd of the settings, with ten receivers that lead one after the other
        var pipeline = GPSPipeline(settings: GPSSettings(), place: 1)
        var numbers: [UInt8] = []
        for second in 1...10 {
            let time = Double(second)
            numbers += pipeline.ingest(Self.fix(time, device: "/dev/\(second)"), at: Self.arrival(time)).map(\.receiver)
            numbers += pipeline.expire(at: Self.arrival(time + 0.9).monotonic).map(\.receiver)
            pipeline.receiverFellSilent()
        }
        // THEN the first seven have numbers of their own, and none has one of the third gpsd, which begins at 16
        #expect(numbers == [8, 9, 10, 11, 12, 13, 14, 15, 15, 15])
    }

    @Test func duplicatesAndStepsBackAreCounted() {
        var pipeline = GPSPipeline(settings: GPSSettings())
        for second in 1...5 { _ = pipeline.ingest(Self.fix(Double(second)), at: Self.arrival(Double(second))) }
        _ = pipeline.ingest(Self.fix(3), at: Self.arrival(5.2))
        _ = pipeline.ingest(Self.fix(5), at: Self.arrival(5.4))
        _ = pipeline.ingest(Self.fix(6), at: Self.arrival(6))
        #expect(pipeline.counts[.timeNotForward] == 1)
        #expect(pipeline.counts[.duplicateEpoch] == 1)
        #expect(pipeline.acceptedCount == 6)
    }

    @Test(arguments: [1, 2, 3]) func aReceiverThatLearnsTheLeapSecondsIsTimedRight(step: Int) {
        // GIVEN a receiver at 1 Hz, 0.12 s late, whose time steps back by a few seconds after two minutes
        var pipeline = GPSPipeline(settings: GPSSettings())
        var fixes: [GnssFix] = []
        for second in 1...240 {
            let stated = Double(second < 120 ? second : second - step)
            fixes += pipeline.ingest(Self.fix(stated), at: Self.arrival(Double(second) + 0.12))
        }
        // THEN its fixes are valid 0.12 s before they arrive, from half a minute after the step on
        let errors = fixes.filter { $0.arrivalTime >= Self.arrival(155).monotonic }.map {
            $0.arrivalTime.seconds(since: $0.validityTime) - 0.12
        }
        #expect(errors.count == 86 && errors.allSatisfy { abs($0) < 0.02 }, "\(errors)")
    }

    @Test(arguments: [Int64(-1), 1])
    func aRolledOverDateIsPutRightAndCounted(turns: Int64) throws {
        var pipeline = GPSPipeline(settings: GPSSettings())
        let wrong = Double(turns) * Double(ReceiverDate.periodNanoseconds) * 1e-9
        var fixes: [GnssFix] = []
        for second in 1...4 {
            fixes += pipeline.ingest(Self.fix(Double(second) + wrong), at: Self.arrival(Double(second) + 0.1))
        }
        // a double represents such times to 128 ns
        #expect(abs((fixes.last?.utcNanoseconds ?? 0) - (Self.start + 4_000_000_000)) < 200)
        #expect(pipeline.counts[.weekRollover] == 4)
    }

    @Test func anotherReceiverIsUsedOnlyAfterTheFirstFails() {
        var pipeline = GPSPipeline(settings: GPSSettings())
        for second in 1...5 {
            _ = pipeline.ingest(Self.fix(Double(second)), at: Self.arrival(Double(second)))
            #expect(
                pipeline.ingest(
                    Self.fix(Double(second) + 0.5, device: "/dev/b"), at: Self.arrival(Double(second) + 0.5)
                ).isEmpty)
        }
        #expect(pipeline.leadingDevice == "/dev/a" && pipeline.counts[.otherDevice] == 5)
        // WHEN the first has no fix for 5 s
        var noFix = GpsdFix()
        noFix.mode = 1
        noFix.devicePath = "/dev/a"
        for second in 6...11 {
            _ = pipeline.ingest(.fix(noFix), at: Self.arrival(Double(second)))
            _ = pipeline.ingest(
                Self.fix(Double(second) + 0.5, device: "/dev/b"), at: Self.arrival(Double(second) + 0.5))
        }
        // THEN the other receiver becomes the leading one
        #expect(pipeline.leadingDevice == "/dev/b")
    }

    @Test func aReceiverThatRepeatsItsPositionGivesWayToAnother() {
        var pipeline = GPSPipeline(settings: GPSSettings())
        // GIVEN a receiver that repeats one position while it states a speed, and another one with a fix
        var passed = 0
        for second in 1...10 {
            guard case .fix(var stuck) = Self.fix(Double(second)) else { continue }
            (stuck.latitudeDegrees, stuck.speedMetersPerSecond) = (48, 10)
            passed += pipeline.ingest(.fix(stuck), at: Self.arrival(Double(second))).count
            _ = pipeline.ingest(
                Self.fix(Double(second) + 0.5, device: "/dev/b"), at: Self.arrival(Double(second) + 0.5))
        }
        // THEN its fixes are counted and go on to the estimator, and after five seconds the other one leads
        #expect(passed >= 5 && pipeline.counts[.positionStuck] >= 4)
        #expect(pipeline.leadingDevice == "/dev/b")
    }

    @Test func aReceiverWithoutTimeIsUsedAfterThreeSeconds() {
        var pipeline = GPSPipeline(settings: GPSSettings())
        var fixes: [GnssFix] = []
        for second in 0..<10 {
            guard case .fix(var fix) = Self.fix(Double(second)) else { continue }
            fix.utcNanoseconds = nil
            fixes += pipeline.ingest(.fix(fix), at: Self.arrival(Double(second)))
            fixes += pipeline.expire(at: Self.arrival(Double(second) + 0.5).monotonic)
        }
        #expect(fixes.count == 6)
        #expect(fixes.allSatisfy { $0.utcNanoseconds == nil && $0.validityTime < $0.arrivalTime })
        #expect(pipeline.counts[.timeMissing] == 4)
    }

    private static let logs = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
            "shared/data/gpsd_logs")

    @Test(.enabled(if: FileManager.default.fileExists(atPath: logs.path), "needs the shared receiver logs"))
    func everyKnownReceiverGivesAtMostOneValidFixPerEpoch() throws {
        // GIVEN gpsd's output for 130 receivers, 50 ms from report to report, on a system whose clock shows the day of
        // the recording
        let files = try FileManager.default.contentsOfDirectory(at: Self.logs, includingPropertiesForKeys: nil).filter {
            $0.pathExtension == "chk"
        }
        #expect(files.count > 100)
        var fixCount = 0
        for file in files {
            let (fixes, epochs) = try Self.replay(file)
            fixCount += fixes.count
            // THEN there is at most one fix per time, and it is valid
            #expect(fixes.count <= epochs, "\(file.lastPathComponent): \(fixes.count) of \(epochs)")
            #expect(
                zip(fixes, fixes.dropFirst()).allSatisfy { $0.validityTime < $1.validityTime },
                "\(file.lastPathComponent)")
            #expect(
                fixes.allSatisfy { abs($0.latitudeRadians ?? 9) <= .pi / 2 && ($0.horizontalSigmaMeters ?? 0) > 0 },
                "\(file.lastPathComponent)")
            #expect(
                fixes.allSatisfy { ($0.horizontalVelocity?.speedMetersPerSecond ?? 0) <= 150 },
                "\(file.lastPathComponent)")
        }
        #expect(fixCount > 1500, "\(fixCount)")
    }

    /// The fixes from a `.chk` file, and the number of times (and untimed reports) with a fix in it.
    private static func replay(_ file: URL) throws -> (fixes: [GnssFix], epochs: Int) {
        let parser = GpsdParser()
        var settings = GPSSettings()
        settings.earliestUTCNanoseconds = 900_000_000_000_000_000
        var pipeline = GPSPipeline(settings: settings)
        var fixes: [GnssFix] = []
        var epochCount = 0
        var lastUTC: Int64?
        for (index, line) in try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).enumerated()
        where line.first == UInt8(ascii: "{") {
            let bytes = Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
            let report = parser.parse(bytes[...])
            let now = MonotonicTime(nanoseconds: Int64(index) * 50_000_000)
            if case .fix(let fix) = report, fix.mode >= 2 {
                // a log whose time steps back has the same times twice; these are two epochs
                if fix.utcNanoseconds == nil || fix.utcNanoseconds != lastUTC { epochCount += 1 }
                lastUTC = fix.utcNanoseconds ?? lastUTC
            }
            fixes += pipeline.expire(at: now)
            fixes += pipeline.ingest(
                report, at: ArrivalTime(monotonic: now, realtimeNanoseconds: (lastUTC ?? 0) + 200_000_000))
        }
        fixes += pipeline.expire(at: MonotonicTime(nanoseconds: .max))
        return (fixes, epochCount)
    }
}
