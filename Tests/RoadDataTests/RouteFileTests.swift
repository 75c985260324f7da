import RoadData
import Testing

@Suite struct RouteFileTests {
    @Test func aMissingFileAFolderAndADeviceAreNamed() {
        for path in ["/nonexistent/route.json", "/", "/dev/null", "/dev/zero"] {
            #expect(throws: RouteDataProblem.self, "\(path)") { try RouteFile.read(path: path) }
        }
    }
}
