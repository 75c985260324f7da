import Testing

@testable import Fusion

/// The scale of the wheels from the receiver's speeds, before the filter runs.
@Suite struct WheelScaleTests {
    /// The scale after speeds of the receiver, known to 0.1 m/s, each beside a reading.
    private func scale(_ pairs: [(speed: Double, reading: Double)]) -> CourseDeadReckoning.WheelScale {
        var scale = CourseDeadReckoning.WheelScale()
        for pair in pairs {
            scale.note(reading: pair.reading)
            scale.note(speed: pair.speed, sigma: 0.1, reading: pair.reading)
        }
        return scale
    }

    @Test func wheelsInMetersASecondAreTrueToAFewPercent() throws {
        // GIVEN two speeds of 10.5 m/s beside readings of 10 m/s, with 0.1 m/s of the receiver and 0.2 m/s of the
        // wheels each: a variance of 1/4000, beside that of 4 %, 1/625, which is assumed of a scale of one THEN the
        // scale is that of both, (4200 + 625)/4625
        let found = scale([(10.5, 10), (10.5, 10)])
        #expect(abs(try #require(found.speed) - 10.432_432) < 1e-6)
        #expect(abs(try #require(found.speedSigma) - 0.248_237) < 1e-5)
        #expect(abs(try #require(found.relativeSigma) - 0.014_095) < 1e-6)
        // AND one in another unit is as found
        let other = scale([(10, 36), (10, 36)])
        #expect(abs(try #require(other.speed) - 10) < 1e-9)
    }

    @Test(arguments: [(11.15, true), (11.22, false), (8.85, true), (8.78, false)])
    func aSpeedBeyondFourSigmasBeginsAnew(speed: Double, agrees: Bool) {
        // GIVEN a speed of 10 m/s beside such a reading WHEN the next one differs THEN it agrees within four sigmas of
        // its variance, 0.05 m2/s2, and of that of the scale, 0.0381 m2/s2: 1.187 m/s; else it is the first of others,
        // and one is not used
        let found = scale([(10, 10), (speed, 10)])
        #expect((found.speed != nil) == agrees)
    }
}
