import PoseMath

/// Watches whether a client gets the frames that it asked for: fewer come when the sensors are slow, the machine is
/// loaded, or the client itself does not read in time.
struct FrameRateWatch {
    /// The measured rate after a change of the state.
    struct Change: Equatable {
        /// Whether the client gets fewer frames than it asked for.
        var isLow: Bool
        /// Frames per second, measured.
        var hertz: Double
    }

    /// Least rate for a client that takes every frame, Hz.
    private static let leastHertz = 5.0
    /// Share of the rate asked for below which it is low, and from which it is enough again.
    private static let (lowShare, enoughShare) = (0.9, 0.95)
    /// Duration of a measurement: at least so many seconds, and so many frames. A frame more or less, which is at a
    /// border of the measurement, is then within the shares.
    private static let (leastSeconds, leastFrames) = (2.0, 20.0)

    private let wantedHertz: Double
    private let windowSeconds: Double
    private var start: (time: MonotonicTime, frames: UInt64)?
    /// Whether the client gets fewer frames than it asked for.
    private(set) var isLow = false

    /// For a subscription to frames per 1000 s; 0: every frame.
    init(rateMillihertz: UInt32) {
        wantedHertz = rateMillihertz == 0 ? Self.leastHertz : Double(rateMillihertz) / 1000
        windowSeconds = max(Self.leastSeconds, Self.leastFrames / wantedHertz)
    }

    /// Processes the number of frames sent so far. Returns the new state when it has changed.
    mutating func update(frames: UInt64, at now: MonotonicTime) -> Change? {
        guard let start else {
            start = (now, frames)
            return nil
        }
        let seconds = now.seconds(since: start.time)
        guard seconds >= windowSeconds else { return nil }
        self.start = (now, frames)
        let hertz = frames > start.frames ? Double(frames - start.frames) / seconds : 0
        let wasLow = isLow
        isLow = hertz < wantedHertz * (wasLow ? Self.enoughShare : Self.lowShare)
        return isLow == wasLow ? nil : Change(isLow: isLow, hertz: hertz)
    }
}
