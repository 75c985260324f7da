import CZlib
import RoutingProtocol
import Scenarios

@testable import Configuration
@testable import MessageStore
@testable import SavedState

/// Readers of files that posed has written or that its user has.
enum KeptReaders {
    /// Reads the bytes.
    static func read(_ target: FuzzTarget, _ bytes: [UInt8]) {
        switch target {
        case .settings: settings(bytes)
        case .scenario: _ = try? ScenarioReader.read(bytes: bytes, path: "fuzz.yaml")
        case .state: state(bytes)
        case .stateBody: state(bytes.prefix(1) + StateChecksum.closed(Array(bytes.dropFirst())))
        case .records: records(bytes)
        default: store(bytes)
        }
    }

    private static func settings(_ bytes: [UInt8]) {
        var reading = SettingsReading()
        reading.take(bytes, source: "fuzz")
        reading.checkTogether()
        if reading.problems.contains(where: \.text.isEmpty) { broken("a problem without words") }
    }

    /// The first byte chooses the kind of file.
    private static func state(_ bytes: [UInt8]) {
        let names = ["mount-1.json", "calibration-1.json", "sensors-1.json", "rest-1.json"]
        let kind = Int(bytes.first ?? 0) % names.count
        _ = SavedFile.problem(name: names[kind], bytes: Array(bytes.dropFirst()))
    }

    /// The records in pieces as they may arrive.
    private static func records(_ bytes: [UInt8]) {
        var (whole, pieces) = (RoutingRecordReader(), RoutingRecordReader())
        let expected = try? whole.append(bytes[...])
        var found: [RoutingRecord]? = []
        for byte in bytes {
            guard found != nil else { break }
            if let next = try? pieces.append([byte]) { found? += next } else { found = nil }
        }
        if expected != found { broken("the pieces of records are read differently") }
    }

    /// An even first byte: the file as it is. An odd one: records with right checksums, compressed.
    private static func store(_ bytes: [UInt8]) {
        var input = InputSplitter(bytes)
        guard input.byte() % 2 == 1 else {
            drain(StoreSegment(records: Array(input.rest)))
            if let closed = StoreSegment(closed: Array(input.rest)) { drain(closed) }
            return
        }
        // The head states the size and the number; here they are right or a little wrong.
        let (sizeError, countError) = (Int(Int8(bitPattern: input.byte())), Int(Int8(bitPattern: input.byte())))
        var records: [UInt8] = []
        var count = 0
        while !input.rest.isEmpty {
            let head = [input.byte(), input.byte()]
            let part = input.part()
            let fields = little(UInt32(part.count)) + [head[0], head[1], 0, 0]
            let content = fields.prefix(StoreSegment.headSize - 4) + part
            records += little(UInt32(truncatingIfNeeded: crc32(0, Array(content), uInt(content.count)))) + content
            count += 1
        }
        var length = compressBound(uLong(records.count))
        var packed = [UInt8](repeating: 0, count: Int(length))
        compress(&packed, &length, records, uLong(records.count))
        let size = UInt32(clamping: records.count + sizeError)
        let file = StoreSegment.magic + little(size) + little(UInt32(clamping: count + countError))
        if let closed = StoreSegment(closed: file + packed.prefix(Int(length))) { drain(closed) }
    }

    private static func drain(_ segment: StoreSegment) {
        for index in 0..<segment.count where (segment.message(index)?.payload.count ?? 0) > segment.bytes.count {
            broken("a message longer than its file")
        }
        if segment.message(segment.count) != nil { broken("a message behind the last one") }
    }

    private static func little(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
