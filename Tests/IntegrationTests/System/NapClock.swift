import Foundation
import Glibc
import Synchronization

/// The time by which the tests judge programs: it counts naps of 2 ms, each by the part of a processor that a program
/// gets beside those that want to run. Where a machine is busy it passes more slowly, as it does for the program under
/// test; on an idle machine it is the time of a clock.
struct NapClock {
    /// What has passed since the clock was made, seconds.
    private(set) var seconds = 0.0

    private static let processorCount = sysconf(Int32(_SC_NPROCESSORS_ONLN))

    /// Waits for the shortest time that the clock knows.
    mutating func nap() {
        usleep(2000)
        seconds += Self.napSeconds
    }

    /// Waits until a descriptor can be read, at most until the clock shows that time; whether it can be read.
    mutating func waits(forReading descriptor: Int32, until end: Double) -> Bool {
        while true {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&entry, 1, 2) > 0 { return true }
            guard seconds < end else { return false }
            seconds += Self.napSeconds
        }
    }

    /// Checks a condition until it holds, at most for that time; whether it came to hold.
    ///
    /// The time that the condition itself takes counts by the least share of a processor, so that a condition that
    /// waits ends, too.
    static func wait(seconds: Double, until isSo: () -> Bool) -> Bool {
        var clock = NapClock()
        var begin = DispatchTime.now().uptimeNanoseconds
        while !isSo() {
            clock.seconds += leastShare * Double(DispatchTime.now().uptimeNanoseconds - begin) * 1e-9
            guard clock.seconds < seconds else { return false }
            clock.nap()
            begin = DispatchTime.now().uptimeNanoseconds
        }
        return true
    }

    /// What passes while something is done, seconds: a thread of its own naps meanwhile.
    static func seconds(of work: () throws -> Void) rethrows -> Double {
        let state = Napping()
        Thread { state.nap() }.start()
        defer { state.isOver.store(true, ordering: .relaxed) }
        try work()
        return Double(state.microseconds.load(ordering: .relaxed)) * 1e-6
    }

    private static let leastShare = 0.1

    /// The share of a processor that falls to each of the threads that want to run; from 0.1, so that waiting ends.
    static func share(processors: Int, runnable: Int) -> Double {
        min(max(Double(processors) / Double(max(runnable, 1)), leastShare), 1)
    }

    /// What a nap counts at this moment, seconds. The kernel tells the threads that want to run in the fourth word of
    /// /proc/loadavg, `3/250`; the one that reads it is among them.
    private static var napSeconds: Double {
        var text = [UInt8](repeating: 0, count: 64)
        let file = open("/proc/loadavg", O_RDONLY | O_CLOEXEC)
        let count = read(file, &text, text.count)
        close(file)
        let words = String(decoding: text.prefix(max(count, 0)), as: UTF8.self).split { $0 == " " || $0 == "/" }
        let runnable = words.count > 3 ? Int(words[3]) ?? 1 : 1
        return 0.002 * share(processors: processorCount, runnable: runnable)
    }

    /// What the thread of ``seconds(of:)`` and its user share.
    private final class Napping: Sendable {
        let isOver = Atomic(false)
        let microseconds = Atomic(0)

        func nap() {
            while !isOver.load(ordering: .relaxed) {
                usleep(2000)
                microseconds.add(Int(NapClock.napSeconds * 1e6), ordering: .relaxed)
            }
        }
    }
}
