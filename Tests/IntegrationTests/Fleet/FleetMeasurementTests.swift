import Foundation
import Testing

/// What `make fleet` measures, with fewer boards and a shorter time off line.
@Suite(.serialized, .enabled(if: ExternalProgram.has("mosquitto"), "mosquitto is not installed"))
struct FleetMeasurementTests {
    private static let program = "\(ExternalProgram.buildFolder)/posed-fleet"

    @Test func manyBoardsLoseNothing() throws {
        // GIVEN 1,500 boards, more than select takes WHEN each sends two poses over one broker THEN none is lost or
        // repeated, and the cost of broker and simulation is told
        let result = try ExternalProgram.run(Self.program, ["boards", "1500", "2"])
        #expect(result.exitCode == 0, "\(result)")
        #expect(result.output.contains("published 3000, acknowledged 3000, received 3000\n"), "\(result)")
        #expect(result.output.contains("lost 0, repeated 0, refused 0, connections that ended 0\n"), "\(result)")
        for name in ["broker", "simulation"] {
            #expect(result.output.firstMatch(of: try Regex("\\n\(name): [0-9.]+ % of a core, [0-9.]+ MiB")) != nil)
        }
    }

    @Test func anHourOffLineIsDeliveredInItsOrder() throws {
        // GIVEN an hour of poses and guidance on the disk WHEN the bridge connects THEN all come, each once, in order
        let result = try ExternalProgram.run(Self.program, ["backlog", "1"])
        #expect(result.exitCode == 0, "\(result)")
        #expect(result.output.contains("1 h: 7200 messages in"), "\(result)")
        #expect(result.output.contains("lost 0, repeated or out of order 0\n"), "\(result)")
    }

    @Test func mistakesOfTheCommandLineAreTold() throws {
        for words in [["board"], ["at", "1"], ["at", "70000", "1"]] {
            let result = try ExternalProgram.run(Self.program, words)
            #expect(result.exitCode == 64 && result.output.hasPrefix("usage: posed-fleet"), "\(words): \(result)")
        }
    }
}
