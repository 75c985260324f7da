/// Means over a normal distribution from few values of a function.
public enum GaussHermite {
    /// Three points of a normal distribution, in sigmas from its mean, with their weights: the weighted mean of a
    /// function is exact for polynomials of up to the fifth degree.
    /// Source: Abramowitz and Stegun 1964, table 25.10, for a variance of one.
    public static let threePoints = [
        (sigmas: -3.0.squareRoot(), weight: 1.0 / 6), (sigmas: 0.0, weight: 2.0 / 3),
        (sigmas: 3.0.squareRoot(), weight: 1.0 / 6),
    ]
}
