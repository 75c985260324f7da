import Testing

@testable import Configuration

/// Where the coefficients of the magnetic model are looked for, and what a wrong file says.
@Suite struct MagneticSettingsTests {
    @Test(arguments: [
        ("/usr/bin/posed", ["/usr/share/posed/WMM.COF"]), ("/opt/x/bin/posectl", ["/opt/x/share/posed/WMM.COF"]),
        (
            "/home/a/posed/.build/x86/debug/posed",
            ["/home/a/posed/.build/x86/share/posed/WMM.COF", "/home/a/posed/data/WMM.COF"]
        ),
        ("/posed", []), (nil, ["/usr/share/posed/WMM.COF"]),
    ])
    func theInstalledFileIsBesideTheProgram(program: String?, paths: [String]) {
        #expect(MagneticSettings.installedPaths(program: program) == paths)
    }

    @Test func theModelOfTheSourcesIsFoundByTheTests() {
        // GIVEN the defaults, and a program that was built here THEN the model is read
        let (schedule, problem) = MagneticSettings().schedule()
        #expect(schedule.model?.name == "WMM-2025" && problem == nil, "\(problem ?? "")")
    }

    @Test(arguments: ["/nonexistent/WMM.COF", "/dev/null", #filePath])
    func aWrongFileIsNamed(path: String) {
        // GIVEN a file that is missing, is none, or has another content THEN there is no model, and the problem has the
        // path
        var settings = MagneticSettings()
        settings.modelFile = path
        let (schedule, problem) = settings.schedule()
        #expect(schedule.model == nil && problem?.hasPrefix(path) == true, "\(problem ?? "")")
    }
}
