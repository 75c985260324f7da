import Guidance

/// The vehicles that a limit is about; the raw values are those of the road file.
public enum LimitVehicle: UInt8, Sendable, CaseIterable {
    /// Every vehicle.
    case every = 0
    /// Passenger cars.
    case motorcar = 1
    /// Motorcycles.
    case motorcycle = 2
    /// Motorhomes.
    case motorhome = 3
    /// Goods vehicles of up to 3.5 t.
    case goods = 4
    /// Goods vehicles of more than 3.5 t.
    case hgv = 5
    /// Buses of public transport.
    case bus = 6
    /// Coaches.
    case coach = 7
    /// Vehicles with a trailer.
    case trailer = 8

    /// The vehicles of a name in OpenStreetMap; `nil` for others, such as bicycles.
    public init?(name: String) {
        switch name {
        case "vehicle", "motor_vehicle": self = .every
        case "motorcar": self = .motorcar
        case "motorcycle": self = .motorcycle
        case "motorhome": self = .motorhome
        case "goods": self = .goods
        case "hgv": self = .hgv
        case "bus", "psv": self = .bus
        case "coach", "tourist_bus": self = .coach
        case "trailer", "towing": self = .trailer
        default: return nil
        }
    }

    /// Whether a vehicle is one of them.
    func includes(_ vehicle: VehicleProfile) -> Bool {
        switch self {
        case .every: true
        case .trailer: vehicle.hasTrailer
        case .motorcar: vehicle.kind == .motorcar
        case .motorcycle: vehicle.kind == .motorcycle
        case .motorhome: vehicle.kind == .motorhome
        case .goods: vehicle.kind == .goods
        case .hgv: vehicle.kind == .hgv
        case .bus: vehicle.kind == .bus
        case .coach: vehicle.kind == .coach
        }
    }
}

/// A tag of a road that limits the speed of some vehicles, or under conditions.
public struct LimitRule: Sendable, Equatable {
    /// What the tag's value is; the raw values are those of the road file.
    public enum Form: UInt8, Sendable, CaseIterable {
        /// A limit.
        case limit = 0
        /// Limits with conditions.
        case conditional = 1
        /// The limit of a wet road.
        case wet = 2
        /// A sign that changes, whose limit is not known.
        case variable = 3
    }

    /// The vehicles.
    public var vehicle = LimitVehicle.every
    /// What the value is.
    public var form = Form.limit
    /// Whether it holds in the order of the road's points.
    public var isForward = true
    /// Whether it holds against the order of the road's points.
    public var isBackward = true
    /// The value.
    public var text: String

    /// Creates a rule.
    public init(vehicle: LimitVehicle = .every, form: Form, text: String) {
        (self.vehicle, self.form, self.text) = (vehicle, form, text)
    }

    /// The rule of a tag; `nil` for other tags, and for `maxspeed`, `maxspeed:forward` and `maxspeed:backward`, which
    /// every vehicle obeys without a condition.
    public init?(key: String, value: String) {
        var parts = key.split(separator: ":", omittingEmptySubsequences: false)[...]
        guard parts.popFirst() == "maxspeed", !parts.isEmpty, parts.count <= 4,
            value.utf8.count <= ConditionalLimit.longestText
        else { return nil }
        self.init(form: .limit, text: value)
        var direction: Substring?
        var isOfVehicle = false
        while let part = parts.popFirst() {
            switch part {
            case "forward" where direction == nil, "backward" where direction == nil: direction = part
            case "conditional" where form == .limit && parts.isEmpty: form = .conditional
            case "wet" where form == .limit: form = .wet
            case "variable" where form == .limit: form = .variable
            default:
                guard let named = LimitVehicle(name: String(part)), !isOfVehicle else { return nil }
                (vehicle, isOfVehicle) = (named, true)
            }
        }
        if form == .variable, text == "no" { return nil }
        guard form != .limit || isOfVehicle else { return nil }
        (isForward, isBackward) = (direction != "backward", direction != "forward")
    }

    /// Maximum number of rules of an edge.
    public static let mostOfEdge: UInt8 = 16

    /// The rule in the form of the road file: vehicle, form and directions, one byte each, length and text. A text of
    /// more than 255 bytes is cut.
    public var fileBytes: [UInt8] {
        let bytes = Array(text.utf8.prefix(255))
        let directions: UInt8 = (isForward ? 1 : 0) | (isBackward ? 2 : 0)
        return [vehicle.rawValue, form.rawValue, directions, UInt8(bytes.count)] + bytes
    }

    /// The rule at a place of the road file, and the place after it; `nil` if it is incomplete or of a later release.
    static func read(_ bytes: Records<UInt8>, at place: Int) -> (rule: LimitRule, end: Int)? {
        guard let vehicle = bytes[place].flatMap({ LimitVehicle(rawValue: $0) }),
            let form = bytes[place + 1].flatMap({ Form(rawValue: $0) }), let directions = bytes[place + 2],
            let (text, end) = bytes.text(at: place + 3)
        else { return nil }
        var rule = LimitRule(vehicle: vehicle, form: form, text: text)
        (rule.isForward, rule.isBackward) = (directions & 1 != 0, directions & 2 != 0)
        return (rule, end)
    }

    /// The rule for the opposite order of points.
    public var reversed: LimitRule {
        var rule = self
        (rule.isForward, rule.isBackward) = (isBackward, isForward)
        return rule
    }
}

/// The limit of a road for a vehicle at a time.
struct LimitHere: Equatable {
    /// The limit.
    var limit: RoadLimit
    /// Whether it comes from a tag of the road. Otherwise it is the default of the class.
    var isTagged: Bool
    /// Why it is not the general limit.
    var reason = LimitReason.none
    /// Whether the limit is another one if something is the case that is not known: wetness, a holiday, a weight.
    var isUncertain = false
}

/// Evaluates the rules of a road.
///
/// Of the limits and conditional limits for every vehicle, the last one that holds replaces the general limit, as on
/// the signs. Those of a kind of vehicle are a limit of their own; the lowest counts, because a sign for lorries does
/// not raise the limit of the road. What is not known does not hold.
struct LimitEvaluation {
    /// The vehicle, time and place.
    var context: LimitContext
    /// Whether unknown conditions hold.
    private var assumesUnknown = false

    init(_ context: LimitContext) { self.context = context }

    /// The limit of a road in a direction.
    func limit(_ general: RoadLimit, isTagged: Bool, _ rules: [LimitRule], isForward: Bool) -> LimitHere {
        let valid = rules.filter { isForward ? $0.isForward : $0.isBackward }
        guard !valid.isEmpty else { return LimitHere(limit: general, isTagged: isTagged) }
        var here = found(general, isTagged, valid)
        var other = self
        other.assumesUnknown = true
        here.isUncertain = other.found(general, isTagged, valid).limit != here.limit
        return here
    }

    private func found(_ general: RoadLimit, _ isTagged: Bool, _ rules: [LimitRule]) -> LimitHere {
        var lowest = LimitHere(limit: general, isTagged: isTagged)
        apply(rules, of: .every, to: &lowest)
        for vehicle in LimitVehicle.allCases where vehicle != .every && vehicle.includes(context.vehicle) {
            var own = LimitHere(limit: .unknown, isTagged: false)
            apply(rules, of: vehicle, to: &own)
            if own.isTagged, !lowest.isTagged || Self.speed(own.limit) < Self.speed(lowest.limit) { lowest = own }
        }
        return lowest
    }

    /// Applies the rules for some vehicles: those for one direction after those for both.
    private func apply(_ rules: [LimitRule], of vehicle: LimitVehicle, to here: inout LimitHere) {
        let own = rules.filter { $0.vehicle == vehicle }
        let ordered = own.filter { $0.form == .limit } + own.filter { $0.form != .limit }
        for isOfBoth in [true, false] {
            for rule in ordered where (rule.isForward && rule.isBackward) == isOfBoth { apply(rule, to: &here) }
        }
    }

    private func apply(_ rule: LimitRule, to here: inout LimitHere) {
        let vehicle: Reasons = rule.vehicle == .every ? [] : rule.vehicle == .trailer ? .trailer : .vehicle
        switch rule.form {
        case .limit: set(MaxspeedTag(rule.text).limit, vehicle, &here)
        case .wet: if holds(.wet) { set(MaxspeedTag(rule.text).limit, [.weather], &here) }
        case .variable: if assumesUnknown { set(.unknown, [], &here) }
        case .conditional:
            for one in ConditionalLimit.read(rule.text) where one.conditions.allSatisfy({ holds($0) }) {
                let reasons = one.conditions.reduce(into: Reasons()) { $0.formUnion(Reasons($1)) }
                if one.limit != .unknown || assumesUnknown { set(one.limit, reasons, &here) }
            }
        }
    }

    private func set(_ limit: RoadLimit, _ reasons: Reasons, _ here: inout LimitHere) {
        guard limit != .unknown || assumesUnknown else { return }
        here = LimitHere(limit: limit, isTagged: true, reason: reasons.code)
    }

    private func holds(_ condition: LimitCondition) -> Bool {
        switch condition {
        case .wet: context.vehicle.surface == .unknown ? assumesUnknown : context.vehicle.surface == .wet
        case .vehicle(let vehicle): vehicle.includes(context.vehicle)
        case .weight(let comparison, let tonnes):
            context.vehicle.weight(comparison, tonnes) ?? assumesUnknown
        case .times(let times): times.contains(context, onHoliday: assumesUnknown) ?? assumesUnknown
        case .unknown: assumesUnknown
        }
    }

    private static func speed(_ limit: RoadLimit) -> Double {
        if case .metersPerSecond(let value) = limit.limit { return value }
        return .infinity
    }
}

extension LimitCondition.Comparison {
    /// Whether a number compares so with another one.
    func holds(_ value: Double, _ other: Double) -> Bool {
        switch self {
        case .notBelow: value >= other
        case .notAbove: value <= other
        case .above: value > other
        case .below: value < other
        case .equal: value == other
        }
    }
}

/// Kinds of the conditions of a limit.
private struct Reasons: OptionSet {
    let rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The kinds of one condition.
    init(_ condition: LimitCondition) {
        switch condition {
        case .times(let times):
            self = times.hasDates ? .season : []
            if times.hasHours { insert(.time) }
        case .wet: self = .weather
        case .vehicle(.trailer): self = .trailer
        case .vehicle: self = .vehicle
        case .weight: self = .weight
        case .unknown: self = []
        }
    }

    static let time = Reasons(rawValue: 1)
    static let season = Reasons(rawValue: 2)
    static let weather = Reasons(rawValue: 4)
    static let vehicle = Reasons(rawValue: 8)
    static let trailer = Reasons(rawValue: 16)
    static let weight = Reasons(rawValue: 32)

    /// The reason as it is published.
    var code: LimitReason {
        switch self {
        case []: .none
        case .time: .time
        case .season: .season
        case .weather: .weather
        case .vehicle: .vehicle
        case .trailer: .trailer
        case .weight: .weight
        default: .several
        }
    }
}
