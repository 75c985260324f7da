import DriveRecording
import Geodesy
import Glibc
import Platform
import PoseMath

/// One recording: what its parts share.
struct RecordingSession {
    /// Facts for the next part.
    var info: RecordingInfo
    /// When it started.
    let startedAt: MonotonicTime
    /// A random place for positions; `nil` if they are recorded as they are.
    let privatePlace: GeodeticPosition?
    /// The true position that lies there.
    var anchor: GeodeticPosition?

    /// UTC minus monotonic clock when it was last compared, nanoseconds.
    private var clockOffset: Int64

    /// Starts a recording. `realtime` is the system clock, nanoseconds since 1970.
    init(release: String, startsWithEngine: Bool, isPrivate: Bool, now: MonotonicTime, realtime: Int64) {
        info = RecordingInfo(release: release, session: Self.name(realtime))
        info.startsWithEngine = startsWithEngine
        info.hasPublications = true
        info.isPrivate = isPrivate
        info.clockOffsetNanoseconds = realtime &- now.nanoseconds
        clockOffset = info.clockOffsetNanoseconds
        startedAt = now
        privatePlace = isPrivate ? Self.randomPlace() : nil
    }

    /// Compares the system clock. Returns what to tell if it was set by a second or more since the last call. The times
    /// of messages do not follow it: they would go back in the file.
    mutating func clockStep(to realtime: Int64, at now: MonotonicTime) -> String? {
        let offset = realtime &- now.nanoseconds
        let step = Double(offset) - Double(clockOffset)
        clockOffset = offset
        guard step.magnitude >= 1e9 else { return nil }
        let way = step > 0 ? "forward" : "back"
        let seconds = Int64(min(step.magnitude / 1e9, 1e10).rounded())
        return
            "the system clock was set \(way) by \(seconds) s, or the machine slept; the times in the recording do not "
            + "follow it, they continue from its start"
    }

    /// The date of the system clock, and digits against equal names after a step of that clock.
    private static func name(_ realtime: Int64) -> String {
        var seconds = time_t(realtime / 1_000_000_000)
        var date = tm()
        gmtime_r(&seconds, &date)
        func digits(_ value: Int32, _ count: Int) -> String {
            let text = String(max(value, 0))
            return String(repeating: "0", count: max(count - text.utf8.count, 0)) + text
        }
        let day = digits(date.tm_year &+ 1900, 4) + digits(date.tm_mon &+ 1, 2) + digits(date.tm_mday, 2)
        let time = digits(date.tm_hour, 2) + digits(date.tm_min, 2) + digits(date.tm_sec, 2)
        return "\(day)T\(time)Z-\(String(UInt16.random(in: 0x1000...0xFFFF), radix: 16))"
    }

    /// A random place between 20 and 60 degrees of latitude, north or south.
    private static func randomPlace() -> GeodeticPosition {
        GeodeticPosition(
            latitudeDegrees: Double.random(in: 20...60) * (Bool.random() ? 1 : -1),
            longitudeDegrees: Double.random(in: -179...179), altitudeEllipsoidMeters: Double.random(in: 100...1000))
    }
}
