import Foundation
import Testing

/// The scene against a projection that shares no code with posed: clients/hud.
@Suite struct SceneProjectionTests {
    @Test(.enabled(if: ExternalProgram.has("python3")))
    func anotherProgramProjectsTheSceneToTheSamePlaces() throws {
        // GIVEN the sample drive on its route, replayed with a display WHEN a program of its own projects every object
        // of the scene from its latitude, longitude and height THEN its place relative to the body agrees to 5 mm and
        // 1e-5 of the distance, and its place on the screen to what the rounding of the lines allows
        let package = ExternalProgram.packageFolder
        let folder = try TemporaryFolder()
        try folder.write("scene:\n  display: true\n", to: "settings.yaml")
        let (frames, scenes) = ("\(folder.path)/frames", "\(folder.path)/scenes")
        let replay = try ExternalProgram.run(
            "posectl",
            [
                "replay", "\(package)/samples/drive", "--route", "\(package)/config/demo-route.json", "--config",
                "\(folder.path)/settings.yaml", "--frames", frames, "--scene", scenes,
            ])
        #expect(replay.exitCode == 0, "\(replay)")
        func verify(_ error: [String]) throws -> ProgramResult {
            try ExternalProgram.run(
                "python3", ["\(package)/clients/hud/verify.py", frames, scenes] + error,
                environment: ["PYTHONDONTWRITEBYTECODE": "1"])
        }
        let result = try verify([])
        let counts = result.output.split(separator: " ").compactMap { Int($0) }
        #expect(result.exitCode == 0, "\(result)")
        #expect(counts.count == 2 && counts[0] > 10_000 && counts[1] > 500, "\(result)")
        // AND a heading that is wrong by 0.02 degrees is found
        #expect(try verify(["0.02"]).exitCode == 1)
        // AND the example draws them
        let drawn = try ExternalProgram.run(
            "python3", ["\(package)/clients/hud/hud.py", "\(folder.path)/page.html", frames, scenes],
            environment: ["PYTHONDONTWRITEBYTECODE": "1"])
        let page = folder.text(of: "page.html")
        #expect(drawn.exitCode == 0 && page.contains("<circle") && page.contains(">turn 30 m<"), "\(drawn)")
    }
}
