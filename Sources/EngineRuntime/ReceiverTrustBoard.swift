import Fusion
import Synchronization

/// The way by which the engine's thread shows what it makes of its sources. The thread never waits: where someone is
/// reading, it leaves the board as it is.
package final class ReceiverTrustBoard: Sendable {
    private let report = Mutex(TrustReport())

    package init() {}

    /// What was last shown.
    package var latest: TrustReport { report.withLock { $0 } }

    /// Shows something else, unless the board is being read.
    package func offer(_ describe: (inout TrustReport) -> Void) { _ = report.withLockIfAvailable { describe(&$0) } }
}
