import BoundedJSON
import Foundation
import RoadData
import Testing

@Suite struct RouteFileTests {
    private func problem(_ path: String, limits: JSONLimits = .routeFile) -> RouteDataProblem? {
        do throws(RouteDataProblem) {
            _ = try RouteFile.read(path: path, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    private func withFile(_ bytes: Data, _ body: (String) throws -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "posed-route-\(UUID().uuidString).json")
        try bytes.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try body(file.path)
    }

    @Test func nonFilesAreReported() throws {
        #expect(problem("/nonexistent/route.json")?.reason.contains("No such file") == true)
        for path in ["/", "/dev/null", "/dev/zero"] {
            #expect(problem(path)?.reason == "is not a regular file", "\(path)")
        }
    }

    @Test func aPipeWithoutAWriterDoesNotBlock() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("posed-pipe-\(UUID().uuidString)").path
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        #expect(problem(path)?.reason == "is not a regular file")
    }

    @Test func aRouteIsRead() throws {
        try withFile(Data(#"{"type": "LineString", "coordinates": [[11, 48], [11, 48.01]]}"#.utf8)) { path in
            let reading = try RouteFile.read(path: path)
            #expect(reading.route.vertexCount == 2)
            #expect(
                problem(path, limits: JSONLimits(maximumBytes: 50))?.description.contains("more than the 50") == true)
        }
    }

    @Test func aHugeFileIsRefusedWithoutReadingIt() throws {
        // GIVEN a sparse file of 100 MB
        try withFile(Data()) { path in
            #expect(truncate(path, 100_000_000) == 0)
            // THEN it is refused by its size
            #expect(problem(path)?.reason.contains("has 100000000 bytes, more than the 64000000") == true)
        }
    }
}
