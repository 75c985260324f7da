/// One lane of the road before a maneuver, as the router tells it. A maneuver's lanes come from left to right.
public struct Lane: Sendable, Equatable {
    /// Where the arrows on it point; empty where there are none.
    public var indications: [Maneuver.Modifier]
    /// Whether the maneuver can be made from it.
    public var isValid: Bool
    /// Whether it is the one to take: it suits the maneuver behind this one, too. Routers that do not tell leave it at
    /// ``isValid``.
    public var isRecommended: Bool
    /// Which of its arrows is to be followed, where the router tells.
    public var validIndication: Maneuver.Modifier?

    /// A lane; without a word about it, the recommended lanes are the valid ones.
    public init(
        indications: [Maneuver.Modifier], isValid: Bool, isRecommended: Bool? = nil,
        validIndication: Maneuver.Modifier? = nil
    ) {
        self.indications = indications
        self.isValid = isValid
        self.isRecommended = isRecommended ?? isValid
        self.validIndication = validIndication
    }
}
