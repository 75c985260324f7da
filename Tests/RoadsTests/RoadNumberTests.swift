import Testing

@testable import Roads

/// Countries and properties as numbers of a road file.
@Suite struct RoadNumberTests {
    @Test func aCountryHasTwoCapitals() {
        // GIVEN a code of two letters THEN the first one is the low byte of its number
        for (code, number) in [("AD", 0x4441), ("ZZ", 0x5A5A), ("AA", 0x4141), ("AZ", 0x5A41)] as [(String, UInt16)] {
            #expect(RoadMap.countryNumber(code) == number && RoadMap.countryCode(number) == code)
        }
        for code in ["", "A", "ADD", "ad", "A1", "@A", "A[", "Ä"] { #expect(RoadMap.countryNumber(code) == nil) }
        for number in [0, 0x0041, 0x4100, 0x4140, 0x5B41, 0x6161] as [UInt16] {
            #expect(RoadMap.countryCode(number) == nil, "\(number)")
        }
    }

    @Test func thePropertiesOfAnEdgeAreItsBits() {
        // The bits are those of every road file there is.
        let flags: [RoadMap.EdgeRecord.Flags] = [.oneWay, .roundabout, .link, .tunnel, .bridge, .conditional]
        #expect(flags.map(\.rawValue) == [1, 2, 4, 8, 16, 32])
        var edge = RoadMap.EdgeRecord()
        edge.flags = 0b101001
        #expect(edge.properties == [.oneWay, .tunnel, .conditional])
        #expect(edge.limitForward == 0x7FFF && edge.limitBackward == 0x7FFF)
    }
}
