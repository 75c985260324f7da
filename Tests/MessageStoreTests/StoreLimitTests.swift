import Foundation
import Testing

@testable import MessageStore

/// The store at its limit, and on a disk that takes nothing.
@Suite struct StoreLimitTests {
    @Test func theOldestAreThinnedFirstAndEventsStay() throws {
        // GIVEN a store of 2 MiB, and messages of 6 MiB of which every hundredth is an event
        let folder = try StoreFolder()
        var store = try MessageStore(folder: folder.path, limit: 2 << 20)
        let total = 25_000
        for index in 0..<total {
            store.append(numbered(index, isThinnable: index % 100 != 0, padding: 400))
            if index % 1000 == 0 { #expect(folder.size <= 2 << 20) }
        }
        #expect(folder.size <= 2 << 20)
        let thinned = Int(store.counters.thinned)
        // WHEN they are delivered THEN they are in order, the newest are whole, the oldest thinner than the newest, and
        // every event is there
        let numbers = store.drain()
        #expect(numbers == numbers.sorted() && numbers.count + thinned == total && thinned > 0)
        #expect(Set(numbers).isSuperset(of: stride(from: 0, to: total, by: 100)))
        #expect(numbers.suffix(400) == Array((total - 400)..<total)[...])
        let oldHalf = numbers.count { $0 < total / 2 }
        #expect(oldHalf < numbers.count / 2)
        // The oldest are not lost either: the gaps are at most those of some halvings.
        let gaps = zip(numbers, numbers.dropFirst()).map { $1 - $0 }
        #expect((gaps.max() ?? 0) <= 32)
    }

    @Test func aLimitOfNothingIsThatOfFourFiles() throws {
        // GIVEN a store that may have a byte WHEN it gets 800 kB THEN it keeps them, because four files always fit
        let folder = try StoreFolder()
        var store = try MessageStore(folder: folder.path, limit: 1)
        for index in 0..<2000 { store.append(numbered(index, padding: 400)) }
        #expect(store.counters.thinned == 0)
        #expect(store.drain() == Array(0..<2000))
    }

    @Test func aDayOffLineAtOneHertzFits() throws {
        // GIVEN 24 hours with a pose and guidance per second, as posed writes them, with numbers that change
        let folder = try StoreFolder()
        var store = try MessageStore(folder: folder.path, limit: 64 << 20)
        for second in 0..<86_400 {
            store.append(LineSample.pose(second))
            store.append(LineSample.guidance(second))
        }
        // THEN all are kept in 64 MiB
        #expect(store.counters.thinned == 0)
        #expect(folder.size <= 64 << 20, "\(folder.size)")
        print("24 h at 1 Hz: \(folder.size / 1024) KiB on the disk")
        // WHEN they are delivered THEN all come in order
        var count = 0
        var isInOrder = true
        while let next = store.take() {
            if number(of: next.message) != count / 2 { isInOrder = false }
            count += 1
            store.acknowledge(next.place)
        }
        #expect(isInOrder && count == 172_800)
    }

    @Test func aDiskThatTakesNothingIsCountedAndDoesNotGrowTheMemory() throws {
        // GIVEN a store whose folder has gone, so that no file can be created
        let folder = try StoreFolder()
        let place = "\(folder.path)/messages"
        var store = try MessageStore(folder: place, limit: 4 << 20)
        try FileManager.default.removeItem(atPath: place)
        // WHEN more messages arrive than a file holds THEN the oldest are thinned, the newest stay, and it is counted
        for index in 0..<5000 { store.append(numbered(index)) }
        #expect(store.counters.failedWrites > 0 && store.counters.thinned > 0)
        #expect(store.diskSize < 400_000)
        let numbers = store.drain()
        #expect(numbers == numbers.sorted() && numbers.last == 4999)
    }

    @Test func aFileThatCannotBeThinnedKeepsWhatItHas() throws {
        // GIVEN a disk without room for a second file: folders have the names under which new content is written
        let folder = try StoreFolder()
        let (closing, thinning) = ("00000000000000000001-0.closed.new", "open-2.new")
        for name in [closing, thinning] {
            try FileManager.default.createDirectory(atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
        }
        // WHEN the open file is thinned, and some more messages come
        var store = try MessageStore(folder: folder.path, limit: 4 << 20)
        var count = 0
        while store.counters.thinned == 0 {
            store.append(numbered(count))
            count += 1
        }
        let thinned = store.counters.thinned
        for _ in 0..<10 {
            store.append(numbered(count))
            count += 1
        }
        // THEN a program that is started now finds all that was written before
        #expect(store.counters.failedWrites >= 11 && store.problem != nil)
        let copy = try StoreFolder()
        try copy.write(try folder.bytes("open-2"), to: "open-2")
        var other = try MessageStore(folder: copy.path, limit: 4 << 20)
        #expect(other.drain() == Array(0..<(count - 10)))
        // WHEN there is room again THEN the next message takes the others with it, and nothing else is left
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(thinning)")
        store.append(numbered(count))
        #expect(store.problem == nil)
        #expect(folder.names == [closing, "open-2"])
        let left = StoreSegment(records: Array(try folder.bytes("open-2")))
        #expect(left.count == count + 1 - Int(thinned))
        let numbers = store.drain()
        #expect(numbers.suffix(11) == Array((count - 10)...count)[...] && numbers == numbers.sorted())
        #expect(numbers.count == count + 1 - Int(thinned))
    }

    @Test func newContentOfAKilledProgramGoes() throws {
        // GIVEN new content that a killed program has left, and a file of another program
        let folder = try StoreFolder()
        for name in ["open-7.new", "00000000000000000003-1.closed.new", "notes.new"] {
            try folder.write(Data("half".utf8), to: name)
        }
        // WHEN the store is opened THEN its own are gone
        _ = try MessageStore(folder: folder.path, limit: 4 << 20)
        #expect(folder.names == ["notes.new", "open-1"])
    }

    @Test func whatIsOnItsWayWhileFilesAreThinnedIsNotAcknowledgedTwice() throws {
        // GIVEN messages of which the first are on their way
        let folder = try StoreFolder()
        var store = try MessageStore(folder: folder.path, limit: 1 << 20)
        for index in 0..<100 { store.append(numbered(index, padding: 400)) }
        let places = (0..<50).compactMap { _ in store.take()?.place }
        // WHEN so many follow that files are thinned, and then the first are acknowledged
        for index in 100..<20_000 { store.append(numbered(index, padding: 400)) }
        #expect(store.counters.thinned > 0)
        for place in places { store.acknowledge(place) }
        // THEN the next one is the one after them, since the file that is being delivered is not thinned
        #expect(store.drain().prefix(10) == Array(50..<60)[...])
    }
}

/// Lines as posed writes them: the names stay, the numbers change in every digit.
private enum LineSample {
    static func pose(_ second: Int) -> StoredMessage {
        var random = Numbers(seed: second)
        let names = [
            "lat_deg", "lon_deg", "alt_hae_m", "alt_msl_m", "course_deg", "roll_deg", "pitch_deg", "heading_deg",
            "heading_magnetic_deg", "tilt_sigma_deg", "heading_sigma_deg", "heading_magnetic_sigma_deg",
            "heading_trim_deg", "turn_rate_deg_s", "slip_m_s2", "fix_age_s",
        ]
        let vectors = [
            "sigma_enu_m", "enu_m", "vel_enu_m_s", "vel_sigma_enu_m_s", "accel_enu_m_s2", "q_enu_body",
            "rate_body_rad_s", "accel_body_m_s2", "gravity_body", "reset_delta_enu_m", "glide_enu_m",
        ]
        var text =
            "\(second) {\"type\":\"frame\",\"seq\":\(second * 10),\"t_s\":\(random.next()),\"utc_s\":\(random.next())"
        text += ",\"measured_s\":\(random.next()),\"published_s\":\(random.next()),\"simulated\":true,\"pose\":{"
        text += names.map { "\"\($0)\":\(random.next())" }.joined(separator: ",")
        text +=
            ","
            + vectors.map { "\"\($0)\":[\(random.next()),\(random.next()),\(random.next())]" }.joined(separator: ",")
        text += ",\"standing_still\":false,\"blending\":false,\"fix_mode\":3,\"satellites_used\":12,\"reset_count\":0}"
        return StoredMessage(channel: 1, isThinnable: true, payload: Array(text.utf8))
    }

    static func guidance(_ second: Int) -> StoredMessage {
        var random = Numbers(seed: -second - 1)
        let names = [
            "progress_m", "cross_track_m", "segment_bearing_deg", "distance_to_turn_m", "straight_distance_to_turn_m",
            "turn_angle_deg", "distance_left_m", "time_left_s", "age_s", "speed_m_s", "limit_m_s", "ratio",
            "next_limit_distance_m", "curve_speed_m_s", "curve_distance_m", "indicated_m_s",
        ]
        let text =
            "\(second) {\"type\":\"frame\",\"guidance\":{"
            + names.map { "\"\($0)\":\(random.next())" }.joined(separator: ",") + "}}"
        return StoredMessage(channel: 2, isThinnable: true, payload: Array(text.utf8))
    }

    /// Numbers with seven random digits: those of posed have 4 to 9.
    private struct Numbers {
        var state: UInt64

        init(seed: Int) { state = UInt64(bitPattern: Int64(seed)) &* 0x9E37_79B9_7F4A_7C15 }

        mutating func next() -> String {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let digits = String(10_000_000 + (state >> 20) % 10_000_000)
            return digits.prefix(3) + "." + digits.suffix(5)
        }
    }
}
