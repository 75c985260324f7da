import Foundation
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Random sequences of events that no sensor would send: nothing traps, nothing published is not finite, the covariance
/// stays one.
@Suite struct HostileSequenceTests {
    /// A million sequences by night, a share of them in every run.
    private static let sequences = ProcessInfo.processInfo.environment["POSED_NIGHTLY"] == "1" ? 1_000_000 : 4_000
    private static let eventsEach = 40

    @Test func hostileSequencesLeaveTheFilterSound() async throws {
        // GIVEN the state of a drive at several moments, filter running, and one that has seen nothing
        let states = try Self.states()
        // WHEN each of many random sequences is fed to one of them (seeds kept: the number of the sequence)
        let batches = 50
        let sound = await withTaskGroup(of: Int.self) { group in
            for batch in 0..<batches {
                group.addTask {
                    stride(from: batch, to: Self.sequences, by: batches).count { number in
                        var random = RandomSource(seed: UInt64(number), use: 31)
                        var estimator = states[number % states.count]
                        return Self.isSound(&estimator, &random)
                    }
                }
            }
            return await group.reduce(0, +)
        }
        // THEN all of them leave finite estimates and a covariance that is symmetric and positive
        #expect(sound == Self.sequences)
    }

    private static func states() throws -> [PoseEstimator] {
        let simulated = SimulatedDrive(
            drive: try Drive(.random(seed: 4, edges: 4)), sensors: FaultInjection.fullSuite, seed: 4)
        var states = [PoseEstimator()]
        var estimator = PoseEstimator()
        var next = 10.0
        for event in simulated {
            _ = estimator.ingest(event)
            if event.arrivalTime.seconds > next {
                states.append(estimator)
                next += 15
            }
        }
        return states
    }

    private static func isSound(_ estimator: inout PoseEstimator, _ random: inout RandomSource) -> Bool {
        var now = max(estimator.estimate.time.seconds, 0)
        for _ in 0..<eventsEach {
            now += random.chance(0.03) ? random.uniform(-3, 8) : 0.01
            guard let event = event(at: now, estimator, &random) else { continue }
            _ = estimator.ingest(event)
            guard estimator.estimate.isFinite else { return false }
        }
        return !estimator.isNavigating || estimator.filter.covariance.isSoundCovariance
    }

    /// Around what is true, wildly wrong, or no number at all.
    private static func number(_ scale: Double, _ random: inout RandomSource) -> Double {
        switch random.unit() {
        case ..<0.6: random.gaussian() * scale
        case ..<0.8: random.gaussian() * scale * 100
        case ..<0.9: FaultInjection.odd[Int(random.uniform(0, 2))]
        default: FaultInjection.absurd[Int(random.uniform(0, 4))]
        }
    }

    private static func event(at seconds: Double, _ estimator: PoseEstimator, _ random: inout RandomSource)
        -> SensorEvent?
    {
        guard let time = MonotonicTime(seconds: seconds) else { return nil }
        func vector(_ scale: Double) -> Vector3 {
            Vector3(number(scale, &random), number(scale, &random), number(scale, &random))
        }
        switch random.unit() {
        case ..<0.7:
            return .inertial(
                InertialSample(
                    time: time, angularRateRadiansPerSecond: vector(1), specificForceMetersPerSecondSquared: vector(10))
            )
        case ..<0.75: return .magnetic(MagneticSample(time: time, fluxDensityTesla: vector(30e-6)))
        case ..<0.8: return .pressure(PressureSample(time: time, pressurePascal: 95_000 + number(3_000, &random)))
        case ..<0.87: return .wheelSpeed(WheelSpeedSample(time: time, speedMetersPerSecond: number(15, &random)))
        default: return .gnss(fix(at: time, estimator, &random))
        }
    }

    private static func fix(at time: MonotonicTime, _ estimator: PoseEstimator, _ random: inout RandomSource) -> GnssFix
    {
        let lateness = random.chance(0.2) ? random.uniform(-0.5, 3) : 0.1
        let mode: FixMode = random.chance(0.8) ? .threeDimensional : .twoDimensional
        var fix = GnssFix(validityTime: time.advanced(bySeconds: -lateness), arrivalTime: time, mode: mode)
        let place = estimator.estimate.position
        fix.latitudeRadians = (place?.latitudeRadians ?? 0.8) + number(1e-6, &random)
        fix.longitudeRadians = (place?.longitudeRadians ?? 0.1) + number(1e-6, &random)
        fix.altitudeEllipsoidMeters = (place?.altitudeEllipsoidMeters ?? 400) + number(5, &random)
        fix.horizontalVelocity = HorizontalVelocity(
            eastMetersPerSecond: number(10, &random), northMetersPerSecond: number(10, &random))
        fix.climbMetersPerSecond = number(1, &random)
        fix.horizontalSigmaMeters = abs(number(3, &random))
        fix.verticalSigmaMeters = number(5, &random)
        fix.speedSigmaMetersPerSecond = number(0.2, &random)
        fix.climbSigmaMetersPerSecond = number(0.2, &random)
        fix.geoidSeparationMeters = number(40, &random)
        fix.magneticVariationRadians = number(0.05, &random)
        fix.quality = FixQuality(rawValue: UInt8(random.uniform(0, 8))) ?? .unknown
        return fix
    }
}

extension Covariance {
    /// Whether it is symmetric and positive semi-definite up to rounding: 1e-6 of the sigmas an element belongs to.
    ///
    /// Cholesky's factorisation of the correlations, with that much added to the diagonal.
    var isSoundCovariance: Bool {
        let slack = 1e-6
        var sigma = [Double](repeating: 1, count: rows)
        for i in 0..<rows {
            guard self[i, i] >= 0, self[i, i].isFinite else { return false }
            if self[i, i] > 0 { sigma[i] = self[i, i].squareRoot() }
        }
        var factor = [[Double]](repeating: [Double](repeating: 0, count: rows), count: rows)
        for i in 0..<rows {
            for j in 0...i {
                let scale = sigma[i] * sigma[j]
                guard abs(self[i, j] - self[j, i]) <= slack * scale else { return false }
                var sum = self[i, j] / scale + (i == j ? slack : 0)
                for k in 0..<j { sum -= factor[i][k] * factor[j][k] }
                if i == j {
                    guard sum > 0 else { return false }
                    factor[i][i] = sum.squareRoot()
                } else {
                    factor[i][j] = sum / factor[j][j]
                }
            }
        }
        return true
    }
}
