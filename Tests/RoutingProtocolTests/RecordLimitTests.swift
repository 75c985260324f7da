import Testing

@testable import RoutingProtocol

/// The bytes of each kind of record, and its limits on both sides.
@Suite struct RecordLimitTests {
    private static let malformed = RoutingProtocolFault.malformed

    /// The records of some bytes.
    private func read(_ bytes: [UInt8]) throws(RoutingProtocolFault) -> [RoutingRecord] {
        var reader = RoutingRecordReader()
        return try reader.append(bytes[...])
    }

    /// A header, as `PR`, version, kind and length.
    private func head(_ kind: UInt8, _ length: Int, version: UInt8 = 1, _ sign: [UInt8] = Array("PR".utf8)) -> [UInt8] {
        sign + [version, kind] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
    }

    @Test func everyRecordHasItsBytes() {
        // GIVEN a record of each kind THEN the bytes are these: they must not change within a version
        var call = RoutingCall(url: "u", agent: "ab", limitMilliseconds: 0x0102, maximumBytes: 0x0304_0506)
        let (url, agent): ([UInt8], [UInt8]) = ([1, 0, 0, 0, 0x75], [2, 0, 0, 0, 0x61, 0x62])
        let (none, limits) = ([UInt8](repeating: 0xFF, count: 4), [2, 1, 0, 0, 6, 5, 4, 3] as [UInt8])
        #expect(RoutingRecord.call(call).bytes == head(1, 31) + url + none + agent + none + none + limits)
        (call.body, call.proxy, call.authorityFile) = ([9], "p", "f")
        let (body, proxy, file): ([UInt8], [UInt8], [UInt8]) = (
            [1, 0, 0, 0, 9], [1, 0, 0, 0, 0x70], [1, 0, 0, 0, 0x66]
        )
        #expect(RoutingRecord.call(call).bytes == head(1, 34) + url + body + agent + proxy + file + limits)
        #expect(RoutingRecord.body([7, 8]).bytes == head(2, 2) + [7, 8])
        #expect(
            RoutingRecord.report(.answered(status: 404)).bytes
                == head(3, 12) + [0, 0, 0, 0, 0x94, 1, 0, 0, 0, 0, 0, 0])
        #expect(
            RoutingRecord.report(.failed(.refused, detail: "d")).bytes
                == head(3, 13) + [2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x64])
        // AND the numbers of the faults count from 1
        #expect(RoutingFault.allCases.map(\.rawValue) == Array(1...14))
    }

    @Test(arguments: [(1, 1 << 20), (2, 65_536), (3, 1024)] as [(UInt8, Int)])
    func aPayloadIsTakenUpToTheLimitOfItsKind(kind: UInt8, limit: Int) {
        // GIVEN a header with the longest payload, and with one byte more THEN only the second is refused at once
        #expect(throws: Never.self) { try read(head(kind, limit)) }
        #expect(throws: Self.malformed) { try read(head(kind, limit + 1)) }
        for wrong in [head(kind, 1, version: 2), head(kind, 1, [0x50, 0x51]), head(kind, 1, [0x51, 0x52])] {
            #expect(throws: Self.malformed) { try read(wrong) }
        }
        // AND seven bytes are no header yet
        #expect(throws: Never.self) { try read([UInt8](repeating: 0, count: 7)) }
        #expect(throws: Self.malformed) { try read([UInt8](repeating: 0, count: 8)) }
    }

    @Test(arguments: [(99, false), (100, true), (599, true), (600, false), (65_636, false)] as [(UInt32, Bool)])
    func aStatusIsThatOfHTTP(status: UInt32, isRead: Bool) {
        var fields = FieldWriter()
        for number in [0, status, 0] { fields.number(number) }
        #expect(((try? RoutingReport(payload: fields.bytes)) != nil) == isRead)
        // AND nothing may follow, and nothing be missing
        #expect(throws: Self.malformed) { try RoutingReport(payload: fields.bytes + [0]) }
        #expect(throws: Self.malformed) { try RoutingReport(payload: fields.bytes.dropLast()) }
    }

    @Test(arguments: [(1, true), (14, true), (15, false), (257, false)] as [(UInt32, Bool)])
    func aFaultIsOneOfTheList(kind: UInt32, isRead: Bool) {
        var fields = FieldWriter()
        for number in [kind, 0, 0] { fields.number(number) }
        #expect(((try? RoutingReport(payload: fields.bytes)) != nil) == isRead)
    }

    @Test func aDetailHasAtMost400Bytes() throws {
        for (count, kept) in [(400, 400), (401, 400)] {
            let report = RoutingReport.failed(.other, detail: String(repeating: "d", count: count))
            let read = try RoutingReport(payload: report.payload())
            #expect(read == .failed(.other, detail: String(repeating: "d", count: kept)))
        }
    }

    @Test(
        arguments: [
            (1, 1, true), (60_000, .max, true), (60_001, 1, false), (0, 1, false), (1, 0, false),
        ] as [(UInt32, UInt32, Bool)])
    func aCallHasItsLimits(milliseconds: UInt32, bytes: UInt32, isRead: Bool) {
        let call = RoutingCall(url: "u", agent: "a", limitMilliseconds: milliseconds, maximumBytes: bytes)
        #expect(((try? RoutingCall(payload: call.payload())) == call) == isRead)
        // AND no byte more, no byte less, and a URL that is there
        #expect(throws: Self.malformed) { try RoutingCall(payload: call.payload() + [0]) }
        #expect(throws: Self.malformed) { try RoutingCall(payload: call.payload().dropLast()) }
        #expect(throws: Self.malformed) {
            try RoutingCall(payload: [UInt8](repeating: 0xFF, count: 4) + call.payload().dropFirst(5))
        }
    }
}
