import Measurements

/// One number of a calibration with its limit.
public struct CalibrationCheck: Hashable, Sendable {
    /// How the number is judged.
    public enum Limit: Hashable, Sendable {
        /// It may not be larger.
        case atMost(Double)
        /// It may not be smaller.
        case atLeast(Double)
    }

    /// What was measured, such as `bias x`.
    public var name: String
    /// The number.
    public var value: Double
    /// Its unit; empty for a plain number.
    public var unit: String
    /// Its limit.
    public var limit: Limit
    /// What to do where it fails.
    public var remedy: String

    /// A number with its limit.
    public init(_ name: String, _ value: Double, _ unit: String, _ limit: Limit, remedy: String) {
        (self.name, self.value, self.unit, self.limit, self.remedy) = (name, value, unit, limit, remedy)
    }

    /// Whether it is within its limit; a number that is not finite is not.
    public var passes: Bool {
        switch limit {
        case .atMost(let most): value <= most
        case .atLeast(let least): value >= least
        }
    }
}

/// A named result of a calibration: numbers of one unit.
public struct CalibrationValue: Hashable, Sendable {
    /// Its name with the unit, as in JSON: `bias_deg_s`.
    public var name: String
    /// One number for each axis, or a single one.
    public var numbers: [Double]

    /// A named result.
    public init(_ name: String, _ numbers: [Double]) { (self.name, self.numbers) = (name, numbers) }
}

/// The result of a calibration: what was found, and whether it may be used.
public struct CalibrationReport: Hashable, Sendable {
    /// What was found.
    public var values: [CalibrationValue]
    /// What was judged.
    public var checks: [CalibrationCheck]
    /// The correction of the sensor; `nil` where the calibration gives none.
    public var correction: SensorCorrection?
    /// What a user has to know, one sentence each.
    public var notes: [String]

    /// A result.
    public init(
        values: [CalibrationValue], checks: [CalibrationCheck], correction: SensorCorrection? = nil,
        notes: [String] = []
    ) {
        (self.values, self.checks, self.correction, self.notes) = (values, checks, correction, notes)
    }

    /// Whether every number is within its limit.
    public var passes: Bool { !checks.isEmpty && checks.allSatisfy(\.passes) }
}

/// How far a collector is.
public struct CollectionProgress: Hashable, Sendable {
    /// Share of what is needed, 0 to 1.
    public var share: Double
    /// What to do now, one sentence.
    public var advice: String
    /// What was covered so far, such as `faces +x -y +z`; empty if nothing has to be covered.
    public var coverage: String

    /// A state of the collection.
    public init(share: Double, advice: String, coverage: String = "") {
        (self.share, self.advice, self.coverage) = (share, advice, coverage)
    }

    /// Whether enough was collected.
    public var isComplete: Bool { share >= 1 }
}

/// Takes the samples of a calibration one by one.
public protocol CalibrationCollector: Sendable {
    /// The sensor that it measures.
    static var sensor: SensorKind { get }
    /// Takes a measurement; others than those of its sensor are ignored.
    mutating func add(_ event: SensorEvent)
    /// How far it is, and what to do.
    var progress: CollectionProgress { get }
    /// The result of what was collected so far. It is judged in any case: too little fails.
    func report() -> CalibrationReport
}
