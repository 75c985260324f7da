import Testing

@testable import Roads

/// The texts of a point in a file, to the byte.
@Suite struct PointDetailsTests {
    /// Details whose texts and categories are all different.
    private static var full: PointDetailsCoder.Fields {
        var fields = PointDetailsCoder.Fields()
        (fields.id, fields.title, fields.text, fields.address) = ("i", "Tü", "abc", "Road 1")
        (fields.phone, fields.website, fields.image) = ("+43 1", "w.at", "p.png")
        fields.categories = [1, 258, 0xFFFE]
        return fields
    }

    @Test func detailsHaveTheirBytes() {
        // GIVEN details WHEN encoded THEN each text follows its length in two bytes, then the categories
        func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count), 0] + Array(text.utf8) }
        let texts = ["i", "Tü", "abc", "Road 1", "+43 1", "w.at", "p.png"].flatMap { text($0) }
        let expected = texts + [3, 1, 0, 2, 1, 0xFE, 0xFF]
        #expect(PointDetailsCoder.bytes(Self.full) == expected)
        #expect(PointDetailsCoder.bytes(.init()) == [UInt8](repeating: 0, count: 15))
        // WHEN read at their place THEN they are the same, and what is cut off is empty
        let padded = [9, 9, 9] + expected + [7]
        func read(_ bytes: [UInt8], at place: Int) -> PointDetailsCoder.Fields {
            PointDetailsCoder.read(at: place) { bytes.indices.contains($0) ? bytes[$0] : nil }
        }
        #expect(read(padded, at: 3) == Self.full)
        var cut = Self.full
        cut.categories = [1, 258]
        #expect(read(Array(expected.dropLast()), at: 0) == cut)
        #expect(read(expected, at: expected.count) == .init())
        cut.categories = []
        #expect(read(texts, at: 0) == cut)
    }

    @Test(arguments: [
        (String(repeating: "x", count: 1999), 1999), (String(repeating: "x", count: 2000), 2000),
        (String(repeating: "x", count: 2001), 2000), (String(repeating: "x", count: 300), 300),
        // Characters of two, three and four bytes, which end with the limit or go beyond it.
        (String(repeating: "x", count: 1999) + "ü", 1999), (String(repeating: "x", count: 1997) + "€€", 2000),
        (String(repeating: "x", count: 1999) + "€", 1999), (String(repeating: "x", count: 1996) + "😀x", 2000),
        (String(repeating: "x", count: 1997) + "😀", 1997), (String(repeating: "x", count: 1998) + "😀", 1998),
        (String(repeating: "x", count: 1990) + "ü", 1992), (String(repeating: "x", count: 1998) + "ü", 2000),
    ])
    func aTextHasTwoThousandBytesAndWholeCharacters(text: String, kept: Int) {
        var fields = PointDetailsCoder.Fields()
        fields.title = text
        let bytes = PointDetailsCoder.bytes(fields)
        #expect(Int(bytes[2]) | Int(bytes[3]) << 8 == kept && bytes.count == 15 + kept)
        let read = PointDetailsCoder.read(at: 0) { bytes.indices.contains($0) ? bytes[$0] : nil }
        #expect(Array(read.title.utf8) == Array(text.utf8.prefix(kept)))
    }

    @Test func aLengthBeyondTheLimitEndsTheDetails() {
        // GIVEN a title whose length is just beyond the limit THEN it and what follows it are empty
        for (length, isRead) in [(2000, true), (2001, false)] {
            let bytes = [1, 0, 65, UInt8(length & 0xFF), UInt8(length >> 8)] + [UInt8](repeating: 66, count: 2001)
            let read = PointDetailsCoder.read(at: 0) { bytes.indices.contains($0) ? bytes[$0] : nil }
            #expect(read.id == "A" && read.title.utf8.count == (isRead ? 2000 : 0) && read.text.isEmpty)
        }
    }

    @Test func aPointHasAtMostThirtyTwoCategories() {
        var fields = PointDetailsCoder.Fields()
        fields.categories = (0..<40).map { UInt16($0 * 300) }
        let bytes = PointDetailsCoder.bytes(fields)
        #expect(bytes.count == 14 + 1 + 64 && bytes[14] == 32)
        // A file that says more has no more.
        let more = Array(bytes.prefix(14)) + [40] + fields.categories.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let read = PointDetailsCoder.read(at: 0) { more.indices.contains($0) ? more[$0] : nil }
        #expect(read.categories == Array(fields.categories.prefix(32)))
    }
}
