import Frames
import Guidance
import Testing

@testable import Engine

/// Lanes from a route to the message.
@Suite struct LaneTests {
    /// GIVEN every direction that a router knows WHEN it is put on the wire THEN it has the same name there, and none
    /// is another's.
    @Test func everyDirectionKeepsItsName() {
        let names = Maneuver.Modifier.allCases.map { modifier in
            let lane = Message.Lane(Lane(indications: [modifier], isValid: true, validIndication: modifier))
            #expect(lane.arrows == [Message.Lane.Direction(modifier)] && lane.direction == lane.arrows.first)
            return Message.Lane.Direction(modifier).wireName.description.lowercased()
        }
        #expect(names == Maneuver.Modifier.allCases.map { $0.rawValue.filter { $0 != " " } })
    }

    /// GIVEN lanes of which some suit WHEN put on the wire THEN that is kept, and arrows come in one order.
    @Test func whatSuitsIsKept() {
        let lanes = [
            Lane(indications: [.straight, .left], isValid: true, isRecommended: false, validIndication: .left),
            Lane(indications: [], isValid: false),
        ].map { Message.Lane($0) }
        #expect(lanes[0] == .init(arrows: [.straight, .left], isValid: true, isRecommended: false, direction: .left))
        #expect(lanes[0].arrows == [.straight, .left])
        #expect(lanes[1] == .init(arrows: [], isValid: false, isRecommended: false))
    }
}
