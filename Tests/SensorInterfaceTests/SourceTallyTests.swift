import Measurements
import PoseMath
import Testing

@testable import SensorInterface

/// What the board has of sources that play a drive.
@Suite struct SourceTallyTests {
    @Test func theBoardHasNumberRateAndTime() throws {
        // GIVEN an IMU and a receiver that has sent nothing
        let board = SourceStatusBoard()
        let imu = board.register(SourceDescription(name: "imu", kind: .imu, place: "recording"))
        let gps = board.register(SourceDescription(name: "gps", kind: .gps, place: "recording"))
        var tally = SourceTally(entries: [.imu: imu, .gps: gps])
        // WHEN 1 s of samples at 50 Hz were sent THEN the first is known, and no rate yet
        let start = MonotonicTime(nanoseconds: 100_000_000_000)
        for index in 0..<50 { tally.note(.imu, at: start.advanced(bySeconds: 0.02 * Double(index)), on: board) }
        #expect(board.statuses[0].acceptedCount == 1 && board.statuses[0].rateHertz == nil)
        #expect(board.statuses[0].lastDataTime == start)
        // WHEN five seconds were sent THEN the rate is 50 Hz, and the rest is at most two seconds old
        for index in 50..<250 { tally.note(.imu, at: start.advanced(bySeconds: 0.02 * Double(index)), on: board) }
        let rate = try #require(board.statuses[0].rateHertz)
        #expect(abs(rate - 50) < 0.01)
        #expect((150...250).contains(board.statuses[0].acceptedCount))
        // THEN the receiver has nothing, and a sensor that is not registered changes nothing
        tally.note(.wheels, at: start, on: board)
        #expect(board.statuses[1].acceptedCount == 0 && board.statuses.count == 2)
    }
}
