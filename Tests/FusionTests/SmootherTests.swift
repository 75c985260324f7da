import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// The trajectory after the fact.
@Suite struct SmootherTests {
    private struct Errors {
        var outage = 0.0
        var elsewhere = 0.0
        var estimates = 0
        var isOrdered = true
    }

    /// RMS of the horizontal error inside and outside an outage.
    private func errors(_ estimates: [PoseEstimate], _ simulated: SimulatedDrive, outage: ClosedRange<Double>) -> Errors
    {
        var (inside, outside, insideCount, outsideCount) = (0.0, 0.0, 0.0, 0.0)
        var result = Errors()
        var last = -Double.infinity
        for estimate in estimates {
            result.estimates += 1
            result.isOrdered = result.isOrdered && estimate.time.seconds >= last
            last = estimate.time.seconds
            guard let place = estimate.position, estimate.time.seconds > outage.lowerBound - 60 else { continue }
            let offset = simulated.truth(at: estimate.time).position.surfaceOffsetMeters(to: place)
            let squared = offset.east * offset.east + offset.north * offset.north
            if outage.contains(estimate.time.seconds) {
                (inside, insideCount) = (inside + squared, insideCount + 1)
            } else {
                (outside, outsideCount) = (outside + squared, outsideCount + 1)
            }
        }
        result.outage = (inside / max(insideCount, 1)).squareRoot()
        result.elsewhere = (outside / max(outsideCount, 1)).squareRoot()
        return result
    }

    @Test(arguments: [UInt64(3), 8]) func whatCameLaterMendsAnOutage(seed: UInt64) throws {
        // GIVEN a long drive (several blocks of the backward pass) with good fixes, delayed, and a minute without any
        let drive = try Drive(.random(seed: seed, edges: 40))
        let middle = drive.durationSeconds / 2
        var suite = SensorSuite()
        var receiver = SatelliteReceiver()
        receiver.wanderingMeters = 0.02
        receiver.whiteMeters = 0.01
        receiver.outages = [middle...middle + 60]
        suite.satellite = receiver
        let simulated = SimulatedDrive(drive: drive, sensors: suite, seed: seed)
        // WHEN the filter runs, and the smoother over the same events
        var filter = PoseEstimator()
        var smoother = TrajectorySmoother()
        var (filtered, smoothed): ([PoseEstimate], [PoseEstimate]) = ([], [])
        var samples = 0
        for event in simulated {
            if case .inertial = event { samples += 1 }
            if filter.ingest(event) { filtered.append(filter.estimate) }
            smoother.ingest(event)
            smoothed += smoother.takeEstimates()
        }
        smoother.finish()
        smoothed += smoother.takeEstimates()
        // THEN no sample's estimate is lost or out of order, the outage's error shrinks by half at the least, and the
        // rest is no worse
        let before = errors(filtered, simulated, outage: middle...middle + 60)
        let after = errors(smoothed, simulated, outage: middle...middle + 60)
        #expect(after.isOrdered && after.estimates >= samples && before.estimates >= samples)
        #expect(after.outage < 0.5 * before.outage, "\(after.outage) m of \(before.outage) m")
        #expect(after.elsewhere < before.elsewhere, "\(after.elsewhere) m of \(before.elsewhere) m")
    }

    /// A sample at rest.
    private func resting(_ seconds: Double) -> SensorEvent {
        .inertial(
            InertialSample(
                time: MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds), angularRateRadiansPerSecond: .zero,
                specificForceMetersPerSecondSquared: Vector3(0, 0, 9.8)))
    }

    @Test func anEventWaitsElevenSecondsForEarlierOnes() {
        // GIVEN ten samples a second WHEN less than eleven seconds have passed THEN no estimate is ready
        var smoother = TrajectorySmoother()
        for k in 0...108 where k != 1 { smoother.ingest(resting(Double(k) * 0.1)) }
        smoother.ingest(resting(10.95))
        let early = smoother.takeEstimates()
        #expect(early.isEmpty)
        // AND a sample that comes as late as that has its place
        smoother.ingest(resting(0.1))
        smoother.ingest(resting(11.15))
        let first = smoother.takeEstimates().map(\.time.nanoseconds)
        #expect(first == [0, 100_000_000])
        // WHEN the recording ends THEN the others follow, each once
        smoother.finish()
        let rest = smoother.takeEstimates().map(\.time.nanoseconds)
        #expect(rest.count == 109 && rest.first == 200_000_000 && rest.last == 11_150_000_000)
        #expect(zip(rest, rest.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func anErrorIsTheInverseOfItsApplication() {
        // GIVEN a state moved by an error in every element; THEN the error between the two is that one, to the rounding
        // of degrees in radians (1e-6 m)
        var random = RandomSource(seed: 5, use: 1)
        var error = ErrorVector()
        for i in 0..<FilterState.count { error[i] = random.gaussian() * 0.01 }
        let place = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 179.999_999, altitudeEllipsoidMeters: 300)
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0), position: place, velocityENU: Vector3(3, 4, 0),
            sensorToENU: random.rotation())
        var moved = state
        moved.apply(error)
        let found = moved.error(from: state)
        for i in 0..<FilterState.count { #expect(abs(found[i] - error[i]) < 1e-6, "\(i)") }
    }
}
