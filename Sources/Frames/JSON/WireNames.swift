extension Frame.PoseState {
    /// The state's name on the wire.
    public var wireName: StaticString {
        switch self {
        case .starting: "starting"
        case .aligning: "aligning"
        case .coarse: "coarse"
        case .aligned: "aligned"
        case .deadReckoning: "deadReckoning"
        case .lost: "lost"
        case .attitudeOnly: "attitudeOnly"
        }
    }
}

extension Frame.GuidanceState {
    /// The state's name on the wire.
    public var wireName: StaticString {
        switch self {
        case .noRoute: "noRoute"
        case .waiting: "waiting"
        case .onRoute: "onRoute"
        case .offStep: "offStep"
        case .offRoute: "offRoute"
        case .wrongWay: "wrongWay"
        case .uTurnNeeded: "uTurnNeeded"
        case .rejoinedAhead: "rejoinedAhead"
        case .arrived: "arrived"
        }
    }
}

extension Frame.SpeedColour {
    /// The colour's name on the wire.
    public var wireName: StaticString {
        switch self {
        case .unknown: "unknown"
        case .blue: "blue"
        case .orange: "orange"
        case .red: "red"
        }
    }
}

extension Frame.LimitSource {
    /// The source's name on the wire.
    public var wireName: StaticString {
        switch self {
        case .none: "none"
        case .route: "route"
        case .road: "road"
        case .roadClass: "roadClass"
        case .fallback: "fallback"
        }
    }
}

extension Frame.LimitReason {
    /// The reason's name on the wire.
    public var wireName: StaticString {
        switch self {
        case .none: "none"
        case .time: "time"
        case .season: "season"
        case .weather: "weather"
        case .vehicle: "vehicle"
        case .trailer: "trailer"
        case .weight: "weight"
        case .several: "several"
        }
    }
}

extension Frame.SourceState {
    /// The state's name on the wire.
    public var wireName: StaticString {
        switch self {
        case .absent: "absent"
        case .opening: "opening"
        case .waiting: "waiting"
        case .streaming: "streaming"
        case .stale: "stale"
        case .lost: "lost"
        }
    }
}
