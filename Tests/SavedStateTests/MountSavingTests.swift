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
}
