import Engine
import Frames
import Fusion
import Measurements
import PoseMath
import Testing

/// Frames while the samples of an IMU come late, or not at all.
@Suite struct LateSampleTests {
    /// An engine that has had samples at 100 Hz for a second.
    private func engineAtRest() -> RunningEngine {
        let engine = RunningEngine()
        for k in 0...100 { engine.ingest(Scenes.resting(at: Double(k) * 0.01)) }
        return engine
    }

    @Test func samplesFromBeforeATickMakeNoFrame() {
        // GIVEN an IMU whose samples stopped at 1 s, and a frame of the clock at 1.285 s
        let engine = engineAtRest()
        #expect(engine.tick(at: Scenes.time(1.285)))
        let (time, number) = (engine.frame.timeNanoseconds, engine.frame.sequence)
        // WHEN the samples come late THEN those from before that frame make none
        for k in 101...128 { #expect(!engine.ingest(Scenes.resting(at: Double(k) * 0.01)), "\(k)") }
        #expect(engine.frame.timeNanoseconds == time && engine.frame.sequence == number)
        // AND the next one makes the next frame
        #expect(engine.ingest(Scenes.resting(at: 1.29)))
        #expect(engine.frame.timeNanoseconds == Scenes.time(1.29).nanoseconds && engine.frame.sequence == number + 1)
        // AND no sample was refused
        #expect(engine.rejections.inertialTimeBackwards == 0)
    }

    @Test func afterAResetEverySampleMakesAFrame() {
        // GIVEN a frame of the clock WHEN the engine is reset, and samples from before that frame come THEN they make
        // frames: what follows a reset depends on what it keeps and on the inputs alone
        let engine = engineAtRest()
        #expect(engine.tick(at: Scenes.time(1.285)))
        engine.reset()
        #expect(engine.ingest(Scenes.resting(at: 1.1)))
        #expect(engine.frame.timeNanoseconds == Scenes.time(1.1).nanoseconds)
    }

    @Test func onlyWhatMakesAnEstimateCountsAsMeasured() {
        // GIVEN an IMU whose samples stopped at 1 s WHEN wheel speeds and a fix come that are not used THEN the pose is
        // still the one measured at 1 s
        let engine = engineAtRest()
        for tenth in 11...30 {
            let time = Scenes.time(Double(tenth) / 10)
            engine.ingest(.wheelSpeed(WheelSpeedSample(time: time, speedMetersPerSecond: 1)))
        }
        engine.ingest(Scenes.fix(at: 2.5) { $0.latitudeRadians = nil })
        #expect(engine.tick(at: Scenes.time(3)))
        #expect(engine.frame.measuredNanoseconds == Scenes.time(1).nanoseconds)
        // WHEN a fix is used THEN that is the newest measurement
        #expect(engine.ingest(Scenes.fix(at: 3.5)))
        #expect(engine.frame.measuredNanoseconds == Scenes.time(3.5).nanoseconds)
    }
}
