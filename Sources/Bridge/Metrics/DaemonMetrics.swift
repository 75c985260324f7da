import BoundedJSON
import Frames
import PosedClient

/// What is known of the daemon, for metrics.
package struct DaemonFacts: Sendable {
    /// The newest frame; `nil` before the first one and while the daemon cannot be reached.
    package var frame: Frame?
    /// The answer to the command `status`; `nil` if there is none.
    package var status: JSONDocument?
    /// From measurement to arrival, of frames with a new measurement.
    package var latency = LatencyHistogram()
    /// Messages of the daemon that did not reach the bridge.
    package var lost: UInt64 = 0

    /// Creates facts without content.
    package init() {}
}

extension MetricsText {
    /// Writes what the daemon tells.
    package mutating func add(_ facts: DaemonFacts) {
        metric("posed_up", .gauge, "Whether the daemon sends frames to the bridge.", facts.frame == nil ? 0 : 1)
        if let frame = facts.frame {
            addPose(frame.pose)
            addSources(frame.sources)
            state(
                "posed_guidance_state", "Position relative to the route.", frame.guidance.state.wireName.description,
                of: Frame.GuidanceState.allCases.map(\.wireName.description))
            metric("posed_simulated", .gauge, "Whether the drive is simulated.", frame.isSimulated ? 1 : 0)
        }
        histogram(
            "posed_frame_latency_seconds", "From the newest measurement in a frame to its arrival at the bridge.",
            facts.latency)
        if let status = facts.status?.root { add(status: status) }
    }

    private mutating func addPose(_ pose: Frame.Pose) {
        state(
            "posed_pose_state", "How far the pose can be trusted.", pose.state.wireName.description,
            of: Frame.PoseState.allCases.map(\.wireName.description))
        metric(
            "posed_fix_age_seconds", .gauge, "Time since the last accepted fix was valid.", pose.fixAgeSeconds)
        let sigma = pose.positionSigmaENUMeters
        metric(
            "posed_position_sigma_meters", .gauge, "1-sigma of the position.",
            [([("axis", "east")], sigma?.x), ([("axis", "north")], sigma?.y), ([("axis", "up")], sigma?.z)])
        metric(
            "posed_heading_sigma_degrees", .gauge, "1-sigma of the true heading.",
            pose.headingSigmaRadians.map { $0 * 180 / .pi })
        metric(
            "posed_tilt_sigma_degrees", .gauge, "1-sigma of roll and pitch.",
            pose.tiltSigmaRadians.map { $0 * 180 / .pi })
        metric(
            "posed_satellites_used", .gauge, "Satellites in the last fix.", pose.satellitesUsed.map { Double($0) })
        metric("posed_pose_resets_total", .counter, "Announced jumps of the pose.", Double(pose.resetCount))
    }

    private mutating func addSources(_ sources: Frame.Sources) {
        let states = Frame.SourceState.allCases
        let rows = Message.SourceName.allCases.flatMap { name in
            states.map { state in
                (
                    labels: [("source", name.wireName.description), ("state", state.wireName.description)],
                    value: Optional(sources[name] == state ? 1.0 : 0.0)
                )
            }
        }
        metric("posed_source_state", .gauge, "State of each source.", rows)
        metric(
            "posed_source_age_seconds", .gauge, "Age of the newest data of each source.",
            [
                ([("source", "gps")], sources.gpsAgeSeconds), ([("source", "imu")], sources.imuAgeSeconds),
                ([("source", "magnetometer")], sources.magnetometerAgeSeconds),
                ([("source", "barometer")], sources.barometerAgeSeconds),
                ([("source", "wheels")], sources.wheelsAgeSeconds),
            ])
    }

    /// Writes the counters of the command `status`.
    private mutating func add(status: JSONValue) {
        metric("posed_uptime_seconds", .gauge, "Time since the daemon started.", status["uptime_s"]?.double)
        let sources = status["sources"].map { Array($0.elements) } ?? []
        func label(_ source: JSONValue) -> [(String, String)] {
            [("name", source["name"]?.string ?? ""), ("kind", source["kind"]?.string ?? "")]
        }
        metric(
            "posed_source_accepted_total", .counter, "Measurements that a source delivered.",
            sources.map { (label($0), $0["accepted"]?.double) })
        metric(
            "posed_source_rejected_total", .counter, "Data of a source that was rejected, by reason.",
            sources.flatMap { source in
                (source["rejected"].map { Array($0.members) } ?? []).map {
                    (label(source) + [("reason", $0.name)], $0.value.double)
                }
            })
        metric(
            "posed_source_rate_hertz", .gauge, "Measured rate of a source.",
            sources.map { (label($0), $0["rate_hz"]?.double) })
        add(trust: status["trust"])
        let (clients, engine) = (status["clients"], status["engine"])
        metric("posed_clients", .gauge, "Clients of the daemon, the bridge included.", clients?["connected"]?.double)
        metric(
            "posed_client_messages_lost_total", .counter, "Messages that clients lost.", clients?["dropped"]?.double)
        metric("posed_frames_total", .counter, "Frames made of measurements, or predicted.", engine?["frames"]?.double)
        metric(
            "posed_frames_repeated_total", .counter, "Frames published again, none was made.",
            engine?["repeats"]?.double)
        metric(
            "posed_frames_dropped_total", .counter, "Frames that the engine could not hand over.",
            engine?["frames_dropped"]?.double)
        metric(
            "posed_measurements_dropped_total", .counter, "Measurements that came too fast, by queue.",
            (engine?["measurements_dropped"].map { Array($0.members) } ?? []).map {
                ([("queue", $0.name)], $0.value.double)
            }
        )
    }

    private mutating func add(trust: JSONValue?) {
        metric(
            "posed_receiver_sigma_factor", .gauge, "How much worse the receiver is than it says.",
            trust?["receiver_sigma_factor"]?.double)
        metric(
            "posed_rejected_total", .counter, "Measurements that the engine rejected, by reason.",
            (trust?["rejected"].map { Array($0.members) } ?? []).map { ([("reason", $0.name)], $0.value.double) })
        let aids = trust?["aids"].map { Array($0.elements) } ?? []
        func rows(_ value: (JSONValue) -> Double?) -> [(labels: [(String, String)], value: Double?)] {
            aids.map { ([("aid", $0["source"]?.string ?? "")], value($0)) }
        }
        metric(
            "posed_aid_normalized_innovation", .gauge, "Last innovation of each aid in sigmas.",
            rows { aid in
                guard let innovation = aid["innovation"]?.double, let variance = aid["innovation_variance"]?.double,
                    variance > 0
                else { return nil }
                return innovation / variance.squareRoot()
            })
        metric(
            "posed_aid_test_ratio", .gauge, "Last test of each aid; rejected above 1.",
            rows { $0["test_ratio"]?.double })
        metric(
            "posed_aid_accepted_total", .counter, "Measurements of each aid that the filter used.",
            rows { $0["accepted_count"]?.double })
        metric(
            "posed_aid_rejected_total", .counter, "Measurements of each aid that the filter rejected.",
            rows { $0["rejected_count"]?.double })
    }
}
