/// Settings of the output formats for programs that do not know posed; each is off by default.
package struct OutputSettings: Sendable, Equatable {
    /// Path of the symbolic link to the terminal with NMEA 0183; `nil` for none.
    package var nmeaPath: String?
    /// Rate of the NMEA sentences, Hz.
    package var nmeaRateHertz = 5.0
    /// Port of 127.0.0.1 with gpsd's protocol; `nil` for none.
    package var gpsdPort: Int?
    /// Rate of the reports in gpsd's protocol, Hz.
    package var gpsdRateHertz = 10.0

    /// The defaults.
    package init() {}
}
