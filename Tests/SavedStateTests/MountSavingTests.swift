import Fusion
import PoseMath
import Testing

@testable import SavedState

/// When the mount is written.
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

    @Test func onlyWhatIsWellKnownIsWritten() {
        var keeping = MountSaving()
        // GIVEN nothing on the disk THEN a mount that is unsure, a mere prior, or of a pose that is not aligned is not
        // written
        for (mount, isAligned) in [
            (Self.mount(0.03), true), (Self.mount(0.005, origin: .kept), true), (Self.mount(0.005), false),
        ] {
            let wants = keeping.wantsWriting(mount, state: isAligned, at: Self.time(1))
            #expect(!wants)
        }
        let wants = keeping.wantsWriting(Self.mount(0.005), state: true, at: Self.time(1))
        #expect(wants)
    }

    @Test func itIsNotWrittenOften() {
        // GIVEN a mount that gets better all the time THEN it is written at most once a minute, and at the end
        var keeping = MountSaving()
        var writings = 0
        for second in 0..<600 {
            let mount = Self.mount(0.015 / (1 + Double(second) * 0.1))
            guard keeping.wantsWriting(mount, state: true, at: Self.time(Double(second))) else { continue }
            keeping.note(onDisk: mount)
            writings += 1
        }
        #expect((3...10).contains(writings))
        let last = keeping.wantsWriting(Self.mount(1e-5), state: true, at: Self.time(600), isLast: true)
        #expect(last)
    }

    @Test func whatIsWorseDoesNotDisplaceWhatIsBetter() {
        // GIVEN a well known mount on the disk THEN the same mount, less well known, is not written, a better known one
        // and another one are
        for (mount, expected) in [
            (Self.mount(0.006, turn: 0.01), false), (Self.mount(0.0039), false), (Self.mount(0.001), true),
            (Self.mount(0.006, turn: 0.5), true),
            (Self.mount(0.003, turn: 0.01), true),
        ] {
            var keeping = MountSaving()
            keeping.note(onDisk: Self.mount(0.004))
            let wants = keeping.wantsWriting(mount, state: true, at: Self.time(100))
            #expect(wants == expected, "\(mount)")
        }
    }
}
