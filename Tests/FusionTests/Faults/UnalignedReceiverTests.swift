import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// Receivers alone that delay their velocity, are jammed, or send an older fix.
@Suite struct UnalignedReceiverTests {
    /// A fix at a place, metres to the east, with a speed to the east, m/s.
    private static func fix(_ seconds: Double, east: Double, speed: Double) -> GnssFix {
        let time = MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
        let place = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8, altitudeEllipsoidMeters: 400)
            .moved(byENU: Vector3(east, 0, 0))
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
        (fix.altitudeEllipsoidMeters, fix.horizontalSigmaMeters) = (400, 1.5)
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: speed, northMetersPerSecond: 0)
        fix.speedSigmaMetersPerSecond = 0.1
        return fix
    }

    @Test(arguments: [1.0, 5], [0.5, 1.2, 2]) func aLateVelocityIsNoDrift(rateHertz: Double, lag: Double) {
        // GIVEN a receiver whose velocity is late WHEN a vehicle sets off with 2.5 m/s2, up to 20 m/s
        func speed(_ seconds: Double) -> Double { 2.5 * min(max(seconds - 10, 0), 8) }
        func way(_ seconds: Double) -> Double {
            let begun = min(max(seconds - 10, 0), 8)
            return 1.25 * begun * begun + 20 * max(seconds - 18, 0)
        }
        var (estimator, drifting) = (PoseEstimator(), Double?.none)
        for step in 0...Int(60 * rateHertz) {
            let seconds = Double(step) / rateHertz
            let dragged = 5 * max(seconds - 45, 0)
            _ = estimator.ingest(
                .gnss(Self.fix(seconds, east: way(seconds) + dragged, speed: speed(seconds - lag))))
            if drifting == nil, estimator.receiverVerdict != .trusted { drifting = seconds }
        }
        // THEN it is trusted, until its positions are dragged off by 5 m/s: that is found within 10 s
        #expect((drifting ?? 0) > 45 && (drifting ?? .infinity) < 55, "\(drifting ?? -1) s")
        #expect(estimator.receiverVerdict == .drifting)
    }

    @Test func aJammedReceiverIsToldBeforeTheFilterRuns() {
        // GIVEN a receiver whose second fix says that it is jammed THEN the verdict says so until the next good one
        var (estimator, verdicts) = (PoseEstimator(), [ReceiverVerdict]())
        for second in 0...2 {
            var fix = Self.fix(Double(second), east: 10 * Double(second), speed: 10)
            fix.isInterfered = second == 1
            _ = estimator.ingest(.gnss(fix))
            verdicts.append(estimator.receiverVerdict)
        }
        #expect(verdicts == [.trusted, .interference, .trusted])
        #expect(estimator.rejections.fixInterfered == 1)
        // AND from the first fix on
        var first = PoseEstimator()
        var jammed = Self.fix(0, east: 0, speed: 0)
        jammed.isInterfered = true
        _ = first.ingest(.gnss(jammed))
        #expect(first.receiverVerdict == .interference && first.estimate.position == nil)
    }

    @Test(arguments: [UInt8(0), 1], [1.5, 2]) func anOlderFixMovesNothing(receiver: UInt8, seconds: Double) throws {
        // GIVEN a vehicle at 20 m/s, and its fixes of two seconds WHEN another one comes that is not newer
        var estimator = PoseEstimator()
        for second in 1...2 {
            _ = estimator.ingest(.gnss(Self.fix(Double(second), east: 20 * Double(second), speed: 20)))
        }
        var clean = estimator
        var older = Self.fix(seconds, east: 20 * seconds, speed: 20)
        older.arrivalTime = MonotonicTime(nanoseconds: 2_100_000_000)
        older.receiver = receiver
        let isNew = estimator.ingest(.gnss(older))
        #expect(!isNew && estimator.rejections.fixUnconfirmed == 1)
        // THEN half a second later the place is what it is without that one
        let time = MonotonicTime(nanoseconds: 2_500_000_000)
        _ = clean.carryOn(to: time)
        _ = estimator.carryOn(to: time)
        let expected = try #require(clean.estimate.position)
        #expect(try #require(estimator.estimate.distanceMeters(to: expected)) < 0.01)
    }
}
