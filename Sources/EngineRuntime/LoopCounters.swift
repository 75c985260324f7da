import PoseMath
import Synchronization

/// Counters of the engine thread, readable from any thread.
package final class LoopCounters: Sendable {
    private let made = Atomic<UInt64>(0)
    private let repeated = Atomic<UInt64>(0)
    private let lastBeat = Atomic<Int64>(0)
    private let realTimeError = Atomic<Int32>(-1)
    private let lateHorizons = Atomic<UInt64>(0)
    private let suspensions = Atomic<UInt64>(0)
    private let suspendedMilliseconds = Atomic<UInt64>(0)

    package init() {}

    /// Frames made from new measurements, or predicted without one.
    package var frameCount: UInt64 { made.load(ordering: .relaxed) }
    /// Frames published again, because the engine made none for 0.1 s.
    package var repeatCount: UInt64 { repeated.load(ordering: .relaxed) }
    /// Answers about the road ahead that arrived after the period of their question.
    package var lateHorizonCount: UInt64 { lateHorizons.load(ordering: .relaxed) }
    /// Time of the engine thread's last wake-up; `nil` before its start.
    package var lastBeatTime: MonotonicTime? {
        let time = lastBeat.load(ordering: .relaxed)
        return time == 0 ? nil : MonotonicTime(nanoseconds: time)
    }
    /// Number of times the machine was suspended.
    package var suspensionCount: UInt64 { suspensions.load(ordering: .acquiring) }
    /// Length of the last suspension, seconds; `nil` before the first.
    package var suspendedSeconds: Double? {
        suspensionCount == 0 ? nil : Double(suspendedMilliseconds.load(ordering: .relaxed)) * 1e-3
    }
    /// Error number of the request for real-time priority; 0: granted; `nil`: not requested.
    package var realTimeResult: Int32? {
        let result = realTimeError.load(ordering: .relaxed)
        return result < 0 ? nil : result
    }

    package func note(_ frame: PublishedFrame) {
        if frame.isRepeat { repeated.add(1, ordering: .relaxed) } else { made.add(1, ordering: .relaxed) }
    }

    package func note(beat time: MonotonicTime) { lastBeat.store(time.nanoseconds, ordering: .relaxed) }

    package func note(lateHorizons count: UInt64) { lateHorizons.store(count, ordering: .relaxed) }

    package func note(suspendedSeconds seconds: Double) {
        suspendedMilliseconds.store(UInt64(min(max(seconds * 1e3, 0), 1e15)), ordering: .relaxed)
        suspensions.add(1, ordering: .releasing)
    }

    package func note(realTime result: Int32) { realTimeError.store(result, ordering: .relaxed) }
}
