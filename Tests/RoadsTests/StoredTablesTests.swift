import Guidance
import RoadMaps
import StoredTexts
import Testing

@testable import Roads

/// Tables of laws and names, and of the sun: whole, as they are stored.
@Suite struct StoredTablesTests {
    @Test func theLawsAreTheStoredOnes() throws {
        // GIVEN every country, and none WHEN the limit of each type and each class is asked for THEN it is the stored
        // one: urban, rural, trunk, motorway, living street, zone of 30; then the classes, ramps in parentheses
        let zones: [RoadZone] = [.urban, .rural, .trunk, .motorway, .livingStreet, .zone(30)]
        let lines = (CountryLimits.countries.map { $0 } + ["-"]).map { country in
            let law = CountryLimits.law(country)
            let types = zones.map { law?.limit($0).text ?? "-" }.joined(separator: ", ")
            let classes = RoadClass.allCases.map { roadClass in
                let limits = [false, true].map { ClassLimits.limit(roadClass, isLink: $0, country: country).text }
                return limits[0] == limits[1] ? limits[0] : "\(limits[0]) (\(limits[1]))"
            }
            return "\(country): \(types) | \(classes.joined(separator: ", "))"
        }
        #expect(try StoredText.differences(of: lines.joined(separator: "\n"), from: "laws") == [])
    }

    @Test func theClassesAreTheStoredOnes() throws {
        // GIVEN values of `highway` THEN class, ramp or not, number in the file and cost are the stored ones
        let kinds = ["motorway", "trunk", "primary", "secondary", "tertiary"]
        let others = ["unclassified", "road", "residential", "living_street", "service", "pedestrian", "track"]
        let closed = ["footway", "cycleway", "steps", "construction", "residential_link", "Motorway", ""]
        let lines = (kinds.flatMap { [$0, $0 + "_link"] } + others + closed).map { value in
            guard let (roadClass, isLink) = RoadClass.osm(value) else { return "\(value): none" }
            return "\(value): \(roadClass) \(roadClass.rawValue) \(isLink ? "ramp" : "road") \(roadClass.cost)"
        }
        #expect(try StoredText.differences(of: lines.joined(separator: "\n"), from: "classes") == [])
    }

    @Test func theVehiclesAreTheStoredOnes() throws {
        // GIVEN names of vehicles in tags THEN the vehicles that they include are the stored ones
        let names = [
            "vehicle", "motor_vehicle", "motorcar", "motorcycle", "motorhome", "goods", "hgv", "bus", "psv", "coach",
            "tourist_bus", "trailer", "towing", "bicycle", "",
        ]
        let lines = names.map { name in
            guard let vehicle = LimitVehicle(name: name) else { return "\(name): none" }
            var included: [String] = []
            for kind in VehicleKind.allCases {
                for hasTrailer in [false, true] {
                    var profile = VehicleProfile()
                    (profile.kind, profile.hasTrailer) = (kind, hasTrailer)
                    if vehicle.includes(profile) { included.append("\(kind)\(hasTrailer ? "+trailer" : "")") }
                }
            }
            return "\(name): \(vehicle.rawValue) \(included.joined(separator: " "))"
        }
        #expect(try StoredText.differences(of: lines.joined(separator: "\n"), from: "vehicles") == [])
    }

    @Test(arguments: [
        ("vienna", 48.2, 16.37, 3600), ("quito", -0.2, -78.5, -18_000), ("auckland", -36.8, 174.8, 43_200),
        ("tromso", 69.6, 18.9, 3600),
    ])
    func theSunIsThatOfTheStoredDays(name: String, latitude: Double, longitude: Double, offset: Int) throws {
        // GIVEN every eleventh day of two years from 2027-01-01 THEN the local minutes of dawn, sunrise, sunset and
        // dusk are the stored ones; `-` where the sun does not pass that height
        let lines = stride(from: 20_819, to: 20_819 + 731, by: 11).map { day in
            let minutes = [SunTimes.Event.dawn, .sunrise, .sunset, .dusk].map { event in
                SunTimes.minute(
                    of: event, day: day, latitudeDegrees: latitude, longitudeDegrees: longitude,
                    utcOffsetSeconds: offset
                ).map { "\($0)" } ?? "-"
            }
            return "\(day): \(minutes.joined(separator: " "))"
        }
        #expect(try StoredText.differences(of: lines.joined(separator: "\n"), from: "sun-\(name)") == [])
    }

    @Test(arguments: [
        (0.0, 360.0, 0, true), (0, -360, 0, true), (0, 360.5, 0, false), (0, -360.5, 0, false), (90.5, 0, 0, false),
        (-90.5, 0, 0, false), (.nan, 0, 0, false), (0, .nan, 0, false), (0, 0, 216_000, true), (0, 0, 300_000, false),
        (0, 0, -190_000, true), (0, 0, -230_000, false), (70, 0, 0, true),
    ])
    func theSunHasAPlaceAndADay(latitude: Double, longitude: Double, offset: Int, isKnown: Bool) {
        // GIVEN the equinox of 2026-03-20 THEN the sun rises where the place is one and the minute is near the day
        let minute = SunTimes.minute(
            of: .sunrise, day: 20_532, latitudeDegrees: latitude, longitudeDegrees: longitude, utcOffsetSeconds: offset)
        #expect((minute != nil) == isKnown, "\(minute ?? 0)")
    }

    // MARK: - Vehicles and rules

    @Test(arguments: VehicleKind.allCases, [false, true])
    func theClassTellsOnWhichSideOf3500KilogramsAnUnknownWeightIs(kind: VehicleKind, hasTrailer: Bool) {
        // GIVEN a vehicle of unknown weight THEN only for a car, a motorcycle and a small goods vehicle without trailer
        // it is known that they have no more than 3.5 t, and for a lorry that it has more
        var profile = VehicleProfile()
        (profile.kind, profile.hasTrailer) = (kind, hasTrailer)
        let isLight = !hasTrailer && [.motorcar, .motorcycle, .goods].contains(kind)
        // For each comparison: of a light vehicle and of a lorry, with 3.49 t, 3.5 t and 3.51 t.
        let known: [(LimitCondition.Comparison, light: [Bool?], heavy: [Bool?])] = [
            (.above, [nil, false, false], [true, true, nil]), (.notBelow, [nil, nil, false], [true, true, nil]),
            (.notAbove, [nil, true, true], [false, false, nil]), (.below, [nil, nil, true], [false, false, nil]),
            (.equal, [nil, nil, false], [false, false, nil]),
        ]
        for (comparison, light, heavy) in known {
            let expected = isLight ? light : kind == .hgv ? heavy : [nil, nil, nil]
            let found = [3.49, 3.5, 3.51].map { profile.weight(comparison, $0) }
            #expect(found == expected, "\(comparison)")
        }
        // AND a known weight is compared
        profile.weightTonnes = 3.5
        #expect(profile.weight(.above, 3.5) == false && profile.weight(.notBelow, 3.5) == true)
        #expect(profile.weight(.below, 3.5) == false && profile.weight(.notAbove, 3.5) == true)
        #expect(profile.weight(.equal, 3.5) == true && profile.weight(.equal, 3.6) == false)
    }

    @Test(arguments: [
        ("maxspeed:hgv", "limit hgv both"), ("maxspeed:hgv:forward", "limit hgv forward"),
        ("maxspeed:backward:hgv", "limit hgv backward"), ("maxspeed:conditional", "conditional every both"),
        ("maxspeed:forward:conditional", "conditional every forward"), ("maxspeed:wet", "wet every both"),
        ("maxspeed:wet:backward", "wet every backward"), ("maxspeed:variable", "variable every both"),
        ("maxspeed:bus:forward:conditional", "conditional bus forward"), ("maxspeed:hgv:wet", "wet hgv both"),
        ("maxspeed:forward:backward", "none"), ("maxspeed:forward:forward", "none"), ("maxspeed:hgv:hgv", "none"),
        ("maxspeed:conditional:forward", "none"), ("maxspeed:wet:conditional", "none"), ("maxspeed:wet:wet", "none"),
        ("maxspeed:variable:wet", "none"), ("maxspeed:backward", "none"), ("maxspeed", "none"),
        ("minspeed:hgv", "none"), ("maxspeed::hgv", "none"), ("maxspeed:hgv:", "none"), ("maxspeed:", "none"),
        ("maxspeed:hgv:forward:wet:x", "none"), ("maxspeed:vehicle", "limit every both"),
    ])
    func aKeyHasItsRule(key: String, expected: String) {
        let rule = LimitRule(key: key, value: "50")
        let directions = rule.map { $0.isForward ? $0.isBackward ? "both" : "forward" : "backward" } ?? ""
        #expect(rule.map { "\($0.form) \($0.vehicle) \(directions)" } ?? "none" == expected)
    }

    @Test func aSignThatDoesNotChangeIsNoRule() {
        #expect(LimitRule(key: "maxspeed:variable", value: "no") == nil)
        #expect(
            LimitRule(key: "maxspeed:variable", value: "yes") != nil
                && LimitRule(key: "maxspeed:wet", value: "no") != nil)
        #expect(LimitRule(key: "maxspeed:hgv", value: String(repeating: "5", count: 255)) != nil)
        #expect(LimitRule(key: "maxspeed:hgv", value: String(repeating: "5", count: 256)) == nil)
    }

    @Test(arguments: [(true, true, 3), (true, false, 1), (false, true, 2), (false, false, 0)] as [(Bool, Bool, UInt8)])
    func aRuleHasItsBytes(isForward: Bool, isBackward: Bool, directions: UInt8) throws {
        // GIVEN a rule WHEN written THEN it has its bytes, at most 255 of the text
        var rule = LimitRule(vehicle: .coach, form: .wet, text: "80")
        (rule.isForward, rule.isBackward) = (isForward, isBackward)
        #expect(rule.fileBytes == [7, 2, directions, 2, 0x38, 0x30])
        for (length, kept) in [(255, 255), (256, 255)] {
            var long = rule
            long.text = String(repeating: "7", count: length)
            #expect(long.fileBytes == [7, 2, directions, UInt8(kept)] + [UInt8](repeating: 0x37, count: kept))
        }
        // WHEN read from a file THEN it is the same, and the place after it is told
        func read(_ bytes: [UInt8], at place: Int) throws -> (rule: LimitRule, end: Int)? {
            let region = MemoryBytes(bytes)
            let section = DataLayoutTests.section(10, offset: 0, length: UInt64(bytes.count), record: 1)
            let records = try #require(Records<UInt8>(region, section))
            return withExtendedLifetime(region) { LimitRule.read(records, at: place) }
        }
        let found = try #require(try read([9, 9] + rule.fileBytes + [1], at: 2))
        #expect(found.rule == rule && found.end == 8)
        // AND one that is cut off, or of numbers that nobody knows, is none
        #expect(try read(Array(rule.fileBytes.dropLast()), at: 0) == nil)
        #expect(try read([9] + rule.fileBytes.dropFirst(), at: 0) == nil)
        #expect(try read([7, 4] + rule.fileBytes.dropFirst(2), at: 0) == nil)
        #expect(rule.reversed.isForward == isBackward && rule.reversed.isBackward == isForward)
    }
}
