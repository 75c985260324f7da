import Fusion
import Synchronization

/// Passes the fault detection status from the engine thread to other threads. The engine thread never waits: while
/// another thread reads the board, it skips the update.
package final class ReceiverTrustBoard: Sendable {
    private let report = Mutex(TrustReport())

    package init() {}

    /// The latest report.
    package var latest: TrustReport { report.withLock { $0 } }

    /// Updates the report, unless another thread is reading it.
    package func offer(_ describe: (inout TrustReport) -> Void) { _ = report.withLockIfAvailable { describe(&$0) } }
}
