import CBench
import Geodesy
import PoseMath
import Scene

/// The scene of one frame: 200 markers and 100 points of interest in east-north-up, in body axes and on a screen.
struct SceneBench {
    private static let here = GeodeticPosition(latitudeDegrees: 42.5, longitudeDegrees: 1.5)

    private static func content() -> SceneContent {
        let frame = LocalFrame(origin: here)
        var parts = SceneContent.Parts()
        parts.markers = (0..<UInt32(SceneLimits.markers)).map { number in
            let along = Double(number) * 20
            let place = frame.position(ofENUMeters: Vector3(along * 0.6, along * 0.8, 0))
            return SceneWaypoint(
                place: AnchoredPlace(place, heightMeanSeaMeters: 1000 + along / 50), number: number, alongMeters: along,
                directionTrueRadians: 0.6435)
        }
        parts.turn = parts.markers.last
        parts.destination = parts.markers.last
        parts.pointsOfInterest = (0..<UInt32(SceneLimits.pointsOfInterest)).map { number in
            let angle = Double(number) * 2.399963
            let place = frame.position(
                ofENUMeters: Vector3(cosine(angle), cosine(angle - .pi / 2), 0) * (15 * Double(number) + 5))
            return ScenePointOfInterest(
                place: AnchoredPlace(place, heightMeanSeaMeters: number % 3 == 0 ? nil : 1010), number: number)
        }
        return SceneContent(parts, contentVersion: 1)
    }

    private static func cosine(_ angle: Double) -> Double {
        Quaternion(rotationVector: Vector3(angle, 0, 0)).rotate(Vector3(0, 1, 0)).y
    }

    /// Measures and reports.
    func run() {
        var settings = SceneSettings()
        settings.display = DisplayProfile()
        var placer = ScenePlacer(settings: settings)
        let content = Self.content()
        var times: [Double] = []
        times.reserveCapacity(20_000)
        var allocations: UInt64 = 0
        for step in 0..<20_000 {
            let heading = Double(step) * 0.001
            let pose = ScenePose(
                time: MonotonicTime(nanoseconds: Int64(step)), position: Self.here, heightMeanSeaMeters: 1001,
                bodyToENU: EulerAngles(rollRadians: 0.01, pitchRadians: 0.02, headingTrueRadians: heading).bodyToENU,
                headingTrueRadians: heading,
                progressMeters: 0)
            let blocks = AllocationCounter.count
            let start = monotonicNanoseconds()
            placer.place(content, from: pose)
            let end = monotonicNanoseconds()
            if step >= 1000 {
                allocations += AllocationCounter.count - blocks
                times.append(Double(end - start) / 1000)
            }
        }
        let spread = Distribution(times)
        let count = placer.view.points.count
        let name = "scene of 200 markers and 100 points (\(count) in all), median"
        Report.add(Figure(name: name, value: spread.median, unit: "us", limit: .atMost(30)))
        Report.add(Figure(name: "  99 of 100 within", value: spread.quantile(0.99), unit: "us", limit: .none))
        Report.add(
            Figure(
                name: "  heap allocations in 19,000 scenes", value: Double(allocations), unit: "in all",
                limit: .atMost(0)))
    }
}
