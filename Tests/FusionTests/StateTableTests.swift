import Foundation
import Geodesy
import PoseMath
import Testing

@testable import Fusion

/// The state table and what is made of it.
@Suite struct StateTableTests {
    private static let document = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../docs/math.md").standardizedFileURL

    @Test func entriesFollowEachOtherWithoutGap() {
        // GIVEN the table WHEN its entries are laid side by side THEN each begins where the one before ends, the last
        // ends with the error vector, and no two have the same name
        var next = 0
        for entry in StateTable.entries {
            #expect(entry.state.index == next, "\(entry.name)")
            next = entry.state.end
        }
        #expect(next == FilterState.count)
        #expect(Set(StateTable.entries.map { "\($0.name)" }).count == StateTable.entries.count)
    }

    @Test func theTableHoldsWhatTheCodeActsOn() {
        // GIVEN the table; THEN the state that an absent sensor needs is the last one, so that the loops over the
        // others can end before it; only scalars have an initial value; and the noise kinds that need code of their own
        // are those of the states that have it.
        #expect(FilterState.barometerOffset.end == FilterState.count)
        for entry in StateTable.entries {
            #expect(entry.initialValue == 0 || entry.state.length == 1, "\(entry.name)")
            switch entry.noise {
            case .gaussMarkov: #expect(entry.state == .gnssBias, "\(entry.name)")
            case .withMeasurement: #expect(entry.state == .barometerOffset, "\(entry.name)")
            case .none, .integrated, .samples, .walk, .walkOnceHeadingIsSettled: break
            }
        }
        #expect(AidSourceStatuses.count == AidSource.allCases.count)
    }

    @Test func everyCounterHasItsName() {
        // GIVEN the counters of rejected input; THEN `named` lists each once, under its own name.
        let declared = Mirror(reflecting: RejectionCounters()).children.compactMap(\.label)
        #expect(RejectionCounters().named.map(\.name).sorted() == declared.sorted())
    }

    @Test func everyElementIsAppliedAndFoundAgain() {
        // GIVEN an estimate WHEN each element of an error is applied by itself THEN the same error leads back from it,
        // and no other element: to 2e-9, the rounding of a place on the Earth in metres. On the ellipsoid, where offset
        // and
        // step use the same radii.
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 11, altitudeEllipsoidMeters: 0),
            velocityENU: Vector3(3, 4, 0), sensorToENU: .identity)
        for i in 0..<FilterState.count {
            var error = ErrorVector()
            error[i] = 1e-3
            var moved = state
            moved.apply(error)
            let found = moved.error(from: state)
            for j in 0..<FilterState.count { #expect(abs(found[j] - error[j]) < 2e-9, "\(i) \(j)") }
        }
    }

    @Test func aStateOutsideItsRangeIsNotSound() {
        // GIVEN a sound estimate WHEN a state leaves its range, or is no number THEN the estimate is not sound
        var state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 11, altitudeEllipsoidMeters: 500),
            velocityENU: .zero, sensorToENU: .identity)
        #expect(state.isSound)
        for entry in StateTable.entries where entry.limit.isFinite {
            for value in [1.01 * entry.limit, -1.01 * entry.limit, .nan, .infinity] {
                let before = state[entry.state]
                state[entry.state] = value
                #expect(!state.isSound, "\(entry.name) \(value)")
                state[entry.state] = before
            }
        }
        #expect(state.isSound)
    }

    @Test(arguments: MotionProfile.allCases)
    func initialCovarianceHasTheStatesOfTheProfile(profile: MotionProfile) {
        // GIVEN a filter at its start THEN exactly the states that the profile has are uncertain, but for the offset of
        // a barometer that nobody has read
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 11, altitudeEllipsoidMeters: 500),
            velocityENU: .zero, sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: .zero, profile: profile)
        for entry in StateTable.entries where !"\(entry.name)".hasPrefix("barometer") {
            for i in entry.state.elements {
                #expect((filter.covariance[i, i] > 0) == entry.exists(on: profile), "\(entry.name)")
            }
        }
        #expect(filter.covariance[.barometerOffset, .barometerOffset] == 0)
        let isHealthy = filter.isHealthy()
        #expect(isHealthy)
    }

    @Test func documentIsCurrent() throws {
        // GIVEN docs/math.md THEN the table between its two marks is the one of the code; `make generated` writes it
        let text = try String(contentsOf: Self.document, encoding: .utf8)
        let (begin, end) = ("<!-- state table: made by `make generated` -->\n", "<!-- end of state table -->")
        let first = try #require(text.range(of: begin))
        let last = try #require(text.range(of: end))
        let expected = StateTable.document
        if ProcessInfo.processInfo.environment["POSED_GENERATE"] == "1" {
            let new = text.replacingCharacters(in: first.upperBound..<last.lowerBound, with: expected)
            try new.write(to: Self.document, atomically: true, encoding: .utf8)
            return
        }
        #expect(text[first.upperBound..<last.lowerBound] == expected, "run `make generated`")
    }
}
