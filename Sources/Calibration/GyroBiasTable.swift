import PoseMath

/// Bias of a gyro over its temperature, as drives have found it.
public struct GyroBiasTable: Hashable, Sendable {
    /// The bias at a temperature.
    public struct Entry: Hashable, Sendable {
        /// Temperature of the sensor, degrees Celsius.
        public var celsius: Double
        /// The bias, sensor axes, rad/s.
        public var bias: Vector3
        /// Number of drives that it is the mean of, at most ``GyroBiasTable/mostDrives``.
        public var drives: Int

        /// The bias at a temperature.
        public init(celsius: Double, bias: Vector3, drives: Int = 1) {
            (self.celsius, self.bias, self.drives) = (celsius, bias, drives)
        }

        /// Whether it is that of a sensor.
        public var isValid: Bool {
            GyroBiasTable.temperatures.contains(celsius) && bias.length <= GyroBiasTable.largestBias
                && (1...GyroBiasTable.mostDrives).contains(drives)
        }
    }

    /// By rising temperature, at most one in each five degrees.
    public private(set) var entries: [Entry] = []
    /// The bias as it was found last, rad/s; `nil` before the first.
    public private(set) var latest: Vector3?

    /// Temperatures of a sensor, degrees Celsius.
    public static let temperatures = -60.0...150.0
    /// Drives that count at most: a sensor ages.
    public static let mostDrives = 5
    /// Largest bias of a gyro, rad/s: 20 deg/s.
    public static let largestBias = 0.35
    /// Temperatures that belong to one entry, kelvin.
    private static let step = 5.0
    /// Longest distance of two entries between which the bias is a straight line, kelvin.
    private static let longestLine = 15.0

    /// Nothing learned.
    public init() {}

    /// A table of entries; invalid ones are left out, and of two in the same five degrees the first stays.
    public init(entries: [Entry], latest: Vector3?) {
        for entry in entries where entry.isValid && !self.entries.contains(where: { Self.bin($0) == Self.bin(entry) }) {
            self.entries.append(entry)
        }
        self.entries.sort { $0.celsius < $1.celsius }
        self.latest = latest.flatMap { $0.length <= Self.largestBias ? $0 : nil }
    }

    private static func bin(_ entry: Entry) -> Int { Int((entry.celsius / step).rounded(.down)) }

    /// Adds what one drive has found, one entry for each of its temperatures; `nil` temperatures only set ``latest``.
    /// docs/math.md, eq. 13.11.
    public mutating func learn(_ found: [Entry], latest: Vector3?) {
        for new in found where new.isValid {
            guard let index = entries.firstIndex(where: { Self.bin($0) == Self.bin(new) }) else {
                entries.append(new)
                continue
            }
            let old = entries[index]
            let weight = 1 / Double(min(old.drives, Self.mostDrives - 1) + 1)
            entries[index].bias += (new.bias - old.bias) * weight
            entries[index].celsius += (new.celsius - old.celsius) * weight
            entries[index].drives = min(old.drives + 1, Self.mostDrives)
        }
        entries.sort { $0.celsius < $1.celsius }
        if let latest, latest.length <= Self.largestBias { self.latest = latest }
    }

    /// Adds a bias to what a drive has found: in each five degrees the last one counts.
    public static func note(_ bias: Vector3, at celsius: Double, in found: inout [Entry]) {
        let entry = Entry(celsius: celsius, bias: bias)
        guard entry.isValid else { return }
        if let index = found.firstIndex(where: { bin($0) == bin(entry) }) {
            found[index] = entry
        } else {
            found.append(entry)
        }
    }

    /// The bias at a temperature, rad/s, and how far away the nearest temperature is at which it was found, kelvin;
    /// `nil` without one. Without a temperature the last bias.
    /// docs/math.md, eq. 13.11.
    public func bias(at celsius: Double?) -> (bias: Vector3, kelvin: Double?)? {
        guard let celsius, let nearest = entries.min(by: { Self.distance($0, celsius) < Self.distance($1, celsius) })
        else { return latest.map { ($0, nil) } }
        let kelvin = Self.distance(nearest, celsius)
        guard let low = entries.last(where: { $0.celsius <= celsius }),
            let high = entries.first(where: { $0.celsius > celsius }), high.celsius - low.celsius <= Self.longestLine
        else { return (nearest.bias, kelvin) }
        let share = (celsius - low.celsius) / (high.celsius - low.celsius)
        return (low.bias + (high.bias - low.bias) * share, kelvin)
    }

    private static func distance(_ entry: Entry, _ celsius: Double) -> Double { (entry.celsius - celsius).magnitude }
}
