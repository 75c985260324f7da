import Foundation
import Testing

/// What docs/doctor.md says about the tests of the doctor is what they do.
@Suite struct DoctorProofTests {
    @Test func everyFaultWhoseCommandIsSaidToBeRunHasATestThatRunsIt() throws {
        // GIVEN the faults with `command run` in the table of the page
        let page = try String(contentsOfFile: "\(ExternalProgram.packageFolder)/docs/doctor.md", encoding: .utf8)
        let claimed = page.split(separator: "\n").filter { $0.hasPrefix("| `") && $0.contains("| command run |") }
            .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        #expect(claimed.count >= 40)
        // THEN each is in a table of injections whose commands are run, or a test takes its command to run it
        let injected = (DoctorMachineTests.injections + DoctorMachineTests.variants).filter(\.runs).map(\.fault)
        let inTables = Set(injected + DoctorMachineTests.accessFaults)
        let folder = "\(ExternalProgram.packageFolder)/Tests/IntegrationTests/Doctor"
        let sources = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
            .map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }.joined()
        for fault in claimed where !inTables.contains(fault) {
            #expect(sources.contains("command(\"\(fault)\")"), "no test runs the command of \(fault)")
        }
    }
}
