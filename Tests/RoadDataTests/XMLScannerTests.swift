import Testing

@testable import RoadData

/// Refusals and limits of the scanner; regular reading is tested with the XML formats.
@Suite struct XMLScannerTests {
    /// The problem of a text scanned to its end.
    private func problem(_ text: String, maximumDepth: Int = 64) -> RouteDataProblem? {
        do throws(RouteDataProblem) {
            let scanner = try XMLScanner(bytes: Array(text.utf8), maximumDepth: maximumDepth)
            while try scanner.next() != .finished {}
            return nil
        } catch {
            return error
        }
    }

    @Test func entityExpansionIsRefused() {
        // GIVEN entities that refer to each other ten times each, a gigabyte in all; WHEN read; THEN the document type
        // is refused, with its location
        var text = "<?xml version=\"1.0\"?>\n<!DOCTYPE gpx [<!ENTITY a0 \"lol\">"
        for level in 1...9 {
            text += "<!ENTITY a\(level) \"" + String(repeating: "&a\(level - 1);", count: 10) + "\">"
        }
        let found = problem(text + "]>\n<gpx>&a9;</gpx>")
        #expect(found?.reason == "document types and entities are not read")
        #expect(found?.line == 2 && found?.column == 1)
    }

    @Test(arguments: [
        "<!DOCTYPE gpx [<!ENTITY x SYSTEM \"file:///etc/hostname\">]><gpx>&x;</gpx>",
        "<!DOCTYPE gpx SYSTEM \"file:///etc/hostname\"><gpx/>",
        "<!DOCTYPE gpx PUBLIC \"a\" \"http://127.0.0.1/x.dtd\"><gpx/>",
        "<!DOCTYPE gpx [<!ENTITY % x SYSTEM \"file:///etc/hostname\">%x;]><gpx/>", "<gpx><!DOCTYPE x></gpx>",
    ])
    func documentTypesAreRefused(_ text: String) {
        #expect(problem(text)?.reason == "document types and entities are not read")
    }

    @Test(arguments: ["&x;", "&nbsp;", "a & b", "a &", "&#0;", "&#xFFFFFFFF;", "&#xD800;", "&;"])
    func otherReferencesAreRefused(_ text: String) {
        #expect(problem("<gpx>\(text)</gpx>")?.reason == "an entity that XML does not have by itself")
    }

    @Test func endlessTokenIsRefused() {
        // GIVEN a comment, a value and a name of 20 MB each, which reading in parts would scan again with every part;
        // WHEN read; THEN it is refused after a quarter of a megabyte
        let long = String(repeating: "x", count: 20_000_000)
        for text in ["<a><!--\(long)--></a>", "<a b=\"\(long)\"/>", "<\(long)/>", "<a><?b \(long)?></a>"] {
            #expect(problem(text)?.reason.hasPrefix("a name, tag or comment of more than") == true)
        }
        #expect(problem("<a>\(long)</a>") == nil)
        #expect(problem("<a><![CDATA[\(long)]]></a>") == nil)
    }

    @Test func depthAndAttributesAreBounded() {
        let deep = String(repeating: "<a>", count: 9) + String(repeating: "</a>", count: 9)
        #expect(problem(deep, maximumDepth: 9) == nil)
        #expect(problem(deep, maximumDepth: 8)?.column == 25)
        for (count, isRead) in [(64, true), (65, false)] {
            let text = "<a " + (0..<count).map { "b\($0)=\"\"" }.joined(separator: " ") + "/>"
            #expect((problem(text) == nil) == isRead)
        }
    }

    @Test(arguments: [
        ("\u{FEFF}  <a>\n <b c='&lt;'>x<!-- y --><![CDATA[ <z> ]]>&#x41;</b>\n</a>", true), ("<a>\u{1}</a>", false),
        ("<a b='1' b='2'/>", false), ("<a/><a/>", false), ("x<a/>", false), ("<a/>x", false), ("<a>", false),
        ("<a><b></a></b>", false), ("", false), ("  ", false), ("<a b='<'/>", false), ("<a>]]></a>", false),
    ])
    func onlyWellFormedTextsAreRead(_ text: String, isWellFormed: Bool) {
        #expect((problem(text) == nil) == isWellFormed)
    }

    @Test func theDepthIsTheNumberOfOpenElements() throws(RouteDataProblem) {
        // GIVEN elements in each other WHEN one starts or ends THEN the depth is one more or one less
        let scanner = try XMLScanner(bytes: Array("<a><b/>x<c><d/></c></a>".utf8), maximumDepth: 9)
        var depths: [Int] = []
        while try scanner.next() != .finished { depths.append(scanner.depth) }
        #expect(depths == [1, 2, 1, 2, 3, 2, 1, 0] && scanner.depth == 0)
    }

    @Test func textsAcrossPartBoundariesAreComplete() throws(RouteDataProblem) {
        // GIVEN tags whose texts, values and references are split by part boundaries in every way; WHEN read; THEN each
        // is complete
        var text = "<a>"
        for index in 0..<20_000 { text += "<b c=\"é&amp;\(index)\">ü &lt; <d>no</d>\(index)</b>\n" }
        let scanner = try XMLScanner(bytes: Array((text + "</a>").utf8), maximumDepth: 3)
        #expect(try scanner.next() == .start("a"))
        for index in 0..<20_000 {
            let event = try scanner.next()
            let value = scanner.attribute("c")
            let content = try scanner.text()
            guard event == .start("b"), value == "é&\(index)", content == "ü < \(index)" else {
                Issue.record("\(index): \(event), \(value ?? "nil"), \(content)")
                return
            }
        }
        #expect(try scanner.next() == .end)
        #expect(try scanner.next() == .finished)
    }
}
