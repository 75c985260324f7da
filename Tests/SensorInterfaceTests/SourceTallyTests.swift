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
        // WHEN 1 s of samples at 50 Hz were sent THEN the newest that is told is at most 0.2 s old (by rounding one
        // interval more), and there is no rate yet
        let start = MonotonicTime(nanoseconds: 100_000_000_000)
        func send(_ indices: Range<Int>) -> MonotonicTime {
            var time = start
            for index in indices {
                time = start.advanced(bySeconds: 0.02 * Double(index))
                tally.note(.imu, at: time, on: board)
            }
            return time
        }
        let first = send(0..<50)
        #expect((39...50).contains(board.statuses[0].acceptedCount) && board.statuses[0].rateHertz == nil)
        #expect(first.seconds(since: try #require(board.statuses[0].lastDataTime)) <= 0.221)
        // WHEN five seconds were sent THEN the rate is 50 Hz
        let last = send(50..<250)
        #expect(abs(try #require(board.statuses[0].rateHertz) - 50) < 0.01)
        #expect((239...250).contains(board.statuses[0].acceptedCount))
        #expect(last.seconds(since: try #require(board.statuses[0].lastDataTime)) <= 0.221)
        // THEN the receiver has nothing, and a sensor that is not registered changes nothing
        tally.note(.wheels, at: start, on: board)
        #expect(board.statuses[1].acceptedCount == 0 && board.statuses.count == 2)
    }
}
