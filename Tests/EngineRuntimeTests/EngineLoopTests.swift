import Engine
import Measurements
import Platform
import PoseMath
import Testing

@testable import EngineRuntime

/// The engine's thread.
@Suite struct EngineLoopTests {
    @Test func onlyAFrameWithAPlaceIsAQuestionAboutTheRoad() throws {
        // GIVEN an engine that measures nothing WHEN its clock makes frames THEN none of them is a question
        let loop = EngineLoop(engine: EngineSettings())
        let sink = loop.makeSink(name: "gps")
        try #require(loop.start())
        defer { loop.stop() }
        var count = 0
        while count < 3 {
            // A deadline that only ends what hangs.
            try #require(StopSignal().wait(for: loop.frameEvent.descriptor, seconds: 20) == .ready)
            loop.frameEvent.drain()
            while let published = loop.frames.pop() {
                #expect(published.frame.pose.latitudeRadians == nil && !published.asksForHorizon)
                count += 1
            }
        }
        #expect(loop.questions.pop() == nil)
        // WHEN a fix comes THEN its frame is one
        let now = SystemClock.monotonicNow
        var fix = GnssFix(validityTime: now, arrivalTime: now, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians, fix.altitudeEllipsoidMeters) = (0.8, 0.2, 300)
        sink.send(.gnss(fix))
        try #require(StopSignal().wait(for: loop.questionEvent.descriptor, seconds: 20) == .ready)
        #expect(loop.questions.pop()?.pose.latitudeRadians != nil)
    }
}
