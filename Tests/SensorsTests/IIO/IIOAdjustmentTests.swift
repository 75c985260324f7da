import Testing

@testable import Sensors

/// The choice of full-scale ranges and of low-pass filters.
@Suite struct IIOAdjustmentTests {
    @Test(arguments: [
        // 16 bits: 2, 4, 8 and 16 g.
        ("0.000598 0.001197 0.002394 0.004788", 39.2266, "0.001197"),
        ("0.004788403 0.002394202 0.001197101 0.000598550", 78.4532, "0.002394202"),
        ("0.000598 0.001197 0.002394 0.004788", 1.0, "0.000598"),
        ("0.000598 0.001197 0.002394 0.004788", 500.0, "0.004788"),
        ("0.000598", 39.0, "0.000598"), ("0 -1 nan 1e9 junk 0.001197", 39.0, "0.001197"),
    ])
    func theSmallestSufficientRangeIsChosen(_ available: String, _ least: Double, _ expected: String) {
        #expect(RangeChoice.scale(available: available, least: least, rawEnd: 32768) == expected)
    }

    @Test func aListWithoutAScaleGivesNone() {
        for text in ["", "junk", "0", "-1 nan inf"] {
            #expect(RangeChoice.scale(available: text, least: 39, rawEnd: 32768) == nil)
        }
    }

    @Test(arguments: [
        ("23 32 64 12 116 230", 200.0, "64"), ("23 32 64 12 116 230", 1000.0, "230"),
        ("23 32 64 12 116 230", 20.0, "12"), ("[10 1 100]", 200.0, "10"), ("", 200.0, "80"), ("junk", 100.0, "40"),
        ("", 1e300, "1000000"), ("", 1e-300, "1"), ("0 500", 200.0, "500"), ("10000000", 200.0, "80"),
    ])
    func theHighestEdgeBelowHalfTheRateIsChosen(_ available: String, _ rate: Double, _ expected: String) {
        #expect(FilterChoice.text(available: available, rateHertz: rate) == expected)
    }

    @Test func anEdgeThatFitsStays() {
        // GIVEN 200 Hz; THEN 40 to 90 Hz fit: above, vibration is aliased; below, motion is hidden.
        #expect(
            [39.0, 40, 64, 90, 91, 230, .nan].map { FilterChoice.fits($0, rateHertz: 200) } == [
                false, true, true, true, false, false, false,
            ])
    }
}
