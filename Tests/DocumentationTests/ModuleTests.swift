import Foundation
import Testing

/// Package.swift and the sources agree on who uses whom.
@Suite struct ModuleTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "../.."
    ).standardizedFileURL

    private func book() throws -> PackageBook {
        var book = PackageBook(
            manifest: try String(contentsOf: Self.root.appendingPathComponent("Package.swift"), encoding: .utf8))
        try book.readSources(package: Self.root)
        return book
    }

    @Test func everyTargetImportsWhatItDeclares() throws {
        // GIVEN the manifest and all sources
        let book = try book()
        // THEN every target was found, and declares what it imports and nothing else
        #expect(
            book.targets.count > 50 && book.known.isSuperset(of: ["Fusion", "CSystem", "Logging", "ArgumentParser"]))
        #expect(book.importProblems == [])
    }

    @Test func foldersDoNotDependOnEachOtherInCircles() throws {
        // GIVEN the folders of each target of the programs, except for those that hold parts of one type: the filter
        // records its journal for the smoothing, and angles are rounded as the JSON writer does it
        let exempt: Set<String> = ["Fusion", "Frames"]
        let targets = try book().targets.filter { $0.folder.hasPrefix("Sources/") && !exempt.contains($0.name) }
        for target in targets {
            // THEN none reaches itself by way of others
            #expect(FolderGraph(sources: target.sources).cyclic == [], "\(target.name)")
        }
    }

    @Test func everyTargetOfSourcesHasAReadme() throws {
        // GIVEN the targets that are part of the two programs
        for target in try book().targets where target.folder.hasPrefix("Sources/") {
            let readme = Self.root.appendingPathComponent("\(target.folder)/README.md").path
            // THEN each says what its job is
            #expect(target.sources.isEmpty || FileManager.default.fileExists(atPath: readme), "\(target.name)")
        }
    }

    @Test func posectlReachesNoDeviceLibrary() throws {
        // GIVEN what posectl declares, directly and by way of others
        let book = try book()
        let declared = Dictionary(uniqueKeysWithValues: book.targets.map { ($0.name, $0.declared) })
        var (reached, next): (Set<String>, Set<String>) = ([], ["posectl"])
        while !next.isEmpty {
            reached.formUnion(next)
            next = Set(next.flatMap { declared[$0] ?? [] }).subtracting(reached)
        }
        // THEN it reaches the replay and the monitor, and neither libgps nor libiio
        #expect(reached.isSuperset(of: ["Replay", "Monitor", "Fusion"]))
        #expect(reached.isDisjoint(with: ["CGPS", "CIIO", "Sensors"]))
    }

    @Test func whatIsNotDeclaredOrNotUsedIsFound() {
        // GIVEN a manifest with two targets
        var book = PackageBook(
            manifest: """
                    targets: [
                        .target(name: "A"),
                        .target(name: "B", dependencies: ["A"]),
                        .target(
                            name: "C", dependencies: ["A", .product(name: "Logging", package: "swift-log")]),
                """)
        // WHEN C imports B and no A
        book.setSources(["x.swift": "import Glibc\n@testable import B\n    import Logging\n"], of: "C")
        book.setSources(["y.swift": "import A\n// import C\n"], of: "B")
        // THEN both are found
        #expect(book.importProblems == ["C imports B without declaring it", "C declares A without importing it"])
    }

    @Test func aCircleOfFoldersIsFound() {
        // GIVEN two folders and the target's own
        var sources = [
            "One/a.swift": "struct A { var b: B }", "Two/b.swift": "struct B {}", "c.swift": "struct C { var a: A }",
        ]
        #expect(FolderGraph(sources: sources).cyclic == [])
        // WHEN the second uses the target's own
        sources["Two/b.swift"] = "final class B {\n    var c: C?\n}"
        // THEN all three are in the circle
        #expect(FolderGraph(sources: sources).cyclic == [".", "One", "Two"])
    }
}
