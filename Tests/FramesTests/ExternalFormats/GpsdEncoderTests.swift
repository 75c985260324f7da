import Foundation
import Frames
import Testing

@Suite struct GpsdEncoderTests {
    @Test func reportsHaveGpsdsMembersAndUnits() throws {
        // GIVEN a frame in which everything is known; WHEN encoded; THEN it is a TPV and an ATT with gpsd's members and
        // units, one per line.
        var encoder = GpsdEncoder()
        let lines = try objects(encoder.reports(SampleFrames.full))
        #expect(lines.count == 2)
        let (position, attitude) = (lines[0], lines[1])
        #expect(
            position["class"] as? String == "TPV" && position["mode"] as? Int == 3 && position["status"] as? Int == 6)
        #expect(position["time"] as? String == "2026-07-25T17:20:00.250Z")
        #expect(abs((position["lat"] as? Double ?? 0) - 48.137154321) < 1e-9 && position["climb"] as? Double == 0.125)
        #expect(
            position["track"] as? Double == 142.5 && position["velD"] as? Double == -0.125
                && position["altHAE"] as? Double == 565.125)
        #expect(
            attitude["class"] as? String == "ATT" && attitude["heading"] as? Double == 141.75
                && attitude["pitch"] as? Double == -2.5)
        // gpsd's body frame has y to the right and z down, posed's has y to the left and z up.
        #expect(attitude["acc_y"] as? Double == -0.25 && attitude["acc_z"] as? Double == 0.75)
    }

    @Test(arguments: [Double.nan, .infinity, 1e300])
    func unknownValuesAreOmitted(_ poison: Double) throws {
        var encoder = GpsdEncoder()
        for object in try objects(encoder.reports(SampleFrames.poisoned(poison))) {
            #expect(object["lat"] == nil && object["heading"] == nil && object["altHAE"] == nil)
        }
        let empty = try objects(encoder.reports(Frame()))
        #expect(empty.count == 1 && empty[0]["mode"] as? Int == 1 && empty[0]["lat"] == nil)
    }

    @Test func datesAreRight() throws {
        // GIVEN times whose dates are known: leap days, ends of years and centuries, and before 1970; WHEN encoded;
        // THEN the dates are correct.
        var encoder = GpsdEncoder()
        for (seconds, text) in [
            (Int64(0), "1970-01-01T00:00:00.000Z"), (951_782_400, "2000-02-29T00:00:00.000Z"),
            (4_107_542_399, "2100-02-28T23:59:59.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"), (1_798_761_599, "2026-12-31T23:59:59.000Z"),
            (-1, "1969-12-31T23:59:59.000Z"),
        ] {
            var frame = SampleFrames.full
            frame.utcNanoseconds = seconds * 1_000_000_000
            #expect(try objects(encoder.reports(frame))[0]["time"] as? String == text)
        }
    }

    private func objects(_ bytes: [UInt8]) throws -> [[String: Any]] {
        try String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }
}
