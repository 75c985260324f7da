import Guidance
import Testing

@testable import Roads

@Suite struct MaxspeedTagTests {
    /// GIVEN a value of maxspeed WHEN it is parsed THEN number and unit are the written ones, or those of the law.
    @Test(arguments: [
        ("50", "50 km/h"), (" 50 ", "50 km/h"), ("50 km/h", "50 km/h"), ("50kmh", "50 km/h"), ("50 kph", "50 km/h"),
        ("50 mph", "50 mph"),
        ("30mph", "30 mph"),
        ("7.5", "7.5 km/h"), ("10 knots", "18.5 km/h"), ("none", "none"), ("walk", "7 km/h"), ("0", "0 km/h"),
        ("50;30", "30 km/h"),
        ("50; none", "50 km/h"),
        ("RO:urban", "50 km/h"), ("DE:rural", "100 km/h"), ("DE:motorway", "none"), ("DE:living_street", "7 km/h"),
        ("DE:zone30", "30 km/h"),
        ("DE:zone:20", "20 km/h"), ("DE:30", "30 km/h"), ("GB:nsl_single", "60 mph"), ("GB:nsl_dual", "70 mph"),
        ("GB:zone20", "20 mph"),
        ("uk:motorway", "70 mph"),
        ("BE-VLG:urban", "50 km/h"), ("FR:rural", "80 km/h"), ("AD:urban", "50 km/h"),
        // Parts of Belgium with limits of their own, and the roads for bicycles.
        ("BE-WAL:rural", "90 km/h"), ("BE-VLG:rural", "70 km/h"), ("BE-BRU:rural", "70 km/h"), ("BE:rural", "70 km/h"),
        ("BE-BRU:urban", "30 km/h"), ("BE-WAL:urban", "50 km/h"), ("be-wal:rural", "90 km/h"),
        ("DE-BY:urban", "50 km/h"),
        ("DE:bicycle_road", "30 km/h"), ("AT:bicycle_road", "30 km/h"), ("BE:cyclestreet", "30 km/h"),
        ("BE-VLG:cyclestreet", "30 km/h"),
    ])
    func known(text: String, expected: String) { #expect(MaxspeedTag(text).limit.text == expected) }

    /// GIVEN an ambiguous value WHEN it is parsed THEN the limit is unknown, not 0 and not 50.
    @Test(arguments: [
        "", "signals", "variable", "fast", "50 furlongs", "-50", "1e3", "99999", "XX:urban", "DE:", ":urban",
        "DE:nowhere", "5 0", "0x32", "٣٠",
        "50;fast;", "nan", "inf",
    ])
    func unknown(text: String) {
        let limit = MaxspeedTag(text).limit
        #expect(limit == .unknown || text == "50;fast;" && limit.text == "50 km/h")
    }

    /// GIVEN 30 mph or 50 km/h WHEN converted to m/s THEN the result is exact.
    @Test func exactUnits() {
        // Both are products of decimal fractions: one rounding.
        guard case .metersPerSecond(let miles) = MaxspeedTag("30 mph").limit.limit else { return #expect(Bool(false)) }
        #expect(abs(miles - 13.4112) < 1e-12)
        #expect(MaxspeedTag("50").limit.limit == .metersPerSecond(500.0 / 36))
    }

    /// GIVEN a road class WHEN the road has no limit of its own THEN the table gives the limit, a country's law before
    /// the general one.
    @Test(
        arguments: [
            (RoadClass.motorway, false, nil, "130 km/h"), (.trunk, false, nil, "110 km/h"),
            (.primary, false, nil, "90 km/h"),
            (.residential, false, nil, "50 km/h"),
            (.secondary, false, nil, "50 km/h"), (.service, false, nil, "50 km/h"),
            (.livingStreet, false, nil, "10 km/h"),
            (.pedestrian, false, nil, "0 km/h"),
            (.motorway, true, nil, "90 km/h"), (.motorway, false, "DE", "none"), (.motorway, false, "AD", "120 km/h"),
            (.primary, false, "AD", "90 km/h"), (.livingStreet, false, "IT", "10 km/h"),
            (.trunk, false, "SE", "70 km/h"), (.motorway, false, "RS", "130 km/h"), (.primary, false, "IE", "100 km/h"),
            (.primary, false, "FR", "80 km/h"),
            (.residential, false, "GB", "30 mph"),
            (.pedestrian, false, "DE", "0 km/h"), (.motorway, false, "QQ", "130 km/h"),
        ] as [(RoadClass, Bool, String?, String)])
    func classes(roadClass: RoadClass, isLink: Bool, country: String?, expected: String) {
        #expect(ClassLimits.limit(roadClass, isLink: isLink, country: country).text == expected)
    }

    /// GIVEN invalid codes WHEN read from a file THEN the limit is unknown.
    @Test func hostileCodes() {
        #expect(
            RoadLimit(fileCode: 0x7FFE) == .unknown && RoadLimit(fileCode: 0xFFFE) == .unknown
                && RoadLimit(fileCode: 0xFFFF) == .unlimited)
    }
}
