import Foundation
import Testing

/// What is missing is told before anything is built, and packages treat their units as the administrator wants.
@Suite struct PackagingTests {
    private static let package = ExternalProgram.packageFolder

    @Test(.enabled(if: ExternalProgram.has("make"), "make is not installed"), arguments: ["release", "deb", "test"])
    func withoutACompilerNothingIsBuilt(target: String) throws {
        // GIVEN a PATH without swift WHEN something is to be built THEN the message says where to get it
        let folder = try TemporaryFolder()
        let result = try ExternalProgram.run(
            "make", ["--silent", "-C", Self.package, target], environment: ["PATH": folder.path])
        #expect(result.exitCode == 2)
        let message = """
            Nothing was built: the program swift is not in PATH.
            Install Swift 6.3, and put its usr/bin into PATH: https://www.swift.org/install/linux/

            """
        #expect(result.errors.hasPrefix(message), "\(result)")
    }

    @Test func packagesAreNotMadeInAFolderWithABlank() throws {
        // GIVEN the project, the programs, or the packages in a folder with a blank in its name
        let folder = try TemporaryFolder()
        let (plain, blank) = ("\(folder.path)/plain", "\(folder.path)/with a blank")
        for path in [plain, blank] {
            try FileManager.default.createDirectory(atPath: "\(path)/scripts", withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: "\(Self.package)/scripts/deb", toPath: "\(path)/scripts/deb")
        }
        // WHEN packages are made THEN the script ends at once, and names the path
        for (project, programs, output) in [(blank, plain, plain), (plain, blank, plain), (plain, plain, blank)] {
            let result = try ExternalProgram.run("\(project)/scripts/deb", [programs, "\(output)/packages", "1.0"])
            #expect(result.exitCode == 64, "\(result)")
            #expect(result.errors.contains("a path with a blank cannot be used: \(blank)"), "\(result)")
        }
    }

    @Test func unitsThatTheAdministratorStartsAreStartedAgainAndStopped() throws {
        // GIVEN the units that a package does not start by itself WHEN it is upgraded THEN those that ran are started
        // again
        let rules = try String(contentsOfFile: "\(Self.package)/packaging/debian/rules", encoding: .utf8)
        let lines = rules.split(separator: "\n").filter {
            $0.contains("dh_installsystemd ") && $0.contains(" --no-start ")
        }
        #expect(lines.count == 3)
        for line in lines { #expect(line.contains(" --restart-after-upgrade "), "\(line)") }
        // WHEN it is removed THEN they are stopped
        for name in ["posed-bridge", "posed-web"] {
            let path = "\(Self.package)/packaging/debian/\(name).prerm"
            let script = try String(contentsOfFile: path, encoding: .utf8)
            #expect(script.contains("[ \"$1\" = remove ]") && script.contains(" stop \(name).service "), "\(name)")
        }
    }
}
