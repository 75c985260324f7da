/// One lane of the road before a maneuver, as given by the router. Lanes are ordered from left to right.
public struct Lane: Sendable, Equatable {
    /// Directions of the arrows on the lane; empty if there are none.
    public var indications: [Maneuver.Modifier]
    /// Whether the maneuver is possible from this lane.
    public var isValid: Bool
    /// Whether the lane is recommended because it also suits the following maneuver. Equals ``isValid`` if the router
    /// gives no recommendation.
    public var isRecommended: Bool
    /// The arrow that applies to the maneuver; `nil` if the router does not give it.
    public var validIndication: Maneuver.Modifier?

    /// Creates a lane. Without `isRecommended`, a valid lane is recommended.
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
