import Testing

@testable import Scene

@Suite struct MarkerPlanTests {
    /// GIVEN two points at a distance WHEN the gap is divided THEN no part is longer than the spacing for that
    /// distance, bounds included.
    @Test(arguments: [
        (5.0, 1), (20, 1), (20.001, 2), (99, 5), (100, 5), (100.001, 3), (1000, 20), (1000.001, 11), (5000, 50),
        (5000.001, 26), (10_000, 50),
    ])
    func pieces(gap: Double, expected: Int) {
        #expect(MarkerPlan.pieces(ofMeters: gap) == expected)
        let plan = MarkerPlan(pointsAlong: [0, gap])
        #expect(plan.alongMeters.count == expected + 1)
        #expect(plan.alongMeters.first == 0 && plan.alongMeters.last == gap)
    }

    /// GIVEN points with duplicates WHEN markers are computed THEN they strictly increase.
    @Test func noDuplicates() {
        let plan = MarkerPlan(pointsAlong: [0, 0, 15, 15, 115, 1200])
        #expect(zip(plan.alongMeters, plan.alongMeters.dropFirst()).allSatisfy { $0 < $1 })
    }

    /// GIVEN a long route WHEN it is driven THEN every marker is shown before it is passed, in windows of at most 200.
    @Test func windows() {
        var plan = MarkerPlan(pointsAlong: (0...1000).map { Double($0) * 15 })
        var changes = 0
        for progress in stride(from: 0.0, through: 15_000, by: 7) {
            if plan.update(progressMeters: progress) { changes += 1 }
            #expect(plan.window.count <= 200)
            if let next = plan.alongMeters.firstIndex(where: { $0 >= progress }) { #expect(plan.window.contains(next)) }
        }
        // 1,001 markers; each window starts 50 m behind the vehicle and is replaced 25 m before its end.
        #expect(changes >= 5 && changes <= 7)
    }

    /// GIVEN a recorded track with a point for each decimetre, as of a walk at 10 Hz or of a stop WHEN it is followed
    /// THEN the next markers are always shown, and some behind.
    @Test func densePointsDoNotFillTheWindowBehindTheVehicle() {
        var plan = MarkerPlan(pointsAlong: (0...5000).map { Double($0) * 0.1 })
        for progress in stride(from: 0.0, through: 480, by: 1.3) {
            _ = plan.update(progressMeters: progress)
            #expect(plan.window.count == 200)
            let next = plan.alongMeters.firstIndex { $0 >= progress } ?? 0
            #expect(plan.window.contains(next) && plan.window.contains(min(next + 100, 4999)), "at \(progress) m")
            #expect(progress < 6 || plan.window.contains(next - 20))
        }
    }

    /// GIVEN a window WHEN the vehicle jumps ahead by kilometres or is matched far back THEN the window follows.
    @Test func jumps() {
        var plan = MarkerPlan(pointsAlong: (0...1000).map { Double($0) * 15 })
        _ = plan.update(progressMeters: 0)
        let moved9000 = plan.update(progressMeters: 9000)
        #expect(moved9000)
        #expect(plan.alongMeters[plan.window.lowerBound] <= 9000 && plan.alongMeters[plan.window.upperBound - 1] > 9000)
        let moved3000 = plan.update(progressMeters: 3000)
        #expect(moved3000)
        #expect(plan.alongMeters[plan.window.lowerBound] <= 3000 && plan.alongMeters[plan.window.upperBound - 1] > 3000)
    }

    /// GIVEN a route with more than a million points WHEN markers are computed THEN there are a million.
    @Test func thereAreAMillionMarkersAtMost() {
        let plan = MarkerPlan(pointsAlong: (0..<1_000_002).map { Double($0) })
        #expect(plan.alongMeters.count == 1_000_000 && plan.alongMeters.last == 999_999)
    }
}
