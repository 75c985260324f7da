import Foundation
import PosedClient
import Synchronization

/// A client that reads all the time, on its own thread.
final class ReadingClient: @unchecked Sendable {
    // The client is used by the thread alone until `stop()` has seen its end; the counts are atomic.
    private var client: FrameClient
    private let frames = Atomic<Int>(0)
    private let connections = Atomic<Int>(0)
    private let isStopping = Atomic<Bool>(false)
    private let hasEnded = DispatchSemaphore(value: 0)

    /// Begins to read.
    init(_ client: consuming FrameClient) {
        self.client = client
        Thread.detachNewThread { [self] in
            while !isStopping.load(ordering: .acquiring) {
                switch self.client.next(timeoutSeconds: 0.1) {
                case .connected: connections.add(1, ordering: .relaxed)
                case .message(let received):
                    if case .frame = received.message { frames.add(1, ordering: .relaxed) }
                case .disconnected, .nothing: break
                }
            }
            hasEnded.signal()
        }
    }

    /// Frames that it has read.
    var frameCount: Int { frames.load(ordering: .relaxed) }

    /// How often it was connected: what comes between two connections is not counted as lost.
    var connectionCount: Int { connections.load(ordering: .relaxed) }

    /// Ends it. Returns the number of lost messages.
    func stop() -> UInt64 {
        isStopping.store(true, ordering: .releasing)
        hasEnded.wait()
        return client.lost
    }
}
