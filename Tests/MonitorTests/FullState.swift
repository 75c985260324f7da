import BoundedJSON
import Frames

@testable import Monitor

/// States of the monitor in which every value is known and every number is different.
enum FullState {
    /// A frame with every value that the monitor shows.
    static var frame: Frame {
        var frame = drivingFrame()
        let degree = Double.pi / 180
        frame.pose.altitudeEllipsoidMeters = 99.5
        frame.pose.isStandingStill = true
        frame.guidance.turnAngleRadians = -30 * degree
        frame.guidance.distanceToThenMeters = 410.5
        frame.speed.nextLimitMetersPerSecond = 30.0 / 3.6
        frame.speed.distanceToNextLimitMeters = 420.5
        frame.speed.curveSpeedMetersPerSecond = 40.0 / 3.6
        frame.speed.distanceToCurveMeters = 95.75
        frame.sources.gps = .streaming
        frame.sources.imu = .stale
        frame.sources.magnetometer = .waiting
        frame.sources.barometer = .lost
        frame.sources.wheels = .absent
        return frame
    }

    /// A reply to `status` in which nothing is missing.
    static let reply = [
        #"{"type":"reply","cmd":"status","ok":true,"release":"1.2.3","uptime_s":3725.0,"#,
        #""pose":{"state":"aligned","why":["the first reason: with its remedy","the second one"]},"#,
        #""mount":{"origin":"kept","q":[0.5,-0.5,0.5,0.5],"rpy_deg":[1.25,-2.5,3.75],"sigma_deg":[0.15,0.25,0.75]},"#,
        #""antenna":{"forward_m":-1.4,"left_m":-0.25,"sigma_m":[0.125,0.375],"beside_imu":0.75},"#,
        #""magnetometer":{"state":"disturbed","iron_ut":[20.4,-30.6,10.5],"field_ut":48.32,"dip_deg":65.6,"#,
        #""sigma_deg":3.14},"sources":["#,
        #"{"name":"gps1","kind":"gps","place":"gpsd","state":"streaming","explanation":"fixes arrive","#,
        #""accepted":120,"rate_hz":4.98,"last_data_age_s":0.125,"rejected":{"old":3,"future":0,"poor":4},"receiver":{"#,
        #""rank":1,"in_use":true,"fix":"rtk_float","corrections_age_s":1.5,"corrections_station":22,"#,
        #""satellites_used":12,"#,
        #""satellites_visible":20,"heading_deg":33.25,"jamming_indicator":7,"use_reason":"it is the first"}},"#,
        #"{"name":"icm","kind":"imu","place":"iio:device0","state":"stale","#,
        #""explanation":"no sample for 3 s; check it","#,
        #""accepted":4000,"rate_hz":199.25,"last_data_age_s":3.0625,"temperature_c":41.35,"clock_drift_ppm":-12.5},"#,
        #"{"name":"mag","kind":"magnetometer","place":"iio:device1","state":"waiting","explanation":"waits"},"#,
        #"{"name":"baro","kind":"barometer","place":"iio:device2","state":"lost","explanation":"it is gone"},"#,
        #"{"name":"can","kind":"wheels","place":"can0","state":"absent","explanation":"not set"}],"#,
        #""trust":{"receiver":"drifting","receiver_sigma_factor":2.55,"velocity_stated":false,"#,
        #""accuracy_stated":false,"#,
        #""mount_refused":true,"gyro_noise_dps_rthz":0.0125,"fix_lateness_s":0.75,"profile_fits":false,"#,
        #""imu_faults":["gyroStuck","accelerometerClipped"],"position_lag_s":0.025,"velocity_lag_s":0.315,"#,
        #""wheels":{"scale":1.0125,"used":false},"budget":{"#,
        #""heading_deg":{"receiver":0.315,"gyro":0.125,"mount":0.215,"lag":0.05,"age":0.01},"#,
        #""position_m":{"receiver":1.5,"gyro":0.25,"mount":0.75,"lag":0.125,"age":0.375}},"#,
        #""rejected":{"inertialClipped":40,"fixTooLate":2,"fixPoorAccuracy":0},"aids":["#,
        #"{"source":"gnssPosition","innovation":-2.0,"innovation_variance":16.0,"test_ratio":0.2,"accepted_count":90,"#,
        #""rejected_count":10,"last_reason":"drifting"},"#,
        #"{"source":"gnssVelocity","innovation":3.0,"innovation_variance":0,"accepted_count":91,"rejected_count":0},"#,
        #"{"source":"receiverHeading","accepted_count":92,"rejected_count":1,"last_reason":"late"},"#,
        #"{"source":"wheelSpeed","innovation":1.0,"innovation_variance":0.25,"accepted_count":93,"rejected_count":0},"#,
        #"{"source":"barometer","innovation":0.5,"innovation_variance":1,"accepted_count":94,"rejected_count":2}]},"#,
        #""route":{"version":1,"loaded":true,"name":"home","from":"/r.json","length_m":1234,"#,
        #""notes":["has no limits"],"#,
        #""last_refused":{"from":"/bad.json","error":{"what":"is no route","where":"column 1","remedy":"give one"}}},"#,
        #""roads":{"file":"/r.posed","holds":"9 edges","problem":null},"points":{"problem":"/p.json: is gone"},"#,
        #""routing":{"server":"osrm","state":"idle"},"#,
        #""clients":{"connected":3,"limit":256,"limit_per_user":64,"low_rate":1,"dropped":7,"left":{"tooSlow":2}},"#,
        #""engine":{"frames":1000,"repeats":2,"frames_dropped":5,"beat_age_s":0.0225,"real_time":"on","#,
        #""measurements_dropped":{"gps1":0,"icm":6}},"#,
        #""recording":{"state":"recording","file":"/r/a-001.mcap","bytes":1572864,"seconds":65,"private":false,"#,
        #""from_start":true,"problem":"the disk is slow","lost":8,"lost_chunks":9},"#,
        #""settings":{"file":null,"notes":["settings.yaml: line 3","one is old"]},"#,
        #""state_notes":["the mount is kept"]}"#,
    ].joined()

    /// The state with that frame, that reply and two events.
    static func state() throws -> MonitorState {
        var state = MonitorState()
        (state.connection, state.release) = (.connected, "1.2.3")
        for step in 0...10 { state.update(frame, line: "", dropped: 7, atSeconds: Double(step) * 0.02) }
        var maneuver = Message.Maneuver(routeVersion: 3)
        (maneuver.index, maneuver.turnAngleRadians, maneuver.text) = (1, 1.5, "Turn right into Mill Lane")
        state.update(maneuver)
        state.status = StatusReply(line: Array(reply.utf8))
        state.details = StatusDetails(try JSONDocument(bytes: Array(reply.utf8)).root)
        for event in ["the oldest event", "an older event", "the newest event; look at it"] { state.addEvent(event) }
        return state
    }

    /// A connected state whose frame has nothing.
    static var empty: MonitorState {
        var state = MonitorState()
        state.connection = .connected
        state.update(Frame(), line: "", dropped: 0, atSeconds: 0)
        return state
    }
}
