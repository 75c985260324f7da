import Measurements
import PoseMath

/// Reconstructs the source states of a recording from the arrival of its events: waiting until the first one,
/// streaming, and stale after one cycle and a second without an event.
package struct ReplaySources {
    private struct Source {
        var kind: SensorKind
        var state: SourceState = .waiting
        var latest: MonotonicTime?
        /// The last interval, and the one before, seconds.
        var intervals = (last: 1.0, before: 1.0)
        /// The source's cycle, seconds. One long interval is a silence, two are a slow source.
        var cycleSeconds: Double { min(intervals.last, intervals.before, ReplaySources.longestCycleSeconds) }
    }

    private static let longestCycleSeconds = 15.0

    private var sources: [Source]

    /// Creates the sources of a recording.
    package init(kinds: Set<SensorKind>) {
        sources = SensorKind.allCases.filter(kinds.contains).map { Source(kind: $0) }
    }

    /// Reports that every source is open and waiting.
    package func open(at time: MonotonicTime, _ report: (SourceReport) -> Void) {
        for source in sources { report(SourceReport(time: time, source: source.kind, state: .waiting)) }
    }

    /// Reports the sources whose state has changed by the time of an event.
    package mutating func note(_ event: SensorEvent, _ report: (SourceReport) -> Void) {
        let now = event.arrivalTime
        for index in sources.indices {
            if sources[index].kind == event.kind {
                noteArrival(index, now)
                change(index, to: .streaming, now, report)
            } else if let latest = sources[index].latest, now.seconds(since: latest) > sources[index].cycleSeconds + 1 {
                change(index, to: .stale, now, report)
            }
        }
    }

    private mutating func noteArrival(_ index: Int, _ now: MonotonicTime) {
        if let latest = sources[index].latest {
            sources[index].intervals = (now.seconds(since: latest), sources[index].intervals.last)
        }
        sources[index].latest = now
    }

    private mutating func change(
        _ index: Int, to state: SourceState, _ now: MonotonicTime, _ report: (SourceReport) -> Void
    ) {
        guard sources[index].state != state else { return }
        sources[index].state = state
        report(SourceReport(time: now, source: sources[index].kind, state: state))
    }
}
