import Guidance

/// A speed limit as it stands on the sign: a number and its unit, so that 30 mph is 30 mph exactly.
public struct RoadLimit: Hashable, Sendable {
    /// 0x7FFF: unknown; 0xFFFF: none; else tenths of the unit, with the top bit set for mph. The form in the file of
    /// roads.
    public let code: UInt16

    /// A limit of that code.
    init(code: UInt16) { self.code = code }

    /// Nothing is known.
    public static let unknown = RoadLimit(code: 0x7FFF)
    /// It is known that there is none.
    public static let unlimited = RoadLimit(code: 0xFFFF)

    /// A limit in km/h, 0 to 1,000 in tenths; others are unknown.
    public static func kilometersPerHour(_ value: Double) -> RoadLimit { RoadLimit(value, bit: 0) }

    /// A limit in mph.
    public static func milesPerHour(_ value: Double) -> RoadLimit { RoadLimit(value, bit: 0x8000) }

    private init(_ value: Double, bit: UInt16) {
        guard value >= 0, value <= 1000 else {
            self = .unknown
            return
        }
        code = UInt16((value * 10).rounded()) | bit
    }

    /// The limit in m/s, as guidance takes it.
    public var limit: SpeedLimit {
        if code == Self.unknown.code { return .unknown }
        if code == Self.unlimited.code { return .unlimited }
        let tenths = Double(code & 0x7FFF)
        return .metersPerSecond(code & 0x8000 == 0 ? tenths / 36 : tenths * 0.044_704)
    }

    /// For people: `50 km/h`, `30 mph`, `none`, `unknown`.
    public var text: String {
        if self == .unknown { return "unknown" }
        if self == .unlimited { return "none" }
        let tenths = Int(code & 0x7FFF)
        let number = tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
        return number + (code & 0x8000 == 0 ? " km/h" : " mph")
    }
}

extension RoadLimit {
    /// A limit by its code in a file; a code that no limit has is unknown.
    public init(fileCode: UInt16) {
        let isNumber = fileCode & 0x7FFF <= 10_000
        self = isNumber || fileCode == Self.unlimited.code ? RoadLimit(code: fileCode) : .unknown
    }
}
