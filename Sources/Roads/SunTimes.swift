import Glibc

/// Sunrise, sunset and civil twilight, within two minutes below 65 degrees of latitude (NOAA, "General Solar Position
/// Calculations": declination and equation of time as series of the day of the year).
enum SunTimes {
    /// An event of a day.
    enum Event: UInt8, Sendable {
        /// Start of civil twilight.
        case dawn
        /// The sun's upper edge appears.
        case sunrise
        /// The sun's upper edge disappears.
        case sunset
        /// End of civil twilight.
        case dusk
    }

    /// The local minute of an event on a day (counted from 1970-01-01); `nil` where the sun does not pass that height
    /// on that day.
    static func minute(
        of event: Event, day: Int, latitudeDegrees: Double, longitudeDegrees: Double, utcOffsetSeconds: Int
    ) -> Int? {
        guard abs(latitudeDegrees) <= 90, abs(longitudeDegrees) <= 360 else { return nil }
        let (month, dayOfMonth) = LocalTime.monthAndDay(day)
        let dayOfYear = Double(daysBefore[month - 1] + dayOfMonth)
        // Where zone and place are on different sides of the 180th meridian, the place's noon is a day off.
        let days = ((720 - 4 * longitudeDegrees + Double(utcOffsetSeconds) / 60) / 1440).rounded(.down)
        let year = 2 * Double.pi / 365.2422 * (dayOfYear - 0.5 - longitudeDegrees / 360 - days)
        let equationMinutes =
            229.18
            * (0.000_075 + 0.001_868 * cos(year) - 0.032_077 * sin(year) - 0.014_615 * cos(2 * year)
                - 0.040_849 * sin(2 * year))
        let declination =
            0.006_918 - 0.399_912 * cos(year) + 0.070_257 * sin(year) - 0.006_758 * cos(2 * year)
            + 0.000_907 * sin(2 * year) - 0.002_697 * cos(3 * year) + 0.001_48 * sin(3 * year)
        let latitude = latitudeDegrees * .pi / 180
        let height = (event == .dawn || event == .dusk ? -6 : -0.833) * Double.pi / 180
        let cosine = (sin(height) - sin(latitude) * sin(declination)) / (cos(latitude) * cos(declination))
        guard cosine >= -1, cosine <= 1 else { return nil }
        let halfDayMinutes = acos(cosine) * 720 / .pi
        let noon = 720 - 4 * longitudeDegrees - equationMinutes + Double(utcOffsetSeconds) / 60
        let isMorning = event == .dawn || event == .sunrise
        let minute = (isMorning ? noon - halfDayMinutes : noon + halfDayMinutes).rounded()
        guard minute > -2880, minute < 4320 else { return nil }
        return Int(minute - 1440 * days)
    }

    /// Days of a common year before each month.
    private static let daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
}
