import Guidance

/// A speed limit as posted: a number with its unit, so that 30 mph is stored exactly.
public struct RoadLimit: Hashable, Sendable {
    /// The code in the road file. 0x7FFF: unknown; 0xFFFF: no limit; otherwise tenths of the unit, with the top bit set
    /// for mph.
    public let code: UInt16

    /// Creates a limit from its code.
    init(code: UInt16) { self.code = code }

    /// The limit is unknown.
    public static let unknown = RoadLimit(code: 0x7FFF)
    /// The road is known to have no limit.
    public static let unlimited = RoadLimit(code: 0xFFFF)

    /// A limit in km/h, rounded to tenths; a value outside 0 to 1,000 is unknown.
    public static func kilometersPerHour(_ value: Double) -> RoadLimit { RoadLimit(value, bit: 0) }

    /// A limit in mph, rounded to tenths; a value outside 0 to 1,000 is unknown.
    public static func milesPerHour(_ value: Double) -> RoadLimit { RoadLimit(value, bit: 0x8000) }

    private init(_ value: Double, bit: UInt16) {
        guard value >= 0, value <= 1000 else {
            self = .unknown
            return
        }
        code = UInt16((value * 10).rounded()) | bit
    }

    /// The limit in m/s, in Guidance's type.
    public var limit: SpeedLimit {
        if code == Self.unknown.code { return .unknown }
        if code == Self.unlimited.code { return .unlimited }
        let tenths = Double(code & 0x7FFF)
        return .metersPerSecond(code & 0x8000 == 0 ? tenths / 36 : tenths * 0.044_704)
    }

    /// Text for display: `50 km/h`, `30 mph`, `none`, `unknown`.
    public var text: String {
        if self == .unknown { return "unknown" }
        if self == .unlimited { return "none" }
        let tenths = Int(code & 0x7FFF)
        let number = tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
        return number + (code & 0x8000 == 0 ? " km/h" : " mph")
    }
}

extension RoadLimit {
    /// Creates a limit from its code in a file; an invalid code is unknown.
    public init(fileCode: UInt16) {
        let isNumber = fileCode & 0x7FFF <= 10_000
        self = isNumber || fileCode == Self.unlimited.code ? RoadLimit(code: fileCode) : .unknown
    }
}
