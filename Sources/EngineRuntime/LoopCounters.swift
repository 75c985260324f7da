import PoseMath
import Synchronization

/// What the engine's thread counts, readable from any thread.
package final class LoopCounters: Sendable {
    private let made = Atomic<UInt64>(0)
    private let repeated = Atomic<UInt64>(0)
    private let lastBeat = Atomic<Int64>(0)
    private let realTimeError = Atomic<Int32>(-1)
    private let lateHorizons = Atomic<UInt64>(0)

    package init() {}

    /// Frames made from new measurements.
    package var frameCount: UInt64 { made.load(ordering: .relaxed) }
    /// Frames published again because nothing new had come.
    package var repeatCount: UInt64 { repeated.load(ordering: .relaxed) }
    /// Answers about the way ahead that came too late for their period.
    package var lateHorizonCount: UInt64 { lateHorizons.load(ordering: .relaxed) }
    /// When the thread last looked for work; `nil` before it started.
    package var lastBeatTime: MonotonicTime? {
        let time = lastBeat.load(ordering: .relaxed)
        return time == 0 ? nil : MonotonicTime(nanoseconds: time)
    }
    /// The error number with which real-time priority was refused; 0: granted, `nil`: not asked for.
    package var realTimeResult: Int32? {
        let result = realTimeError.load(ordering: .relaxed)
        return result < 0 ? nil : result
    }

    package func note(_ frame: PublishedFrame) {
        if frame.isRepeat { repeated.add(1, ordering: .relaxed) } else { made.add(1, ordering: .relaxed) }
    }

    package func note(beat time: MonotonicTime) { lastBeat.store(time.nanoseconds, ordering: .relaxed) }

    package func note(lateHorizons count: UInt64) { lateHorizons.store(count, ordering: .relaxed) }

    package func note(realTime result: Int32) { realTimeError.store(result, ordering: .relaxed) }
}
