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

    /// GIVEN records of every kind WHEN they come in pieces of any size THEN they are the same.
    @Test(arguments: [1, 7, 4096, 1 << 20])
    func comesBackFromPieces(step: Int) throws {
        let bytes = Self.records.flatMap(\.bytes)
        var reader = RoutingRecordReader()
        var read: [RoutingRecord] = []
        for start in stride(from: 0, to: bytes.count, by: step) {
            read += try reader.take(bytes[start..<min(start + step, bytes.count)])
        }
        #expect(read == Self.records)
    }

    /// GIVEN a head that announces more than its kind may have WHEN read THEN it is refused before anything is kept.
    @Test(arguments: [1, 2, 3, 4] as [UInt8])
    func aLengthBeyondTheBoundIsRefused(kind: UInt8) {
        var reader = RoutingRecordReader()
        let head: [UInt8] = [UInt8(ascii: "P"), UInt8(ascii: "R"), 1, kind, 0xFF, 0xFF, 0xFF, 0x7F]
        #expect(throws: RoutingProtocolFault.malformed) { try reader.take(head[...]) }
    }

    /// GIVEN records with a byte changed or cut off WHEN read THEN it ends with a record, a fault, or a wait for more.
    @Test func damageNeverTraps() {
        var random = SplitMix64(seed: 41)
        for record in Self.records where record.bytes.count < 1000 {
            for _ in 0..<2000 {
                var bytes = record.bytes
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random) / 4)
                var reader = RoutingRecordReader()
                let records = try? reader.take(bytes[...])
                #expect((records?.count ?? 0) <= 1)
            }
        }
    }

    /// GIVEN a text with a NUL, limits of nothing or too much, a status that is none WHEN read THEN it is refused.
    @Test func valuesThatAreNoneAreRefused() {
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
