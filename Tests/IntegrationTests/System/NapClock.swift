import Foundation
import Glibc
import Synchronization

/// The time by which the tests judge programs: it counts naps of 2 ms. Where a machine is too busy to wake a thread in
/// time, it passes more slowly, as it does for the program under test; on an idle machine it is the time of a clock.
struct NapClock {
    private var naps = 0

    /// What has passed since the clock was made, seconds.
    var seconds: Double { Double(naps) * 0.002 }

    /// Waits for the shortest time that the clock knows.
    mutating func nap() {
        usleep(2000)
        naps += 1
    }

    /// Checks a condition until it holds, at most for that time; whether it came to hold.
    static func wait(seconds: Double, until isSo: () -> Bool) -> Bool {
        var clock = NapClock()
        while !isSo() {
            guard clock.seconds < seconds else { return false }
            clock.nap()
        }
        return true
    }

    /// What passes while something is done, seconds: a thread of its own naps meanwhile.
    static func seconds(of work: () throws -> Void) rethrows -> Double {
        let state = Napping()
        Thread { state.nap() }.start()
        defer { state.isOver.store(true, ordering: .relaxed) }
        try work()
        return Double(state.naps.load(ordering: .relaxed)) * 0.002
    }

    /// What the thread of ``seconds(of:)`` and its user share.
    private final class Napping: Sendable {
        let isOver = Atomic(false)
        let naps = Atomic(0)

        func nap() {
            while !isOver.load(ordering: .relaxed) {
                usleep(2000)
                naps.add(1, ordering: .relaxed)
            }
        }
    }
}
