/// Counts the bytes held for all clients. Only the socket thread uses it.
package final class HeldMemory {
    /// Bytes held now.
    package private(set) var bytes = 0
    /// Maximum number of bytes held at once since the start.
    package private(set) var peakBytes = 0
    private var peakSinceRelease = 0

    /// Smallest peak that justifies a call of malloc_trim, bytes.
    private static let leastPeakToRelease = 1 << 20

    /// Adds a difference to the count.
    func change(by difference: Int) {
        bytes += difference
        peakBytes = max(peakBytes, bytes)
        peakSinceRelease = max(peakSinceRelease, bytes)
    }

    /// Whether free heap memory should be returned to the system now: once after each peak of at least 1 MiB, when at
    /// most a quarter of it is still held.
    func takeRelease() -> Bool {
        guard peakSinceRelease >= Self.leastPeakToRelease, bytes <= peakSinceRelease / 4 else { return false }
        peakSinceRelease = bytes
        return true
    }
}
