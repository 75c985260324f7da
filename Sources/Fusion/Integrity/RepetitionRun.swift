import Glibc

/// Readings in a row that equal the one before. The share of repetitions of a healthy sensor is learned: none for a
/// fine one, many for a coarse one.
///
/// Its stride is a multiple of 16 bytes, as that of every structure in an `InlineArray` has to be: where the enclosing
/// structure is aligned to 16 bytes, the compiler copies each element with moves that need that alignment, and traps on
/// an element that lies between.
struct RepetitionRun: Sendable {
    /// Readings in a row that equal the one before.
    private var length: Int32 = 0
    /// The longest run that ended.
    private var longestEnded: Int32 = 0
    /// Share of repetitions.
    private var share = Tuning.StuckClip.initialShare

    /// Counts a reading.
    /// docs/math.md, eq. 12.9.
    ///
    /// - Parameter isContradicted: whether something else says that it should have changed; where nothing does, a
    ///   repetition makes the run no longer.
    mutating func count(_ isSame: Bool, isContradicted: Bool = true) {
        share += ((isSame ? 1 : 0) - share) * Tuning.StuckClip.shareGain
        guard isSame else {
            longestEnded = max(longestEnded, length)
            length = 0
            return
        }
        if isContradicted { length = min(length, .max - 1) + 1 }
    }

    /// Whether the run is a fault: its probability by chance is below 1e-9, and it is longer than any that has ended.
    /// docs/math.md, eq. 12.9.
    var isFault: Bool {
        guard length > Tuning.StuckClip.fewestRepetitions,
            Int(length) > Tuning.StuckClip.longestRunRatio * Int(longestEnded)
        else { return false }
        return Double(length) * log(min(share, Tuning.StuckClip.largestShare)) < Tuning.StuckClip.logProbability
    }
}
