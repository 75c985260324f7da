import Frames
import MQTT

/// The retained messages by which Home Assistant finds a board: a device with a tracker and sensors.
package enum HomeAssistant {
    /// The messages below a prefix such as `homeassistant`. `rateHertz`: the regular rate of the pose; 0 if it is sent
    /// on a change only.
    package static func discovery(
        prefix: String, identity: BoardIdentity, topics: BoardTopics, release: String, rateHertz: Double
    ) -> [Publication] {
        objects(topics).map { object in
            let key = object.name.split(separator: " ").joined(separator: "_")
            var writer = JSONWriter(capacity: 1024)
            writer.string("{\"name\":", object.name)
            writer.string(",\"unique_id\":", "posed_\(identity.id)_\(key)")
            object.members(&writer)
            // The bridge stays online when the daemon ends: without poses their values become unknown.
            if object.component == "sensor", rateHertz > 0 {
                writer.integer(",\"expire_after\":", Int(min(max(30, 3 / rateHertz), 86_400).rounded(.up)))
            }
            if object.component != "binary_sensor" {
                writer.string(",\"availability_topic\":", topics.link)
                writer.literal(",\"availability_template\":\"{{ 'online' if value_json.online else 'offline' }}\"")
            }
            writer.string(",\"device\":{\"identifiers\":", "posed_\(identity.id)")
            writer.string(",\"name\":", "posed \(identity.id)")
            writer.string(",\"model\":\"posed\",\"sw_version\":", release)
            writer.literal("}}")
            // The id is a level of its own: rules of brokers compare whole levels with the name of a client.
            let topic = "\(prefix)/\(object.component)/\(plain(identity.id))/posed_\(key)/config"
            return Publication(topic: topic, payload: writer.withBytes { Array($0) }, isRetained: true)
        }
    }

    /// What belongs to the device: component, name and the members of its own.
    private static func objects(_ topics: BoardTopics) -> [(
        component: String, name: String, members: (inout JSONWriter) -> Void
    )] {
        let pose = topics.topic(.pose)
        return [
            (
                "device_tracker", "place",
                { writer in
                    writer.string(",\"json_attributes_topic\":", pose)
                    writer.string(",\"json_attributes_template\":", attributes)
                    writer.literal(",\"source_type\":\"gps\"")
                }
            ),
            (
                "sensor", "speed",
                { writer in
                    writer.string(",\"state_topic\":", pose)
                    writer.string(",\"value_template\":", speed)
                    writer.literal(",\"unit_of_measurement\":\"km/h\",\"device_class\":\"speed\"")
                }
            ),
            (
                "sensor", "pose state",
                { writer in
                    writer.string(",\"state_topic\":", pose)
                    writer.literal(",\"value_template\":\"{{ value_json.pose.state }}\"")
                }
            ),
            (
                "binary_sensor", "connected",
                { writer in
                    writer.string(",\"state_topic\":", topics.link)
                    writer.literal(",\"value_template\":\"{{ 'ON' if value_json.online else 'OFF' }}\"")
                    writer.literal(",\"device_class\":\"connectivity\",\"entity_category\":\"diagnostic\"")
                }
            ),
        ]
    }

    /// The attributes of a tracker. Without a position the template gives an empty object, and the tracker keeps none.
    private static let attributes =
        "{% set p = value_json.pose %}{{ ({'latitude': p.lat_deg, 'longitude': p.lon_deg, 'gps_accuracy': "
        + "((p.sigma_enu_m or [0, 0, 0])[:2] | max | round(1)), 'course': p.course_deg, 'altitude': p.alt_msl_m} "
        + "if p.lat_deg is not none else {}) | tojson }}"

    private static let speed =
        "{% set v = value_json.pose.vel_enu_m_s %}{{ (sqrt(v[0] ** 2 + v[1] ** 2) * 3.6) | round(1) if v else none }}"

    /// The id as Home Assistant allows it in a topic: without points.
    private static func plain(_ id: String) -> String { String(id.map { $0 == "." ? "_" : $0 }) }
}
