import Foundation
import Measurements
import PoseMath
import Testing

@testable import Calibration

/// The limits of what the collectors take, with samples without noise.
@Suite struct CollectorLimitTests {
    /// A gyro at rest for some windows of half a second, the last `later` of which have a rate that is 0.002 rad/s
    /// more. The first window has none before it and does not count.
    private func gyro(windows: Int, later: Int = 0) -> GyroBiasCollector {
        var collector = GyroBiasCollector()
        // At 100 Hz the sample that ends a window is its 51st.
        for index in 0..<((windows + 1) * 51) {
            let x = index / 51 > windows - later ? 0.012 : 0.01
            collector.add(.imu(Double(index) / 100, rate: Vector3(x, 0, 0), force: Vector3(0, 0, 9.8)))
        }
        return collector
    }

    private func check(_ name: String, of collector: GyroBiasCollector) throws -> CalibrationCheck {
        try #require(collector.report().checks.first { $0.name == name })
    }

    @Test func halfAMinuteOfRestIsEnough() throws {
        // GIVEN a gyro that rests for 29.5 s, and for 30 s THEN the second is enough, and nothing is noted
        let (short, enough) = (gyro(windows: 59), gyro(windows: 60))
        #expect(try check("time at rest", of: short).value == 29.5 && !check("time at rest", of: short).passes)
        #expect(try check("time at rest", of: enough).value == 30 && check("time at rest", of: enough).passes)
        #expect(short.progress.advice == "leave it still: 1 s more" && enough.progress.advice == "done")
        #expect(short.progress.coverage == "29 of 30 s at rest" && enough.progress.share == 1)
        #expect(enough.report().passes && enough.report().notes == [])
        #expect(abs((enough.report().correction?.offset.x ?? 0) - 0.01) < 1e-12)
    }

    @Test(
        arguments: [(60, 30, 1), (60, 20, 2.0 / 3), (4, 2, 1), (4, 1, 0.5), (4, 0, 0)] as [(Int, Int, Double)])
    func theChangeIsThatOfTheHalves(windows: Int, later: Int, share: Double) throws {
        // GIVEN a rate that is 0.002 rad/s more from a window on THEN the change is that of the means of both halves
        let change = try check("change while measuring", of: gyro(windows: windows, later: later)).value
        // Rounding only.
        #expect(abs(change - share * 0.002 * 180 / .pi) < 1e-9)
        // AND three windows show none.
        #expect(try check("change while measuring", of: gyro(windows: 3)).value == .infinity)
    }

    @Test func aSpreadNeedsTwoVectors() {
        // GIVEN no vector, one and three THEN the deviation is zero, zero, and that of a sample
        var spread = Spread()
        #expect(spread.deviation == .zero && spread.count == 0)
        spread.add(Vector3(1, 5, 0))
        #expect(spread.deviation == .zero && spread.mean == Vector3(1, 5, 0))
        spread.add(Vector3(3, 5, 0))
        spread.add(Vector3(5, 5, 6))
        #expect(spread.mean == Vector3(3, 5, 2) && (spread.deviation - Vector3(2, 0, 12.0.squareRoot())).length < 1e-12)
    }

    /// Readings of a field of 50 microtesla from all sides, evenly (Fibonacci's sphere).
    private func magnetometer(_ count: Int) -> MagnetometerCollector {
        var collector = MagnetometerCollector()
        for index in 0..<count {
            let z = 1 - 2 * (Double(index) + 0.5) / Double(count)
            let angle = Double(index) * .pi * (3 - 5.0.squareRoot())
            let radius = (1 - z * z).squareRoot()
            collector.add(.field(Double(index), Vector3(radius * cos(angle), radius * sin(angle), z) * 5e-5))
        }
        return collector
    }

    @Test func aFieldAboveTenMilliteslaIsNone() {
        // GIVEN readings from all sides WHEN one comes that is above 10 mT THEN it changes nothing, one below does
        var collector = magnetometer(300)
        let before = collector.report()
        collector.add(.field(400, Vector3(0, 0, 0.0101)))
        #expect(collector.report() == before)
        collector.add(.field(401, Vector3(0, 0, 0.0099)))
        #expect(collector.report() != before)
    }

    @Test(arguments: [60, 75, 99]) func theShareIsThatOfTheReadings(count: Int) {
        // GIVEN readings from all sides, of which more are needed THEN their number decides, and advice is to go on
        let progress = magnetometer(count).progress
        #expect(progress.coverage == "24 of 24 directions" && progress.advice == "keep turning it slowly")
        #expect(abs(progress.share - Double(count) / Double(MagnetometerCollector.neededReadings)) < 1e-12)
        let done = magnetometer(MagnetometerCollector.neededReadings).progress
        #expect(done.share >= 1 && done.advice == "done")
    }
}
