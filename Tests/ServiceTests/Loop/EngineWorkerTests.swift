import Engine
import Frames
import Fusion
import PoseMath
import Testing

@testable import Service

@Suite struct EngineWorkerTests {
    @Test func inputOfManyQueuesIsTakenInTheOrderOfItsArrival() {
        // GIVEN two sources whose measurements interleave; WHEN taken at once; THEN frames are made in the order of time.
        let imu = BoundedQueue<SensorInput>(capacity: 64)
        let gps = BoundedQueue<SensorInput>(capacity: 64)
        for k in 0..<40 { imu.push(.event(.inertial(still(at: Double(k) * 0.005)))) }
        gps.push(.event(.gnss(GnssFix(validityTime: time(0.05), arrivalTime: time(0.101), mode: .none))))
        var worker = EngineWorker(engine: Engine(), queues: [gps, imu], tickHertz: 60)
        var times: [Int64] = []
        worker.takeInput { times.append($0.frame.timeNanoseconds) }
        #expect(times.count >= 40)
        #expect(times == times.sorted())
    }

    @Test func statesOfSourcesReachTheNextRepeat() {
        // GIVEN no measurement at all; WHEN a source's report comes and ticks go on; THEN the frame is published again, marked, with the state.
        let queue = BoundedQueue<SensorInput>(capacity: 8)
        var worker = EngineWorker(engine: Engine(), queues: [queue], tickHertz: 60)
        queue.push(.report(SourceReport(time: time(1), source: .gps, state: .waiting)))
        worker.takeInput { _ in Issue.record("a report makes no frame") }
        var frames: [PublishedFrame] = []
        worker.tick(time(2)) { frames.append($0) }
        #expect(frames.isEmpty)
        worker.tick(time(2.2)) { frames.append($0) }
        #expect(frames.count == 1)
        #expect(frames.first?.isRepeat == true)
        #expect(frames.first?.frame.sources.gps == .waiting)
    }

    @Test func ticksComeAtTheirRateAndFallToOneASecondWhenQuiet() {
        // GIVEN 60 ticks a second; WHEN nothing happens for 20 s; THEN there are 60 a second for the first 5 s, then one.
        var worker = EngineWorker(engine: Engine(), queues: [BoundedQueue(capacity: 8)], tickHertz: 60)
        var ticks: [Double] = []
        var now = time(1000)
        while now < time(1020) {
            worker.tick(now) { _ in ticks.append(now.seconds - 1000) }
            now = max(worker.nextTick, MonotonicTime(nanoseconds: now.nanoseconds + 1))
        }
        // The first tenth of a second repeats nothing.
        #expect((280...302).contains(ticks.filter { $0 < 5 }.count))
        #expect((13...16).contains(ticks.filter { $0 > 5.1 }.count))
    }

    @Test func imuFramesAreNotRepeated() {
        // GIVEN an IMU of 50 Hz, slower than the ticks; WHEN it streams; THEN no frame is published twice.
        let imu = BoundedQueue<SensorInput>(capacity: 64)
        var worker = EngineWorker(engine: Engine(), queues: [imu], tickHertz: 60)
        var repeats = 0
        for k in 0..<100 {
            imu.push(.event(.inertial(still(at: 100 + Double(k) * 0.02))))
            worker.takeInput { if $0.isRepeat { repeats += 1 } }
            for step in [0.001, 0.010, 0.019] { worker.tick(time(100 + Double(k) * 0.02 + step)) { if $0.isRepeat { repeats += 1 } } }
        }
        #expect(repeats == 0)
    }

    private func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    private func still(at seconds: Double) -> InertialSample {
        InertialSample(time: time(seconds), angularRateRadiansPerSecond: .zero, specificForceMetersPerSecondSquared: Vector3(0, 0, 9.806_65))
    }
}
