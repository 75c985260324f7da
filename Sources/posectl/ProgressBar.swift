import Glibc
import Synchronization

/// A progress bar on the standard error if that is a terminal.
final class ProgressBar: Sendable {
    private let isShown: Bool
    private let percent = Atomic<Int>(-1)

    private static let width = 40

    /// Creates a bar that is not shown yet.
    init(isHidden: Bool) {
        let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true
        isShown = !isHidden && !isDumb && isatty(STDERR_FILENO) == 1
    }

    /// A share in whole percent, 0 to 100.
    static func percent(_ share: Double) -> Int { Int((min(max(share, 0), 1) * 100).rounded(.down)) }

    /// Shows a share, 0 to 1.
    func show(_ share: Double) {
        guard isShown else { return }
        let now = Self.percent(share)
        guard percent.exchange(now, ordering: .relaxed) != now else { return }
        writeText(Self.text(percent: now), to: STDERR_FILENO)
    }

    /// The line that replaces the one before.
    static func text(percent: Int) -> String {
        let full = percent * width / 100
        let bar = String(repeating: "#", count: full) + String(repeating: ".", count: width - full)
        return "\r[\(bar)] \(percent) %"
    }

    /// Removes the bar.
    func clear() {
        guard isShown, percent.exchange(-1, ordering: .relaxed) >= 0 else { return }
        writeText("\r\u{1B}[K", to: STDERR_FILENO)
    }
}
