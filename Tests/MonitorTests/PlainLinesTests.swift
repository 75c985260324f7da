import Testing

@testable import Monitor

/// What the monitor writes into a pipe.
@Suite struct PlainLinesTests {
    @Test func whatHasNotChangedIsToldOnce() {
        // GIVEN a daemon that is not there, twice for one reason and then for another, one that is connected, and a
        // frame that is seen twice WHEN each state is told THEN what is as before has no line
        var (away, gone, connected, lines) = (MonitorState(), MonitorState(), MonitorState(), PlainLines())
        away.disconnect(why: "nobody listens")
        gone.disconnect(why: "gone")
        connected.connection = .connected
        let driving = drivingState()
        let told = [away, away, gone, gone, connected, connected, driving, driving, gone].map { lines.next($0) }
        #expect(told.map { $0 != nil } == [true, false, true, false, true, false, true, false, true])
        #expect(told[0] == "not connected: nobody listens" && told[2] == "not connected: gone")
        #expect(told[4] == "connected; no frame yet" && told[8] == "not connected: gone")
    }
}
