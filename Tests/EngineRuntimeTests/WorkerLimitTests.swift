import Engine
import Frames
import Measurements
import Platform
import PoseMath
import SensorInterface
import Testing

@testable import EngineRuntime

/// The numbers and limits of the engine thread's work.
@Suite struct WorkerLimitTests {
    private static func time(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(milliseconds) * 1_000_000)
    }

    private static func still(_ milliseconds: Int) -> SensorInput {
        .event(
            .inertial(
                InertialSample(
                    time: time(milliseconds), angularRateRadiansPerSecond: .zero,
                    specificForceMetersPerSecondSquared: Vector3(0, 0, 9.806_65))))
    }

    @Test func everyPublishedFrameHasTheNextNumber() {
        // GIVEN samples, and then silence with ticks every 20 ms
        let queue = BoundedQueue<SensorInput>(capacity: 64)
        let tap = InputTap()
        tap.isOpen = true
        var worker = EngineWorker(engine: Engine(), queues: [queue], tickHertz: 50, tap: tap)
        var frames: [PublishedFrame] = []
        for number in 0..<5 { queue.push(Self.still(1000 + 5 * number)) }
        worker.takeInput { frames.append($0) }
        for tick in 0...60 { worker.tick(Self.time(1020 + 20 * tick)) { frames.append($0) } }
        // THEN the frames have the numbers from 1 on, and the recorder has how many were published before each input
        let numbers = Array(1...UInt64(frames.count))
        #expect(frames.map(\.number) == numbers && frames.count > 30)
        var entries: [InputTap.Entry] = []
        while let entry = tap.queue.pop() { entries.append(entry) }
        #expect(entries.map(\.number) == Array(1...UInt64(entries.count)))
        #expect(entries.prefix(5).map(\.published) == [0, 1, 2, 3, 4])
        #expect(entries.dropFirst(5).map(\.published) == Array(5..<UInt64(frames.count)))
        #expect(tap.inputCount == UInt64(entries.count))
    }

    @Test(arguments: [(99, false), (100, true)])
    func aFrameIsRepeatedAfterATenthOfASecond(milliseconds: Int, isRepeated: Bool) {
        // GIVEN a sample whose clock is ahead of the daemon's by a second, so that the engine predicts nothing WHEN no
        // other one comes THEN its frame is published again after 0.1 s, marked as such, with the next number
        let queue = BoundedQueue<SensorInput>(capacity: 8)
        let tap = InputTap()
        tap.isOpen = true
        var worker = EngineWorker(engine: Engine(), queues: [queue], tickHertz: 50, tap: tap)
        var frames: [PublishedFrame] = []
        queue.push(Self.still(6000))
        worker.takeInput { frames.append($0) }
        for now in [5000, 5000 + milliseconds] { worker.tick(Self.time(now)) { frames.append($0) } }
        #expect(frames.map(\.isRepeat) == (isRepeated ? [false, true] : [false]))
        #expect(frames.map(\.number) == (isRepeated ? [1, 2] : [1]) && frames.allSatisfy { $0.frame.sequence == 1 })
        #expect(tap.inputCount == (isRepeated ? 2 : 1))
    }

    @Test func theFirstTickMakesTheFirstFrame() {
        // GIVEN an engine without a measurement WHEN its first tick comes THEN that makes a frame, of its time
        var worker = EngineWorker(engine: Engine(), queues: [BoundedQueue(capacity: 8)], tickHertz: 50)
        var frames: [PublishedFrame] = []
        worker.tick(Self.time(5000)) { frames.append($0) }
        #expect(frames.map(\.number) == [1] && frames.map(\.isRepeat) == [false])
        #expect(frames.map(\.frame.timeNanoseconds) == [5_000_000_000])
    }

    @Test func aFrameThatIsRepeatedAsksNothingAboutTheRoadAgain() {
        // GIVEN a fix whose clock is ahead of the daemon's by a second, so that the engine predicts nothing: its frame
        // is a question about the road ahead WHEN the frame is published again THEN that is none
        let queue = BoundedQueue<SensorInput>(capacity: 8)
        var worker = EngineWorker(engine: Engine(), queues: [queue], tickHertz: 50)
        var fix = GnssFix(validityTime: Self.time(6000), arrivalTime: Self.time(6000), mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians, fix.altitudeEllipsoidMeters) = (0.8, 0.2, 300)
        queue.push(.event(.gnss(fix)))
        var frames: [PublishedFrame] = []
        worker.takeInput { frames.append($0) }
        for now in [5000, 5100] { worker.tick(Self.time(now)) { frames.append($0) } }
        #expect(frames.map(\.isRepeat) == [false, true])
        #expect(frames.map(\.asksForHorizon) == [true, false])
    }

    @Test func theFirstOfTwoQueuesIsTakenFirst() {
        // GIVEN two queues whose first inputs arrived at the same time THEN that of the first queue is taken first, and
        // an earlier one of the other before it
        let (first, second) = (BoundedQueue<SensorInput>(capacity: 8), BoundedQueue<SensorInput>(capacity: 8))
        let tap = InputTap()
        tap.isOpen = true
        var worker = EngineWorker(engine: Engine(), queues: [first, second], tickHertz: 50, tap: tap)
        func report(_ milliseconds: Int, _ kind: SensorKind) -> SensorInput {
            .report(SourceReport(time: Self.time(milliseconds), source: kind, state: .waiting))
        }
        for milliseconds in [10, 30] { first.push(report(milliseconds, .imu)) }
        for milliseconds in [10, 20] { second.push(report(milliseconds, .gps)) }
        worker.takeInput { _ in Issue.record("a report makes no frame") }
        var kinds: [SensorKind] = []
        while let entry = tap.queue.pop() {
            if case .report(let report) = entry.input { kinds.append(report.source) }
        }
        #expect(kinds == [.imu, .gps, .gps, .imu])
    }

    @Test func aClosedTapCountsOnly() {
        let tap = InputTap()
        tap.note(.tick(Self.time(1)), published: 0)
        #expect(tap.inputCount == 1 && tap.queue.pop() == nil && !tap.isOpen)
        tap.isOpen = true
        tap.note(.tick(Self.time(2)), published: 9)
        let entry = tap.queue.pop()
        #expect(entry?.number == 2 && entry?.published == 9)
    }

    @Test func countersTellWhatWasNoted() {
        let counters = LoopCounters()
        #expect(counters.lastBeatTime == nil && counters.suspendedSeconds == nil && counters.realTimeResult == nil)
        counters.note(PublishedFrame(frame: Frame(), isRepeat: false))
        counters.note(PublishedFrame(frame: Frame(), isRepeat: false))
        counters.note(PublishedFrame(frame: Frame(), isRepeat: true))
        #expect(counters.frameCount == 2 && counters.repeatCount == 1)
        counters.note(beat: Self.time(7))
        counters.note(lateHorizons: 3)
        counters.note(realTime: 0)
        #expect(counters.lastBeatTime == Self.time(7) && counters.lateHorizonCount == 3 && counters.realTimeResult == 0)
        // A suspension has its milliseconds, within what a number holds.
        for (seconds, told) in [(0.0125, 0.012), (1.5, 1.5), (-1, 0), (1e300, 1e12)] {
            counters.note(suspendedSeconds: seconds)
            #expect(counters.suspendedSeconds == told)
        }
        #expect(counters.suspensionCount == 4)
    }

    @Test func aFullQueueCountsWhatItDrops() {
        let wakeUp = EventFD()
        let sink = QueueSink(name: "gps", capacity: 2, wakeUp: wakeUp)
        let event = SensorEvent.wheelSpeed(WheelSpeedSample(time: Self.time(1), speedMetersPerSecond: 1))
        sink.send(event)
        #expect(sink.offer(event) && !sink.offer(event) && sink.droppedCount == 1)
        sink.send(SourceReport(time: Self.time(1), source: .wheels, state: .lost))
        #expect(sink.droppedCount == 2 && sink.name == "gps")
    }

    @Test func samplesAreThoseAfterTheNumber() {
        // GIVEN a tap with ten samples, opened after none
        let tap = SampleTap()
        func read(_ number: UInt64?, _ count: Int) -> SampleTap.Batch {
            tap.read(after: number, atMost: count, now: Self.time(0))
        }
        _ = read(nil, 1)
        for number in 1...10 {
            tap.note(.magnetic(MagneticSample(time: Self.time(number), fluxDensityTesla: .zero)))
        }
        #expect(read(9, 5).samples.count == 1 && read(9, 5).last == 10 && read(10, 5).samples.isEmpty)
        #expect(read(10, 5).last == 10 && read(11, 5).samples.isEmpty && read(11, 5).last == 10)
        #expect(read(0, 0).last == 1 && read(0, 10).last == 10 && read(0, 9).last == 9 && read(4, 2).last == 6)
        // AND exactly as many as are kept are kept
        for number in 11...SampleTap.capacity {
            tap.note(.magnetic(MagneticSample(time: Self.time(number), fluxDensityTesla: .zero)))
        }
        #expect(read(0, 1).lost == 0 && read(0, 1).last == 1)
        tap.note(.magnetic(MagneticSample(time: Self.time(0), fluxDensityTesla: .zero)))
        #expect(read(0, 1).lost == 1 && read(0, 1).last == 2)
        // AND the tap closes after more than five seconds only
        tap.sweep(Self.time(5000))
        #expect(read(4096, 5).samples.count == 1)
        tap.sweep(Self.time(5001))
        #expect(read(4096, 5).samples.isEmpty)
    }

    @Test(arguments: [(0.199, nil), (0.2, 0.2), (3600, 3600)] as [(Double, Double?)])
    func aSuspensionIsAFifthOfASecond(seconds: Double, told: Double?) {
        func reading(_ monotonic: Double, _ boot: Double, width: Double = 0) -> BootReading {
            BootReading(
                before: Int64(monotonic * 1e9), boot: Int64(boot * 1e9), after: Int64((monotonic + width) * 1e9))
        }
        // GIVEN readings without a delay THEN a suspension counts from 0.2 s on
        var watch = SuspensionWatch()
        #expect(watch.update(reading(10, 10)) == nil && watch.update(reading(11, 11)) == nil)
        let found = watch.update(reading(12, 12 + seconds))
        #expect(found.map { abs($0 - (told ?? -1)) < 1e-6 } ?? (told == nil))
        // GIVEN a first reading of which the upper bound is late THEN a later one makes it exact
        var late = SuspensionWatch()
        #expect(late.update(reading(10, 10.5, width: 1)) == nil && late.update(reading(12, 12)) == nil)
        #expect((late.update(reading(13, 13 + seconds)) != nil) == (told != nil))
        // A reading with a later upper bound does not replace a smaller one.
        #expect(late.update(reading(14, 14.9 + seconds, width: 1)) == nil)
        #expect((late.update(reading(15, 15.3 + 2 * seconds)) != nil))
    }
}
