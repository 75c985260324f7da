import Foundation
import SeededNumbers
import Testing

@testable import MessageStore

@Suite struct MessageStoreTests {
    @Test func messagesComeOutInTheirOrderAndLeaveNothing() throws {
        // GIVEN messages for several files
        let folder = try StoreFolder()
        var store = try MessageStore(folder: folder.path, limit: 64 << 20)
        for index in 0..<5000 { store.append(numbered(index)) }
        #expect(folder.names.count(where: { $0.hasSuffix(".closed") }) >= 3)
        // WHEN they are taken and acknowledged THEN all come in their order, and one empty file is left
        #expect(store.drain() == Array(0..<5000))
        #expect(store.isEmpty && folder.names.count == 1 && folder.size == 0)
        #expect(store.counters.acknowledged == 5000 && store.counters.thinned == 0)
    }

    @Test func whatIsAcknowledgedSoonStaysOutOfTheDisk() throws {
        // GIVEN a link that works WHEN many messages pass THEN the file is never larger than one of them
        let folder = try StoreFolder()
        var store = try MessageStore(folder: folder.path, limit: 4 << 20)
        for index in 0..<3000 {
            store.append(numbered(index))
            #expect(folder.size < 400)
            #expect(store.drain() == [index])
        }
        #expect(folder.names == ["open-1"])
    }

    @Test func theOpenFileIsWrittenInItsPlace() throws {
        // GIVEN a store WHEN everything was delivered, or a file was closed THEN the next message goes into the file
        // that is there: another file each time would wear out the disk
        let folder = try StoreFolder()
        var store = try MessageStore(folder: folder.path, limit: 4 << 20)
        func identity(_ name: String) throws -> UInt64 {
            var status = stat()
            let found = stat("\(folder.path)/\(name)", &status)
            try #require(found == 0)
            return UInt64(status.st_ino)
        }
        store.append(numbered(0))
        let first = try identity("open-1")
        #expect(store.drain() == [0])
        store.append(numbered(1))
        #expect(try identity("open-1") == first)
        var count = 2
        while !folder.names.contains("open-2"), count < 5000 {
            store.append(numbered(count))
            count += 1
        }
        let second = try identity("open-2")
        store.append(numbered(count))
        #expect(try identity("open-2") == second)
        #expect(store.drain() == Array(1...count))
    }

    @Test func aRewindGivesOutAgainWhatIsNotAcknowledged() throws {
        // GIVEN ten messages of which seven were given out and three acknowledged
        let folder = try StoreFolder()
        var store = try MessageStore(folder: folder.path, limit: 4 << 20)
        for index in 0..<10 { store.append(numbered(index)) }
        let places = (0..<7).compactMap { _ in store.take()?.place }
        for place in places.prefix(3) { store.acknowledge(place) }
        // WHEN the connection is lost THEN the fourth is the next one
        store.rewind()
        #expect(store.drain() == Array(3..<10))
    }

    @Test func aKilledProgramLosesNothing() throws {
        // GIVEN messages in closed files and in the open one, some acknowledged
        let folder = try StoreFolder()
        do {
            var store = try MessageStore(folder: folder.path, limit: 64 << 20)
            for index in 0..<3000 { store.append(numbered(index)) }
            for _ in 0..<1500 { if let next = store.take() { store.acknowledge(next.place) } }
        }
        // WHEN another program opens the folder THEN every message that was not acknowledged comes, in order; of those
        // that were, at most the ones of one file come again
        var store = try MessageStore(folder: folder.path, limit: 64 << 20)
        #expect(store.counters.recovered >= 1500)
        store.append(numbered(3000))
        let numbers = store.drain()
        #expect(numbers.suffix(1501) == Array(1500...3000)[...])
        #expect(numbers == Array((3001 - numbers.count)...3000) && numbers.count < 3001)
    }

    @Test func aTornEndAndDamagedFilesAreLeftOut() throws {
        // GIVEN two closed files and an open one
        let folder = try StoreFolder()
        var total = 0
        do {
            var store = try MessageStore(folder: folder.path, limit: 64 << 20)
            while folder.names.count < 3 || total % 1000 != 0 {
                store.append(numbered(total))
                total += 1
            }
        }
        let closed = folder.names.filter { $0.hasSuffix(".closed") }
        let open = try #require(folder.names.first { $0.hasPrefix("open-") })
        // WHEN the first file is damaged, and the open one ends within a record
        var bytes = try folder.bytes(closed[0])
        bytes[bytes.count / 2] ^= 0x55
        try folder.write(bytes, to: closed[0])
        try folder.write(try folder.bytes(open).dropLast(17), to: open)
        var store = try MessageStore(folder: folder.path, limit: 64 << 20)
        // THEN the messages of the others come in order, but for the last one, and the damage is counted
        let numbers = store.drain()
        let first = try #require(numbers.first)
        #expect(first > 0 && numbers == Array(first..<(total - 1)))
        #expect(store.counters.damaged == 2)
    }

    @Test func foreignAndHostileFilesDoNoHarm() throws {
        // GIVEN a folder with files of others, and with names and contents that only look like the store's
        let folder = try StoreFolder()
        for (name, text) in [
            ("notes.txt", "mine"), ("open-x", "?"), ("00000000000000000001-0.closed", "POSEDMQ1"),
            ("00000000000000000002-99.closed", "?"), ("99999999999999999999-0.closed", "?"), ("open-3", "garbage"),
        ] { try folder.write(Data(text.utf8), to: name) }
        // WHEN the store is opened and used THEN it works, and the files of others are untouched
        var store = try MessageStore(folder: folder.path, limit: 4 << 20)
        store.append(numbered(1))
        #expect(store.drain() == [1])
        #expect(try folder.bytes("notes.txt") == Data("mine".utf8))
    }

    @Test func damageNeverTraps() throws {
        // GIVEN a closed file WHEN any bytes of it are changed THEN it is read or refused
        var segment = StoreSegment()
        for index in 0..<50 { segment.append(numbered(index)) }
        let file = try #require(segment.closed)
        var random = SplitMix64(seed: 7)
        for _ in 0..<3000 {
            var bytes = file
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random) / 8)
            if let read = StoreSegment(closed: bytes) { #expect(read.count <= 50) }
            let records = StoreSegment(records: bytes)
            #expect(records.bytes.count <= bytes.count)
        }
    }
}
