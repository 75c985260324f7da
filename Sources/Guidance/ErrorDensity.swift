import Glibc

/// Probability density of the error of a position, per square metre, given the error of the previous one.
///
/// The errors of a receiver have long tails and last: a reflection that moved the last position is probably still
/// there, and errors that were large remain large for some time. The density therefore has two parts, an error that
/// continues the previous one and a new error. Both are Student densities. The scale of the first is the one that the
/// latest changes had.
struct ErrorDensity {
    /// Probability that the error continues.
    private let keptShare: Double
    /// Mean of the continued error, metres.
    private let keptMean: PlaneOffset
    /// Square of the scale of a new error, and of the change of a continued one, m2.
    private let (freshSquare, keptSquare): (Double, Double)
    /// Degrees of freedom of the continued error.
    private let keptFreedom: Double
    private let (freshPeak, keptPeak): (Double, Double)

    /// Degrees of freedom of a new error: with two, 2.4 % of the positions are 25 m off where 13 % are 10 m off, as in
    /// a city.
    fileprivate static let freedom = 2.0

    /// The density after an error. `scaleMeters`: scale of a new error on each axis.
    init(after error: PlaneOffset, memory: ErrorMemory, scaleMeters: Double, seconds: Double) {
        let share = ErrorMemory.keptShare(seconds: seconds)
        let freedom = ErrorDensity.freedom + memory.count
        keptShare = share
        keptMean = error * share
        keptFreedom = freedom
        freshSquare = scaleMeters * scaleMeters
        keptSquare =
            freshSquare * (1 - share * share) * (ErrorDensity.freedom + memory.squares) / freedom
        freshPeak = (1 - share) / (2 * .pi * freshSquare)
        keptPeak = share / (2 * .pi * keptSquare)
    }

    /// The density of an error.
    /// docs/math.md, eq. 11.13.
    func callAsFunction(_ error: PlaneOffset) -> Double {
        let fresh = 1 + error.dot(error) / (ErrorDensity.freedom * freshSquare)
        return freshPeak / (fresh * fresh) + change((error - keptMean).length)
    }

    /// The density of a change of the position of a vehicle that stands, by a distance, metres. Its error lasts,
    /// wherever it stands.
    func change(_ meters: Double) -> Double {
        keptPeak * pow(1 + meters * meters / (keptFreedom * keptSquare), -(keptFreedom + 2) / 2)
    }

    /// Square of the change that an error is, relative to what was expected without a memory.
    func relativeSquare(_ error: PlaneOffset) -> Double {
        let change = error - keptMean
        return change.dot(change) / (freshSquare * (1 - keptShare * keptShare))
    }
}

/// How large the latest changes of the error were: a vehicle between high buildings has large ones for a while.
struct ErrorMemory: Sendable {
    /// Number of changes, and sum of half their relative squares (one of two axes), each weighted by its age.
    private(set) var (count, squares) = (0.0, 0.0)

    /// Time constant of an error, seconds. Recorded city drives 5 to 15 s apart have errors that last two to four
    /// positions.
    private static let seconds = 25.0
    /// Upper limit of a change, as the square relative to the expected one: one position says little about the next.
    private static let largestSquare = 100.0

    /// The share of an error that is left after a time.
    static func keptShare(seconds: Double) -> Double { exp(-seconds / ErrorMemory.seconds) }

    /// Adds a change by its relative square.
    /// docs/math.md, eq. 11.13.
    mutating func add(relativeSquare: Double, seconds: Double) {
        let share = ErrorMemory.keptShare(seconds: seconds)
        count = share * (count + 1)
        squares = share * (squares + min(relativeSquare, ErrorMemory.largestSquare) / 2)
    }
}
