import Measurements
import Platform
import PoseMath
import Synchronization

/// Keeps the latest samples of IMU and magnetometer for clients that ask for them, as they go to the engine. While
/// nobody asks, a source's thread reads one atomic. The engine thread never touches it.
package final class SampleTap: Sendable {
    /// A sample.
    package enum Sample: Sendable {
        /// Gyro and accelerometer.
        case inertial(InertialSample)
        /// Magnetometer.
        case magnetic(MagneticSample)
    }

    /// The answer to a request.
    package struct Batch: Sendable {
        /// Number of the last sample in it; the next request states it.
        package var last: UInt64
        /// Samples after the one that the request stated that are kept no longer.
        package var lost: UInt64
        /// The samples by rising number.
        package var samples: [Sample]
    }

    private struct Ring {
        /// Empty while the tap is closed.
        var samples: [Sample] = []
        /// Number of the newest sample: they count from 1.
        var last: UInt64 = 0
        /// Number of the oldest one since the tap was opened.
        var first: UInt64 = 1
    }

    private let ring = Mutex(Ring())
    private let isOpen = Atomic<Bool>(false)
    private let askedAt = Mutex<MonotonicTime?>(nil)

    /// Samples that are kept: four seconds at 1 kHz.
    package static let capacity = 4096
    /// The tap closes when nobody has asked for so long, seconds.
    private static let patienceSeconds = 5.0

    /// A closed tap.
    package init() {}

    /// Takes an event on its way to the engine; of others than samples of IMU and magnetometer nothing is kept.
    func note(_ event: SensorEvent) {
        guard isOpen.load(ordering: .relaxed) else { return }
        switch event {
        case .inertial(let sample): keep(.inertial(sample))
        case .magnetic(let sample): keep(.magnetic(sample))
        default: break
        }
    }

    private func keep(_ sample: Sample) {
        ring.withLock { ring in
            guard !ring.samples.isEmpty else { return }
            ring.last += 1
            ring.samples[Int(ring.last % UInt64(Self.capacity))] = sample
        }
    }

    /// The samples after a number, the oldest first; opens the tap. Without a number none, and the newest number.
    package func read(after number: UInt64?, atMost count: Int, now: MonotonicTime) -> Batch {
        askedAt.withLock { $0 = now }
        return ring.withLock { ring in
            if ring.samples.isEmpty {
                let empty = MagneticSample(time: now, fluxDensityTesla: .zero)
                ring.samples = Array(repeating: .magnetic(empty), count: Self.capacity)
                ring.first = ring.last + 1
                isOpen.store(true, ordering: .relaxed)
            }
            guard let number, number < ring.last else { return Batch(last: ring.last, lost: 0, samples: []) }
            let kept = ring.last >= UInt64(Self.capacity) ? ring.last - UInt64(Self.capacity) + 1 : 1
            let oldest = max(kept, ring.first)
            let first = max(number + 1, oldest)
            let last = min(ring.last, first + UInt64(max(count, 1)) - 1)
            // The tap was closed meanwhile: nothing is kept of what came before.
            guard first <= last else { return Batch(last: ring.last, lost: ring.last - number, samples: []) }
            let samples = (first...last).map { ring.samples[Int($0 % UInt64(Self.capacity))] }
            return Batch(last: last, lost: first - number - 1, samples: samples)
        }
    }

    /// Closes the tap, and frees its memory, when nobody asks any longer. Call it now and then.
    package func sweep(_ now: MonotonicTime) {
        let isIdle = askedAt.withLock { $0.map { now.seconds(since: $0) > Self.patienceSeconds } ?? false }
        guard isIdle, isOpen.load(ordering: .relaxed) else { return }
        isOpen.store(false, ordering: .relaxed)
        ring.withLock { $0.samples = [] }
    }
}
