import BoundedJSON
import Explanation
import Frames

extension ExplanationFacts {
    /// The facts in a reply to `status` and the latest frame. Members that are missing stay unknown.
    init(status: JSONValue, frame: Frame) {
        self.init()
        self.frame = frame
        let trust = status["trust"]
        heading = Self.parts(trust?["budget"]?["heading_deg"])
        position = Self.parts(trust?["budget"]?["position_m"])
        speed = Self.parts(trust?["budget"]?["speed_m_s"])
        verdict = trust?["receiver"]?.string ?? verdict
        sigmaFactor = trust?["receiver_sigma_factor"]?.double ?? 1
        isVelocityStated = trust?["velocity_stated"]?.bool ?? true
        isAccuracyStated = trust?["accuracy_stated"]?.bool ?? true
        fixLatenessSeconds = trust?["fix_lateness_s"]?.double ?? 0
        positionLagSeconds = trust?["position_lag_s"]?.double
        velocityLagSeconds = trust?["velocity_lag_s"]?.double
        gyroNoiseDensity = trust?["gyro_noise_dps_rthz"]?.double ?? 0
        imuFaults = trust?["imu_faults"]?.elements.compactMap(\.string) ?? []
        doesProfileFit = trust?["profile_fits"]?.bool ?? true
        isMountRefused = trust?["mount_refused"]?.bool ?? false
        areWheelsRefused = trust?["wheels"]?["used"]?.bool.map { !$0 } ?? false
        noteSources(status)
        noteRejections(trust)
        mountHeadingSigmaDegrees = status["mount"]?["sigma_deg"]?.elements.compactMap(\.double).last
        noteAntenna(status["antenna"])
        if let roads = status["roads"] { hasRoads = roads["file"]?.string != nil }
    }

    private mutating func noteSources(_ status: JSONValue) {
        let sources = status["sources"].map { Array($0.elements) } ?? []
        let receivers = sources.filter { $0["kind"]?.string == "gps" }
        isReceiverUnheard = !receivers.isEmpty && receivers.allSatisfy(Self.isUnheard)
        for source in sources {
            switch source["kind"]?.string {
            case "gps":
                // The fixes of a spare receiver are not used.
                let isSpare = source["receiver"]?["in_use"]?.bool == false
                if !isSpare { fixRateHertz = source["rate_hz"]?.double ?? fixRateHertz }
            case "imu":
                let clipped = Double(status["trust"]?["rejected"]?["inertialClipped"]?.int ?? 0)
                let accepted = Double(source["accepted"]?.int ?? 0)
                if accepted > 0 { clippedShare = clipped / accepted }
            default: break
            }
        }
    }

    private static func isUnheard(_ receiver: JSONValue) -> Bool {
        let hasRejected = receiver["rejected"]?.members.contains { ($0.value.int ?? 0) > 0 } ?? false
        return receiver["accepted"]?.int == 0 && !hasRejected && receiver["receiver"]?["device"]?.string == nil
    }

    private mutating func noteRejections(_ trust: JSONValue?) {
        let aid = trust?["aids"]?.elements.first { $0["source"]?.string == "gnssPosition" }
        let rejected = Double(aid?["rejected_count"]?.int ?? 0)
        let all = rejected + Double(aid?["accepted_count"]?.int ?? 0)
        rejectedShare = all > 0 ? rejected / all : 0
    }

    private mutating func noteAntenna(_ antenna: JSONValue?) {
        guard let x = antenna?["forward_m"]?.double, let y = antenna?["left_m"]?.double else { return }
        antennaMeters = (x * x + y * y).squareRoot()
        antennaSigmaMeters = antenna?["sigma_m"]?.elements.compactMap(\.double).max()
        isAntennaTold = antenna?["told"]?.bool ?? false
    }

    private static func parts(_ json: JSONValue?) -> Parts? {
        guard let json, let receiver = json["receiver"]?.double else { return nil }
        return Parts(
            receiver: receiver, gyro: json["gyro"]?.double ?? 0, mount: json["mount"]?.double ?? 0,
            lag: json["lag"]?.double ?? 0, age: json["age"]?.double ?? 0)
    }
}
