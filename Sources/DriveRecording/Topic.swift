/// The channels of a recording. docs/recording.md describes them.
enum Topic: String, CaseIterable {
    case imu = "/posed/imu"
    case magnetometer = "/posed/magnetometer"
    case barometer = "/posed/barometer"
    case fix = "/posed/fix"
    case wheelSpeed = "/posed/wheel_speed"
    case source = "/posed/source"
    case command = "/posed/command"
    case route = "/posed/route"
    case roadAhead = "/posed/road_ahead"
    case tick = "/posed/tick"
    case published = "/posed/published"
    case frame = "/posed/frame"
    case event = "/posed/event"
    case locationFix = "/fix"
    case track = "/track"
    case pose = "/pose"
    case transform = "/tf"
    case log = "/log"

    /// Name and description of its messages, and their encoding.
    var schema: (name: String, encoding: String, data: [UInt8]) {
        switch self {
        case .imu: protobuf(MeasurementLayouts.inertial)
        case .magnetometer: protobuf(MeasurementLayouts.magnetic)
        case .barometer: protobuf(MeasurementLayouts.pressure)
        case .fix: protobuf(MeasurementLayouts.fix)
        case .wheelSpeed: protobuf(MeasurementLayouts.wheelSpeed)
        case .source: protobuf(MeasurementLayouts.report)
        case .command: protobuf(CommandLayouts.command)
        case .route: protobuf(RouteLayout.route)
        case .roadAhead: protobuf(CommandLayouts.roadAhead)
        case .tick: protobuf(CommandLayouts.tick)
        case .published: protobuf(PublicationsMessage.layout)
        case .frame: json("posed.Frame")
        case .event: json("posed.Event")
        case .locationFix, .track: ("foxglove.LocationFix", "protobuf", Foxglove.locationFix.descriptorSet)
        case .pose: ("foxglove.PoseInFrame", "protobuf", Foxglove.poseInFrame.descriptorSet)
        case .transform: ("foxglove.FrameTransform", "protobuf", Foxglove.frameTransform.descriptorSet)
        case .log: ("foxglove.Log", "protobuf", Foxglove.log.descriptorSet)
        }
    }

    /// Encoding of its messages.
    var messageEncoding: String { self == .frame || self == .event ? "json" : "protobuf" }

    private func protobuf<Value>(_ layout: MessageLayout<Value>) -> (name: String, encoding: String, data: [UInt8]) {
        (layout.fullName, "protobuf", layout.schema)
    }

    private func json(_ name: String) -> (name: String, encoding: String, data: [UInt8]) {
        (name, "jsonschema", Array(#"{"title":"\#(name)","type":"object"}"#.utf8))
    }
}
