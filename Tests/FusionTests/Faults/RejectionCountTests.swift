import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Every measurement that is not used counts once, with its own reason.
@Suite struct RejectionCountTests {
    @Test func theReasonOfTheLastRejectionStays() {
        // GIVEN a source with two rejections WHEN its next observation is accepted THEN the reason of the second is
        // still known, and the last observation has none
        var status = AidSourceStatus()
        status.reject(because: .innovation)
        status.reject(because: .unconfirmed)
        status.accept()
        #expect(status.lastRejection == .unconfirmed && status.rejection == .none)
        #expect(status.acceptedCount == 1 && status.rejectedCount == 2)
    }

    @Test func everyDistantFixCountsOnceWithItsOwnReason() throws {
        // GIVEN a running filter WHEN one fix of a jammed receiver comes, then four 100 m off that agree
        let attack = try ReceiverAttack.shared(seed: 2)
        let before = try #require(attack.before.aid(.gnssPosition))
        var records: [AidSourceStatus] = []
        _ = attack.run(
            seconds: 8,
            change: { fix, count, _ in
                var changed = fix.moved(east: 60, north: 80)
                if count == 1 { changed.isInterfered = true }
                return count <= 5 ? changed : nil
            },
            watch: { estimator, _ in
                guard let record = estimator.aid(.gnssPosition) else { return }
                if record.rejectedCount != (records.last ?? before).rejectedCount { records.append(record) }
            })
        // THEN each counts once: the first as jammed, three as unconfirmed, the last, which those confirm, by its
        // innovation, 100 m against 5 sigmas of 2.5 m
        #expect(records.map { $0.rejectedCount &- before.rejectedCount } == [1, 2, 3, 4, 5])
        #expect(
            records.map(\.rejection) == [.interference, .unconfirmed, .unconfirmed, .unconfirmed, .innovation])
        // AND the innovation in the record is that of the fix: 60 or 80 m on an axis, but for 3 sigmas of the receiver
        #expect(
            records.dropFirst().allSatisfy { abs($0.innovation) > 50 && abs($0.innovation) < 90 && $0.testRatio > 1 })
    }

    @Test func whatComesBeforeTheFilterRunsIsCounted() {
        // GIVEN an estimator without a fix WHEN wheel speeds, and ten barometer samples a second for a second, come
        var estimator = PoseEstimator()
        for k in 0..<10 {
            let time = MonotonicTime(nanoseconds: Int64(k) * 100_000_000 + 1)
            _ = estimator.ingest(.wheelSpeed(WheelSpeedSample(time: time, speedMetersPerSecond: 3)))
            _ = estimator.ingest(.pressure(PressureSample(time: time, pressurePascal: 101_000)))
        }
        // THEN each wheel speed counts, and each mean of the barometer: the first sample, then one of two
        #expect(estimator.rejections.wheelSpeedWithoutFilter == 10)
        #expect(estimator.rejections.pressureWithoutFilter == 5)
        // WHEN a sample is not later than the last THEN it is counted as that
        _ = estimator.ingest(
            .pressure(PressureSample(time: MonotonicTime(nanoseconds: 5), pressurePascal: 101_000)))
        #expect(estimator.rejections.pressureTimeBackwards == 1 && estimator.rejections.total == 1)
    }

    @Test func aBarometerWithoutAHeightIsCounted() throws {
        // GIVEN a running filter whose height has a sigma of 30 m WHEN a barometer begins THEN its mean is counted as
        // not used
        var estimator = try ReceiverAttack.shared(seed: 2).before
        estimator.filter.covariance.restart(.position.z, variance: 900)
        let time = estimator.estimate.time
        _ = estimator.ingest(.pressure(PressureSample(time: time, pressurePascal: 101_000)))
        #expect(estimator.rejections.pressureWithoutHeight == 1)
        // WHEN the height is known again THEN it is used
        estimator.filter.covariance.restart(.position.z, variance: 25)
        _ = estimator.ingest(
            .pressure(PressureSample(time: time.advanced(bySeconds: 0.5), pressurePascal: 101_000)))
        #expect(estimator.rejections.pressureWithoutHeight == 1)
    }
}
