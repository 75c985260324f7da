import Glibc
import PoseMath
import SeededNumbers
import Testing

@testable import Sensors

private func read(_ monotonic: Int64, offset: Int64 = 0, after: Int = 0) -> ReadTime {
    ReadTime(monotonic: monotonic, realtimeOffset: offset, samplesAfter: after)
}

@Suite struct SampleStampingTests {
    @Test func monotonicStampsAreUnchangedAndBadOnesCounted() {
        // GIVEN a device that uses the monotonic clock for its time stamps
        var stamping = SampleStamping(clock: .monotonic, rateHertz: 200)
        let time1 = stamping.time(ofStamp: 1_000_000_000, read: read(1_000_100_000))?.nanoseconds
        #expect(time1 == 1_000_000_000)
        // WHEN time stamps repeat, go back, or are ahead of now or far in the past
        let time2 = stamping.time(ofStamp: 1_000_000_000, read: read(1_005_000_000))
        #expect(time2 == nil)
        let time3 = stamping.time(ofStamp: 999_000_000, read: read(1_005_000_000))
        #expect(time3 == nil)
        let time4 = stamping.time(ofStamp: 2_000_000_000, read: read(1_010_000_000))
        #expect(time4 == nil)
        let time5 = stamping.time(ofStamp: -40_000_000_000, read: read(1_015_000_000))
        #expect(time5 == nil)
        let time6 = stamping.time(ofStamp: Int64.min, read: read(1_015_000_000))
        #expect(time6 == nil)
        let time7 = stamping.time(ofStamp: Int64.max, read: read(1_015_000_000))
        #expect(time7 == nil)
        // THEN each is counted by its name and the valid ones are still accepted
        #expect(stamping.faults[Int(StampFault.notIncreasing.rawValue)] == 2)
        #expect(stamping.faults[Int(StampFault.inFuture.rawValue)] == 2)
        #expect(stamping.faults[Int(StampFault.inPast.rawValue)] == 2)
        let time8 = stamping.time(ofStamp: 1_020_000_000, read: read(1_020_100_000))?.nanoseconds
        #expect(time8 == 1_020_000_000)
        #expect(!stamping.isRestamping)
    }

    @Test func aPersistentlyWrongClockIsReplacedByArrivalTime() {
        // GIVEN time stamps that stay at zero
        var stamping = SampleStamping(clock: .monotonic, rateHertz: 200)
        var times: [Int64] = []
        for k in 0..<200 {
            let now = 100_000_000_000 + Int64(k) * 5_000_000
            if let t = stamping.time(ofStamp: 0, read: read(now)) { times.append(t.nanoseconds) }
        }
        // THEN after 50 of them arrival times are used, strictly increasing and never ahead of now
        #expect(stamping.isRestamping)
        #expect(times.count == 150)
        #expect(stamping.restamped == 150)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(times.last.map { $0 <= 100_000_000_000 + 199 * 5_000_000 } == true)
    }

    @Test(arguments: [Int64.min, .min + 1, -1, 0, .max])
    func aStampOfAnySizeBesideAStepOfTheSystemTimeIsRefused(difference: Int64) {
        // GIVEN time stamps on CLOCK_REALTIME and a system time that is set forward by 1 s; WHEN a time stamp at any
        // distance from its read arrives; THEN it is rejected or the result is near the time of the read
        var stamping = SampleStamping(clock: .realtime, rateHertz: 100)
        let now: Int64 = 50_000_000_000
        #expect(stamping.time(ofStamp: now, read: read(now)) != nil)
        let later = now + 10_000_000
        let time = stamping.time(ofStamp: later &+ difference, read: read(later, offset: 1_000_000_000))
        #expect(time.map { ($0.nanoseconds - later).magnitude <= 2_000_000_000 } ?? true)
        #expect(difference == -1 || difference == 0 || time == nil)
    }

    @Test func realtimeStampsSurviveAStepOfTheSystemTime() {
        // GIVEN time stamps on CLOCK_REALTIME, which is set forward by 1e4 s in the middle
        var stamping = SampleStamping(clock: .realtime, rateHertz: 100)
        var offset: Int64 = 1_700_000_000_000_000_000
        for k in 0..<100 {
            let valid = 50_000_000_000 + Int64(k) * 10_000_000
            let stamp = valid + offset
            // WHEN the time is set between the time stamp and the read of sample 50
            if k == 50 { offset += 10_000_000_000_000 }
            let time = stamping.time(ofStamp: stamp, read: read(valid + 300_000, offset: offset))
            // THEN the time of every sample is correct
            #expect(time?.nanoseconds == valid)
        }
        #expect(stamping.clockSteps == 1)
    }

    @Test(arguments: [UInt64(1), 2, 3]) func aForeignClockIsFollowedToTheShortestDelay(seed: UInt64) {
        // GIVEN a remote clock that is 20 ppm fast with another zero, and network delays of 0.2 ms plus an exponential
        // distribution with mean 1 ms
        var random = SplitMix64(seed: seed)
        var stamping = SampleStamping(clock: .foreign, rateHertz: 200)
        var worst = 0.0
        for k in 0..<4000 {
            let valid = 1_000_000_000 + Int64(k) * 5_000_000
            let stamp = Int64(Double(valid) * (1 + 20e-6)) + 777_000_000_000
            let delay = 200_000 - 1_000_000 * log(1 - random.uniform())
            let time = stamping.time(ofStamp: stamp, read: read(valid + Int64(delay)))
            if k > 400, let time { worst = max(worst, abs(Double(time.nanoseconds - valid) - 200_000)) }
        }
        // THEN times are correct except for the shortest delay, within 0.3 ms: in the 3 s in which 50 ppm less 20 ppm
        // raise the offset by 0.1 ms there are 600 samples, the earliest of which is late by 2 us on average
        #expect(worst < 300_000)
        #expect(stamping.clockSteps == 0)
    }

    @Test func aRestartedForeignClockIsFollowed() {
        var stamping = SampleStamping(clock: .foreign, rateHertz: 100)
        _ = stamping.time(ofStamp: 900_000_000_000, read: read(1_000_000_000))
        // WHEN the remote machine restarts: its clock starts at zero
        let time = stamping.time(ofStamp: 5_000_000, read: read(61_000_000_000))
        #expect(time?.nanoseconds == 61_000_000_000)
        #expect(stamping.clockSteps == 1)
    }

    @Test func aSlewOfEitherClockIsFollowed() {
        // GIVEN samples of another machine, 0.2 ms late, while this machine's clock is put forward by 0.35 s, an eighth
        // of the rest in each second
        var stamping = SampleStamping(clock: .foreign, rateHertz: 100)
        var errors: [Double] = []
        for k in 0..<20_000 {
            let second = Double(k) * 0.01
            let valid = 1_000_000_000 + Int64(second * 1e9) + Int64(0.35e9 * (1 - pow(0.875, max(second - 30, 0))))
            let stamp = 777_000_000_000 + Int64(second * 1e9)
            let time = stamping.time(ofStamp: stamp, read: read(valid + 200_000))
            if second >= 90, let time { errors.append(Double(time.nanoseconds - valid) * 1e-9) }
        }
        // THEN the times are right again after a minute
        #expect(errors.count == 11_000 && errors.allSatisfy { abs($0) < 0.035 }, "\(errors.first ?? 0)")
        #expect(stamping.clockSteps > 0 && stamping.clockSteps < 6)
    }

    @Test(arguments: [UInt64(1), 2, 3]) func arrivalJitterIsReduced(seed: UInt64) {
        // GIVEN samples every 5.1 ms with a nominal period of 5 ms, late by an exponential distribution with mean 0.5
        // ms
        var random = SplitMix64(seed: seed)
        var stamping = SampleStamping(clock: .arrival, rateHertz: 200)
        var last = Int64.min
        var errors: [Double] = []
        for k in 0..<4000 {
            let valid = 1_000_000_000 + Int64(k) * 5_100_000
            let delay = -500_000 * log(1 - random.uniform())
            guard let time = stamping.time(ofStamp: nil, read: read(valid + Int64(delay))) else { continue }
            #expect(time.nanoseconds > last)
            #expect(time.nanoseconds <= valid + Int64(delay))
            last = time.nanoseconds
            if k >= 1000 { errors.append(Double(last - valid)) }
        }
        // THEN the remaining jitter is below a quarter of the input jitter (0.5 ms standard deviation)
        let mean = errors.reduce(0, +) / Double(errors.count)
        let deviation = (errors.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(errors.count)).squareRoot()
        #expect(deviation < 125_000)
        #expect(abs(mean) < 500_000)
    }

    @Test func samplesOfOneReadAreSpacedByThePeriod() {
        var stamping = SampleStamping(clock: .arrival, rateHertz: 100)
        let times = (0..<4).compactMap {
            stamping.time(ofStamp: nil, read: read(1_000_000_000, after: 3 - $0))?.nanoseconds
        }
        #expect(times == [970_000_000, 980_000_000, 990_000_000, 1_000_000_000])
    }
}
