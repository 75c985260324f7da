import Glibc
import PoseMath
import SeededNumbers
import Testing

@Suite struct AngleTests {
    @Test func degreesAndRadians() {
        #expect(180.0.degreesInRadians == .pi && Double.pi.radiansInDegrees == 180)
        #expect(Angle.radians(fromDegrees: -90) == -.pi / 2 && Angle.degrees(fromRadians: .pi / 4) == 45)
    }

    @Test func wrapsIntoHalfOpenRanges() {
        // GIVEN the bounds and their neighbours, THEN -pi wraps to pi and a full turn to 0
        #expect(Angle.wrappedToPi(.pi) == .pi && Angle.wrappedToPi(-.pi) == .pi)
        #expect(Angle.wrappedToPi((-Double.pi).nextUp) == (-Double.pi).nextUp)
        #expect(Angle.wrappedToPi(Double.pi.nextUp) < 0 && Angle.wrappedToPi((-Double.pi).nextDown) > 0)
        #expect(Angle.wrappedToPi(0) == 0 && Angle.wrappedToPi(2 * .pi) == 0)
        #expect(
            Angle.wrappedToTwoPi(0) == 0 && Angle.wrappedToTwoPi(2 * .pi) == 0 && Angle.wrappedToTwoPi(-2 * .pi) == 0)
        #expect(Angle.wrappedToTwoPi((2 * Double.pi).nextDown) == (2 * Double.pi).nextDown)
        #expect(Angle.wrappedToTwoPi(-.pi) == .pi)
        // A negative angle too small to differ from a full turn gives north, not 360 degrees.
        #expect(Angle.wrappedToTwoPi(-1e-300) == 0)
    }

    @Test func wrappingKeepsTheDirection() {
        var random = SplitMix64(seed: 31)
        for _ in 0..<2_000 {
            let angle = random.uniform(-1_000, 1_000)
            let (half, full) = (Angle.wrappedToPi(angle), Angle.wrappedToTwoPi(angle))
            #expect(half > -.pi && half <= .pi && full >= 0 && full < 2 * .pi)
            // 1e-12: up to 160 turns of 2 pi, each accurate to 2.4e-16
            #expect(abs(sin(half) - sin(angle)) < 1e-12 && abs(cos(half) - cos(angle)) < 1e-12)
            #expect(abs(sin(full) - sin(angle)) < 1e-12 && abs(cos(full) - cos(angle)) < 1e-12)
        }
    }

    @Test func differencesAcrossTheWrapAreShort() {
        #expect(abs(Angle.wrappedToPi(10.0.degreesInRadians - 350.0.degreesInRadians).radiansInDegrees - 20) < 1e-12)
        #expect(abs(Angle.wrappedToPi(350.0.degreesInRadians - 10.0.degreesInRadians).radiansInDegrees + 20) < 1e-12)
        #expect(Angle.wrappedToPi(180.0.degreesInRadians) == .pi)
    }

    @Test func nonFiniteGivesNaN() {
        for bad in [Double.nan, .infinity, -.infinity] {
            #expect(Angle.wrappedToPi(bad).isNaN && Angle.wrappedToTwoPi(bad).isNaN)
        }
        let huge = Angle.wrappedToTwoPi(.greatestFiniteMagnitude)
        #expect(huge >= 0 && huge < 2 * .pi)
    }
}
