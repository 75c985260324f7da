import SensorInterface

/// The rates of a `sampling_frequency_available` attribute.
enum AvailableRates: Equatable, Sendable {
    /// These rates in hertz, ascending.
    case list([Double])
    /// All rates from the lowest in steps to the highest, in hertz.
    case range(lowest: Double, step: Double, highest: Double)

    /// Plausible sample rates, hertz: from one sample in a quarter of an hour to more than any bus transfers.
    static let plausibleHertz = 1e-3...1e7

    /// The rate in a `sampling_frequency` attribute, hertz; `nil` if the text is not a plausible rate.
    static func plausibleRate(_ text: String) -> Double? {
        IIOText.number(text).flatMap { plausibleHertz.contains($0) ? $0 : nil }
    }

    /// Reads `25 50 100` or the kernel's range form `[min step max]`; `nil` if the text has no positive number.
    init?(_ text: String) {
        let inner = IIOText.trimmed(text)
        let numbers = inner.split { " \t\n[]".contains($0) }.map { IIOText.number($0) }
        let rates = numbers.compactMap { $0 }.filter { Self.plausibleHertz.contains($0) }
        if inner.hasPrefix("["), numbers.count == 3, let low = numbers[0], let step = numbers[1], let high = numbers[2]
        {
            guard low >= 0, high >= low, high > 0, high < 1e7, step >= 0 else { return nil }
            self = .range(lowest: low, step: step, highest: high)
            return
        }
        guard !rates.isEmpty else { return nil }
        self = .list(rates.sorted())
    }

    /// The rate to set for a wanted rate: the slowest rate that is not slower than wanted (within 2 %), otherwise the
    /// fastest one.
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
