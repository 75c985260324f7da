import Measurements
import PoseMath

/// A simulated sensor; it generates its events in the order of their arrival.
protocol EventGenerator: Sendable {
    /// The next event; `nil` at the end of the drive.
    mutating func next(_ drive: any MotionTruth) -> SensorEvent?
}

/// The sample times of a sensor: multiples of its interval since the start of the drive, so that they do not drift.
struct SampleClock: Sendable {
    /// Sample interval, seconds.
    let interval: Double
    private let end: Double
    private var tick: Int

    init(rateHertz: Double, window: ClosedRange<Double>) {
        interval = 1 / min(max(rateHertz, 0.01), 10_000)
        end = window.upperBound
        tick = Int((window.lowerBound / interval).rounded(.up))
    }

    /// The next sample time, seconds since the start of the drive; `nil` at its end.
    mutating func next() -> Double? {
        let seconds = Double(tick) * interval
        guard seconds <= end else { return nil }
        tick += 1
        return seconds
    }

    /// A sample time in the type of events.
    func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds) }
}
