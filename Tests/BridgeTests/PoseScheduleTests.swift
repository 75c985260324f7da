import Configuration
import Frames
import Testing

@testable import Bridge

@Suite struct PoseScheduleTests {
    /// The numbers of the frames, 10 per second, that are sent.
    private func sent(_ settings: BridgeSettings, seconds: Int, _ change: (Int, inout Frame.Pose) -> Void) -> [Int] {
        var schedule = PoseSchedule(settings)
        var pose = Frame.Pose()
        (pose.state, pose.latitudeRadians, pose.longitudeRadians, pose.headingTrueRadians) = (.aligned, 0.8, 3.1415, 0)
        return (0..<(seconds * 10)).filter { index in
            change(index, &pose)
            return schedule.isDue(pose, nowNanoseconds: 5_000_000_000_000 + Int64(index) * 100_000_000)
        }
    }

    @Test(arguments: [(10.0, 100), (5.0, 50), (1.0, 10), (0.5, 5)])
    func theRateIsThatOfTheSettings(rate: Double, expected: Int) {
        // GIVEN a rate WHEN frames arrive for ten seconds THEN so many are sent
        var settings = BridgeSettings()
        settings.rateHertz = rate
        #expect(sent(settings, seconds: 10) { _, _ in }.count == expected)
    }

    @Test func aMovementIsSentAtOnce() {
        // GIVEN a pose every 100 s, and one after 10 m, across the 180th meridian
        var settings = BridgeSettings()
        (settings.rateHertz, settings.changeMeters) = (0.01, 10)
        // WHEN the vehicle moves 2 m per frame from the second 5 on, for 2 s
        let step = 2 / (6_371_000 * 0.6967)
        let frames = sent(settings, seconds: 20) { index, pose in
            guard (50..<70).contains(index), let longitude = pose.longitudeRadians else { return }
            let next = longitude + step
            pose.longitudeRadians = next > .pi ? next - 2 * .pi : next
        }
        // THEN the first one and one per 10 m are sent
        #expect(frames == [0, 54, 59, 64, 69])
    }

    @Test func aTurnAndAChangeOfStateAreSentAtOnce() {
        // GIVEN no regular pose, and one after 10 degrees
        var settings = BridgeSettings()
        (settings.rateHertz, settings.changeDegrees) = (0, 10)
        let frames = sent(settings, seconds: 10) { index, pose in
            // WHEN the vehicle turns by 3 degrees per frame across north for 1 s, and later loses its position
            if (20..<30).contains(index) { pose.headingTrueRadians = Double(index - 25) * 3 * .pi / 180 + 2 * .pi }
            if index == 80 { pose.state = .lost }
        }
        #expect(frames.first == 0 && frames.last == 80)
        #expect((3...5).contains(frames.count - 2), "\(frames)")
    }

    @Test func aChangeOfStateIsSentAtOnceWithoutOtherChanges() {
        // GIVEN a pose every 10 s WHEN the state changes after 3 s THEN it is sent at once, and the next one 10 s later
        var settings = BridgeSettings()
        settings.rateHertz = 0.1
        let frames = sent(settings, seconds: 20) { index, pose in if index >= 30 { pose.state = .deadReckoning } }
        #expect(frames == [0, 30, 130])
        // GIVEN that no pose is to be sent THEN none is
        settings.rateHertz = 0
        #expect(sent(settings, seconds: 20) { index, pose in if index >= 30 { pose.state = .lost } } == [])
    }

    @Test func aTurnByTheAngleOfTheSettingsIsSent() {
        // GIVEN no regular pose, and one after 90 degrees WHEN the vehicle turns from north to east at once THEN that
        // is sent, and no frame after it
        var settings = BridgeSettings()
        (settings.rateHertz, settings.changeDegrees) = (0, 90)
        let frames = sent(settings, seconds: 1) { index, pose in
            if index == 5 { pose.headingTrueRadians = .pi / 2 }
        }
        #expect(frames == [0, 5])
    }

    @Test func unknownNumbersSendNothingAndNeverTrap() {
        // GIVEN a pose without position and heading, and then with NaN WHEN it is judged THEN the first is sent, and a
        // distance that is no number counts as a change
        var settings = BridgeSettings()
        (settings.rateHertz, settings.changeMeters, settings.changeDegrees) = (0, 1, 1)
        let frames = sent(settings, seconds: 1) { index, pose in
            (pose.latitudeRadians, pose.headingTrueRadians) = (index < 5 ? nil : .nan, nil)
        }
        #expect(frames.first == 0 && frames.filter { $0 < 5 }.count == 1)
    }
}
