import Foundation
import Testing

/// docs/math.md and the code name each other.
@Suite struct EquationTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "../.."
    ).standardizedFileURL

    private func book() throws -> EquationBook {
        let document = try String(contentsOf: Self.root.appendingPathComponent("docs/math.md"), encoding: .utf8)
        var sources: [String: String] = [:]
        let folder = Self.root.appendingPathComponent("Sources").resolvingSymlinksInPath()
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift") {
            sources[path] = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
        }
        return EquationBook(document: document, sources: sources)
    }

    @Test func everyEquationNamesCodeThatCitesIt() throws {
        // GIVEN the document and all sources
        let book = try book()
        // THEN it has its equations, every one names functions that exist and cite it, and no source cites one that
        // does not exist
        #expect(book.equations.count > 80)
        #expect(book.problems == [])
    }

    private static let document = """
        **Eq. 1.1** `Thing.turn`
        **Eq. 1.2** `Thing.init(from:)`, `Thing.size`
        """
    private static let source = """
        /// docs/math.md, eq. 1.1.
        struct Thing { func turn() {} }
        /// docs/math.md, eq. 1.2, eq. 1.1.
        extension Thing { var size: Int { 1 }
            init(from a: Int) {} }
        """

    @Test func soundTextHasNoProblem() {
        #expect(EquationBook(document: Self.document, sources: ["a": Self.source]).problems == [])
    }

    @Test(arguments: [
        // GIVEN one fact broken in the document THEN it is named
        ("`Thing.turn`", "`Thing.tur`", "names Thing.tur, which no source declares"),
        ("`Thing.turn`", "`Thin.turn`", "names Thin.turn, which no source declares"),
        ("`Thing.turn`", "", "names no function"), ("Eq. 1.2", "Eq. 1.3", "follows eq. 1.1"),
        ("Eq. 1.2", "Eq. 1.1", "follows eq. 1.1"),
    ]) func aBrokenDocumentIsFound(part: String, broken: String, problem: String) {
        let document = Self.document.replacingOccurrences(of: part, with: broken)
        let problems = EquationBook(document: document, sources: ["a": Self.source]).problems
        #expect(problems.contains { $0.contains(problem) }, "\(problems)")
    }

    @Test(arguments: [
        // GIVEN one fact broken in the code THEN it is named
        ("func turn", "func twist", "names Thing.turn, which no source declares"),
        ("eq. 1.2, ", "", "eq. 1.2 is not cited"),
        ("eq. 1.2, ", "eq. 1.7, ", "cites eq. 1.7, which does not exist"),
    ]) func brokenCodeIsFound(part: String, broken: String, problem: String) {
        let source = Self.source.replacingOccurrences(of: part, with: broken)
        let problems = EquationBook(document: Self.document, sources: ["a": source]).problems
        #expect(problems.contains { $0.contains(problem) }, "\(problems)")
    }
}
