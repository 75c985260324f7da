import Foundation
import Testing

/// The clock by which programs are judged.
@Suite struct NapClockTests {
    @Test func aNapCountsAsMuchAsAProgramGets() {
        // GIVEN two processors WHEN one, two, four and twenty threads want to run THEN time passes as on a clock, at
        // half and at a tenth of its speed; and never slower, so that waiting ends
        #expect(NapClock.share(processors: 2, runnable: 1) == 1)
        #expect(NapClock.share(processors: 2, runnable: 2) == 1)
        #expect(NapClock.share(processors: 2, runnable: 4) == 0.5)
        #expect(NapClock.share(processors: 2, runnable: 20) == 0.1)
        #expect(NapClock.share(processors: 2, runnable: 5000) == 0.1)
        #expect(NapClock.share(processors: 2, runnable: 0) == 1)
    }

    @Test func itNeverRunsAheadOfAClock() {
        // GIVEN the time of the machine WHEN the clock has waited for 0.1 s THEN at least that time has passed
        let begin = DispatchTime.now().uptimeNanoseconds
        #expect(!NapClock.wait(seconds: 0.1) { false })
        #expect(DispatchTime.now().uptimeNanoseconds - begin >= 100_000_000)
    }

    @Test func aConditionThatWaitsEndsToo() {
        // GIVEN a condition that takes 20 ms each time and never holds WHEN a tenth of a second is waited for it THEN
        // it is asked for a second of the machine at most, which is fifty times, and for that tenth at least
        var count = 0
        let begin = DispatchTime.now().uptimeNanoseconds
        #expect(
            !NapClock.wait(seconds: 0.1) {
                count += 1
                usleep(20_000)
                return false
            })
        #expect((1...51).contains(count), "\(count)")
        #expect(DispatchTime.now().uptimeNanoseconds - begin >= 100_000_000)
    }

    @Test func whatCanBeReadEndsTheWait() {
        // GIVEN a pipe WHEN it is empty THEN waiting ends with the time WHEN it holds a byte THEN no time passes
        let pipe = Pipe()
        var clock = NapClock()
        let isReadable = clock.waits(forReading: pipe.fileHandleForReading.fileDescriptor, until: 0.01)
        #expect(!isReadable && clock.seconds >= 0.01)
        pipe.fileHandleForWriting.write(Data([1]))
        let before = clock.seconds
        let isReadableNow = clock.waits(forReading: pipe.fileHandleForReading.fileDescriptor, until: 10)
        #expect(isReadableNow && clock.seconds == before)
    }
}
