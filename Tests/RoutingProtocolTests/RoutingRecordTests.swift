import SeededNumbers
import Testing

@testable import RoutingProtocol

@Suite struct RoutingRecordTests {
    static let records: [RoutingRecord] = [
        .call(
            RoutingCall(
                url: "https://router.example:443/route", body: Array("{}".utf8), agent: "posed/1",
                proxy: "http://proxy:3128", authorityFile: "/etc/ca.pem", limitMilliseconds: 5000, maximumBytes: 64)),
        .call(RoutingCall(url: "http://x", agent: "", limitMilliseconds: 1, maximumBytes: 1)),
        .body([]), .body([UInt8](repeating: 7, count: RoutingRecord.bodyLimit)),
        .report(.answered(status: 200)), .report(.failed(.untrusted, detail: "certificate has expired")),
    ]

    /// GIVEN records of every kind WHEN they arrive in pieces of any size THEN they are decoded correctly.
    @Test(arguments: [1, 7, 4096, 1 << 20])
    func recordsAreAssembledFromPieces(step: Int) throws {
        let bytes = Self.records.flatMap(\.bytes)
        var reader = RoutingRecordReader()
        var read: [RoutingRecord] = []
        for start in stride(from: 0, to: bytes.count, by: step) {
            read += try reader.append(bytes[start..<min(start + step, bytes.count)])
        }
        #expect(read == Self.records)
    }

    /// GIVEN a header with a length beyond the limit of its kind WHEN read THEN it is refused before anything is
    /// stored.
    @Test(arguments: [1, 2, 3, 4] as [UInt8])
    func lengthBeyondTheLimitIsRefused(kind: UInt8) {
        var reader = RoutingRecordReader()
        let head: [UInt8] = [UInt8(ascii: "P"), UInt8(ascii: "R"), 1, kind, 0xFF, 0xFF, 0xFF, 0x7F]
        #expect(throws: RoutingProtocolFault.malformed) { try reader.append(head[...]) }
    }

    /// GIVEN records with a changed byte or truncated WHEN read THEN the result is a record, a fault, or incomplete.
    @Test func damageNeverTraps() {
        var random = SplitMix64(seed: 41)
        for record in Self.records where record.bytes.count < 1000 {
            for _ in 0..<2000 {
                var bytes = record.bytes
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random) / 4)
                var reader = RoutingRecordReader()
                let records = try? reader.append(bytes[...])
                #expect((records?.count ?? 0) <= 1)
            }
        }
    }

    /// GIVEN a text with a NUL, limits of zero or too large, an invalid status WHEN read THEN it is refused.
    @Test func invalidValuesAreRefused() {
        for call in [
            RoutingCall(url: "http://x\0y", agent: "", limitMilliseconds: 1, maximumBytes: 1),
            RoutingCall(url: "http://x", agent: "", limitMilliseconds: 0, maximumBytes: 1),
            RoutingCall(url: "http://x", agent: "", limitMilliseconds: 60_001, maximumBytes: 1),
            RoutingCall(url: "http://x", agent: "", limitMilliseconds: 1, maximumBytes: 0),
        ] {
            #expect(throws: RoutingProtocolFault.malformed) { try RoutingCall(payload: call.payload()) }
        }
        let report = RoutingReport.answered(status: 999)
        #expect(throws: RoutingProtocolFault.malformed) { try RoutingReport(payload: report.payload()) }
    }
}
