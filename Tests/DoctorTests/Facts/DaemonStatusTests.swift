import Testing

@testable import Doctor

/// The daemon's reply.
@Suite struct DaemonStatusTests {
    @Test func isReadAsFarAsItIsJudged() {
        let reply = """
            {"type":"reply","cmd":"status","ok":true,"release":"0.1.0","uptime_s":12.5,"pose":{"state":"coarse","why":["x"]},\
            "magnetometer":{"state":"disturbed"},"sources":[{"name":"gps","kind":"gps","state":"streaming"},\
            {"name":"imu","kind":"imu","state":"absent"},{"name":"barometer","kind":"barometer","state":"waiting"}],\
            "trust":{"receiver":"stuck","fix_lateness_s":3.5,\
            "imu_faults":["gyroClipped"]},"clients":{"low_rate":1},"engine":{"frames_dropped":2,"real_time":"off",\
            "measurements_dropped":{"gps":1,"imu":4}},"settings":{"file":"/x","notes":["n"]},\
            "roads":{"problem":"r"},"recording":{"problem":null}}
            """
        let status = DaemonStatus(reply: Array(reply.utf8))
        #expect(status?.release == "0.1.0" && status?.uptimeSeconds == 12.5 && status?.poseState == "coarse")
        #expect(status?.streaming == ["gps"] && status?.receiver == "stuck" && status?.latenessSeconds == 3.5)
        #expect(status?.open == ["gps", "barometer"])
        #expect(status?.imuFaults == ["gyroClipped"] && status?.magnetometer == "disturbed" && status?.lost == 7)
        #expect(status?.lowRateClients == 1 && status?.roadsProblem == "r" && status?.recordingProblem == nil)
        #expect(status?.settingsNotes == ["n"])
    }

    @Test(arguments: ["", "{}", "nonsense", #"{"cmd":"status","ok":false}"#, #"{"type":"frame"}"#])
    func anythingElseIsNoReply(line: String) { #expect(DaemonStatus(reply: Array(line.utf8)) == nil) }
}
