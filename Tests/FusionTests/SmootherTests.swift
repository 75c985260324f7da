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

    /// Filter and smoother over the same drive of an RTK receiver, the fixes of which are changed on the way.
    private struct Trial {
        let simulated: SimulatedDrive
        var filtered: [PoseEstimate] = []
        var smoothed: [PoseEstimate] = []
        /// The filter at the end.
        var filter: NavigationFilter

        init(
            seconds: Double = 180, positionLag: Double = 0, velocityLag: Double = 0,
            change: (inout GnssFix, DriveTruth) -> Void = { _, _ in }
        ) throws {
            var plan = DrivePlan.random(seed: 1, edges: 14)
            plan.standingSecondsBefore = 5
            var receiver = SatelliteReceiver.rtk
            receiver.leverArmBodyMeters = Vector3(1.2, 0.6, 0)
            (receiver.positionLagSeconds, receiver.velocityLagSeconds) = (positionLag, velocityLag)
            var suite = SensorSuite()
            suite.satellite = receiver
            simulated = SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: 1)
            var filter = PoseEstimator()
            var smoother = TrajectorySmoother()
            for event in simulated {
                guard event.arrivalTime.seconds < seconds else { break }
                var event = event
                if case .gnss(var fix) = event {
                    change(&fix, simulated.truth(at: fix.validityTime))
                    event = .gnss(fix)
                }
                if filter.ingest(event) { filtered.append(filter.estimate) }
                smoother.ingest(event)
            }
            smoother.finish()
            smoothed = smoother.takeEstimates()
            self.filter = filter.filter
        }

        /// Horizontal error, metres; `nil` without a position.
        func error(of estimate: PoseEstimate) -> Double? {
            guard let place = estimate.position else { return nil }
            let offset = simulated.truth(at: estimate.time).position.surfaceOffsetMeters(to: place)
            return (offset.east * offset.east + offset.north * offset.north).squareRoot()
        }

        /// Root mean squares of the horizontal error and of its 1-sigma over some seconds, metres.
        func accuracy(_ estimates: [PoseEstimate], in seconds: ClosedRange<Double>) -> (error: Double, sigma: Double) {
            var (squares, variances, count) = (0.0, 0.0, 0.0)
            for estimate in estimates where seconds.contains(estimate.time.seconds) {
                guard let wrong = error(of: estimate), let sigma = estimate.positionSigmaENUMeters else { continue }
                squares += wrong * wrong
                variances += sigma.x * sigma.x + sigma.y * sigma.y
                count += 1
            }
            return ((squares / max(count, 1)).squareRoot(), (variances / max(count, 1)).squareRoot())
        }

        /// Expects that what came after two minutes has not made the minute before worse.
        func expectSoundPast(sourceLocation: SourceLocation = #_sourceLocation) {
            let before = accuracy(filtered, in: 60...119)
            let after = accuracy(smoothed, in: 60...119)
            #expect(before.sigma > 0 && after.sigma > 0, sourceLocation: sourceLocation)
            #expect(after.error < 3 * after.sigma, "\(after)", sourceLocation: sourceLocation)
            #expect(after.error < before.error + 0.01, "\(after) \(before)", sourceLocation: sourceLocation)
        }
    }

    @Test func aLateReceiverIsSmoothedInTheOrderOfItsPositions() throws {
        // GIVEN a receiver whose positions are 0.6 s old and whose velocities are 1.2 s old, as the filter finds WHEN
        // the drive is smoothed THEN the track is better than the filter's, and its sigma holds
        let trial = try Trial(positionLag: 0.6, velocityLag: 1.2)
        let before = trial.accuracy(trial.filtered, in: 90...170)
        let after = trial.accuracy(trial.smoothed, in: 90...170)
        #expect(after.error < before.error && after.error < 3 * after.sigma, "\(after) \(before)")
        // AND each estimate comes once, in order, none before its fix
        let times = trial.smoothed.map(\.time)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(trial.smoothed.allSatisfy { ($0.fixAgeSeconds ?? 0) >= 0 })
        var filter = trial.filter
        #expect(filter.knownFixAge > 0.3)
    }

    @Test func anotherKindOfSolutionSaysNothingOfTheTimeBefore() throws {
        // GIVEN a drive whose RTK receiver has no corrections any more after two minutes, and is 2 m off from then on
        let trial = try Trial { fix, _ in
            guard fix.validityTime.seconds >= 120 else { return }
            fix = fix.moved(east: 1.5, north: -1.5)
            (fix.quality, fix.horizontalSigmaMeters, fix.verticalSigmaMeters) = (.autonomous, 2, 3)
        }
        // WHEN it is smoothed THEN the time before is as good as with the filter, and its sigma holds
        trial.expectSoundPast()
    }

    @Test func anotherReceiverSaysNothingOfTheOneBefore() throws {
        // GIVEN a drive whose fixes come from another receiver after two minutes, with an antenna 2.8 m behind
        let way = Vector3(-2.5, -1.2, 0)
        let trial = try Trial { fix, truth in
            guard fix.validityTime.seconds >= 120 else { return }
            let offset = truth.bodyToENU.rotate(way)
            let swing = truth.bodyToENU.rotate(truth.angularRateBodyRadiansPerSecond.cross(way))
            fix = fix.moved(east: offset.x, north: offset.y, velocityEast: swing.x, velocityNorth: swing.y)
            fix.altitudeEllipsoidMeters? += offset.z
            fix.climbMetersPerSecond? += swing.z
            fix.receiver = 1
        }
        // WHEN it is smoothed THEN the time before is as good as with the filter, and its sigma holds
        trial.expectSoundPast()
    }

    @Test func anAnnouncedJumpIsNoSlide() throws {
        // GIVEN a drive whose fixes are 72 m off after 100 s WHEN the filter has jumped to them
        let trial = try Trial { fix, _ in
            guard fix.validityTime.seconds >= 100 else { return }
            fix = fix.moved(east: 60, north: -40)
        }
        let last = try #require(trial.smoothed.last)
        #expect(last.resetCount > 0)
        // THEN the smoothed way jumps as well: no place lies between
        let between = trial.smoothed.filter { $0.time.seconds > 60 && (5...60).contains(trial.error(of: $0) ?? 30) }
        #expect(between.isEmpty, "\(between.count)")
    }

    @Test func refusedFixesAtTheEndDoNotMakeTheDriveUnsure() throws {
        // GIVEN a drive, and the same with fixes that are 60 m off in the last 1.8 s, and are refused
        let sound = try Trial(seconds: 150) { _, _ in }
        let refused = try Trial(seconds: 150) { fix, _ in
            guard fix.validityTime.seconds >= 148.2 else { return }
            fix = fix.moved(east: 60, north: 0)
        }
        // WHEN both are smoothed THEN the sigma of the time before is about the same
        let expected = sound.accuracy(sound.smoothed, in: 60...140).sigma
        let found = refused.accuracy(refused.smoothed, in: 60...140).sigma
        #expect(expected > 0 && found < 3 * expected, "\(found) m, without them \(expected) m")
        // AND that of the end says that they were refused
        #expect(refused.accuracy(refused.smoothed, in: 149.6...150).sigma > 10)
    }

    /// A filter at rest that knows its place to 1 m, and the GNSS bias to 2 m.
    private func restingFilter() -> NavigationFilter {
        let place = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400)
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0), position: place, velocityENU: .zero, sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: .zero)
        filter.covariance.restart(.position, variance: 1)
        filter.covariance.restart(.gnssBias, variance: 4)
        return filter
    }

    @Test(arguments: [(0.0, 1.0), (12, 0.25), (.infinity, 0)])
    func whatWasForgottenIsNotCarriedBack(variance: Double, share: Double) {
        // GIVEN a filter whose GNSS bias may change by a variance at an update, or begins anew
        var filter = restingFilter()
        var journal = SmoothingJournal()
        journal.begin(with: &filter)
        journal.beginUpdate(&filter)
        if variance.isFinite {
            filter.addVariance(variance, to: .gnssBias.x)
        } else {
            filter.restart(.gnssBias.x, variance: 9)
        }
        // WHEN the update finds it 3 m larger, to 1 m
        filter.state.gnssBiasENU.x += 3
        filter.covariance[.gnssBias.x, .gnssBias.x] = 1
        journal.endUpdate(&filter)
        // THEN the share of its variance that it had before takes that part of the error back, and nothing else does
        var first = BackwardPass.smooth(journal.epochs)[0]
        #expect(abs(first.state.gnssBiasENU.x - 3 * share) < 1e-6)
        let expected = variance.isFinite ? 4 + share * share * (1 - 4 - variance) : 4
        #expect(abs(first.covariance[.gnssBias.x, .gnssBias.x] - expected) < 1e-6)
        #expect(abs(first.covariance[.position.x, .position.x] - 1) < 1e-6)
    }

    @Test func whatBeginsAnewIsForgotten() {
        // GIVEN a filter WHEN another receiver comes THEN its antenna, lags and bias begin anew, and the place does not
        var filter = restingFilter()
        filter.forgotten = StateArray(repeating: 0)
        var fix = GnssFix(
            validityTime: filter.state.time, arrivalTime: filter.state.time, mode: .threeDimensional)
        fix.receiver = 1
        filter.change(toReceiverOf: fix)
        for state in [FilterState.antennaArm, .positionLag, .velocityLag, .gnssBias] {
            for i in state.elements { #expect(filter.forgotten[i] == .infinity) }
        }
        for i in FilterState.position.elements { #expect(filter.forgotten[i] == 0) }
        // WHEN a barometer is read for the first time THEN its offset begins, and drifts from then on
        let offset = FilterState.barometerOffset.index
        #expect(filter.forgotten[offset] == 0)
        filter.fuseBarometricHeight(500)
        #expect(filter.forgotten[offset] == .infinity)
        filter.forgotten = StateArray(repeating: 0)
        filter.state.time = filter.state.time.advanced(bySeconds: 1)
        filter.fuseBarometricHeight(500)
        #expect(filter.forgotten[offset] > 0 && filter.forgotten[offset] < 1)
    }

    /// A sample of a boat at rest.
    private func sample(_ milliseconds: Int64) -> DelayedMeasurementBuffer.Sample {
        DelayedMeasurementBuffer.Sample(
            time: MonotonicTime(nanoseconds: milliseconds * 1_000_000), angularRate: .zero,
            specificForce: Vector3(0, 0, 9.8), meanAngularRate: .zero, isStill: false,
            noise: IMUNoiseEstimator.Density())
    }

    /// A boat at rest, its samples of a second in the journal.
    private func boat() -> (filter: NavigationFilter, buffer: DelayedMeasurementBuffer) {
        let place = GeodeticPosition(latitudeDegrees: 54, longitudeDegrees: 10, altitudeEllipsoidMeters: 40)
        let begin = NavigationState(
            time: MonotonicTime(nanoseconds: 0), position: place, velocityENU: .zero, sensorToENU: .identity)
        var filter = NavigationFilter(at: begin, leverArm: .zero, profile: .boat)
        var buffer = DelayedMeasurementBuffer()
        buffer.journal = SmoothingJournal()
        buffer.note(sample(0))
        buffer.begin(with: &filter, at: 0)
        for number in Int64(1)...50 { buffer.advance(&filter, to: sample(20 * number)) }
        return (filter, buffer)
    }

    @Test func aHeadingOfTheLastSampleDoesNotTurnTheJournalBack() {
        // GIVEN a boat at rest, its samples of a second in the journal WHEN a magnetic heading of the last one comes
        var (filter, buffer) = boat()
        let processed = buffer.processedSamples
        let heading = MagneticHeading(
            time: filter.state.time, sensorToENU: filter.state.sensorToENU, variance: 0.001, dipTangent: 2)
        let isTaken = buffer.insert(.magneticHeading(heading), into: &filter)
        // THEN no sample is processed again, and it is fused with the next one
        #expect(isTaken && buffer.processedSamples == processed)
        buffer.advance(&filter, to: sample(1020))
        #expect(filter.aids[Int(AidSource.magneticHeading.rawValue)].acceptedCount == 1)
        // AND the updates of the journal are in order
        let times = (buffer.journal?.epochs ?? []).map(\.predicted.time)
        #expect(times.count > 5 && zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func aLagThatIsJustFoundDoesNotTurnTheJournalBack() {
        // GIVEN a boat at rest, its samples of a second in the journal
        var (filter, buffer) = boat()
        let place = filter.state.position
        let processed = buffer.processedSamples
        // WHEN a fix comes that is stamped 0.1 s after the last of them, and is 0.3 s older, as is known now
        let stamp = MonotonicTime(nanoseconds: 1_100_000_000)
        var fix = GnssFix(validityTime: stamp, arrivalTime: stamp, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
        fix.horizontalSigmaMeters = 2
        let isTaken = buffer.insert(.fix(fix, age: 0.3), into: &filter)
        // THEN no sample is processed again, and it is fused right after the last one, 0.1 s before its stamp
        #expect(isTaken && buffer.processedSamples == processed)
        buffer.advance(&filter, to: sample(1020))
        #expect(filter.aids[Int(AidSource.gnssPosition.rawValue)].acceptedCount == 1)
        #expect(abs(filter.fixAge - 0.1) < 1e-8, "\(filter.fixAge)")
        // AND the updates of the journal are in order
        let times = (buffer.journal?.epochs ?? []).map(\.predicted.time)
        #expect(times.count > 5 && zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
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

    @Test func ofTwoFixesOfOneInstantTheOneThatCameFirstCounts() throws {
        // GIVEN two fixes of one instant, 30 m apart WHEN both are smoothed THEN they keep the order in which they
        // came: the second one is not later than the first, and is not used
        let place = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400)
        let time = MonotonicTime(nanoseconds: 5_000_000_000)
        var smoother = TrajectorySmoother()
        for east in [0.0, 30] {
            let there = place.moved(byENU: Vector3(east, 0, 0))
            var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
            (fix.latitudeRadians, fix.longitudeRadians) = (there.latitudeRadians, there.longitudeRadians)
            (fix.altitudeEllipsoidMeters, fix.horizontalSigmaMeters) = (400, 2)
            smoother.ingest(.gnss(fix))
        }
        smoother.finish()
        let estimates = smoother.takeEstimates()
        let found = try #require(estimates.last?.position)
        let offset = place.surfaceOffsetMeters(to: found)
        #expect(abs(offset.east) < 1e-3 && abs(offset.north) < 1e-3, "\(offset)")
    }
}
