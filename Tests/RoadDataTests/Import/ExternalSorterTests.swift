import RoadMaps
import SeededNumbers
import Testing

@testable import RoadData

/// A number as a record.
private struct Number: Sortable, Equatable {
    var value: UInt64
    static func precedes(_ a: Self, _ b: Self) -> Bool { a.value < b.value }
}

@Suite struct ExternalSorterTests {
    @Test(arguments: [0, 1, 15, 16, 17, 1000]) func recordsComeBackInOrder(count: Int) throws {
        // GIVEN a sorter that keeps sixteen records in memory WHEN records are added THEN all come back in order
        let folder = ImportFolder()
        var random = SplitMix64(seed: 0x5027)
        let numbers = (0..<count).map { _ in Number(value: random.next()) }
        var sorter = ExternalSorter<Number>(folder: folder.path, memoryBytes: 0)
        for number in numbers { try sorter.append(number) }
        #expect(sorter.count == count)
        var sorted = try sorter.sorted()
        var found: [Number] = []
        while let number = try sorted.pop() { found.append(number) }
        #expect(found == numbers.sorted { $0.value < $1.value })
    }

    @Test func moreThanTheMemoryHoldsIsWrittenToTheDisk() throws {
        // GIVEN a folder that does not exist WHEN as many records are added as the memory holds, less one THEN they
        // need no file AND the next one does
        var sorter = ExternalSorter<Number>(folder: "/nonexistent/posed", memoryBytes: 0)
        for value in 0..<15 { try sorter.append(Number(value: UInt64(value))) }
        #expect(throws: ImportProblem.self) { try sorter.append(Number(value: 15)) }
    }
}
