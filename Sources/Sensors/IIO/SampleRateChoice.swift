import SensorInterface

/// What a `sampling_frequency_available` attribute offers.
enum AvailableRates: Equatable, Sendable {
    /// These, in hertz, rising.
    case list([Double])
    /// All from the lowest by steps to the highest, in hertz.
    case range(lowest: Double, step: Double, highest: Double)

    /// Rates that a sensor can have, hertz: from a sample in a quarter of an hour to more than any bus carries.
    static let believableHertz = 1e-3...1e7

    /// The rate that a `sampling_frequency` attribute states, hertz; `nil` where it states none that a sensor can have.
    static func believable(_ text: String) -> Double? {
        IIOText.number(text).flatMap { believableHertz.contains($0) ? $0 : nil }
    }

    /// Reads `25 50 100` or the kernel's range form `[min step max]`; `nil` where it holds no positive number.
    init?(_ text: String) {
        let inner = IIOText.trimmed(text)
        let numbers = inner.split { " \t\n[]".contains($0) }.map { IIOText.number($0) }
        let rates = numbers.compactMap { $0 }.filter { Self.believableHertz.contains($0) }
        if inner.hasPrefix("["), numbers.count == 3, let low = numbers[0], let step = numbers[1], let high = numbers[2]
        {
            guard low >= 0, high >= low, high > 0, high < 1e7, step >= 0 else { return nil }
            self = .range(lowest: low, step: step, highest: high)
            return
        }
        guard !rates.isEmpty else { return nil }
        self = .list(rates.sorted())
    }

    /// The rate to write for the one that is wanted: the slowest that is not slower than it (within 2 %), else the
    /// fastest there is.
    func choice(for wanted: Double) -> Double {
        switch self {
        case .list(let rates):
            return rates.first { $0 >= wanted * 0.98 } ?? rates[rates.count - 1]
        case .range(let lowest, let step, let highest):
            guard wanted > lowest else { return lowest > 0 ? lowest : min(wanted, highest) }
            guard wanted < highest else { return highest }
            guard step > 0 else { return wanted }
            return min(lowest + ((wanted - lowest) / step).rounded(.up) * step, highest)
        }
    }
}
