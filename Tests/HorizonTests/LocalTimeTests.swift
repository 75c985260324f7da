import Glibc
import Testing

@testable import Horizon

@Suite struct LocalTimeTests {
    /// GIVEN an offset from UTC as text WHEN read THEN it is in seconds; anything else is refused.
    @Test func offsetsFromText() {
        #expect(LocalTimeOffset.seconds("+01:00") == 3600 && LocalTimeOffset.seconds("-03:30") == -12_600)
        #expect(LocalTimeOffset.seconds("+00:00") == 0 && LocalTimeOffset.seconds("+14:00") == 50_400)
        #expect(LocalTimeOffset.seconds("-09:59") == -35_940 && LocalTimeOffset.seconds("-14:00") == -50_400)
        for text in [
            "", "1:00", "+1:00", "+14:01", "+99:99", "+01:60", "+0a:00", "CET", "+01-00", "+01:000", "+/1:00", "+0/:30",
            "+01:/9", "+00:0:", "+0::00", "*01:00", "+01;00",
        ] {
            #expect(LocalTimeOffset.seconds(text) == nil, "\(text)")
        }
    }

    /// GIVEN times of any size WHEN the system's offset is asked THEN nothing traps, and it is at most 24 h.
    @Test(arguments: [0, 1_783_296_000, Int64.max, Int64.min])
    func offsetOfTheSystem(seconds: Int64) {
        #expect(abs(LocalTimeOffset.ofSystem(atUTCSeconds: seconds) ?? 0) <= 86_400)
    }

    /// GIVEN a time that has a year WHEN the system's offset is asked THEN it is told; that of the end of all numbers
    /// is not.
    @Test func theSystemTellsItsOffset() {
        #expect(LocalTimeOffset.ofSystem(atUTCSeconds: 1_783_296_000) != nil)
        #expect(LocalTimeOffset.ofSystem(atUTCSeconds: .max) == nil)
    }

    /// GIVEN a process whose time zone is changed while it runs WHEN the offset is asked again THEN it is the new one.
    @Test func aChangedZoneOfTheSystemIsFollowed() async {
        await #expect(processExitsWith: .success) {
            for (zone, offset) in [("UTC0", 0), ("XXX-2", 7200), ("YYY5:30", -19_800)] {
                setenv("TZ", zone, 1)
                #expect(LocalTimeOffset.ofSystem(atUTCSeconds: 1_783_296_000) == offset)
            }
        }
    }
}
