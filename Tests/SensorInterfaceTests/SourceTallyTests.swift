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

    @Test func theRateIsMeasuredEveryTwoSeconds() throws {
        // GIVEN a receiver of one fix per second WHEN its fixes come THEN the first is told at once, the rate with the
        // fix after two seconds, and another rate two seconds later
        let board = SourceStatusBoard()
        let entry = board.register(SourceDescription(name: "gps", kind: .gps, place: "recording"))
        var tally = SourceTally(entries: [.gps: entry])
        func send(_ seconds: Double) -> SourceStatus {
            tally.note(.gps, at: MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded())), on: board)
            return board.statuses[0]
        }
        #expect(send(10).acceptedCount == 1 && board.statuses[0].rateHertz == nil)
        // Within 0.2 s the board stays as it is.
        #expect(send(10.1).acceptedCount == 1)
        #expect(send(10.2).acceptedCount == 3 && board.statuses[0].lastDataTime?.nanoseconds == 10_200_000_000)
        #expect(send(11.9).acceptedCount == 4 && board.statuses[0].rateHertz == nil)
        #expect(abs(try #require(send(12.1).rateHertz) - 4 / 2.1) < 1e-9)
        #expect(send(14).rateHertz == board.statuses[0].rateHertz && board.statuses[0].acceptedCount == 6)
        #expect(abs(try #require(send(14.1).rateHertz) - 4 / 2.1) < 1e-9 && board.statuses[0].acceptedCount == 6)
        #expect(abs(try #require(send(14.3).rateHertz) - 3 / 2.2) < 1e-9)
        // AND two seconds are enough
        #expect(abs(try #require(send(16.3).rateHertz) - 1 / 2.0) < 1e-9)
    }

    @Test func theBoardKeepsItsEntries() {
        // GIVEN two entries WHEN one that does not exist is changed THEN nothing happens
        let board = SourceStatusBoard()
        let first = board.register(SourceDescription(name: "a", kind: .gps, place: "x"))
        let second = board.register(SourceDescription(name: "b", kind: .imu, place: "y"))
        #expect(first == 0 && second == 1)
        board.update(2) { _ in Issue.record("there is no third entry") }
        board.update(-1) { _ in Issue.record("there is no such entry") }
        board.update(second) { $0.acceptedCount = 5 }
        #expect(board.statuses.map(\.acceptedCount) == [0, 5] && board.statuses[0].state == .absent)
        #expect(board.statuses[0].explanation == "not started")
    }
}
