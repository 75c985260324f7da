import Foundation
import SeededNumbers
import Testing

@testable import MessageStore

/// Sizes of messages and files at their limits, and files that cannot be thinned.
@Suite struct StoreBoundsTests {
    /// A message whose record has a number of bytes and cannot be compressed; it begins with its number.
    private func packed(_ number: Int, recordBytes: Int = 8192, isThinnable: Bool = true) -> StoredMessage {
        var random = SplitMix64(seed: UInt64(number))
        var payload = Array("\(number) ".utf8)
        while payload.count < recordBytes - 12 { payload.append(UInt8(truncatingIfNeeded: random.next())) }
        return StoredMessage(channel: 3, isThinnable: isThinnable, payload: payload)
    }

    private func block(_ name: String, in folder: StoreFolder) throws {
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/\(name).new", withIntermediateDirectories: false)
    }

    private func closed(_ folder: StoreFolder) -> [String] { folder.names.filter { $0.hasSuffix(".closed") } }

    private func name(_ number: Int, level: Int) -> String { "0000000000000000000\(number)-\(level).closed" }

    @Test func aMessageHas128KibibytesAtMost() throws {
        // GIVEN messages of the largest size and of one byte more WHEN they are appended THEN only the first one waits
        let folder = try StoreFolder()
        var store = try MessageStore(folder: folder.path, limit: 4 << 20)
        let isTaken = [131_072, 131_073].map { count in
            store.append(StoredMessage(channel: 1, isThinnable: false, payload: [UInt8](repeating: 7, count: count)))
        }
        #expect(isTaken == [true, false] && store.counters.appended == 1 && !store.isEmpty)
        let (first, second) = (store.take(), store.take())
        #expect(first?.message.payload.count == 131_072 && first?.message.channel == 1 && second == nil)
        #expect(first?.message.isThinnable == false && store.diskSize == 131_084)
    }

    @Test(arguments: [(131_059, false), (131_060, true)])
    func aFileIsClosedFrom256KibibytesOn(payload: Int, isClosed: Bool) throws {
        // GIVEN a record of 131072 bytes, and another one whose payload makes 262143 or 262144 of both
        let folder = try StoreFolder()
        var store = try MessageStore(folder: folder.path, limit: 4 << 20)
        store.append(packed(1, recordBytes: 131_072))
        store.append(packed(2, recordBytes: payload + 12))
        #expect(closed(folder) == (isClosed ? [name(1, level: 0)] : []))
        #expect(folder.names.last == (isClosed ? "open-2" : "open-1"))
        // THEN the size is that of the files, and both messages are there
        #expect(store.diskSize == folder.size && store.drain() == [1, 2])
    }

    @Test func theLargestFileIsReadAgain() throws {
        // GIVEN a file of 262143 bytes that a largest message closes, none of which can be compressed
        let folder = try StoreFolder()
        let messages = [131_084, 131_059, 131_084].enumerated().map { packed($0, recordBytes: $1) }
        do {
            var store = try MessageStore(folder: folder.path, limit: 4 << 20)
            for message in messages { store.append(message) }
        }
        #expect(closed(folder).count == 1 && folder.size > 393_227)
        // WHEN another program opens the folder THEN all three are there, byte by byte
        var store = try MessageStore(folder: folder.path, limit: 4 << 20)
        #expect(store.counters.recovered == 3 && store.diskSize == folder.size)
        let read = (0..<4).map { _ in store.take()?.message }
        #expect(read == messages + [nil] && store.counters.damaged == 0)
    }

    @Test(arguments: 1...3) func aDamagedFileTakesNoOtherOneWithIt(damaged: Int) throws {
        // GIVEN three closed files of 32 messages each, one of which is damaged
        let folder = try StoreFolder()
        do {
            var store = try MessageStore(folder: folder.path, limit: 4 << 20)
            for number in 0..<96 { store.append(packed(number)) }
        }
        #expect(closed(folder) == (1...3).map { name($0, level: 0) })
        try folder.write(Data("damaged".utf8), to: name(damaged, level: 0))
        // WHEN another program opens the folder THEN the messages of both others come, and the damage is counted once
        var store = try MessageStore(folder: folder.path, limit: 4 << 20)
        let lost = (32 * damaged - 32)..<(32 * damaged)
        #expect(store.drain() == (0..<96).filter { !lost.contains($0) })
        #expect(store.counters.damaged == 1 && closed(folder).isEmpty)
    }

    /// Puts a link that leads to itself in the place of a file, which cannot be opened then; returns where the file is.
    private func hide(_ name: String, in folder: StoreFolder) throws -> String {
        let (file, aside) = ("\(folder.path)/\(name)", "\(folder.path)/aside")
        try FileManager.default.moveItem(atPath: file, toPath: aside)
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: file)
        return aside
    }

    @Test func aFileThatCannotBeOpenedNowIsWaitedFor() throws {
        // GIVEN two closed files, of which the first one cannot be opened for a while
        let folder = try StoreFolder()
        do {
            var store = try MessageStore(folder: folder.path, limit: 4 << 20)
            for number in 0..<64 { store.append(packed(number)) }
        }
        var store = try MessageStore(folder: folder.path, limit: 4 << 20)
        let aside = try hide(name(1, level: 0), in: folder)
        // WHEN messages are taken THEN no later one comes before it, and it does not count as damaged
        let early = store.take()?.message
        #expect(early == nil && store.problem != nil && !store.isEmpty)
        #expect(store.counters.damaged == 0 && closed(folder) == [name(1, level: 0), name(2, level: 0)])
        // WHEN it can be opened again THEN all come in their order
        #expect(rename(aside, "\(folder.path)/\(name(1, level: 0))") == 0)
        #expect(store.drain() == Array(0..<64) && store.counters.damaged == 0)
    }

    @Test func aFileThatCannotBeOpenedNowIsNotThinned() throws {
        // GIVEN a store with the least limit, whose second file cannot be opened for a while WHEN it would be thinned
        let folder = try StoreFolder()
        var store = try MessageStore(folder: folder.path, limit: 1)
        for number in 0..<64 { store.append(packed(number)) }
        let aside = try hide(name(2, level: 0), in: folder)
        for number in 64..<96 { store.append(packed(number)) }
        // THEN it stays, and the newest messages are thinned in its place
        #expect(store.counters.damaged == 0 && store.counters.thinned == 16 && store.counters.failedWrites == 1)
        #expect(rename(aside, "\(folder.path)/\(name(2, level: 0))") == 0)
        let numbers = store.drain()
        #expect(numbers == Array(0..<64) + stride(from: 64, to: 96, by: 2))
    }

    @Test func theHeadOfAFileTellsItsMessages() throws {
        // GIVEN a closed file WHEN its first 16 bytes are read THEN they tell the number of its messages; fewer do not
        var segment = StoreSegment()
        for number in 0..<50 { segment.append(packed(number, recordBytes: 40)) }
        let file = try #require(segment.closed)
        #expect(StoreSegment.count(head: Array(file.prefix(16))) == 50 && StoreSegment.count(head: file) == 50)
        #expect(StoreSegment.count(head: Array(file.prefix(15))) == 0)
        #expect(StoreSegment.count(head: [0] + file.dropFirst()) == 0)
        #expect(StoreSegment(closed: file)?.count == 50 && StoreSegment(closed: file.dropLast()) == nil)
    }

    @Test func whatMayNotBeLeftOutGoesAFileAtATime() throws {
        // GIVEN a store of 2 MiB in which the first message waits for its delivery WHEN ten files of events come, of 32
        // messages each, of which six fit
        let folder = try StoreFolder()
        var store = try MessageStore(folder: folder.path, limit: 2 << 20)
        for number in 0..<320 { store.append(packed(number, isThinnable: false)) }
        // THEN the oldest files behind it are gone, and none of the others is marked as thinned
        #expect(closed(folder) == [1, 6, 7, 8, 9].map { name($0, level: 0) } + ["00000000000000000010-0.closed"])
        #expect(store.counters.thinned == 4 * 32)
        #expect(store.drain() == Array(0..<32) + Array(160..<320))
    }

    @Test func aFileThatCannotBeThinnedIsGivenUp() throws {
        // GIVEN a disk that does not take the second file when it is thinned WHEN the store is full
        let folder = try StoreFolder()
        var store = try MessageStore(folder: folder.path, limit: 2 << 20)
        try block(name(2, level: 1), in: folder)
        for number in 0..<224 { store.append(packed(number)) }
        // THEN that file is gone, which is counted, and every other one is whole
        #expect(store.counters.failedWrites == 1 && store.counters.thinned == 32)
        #expect(closed(folder) == [1, 3, 4, 5, 6, 7].map { name($0, level: 0) })
        #expect(store.drain() == Array(0..<32) + Array(64..<224))
    }

    @Test func filesThatCannotBeJoinedStayApart() throws {
        // GIVEN a store with room for six and a half files, whose second file was thinned
        let folder = try StoreFolder()
        var store = try MessageStore(folder: folder.path, limit: (2 << 20) + 100_000)
        for number in 0..<224 { store.append(packed(number)) }
        #expect(closed(folder) == [name(1, level: 0), name(2, level: 1)] + (3...7).map { name($0, level: 0) })
        #expect(store.counters.thinned == 16)
        // WHEN the third one is thinned too, and the disk does not take both in one file
        try block(name(2, level: 1), in: folder)
        for number in 224..<256 { store.append(packed(number)) }
        #expect(store.counters.failedWrites == 1 && closed(folder).contains(name(3, level: 1)))
        // THEN no message is lost but those that were counted, and the order is that of before
        let (thinned, numbers) = (Int(store.counters.thinned), store.drain())
        #expect(numbers.count + thinned == 256 && numbers == numbers.sorted())
        #expect(numbers.contains(64) && numbers.prefix(32) == Array(0..<32)[...])
    }

    @Test func aDamagedFileIsNotJoinedAndTakesNoOtherOneWithIt() throws {
        // GIVEN a store with room for six and a half files, whose second file was thinned, and is damaged since
        let folder = try StoreFolder()
        var store = try MessageStore(folder: folder.path, limit: (2 << 20) + 100_000)
        for number in 0..<224 { store.append(packed(number)) }
        #expect(closed(folder) == [name(1, level: 0), name(2, level: 1)] + (3...7).map { name($0, level: 0) })
        try folder.write(Data("damaged".utf8), to: name(2, level: 1))
        // WHEN the third one is thinned too, which would make one file of both
        for number in 224..<256 { store.append(packed(number)) }
        // THEN only the damaged one is gone, and every other one is known by its name
        #expect(store.counters.damaged == 1 && store.counters.thinned == 32)
        #expect(closed(folder) == [name(1, level: 0), name(3, level: 1)] + (4...8).map { name($0, level: 0) })
        #expect(store.diskSize == folder.size)
        let numbers = store.drain()
        #expect(numbers == Array(0..<32) + stride(from: 64, to: 96, by: 2) + Array(96..<256))
    }

    @Test func whatWaitsInClosedFilesComesBeforeAThinnedOpenOne() throws {
        // GIVEN a closed file, and a disk that takes no second one
        let folder = try StoreFolder()
        var store = try MessageStore(folder: folder.path, limit: 2 << 20)
        try block(name(2, level: 0), in: folder)
        // WHEN the open file is thinned, because it cannot be closed
        for number in 0..<64 { store.append(packed(number)) }
        #expect(store.counters.thinned == 16 && closed(folder) == [name(1, level: 0)])
        // THEN the messages of the closed file come first, and all are acknowledged
        let numbers = store.drain()
        #expect(numbers == Array(0..<32) + stride(from: 32, to: 64, by: 2))
        #expect(store.isEmpty && store.counters.acknowledged == 48 && closed(folder).isEmpty)
    }

    @Test func theLeastLimitIsThatOfFourFiles() throws {
        // GIVEN a store with the least limit, a mebibyte WHEN two files were closed and the open one is nearly full
        let folder = try StoreFolder()
        var store = try MessageStore(folder: folder.path, limit: 1)
        for number in 0..<95 { store.append(packed(number)) }
        // THEN nothing is left out
        #expect(store.counters.thinned == 0 && closed(folder).count == 2)
        // WHEN the third one is closed THEN the second one is thinned
        store.append(packed(95))
        #expect(store.counters.thinned > 0)
        let numbers = store.drain()
        #expect(numbers.prefix(32) == Array(0..<32)[...] && numbers.suffix(32) == Array(64..<96)[...])
    }

    @Test func aFileThatWasThinnedTenTimesIsGivenUp() throws {
        // GIVEN two closed files, of which the second one was thinned ten times
        let folder = try StoreFolder()
        do {
            var store = try MessageStore(folder: folder.path, limit: 4 << 20)
            for number in 0..<64 { store.append(packed(number)) }
        }
        try FileManager.default.moveItem(
            atPath: "\(folder.path)/\(name(2, level: 0))", toPath: "\(folder.path)/\(name(2, level: 10))")
        // WHEN it is to be thinned once more THEN it goes as a whole
        var store = try MessageStore(folder: folder.path, limit: 1)
        for number in 64..<96 { store.append(packed(number)) }
        #expect(store.counters.thinned == 32 && closed(folder) == [name(1, level: 0), name(3, level: 0)])
        let numbers = store.drain()
        #expect(numbers == Array(0..<32) + Array(64..<96))
    }

    @Test func theOlderHalfGoesWhereNothingElseMay() throws {
        // GIVEN messages that may not be left out one by one, and a file that cannot be closed WHEN it is full
        let folder = try StoreFolder()
        var store = try MessageStore(folder: folder.path, limit: 2 << 20)
        try block(name(1, level: 0), in: folder)
        for number in 0..<32 { store.append(packed(number, isThinnable: false)) }
        // THEN its newer half is kept
        #expect(store.counters.thinned == 16 && store.counters.failedWrites == 1)
        let numbers = store.drain()
        #expect(numbers == Array(16..<32))
    }

    @Test func anEmptyMessageIsReadAgain() throws {
        // GIVEN an empty message at the end of a file WHEN the store is opened again THEN it is there
        let folder = try StoreFolder()
        let messages = [packed(1, recordBytes: 100), StoredMessage(channel: 5, isThinnable: true, payload: [])]
        do {
            var store = try MessageStore(folder: folder.path, limit: 4 << 20)
            for message in messages { store.append(message) }
        }
        var store = try MessageStore(folder: folder.path, limit: 4 << 20)
        #expect(store.counters.recovered == 2 && store.counters.damaged == 0)
        let read = (0..<3).map { _ in store.take()?.message }
        #expect(read == messages + [nil])
    }

    @Test(arguments: [("open-9223372036854775806", true), ("open-9223372036854775807", false)])
    func anOpenFileIsContinuedIfAnotherOneCanFollowIt(name: String, isContinued: Bool) throws {
        // GIVEN a file with a number WHEN the store is opened THEN it is the open one, or it is left alone
        let folder = try StoreFolder()
        try folder.write(Data(), to: name)
        _ = try MessageStore(folder: folder.path, limit: 4 << 20)
        #expect(folder.names == (isContinued ? [name] : ["open-1", name]))
    }

    @Test func anAcknowledgementCountsOnceAndForAllBefore() throws {
        // GIVEN ten messages that were given out WHEN the third is acknowledged twice, and the first after it THEN that
        // is one delivery, and the fourth is the next one to be given out again
        let folder = try StoreFolder()
        var store = try MessageStore(folder: folder.path, limit: 4 << 20)
        for number in 0..<10 { store.append(packed(number, recordBytes: 100)) }
        let places = (0..<10).compactMap { _ in store.take()?.place }
        #expect(places == places.sorted() && Set(places).count == 10)
        for index in [2, 2, 0] { store.acknowledge(places[index]) }
        store.rewind()
        #expect(store.counters.acknowledged == 1 && store.drain() == Array(3..<10))
        #expect(store.counters.acknowledged == 8 && store.isEmpty && store.diskSize == 0)
    }

    @Test func onlyNamesOfTheStoreAreRead() {
        // GIVEN names that differ in a part THEN only those with 20 digits and a level from 0 to 10 are the store's
        func read(_ name: String) -> ClosedSegment? { ClosedSegment(name: name, diskSize: 5) }
        let zeros = String(repeating: "0", count: 19)
        #expect(read("\(zeros)7-0.closed") == ClosedSegment(number: 7, level: 0, diskSize: 5))
        #expect(read("\(zeros)7-10.closed")?.level == 10 && ClosedSegment.name(7, level: 10) == "\(zeros)7-10.closed")
        #expect(read("09223372036854775806-1.closed")?.number == 9_223_372_036_854_775_806)
        for name in [
            "\(zeros)7-11.closed", "\(zeros)7-01.closed", "\(zeros)-0.closed",
            "0\(zeros)7-0.closed", "\(zeros)7-0.open", "\(zeros)7-0.closed.x", "\(zeros)7.closed", "\(zeros)x-0.closed",
            "09223372036854775807-1.closed", "99999999999999999999-0.closed",
        ] { #expect(read(name) == nil, "\(name)") }
    }

    @Test func theOldestThatLostLeastIsThinnedNext() {
        func next(_ levels: [Int], from first: Int = 0) -> Int? {
            let files = levels.enumerated().map { ClosedSegment(number: UInt64($0), level: $1, diskSize: 1) }
            return StoreThinning.next(files, from: first)
        }
        // GIVEN levels of files from the oldest on THEN the first whose share is larger than that before it is thinned
        #expect(next([0, 0, 0]) == 0 && next([1, 0, 0]) == 1 && next([1, 1, 0]) == 2 && next([1, 1, 1]) == 0)
        // AND what is being delivered does not count
        #expect(next([0, 1, 0], from: 1) == 2 && next([9, 1, 1], from: 1) == 1)
        #expect(next([1, 0], from: 2) == nil && next([]) == nil)
    }
}
