import Testing

@testable import Publishing

@Suite struct LineCollectorTests {
    @Test func linesComeWholeHoweverTheyAreCut() {
        // GIVEN lines, an empty one and a Windows one among them; WHEN they come in pieces of every size; THEN the same
        // lines come out.
        let text = Array("first\n\n{\"cmd\":\"ping\"}\r\nlast one\nrest".utf8)
        for size in 1...text.count {
            var collector = LineCollector()
            var lines: [String] = []
            for begin in stride(from: 0, to: text.count, by: size) {
                let added = text[begin..<min(begin + size, text.count)].withUnsafeBytes { collector.add($0) }
                #expect(added)
                while let line = collector.next() { lines.append(String(decoding: line, as: UTF8.self)) }
            }
            #expect(lines == ["first", "", "{\"cmd\":\"ping\"}", "last one"])
            // The rest is kept until its end arrives.
            let added = [UInt8(0x0A)].withUnsafeBytes { collector.add($0) }
            #expect(added && collector.next().map { String(decoding: $0, as: UTF8.self) } == "rest")
        }
    }

    @Test func aLineWithoutEndIsRefusedAtTheBound() {
        var collector = LineCollector()
        let chunk = [UInt8](repeating: 0x20, count: 65_536)
        var taken = 0
        while chunk.withUnsafeBytes({ collector.add($0) }), taken < 1000 {
            #expect(collector.next() == nil)
            taken += 1
        }
        #expect(taken == LineCollector.longestLine / 65_536)
    }
}
