/// Other forms of the pose, for programs that do not know posed; each off unless it is set.
package struct OutputSettings: Sendable, Equatable {
    /// Where the link to the terminal with NMEA 0183 is made; `nil`: no NMEA.
    package var nmeaPath: String?
    /// Instants a second in NMEA, Hz.
    package var nmeaRateHertz = 5.0
    /// The port of 127.0.0.1 where gpsd's protocol is spoken; `nil`: nowhere.
    package var gpsdPort: Int?
    /// Reports a second in gpsd's protocol, Hz.
    package var gpsdRateHertz = 10.0

    /// The defaults.
    package init() {}
}
