import Foundation

/// A simulated receiver: five epochs per second at the system's UTC, each as GGA, GSA and RMC, on a straight line at
/// constant speed.
struct NMEAReceiver: Sendable {
    static let speedMetersPerSecond = 10.0
    static let courseDegrees = 60.0
    /// Heading of two antennas, degrees; `nil`: a receiver with one.
    var headingDegrees: Double?
    /// Quality of GGA: 1 a plain fix, 4 and 5 RTK.
    var quality = 1
    /// Age and station of the corrections, as in GGA.
    var corrections = ","
    private static let interval = 0.2
    /// Delay from the epoch to its sentences, seconds.
    private static let delay = 0.08

    /// Sends the sentences as long as the feed runs.
    func play(on feed: ReceiverFeed) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let realtime = Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
        let offset = realtime - monotonicSeconds()
        // Epochs are at multiples of the interval.
        let firstIndex = Int64((realtime / Self.interval).rounded(.up))
        let heading = headingDegrees.map { Self.sentence("GPHDT,\(String(format: "%.2f", $0)),T") } ?? ""
        feed.play { index in
            let number = firstIndex + Int64(index)
            let utc = Double(number) * Self.interval
            return (
                utc - offset + Self.delay,
                Array((epoch(number: number, seconds: Double(index) * Self.interval) + heading).utf8)
            )
        }
    }

    private func epoch(number: Int64, seconds: Double) -> String {
        let tenths = number * 2
        var time = time_t(tenths / 10)
        var parts = tm()
        gmtime_r(&time, &parts)
        let clock = String(format: "%02d%02d%02d.%d0", parts.tm_hour, parts.tm_min, parts.tm_sec, Int(tenths % 10))
        let date = String(format: "%02d%02d%02d", parts.tm_mday, parts.tm_mon + 1, parts.tm_year % 100)
        let way = Self.speedMetersPerSecond * seconds
        let course = Self.courseDegrees
        let latitude = 48 + way * cos(course * .pi / 180) / 111_200
        let longitude = 11 + way * sin(course * .pi / 180) / 74_600
        let place = "\(Self.degrees(latitude, width: 2)),N,\(Self.degrees(longitude, width: 3)),E"
        let knots = String(format: "%.3f", Self.speedMetersPerSecond / 0.514444)
        return Self.sentence("GPGGA,\(clock),\(place),\(quality),09,0.9,514.0,M,46.0,M,\(corrections)")
            + Self.sentence("GPGSA,A,3,01,02,03,04,05,06,07,08,09,,,,1.6,0.9,1.3")
            + Self.sentence("GPRMC,\(clock),A,\(place),\(knots),\(String(format: "%.1f", course)),\(date),,,A")
    }

    private static func degrees(_ value: Double, width: Int) -> String {
        String(format: "%0\(width)d%08.5f", Int(value), (value - Double(Int(value))) * 60)
    }

    private static func sentence(_ body: String) -> String {
        let checksum = body.utf8.reduce(0) { $0 ^ $1 }
        return "$\(body)*\(String(format: "%02X", Int(checksum)))\r\n"
    }
}
