import Frames
import PoseMath
import Testing

@testable import Engine

@Suite struct FramePredictorTests {
    @Test func onlyTheNewestIsMovedToNowAndTimeNeverGoesBack() {
        // GIVEN frames of a sensor, some published late and several at once; WHEN prepared; THEN the newest is of this
        // moment, the ones before keep their own time, and the times of all grow.
        var predictor = FramePredictor()
        var last = Int64.min
        for (made, isNewest, now) in [
            (0.0, true, 0.002), (0.005, false, 0.016), (0.010, false, 0.016), (0.015, true, 0.016),
            (0.0155, true, 0.0158),
        ] {
            let frame = predictor.prepare(
                self.frame(made), isRepeat: false, isNewest: isNewest, now: at(now))
            #expect(frame.timeNanoseconds > last && frame.publishedNanoseconds == at(now).nanoseconds)
            #expect(frame.timeNanoseconds == (isNewest ? max(at(now).nanoseconds, last + 1) : at(made).nanoseconds))
            last = frame.timeNanoseconds
        }
    }

    @Test func aRepeatedFrameIsTheOnePublished() {
        var predictor = FramePredictor()
        let first = predictor.prepare(frame(0), isRepeat: false, isNewest: true, now: at(0.003))
        var changed = frame(0)
        changed.sources.imu = .lost
        let again = predictor.prepare(changed, isRepeat: true, isNewest: true, now: at(0.2))
        #expect(
            again.timeNanoseconds == first.timeNanoseconds && again.pose == first.pose && again.sources.imu == .lost)
    }

    @Test func agesGrowWhileNothingNewArrives() {
        // GIVEN a frame with ages; WHEN it is published 2 ms later and repeated 3 s later; THEN every age is that of
        // the moment of publishing
        var made = frame(0)
        (made.pose.fixAgeSeconds, made.guidance.ageSeconds, made.speed.ageSeconds) = (0.5, 0.25, 0.125)
        (made.sources.gpsAgeSeconds, made.sources.imuAgeSeconds) = (0.5, 0)
        var predictor = FramePredictor()
        for (isRepeat, seconds) in [(false, 0.002), (true, 3.0)] {
            let frame = predictor.prepare(made, isRepeat: isRepeat, isNewest: true, now: at(seconds))
            let ages = [
                frame.pose.fixAgeSeconds, frame.guidance.ageSeconds, frame.speed.ageSeconds,
                frame.sources.gpsAgeSeconds, frame.sources.imuAgeSeconds,
            ]
            for (age, first) in zip(ages, [0.5, 0.25, 0.125, 0.5, 0]) {
                #expect(abs((age ?? .nan) - first - seconds) < 1e-9, "\(ages)")
            }
            #expect(frame.sources.wheelsAgeSeconds == nil)
        }
    }

    private func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(seconds * 1e9) + 1_000_000_000)
    }

    private func frame(_ seconds: Double) -> Frame {
        var frame = Frame()
        frame.sequence = UInt64(seconds * 1e6) + 1
        frame.timeNanoseconds = at(seconds).nanoseconds
        frame.pose.state = .aligned
        frame.pose.positionENUMeters = .init(0, 0, 0)
        frame.pose.velocityENUMetersPerSecond = .init(10, 0, 0)
        return frame
    }
}
