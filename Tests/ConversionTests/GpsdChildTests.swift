import Foundation
import Testing

@testable import Conversion

/// The end of a gpsd that was started for a receiver's log.
@Suite struct GpsdChildTests {
    private static func exists(_ process: Int32) -> Bool { kill(process, 0) == 0 || errno != ESRCH }

    @Test(arguments: ["", "trap '' TERM; "]) func itEndsWhetherItWantsToOrNot(trap: String) throws {
        // GIVEN a program in the place of gpsd, which ends when it is asked to, or ignores that
        let folder = try TemporaryFolder()
        let script = "\(trap)echo $$ >'\(folder.path)/new'; mv '\(folder.path)/new' '\(folder.path)/id'; exec sleep 600"
        let started = try #require(GpsdChild.spawn(["/bin/sh", "-c", script], graceSteps: 1))
        // A deadline that only ends what hangs.
        let deadline = Date(timeIntervalSinceNow: 60)
        while access("\(folder.path)/id", F_OK) != 0, Date() < deadline { usleep(1000) }
        let text = try folder.text(of: "id").trimmingCharacters(in: .whitespacesAndNewlines)
        let program = try #require(Int32(text))
        #expect(Self.exists(program))
        // WHEN it is to end THEN the shell and the program are gone after the grace of the shell
        GpsdChild.end(started, graceSteps: 1000)
        #expect(!Self.exists(program) && !Self.exists(started.process))
    }
}
