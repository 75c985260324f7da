import Engine
import Frames
import Measurements
import PoseMath
import Testing

@testable import EngineRuntime

@Suite struct EngineWorkerTests {
    @Test func inputOfManyQueuesIsTakenInTheOrderOfItsArrival() {
        // GIVEN two sources whose measurements interleave; WHEN taken at once; THEN frames are made in the order of
        // time.
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

    @Test func statesOfSourcesReachTheNextFrameWithoutAMeasurement() {
        // GIVEN no measurement at all; WHEN a source's report comes and ticks go on; THEN a frame is published with the
        // state, and time goes on in it.
        let queue = BoundedQueue<SensorInput>(capacity: 8)
        var worker = EngineWorker(engine: Engine(), queues: [queue], tickHertz: 60)
        queue.push(.report(SourceReport(time: time(1), source: .gps, state: .waiting)))
        worker.takeInput { _ in Issue.record("a report makes no frame") }
        var frames: [PublishedFrame] = []
        for tick in [2.0, 2.2, 2.4] { worker.tick(time(tick)) { frames.append($0) } }
        #expect(frames.count >= 2)
        #expect(frames.allSatisfy { $0.frame.sources.gps == .waiting })
        #expect(zip(frames, frames.dropFirst()).allSatisfy { $1.frame.timeNanoseconds >= $0.frame.timeNanoseconds })
    }

    @Test func ticksComeAtTheirRateAndFallToOneASecondWhenQuiet() {
        // GIVEN 60 ticks a second; WHEN nothing is measured for 20 s; THEN there are 60 a second for the first 5 s,
        // then one.
        var worker = EngineWorker(engine: Engine(), queues: [BoundedQueue(capacity: 8)], tickHertz: 60)
        var ticks: [Double] = []
        var now = time(1000)
        while now < time(1020) {
            worker.tick(now) { _ in ticks.append(now.seconds - 1000) }
            now = max(worker.nextTick, MonotonicTime(nanoseconds: now.nanoseconds + 1))
        }
        #expect((290...303).contains(ticks.filter { $0 < 5 }.count), "\(ticks.count)")
        #expect((13...16).contains(ticks.filter { $0 > 5.1 }.count), "\(ticks.count)")
    }

    @Test func afterAQuietTimeAFixFromBeforeTheLastTickMakesAFrameAtOnce() {
        // GIVEN nothing measured for ten seconds, so that ticks come once per second
        let gps = BoundedQueue<SensorInput>(capacity: 8)
        var worker = EngineWorker(engine: Engine(), queues: [gps], tickHertz: 60)
        var (now, last) = (time(1000), time(1000))
        while now < time(1010) {
            worker.tick(now) { _ in }
            (last, now) = (now, worker.nextTick)
        }
        // WHEN a fix comes that was valid before the last tick THEN its frame does not wait for the next one
        let arrival = last.advanced(bySeconds: 0.1)
        let fix = GnssFix(validityTime: last.advanced(bySeconds: -0.1), arrivalTime: arrival, mode: .none)
        gps.push(.event(.gnss(fix)))
        var frames: [PublishedFrame] = []
        worker.takeInput { frames.append($0) }
        worker.tick(arrival) { frames.append($0) }
        #expect(frames.map(\.frame.timeNanoseconds) == [arrival.nanoseconds])
        // AND ticks are at their rate again
        #expect(worker.nextTick < arrival.advanced(bySeconds: 0.02))
    }

    @Test func ticksStayAtTheirRateWhileSomethingIsMeasured() {
        // GIVEN 60 ticks a second WHEN a wheel speed is measured every four seconds THEN there are 60 a second for 20 s
        let wheels = BoundedQueue<SensorInput>(capacity: 8)
        var worker = EngineWorker(engine: Engine(), queues: [wheels], tickHertz: 60)
        var (now, next, ticks) = (time(1000), time(1000), 0)
        while now < time(1020) {
            if now >= next {
                wheels.push(.event(.wheelSpeed(WheelSpeedSample(time: now, speedMetersPerSecond: 1))))
                next = next.advanced(bySeconds: 4)
            }
            worker.takeInput { _ in }
            worker.tick(now) { _ in }
            ticks += 1
            now = max(worker.nextTick, MonotonicTime(nanoseconds: now.nanoseconds + 1))
        }
        // A tick more or less for each measurement.
        #expect((1190...1210).contains(ticks), "\(ticks)")
    }

    @Test func samplesOfAnIMUPutTheNextTickOff() {
        // GIVEN an IMU of 200 Hz and 60 ticks per second; WHEN it streams; THEN the next tick is a period after each
        // sample, so that no tick is ever due; WHEN it ends THEN the tick is due
        let imu = BoundedQueue<SensorInput>(capacity: 64)
        var worker = EngineWorker(engine: Engine(), queues: [imu], tickHertz: 60)
        var now = time(100)
        for k in 0..<100 {
            now = time(100 + Double(k) * 0.005)
            imu.push(.event(.inertial(still(at: now.seconds))))
            worker.takeInput { _ in }
            worker.tick(now) { _ in }
            #expect(worker.nextTick.nanoseconds == now.nanoseconds + 16_666_666)
        }
        worker.tick(time(now.seconds + 0.017)) { _ in }
        #expect(abs(worker.nextTick.seconds(since: now) - 0.017 - 1 / 60) < 1e-6)
    }

    @Test func imuFramesAreNotRepeated() {
        // GIVEN an IMU of 50 Hz, slower than the ticks; WHEN it streams; THEN no frame is published twice.
        let imu = BoundedQueue<SensorInput>(capacity: 64)
        var worker = EngineWorker(engine: Engine(), queues: [imu], tickHertz: 60)
        var repeats = 0
        for k in 0..<100 {
            imu.push(.event(.inertial(still(at: 100 + Double(k) * 0.02))))
            worker.takeInput { if $0.isRepeat { repeats += 1 } }
            for step in [0.001, 0.010, 0.019] {
                worker.tick(time(100 + Double(k) * 0.02 + step)) { if $0.isRepeat { repeats += 1 } }
            }
        }
        #expect(repeats == 0)
    }

    @Test func aBurstOfLateSamplesMakesNoFrameOfThePast() {
        // GIVEN an IMU of 100 Hz whose samples stop at 1 s, and ticks that make frames until 1.29 s
        let imu = BoundedQueue<SensorInput>(capacity: 64)
        var worker = EngineWorker(engine: Engine(), queues: [imu], tickHertz: 60)
        var predictor = FramePredictor()
        var times: [Int64] = []
        func publish(_ published: PublishedFrame, at now: MonotonicTime) {
            guard !published.isRepeat else { return }
            times.append(
                predictor.prepare(published.frame, isRepeat: false, isNewest: true, now: now).timeNanoseconds)
        }
        for k in 0...100 {
            let now = time(100 + Double(k) * 0.01)
            imu.push(.event(.inertial(still(at: 100 + Double(k) * 0.01))))
            worker.takeInput { publish($0, at: now) }
            worker.tick(now) { publish($0, at: now) }
        }
        while worker.nextTick < time(101.29) {
            let now = worker.nextTick
            worker.tick(now) { publish($0, at: now) }
        }
        let count = times.count
        #expect(count > 105)
        // WHEN the samples of the stall come at once THEN only the newest makes a frame, and the times rise
        for k in 101...129 { imu.push(.event(.inertial(still(at: 100 + Double(k) * 0.01)))) }
        worker.takeInput { publish($0, at: time(101.3)) }
        #expect(times.count == count + 1)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func anotherRateOfTicksTakesEffectWithTheNextOne() {
        var worker = EngineWorker(engine: Engine(), queues: [BoundedQueue(capacity: 8)], tickHertz: 60)
        worker.use(tickHertz: 100)
        worker.tick(time(1000)) { _ in }
        #expect(worker.nextTick.nanoseconds == time(1000).nanoseconds + 10_000_000)
    }

    @Test func aSuspensionIsAnInputThatRefusesWhatWasQueued() {
        // GIVEN an engine with a position, whose inputs are recorded
        let (imu, gps) = (BoundedQueue<SensorInput>(capacity: 64), BoundedQueue<SensorInput>(capacity: 64))
        let tap = InputTap()
        tap.isOpen = true
        var worker = EngineWorker(engine: Engine(), queues: [gps, imu], tickHertz: 60, tap: tap)
        var fix = GnssFix(validityTime: time(100), arrivalTime: time(100.1), mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians, fix.altitudeEllipsoidMeters) = (0.8, 0.2, 300)
        gps.push(.event(.gnss(fix)))
        var frames: [PublishedFrame] = []
        worker.takeInput { frames.append($0) }
        #expect(frames.last?.frame.pose.latitudeRadians != nil)
        // WHEN the machine was suspended, with a sample and a fix from before in the queues
        imu.push(.event(.inertial(still(at: 100.49))))
        (fix.validityTime, fix.arrivalTime) = (time(100.4), time(100.51))
        gps.push(.event(.gnss(fix)))
        worker.resume(at: time(100.5))
        imu.push(.event(.inertial(still(at: 100.52))))
        frames = []
        worker.takeInput { frames.append($0) }
        // THEN the first frame is that of a later sample, it announces one jump, and has no position
        #expect(frames.map(\.frame.timeNanoseconds) == [time(100.52).nanoseconds])
        #expect(frames.allSatisfy { $0.frame.pose.resetCount == 1 && $0.frame.pose.latitudeRadians == nil })
        // AND the recorder has the suspension as an input, in its place, with what stays
        var recorded: [EngineInput] = []
        while let entry = tap.queue.pop() { recorded.append(entry.input) }
        #expect(recorded.count == 5)
        guard recorded.count > 1, case .command(.reset(let past?)) = recorded[1] else {
            Issue.record("\(recorded)")
            return
        }
        #expect(past.value.estimator.measuredFrom == time(100.5) && past.value.published == 1)
    }

    private func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    private func still(at seconds: Double) -> InertialSample {
        InertialSample(
            time: time(seconds), angularRateRadiansPerSecond: .zero,
            specificForceMetersPerSecondSquared: Vector3(0, 0, 9.806_65))
    }
}
