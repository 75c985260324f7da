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

    @Test func everyReportIsWritten() {
        // GIVEN a frame in which everything is known WHEN its reports are written THEN each member is there, in gpsd's
        // unit and axes: errors from 0.11 and 0.12 m, speed from 9.5 and 12 m/s, rates in degrees per second
        var encoder = GpsdEncoder()
        let place =
            #"{"class":"TPV","device":"posed","mode":3,"time":"2026-07-25T17:20:00.250Z","status":6,"#
            + #""lat":48.137154321,"lon":-11.576123456,"altHAE":565.1250,"altMSL":519.5000,"alt":519.5000,"#
            + #""epx":0.110,"epy":0.120,"epv":0.250,"eph":0.163,"speed":15.3052,"track":142.5000,"climb":0.1250,"#
            + #""velN":-12.0000,"velE":9.5000,"velD":-0.1250,"eps":0.020}"#
        let attitude =
            #"{"class":"ATT","device":"posed","time":"2026-07-25T17:20:00.250Z","heading":141.7500,"#
            + #""mheading":138.2500,"pitch":-2.5000,"roll":1.5000,"acc_x":1.5000,"acc_y":-0.2500,"acc_z":0.7500,"#
            + #""gyro_x":0.0573,"gyro_y":0.1146,"gyro_z":-17.1887}"#
        let text = String(decoding: encoder.reports(SampleFrames.full), as: UTF8.self)
        #expect(text == place + "\r\n" + attitude + "\r\n")
    }

    @Test func everyAnswerIsWritten() {
        var encoder = GpsdEncoder()
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        let devices =
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"posed","driver":"posed","flags":1,"native":0}]}"#
            + "\r\n"
        let version = #"{"class":"VERSION","release":"3.22","rev":"1.2","proto_major":3,"proto_minor":14}"#
        #expect(text(encoder.version(release: "1.2")) == version + "\r\n")
        #expect(text(encoder.deviceList()) == devices)
        for isEnabled in [true, false] {
            let watch =
                #"{"class":"WATCH","enable":\#(isEnabled),"json":\#(isEnabled),"nmea":false,"raw":0,"scaled":false,"#
                + #""timing":false,"split24":false,"pps":false}"#
            #expect(text(encoder.watch(isEnabled: isEnabled)) == devices + watch + "\r\n")
        }
    }

    @Test(
        arguments: [
            (Frame.PoseState.aligned, 3, 6), (.coarse, 3, 6), (.aligning, 3, 6), (.attitudeOnly, 3, 6),
            (.deadReckoning, 3, 5), (.lost, 1, nil), (.starting, 1, nil),
        ] as [(Frame.PoseState, Int, Int?)]) func aPlaceIsGivenIfItIsTrusted(
            state: Frame.PoseState, mode: Int, status: Int?
        ) throws
    {
        // GIVEN a place in each state THEN its mode and status are gpsd's; without a height it has two dimensions, and
        // without a latitude or a longitude it is none
        var encoder = GpsdEncoder()
        var frame = SampleFrames.full
        frame.pose.state = state
        func report() throws -> [String: Any] { try objects(encoder.reports(frame))[0] }
        #expect(try report()["mode"] as? Int == mode && report()["status"] as? Int == status)
        #expect(try (report()["lat"] == nil) == (mode == 1))
        frame.pose.altitudeEllipsoidMeters = nil
        #expect(try report()["mode"] as? Int == (mode == 1 ? 1 : 2))
        for missing in [\Frame.Pose.latitudeRadians, \.longitudeRadians] {
            var other = frame
            other.pose[keyPath: missing] = nil
            let report = try objects(encoder.reports(other))[0]
            #expect(report["mode"] as? Int == 1 && report["lat"] == nil && report["status"] == nil)
        }
    }

    @Test(arguments: [Frame.PoseState.aligned, .deadReckoning, .lost])
    func aSimulatedPlaceIsMarked(state: Frame.PoseState) throws {
        // GIVEN a simulated frame WHEN it has a place THEN its status is gpsd's for a simulation
        var encoder = GpsdEncoder()
        var frame = SampleFrames.full
        (frame.pose.state, frame.isSimulated) = (state, true)
        let report = try objects(encoder.reports(frame))[0]
        #expect(report["status"] as? Int == (state == .lost ? nil : 8))
    }

    @Test func aPlaceFromBeforeTheFirstFixIsDeadReckoning() throws {
        // GIVEN the place of the last stop, before the first fix THEN its status is gpsd's for one without satellites
        var encoder = GpsdEncoder()
        var frame = SampleFrames.full
        (frame.pose.state, frame.pose.fixAgeSeconds) = (.coarse, nil)
        let report = try objects(encoder.reports(frame))[0]
        #expect(report["mode"] as? Int == 3 && report["status"] as? Int == 5)
    }

    @Test func anAttitudeIsGivenIfAPartOfItIsKnown() throws {
        var encoder = GpsdEncoder()
        var frame = Frame()
        frame.pose.pitchRadians = 1
        #expect(try objects(encoder.reports(frame)).count == 1)
        frame.pose.rollRadians = 1
        #expect(try objects(encoder.reports(frame)).count == 2)
        (frame.pose.rollRadians, frame.pose.headingTrueRadians) = (nil, 1)
        #expect(try objects(encoder.reports(frame)).count == 2)
    }

    @Test(arguments: [
        (359.999_96, "0.0000"), (359.999_94, "359.9999"), (-0.000_04, "0.0000"), (-0.000_06, "359.9999"),
        (720, "0.0000"),
    ])
    func aBearingIsBelow360AsItIsWritten(degrees: Double, text: String) {
        // GIVEN bearings that four decimals turn into 360 degrees, and ones that they do not THEN none is 360
        var encoder = GpsdEncoder()
        var frame = SampleFrames.full
        frame.pose.headingTrueRadians = degrees * .pi / 180
        frame.pose.headingMagneticRadians = degrees * .pi / 180
        frame.pose.courseOverGroundRadians = degrees * .pi / 180
        let reports = String(decoding: encoder.reports(frame), as: UTF8.self)
        for member in ["track", "heading", "mheading"] { #expect(reports.contains("\"\(member)\":\(text),")) }
    }

    @Test(arguments: [(1e9.nextDown, true), (1e9, false), (-1e9, false)])
    func aNumberBelowABillionIsGiven(meters: Double, isGiven: Bool) throws {
        var encoder = GpsdEncoder()
        var frame = SampleFrames.full
        frame.pose.altitudeMeanSeaMeters = meters
        let report = try objects(encoder.reports(frame))[0]
        #expect((report["altMSL"] != nil) == isGiven)
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
