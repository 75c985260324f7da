import CSystem
import Glibc
import Platform
import Synchronization

/// Work on a thread of its own that may never come back, such as a call into a library that waits for a dead machine.
///
/// Nobody joins the thread: whoever waits does so for a limited time and then goes on without it. The work must own all
/// that it touches.
final class DetachedWork: Sendable {
    private let finished: Int32
    private let isDone = Atomic<Bool>(false)

    private init() { finished = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }

    deinit {
        if finished >= 0 { close(finished) }
    }

    /// Starts the work; `nil` where the system has no thread or descriptor to give.
    static func start(name: String, _ body: @escaping @Sendable () -> Void) -> DetachedWork? {
        let work = DetachedWork()
        guard work.finished >= 0 else { return nil }
        let box = Unmanaged.passRetained(DetachedBody(name: name, work: work, body: body))
        var thread = pthread_t()
        guard pthread_create(&thread, nil, runDetachedBody, box.toOpaque()) == 0 else {
            box.release()
            return nil
        }
        pthread_detach(thread)
        return work
    }

    /// Whether the work came to its end.
    var hasEnded: Bool { isDone.load(ordering: .acquiring) }

    /// Waits until the work has ended, at most so long; returns whether it has.
    func wait(seconds: Double) -> Bool {
        let deadline = SystemClock.monotonicNow.advanced(bySeconds: seconds)
        while !hasEnded {
            let left = deadline.seconds(since: SystemClock.monotonicNow)
            guard left > 0 else { return hasEnded }
            var watched = pollfd(fd: finished, events: Int16(POLLIN), revents: 0)
            poll(&watched, 1, Int32((left * 1000).rounded(.up)))
        }
        return true
    }

    /// Waits until the work has ended or the signal is raised; returns whether the work has ended.
    func wait(unless signal: StopSignal) -> Bool {
        while !hasEnded {
            if signal.wait(for: finished, seconds: 1) == .stopped { return hasEnded }
        }
        return true
    }

    fileprivate func end() {
        isDone.store(true, ordering: .releasing)
        eventfd_write(finished, 1)
    }
}

private final class DetachedBody: Sendable {
    let name: String
    let work: DetachedWork
    let body: @Sendable () -> Void

    init(name: String, work: DetachedWork, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.work = work
        self.body = body
    }
}

private func runDetachedBody(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let box = Unmanaged<DetachedBody>.fromOpaque(argument).takeRetainedValue()
    posed_set_thread_name(box.name)
    // libiio writes to its connections without MSG_NOSIGNAL: a remote end that goes away must not end the process.
    var mask = sigset_t()
    sigemptyset(&mask)
    sigaddset(&mask, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &mask, nil)
    box.body()
    box.work.end()
    return nil
}
