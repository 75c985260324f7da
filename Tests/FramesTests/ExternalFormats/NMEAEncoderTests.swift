import Frames
import Testing

@Suite struct NMEAEncoderTests {
    @Test func goldenSentences() {
        // GIVEN a frame in which everything is known; WHEN encoded; THEN these are the sentences with their checksums.
        var encoder = NMEAEncoder()
        let text = String(decoding: encoder.sentences(SampleFrames.full), as: UTF8.self)
        #expect(
            text.split(separator: "\r\n").map(String.init) == [
                "$GPHDT,141.750,T*33",
                "$PASHR,172000.250,141.750,T,+1.50,-2.50,,0.200,0.200,0.700,1,0*38",
                "$OHPR,141.750,-2.50,1.50,,,,,,,,,,,,,,,*03",
                "$GPRMC,172000.25,A,4808.2292593,N,01134.5674074,W,29.751,142.500,250726,3.5,E,A*18",
                "$GPVTG,142.500,T,139.000,M,29.751,N,55.099,K,A*22",
                "$GPGGA,172000.25,4808.2292593,N,01134.5674074,W,1,14,,519.50,M,45.63,M,,*5E",
            ])
    }

    @Test func aVehicleThatStandsLevelHasZerosWithoutAMinus() {
        // GIVEN a vehicle at the origin of the degrees that stands level WHEN encoded THEN no number has a minus sign
        var (encoder, frame) = (NMEAEncoder(), SampleFrames.full)
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (0, 0)
        (frame.pose.rollRadians, frame.pose.pitchRadians) = (0, 0)
        (frame.pose.altitudeMeanSeaMeters, frame.pose.altitudeEllipsoidMeters) = (0, 0)
        frame.pose.velocityENUMetersPerSecond = .init(0, 0, 0)
        let text = String(decoding: encoder.sentences(frame), as: UTF8.self)
        let sentences = text.split(separator: "\r\n").map { String($0.split(separator: "*")[0]) }
        #expect(!text.contains("-") && sentences.contains { $0.hasPrefix("$PASHR,172000.250,141.750,T,+0.00,+0.00,,") })
        #expect(sentences.contains { $0.contains("0000.0000000,N,00000.0000000,E,0.000,") })
        #expect(sentences.contains { $0.hasSuffix(",1,14,,0.00,M,0.00,M,,") })
    }

    @Test func theRollOfASteepBodyIsLessSureThanItsPitch() {
        // GIVEN a body whose tilt is known to 0.2 deg WHEN it points up by 60 deg, or straight up THEN its roll is half
        // as sure, or unknown
        let degree = Double.pi / 180
        for (pitch, sigma) in [(60.0, "+60.00,,0.400,0.200,"), (90, "+90.00,,90.000,0.200,")] {
            var (encoder, frame) = (NMEAEncoder(), SampleFrames.full)
            frame.pose.pitchRadians = pitch * degree
            let text = String(decoding: encoder.sentences(frame), as: UTF8.self)
            #expect(text.contains(sigma), "\(text)")
        }
    }

    @Test func theOtherHalvesOfTheWorldAndTheDay() {
        // GIVEN a place in the south and east, just before midnight, with a variation to the west, and more satellites
        // than two digits have WHEN encoded THEN each field has the sign, the letter and the digits of that
        var (encoder, frame) = (NMEAEncoder(), SampleFrames.full)
        let degree = Double.pi / 180
        frame.utcNanoseconds = 1_798_761_599_987_654_321
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (-7.999_999_999 * degree, 179.516_666_7 * degree)
        (frame.pose.rollRadians, frame.pose.pitchRadians) = (-1.5 * degree, 2.5 * degree)
        frame.pose.headingMagneticRadians = 145.25 * degree
        (frame.pose.satellitesUsed, frame.pose.altitudeMeanSeaMeters) = (100, -12.125)
        frame.pose.velocityENUMetersPerSecond = .init(-3, 4, 100)
        let text = String(decoding: encoder.sentences(frame), as: UTF8.self)
        // 5 m/s are 18 km/h and 9.719 knots.
        #expect(
            text.split(separator: "\r\n").map { $0.split(separator: "*")[0] } == [
                "$GPHDT,141.750,T", "$PASHR,235959.987,141.750,T,-1.50,+2.50,,0.200,0.200,0.700,1,0",
                "$OHPR,141.750,2.50,-1.50,,,,,,,,,,,,,,,",
                "$GPRMC,235959.98,A,0759.9999999,S,17931.0000020,E,9.719,142.500,311226,3.5,W,A",
                "$GPVTG,142.500,T,146.000,M,9.719,N,18.000,K,A",
                "$GPGGA,235959.98,0759.9999999,S,17931.0000020,E,1,99,,-12.13,M,577.25,M,,",
            ])
        // AND what is unknown is empty
        frame.pose.headingMagneticRadians = nil
        (frame.pose.altitudeMeanSeaMeters, frame.pose.velocityENUMetersPerSecond) = (nil, nil)
        let rest = String(decoding: encoder.sentences(frame), as: UTF8.self)
        #expect(
            rest.split(separator: "\r\n").suffix(3).map { $0.split(separator: "*")[0] } == [
                "$GPRMC,235959.98,A,0759.9999999,S,17931.0000020,E,,142.500,311226,,,A",
                "$GPVTG,142.500,T,,M,,N,,K,A", "$GPGGA,235959.98,0759.9999999,S,17931.0000020,E,1,99,,,M,,M,,",
            ])
    }

    @Test(arguments: [
        (359.9996, 359.9996, "0.000", "0.000"), (359.9994, 0.0004, "359.999", "0.000"),
        (-0.0006, 359.5, "359.999", "359.500"),
    ])
    func aBearingIsBelow360AsItIsWritten(heading: Double, course: Double, first: String, second: String) {
        // GIVEN bearings that three decimals turn into 360 degrees, and ones that they do not THEN none is 360
        var (encoder, frame) = (NMEAEncoder(), SampleFrames.full)
        frame.pose.headingTrueRadians = heading * .pi / 180
        frame.pose.courseOverGroundRadians = course * .pi / 180
        let text = String(decoding: encoder.sentences(frame), as: UTF8.self)
        #expect(
            text.contains("$GPHDT,\(first),T*") && text.contains(",\(first),T,+1.50,")
                && text.contains("$OHPR,\(first),"))
        #expect(text.contains("$GPVTG,\(second),T,") && text.contains(",W,29.751,\(second),250726,"))
    }

    @Test(arguments: [(1e9.nextDown, true), (1e9, false), (-1e9, false), (.nan, false)])
    func aHeightBelowABillionIsGiven(meters: Double, isGiven: Bool) throws {
        var (encoder, frame) = (NMEAEncoder(), SampleFrames.full)
        frame.pose.altitudeMeanSeaMeters = meters
        let text = String(decoding: encoder.sentences(frame), as: UTF8.self)
        let fields = try #require(text.split(separator: "\r\n").last).split(
            separator: ",", omittingEmptySubsequences: false)
        #expect(fields[9].isEmpty == !isGiven && fields[10] == "M")
    }

    @Test func everySentenceIsWellFormed() {
        // GIVEN frames of all kinds, also with invalid numbers; WHEN encoded; THEN each sentence has at most 90 bytes,
        // only printable characters, and the checksum that another reader computes. NMEA's own limit is 82, which the
        // standard permits minutes with more decimals to exceed.
        var encoder = NMEAEncoder()
        for frame in [
            SampleFrames.full, SampleFrames.poisoned(.nan), SampleFrames.poisoned(.infinity),
            SampleFrames.poisoned(1e300),
        ] + Self.edges {
            let bytes = encoder.sentences(frame)
            for sentence in bytes.split(separator: 0x0A) {
                #expect(sentence.first == 0x24 && sentence.last == 0x0D && sentence.count <= 90)
                let body = sentence.dropFirst().prefix { $0 != 0x2A }
                let sum = body.reduce(0, ^)
                let told = String(decoding: sentence.suffix(3).prefix(2), as: UTF8.self)
                #expect(UInt8(told, radix: 16) == sum)
                #expect(sentence.dropLast().allSatisfy { (0x20..<0x7F).contains($0) })
            }
        }
    }

    @Test func roundingNeverMakesSixtyMinutes() {
        // GIVEN angles just below a whole degree, the poles and the date line; WHEN encoded; THEN minutes stay below 60
        // and degrees in range.
        var encoder = NMEAEncoder()
        for frame in Self.edges {
            let text = String(decoding: encoder.sentences(frame), as: UTF8.self)
            let fields =
                text.split(separator: "\r\n").first { $0.hasPrefix("$GPRMC") }?.split(
                    separator: ",", omittingEmptySubsequences: false) ?? []
            let (latitude, longitude) = (fields[3], fields[5])
            #expect(Double(latitude.dropFirst(2)) ?? 60 < 60 && Int(latitude.prefix(2)) ?? 91 <= 90)
            #expect(Double(longitude.dropFirst(3)) ?? 60 < 60 && Int(longitude.prefix(3)) ?? 181 <= 180)
        }
    }

    @Test(arguments: [
        (1.6, -4.0, "9000.0000000,N,18000.0000000,W"), (-1.6, 4.0, "9000.0000000,S,18000.0000000,E"),
    ])
    func noPlaceIsBeyondThePolesOrTheDateLine(latitude: Double, longitude: Double, fields: String) {
        // GIVEN a latitude of 92 degrees and a longitude of 229 WHEN encoded THEN the sentences have what those formats
        // can have at most: a reader that checks its input does not refuse them
        var (encoder, frame) = (NMEAEncoder(), SampleFrames.full)
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (latitude, longitude)
        let text = String(decoding: encoder.sentences(frame), as: UTF8.self)
        #expect(text.contains("$GPRMC,172000.25,A,\(fields),"))
        #expect(text.contains("$GPGGA,172000.25,\(fields),1,"))
    }

    @Test(arguments: [(9.9, 1.0, true), (10.1, 1, false), (1, -9.9, true), (1, -10.1, false)])
    func aPlaceOfMoreThanTenRadiansIsNone(latitude: Double, longitude: Double, isGiven: Bool) {
        // GIVEN numbers that are hardly angles or none WHEN encoded THEN only the latter are left out
        var (encoder, frame) = (NMEAEncoder(), SampleFrames.full)
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (latitude, longitude)
        let text = String(decoding: encoder.sentences(frame), as: UTF8.self)
        #expect(text.contains("$GPRMC,172000.25,A,,,,,") == !isGiven)
        #expect(text.contains("$GPGGA,172000.25,,,,,1,") == !isGiven)
    }

    @Test func untrustedPositionsAreVoid() {
        var encoder = NMEAEncoder()
        for (state, status, quality) in [
            (Frame.PoseState.aligned, "A", "1"), (.coarse, "A", "1"), (.deadReckoning, "A", "6"), (.lost, "V", "0"),
            (.starting, "V", "0"),
        ] {
            var frame = SampleFrames.full
            frame.pose.state = state
            let sentences = String(decoding: encoder.sentences(frame), as: UTF8.self).split(separator: "\r\n")
            let fields = sentences.suffix(3).map { $0.split(separator: ",", omittingEmptySubsequences: false) }
            #expect(fields[0][2] == status && fields[2][6] == quality)
            #expect(fields[0][3].isEmpty == (status == "V"))
        }
        var frame = SampleFrames.full
        frame.utcNanoseconds = nil
        #expect(encoder.sentences(frame).isEmpty)
    }

    @Test func aSimulatedPositionIsMarkedInEverySentenceWithAMode() {
        // GIVEN a frame of a simulated drive; WHEN encoded; THEN RMC and VTG have mode S, and GGA quality 8
        var (encoder, frame) = (NMEAEncoder(), SampleFrames.full)
        frame.isSimulated = true
        let text = String(decoding: encoder.sentences(frame), as: UTF8.self)
        let fields = text.split(separator: "\r\n").suffix(3)
            .map { $0.split(separator: "*")[0].split(separator: ",", omittingEmptySubsequences: false) }
        #expect(fields[0].last == "S" && fields[1].last == "S" && fields[2][6] == "8")
        // AND without a position it is void, as ever
        frame.pose.state = .lost
        #expect(String(decoding: encoder.sentences(frame), as: UTF8.self).contains(",N*"))
    }

    @Test func aPositionFromBeforeTheFirstFixIsEstimated() {
        // GIVEN the place of the last stop, before the first fix WHEN encoded THEN RMC and VTG have mode E, and GGA
        // quality 6
        var (encoder, frame) = (NMEAEncoder(), SampleFrames.full)
        (frame.pose.state, frame.pose.fixAgeSeconds) = (.coarse, nil)
        let text = String(decoding: encoder.sentences(frame), as: UTF8.self)
        let fields = text.split(separator: "\r\n").suffix(3)
            .map { $0.split(separator: "*")[0].split(separator: ",", omittingEmptySubsequences: false) }
        #expect(fields[0].last == "E" && fields[1].last == "E" && fields[2][6] == "6")
    }

    @Test(arguments: [(Optional(UInt16(0)), UInt8(3), "04"), (nil, 3, "04"), (nil, 2, "03"), (7, 3, "07")])
    func aPositionNeverHasNoSatellites(used: UInt16?, mode: UInt8, count: String) throws {
        // GIVEN a fix whose satellites are not told, or told as none; WHEN encoded; THEN GGA has as many as such a fix
        // takes: gpsd takes a position with none for no position
        var (encoder, frame) = (NMEAEncoder(), SampleFrames.full)
        (frame.pose.satellitesUsed, frame.pose.fixMode) = (used, mode)
        let text = String(decoding: encoder.sentences(frame), as: UTF8.self)
        let sentence = try #require(text.split(separator: "\r\n").last)
        #expect(sentence.split(separator: ",", omittingEmptySubsequences: false)[7] == count)
    }

    private static var edges: [Frame] {
        [
            (47.999999999999, 10.0), (-89.99999999999, -179.99999999999), (90, 180), (0, 0),
            (-0.0000000001, 0.0000000001),
        ].map { place in
            var frame = SampleFrames.full
            frame.pose.latitudeRadians = place.0 * .pi / 180
            frame.pose.longitudeRadians = place.1 * .pi / 180
            return frame
        }
    }
}
