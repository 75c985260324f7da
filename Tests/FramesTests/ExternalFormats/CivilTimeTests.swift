import Testing

@testable import Frames

@Suite struct CivilTimeTests {
    private func text(_ time: CivilTime) -> String {
        "\(time.year)-\(time.month)-\(time.day) \(time.hour):\(time.minute):\(time.second).\(time.nanosecond)"
    }

    @Test func everyTimeHasTheCorrectDate() {
        // GIVEN the limits of nanoseconds, and times near the turns of days and years; THEN each has the date of the
        // calendar (computed with Python's datetime)
        for (utc, expected) in [
            (Int64.min, "1677-9-21 0:12:43.145224192"), (.max, "2262-4-11 23:47:16.854775807"), (0, "1970-1-1 0:0:0.0"),
            (-1, "1969-12-31 23:59:59.999999999"), (-86_400_000_000_000, "1969-12-31 0:0:0.0"),
            (951_782_400_000_000_000, "2000-2-29 0:0:0.0"),
            (1_767_225_599_999_999_999, "2025-12-31 23:59:59.999999999"),
        ] {
            #expect(text(CivilTime(utcNanoseconds: utc)) == expected)
        }
    }
}
