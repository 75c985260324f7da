import Foundation
import RunPrograms
import Testing

/// docs/architecture.md and the READMEs of the targets are those of the code as it is.
@Suite struct ArchitectureTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "../.."
    ).standardizedFileURL

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test func theDiagramIsThatOfThePackage() throws {
        // GIVEN the page; WHEN the script draws the diagram of Package.swift anew THEN it is the one on the page
        let script = Self.root.appendingPathComponent("scripts/module-diagram").path
        let check = try ProgramRun("/usr/bin/env", ["python3", script, "--check"], includesErrors: true)
        #expect(check.code == 0, "\(check.output); run `make generated`")
    }

    @Test func everyPathAndTypeOfThePageExists() throws {
        // GIVEN everything in backticks on the page
        let page = try text("docs/architecture.md")
        let quoted = page.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        var sources = ""
        let folder = Self.root.appendingPathComponent("Sources").resolvingSymlinksInPath()
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift") {
            sources += try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
        }
        // THEN a path leads to a file or folder, and a type is declared
        let paths = quoted.filter {
            ["Sources/", "Tests/", "docs/", "clients/", "config/"].contains(where: $0.hasPrefix)
        }
        for path in paths {
            #expect(FileManager.default.fileExists(atPath: Self.root.appendingPathComponent(path).path), "\(path)")
        }
        let types = quoted.compactMap { name in name.split(separator: ".").first.map(String.init) }.filter { name in
            name.first?.isUppercase == true && name.allSatisfy { $0.isLetter || $0.isNumber } && name.count > 3
        }
        let declared = Set(
            sources.matches(of: /(?:struct|class|enum|protocol|actor|typealias|extension) ([A-Z][A-Za-z0-9]*)/).map {
                String($0.1)
            })
        let targets = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
        for type in Set(types) where !targets.contains(type) { #expect(declared.contains(type), "\(type)") }
        #expect(paths.count > 10 && types.count > 20)
    }

    @Test func thePathOfASampleIsShortAndItsFunctionsExist() throws {
        // GIVEN the functions that the page lists for the path of a sample
        let functions = try functions(of: "path of a sample")
        // THEN there are at most 28 of them, each once, and each is declared in a file that declares its type
        #expect(functions.count > 20 && functions.count <= 28)
        #expect(Set(functions.map { "\($0.type).\($0.name)" }).count == functions.count)
        try expectDeclared(functions)
    }

    @Test func theFunctionsThatPassAWheelSpeedExist() throws {
        // GIVEN the functions that the page lists for the path of a wheel speed
        let functions = try functions(of: "path of a wheel speed")
        // THEN each is declared in a file that declares its type
        #expect(functions.count > 10)
        try expectDeclared(functions)
    }

    /// The functions in the table between the marks of that name.
    private func functions(of table: String) throws -> [(type: String, name: String)] {
        let page = try text("docs/architecture.md")
        let begin = try #require(page.range(of: "<!-- \(table): begin -->"))
        let end = try #require(page.range(of: "<!-- \(table): end -->"))
        return page[begin.upperBound..<end.lowerBound].matches(of: /`([A-Z][A-Za-z]*)\.([a-z][A-Za-z]*)`/).map {
            (String($0.output.1), String($0.output.2))
        }
    }

    private func expectDeclared(_ functions: [(type: String, name: String)]) throws {
        let folder = Self.root.appendingPathComponent("Sources").resolvingSymlinksInPath()
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        let sources = try files.map {
            try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
        }
        for (type, name) in functions {
            let isDeclared = sources.contains { source in
                ["struct \(type)", "class \(type)", "extension \(type)"].contains(where: source.contains)
                    && (source.contains("func \(name)(") || source.contains("func \(name)<"))
            }
            #expect(isDeclared, "\(type).\(name)")
        }
    }

    @Test func everyTargetSaysWhatIsItsJobAndWhatIsNot() throws {
        let folder = Self.root.appendingPathComponent("Sources").resolvingSymlinksInPath().path
        let targets = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(targets.count > 15)
        for target in targets {
            let readme = (try? text("Sources/\(target)/README.md")) ?? ""
            #expect(readme.contains("Not its job"), "Sources/\(target)/README.md is missing, or names no limits")
        }
    }
}
