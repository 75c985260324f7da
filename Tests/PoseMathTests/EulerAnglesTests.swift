import PoseMath
import SeededNumbers
import Testing

/// Signs, ranges and the round trip of roll, pitch and true heading.
@Suite struct EulerAnglesTests {
    private func attitude(roll: Double = 0, pitch: Double = 0, heading: Double = 0) -> Quaternion {
        EulerAngles(
            rollRadians: roll.degreesInRadians, pitchRadians: pitch.degreesInRadians,
            headingTrueRadians: heading.degreesInRadians
        ).bodyToENU
    }

    @Test func headingIsClockwiseFromNorth() {
        // GIVEN the cardinal headings, THEN forward points there and left is 90 degrees to the left
        let cardinals: [(Double, Vector3)] = [(0, .unitY), (90, .unitX), (180, -.unitY), (270, -.unitX)]
        for (degrees, forward) in cardinals {
            let q = attitude(heading: degrees)
            #expect((q.rotate(.unitX) - forward).length < 1e-15, "heading \(degrees)")
            #expect((q.rotate(.unitY) - Vector3.unitZ.cross(forward)).length < 1e-15)
            #expect((q.rotate(.unitZ) - .unitZ).length < 1e-15)
        }
        #expect(
            (attitude(heading: 90).rotationVector).length < 1e-15,
            "a level body heading east has the axes of the local frame")
    }

    @Test func noseUpIsPositivePitch() {
        let forward = attitude(pitch: 30, heading: 0).rotate(.unitX)
        #expect((forward - Vector3(0, 0.75.squareRoot(), 0.5)).length < 1e-15)
        // A positive (right-hand) rotation about the left axis moves the nose down.
        let noseDown = attitude(heading: 40) * Quaternion(rotationVector: Vector3(0, 0.1, 0))
        #expect(abs(EulerAngles(bodyToENU: noseDown).pitchRadians + 0.1) < 1e-15)
    }

    @Test func rightSideDownIsPositiveRoll() {
        let q = attitude(roll: 20, heading: 0)
        // Heading north, the right side is east: right down means that left points up and up tilts to the east.
        #expect(q.rotate(.unitY).z > 0.34 && q.rotate(.unitZ).x > 0.34 && -q.rotate(.unitY).z < 0)
        let rolled = attitude(heading: 250) * Quaternion(rotationVector: Vector3(0.2, 0, 0))
        #expect(abs(EulerAngles(bodyToENU: rolled).rollRadians - 0.2) < 1e-15)
    }

    @Test func orderIsHeadingPitchRoll() {
        // GIVEN all three angles; roll does not change forward, so heading and pitch determine it
        let q = attitude(roll: 50, pitch: 30, heading: 60)
        let (c30, s30) = (0.75.squareRoot(), 0.5)
        #expect((q.rotate(.unitX) - Vector3(c30 * c30, c30 * s30, s30)).length < 1e-15)
        // and left rises by sin(roll) cos(pitch).
        #expect(abs(q.rotate(.unitY).z - 0.766_044_443_118_978 * c30) < 1e-15)
    }

    @Test func anglesRoundTrip() {
        // GIVEN random angles up to a degree from vertical
        var random = SplitMix64(seed: 21)
        for _ in 0..<2_000 {
            let angles = EulerAngles(
                rollRadians: random.uniform(-.pi, .pi), pitchRadians: random.uniform(-1.55, 1.55),
                headingTrueRadians: random.uniform(0, 2 * .pi))
            let back = EulerAngles(bodyToENU: angles.bodyToENU)
            // 1e-13: at 89 deg the roundings of the unit vectors are magnified by 1 / cos(pitch), up to 50
            #expect(abs(Angle.wrappedToPi(back.rollRadians - angles.rollRadians)) < 1e-13)
            #expect(abs(back.pitchRadians - angles.pitchRadians) < 1e-13)
            #expect(abs(Angle.wrappedToPi(back.headingTrueRadians - angles.headingTrueRadians)) < 1e-13)
        }
    }

    @Test func anyAttitudeGivesEquivalentAnglesInRange() {
        var random = SplitMix64(seed: 22)
        for _ in 0..<2_000 {
            let q = random.rotation()
            let angles = EulerAngles(bodyToENU: q)
            #expect(angles.rollRadians > -.pi && angles.rollRadians <= .pi)
            #expect(abs(angles.pitchRadians) <= .pi / 2)
            #expect(angles.headingTrueRadians >= 0 && angles.headingTrueRadians < 2 * .pi)
            // 1e-7: near vertical, asin alone loses half of the digits
            #expect(angle(angles.bodyToENU, q) < 1e-7)
        }
    }

    @Test func headingAtVerticalPitch() {
        for heading in stride(from: 0.0, to: 360, by: 15) {
            for pitch in [90.0, -90] {
                // WHEN the nose points vertically up or down
                let q = attitude(pitch: pitch, heading: heading)
                let angles = EulerAngles(bodyToENU: q)
                // THEN nothing is NaN, the heading is kept, roll is zero, and the attitude is reproduced
                #expect(abs(angles.pitchRadians - pitch.degreesInRadians) < 1e-7)
                #expect(angles.rollRadians == 0)
                #expect(abs(Angle.wrappedToPi(angles.headingTrueRadians - heading.degreesInRadians)) < 1e-14)
                #expect(angle(angles.bodyToENU, q) < 1e-7)
            }
        }
        // Roll and heading rotate about the same axis there: only their difference is determined.
        let rolled = EulerAngles(bodyToENU: attitude(roll: 30, pitch: 90, heading: 100))
        #expect(
            abs(Angle.wrappedToPi(rolled.headingTrueRadians - 70.0.degreesInRadians)) < 1e-7 && rolled.rollRadians == 0)
    }

    @Test func headingWrapsAtNorth() {
        // GIVEN a small angle to either side of north
        let west = EulerAngles(bodyToENU: attitude(heading: -0.001)).headingTrueRadians.radiansInDegrees
        let east = EulerAngles(bodyToENU: attitude(heading: 0.001)).headingTrueRadians.radiansInDegrees
        #expect(abs(west - 359.999) < 1e-12 && abs(east - 0.001) < 1e-12)
        // and less than one rounding west of it: still below a full turn
        let hair = EulerAngles(bodyToENU: attitude(heading: -1e-18)).headingTrueRadians
        #expect(hair >= 0 && hair < 2 * .pi)
    }

    @Test func upsideDownIsRollOf180Degrees() {
        let angles = EulerAngles(bodyToENU: attitude(roll: 180, heading: 123))
        #expect(
            abs(abs(angles.rollRadians) - .pi) < 1e-15 && abs(angles.headingTrueRadians.radiansInDegrees - 123) < 1e-12)
    }
}
