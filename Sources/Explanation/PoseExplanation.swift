import Frames

/// The explanation of heading, position or speed: faults first, then the largest part of the sigma.
struct PoseExplanation {
    let state: String
    let contributions: [Explanation.Contribution]
    let unit: String
    let action: Action

    init(_ quantity: Explanation.Quantity, _ facts: ExplanationFacts) {
        let evidence = Evidence(facts)
        let parts: ExplanationFacts.Parts?
        switch quantity {
        case .heading: (parts, unit) = (facts.heading, "deg")
        case .position: (parts, unit) = (facts.position, "m")
        default: (parts, unit) = (facts.speed, "m/s")
        }
        state = Self.state(quantity, facts)
        contributions = Self.table(parts, evidence)
        action = Self.action(quantity, parts, evidence)
    }

    private static func state(_ quantity: Explanation.Quantity, _ facts: ExplanationFacts) -> String {
        let pose = facts.frame.pose
        let known: String
        switch quantity {
        case .heading:
            known =
                pose.headingTrueRadians.map {
                    "\(Decimals.text($0 * 180 / .pi, 1)) deg, 1-sigma "
                        + "\(Decimals.text((pose.headingSigmaRadians ?? 0) * 180 / .pi, 2)) deg"
                } ?? "unknown"
        case .position:
            known =
                pose.positionSigmaENUMeters.map { "1-sigma \(Decimals.text(max($0.x, $0.y), 2)) m" } ?? "unknown"
        default:
            known =
                facts.frame.speed.speedMetersPerSecond.map {
                    "\(Decimals.text($0, 2)) m/s, 1-sigma "
                        + (pose.velocitySigmaENUMetersPerSecond.map { Decimals.text(max($0.x, $0.y), 2) } ?? "?")
                        + " m/s"
                } ?? "unknown"
        }
        return "\(known); pose \(words("\(pose.state)"))"
    }

    private static func table(_ parts: ExplanationFacts.Parts?, _ evidence: Evidence) -> [Explanation.Contribution] {
        let rows: [(String, Double?, String)] = [
            ("receiver", parts?.receiver, evidence.receiverText), ("gyro", parts?.gyro, evidence.gyroText),
            ("mount", parts?.mount, evidence.mountText), ("lag", parts?.lag, evidence.lagText),
            ("age", parts?.age, evidence.ageText),
        ]
        let list = rows.map { Explanation.Contribution(name: $0.0, sigma: $0.1, text: $0.2) }
        return list.enumerated().sorted {
            ($0.element.sigma ?? 0, $1.offset) > ($1.element.sigma ?? 0, $0.offset)
        }.map(\.element)
    }

    /// Faults in the order in which they exclude each other: without a source nothing else matters.
    private static func action(
        _ quantity: Explanation.Quantity, _ parts: ExplanationFacts.Parts?, _ evidence: Evidence
    ) -> Action {
        if let fault = evidence.sourceFault(of: quantity) { return fault }
        if let fault = evidence.receiverFault { return fault }
        if let fault = evidence.imuFault { return fault }
        if let fault = evidence.installationFault { return fault }
        if let fault = evidence.weakness(of: quantity) { return fault }
        guard let parts else { return .driveOn }
        return largest(quantity, parts, evidence)
    }

    /// What helps against the largest part.
    private static func largest(
        _ quantity: Explanation.Quantity, _ parts: ExplanationFacts.Parts, _ evidence: Evidence
    ) -> Action {
        let groups = [parts.receiver, parts.gyro, parts.mount, parts.lag, parts.age]
        guard let most = groups.max(), most > 0 else { return .none }
        if evidence.isGood(quantity) { return .none }
        if most == parts.age { return evidence.isSlow ? .fasterReceiver : .freeSky }
        if most == parts.mount {
            return quantity == .position && !evidence.facts.isAntennaTold ? .configureAntenna : .driveOn
        }
        if most == parts.receiver, quantity != .heading { return .placeAntenna }
        return .driveOn
    }

    static func words(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? " \($1.lowercased())" : "\($1)" }
    }
}

/// Numbers as text.
enum Decimals {
    /// A number with that many decimals, 0 to 6; `?` for one that is not finite or of a billion and more.
    static func text(_ value: Double, _ decimals: Int) -> String {
        guard abs(value) < 1e9 else { return "?" }
        let scale = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000][min(max(decimals, 0), 6)]
        let scaled = Int64((value * Double(scale)).rounded())
        let (whole, part) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt64(scale))
        let sign = scaled < 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(whole)" }
        let digits = String(part)
        return "\(sign)\(whole).\(String(repeating: "0", count: max(decimals - digits.count, 0)))\(digits)"
    }
}
