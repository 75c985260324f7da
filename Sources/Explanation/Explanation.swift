import Frames

/// Why a quantity is not known better: what contributes to it, and the one action that would help most. A pure value:
/// the same facts give the same explanation.
package struct Explanation: Sendable, Equatable {
    /// The quantities.
    package enum Quantity: String, CaseIterable, Sendable {
        /// The true heading.
        case heading
        /// The place.
        case position
        /// The speed over ground.
        case speed
        /// Whether and why the vehicle is off the route.
        case offRoute = "off-route"
        /// The speed limit.
        case limit
    }

    /// One line of the table.
    package struct Contribution: Sendable, Equatable {
        /// What contributes.
        package var name: String
        /// Its 1-sigma in the unit of the quantity; `nil` where it is no number of that kind.
        package var sigma: Double?
        /// What is known of it.
        package var text: String
    }

    /// The quantity.
    package let quantity: Quantity
    /// What is known of it now, one line.
    package let state: String
    /// The table, the largest contribution first.
    package let contributions: [Contribution]
    /// Unit of the contributions.
    package let unit: String
    /// The one action that would help most.
    package let action: Action

    /// Explains a quantity.
    package init(_ quantity: Quantity, _ facts: ExplanationFacts) {
        self.quantity = quantity
        switch quantity {
        case .heading, .position, .speed:
            let table = PoseExplanation(quantity, facts)
            (state, contributions, unit, action) = (table.state, table.contributions, table.unit, table.action)
        case .offRoute:
            let table = RouteExplanation(facts)
            (state, contributions, unit, action) = (table.state, table.contributions, "m", table.action)
        case .limit:
            let table = LimitExplanation(facts)
            (state, contributions, unit, action) = (table.state, table.contributions, "", table.action)
        }
    }
}
