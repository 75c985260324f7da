import Geodesy
import PoseMath

/// Measurements so late that a sample has no time for all that follows from them.
///
/// A second filter starts at the checkpoint before the measurement. With each new sample it processes some of those
/// that it is behind, while the running filter goes on. It overwrites the checkpoints that it passes, and takes the
/// place of the running filter when it has caught up. A measurement that it has already passed waits until then.
extension DelayedMeasurementBuffer {
    /// Progress of the filter that catches up.
    struct CatchUp: Sendable {
        /// The sample that it has been run through.
        var sample: Int
        /// The time of its state.
        var time: MonotonicTime
    }

    /// Processes everything since an instant again: at once where that is quickly done, else by a filter that catches
    /// up. A smoother has time.
    /// docs/math.md, eq. 6.4.
    ///
    /// - Returns: `false` where the buffer does not reach back to that instant.
    mutating func processAgain(_ filter: inout NavigationFilter, since time: MonotonicTime) -> Bool {
        if let catchUp, time <= catchUp.time {
            waitingSince = min(waitingSince ?? time, time)
            return true
        }
        guard let back = lastCheckpoint(before: time) else { return false }
        let isQuick = sampleCount - 1 - back.sample <= Tuning.Delay.samplesAtOnce || journal != nil
        guard let catchUp else {
            if isQuick { rerun(&filter, from: back) } else { beginCatchUp(from: back) }
            return true
        }
        // The filter that catches up will come to that instant. A checkpoint that it has overwritten has its history.
        if isQuick, back.sample > catchUp.sample { rerun(&filter, from: back) }
        return true
    }

    /// Samples through which the filter that catches up is run with the newest one.
    private var catchUpSamples: Int {
        let (least, most) = (Tuning.Delay.catchUpSamples.lowerBound, Tuning.Delay.catchUpSamples.upperBound)
        return Int(min(max(Tuning.Delay.catchUpRate * lastIntervalSeconds, least), most))
    }

    /// Lets a copy of the filter catch up from a checkpoint.
    private mutating func beginCatchUp(from back: Checkpoint) {
        catchUpFilter[0] = self[back]
        catchUpForceHistory.copy(forceHistory, count: catchUpFilter[0].forceHistoryCount)
        catchUp = CatchUp(sample: back.sample, time: catchUpFilter[0].state.time)
    }

    /// Runs the filter that catches up through some samples, and puts it in the place of the running one when it has
    /// caught up.
    ///
    /// - Returns: whether it did.
    mutating func advanceCatchUp(_ filter: inout NavigationFilter) -> Bool {
        guard var progress = catchUp else { return false }
        var late = catchUpFilter[0]
        swap(&forceHistory, &catchUpForceHistory)
        let end = min(progress.sample + catchUpSamples, sampleCount - 1)
        while progress.sample < end {
            progress.sample += 1
            run(&late, throughSample: progress.sample)
            recent.replace(with: &late, sample: progress.sample)
            older.replace(with: &late, sample: progress.sample)
        }
        progress.time = late.state.time
        guard progress.sample == sampleCount - 1 else {
            swap(&forceHistory, &catchUpForceHistory)
            catchUpFilter[0] = late
            catchUp = progress
            return false
        }
        late.announceTakingOver(from: filter.reset, at: filter.state, ifBeyond: Tuning.Reset.jumpMeters)
        filter = late
        catchUp = nil
        if let time = waitingSince {
            waitingSince = nil
            _ = processAgain(&filter, since: time)
        }
        return true
    }
}

extension NavigationFilter {
    /// Announces the jump from another filter of the same time, in whose place this one comes: where one of the two has
    /// jumped alone, or where it is as far as given. What was announced stays so.
    ///
    /// - Parameters:
    ///   - other: jumps of the other filter.
    ///   - place: its state.
    ///   - leastMeters: distance from which the jump is announced in any case; a fix that is fused at once announces
    ///     its own.
    mutating func announceTakingOver(from other: Reset, at place: NavigationState, ifBeyond leastMeters: Double) {
        let moved = place.offsetENU(to: state)
        let isFar = moved.horizontalLength >= leastMeters
        let isNew = isFar || reset.jumps != other.jumps
        reset.count = max(reset.count, isNew ? other.count &+ 1 : other.count)
        reset.deltaENU = isNew ? moved : other.deltaENU
        reset.deltaHeading = isNew ? 0 : other.deltaHeading
    }
}
