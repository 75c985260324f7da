import Guidance
import PoseMath
import Testing

@testable import Engine

@Suite struct HorizonScheduleTests {
    private func time(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(milliseconds) * 1_000_000)
    }

    private func answer(_ milliseconds: Int, _ limit: Double) -> SpeedHorizon {
        var answer = SpeedHorizon(time: time(milliseconds))
        answer.limit = .kilometersPerHour(limit)
        return answer
    }

    private func frame(_ schedule: inout HorizonSchedule, _ milliseconds: Int, hasPosition: Bool = true) {
        schedule.begin(at: time(milliseconds))
        schedule.end(hasPosition: hasPosition)
    }

    @Test func theFirstFrameOfEachPeriodAsks() {
        // GIVEN frames every 70 ms; WHEN they have a position THEN the first in each 200 ms asks, and none before them
        var schedule = HorizonSchedule()
        #expect(!schedule.isQuestion)
        var asked: [Int] = []
        for milliseconds in stride(from: 10, to: 1000, by: 70) {
            frame(&schedule, milliseconds, hasPosition: milliseconds > 100)
            if schedule.isQuestion { asked.append(milliseconds) }
        }
        #expect(asked == [150, 220, 430, 640, 850])
    }

    @Test(arguments: [0, 1, 2])
    func anAnswerHoldsFromTheNextPeriodOnWheneverItCame(_ framesBefore: Int) {
        // GIVEN a question; WHEN its answer comes at once or after some frames of the period THEN it holds from the
        // first frame of the next period on
        var schedule = HorizonSchedule()
        frame(&schedule, 1000)
        for number in 0..<framesBefore { frame(&schedule, 1050 + number * 50) }
        schedule.take(answer(1000, 80))
        #expect(schedule.current == nil)
        frame(&schedule, 1190)
        #expect(schedule.current == nil)
        frame(&schedule, 1210)
        #expect(schedule.current == answer(1000, 80) && schedule.lateCount == 0)
    }

    @Test func aLateAnswerIsCountedAndHoldsAtOnce() {
        // GIVEN a question; WHEN its answer comes in the next period THEN it is counted, and holds until that of the
        // next question does
        var schedule = HorizonSchedule()
        frame(&schedule, 1000)
        frame(&schedule, 1200)
        schedule.take(answer(1000, 80))
        #expect(schedule.current == answer(1000, 80) && schedule.lateCount == 1)
        schedule.take(answer(1200, 50))
        #expect(schedule.current == answer(1000, 80))
        frame(&schedule, 1400)
        #expect(schedule.current == answer(1200, 50) && schedule.lateCount == 1)
    }

    @Test func afterAResetEarlierQuestionsAreForgotten() {
        // GIVEN a question; WHEN all answers are discarded before its answer arrives THEN the answer is not used
        var schedule = HorizonSchedule()
        frame(&schedule, 1000)
        schedule = HorizonSchedule(after: schedule, forgettingUntil: time(1100))
        schedule.take(answer(1000, 80))
        frame(&schedule, 1200)
        #expect(schedule.current == nil)
    }
}
