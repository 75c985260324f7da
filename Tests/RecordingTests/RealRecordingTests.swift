import Foundation
import Testing

@testable import Recording

/// The folder of real recordings, where present.
private let recordings: String? = {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    let data = folder.deletingLastPathComponent().appendingPathComponent("shared/data").path
    return FileManager.default.fileExists(atPath: data + "/car_drive/imu.csv") ? data : nil
}()

/// Real recordings, read to the last row.
@Suite(.enabled(if: recordings != nil, "needs ../shared/data beside the package"))
struct RealRecordingTests {
    struct Expectation {
        var folder: String
        var inertial = 0
        var fixes = 0
        var magnetic = 0
    }

    @Test(arguments: [
        Expectation(folder: "car_drive", inertial: 54_858, fixes: 2_197),
        Expectation(folder: "handheld_walk", inertial: 20_455, fixes: 536),
        Expectation(folder: "route_drive", fixes: 2_503),
        Expectation(folder: "orientation/21_undisturbed_fast_combined", inertial: 53_612, magnetic: 53_612),
    ])
    func everyRowGivesAnEventInOrder(_ expected: Expectation) throws {
        let all = try events(in: try #require(recordings) + "/" + expected.folder)
        // THEN there is one event for each line after the headers, and arrivals are in order
        #expect(all.count { if case .inertial = $0 { true } else { false } } == expected.inertial)
        #expect(all.count { if case .gnss = $0 { true } else { false } } == expected.fixes)
        #expect(all.count { if case .magnetic = $0 { true } else { false } } == expected.magnetic)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.arrivalTime <= $1.arrivalTime })
    }
}
