import Foundation
import Geodesy
import Guidance
import PoseMath
import StoredTexts
import Testing

/// What the follower tells on whole drives: every event with its time, and sums of what it published, so that each
/// threshold, weight and time constant shows. Beside a change of the stored lines stands the rule that made it.
@Suite struct StoredDriveTests {
    /// What a receiver tells beside the position.
    private static let senses = ["velocity", "speed", "position", "heading"]

    /// The inputs of a drive along a track, of which a receiver tells a part.
    private static func inputs(
        _ track: Track, every period: Double = 1, speed: Double = 12, sigma: Double = 2, sense: String = "velocity",
        seed: UInt64 = 5
    ) -> [GuidanceInput] {
        var random = SplitMix64(seed: seed)
        return (0...Int(track.length / (speed * period))).map { step in
            let (x, y, course) = track.at(Double(step) * speed * period)
            var input = GuidanceInput(
                time: MonotonicTime(nanoseconds: Int64((Double(step) * period * 1e9).rounded())),
                position: sheet.place(x + sigma * random.normal(), y + sigma * random.normal()),
                horizontalSigmaMeters: sigma)
            let direction = Angle.wrappedToTwoPi(course + 0.03 * random.normal())
            if sense == "velocity" { input.courseOverGroundRadians = direction }
            if sense == "heading" { (input.headingTrueRadians, input.headingSigmaRadians) = (direction, 0.2) }
            if sense != "position" { input.speedMetersPerSecond = speed }
            return input
        }
    }

    private static let sheet = Sheet()

    /// The line of a drive: its events with their times in seconds, its last state, and sums over its positions.
    private static func told(
        _ name: String, _ route: Route, _ inputs: [GuidanceInput], settings: GuidanceSettings = GuidanceSettings()
    ) -> String {
        var follower = RouteFollower(settings: settings)
        follower.setRoute(route)
        var (words, sums) = ([String](), [0.0, 0, 0, 0])
        var last = GuidanceState.noRoute
        for input in inputs {
            let status = follower.update(input)
            let names = status.events.names + (status.state == last ? [] : ["\(status.state)"])
            if !names.isEmpty { words.append("\(seconds(input)) \(names.joined(separator: "+"))") }
            last = status.state
            let values = [
                status.progressMeters, status.crossTrackMeters, status.timeLeftSeconds,
                status.straightDistanceToTurnMeters,
            ]
            for (index, value) in values.enumerated() { sums[index] += value ?? 0 }
        }
        let digest = sums.map { String(format: "%.2f", $0) }.joined(separator: " ")
        return "\(name): \(words.joined(separator: ", ")) | \(digest)"
    }

    private static func seconds(_ input: GuidanceInput) -> String {
        String(format: "%.1f", Double(input.time.nanoseconds) / 1e9)
    }

    @Test func departuresAreToldInTime() throws {
        // GIVEN a road to the north that a vehicle leaves after 400 m at many angles, with everything a receiver may
        // tell, near and far in time THEN the events are those stored
        let route = try Self.sheet.route([(0, 0), (0, 3000)])
        var lines: [String] = []
        for degrees in [8.0, 18, 30, 42, 90, 150] {
            let (east, north) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
            let track = Track([(0, 0), (0, 400), (700 * east, 400 + 700 * north)])
            for sense in Self.senses {
                for (period, speed, sigma) in [(0.2, 6.0, 2.0), (1, 12, 2), (1, 12, 8), (2, 4, 5), (4, 12, 3)] {
                    let inputs = Self.inputs(track, every: period, speed: speed, sigma: sigma, sense: sense)
                    let name = "\(Int(degrees)) deg, \(sense), \(period) s, \(Int(speed)) m/s, sigma \(Int(sigma))"
                    lines.append(Self.told(name, route, inputs))
                }
            }
        }
        #expect(try StoredText.differences(of: lines.joined(separator: "\n"), from: "departures") == [])
    }

    @Test func positionsBesideTheRoadAreJudgedByTheirDuration() throws {
        // GIVEN positions that jump to one side of the road for a time, as reflected signals make them, or a vehicle
        // on a parallel road THEN the events are those stored
        let route = try Self.sheet.route([(0, 0), (0, 4000)])
        var lines: [String] = []
        for meters in [12.0, 27, 38, 55, 80] {
            for (length, sense) in [
                (4.0, "velocity"), (20, "velocity"), (90, "velocity"), (20, "position"), (90, "position"),
                (90, "speed"),
            ] {
                var inputs = Self.inputs(Track([(0, 0), (0, 2400)]), sigma: 2, sense: sense)
                for index in inputs.indices where index >= 60 && Double(index) < 60 + length {
                    inputs[index].position = Self.sheet.place(meters, Double(index) * 12)
                    if meters > 50 { inputs[index].horizontalSigmaMeters = 5 }
                }
                lines.append(Self.told("\(Int(meters)) m for \(Int(length)) s, \(sense)", route, inputs))
            }
        }
        #expect(try StoredText.differences(of: lines.joined(separator: "\n"), from: "reflections") == [])
    }

    /// A route through a city: blocks, and an avenue.
    private static let city: [(Double, Double)] = [
        (0, 0), (0, 300), (200, 300), (200, 700), (-100, 700), (-100, 1100), (500, 1100), (700, 1500), (700, 3000),
    ]

    @Test func sparsePositionsGiveOdds() throws {
        // GIVEN positions 3 to 30 s apart and nothing else, of vehicles that follow a city route, stand in it, leave it
        // or creep in a yard beside it, with and without a stated accuracy THEN the events are those stored
        let route = try Self.sheet.route(Self.city)
        let tracks: [(String, [(Double, Double)])] = [
            ("on the route", Self.city), ("straight on", Array(Self.city.prefix(4)) + [(200, 2500)]),
            ("to the other side", Array(Self.city.prefix(3)) + [(200, -900), (900, -900)]),
            ("back", Array(Self.city.prefix(6)) + [(-100, 700), (-1500, 700)]),
            ("beside the avenue", Array(Self.city.prefix(8)) + [(660, 1500), (660, 3000)]),
        ]
        var lines: [String] = []
        for (name, points) in tracks {
            for (period, speed, sigma) in [(3.0, 9.0, 3.0), (5, 9, 10), (8, 12, 6), (15, 7, 12), (30, 10, 15)] {
                for isStated in [true, false] {
                    let inputs = Self.inputs(
                        Track(points), every: period, speed: speed, sigma: sigma, sense: "position", seed: 8)
                    let given = inputs.map { input in
                        var given = input
                        if !isStated { given.horizontalSigmaMeters = nil }
                        return given
                    }
                    let words = "\(name), \(Int(period)) s, \(Int(speed)) m/s, sigma \(Int(sigma))"
                    lines.append(Self.told(words + (isStated ? "" : " not stated"), route, given))
                }
            }
        }
        #expect(try StoredText.differences(of: lines.joined(separator: "\n"), from: "sparse") == [])
    }

    @Test func aVehicleThatTurnsBackIsTold() throws {
        // GIVEN vehicles that drive a route backwards, turn on it, or turn off it and drive away from it THEN wrong
        // way and U-turn are told as stored
        let points = [(0.0, 0.0), (0, 900), (600, 1300), (600, 2600)]
        let route = try Self.sheet.route(points)
        let tracks: [(String, [(Double, Double)])] = [
            ("backwards", [(0, 800), (0, -400)]), ("turned", [(0, 0), (0, 700), (8, 700), (8, 100)]),
            ("turned twice", [(0, 0), (0, 700), (8, 700), (8, 500), (0, 500), (0, 900), (300, 1100)]),
            ("away", [(0, 0), (0, 600), (900, 600), (900, -300)]),
            ("away and back", [(0, 0), (0, 600), (500, 600), (500, 590), (0, 590), (0, 900), (300, 1100)]),
        ]
        var lines: [String] = []
        for (name, track) in tracks {
            for sense in Self.senses {
                for (period, speed) in [(0.5, 3.0), (1, 10), (2, 10), (3, 8)] {
                    let inputs = Self.inputs(Track(track), every: period, speed: speed, sense: sense)
                    lines.append(Self.told("\(name), \(sense), \(period) s, \(Int(speed)) m/s", route, inputs))
                }
            }
        }
        #expect(try StoredText.differences(of: lines.joined(separator: "\n"), from: "turns-back") == [])
    }

    @Test func routesOfAnyShapeAreMatched() throws {
        // GIVEN routes whose nearest point is often the wrong match, and a vehicle that only comes to its route THEN
        // the progress is that stored
        var lines: [String] = []
        for (name, points) in FollowingTests.shapes.sorted(by: { $0.key < $1.key }) {
            let route = try Self.sheet.route(points)
            for (sense, period, sigma) in [("velocity", 1.0, 3.0), ("position", 1, 6), ("speed", 4, 3)] {
                let inputs = Self.inputs(Track(points), every: period, speed: 8, sigma: sigma, sense: sense)
                lines.append(Self.told("\(name), \(sense), \(period) s", route, inputs))
            }
        }
        let route = try Self.sheet.route([(0, 0), (0, 1500)])
        for (name, track) in [
            ("from a yard", [(120.0, 60.0), (20, 60), (3, 100), (3, 500)]),
            ("from afar", [(400, 200), (0, 200), (0, 800)]),
            ("past it", [(140, -300), (140, 1400)]), ("to its end", [(0, 1200), (0, 1470), (40, 1480)]),
            ("beyond its end", [(0, 1100), (0, 1900)]), ("beside its end", [(25, 1300), (25, 1600)]),
        ] {
            for (sense, speed) in [("velocity", 2.0), ("velocity", 9), ("position", 9)] {
                let inputs = Self.inputs(Track(track), speed: speed, sense: sense)
                lines.append(Self.told("\(name), \(sense), \(Int(speed)) m/s", route, inputs))
            }
        }
        #expect(try StoredText.differences(of: lines.joined(separator: "\n"), from: "shapes") == [])
    }
}

extension GuidanceEvents {
    /// The names of the events of a set, in the order of their bits.
    var names: [String] {
        let all: [(GuidanceEvents, String)] = [
            (.found, "found"), (.maneuverReached, "maneuverReached"), (.waypointReached, "waypointReached"),
            (.departed, "departed"), (.rejoined, "rejoined"), (.rejoinedAhead, "rejoinedAhead"),
            (.wrongWay, "wrongWay"), (.uTurnNeeded, "uTurnNeeded"), (.arrived, "arrived"),
            (.waypointSkipped, "waypointSkipped"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}
