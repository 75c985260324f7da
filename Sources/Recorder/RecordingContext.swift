import Engine
import Measurements
import PoseMath

/// The inputs that still have an effect, for a file that starts while the engine runs: the route in force, the states
/// of the sources, the declination and the trim. A replay that starts with that file begins with them.
struct RecordingContext {
    private var route: EngineCommand?
    private var reports: [SensorKind: SourceReport] = [:]
    private var trimRadians = 0.0
    private var declination: EngineCommand?

    /// The inputs.
    var inputs: [EngineInput] {
        var inputs = SensorKind.allCases.compactMap { reports[$0] }.map { EngineInput.report($0) }
        if let route { inputs.append(.command(route)) }
        if let declination { inputs.append(.command(declination)) }
        if trimRadians != 0 { inputs.append(.command(.setHeadingTrim(radians: trimRadians))) }
        return inputs
    }

    /// Processes an input.
    mutating func note(_ input: EngineInput) {
        switch input {
        case .report(let report): reports[report.source] = report
        case .command(.setRoute(let route, let version)): self.route = .setRoute(route, version: version)
        case .command(.setHeadingTrim(let radians)): trimRadians = radians
        case .command(.setDeclination(let declination)): self.declination = .setDeclination(declination)
        case .command(.trimHeading(let radians)): trimRadians += radians
        case .command(.reset(let past)): trimRadians = past?.value.headingTrimRadians ?? 0
        case .command, .event, .tick, .repetition: break
        }
    }
}
