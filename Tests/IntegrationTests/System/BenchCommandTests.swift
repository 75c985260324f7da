import Foundation
import Glibc
import Testing

/// `posed-bench` where nothing can be measured: that is no success.
@Suite(.serialized) struct BenchCommandTests {
    private static let program = "\(ExternalProgram.buildFolder)/posed-bench"

    @Test func aMeasurementThatFailsFailsTheRun() throws {
        // GIVEN a daemon that ends as it starts
        let folder = try TemporaryFolder()
        try folder.write("#!/bin/sh\nexit 1\n", to: "posed")
        chmod("\(folder.path)/posed", 0o755)
        // WHEN it is measured, with a check or without THEN the run fails, and tells what did not come to its end
        for options in [[], ["--check"]] {
            let result = try ExternalProgram.run(Self.program, ["--only", "daemon"] + options + [folder.path])
            #expect(result.exitCode == 1, "\(result)")
            #expect(result.output.contains("FAILED: posed ended before it listened"), "\(result)")
        }
        // AND one that is not there fails it, too
        let other = try TemporaryFolder()
        let result = try ExternalProgram.run(Self.program, ["--only", "daemon", other.path])
        #expect(result.exitCode == 1 && result.output.contains("is not there; build it first"), "\(result)")
    }

    @Test func aNameThatNothingHasIsAMistake() throws {
        for words in [["--only", "deamon"], ["--only", "soak"]] {
            let result = try ExternalProgram.run(Self.program, words)
            #expect(result.exitCode == 64 && result.output.contains("no measurement is named"), "\(result)")
        }
    }
}
