import Frames

/// The frames of a session that can be judged: the data of both sources were fresh then, and for a while before.
///
/// A guest that gets no processor sends nothing, and the samples of that time do not exist. The attitude of a frame in
/// such a gap, and shortly after it, says nothing about the daemon. How many frames are left depends on the load of the
/// machine; whether one of them is wrong does not.
struct FedFrames: Sendable {
    /// The frames, in the order of their arrival.
    private(set) var frames: [Frame] = []
    /// Frames that were left out, by the reason.
    private(set) var reasons: [String: Int] = [:]

    /// Oldest IMU sample at the time of a fresh frame, seconds: four periods of 10 ms wait in a buffer, and as many
    /// again for the way.
    private static let sampleAgeSeconds = 0.1
    /// Time after a gap in which the attitude recovers from the samples that do not exist, seconds.
    private static let recoverySeconds = 2.0

    private var previous: Frame?
    private var staleUntilNanoseconds: Int64 = 0
    private var intervals: [Int64] = []

    /// Takes a frame if it can be judged.
    mutating func take(_ frame: Frame) {
        let reason = reason(against: frame)
        if reason != nil {
            staleUntilNanoseconds = frame.timeNanoseconds + Int64(Self.recoverySeconds * 1e9)
        }
        if let reason = reason ?? (frame.timeNanoseconds < staleUntilNanoseconds ? "recovers" : nil) {
            reasons[reason, default: 0] += 1
        } else {
            frames.append(frame)
            if let previous { intervals.append(frame.timeNanoseconds - previous.timeNanoseconds) }
        }
        previous = frame
    }

    /// The rate at which the frames follow one another, hertz: the median of stretches of 20 frames, which some pauses
    /// of the whole machine do not change. Single intervals alternate, because the frames have to wait for a buffer.
    var typicalRateHertz: Double {
        let count = 20
        let stretches = stride(from: 0, through: intervals.count - count, by: count).map {
            intervals[$0..<$0 + count].reduce(0, +)
        }
        guard !stretches.isEmpty else { return 0 }
        return Double(count) * 1e9 / Double(stretches.sorted()[stretches.count / 2])
    }

    private func reason(against frame: Frame) -> String? {
        if frame.sources.gps != .streaming { return "receiver \(frame.sources.gps)" }
        if frame.sources.imu != .streaming { return "IMU \(frame.sources.imu)" }
        if (frame.sources.imuAgeSeconds ?? .infinity) > Self.sampleAgeSeconds { return "old sample" }
        return nil
    }
}
