import Fusion
import PoseMath
import Simulation
import Testing

@testable import SavedState

/// The saved mount as bytes.
@Suite struct SavedMountTests {
    private static let mount = MountEstimate(
        sensorToBody: Quaternion(rotationVector: Vector3(0.3, -1.2, 2.1)),
        sigmaBodyRadians: Vector3(0.004, 0.005, 0.006), origin: .found)
    private static let kept = SavedMount(imu: "bmi270 \"left\" serial 7", mount: mount)

    @Test func savedMountsAreReadBack() throws {
        // GIVEN mounts of all kinds from a fixed seed WHEN written and read THEN they are equal to 1e-8 rad
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

    @Test func thePlaceOfTheAntennaIsKeptWhereItIsWellKnown() throws {
        // GIVEN an antenna that was found, and one that was not
        for (sigma, isKept) in [(0.04, true), (0.9, false)] {
            var mount = Self.mount
            mount.antenna = AntennaArm(meters: SIMD2(1.25, -0.5), sigmaMeters: SIMD2(sigma, 0.05))
            // WHEN written and read THEN the one is there, to the tenth of a millimetre that is written
            let read = try SavedMount(bytes: SavedMount(imu: "imu", mount: mount).bytes, imu: "imu").mount
            #expect((read.antenna != nil) == isKept)
            guard let antenna = read.antenna else { continue }
            #expect((antenna.meters - SIMD2(1.25, -0.5)).max() < 1e-4)
            #expect(abs(antenna.sigmaMeters.x - sigma) < 1e-4)
        }
    }

    @Test func truncatedFilesAreRejected() {
        // GIVEN a file truncated at any byte, as a power failure may leave it THEN it is rejected
        let bytes = Self.kept.bytes
        for count in 0..<(bytes.count - 1) {
            #expect(throws: StateProblem.self) { try SavedMount(bytes: Array(bytes[..<count]), imu: Self.kept.imu) }
        }
    }

    @Test func modifiedFilesAreRejected() throws {
        // GIVEN changed bytes from a fixed seed THEN the file is rejected, or the mount is equal (a change outside of
        // the data)
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

    /// The file's body with a valid checksum around other content.
    private static func signed(_ body: String) -> [UInt8] {
        let hash = body.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return Array("\(body),\"check\":\"\(String(repeating: "0", count: 16 - digits.count) + digits)\"}\n".utf8)
    }

    @Test(arguments: [
        // GIVEN complete files with unusable content THEN the reason is named
        ("{\"posed_mount\":2,\"imu\":\"a\",\"q\":[1,0,0,0],\"sigma_rad\":[0.01,0.01,0.01]", "unsupported version 2"),
        (
            "{\"posed_mount\":1,\"imu\":\"b\",\"q\":[1,0,0,0],\"sigma_rad\":[0.01,0.01,0.01]",
            "for another IMU, b, not for a"
        ),
        ("{\"posed_mount\":1,\"q\":[1,0,0,0],\"sigma_rad\":[0.01,0.01,0.01]", "for another IMU, unnamed"),
        ("{\"posed_mount\":1,\"imu\":\"a\",\"q\":[1,0,0],\"sigma_rad\":[0.01,0.01,0.01]", "numbers are missing"),
        ("{\"posed_mount\":1,\"imu\":\"a\",\"q\":[null,0,0,0],\"sigma_rad\":[0.01,0.01,0.01]", "numbers are missing"),
        ("{\"posed_mount\":1,\"imu\":\"a\",\"q\":[1,1,0,0],\"sigma_rad\":[0.01,0.01,0.01]", "not a rotation"),
        ("{\"posed_mount\":1,\"imu\":\"a\",\"q\":[0,0,0,0],\"sigma_rad\":[0.01,0.01,0.01]", "not a rotation"),
        (
            "{\"posed_mount\":1,\"imu\":\"a\",\"q\":[1,0,0,0],\"sigma_rad\":[0.01,-0.01,0.01]",
            "not a rotation with sigmas"
        ),
        ("{\"posed_mount\":1,\"imu\":\"a\",\"q\":[1,0,0,0],\"sigma_rad\":[0.01,0,0.01]", "not a rotation with sigmas"),
        ("{\"posed_roads\":1", "not a mount file"),
    ]) func unusableFilesHaveANamedReason(body: String, reason: String) {
        let problem = #expect(throws: StateProblem.self) { try SavedMount(bytes: Self.signed(body), imu: "a") }
        #expect(problem?.description.contains(reason) == true, "\(problem?.description ?? "")")
    }

    @Test func invalidTextIsRejected() {
        #expect(throws: StateProblem.self) { try SavedMount(bytes: [UInt8](repeating: 0xFF, count: 200), imu: "a") }
        #expect(throws: StateProblem.self) {
            try SavedMount(bytes: [UInt8](repeating: UInt8(ascii: "["), count: 4000), imu: "a")
        }
        #expect(throws: StateProblem.self) {
            try SavedMount(bytes: [UInt8](repeating: UInt8(ascii: " "), count: 5000), imu: "a")
        }
    }

    @Test func everyIMUHasItsOwnFile() {
        #expect(SavedMount.fileName(imu: "a") != SavedMount.fileName(imu: "b"))
        #expect(SavedMount.fileName(imu: "../../etc/passwd\n").utf8.allSatisfy { $0 != UInt8(ascii: "/") && $0 > 32 })
    }
}
