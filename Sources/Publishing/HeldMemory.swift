/// Counts the bytes that are held for all clients. For the socket thread alone.
package final class HeldMemory {
    /// Bytes held now.
    package private(set) var bytes = 0
    /// The most bytes held at once since the start.
    package private(set) var peakBytes = 0
    private var peakSinceRelease = 0

    /// A smaller peak is not worth a call of malloc_trim.
    private static let leastPeakToRelease = 1 << 20

    /// Adds to the count, or takes away from it.
    func change(by difference: Int) {
        bytes += difference
        peakBytes = max(peakBytes, bytes)
        peakSinceRelease = max(peakSinceRelease, bytes)
    }

    /// Whether free heap is to be returned to the system now: once after each peak of at least 1 MiB, when at most a
    /// quarter of it is still held.
    func takeRelease() -> Bool {
        guard peakSinceRelease >= Self.leastPeakToRelease, bytes <= peakSinceRelease / 4 else { return false }
        peakSinceRelease = bytes
        return true
    }
}
