import Engine
import Frames
import Geodesy
import Platform

/// The declination as the daemon knows it: for the engine, for `status`, and for the reasons why a heading is unknown.
package struct MagneticNorth: Sendable {
    /// Computes the declination.
    package var schedule = DeclinationSchedule(model: nil, configuredPlace: nil)
    /// Why there is no model; `nil` with one.
    package var problem: String?
    /// Whether the clock of the system gives the date while no receiver does.
    package var usesSystemClock = true

    /// Without a model.
    package init() {}

    /// Without a model, a place or a date that suits, what would help; `nil` while the declination is known.
    var remedy: String? {
        guard let model = schedule.model else { return problem ?? "there is no magnetic model" }
        guard let latest = schedule.latest else {
            return "set magnetic.place_deg, or connect a satellite receiver"
        }
        guard latest.declination == nil else { return nil }
        if let year = latest.year, model.yearsOutside(year: year) > 0 {
            return "the magnetic model \(model.name) is not for this date: install a newer WMM.COF, or set the clock"
        }
        return "too close to a magnetic pole for a compass"
    }

    /// What is wrong with the model in use: its date; `nil` while it is valid.
    var staleness: String? {
        guard let model = schedule.model, let year = schedule.latest?.year, model.yearsOutside(year: year) > 0 else {
            return nil
        }
        return "the magnetic model \(model.name) is valid from \(Int(model.epochYear)) to \(Int(model.endYear)) only: "
            + "install a newer WMM.COF"
    }

    /// Writes the member of `status`.
    func write(to writer: inout JSONWriter) {
        let (model, latest) = (schedule.model, schedule.latest)
        let degrees = 180 / Double.pi
        writer.number(",\"declination\":{\"deg\":", latest?.declination.map { $0.radians * degrees }, decimals: 3)
        writer.number(",\"sigma_deg\":", latest?.declination.map { $0.sigmaRadians * degrees }, decimals: 3)
        writer.string(",\"from\":", latest?.origin.rawValue)
        writer.string(",\"model\":", model?.name)
        writer.number(",\"valid_from_year\":", model?.epochYear, decimals: 1)
        writer.number(",\"valid_to_year\":", model?.endYear, decimals: 1)
        writer.string(",\"note\":", remedy ?? staleness)
        writer.literal("}")
    }
}

extension CommandHandler {
    /// Computes the declination where it is due, and passes it to the engine. Call it a few times per second.
    package func updateDeclination() {
        let clock = north.usesSystemClock ? SystemClock.realtimeNanoseconds : nil
        guard let command = north.schedule.update(with: latest, utcNanoseconds: clock) else { return }
        if !loop.submit(command) { north.schedule.restart() }
    }
}
