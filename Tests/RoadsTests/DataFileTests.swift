import Testing

@testable import Roads

/// Bytes of a file in memory.
private final class Memory: ByteRegion {
    private let start: UInt
    private let count: Int

    init(_ content: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count, alignment: 8)
        copy.copyBytes(from: content)
        (start, count) = (UInt(bitPattern: copy.baseAddress), content.count)
    }

    deinit { UnsafeMutableRawPointer(bitPattern: start)?.deallocate() }

    var bytes: UnsafeRawBufferPointer { .init(start: UnsafeRawPointer(bitPattern: start), count: count) }

    /// All bytes as records of one section.
    func records<Record: BitwiseCopyable>(of record: Record.Type) throws -> Records<Record> {
        let section = DataFile.Section(
            kind: 1, checksum: 0, offset: 0, length: UInt64(count), recordBytes: UInt32(MemoryLayout<Record>.size))
        return try #require(Records<Record>(self, section))
    }
}

/// Texts and the tree of boxes in the sections of a data file.
@Suite struct DataFileTests {
    @Test func textsAreReadInTheirOrder() throws {
        // GIVEN three texts, each after its length, the last one cut off
        let memory = Memory([9] + [3] + Array("Rue".utf8) + [0] + [6] + Array("Mühle".utf8) + [3] + Array("ab".utf8))
        let bytes = try memory.records(of: UInt8.self)
        // WHEN they are read one after the other THEN each has its letters, and the next one follows
        let first = try #require(bytes.text(at: 1))
        #expect(first.text == "Rue" && first.end == 5)
        let empty = try #require(bytes.text(at: 5))
        #expect(empty.text.isEmpty && empty.end == 6)
        let last = try #require(bytes.text(at: 6))
        #expect(last.text == "Mühle" && last.end == 13)
        // AND one that is not complete, or beyond an end, is none
        for place in [13, 16, 100, -1] { #expect(bytes.text(at: place) == nil, "\(place)") }
        withExtendedLifetime(memory) {}
    }

    /// A tree over leaves that are 10 m long, one after the other.
    private func boxes(of leaves: [QuantizedBox], fanOut: Int) throws -> Memory {
        var (all, level): ([QuantizedBox], [QuantizedBox]) = ([], leaves)
        while level.count > 1 {
            level = stride(from: 0, to: level.count, by: fanOut).map { start in
                var box = QuantizedBox()
                for child in level[start..<min(start + fanOut, level.count)] { box.include(child) }
                return box
            }
            all += level
        }
        return Memory(all.withUnsafeBytes { Array($0) })
    }

    @Test(arguments: [1, 2, 3, 4, 9, 10, 27, 50]) func theTreeFindsEveryLeafNearAPlace(count: Int) throws {
        // GIVEN a tree of one to four levels over leaves on a line
        let leaves = (0..<count).map { leaf in
            var box = QuantizedBox()
            for x in [leaf * 10, leaf * 10 + 8] { box.include(QuantizedPoint(meters: .init(Double(x), 0, 0))) }
            return box
        }
        let memory = try boxes(of: leaves, fanOut: 3)
        let tree = try BoxTree(memory.records(of: QuantizedBox.self), leafCount: count, fanOut: 3)
        func found(_ x: Double, _ reach: Double) -> [Int] {
            var numbers: [Int] = []
            tree.visit(QuantizedBox(around: .init(x, 0, 0), reachMeters: reach)) { numbers.append($0) }
            return numbers
        }
        // WHEN a place is asked for that all are near THEN each comes once, in the order of the file
        #expect(found(0, 1000) == Array(0..<count))
        for leaf in leaves.indices {
            // WHEN it is within one leaf THEN that one comes, and besides it only those below the same box
            let near = found(Double(leaf) * 10 + 4, 1)
            #expect(near.contains(leaf) && near.allSatisfy { $0 / 3 == leaf / 3 }, "\(near)")
        }
        // AND far away there is none; a single leaf has no box above it
        #expect(found(5000, 10) == (count == 1 ? [0] : []))
        withExtendedLifetime(memory) {}
    }
}
