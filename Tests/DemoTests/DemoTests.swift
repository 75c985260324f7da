import Foundation
import Geodesy
import Measurements
import PoseMath
import Simulation
import Synchronization
import Testing

@testable import Demo
@testable import Platform
@testable import SensorInterface

@Suite struct DemoRouteTests {
    @Test func bundledRouteTextEqualsTheFile() throws {
        var package = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { package.deleteLastPathComponent() }
        let file = package.appendingPathComponent("config/demo-route.json")
        #expect(try String(contentsOf: file, encoding: .utf8) == DemoRoute.text)
    }

    @Test func hasALimitForEachEdgeAndSeveralTurns() throws {
        let (points, limits) = try DemoRoute.corners()
        #expect(points.count == 16 && limits.count == 15)
        #expect(limits.allSatisfy { $0 * 3.6 >= 30 && $0 * 3.6 <= 70 })
    }
}

@Suite struct DemoDriveTests {
    @Test func aLapEndsAtTheStartWithTheSameState() throws {
        let drive = try DemoDrive.simulation().drive
        let start = drive.truth(atSeconds: 0)
        let end = drive.truth(atSeconds: drive.durationSeconds - 1e-3)
        // Edges are laid out with mean latitudes, so that a lap of 3.4 km closes within a few centimetres: less than
        // the error of any receiver.
        #expect((end.positionENUMeters - start.positionENUMeters).length < 0.05)
        #expect((start.bodyToENU.inverse * end.bodyToENU).rotationVector.length < 1e-3)
        #expect(end.velocityENUMetersPerSecond == .zero)
        #expect(drive.durationSeconds > 200 && drive.durationSeconds < 400)
    }

    @Test func theTunnelIsWithinALap() throws {
        // GIVEN the demo drive THEN its receiver has no sky once, for 14 s of each lap
        let simulation = try DemoDrive.simulation()
        let outages = simulation.sensors.satellite?.outages ?? []
        let tunnel = try #require(outages.first)
        #expect(outages.count == 1 && abs(tunnel.upperBound - tunnel.lowerBound - 14) < 1e-9)
        #expect(tunnel.lowerBound > 0 && tunnel.upperBound < simulation.drive.durationSeconds)
    }

    @Test func theDriverExceedsSomeLimits() throws {
        let drive = try DemoDrive.simulation().drive
        let (_, limits) = try DemoRoute.corners()
        var fastest = 0.0
        for second in 0..<Int(drive.durationSeconds) {
            fastest = max(fastest, drive.truth(atSeconds: Double(second)).velocityENUMetersPerSecond.length)
        }
        #expect(fastest > 60 / 3.6 && fastest < (limits.max() ?? 0) * 1.2)
    }
}

/// Where the demo drive stands, and for how long.
@Suite struct DemoStopTests {
    @Test func theDriveStandsAtItsEndsAndAtTwoPlaces() throws {
        // GIVEN the demo drive, looked at 50 times per second WHEN its rests are measured THEN it stands for 6 s before
        // it begins, 6 s and 4 s on the way, and 2 s at its end, less half a second at each side of a motion, which
        // begins and ends smoothly
        let drive = try DemoDrive.simulation().drive
        var (rests, moved) = ([Int](), true)
        for step in 0..<Int(drive.durationSeconds * 50) {
            let isResting = drive.truth(atSeconds: Double(step) / 50).velocityENUMetersPerSecond.length < 1e-3
            if isResting { if moved { rests.append(1) } else { rests[rests.count - 1] += 1 } }
            moved = !isResting
        }
        let expected: [Double] = [6 - 0.5, 6 - 1, 4 - 1, 2 - 0.5]
        let errors = zip(rests, expected).map { count, seconds in Double(count) / 50 - seconds }
        #expect(rests.count == 4 && errors.allSatisfy { abs($0) < 0.1 }, "\(rests)")
    }

    @Test func theLastStretchIsDrivenBelowItsLimit() throws {
        // GIVEN the way from the end of the route back to its start, 60 m, at nine tenths of the last limit
        let drive = try DemoDrive.simulation().drive
        let (points, limits) = try DemoRoute.corners()
        let last = points[0].surfaceOffsetMeters(to: points[points.count - 1])
        var fastest = 0.0
        for step in 0..<Int(drive.durationSeconds * 20) {
            let truth = drive.truth(atSeconds: Double(step) / 20)
            let place = truth.positionENUMeters
            guard abs(place.x - last.east) < 1, place.y > last.north + 2, place.y < last.north + 25 else { continue }
            fastest = max(fastest, truth.velocityENUMetersPerSecond.length)
        }
        #expect(abs(fastest / (limits[limits.count - 1] * 0.9) - 1) < 0.01, "\(fastest)")
    }
}

/// Which limits the demo drive exceeds.
@Suite struct DemoSpeedTests {
    /// The largest speed on each edge of the route as a multiple of its limit, away from its ends, where the car turns.
    private func largestShares() throws -> [Double] {
        let drive = try DemoDrive.simulation().drive
        let (points, limits) = try DemoRoute.corners()
        let places = points.map { points[0].surfaceOffsetMeters(to: $0) }.map { SIMD2($0.east, $0.north) }
        var shares = limits.map { _ in 0.0 }
        for step in 0..<Int(drive.durationSeconds * 5) {
            let truth = drive.truth(atSeconds: Double(step) / 5)
            let place = SIMD2(truth.positionENUMeters.x, truth.positionENUMeters.y)
            for edge in limits.indices {
                let (begin, way) = (place - places[edge], places[edge + 1] - places[edge])
                let length = (way * way).sum().squareRoot()
                let (along, aside) = ((begin * way).sum() / length, (begin.x * way.y - begin.y * way.x) / length)
                guard along > 20, along < length - 20, abs(aside) < 1 else { continue }
                shares[edge] = max(shares[edge], truth.velocityENUMetersPerSecond.length / limits[edge])
            }
        }
        return shares
    }

    @Test func someLimitsAreExceededBy6PerCentAndOneBy16() throws {
        // GIVEN the demo drive WHEN its speed is compared with the limit on each edge
        let shares = try largestShares()
        // THEN one is exceeded by 16 %, some by 6 %, and none by more; hills add less than 0.5 %. Edges that are mostly
        // bends have no share.
        #expect(shares.count { abs($0 - 1.16) < 0.005 } == 1, "\(shares)")
        #expect(shares.count { abs($0 - 1.06) < 0.005 } >= 2, "\(shares)")
        #expect(shares.allSatisfy { $0 < 1.165 }, "\(shares)")
    }
}

/// Stores what a source sends.
private final class Basket: EventSink {
    let events = Mutex<[SensorEvent]>([])
    let reports = Mutex<[SourceReport]>([])

    func send(_ event: SensorEvent) { events.withLock { $0.append(event) } }
    func send(_ report: SourceReport) { reports.withLock { $0.append(report) } }
}

@Suite struct DemoSourceTests {
    @Test func sendsEventsAtTheirTimeAndStopsPromptly() throws {
        // GIVEN the demo drive and a sink that stores events
        let basket = Basket()
        let board = SourceStatusBoard()
        let laps = Atomic<Int>(0)
        let source = DemoSource(simulation: try DemoDrive.simulation(), sink: basket, board: board) {
            laps.add(1, ordering: .relaxed)
        }
        let began = SystemClock.monotonicNow
        source.start()
        // WHEN fifty events have arrived
        while basket.events.withLock({ $0.count }) < 50, SystemClock.monotonicNow.seconds(since: began) < 20 {
            usleep(5_000)
        }
        let stopping = SystemClock.monotonicNow
        source.stop()
        let ended = SystemClock.monotonicNow
        // THEN none was early, and each sensor has reported
        let events = basket.events.withLock { $0 }
        #expect(events.count >= 50)
        #expect(events.allSatisfy { $0.arrivalTime >= began && $0.arrivalTime <= ended })
        // At least 40 IMU samples at 100 Hz take 0.4 s or more on any machine.
        #expect(stopping.seconds(since: began) > 0.4)
        #expect(basket.reports.withLock { $0.first { $0.source == .imu && $0.state == .streaming } } != nil)
        // AND a fix has UTC
        let fix = events.compactMap { if case .gnss(let fix) = $0 { fix } else { nil } }.first
        let utc = try #require(fix?.utcNanoseconds)
        #expect(abs(utc - SystemClock.realtimeNanoseconds) < 60_000_000_000)
        // AND stopping was prompt, and was reported
        #expect(ended.seconds(since: stopping) < 0.5)
        #expect(basket.reports.withLock { $0.last?.state } == .absent)
        #expect(board.statuses.map(\.description.name) == ["demo receiver", "demo imu"])
        // AND the board has what was sent
        #expect(board.statuses.allSatisfy { $0.acceptedCount > 0 && $0.lastDataTime != nil })
        #expect(laps.load(ordering: .relaxed) == 1)
    }
}
