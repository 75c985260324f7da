import CSystem
import Foundation
import Synchronization

/// A receiver on a pseudo-terminal: writes recorded or simulated bytes at a given rate, and discards what gpsd writes.
final class ReceiverFeed: Sendable {
    /// The device gpsd opens.
    let path: String
    private let master: Int32
    private let slave: Int32
    private let isStopped = Atomic<Bool>(false)
    private let isPaused = Atomic<Bool>(false)
    private let isDone = Atomic<Bool>(false)
    private let runningThreads = Atomic<Int>(0)

    init() throws {
        // Same as posix_openpt, unlockpt and ptsname, which Swift's Glibc module lacks.
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var locked: CInt = 0
        var number: CUnsignedInt = 0
        guard master >= 0, ioctl(master, UInt(0x4004_5431), &locked) == 0,
            ioctl(master, UInt(0x8004_5430), &number) == 0
        else {
            throw POSIXError(.ENOTTY)
        }
        path = "/dev/pts/\(number)"
        // Kept open, so that the terminal outlives a gpsd that is killed.
        slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        // gpsd drops root privileges before it opens the device.
        chmod(path, 0o666)
        var settings = termios()
        tcgetattr(slave, &settings)
        cfmakeraw(&settings)
        tcsetattr(slave, TCSANOW, &settings)
        spawn { $0.drain() }
    }

    deinit {
        isStopped.store(true, ordering: .releasing)
        close(slave)
        close(master)
    }

    /// Ends the threads and closes the terminal.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        while runningThreads.load(ordering: .acquiring) > 0 { usleep(2000) }
    }

    /// Whether everything has been written.
    var isFinished: Bool { isDone.load(ordering: .acquiring) }

    /// Pauses or continues the writing.
    func pause(_ paused: Bool) { isPaused.store(paused, ordering: .releasing) }

    /// Writes the bytes at the given rate, repeatedly on request. The next ones wait until gpsd has taken those before:
    /// of two epochs that it finds at once, on a busy machine, it makes one report.
    func play(_ bytes: [UInt8], bytesPerSecond: Int, repeating: Bool = false) {
        let chunk = max(bytesPerSecond / 50, 1)
        spawn { feed in
            repeat {
                var start = 0
                while start < bytes.count, !feed.isStopped.load(ordering: .acquiring) {
                    let end = min(start + chunk, bytes.count)
                    feed.write(bytes[start..<end])
                    start = end
                    usleep(20_000)
                    while posed_unread(feed.slave) > 0, !feed.isStopped.load(ordering: .acquiring) { usleep(2000) }
                }
            } while repeating && !feed.isStopped.load(ordering: .acquiring)
            feed.isDone.store(true, ordering: .releasing)
        }
    }

    /// Writes what the closure returns, each at its time (seconds of CLOCK_MONOTONIC), until it returns `nil`.
    func play(_ next: @escaping @Sendable (Int) -> (moment: Double, bytes: [UInt8])?) {
        spawn { feed in
            var index = 0
            while !feed.isStopped.load(ordering: .acquiring), let item = next(index) {
                while monotonicSeconds() < item.moment, !feed.isStopped.load(ordering: .acquiring) { usleep(1000) }
                feed.write(item.bytes[...])
                index += 1
            }
            feed.isDone.store(true, ordering: .releasing)
        }
    }

    private func write(_ bytes: ArraySlice<UInt8>) {
        while isPaused.load(ordering: .acquiring), !isStopped.load(ordering: .acquiring) { usleep(5000) }
        var rest = bytes
        while !rest.isEmpty, !isStopped.load(ordering: .acquiring) {
            // Never blocks for long: a stopped gpsd must not block the feed.
            var ready = pollfd(fd: master, events: Int16(POLLOUT), revents: 0)
            guard poll(&ready, 1, 50) > 0 else { continue }
            let count = rest.withUnsafeBytes { Foundation.write(master, $0.baseAddress, min($0.count, 512)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private func drain() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !isStopped.load(ordering: .acquiring) {
            var ready = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            if poll(&ready, 1, 50) > 0, ready.revents & Int16(POLLIN) != 0 { _ = read(master, &buffer, buffer.count) }
        }
    }

    private func spawn(_ work: @escaping @Sendable (ReceiverFeed) -> Void) {
        runningThreads.add(1, ordering: .acquiringAndReleasing)
        let thread = Thread { [self] in
            work(self)
            runningThreads.subtract(1, ordering: .acquiringAndReleasing)
        }
        thread.start()
    }
}

/// CLOCK_MONOTONIC, seconds.
func monotonicSeconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}
