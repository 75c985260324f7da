import Fusion
import PoseMath
import Testing

@testable import SavedState

/// The conditions for saving the mount.
@Suite struct MountSavingTests {
    private static func mount(_ sigma: Double, turn: Double = 0, origin: MountEstimate.Origin = .found) -> MountEstimate
    {
        MountEstimate(
            sensorToBody: Quaternion(rotationVector: Vector3(0, 0, turn)), sigmaBodyRadians: Vector3(repeating: sigma),
            origin: origin)
    }

    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds)
    }

    @Test func onlyAWellKnownMountIsSaved() {
        var saving = MountSaving()
        // GIVEN no saved mount THEN an uncertain mount, an unconfirmed prior, or a mount of a pose that is not aligned
        // is not saved
        for (mount, isAligned) in [
            (Self.mount(0.03), true), (Self.mount(0.005, origin: .kept), true), (Self.mount(0.005), false),
        ] {
            let wants = saving.shouldSave(mount, state: isAligned, at: Self.time(1))
            #expect(!wants)
        }
        let wants = saving.shouldSave(Self.mount(0.005), state: true, at: Self.time(1))
        #expect(wants)
    }

    @Test func savesAreLimitedInRate() {
        // GIVEN a mount that improves all the time THEN it is saved at most once per minute, and at the end
        var saving = MountSaving()
        var writings = 0
        for second in 0..<600 {
            let mount = Self.mount(0.015 / (1 + Double(second) * 0.1))
            guard saving.shouldSave(mount, state: true, at: Self.time(Double(second))) else { continue }
            saving.recordSaved(mount)
            writings += 1
        }
        #expect((3...10).contains(writings))
        let last = saving.shouldSave(Self.mount(1e-5), state: true, at: Self.time(600), isLast: true)
        #expect(last)
    }

    @Test func aWorseMountDoesNotReplaceABetterOne() {
        // GIVEN a well known saved mount THEN the same mount with a larger sigma is not saved; one with a smaller sigma
        // and a different one are saved
        for (mount, expected) in [
            (Self.mount(0.006, turn: 0.01), false), (Self.mount(0.0039), false), (Self.mount(0.001), true),
            (Self.mount(0.006, turn: 0.5), true),
            (Self.mount(0.003, turn: 0.01), true),
        ] {
            var saving = MountSaving()
            saving.recordSaved(Self.mount(0.004))
            let wants = saving.shouldSave(mount, state: true, at: Self.time(100))
            #expect(wants == expected, "\(mount)")
        }
    }

    @Test func anAntennaThatIsFoundAfterTheMountIsSavedWithIt() {
        // GIVEN a saved mount without an antenna WHEN the antenna is found, and the mount is known no better THEN it is
        // saved once it is well known
        var saving = MountSaving()
        saving.recordSaved(Self.mount(0.004))
        var found = Self.mount(0.005, turn: 0.001)
        for (sigma, expected) in [(0.5, false), (0.2, true)] {
            found.antenna = AntennaArm(meters: SIMD2(1, -0.5), sigmaMeters: SIMD2(repeating: sigma))
            let wants = saving.shouldSave(found, state: true, at: Self.time(100))
            #expect(wants == expected, "\(sigma)")
        }
        // AND the better rotation stays
        let content = saving.content(of: found)
        #expect(content.antenna == found.antenna && content.sensorToBody == Self.mount(0.004).sensorToBody)
        #expect(content.sigmaBodyRadians == Vector3(repeating: 0.004))
        // AND it is saved again only where it is known much better, or is another one
        saving.recordSaved(content)
        for (forward, sigma, expected) in [(1.1, 0.19, false), (1.1, 0.1, true), (2.5, 0.2, true), (2.5, 0.35, false)] {
            var next = saving
            found.antenna = AntennaArm(meters: SIMD2(forward, -0.5), sigmaMeters: SIMD2(repeating: sigma))
            let wants = next.shouldSave(found, state: true, at: Self.time(200))
            #expect(wants == expected, "\(forward) \(sigma)")
        }
        // AND a mount that replaces the saved one is written as it is
        let better = Self.mount(0.001)
        #expect(saving.content(of: better) == better)
    }
}
