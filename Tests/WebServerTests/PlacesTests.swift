import Testing

@testable import WebServer

/// What the server learns from the daemon's status.
@Suite struct PlacesTests {
    private func places(_ line: String, after known: DaemonLink.Places = .init()) -> DaemonLink.Places? {
        DaemonLink.places(in: Array(line.utf8), after: known)
    }

    @Test func anotherRoadFileWithTheSameNameIsNews() throws {
        // GIVEN a daemon with a road file WHEN it has read another one from the same path THEN that is something else
        let first = try #require(places(#"{"roads":{"file":"/r","holds":"10 road segments"}}"#))
        #expect(first == .init(roadFile: "/r", roadContent: "10 road segments"))
        let second = try #require(places(#"{"roads":{"file":"/r","holds":"11 road segments"}}"#, after: first))
        #expect(second.roadFile == "/r" && second != first)
        // AND the same status again is nothing new
        #expect(places(#"{"roads":{"file":"/r","holds":"11 road segments"}}"#, after: second) == second)
    }

    @Test func theFolderOfRecordingsStaysKnown() throws {
        // GIVEN a daemon that records WHEN it records no more THEN its folder is still known, and its roads are not
        let first = try #require(places(#"{"roads":{"file":"/r"},"recording":{"folder":"/f"}}"#))
        #expect(first == .init(roadFile: "/r", recordingFolder: "/f"))
        #expect(places("{}", after: first) == .init(recordingFolder: "/f"))
        // AND what is no status tells nothing
        #expect(places("x", after: first) == nil)
    }
}
