import Fusion
import PoseMath
import Simulation
import Testing

@testable import SavedState

/// What is kept from one drive to the next, as bytes.
@Suite struct SavedMountTests {
    private static let mount = MountEstimate(
        sensorToBody: Quaternion(rotationVector: Vector3(0.3, -1.2, 2.1)),
        sigmaBodyRadians: Vector3(0.004, 0.005, 0.006), origin: .found)
    private static let kept = SavedMount(imu: "bmi270 \"left\" serial 7", mount: mount)

    @Test func whatIsWrittenIsRead() throws {
        // GIVEN mounts of all kinds from a kept seed WHEN written and read THEN they are the same to 1e-8 rad
        var random = RandomSource(seed: 5, use: 1)
        for _ in 0..<500 {
            let mount = MountEstimate(
                sensorToBody: random.rotation(),
                sigmaBodyRadians: Vector3(random.uniform(1e-4, 0.1), random.uniform(1e-4, 0.1), 0.02), origin: .found
            )
            let read = try SavedMount(bytes: SavedMount(imu: "imu", mount: mount).bytes, imu: "imu").mount
            #expect((read.sensorToBody * mount.sensorToBody.inverse).rotationVector.length < 2e-8)
            #expect((read.sigmaBodyRadians - mount.sigmaBodyRadians).length < 2e-8)
        }
    }

    @Test func whatWasCutIsRefused() {
        // GIVEN a file cut at any byte, as a loss of power may leave it THEN none of the pieces is a mount
        let bytes = Self.kept.bytes
        for count in 0..<(bytes.count - 1) {
            #expect(throws: StateProblem.self) { try SavedMount(bytes: Array(bytes[..<count]), imu: Self.kept.imu) }
        }
    }

    @Test func whatWasChangedIsRefused() throws {
        // GIVEN changed bytes from a kept seed THEN it is refused, or what is read is the same (a change outside of
        // what is read)
        var random = RandomSource(seed: 6, use: 1)
        let bytes = Self.kept.bytes
        let whole = try SavedMount(bytes: bytes, imu: Self.kept.imu)
        for _ in 0..<5000 {
            var changed = bytes
            for _ in 0..<Int(random.uniform(1, 4)) {
                changed[min(Int(random.uniform(0, Double(bytes.count))), bytes.count - 1)] = UInt8(
                    random.uniform(0, 255.99))
            }
            guard let read = try? SavedMount(bytes: changed, imu: Self.kept.imu) else { continue }
            #expect(read == whole)
        }
    }

    /// The file's body with a sound checksum around other content.
    private static func signed(_ body: String) -> [UInt8] {
        let hash = body.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return Array("\(body),\"check\":\"\(String(repeating: "0", count: 16 - digits.count) + digits)\"}\n".utf8)
    }

    @Test(arguments: [
        // GIVEN files that are whole but say what cannot be used THEN the reason is named
        ("{\"posed_mount\":2,\"imu\":\"a\",\"q\":[1,0,0,0],\"sigma_rad\":[0.01,0.01,0.01]", "of version 2"),
        (
            "{\"posed_mount\":1,\"imu\":\"b\",\"q\":[1,0,0,0],\"sigma_rad\":[0.01,0.01,0.01]",
            "of another IMU, b, not of a"
        ),
        ("{\"posed_mount\":1,\"q\":[1,0,0,0],\"sigma_rad\":[0.01,0.01,0.01]", "of another IMU, unnamed"),
        ("{\"posed_mount\":1,\"imu\":\"a\",\"q\":[1,0,0],\"sigma_rad\":[0.01,0.01,0.01]", "numbers are missing"),
        ("{\"posed_mount\":1,\"imu\":\"a\",\"q\":[null,0,0,0],\"sigma_rad\":[0.01,0.01,0.01]", "numbers are missing"),
        ("{\"posed_mount\":1,\"imu\":\"a\",\"q\":[1,1,0,0],\"sigma_rad\":[0.01,0.01,0.01]", "no rotation"),
        ("{\"posed_mount\":1,\"imu\":\"a\",\"q\":[0,0,0,0],\"sigma_rad\":[0.01,0.01,0.01]", "no rotation"),
        (
            "{\"posed_mount\":1,\"imu\":\"a\",\"q\":[1,0,0,0],\"sigma_rad\":[0.01,-0.01,0.01]",
            "no rotation with a sigma"
        ),
        ("{\"posed_mount\":1,\"imu\":\"a\",\"q\":[1,0,0,0],\"sigma_rad\":[0.01,0,0.01]", "no rotation with a sigma"),
        ("{\"posed_roads\":1", "no mount of posed"),
    ]) func whatCannotBeUsedIsNamed(body: String, reason: String) {
        let problem = #expect(throws: StateProblem.self) { try SavedMount(bytes: Self.signed(body), imu: "a") }
        #expect(problem?.description.contains(reason) == true, "\(problem?.description ?? "")")
    }

    @Test func whatIsNoTextIsRefused() {
        #expect(throws: StateProblem.self) { try SavedMount(bytes: [UInt8](repeating: 0xFF, count: 200), imu: "a") }
        #expect(throws: StateProblem.self) {
            try SavedMount(bytes: [UInt8](repeating: UInt8(ascii: "["), count: 4000), imu: "a")
        }
        #expect(throws: StateProblem.self) {
            try SavedMount(bytes: [UInt8](repeating: UInt8(ascii: " "), count: 5000), imu: "a")
        }
    }

    @Test func everyIMUHasAFileOfItsOwn() {
        #expect(SavedMount.fileName(imu: "a") != SavedMount.fileName(imu: "b"))
        #expect(SavedMount.fileName(imu: "../../etc/passwd\n").utf8.allSatisfy { $0 != UInt8(ascii: "/") && $0 > 32 })
    }
}
