import CSystem
import Glibc
import Platform
import Synchronization

/// Work on its own thread that may never return, such as a library call that waits for a machine that is down.
///
/// No thread joins it: a caller waits for a limited time and then continues. The work must own everything that it uses.
final class DetachedWork: Sendable {
    private let finished: Int32
    private let isDone = Atomic<Bool>(false)

    private init() { finished = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }

    deinit {
        if finished >= 0 { close(finished) }
    }

    /// Starts the work; `nil` when the system cannot create a thread or a descriptor.
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

    /// Whether the work has ended.
    var hasEnded: Bool { isDone.load(ordering: .acquiring) }

    /// Waits until the work has ended, at most `seconds`. Returns whether it has ended.
    func wait(seconds: Double) -> Bool {
        let deadline = SystemClock.monotonicNow.advanced(bySeconds: seconds)
        while !hasEnded {
            let remaining = deadline.seconds(since: SystemClock.monotonicNow)
            guard remaining > 0 else { return hasEnded }
            var watched = pollfd(fd: finished, events: Int16(POLLIN), revents: 0)
            poll(&watched, 1, Int32((remaining * 1000).rounded(.up)))
        }
        return true
    }

    /// Waits until the work has ended or the signal is raised. Returns whether the work has ended.
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
    // libiio writes to its connections without MSG_NOSIGNAL: a remote end that disconnects must not end the process.
    var mask = sigset_t()
    sigemptyset(&mask)
    sigaddset(&mask, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &mask, nil)
    box.body()
    box.work.end()
    return nil
}
