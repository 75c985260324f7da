import Calibration
import Foundation
import Measurements
import PoseMath
import Testing

@Suite struct GyroBiasTests {
    private static let degree = Double.pi / 180

    /// Seconds at rest with noise of 0.1 deg/s per sample at 100 Hz; `turning`: a span in which the box is turned.
    private func collected(
        seconds: Double, bias: Vector3, drift: Vector3 = .zero, turning: Range<Double> = 0..<0, seed: UInt64 = 1
    ) -> GyroBiasCollector {
        var sensors = SimulatedSensors(seed: seed)
        var collector = GyroBiasCollector()
        for index in 0..<Int(seconds * 100) {
            let time = Double(index) / 100
            var rate = bias + drift * time + sensors.normal3(0.1 * Self.degree)
            if turning.contains(time) { rate += Vector3(0, 0, 0.5) }
            collector.add(.imu(time, rate: rate, force: Vector3(0.1, 0, 9.8) + sensors.normal3(0.02)))
        }
        return collector
    }

    @Test(arguments: UInt64(1)...8) func theBiasIsFoundWithItsSigma(seed: UInt64) throws {
        // GIVEN a gyro of unknown bias that lies still for 40 s
        var sensors = SimulatedSensors(seed: seed &* 77)
        let bias = sensors.uniform3(-2, 2) * Self.degree
        // WHEN it is calibrated
        let report = collected(seconds: 40, bias: bias, seed: seed).report()
        // THEN the bias is right within five times what the noise leaves: 0.1 deg/s over the root of 4000 samples
        #expect(report.passes, "\(report.checks.filter { !$0.passes })")
        let offset = try #require(report.correction).offset
        #expect((offset - bias).length < 5 * 0.1 * Self.degree / 4000.0.squareRoot() * 3.0.squareRoot())
        #expect(collected(seconds: 40, bias: bias, seed: seed).progress.isComplete)
    }

    @Test func turnsAreLeftOut() throws {
        // GIVEN a box that is turned for 5 s in the middle WHEN it is calibrated
        let bias = Vector3(0.5, -0.3, 0.2) * Self.degree
        let report = collected(seconds: 50, bias: bias, turning: 20..<25).report()
        // THEN the turn does not touch the bias, and is named
        let offset = try #require(report.correction).offset
        #expect(report.passes && (offset - bias).length < 0.02 * Self.degree)
        #expect(report.notes.contains { $0.contains("left out") })
    }

    @Test func tooLittleRestFails() {
        // GIVEN ten seconds of rest, and none WHEN they are judged THEN they fail, and say what to do
        for collector in [collected(seconds: 10, bias: .zero), GyroBiasCollector()] {
            let report = collector.report()
            #expect(!report.passes && !collector.progress.isComplete)
            #expect(report.checks.first { !$0.passes }?.name == "time at rest")
        }
    }

    @Test func aSensorThatWarmsUpFails() {
        // GIVEN a bias that drifts by 0.3 deg/s in a minute WHEN it is judged THEN the change fails
        let report = collected(seconds: 60, bias: .zero, drift: Vector3(0.005, 0, 0) * Self.degree).report()
        #expect(report.checks.filter { !$0.passes }.map(\.name).contains("change while measuring"))
    }

    @Test(arguments: [(32, false), (45, true)])
    func itIsDoneWhenTheRestThatIsUsedIsEnough(seconds: Int, isDone: Bool) {
        // GIVEN a gyro at rest that leans for five seconds so slowly that the windows are still, by 0.46 deg/s
        var collector = GyroBiasCollector()
        for index in 0..<(seconds * 100) {
            let time = Double(index) / 100
            let rate = Vector3(0, 0, (10..<15).contains(time) ? 0.008 : 0)
            collector.add(.imu(time, rate: rate, force: Vector3(0, 0, 9.8)))
        }
        // WHEN it is asked whether it is done THEN the result, which leaves these seconds out, has enough rest
        let hasRest = collector.report().checks.first { $0.name == "time at rest" }?.passes
        #expect(collector.progress.isComplete == isDone && hasRest == isDone)
    }

    @Test func aLargeBiasFailsAsSuch() {
        // GIVEN a gyro at rest with a bias of 8 deg/s WHEN it is judged THEN its bias fails, not the rest
        let report = collected(seconds: 40, bias: Vector3(0.14, 0, 0)).report()
        #expect(report.checks.filter { !$0.passes }.map(\.name) == ["largest bias"])
    }

    @Test func aTurntableIsNoRest() {
        // GIVEN a box that turns steadily by 25 deg/s WHEN it is judged THEN there was no rest
        let collector = collected(seconds: 60, bias: Vector3(0, 0, 25 * Self.degree))
        #expect(!collector.report().passes && collector.progress.share == 0)
    }

    @Test func hostileNumbersAreIgnored() {
        // GIVEN readings that are no numbers, and times that go back
        var collector = collected(seconds: 40, bias: .zero)
        let before = collector.report()
        collector.add(.imu(41, rate: Vector3(repeating: .nan), force: Vector3(repeating: .infinity)))
        collector.add(.imu(0.1, rate: .zero, force: .zero))
        // THEN they change nothing
        #expect(collector.report() == before)
    }
}
