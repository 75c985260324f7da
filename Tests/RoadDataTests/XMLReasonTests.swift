import Testing

@testable import RoadData

/// The words for what is wrong in an XML text, and its limits, just allowed and just refused.
@Suite struct XMLReasonTests {
    /// The problem of a text scanned to its end.
    private func problem(_ text: String, maximumTags: Int = .max) -> RouteDataProblem? {
        do throws(RouteDataProblem) {
            let scanner = try XMLScanner(bytes: Array(text.utf8), maximumDepth: 64, maximumTags: maximumTags)
            while try scanner.next() != .finished {}
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("", "there is no tag", 1), ("  ", "there is no tag", 3), ("<?xml version=\"1.0\"?>\n", "there is no tag", 1),
        ("<a><bc>", "the text ends before </bc>: it is cut off", 4), ("<a><b/>", "the text ends before </a>", 1),
        ("<a><b", "a tag, comment or character does not end", 4), ("<a><!-- x", "a tag, comment or character", 4),
        ("<a><![CDATA[x", "a tag, comment or character does not end", 14),
        ("<a></b>", "</b> closes <a>", 6), ("<ab x=\"1\"><c/></d >", "</d> closes <ab>", 17),
        ("<a/><b/>", "a second outermost tag", 5), ("<a/>x", "text outside of every tag", 5),
        ("<a>\u{1}</a>", "is not well-formed XML here", 4), ("<a b=1/>", "is not well-formed XML here", 6),
        ("<a>&amp;\u{1}</a>", "is not well-formed XML here", 9), ("<a>&lt</a>", "an entity that XML does not have", 7),
        ("<a>&abcdefghijk</a>", "an entity that XML does not have by itself", 16),
        ("<a>&abcdefghijkl</a>", "is not well-formed XML here", 17),
        ("<a>&x;</a>", "an entity that XML does not have by itself", 4),
        ("<gpx><!DOCTYPE x></gpx>", "document types and entities are not read", 6),
        // A reference after the place that is wrong is not what is wrong.
        ("<a>\u{1} &b", "is not well-formed XML here", 4),
        // Good UTF-8 where no name may have it.
        ("<a \u{A7}='1'/>", "is not well-formed XML here", 4),
        ("<a b=\"<\"/>", "is not well-formed XML here", 7), ("<a b='1' b='2'/>", "is not well-formed XML here", 10),
    ])
    func aProblemHasItsWordsAndItsColumn(text: String, words: String, column: Int) {
        let found = problem(text)
        #expect(found?.reason.hasPrefix(words) == true, "\(String(describing: found))")
        #expect(found?.column == column, "\(String(describing: found))")
    }

    @Test func aTextInAnotherEncodingIsRefused() throws {
        let bytes = Array("<a>".utf8) + [0xE9] + Array("</a>".utf8)
        let scanner = try XMLScanner(bytes: bytes, maximumDepth: 9)
        _ = try scanner.next()
        let found = #expect(throws: RouteDataProblem.self) { try scanner.next() }
        #expect(found?.reason == "this is not UTF-8" && found?.column == 4)
        for mark in [[0xFF, 0xFE], [0xFE, 0xFF]] as [[UInt8]] {
            let other = #expect(throws: RouteDataProblem.self) { try XMLScanner(bytes: mark, maximumDepth: 9) }
            #expect(other?.reason == "the text is in UTF-16")
        }
        for name in ["UTF-8", "utf8", "US-ASCII", "ascii"] {
            #expect(problem("<?xml version='1.0' encoding='\(name)'?><a/>") == nil, "\(name)")
        }
        #expect(problem("<?xml version='1.0' encoding='UTF-16'?><a/>")?.reason == "the text says that it is in utf-16")
    }

    @Test func tagsAndNamesHaveTheirLimits() {
        let three = "<a><b/><c></c></a>"
        #expect(problem(three, maximumTags: 3) == nil)
        let found = problem(three, maximumTags: 2)
        #expect(found?.reason == "more than 2 tags" && found?.column == 8)
        for (count, isRead) in [(256, true), (257, false)] {
            let name = String(repeating: "n", count: count)
            #expect((problem("<\(name)/>") == nil) == isRead)
            #expect(problem("<\(name)/>")?.reason == (isRead ? nil : "a name of more than 256 bytes"))
        }
    }

    @Test func aLongCommentIsRefusedWithItsLimit() {
        // GIVEN a comment of 100 kB and one of a megabyte THEN the first is read, and the limit is told of the other
        let words = "a name, tag or comment of more than 262144 bytes"
        for (count, reason) in [(100_000, nil), (1_000_000, words)] as [(Int, String?)] {
            let found = problem("<a><!--\(String(repeating: "x", count: count))--></a>")
            #expect(found?.reason == reason)
        }
    }

    @Test func aPrefixIsNoPartOfAName() throws {
        let text = "<x:a y:b='1' c='2'> t <z:d>u</z:d>v </x:a>"
        let scanner = try XMLScanner(bytes: Array(text.utf8), maximumDepth: 9)
        #expect(try scanner.next() == .start("a"))
        #expect(scanner.depth == 1 && scanner.eventOffset == 0)
        #expect(scanner.attribute("b") == "1" && scanner.attribute("c") == "2" && scanner.attribute("y") == nil)
        // AND a text is that of the element itself, without its children and the blanks around it
        #expect(try scanner.text() == "t v")
        #expect(scanner.depth == 0)
        #expect(try scanner.next() == .finished)
        #expect(scanner.eventOffset == text.utf8.count)
    }

    @Test func anElementIsSkippedToItsEnd() throws {
        let text = "<a><b><c>x</c><c/></b><d e='1'/></a>"
        let scanner = try XMLScanner(bytes: Array(text.utf8), maximumDepth: 9)
        _ = try scanner.next()
        #expect(try scanner.next() == .start("b"))
        try scanner.skipElement()
        #expect(scanner.depth == 1)
        #expect(try scanner.next() == .start("d"))
        #expect(scanner.depth == 2 && scanner.attribute("e") == "1")
        #expect(try scanner.next() == .end)
        #expect(try scanner.next() == .end)
        #expect(try scanner.next() == .finished)
    }
}
