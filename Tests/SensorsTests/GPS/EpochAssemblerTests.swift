import PoseMath
import Testing

@testable import GpsdReports
@testable import Sensors

@Suite struct EpochAssemblerTests {
    static func fix(utcSeconds: Double?, height: Double? = nil, speed: Double? = nil, latitude: Double = 48) -> GpsdFix
    {
        var fix = GpsdFix()
        fix.mode = height == nil ? 2 : 3
        fix.utcNanoseconds = utcSeconds.map { Int64($0 * 1e9) }
        fix.latitudeDegrees = latitude
        fix.longitudeDegrees = 11
        fix.altitudeEllipsoidMeters = height
        fix.speedMetersPerSecond = speed
        return fix
    }

    static func arrival(_ seconds: Double) -> ArrivalTime {
        ArrivalTime(monotonic: MonotonicTime(nanoseconds: Int64(seconds * 1e9)), realtimeNanoseconds: 0)
    }

    @Test func reportsOfOneTimeGiveOneCompleteEpoch() {
        // GIVEN three reports of growing content for each of five epochs, 1 s apart, with 60 ms between the reports
        var assembler = EpochAssembler()
        var epochs: [ReceiverEpoch] = []
        for second in 0..<5 {
            let start = Double(second)
            let reports = [
                Self.fix(utcSeconds: 100 + start), Self.fix(utcSeconds: 100 + start, height: 500),
                Self.fix(utcSeconds: 100 + start, height: 500, speed: 7),
            ]
            for (index, report) in reports.enumerated() {
                let now = Self.arrival(start + 0.06 * Double(index))
                if let epoch = assembler.expire(at: now.monotonic) { epochs.append(epoch) }
                epochs += assembler.add(report, at: now)
            }
        }
        // THEN each epoch is delivered once, complete
        #expect(epochs.count == 5)
        #expect(
            epochs.allSatisfy {
                $0.fix.mode == 3 && $0.fix.altitudeEllipsoidMeters == 500 && $0.fix.speedMetersPerSecond == 7
            })
        // and its arrival time is that of its first report
        #expect(epochs.map(\.firstArrival.monotonic.nanoseconds) == (0..<5).map { Int64($0) * 1_000_000_000 })
    }

    @Test(arguments: [-0.02, 0.05], [1.0, 0.1]) func aHeadingBelongsToTheEpochThatItCameWith(
        after: Double, cycle: Double
    ) {
        // GIVEN a receiver at 1 or 10 Hz whose heading comes shortly before or after the first report of its epoch
        var assembler = EpochAssembler()
        assembler.cycleSeconds = cycle
        var epochs: [ReceiverEpoch] = []
        for index in 0..<6 {
            let start = 10 + cycle * Double(index)
            func addHeading() {
                let now = Self.arrival(start + after * min(cycle, 0.5) * 2)
                if let epoch = assembler.expire(at: now.monotonic) { epochs.append(epoch) }
                epochs += assembler.add(headingDegrees: Double(index), at: now)
            }
            if after < 0 { addHeading() }
            epochs += assembler.add(Self.fix(utcSeconds: start, height: 500), at: Self.arrival(start))
            if after > 0 { addHeading() }
        }
        // THEN, once its content is known, each epoch has its own
        #expect(epochs.count == 6)
        #expect(epochs.dropFirst(3).map(\.fix.headingDegrees) == [3, 4, 5])
    }

    @Test func aReceiverWithOneReportPerEpochIsNotDelayed() {
        // GIVEN a receiver with one report per epoch
        var assembler = EpochAssembler()
        #expect(assembler.add(Self.fix(utcSeconds: 1, height: 1), at: Self.arrival(1)).isEmpty)
        // WHEN the second report arrives THEN both epochs are delivered, and every later one at once
        #expect(assembler.add(Self.fix(utcSeconds: 2, height: 1), at: Self.arrival(2)).count == 2)
        #expect(assembler.add(Self.fix(utcSeconds: 3, height: 1), at: Self.arrival(3)).count == 1)
        #expect(assembler.deadline == nil)
    }

    @Test func anIncompleteEpochIsDeliveredAfterTheHoldTime() {
        // GIVEN two epochs that ended with a speed, 60 ms after their start
        var assembler = EpochAssembler()
        for second in [1.0, 2.0] {
            _ = assembler.add(Self.fix(utcSeconds: second), at: Self.arrival(second))
            _ = assembler.add(Self.fix(utcSeconds: second, height: 5, speed: 1), at: Self.arrival(second + 0.06))
        }
        // WHEN the third epoch never gets a speed
        #expect(assembler.add(Self.fix(utcSeconds: 3), at: Self.arrival(3)).isEmpty)
        #expect(assembler.expire(at: Self.arrival(3.08).monotonic) == nil)
        // THEN it is delivered 60 + 30 ms after its first report, and only once
        #expect(assembler.expire(at: Self.arrival(3.0901).monotonic)?.fix.mode == 2)
        #expect(assembler.expire(at: Self.arrival(3.5).monotonic) == nil)
        #expect(assembler.add(Self.fix(utcSeconds: 3, height: 5, speed: 1), at: Self.arrival(3.6)).isEmpty)
    }

    @Test func lateContentIsLearnedForTheNextEpochs() {
        // GIVEN a receiver that first has one report per epoch and then two
        var assembler = EpochAssembler()
        var lastSpeed: Double?
        for second in 1...8 {
            let start = Double(second)
            var ready = assembler.add(Self.fix(utcSeconds: start, height: 5), at: Self.arrival(start))
            if second > 3 {
                ready += assembler.add(Self.fix(utcSeconds: start, height: 5, speed: 2), at: Self.arrival(start + 0.1))
            }
            if let epoch = ready.last { lastSpeed = epoch.fix.speedMetersPerSecond }
        }
        // THEN two epochs later the assembler waits for the second report
        #expect(lastSpeed == 2)
    }

    @Test func aSecondReportIsWaitedForAfterTwoEpochsThatHadIt() {
        // GIVEN a receiver that has a second report, with the speed, from its fourth epoch on
        var assembler = EpochAssembler()
        var speeds: [Double?] = []
        for second in 1...8 {
            let start = Double(second)
            var ready = assembler.add(Self.fix(utcSeconds: start, height: 5), at: Self.arrival(start))
            if second > 3 {
                ready += assembler.add(Self.fix(utcSeconds: start, height: 5, speed: 2), at: Self.arrival(start + 0.1))
            }
            speeds += ready.map(\.fix.speedMetersPerSecond)
        }
        // THEN the fourth and the fifth are delivered with the first report, and the sixth waits for the second one
        #expect(speeds == [nil, nil, nil, nil, nil, 2, 2, 2])
    }

    @Test func withoutAnyTimeReportsAreGroupedByPositionAndMoment() {
        var assembler = EpochAssembler()
        var count = 0
        for second in 0..<10 {
            let latitude = 48 + 1e-5 * Double(second)
            count +=
                assembler.add(Self.fix(utcSeconds: nil, latitude: latitude), at: Self.arrival(Double(second))).count
            count +=
                assembler.add(
                    Self.fix(utcSeconds: nil, height: 5, latitude: latitude), at: Self.arrival(Double(second) + 0.05)
                ).count
        }
        #expect(count == 10)
    }

    @Test func aReportWithoutAFixDropsTheHeldEpoch() {
        var assembler = EpochAssembler()
        _ = assembler.add(Self.fix(utcSeconds: 5), at: Self.arrival(5))
        assembler.addNoFix(utcNanoseconds: 5_000_000_000)
        #expect(assembler.deadline == nil)
        #expect(assembler.expire(at: Self.arrival(9).monotonic) == nil)
    }
}

@Suite struct CycleEstimateTests {
    @Test func theCycleFollowsTheReceiversTimeInABurst() {
        // GIVEN a 5 Hz receiver for which gpsd reports a cycle of 1 s
        var cycle = CycleEstimate()
        cycle.nominalSeconds = 1
        #expect(cycle.seconds == 1)
        // WHEN ten epochs arrive in one burst
        for index in 0..<10 {
            cycle.add(
                utcNanoseconds: Int64(index) * 200_000_000 + 1, arrival: MonotonicTime(nanoseconds: 5_000_000_000))
        }
        // THEN the cycle is the receiver's
        #expect(abs(cycle.seconds - 0.2) < 1e-9)
    }

    @Test func untilThreeIntervalsTheCycleIsGpsds() {
        // GIVEN a receiver of which nothing is known THEN its cycle is 1 s, as gpsd assumes
        var cycle = CycleEstimate()
        #expect(cycle.seconds == 1)
        // WHEN gpsd reports another one THEN it holds for two intervals, of 0.2 s, and not after the third
        cycle.nominalSeconds = 0.5
        let cycles = (0...3).map { index in
            let nanoseconds = Int64(index) * 200_000_000
            cycle.add(utcNanoseconds: nanoseconds + 1, arrival: MonotonicTime(nanoseconds: nanoseconds))
            return cycle.seconds
        }
        #expect(cycles.prefix(3) == [0.5, 0.5, 0.5] && abs(cycles[3] - 0.2) < 1e-9)
        // AND it is within 0.02 and 30 s, whatever gpsd reports
        for (reported, used) in [(0.001, 0.02), (3600, 30)] {
            var other = CycleEstimate()
            other.nominalSeconds = reported
            #expect(other.seconds == used)
        }
    }

    @Test(arguments: [(29.999, 29.999), (30.001, 1), (-5, 1), (0.5, 0.5)])
    func anIntervalOfTheReceiverIsUpToThirtySeconds(interval: Double, cycle: Double) {
        // GIVEN reports that arrive once a second, with times of the receiver that are further apart, or go back THEN
        // the receiver's intervals hold up to 30 s, and otherwise those of the arrivals
        var estimate = CycleEstimate()
        for index in 0..<4 {
            let utc = 1_000_000_000_000 + Int64((Double(index) * interval * 1e9).rounded())
            estimate.add(
                utcNanoseconds: utc, arrival: MonotonicTime(nanoseconds: Int64(index) * 1_000_000_000))
        }
        #expect(abs(estimate.seconds - cycle) < 1e-9)
    }

    @Test func reportsWithoutATimeAreNoEpochsOfATimedReceiver() {
        // GIVEN a 1 Hz receiver whose first report of each epoch has no time, 0.2 s before the one with a time THEN its
        // cycle is 1 s after each report
        var cycle = CycleEstimate()
        for second in 1...10 {
            let nanoseconds = Int64(second) * 1_000_000_000
            cycle.add(utcNanoseconds: nil, arrival: MonotonicTime(nanoseconds: nanoseconds - 200_000_000))
            #expect(abs(cycle.seconds - 1) < 1e-9)
            cycle.add(utcNanoseconds: nanoseconds, arrival: MonotonicTime(nanoseconds: nanoseconds))
            #expect(abs(cycle.seconds - 1) < 1e-9)
        }
        // WHEN it reports no time any more, at 2 Hz THEN the cycle is that of the arrivals
        for half in 21...40 {
            cycle.add(utcNanoseconds: nil, arrival: MonotonicTime(nanoseconds: Int64(half) * 500_000_000))
        }
        #expect(abs(cycle.seconds - 0.5) < 1e-9)
    }

    @Test func withoutTimesTheCycleFollowsTheArrivals() {
        var cycle = CycleEstimate()
        for index in 0..<10 {
            let start = Int64(index) * 2_000_000_000
            cycle.add(utcNanoseconds: nil, arrival: MonotonicTime(nanoseconds: start))
            cycle.add(utcNanoseconds: nil, arrival: MonotonicTime(nanoseconds: start + 50_000_000))
        }
        #expect(abs(cycle.seconds - 2) < 1e-9)
    }
}
