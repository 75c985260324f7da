import CPosed
import Frames
import Testing

/// The limits of what a packet takes: a number just below is sent, the limit itself is left out.
@Suite struct BinaryLimitTests {
    /// Another message came than was sent.
    private struct NoMessage: Error {}

    private func sent(_ message: Message) throws -> Message {
        try message.packet(sequence: 1).withUnsafeBytes { try ReceivedMessage(packet: $0) }.message
    }

    @Test(arguments: [1.0, -1]) func anAngleIsBelowTenRadians(sign: Double) throws {
        // GIVEN an angle just below 10 rad, and of 10 rad WHEN sent THEN only the first one arrives. The packet has
        // degrees: a rounding is allowed.
        for (angle, isSent) in [(sign * 10.0.nextDown, true), (sign * 10, false)] {
            for (latitude, longitude) in [(angle, 0.5), (0.5, angle)] {
                var maneuver = Message.Maneuver(routeVersion: 1)
                (maneuver.latitudeRadians, maneuver.longitudeRadians) = (latitude, longitude)
                maneuver.turnAngleRadians = angle
                guard case .maneuver(let turn) = try sent(.maneuver(maneuver)) else { throw NoMessage() }
                #expect((turn.latitudeRadians != nil) == isSent && (turn.longitudeRadians != nil) == isSent)
                #expect((turn.turnAngleRadians != nil) == isSent)
                #expect(!isSent || abs((turn.turnAngleRadians ?? 0) - angle) < 1e-12)
                var route = Message.RouteLine()
                route.points = [.init(latitudeRadians: latitude, longitudeRadians: longitude, alongRouteMeters: 1)]
                route.places = [
                    .init(
                        kind: .turn, number: 1, latitudeRadians: latitude, longitudeRadians: longitude,
                        alongRouteMeters: nil)
                ]
                guard case .route(let line) = try sent(.route(route)) else { throw NoMessage() }
                #expect(line.points.count == (isSent ? 1 : 0) && line.places.count == (isSent ? 1 : 0))
                var (scene, point) = (Message.Scene(), Message.ScenePoint(number: 1, kind: .turn))
                (point.latitudeRadians, point.longitudeRadians) = (latitude, longitude)
                scene.points = [point]
                guard case .scene(let seen) = try sent(.scene(scene)) else { throw NoMessage() }
                #expect((seen.points.first?.latitudeRadians != nil) == isSent)
                var interest = Message.InterestPoint(id: "", name: "", category: "")
                var points = Message.InterestPoints()
                (interest.latitudeRadians, interest.longitudeRadians) = (latitude, longitude)
                points.points = [interest]
                guard case .points(let near) = try sent(.points(points)) else { throw NoMessage() }
                #expect((near.points.first?.longitudeRadians != nil) == isSent)
            }
        }
    }

    @Test(arguments: [(1e12.nextDown, true), (-1e12.nextDown, true), (1e12, false), (-1e12, false)])
    func aLengthIsBelowABillionKilometres(meters: Double, isSent: Bool) throws {
        // GIVEN a length just below 1e12 m, and of 1e12 m WHEN sent THEN only the first one arrives; what cannot be
        // unknown is 0
        var route = Message.RouteLine()
        (route.lengthMeters, route.toleranceMeters) = (meters, meters)
        route.points = [.init(latitudeRadians: 1, longitudeRadians: 1, alongRouteMeters: meters)]
        route.places = [
            .init(kind: .turn, number: 1, latitudeRadians: 1, longitudeRadians: 1, alongRouteMeters: meters)
        ]
        guard case .route(let line) = try sent(.route(route)) else { throw NoMessage() }
        #expect(line.lengthMeters == (isSent ? meters : 0) && line.toleranceMeters == (isSent ? meters : 0))
        #expect(line.points.map(\.alongRouteMeters) == (isSent ? [meters] : []))
        #expect(line.places.map(\.alongRouteMeters) == [isSent ? meters : nil])
        var status = Message.Status()
        (status.uptimeSeconds, status.imuRateHertz, status.fixRateHertz) = (meters, meters, meters)
        guard case .status(let told) = try sent(.status(status)) else { throw NoMessage() }
        #expect(told.uptimeSeconds == (isSent ? meters : 0) && told.imuRateHertz == (isSent ? meters : nil))
        #expect(told.fixRateHertz == (isSent ? meters : nil))
        var (scene, point) = (Message.Scene(), Message.ScenePoint(number: 1, kind: .turn))
        point.alongRouteMeters = meters
        (point.sight.distanceMeters, point.sight.size, point.sight.elevationMeters) = (meters, meters, meters)
        scene.points = [point]
        guard case .scene(let seen) = try sent(.scene(scene)) else { throw NoMessage() }
        #expect(seen.points.first?.alongRouteMeters == (isSent ? meters : nil))
        // Single precision rounds it to 1e12.
        let sight = seen.points.first?.sight
        #expect([sight?.distanceMeters, sight?.size, sight?.elevationMeters].allSatisfy { ($0 != nil) == isSent })
        var points = Message.InterestPoints()
        points.radiusMeters = meters
        guard case .points(let near) = try sent(.points(points)) else { throw NoMessage() }
        #expect(near.radiusMeters == (isSent ? meters : 0))
    }

    @Test(arguments: [(1e9.nextDown, true), (1e9, false), (-1e9, false)])
    func aTurnIsWithinAMillionKilometres(meters: Double, isSent: Bool) throws {
        var maneuver = Message.Maneuver(routeVersion: 1)
        maneuver.alongRouteMeters = meters
        guard case .maneuver(let turn) = try sent(.maneuver(maneuver)) else { throw NoMessage() }
        #expect(turn.alongRouteMeters == (isSent ? meters : 0))
    }

    @Test(arguments: [
        (1.0, 0.0, true), (1.000_9, 0, true), (1.001_1, 0, false), (0.999_1, 0, true), (0.998_9, 0, false),
        (1, 9.999, true), (1, 10.001, false), (1, -1e-9, false), (.nan, 0, false), (1, .nan, false),
    ]) func aMountIsARotationWithSigmas(squaredNorm: Double, sigma: Double, isSent: Bool) throws {
        // GIVEN a mount that is a rotation within a thousandth, with sigmas from 0 up to 10 rad, or not
        for place in 0..<3 {
            var sigmas = [0.25, 0.5, 0.75]
            sigmas[place] = sigma
            let mount = Message.Mount(
                sensorToBody: .init(0, 0, squaredNorm.squareRoot(), 0),
                sigmaRadians: .init(sigmas[0], sigmas[1], sigmas[2]), origin: .found)
            var status = Message.Status()
            status.mount = mount
            // WHEN it is sent THEN it arrives, or is unknown, on both sockets
            guard case .status(let told) = try sent(.status(status)) else { throw NoMessage() }
            #expect((told.mount != nil) == isSent)
            #expect(GoldenValues.text(.status(status)).contains("\"mount\":null") == !isSent)
        }
    }

    @Test func aMountIsToldAsAngles() {
        // GIVEN a turn by 30 degrees about each axis alone, and one by 40, 20 and 10 degrees about up, left and forward
        // (from Python) THEN roll, pitch and yaw are these
        let (c, s) = (0.965_925_826_289_068_3, 0.258_819_045_102_520_74)
        for (q, angles) in [
            (Frame.Quadruple(c, s, 0, 0), [30.0, 0, 0]), (.init(c, 0, s, 0), [0, 30, 0]),
            (.init(c, 0, 0, s), [0, 0, 30]),
            (.init(-c, -s, 0, 0), [30, 0, 0]),
            (
                .init(
                    0.927_071_370_862_742_8, 0.021_490_195_977_509_3, 0.191_911_131_197_975_48,
                    0.321_320_653_749_235_85), [10, 20, 40]
            ),
        ] {
            let mount = Message.Mount(sensorToBody: q, sigmaRadians: .init(0, 0, 0), origin: .kept)
            let told = mount.rollPitchYawRadians
            for (radians, degrees) in zip([told.x, told.y, told.z], angles) {
                // The rounding of the sixteenth digit of a quaternion.
                #expect(abs(radians * 180 / .pi - degrees) < 1e-12, "\(q): \(told)")
            }
        }
    }

    @Test(arguments: [(1e3.nextDown, true), (-1e3.nextDown, true), (1e3, false), (-1e3, false), (.nan, false)])
    func aMagnetometerHasNumbersBelowAThousand(value: Double, isSent: Bool) throws {
        // GIVEN a calibration in which one number is just below 1000, or 1000 WHEN sent THEN it arrives, or is unknown
        let changes: [(inout Message.Magnetometer) -> Void] = [
            { $0.ironTesla.x = value }, { $0.ironTesla.z = value }, { $0.softIron.x.y = value },
            { $0.softIron.y.z = value }, { $0.softIron.z.x = value }, { $0.fieldTesla = value },
            { $0.dipRadians = value }, { $0.headingSigmaRadians = value },
        ]
        for (index, change) in changes.enumerated() {
            var (status, magnetometer) = (Message.Status(), Message.Magnetometer())
            change(&magnetometer)
            status.magnetometer = magnetometer
            guard case .status(let told) = try sent(.status(status)) else { throw NoMessage() }
            #expect((told.magnetometer != nil) == isSent, "\(index)")
            #expect(GoldenValues.text(.status(status)).contains("\"magnetometer\":null") == !isSent, "\(index)")
        }
    }

    @Test func whatIsNoMountOrCalibrationIsNotInThePacket() {
        // GIVEN a mount that is no rotation, and a calibration that is none WHEN encoded THEN the packet is that of a
        // status without them, to the byte: other programs read its bits
        let none = Message.status(Message.Status()).packet(sequence: 1)
        var status = Message.Status()
        status.mount = Message.Mount(
            sensorToBody: .init(2, 0, 0, 0), sigmaRadians: .init(0.1, 0.1, 0.1), origin: .found)
        var magnetometer = Message.Magnetometer()
        magnetometer.fieldTesla = 1e3
        status.magnetometer = magnetometer
        #expect(Message.status(status).packet(sequence: 1) == none)
    }

    @Test func aValueWithoutItsBitIsUnknown() throws {
        // GIVEN the packet of a status with a mount and a magnetometer WHEN another program clears their bits and
        // leaves the numbers THEN they are unknown
        var status = Message.Status()
        status.mount = Message.Mount(
            sensorToBody: .init(1, 0, 0, 0), sigmaRadians: .init(0.1, 0.1, 0.1), origin: .found)
        status.magnetometer = Message.Magnetometer()
        var packet = Message.status(status).packet(sequence: 1)
        let place =
            MemoryLayout<posed_header>.size + (try #require(MemoryLayout<posed_status>.offset(of: \.block.valid)))
        packet.replaceSubrange(place..<(place + 4), with: [0, 0, 0, 0])
        guard case .status(let told) = try packet.withUnsafeBytes({ try ReceivedMessage(packet: $0) }).message else {
            throw NoMessage()
        }
        #expect(told.mount == nil && told.magnetometer == nil)
        guard case .status(let whole) = try sent(.status(status)) else { throw NoMessage() }
        #expect(whole.mount != nil && whole.magnetometer != nil)
    }

    @Test(arguments: [1.0, -1]) func aPlaceOfAFrameIsBelowTenRadians(sign: Double) throws {
        for (angle, isSent) in [(sign * 10.0.nextDown, true), (sign * 10, false)] {
            for (latitude, longitude) in [(angle, 0.5), (0.5, angle)] {
                var frame = Frame()
                (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (latitude, longitude)
                (frame.pose.originLatitudeRadians, frame.pose.originLongitudeRadians) = (latitude, longitude)
                let message = try sent(.frame(frame, .init(topics: .inFrames, dropped: 0)))
                guard case .frame(let told, _) = message else { throw NoMessage() }
                #expect((told.pose.latitudeRadians != nil) == isSent && (told.pose.longitudeRadians != nil) == isSent)
                #expect((told.pose.originLatitudeRadians != nil) == isSent)
                #expect((told.pose.originLongitudeRadians != nil) == isSent)
            }
        }
    }

    @Test(arguments: [1.0, -1]) func aFieldOfAFrameIsBelowItsLimit(sign: Double) throws {
        // GIVEN numbers just below their limits, and at them: 1e12 of a length, 1e6 rad of an angle WHEN a frame with
        // them is sent THEN only the former arrive; what cannot be unknown is 0
        for (isSent, length, angle) in [
            (true, 1e12.nextDown, 1e6.nextDown), (true, 5e6, 7), (false, 1e12, 1e6), (false, 1e13, 1e7),
        ] {
            var frame = Frame()
            frame.pose.altitudeEllipsoidMeters = sign * length
            (frame.guidance.progressMeters, frame.guidance.jumpDeltaMeters) = (sign * length, sign * length)
            (frame.pose.rollRadians, frame.pose.headingTrueRadians) = (sign * angle, sign * angle)
            frame.pose.headingTrimRadians = sign * angle
            let message = try sent(.frame(frame, .init(topics: .inFrames, dropped: 0)))
            guard case .frame(let told, _) = message else { throw NoMessage() }
            #expect(told.pose.altitudeEllipsoidMeters == (isSent ? sign * length : nil))
            #expect(told.guidance.progressMeters == (isSent ? sign * length : nil))
            #expect(told.guidance.jumpDeltaMeters == (isSent ? sign * length : 0))
            #expect((told.pose.rollRadians != nil) == isSent && (told.pose.headingTrueRadians != nil) == isSent)
            #expect((told.pose.headingTrimRadians != 0) == isSent)
        }
    }

    @Test(arguments: [(9e8, true), (-9e8, true), (9e8 + 1, false), (-9e8 - 1, false), (.nan, false)])
    func theSumOfAVectorIsBelowABillion(part: Double, isSent: Bool) throws {
        // GIVEN vectors whose magnitudes have a sum just below 1e9, or of 1e9, whichever part is the large one WHEN a
        // frame with them is sent THEN only the former arrive, on both sockets; what cannot be unknown is 0
        let rest = 1e8 - 1
        for place in 0..<4 {
            let turn = (0..<4).map { $0 == place ? part : $0 == (place + 1) % 4 ? rest : 0 }
            let vector = (0..<3).map { $0 == place % 3 ? part : $0 == (place + 1) % 3 ? -rest : 0 }
            var frame = Frame()
            frame.pose.bodyToENU = .init(turn[0], turn[1], turn[2], turn[3])
            frame.pose.positionENUMeters = .init(vector[0], vector[1], vector[2])
            frame.pose.glideENUMeters = .init(vector[0], vector[1], vector[2])
            let message = Message.frame(frame, .init(topics: .inFrames, dropped: 0))
            guard case .frame(let told, _) = try sent(message) else { throw NoMessage() }
            #expect(told.pose.bodyToENU == (isSent ? frame.pose.bodyToENU : nil))
            #expect(told.pose.positionENUMeters == (isSent ? frame.pose.positionENUMeters : nil))
            #expect(told.pose.glideENUMeters == (isSent ? frame.pose.glideENUMeters : .init(0, 0, 0)))
            let line = GoldenValues.text(message)
            #expect(line.contains("\"q_enu_body\":null") == !isSent && line.contains("\"enu_m\":null") == !isSent)
        }
    }

    @Test(arguments: [(1e6.nextDown, true), (-1e6.nextDown, true), (1e6, false), (-1e6, false), (.nan, false)])
    func aBearingOfASceneIsBelowAMillionRadians(radians: Double, isSent: Bool) throws {
        var (scene, point) = (Message.Scene(), Message.ScenePoint(number: 1, kind: .turn))
        (point.sight.edgeRadians, point.sight.bearingRadians) = (radians, radians)
        scene.points = [point]
        guard case .scene(let seen) = try sent(.scene(scene)) else { throw NoMessage() }
        let sight = try #require(seen.points.first?.sight)
        #expect((sight.edgeRadians != nil) == isSent && (sight.bearingRadians != nil) == isSent)
    }

    @Test(arguments: [(999_999.0, true), (1e6, false), (-1e6, false)]) func aPlaceOnADisplayIsBelowAMillion(
        right: Double, isSent: Bool
    ) throws {
        // GIVEN a place on the display whose sum of magnitudes is below its limit, or at it THEN only the former is
        // sent, on both sockets
        var (scene, point) = (Message.Scene(), Message.ScenePoint(number: 1, kind: .turn))
        (point.sight.screenRight, point.sight.screenDown) = (right, 0)
        scene.points = [point]
        guard case .scene(let seen) = try sent(.scene(scene)) else { throw NoMessage() }
        let sight = try #require(seen.points.first?.sight)
        #expect((sight.screenRight != nil) == isSent && (sight.screenDown != nil) == isSent)
        #expect(GoldenValues.text(.scene(scene)).contains("\"screen\":null") == !isSent)
    }

    @Test(arguments: [Double.nan, .infinity]) func aNumberThatIsNoneIsUnknown(poison: Double) throws {
        // GIVEN a frame with a latitude and an altitude WHEN another program writes what is no number in their places
        // THEN they are unknown
        var frame = Frame()
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (0.5, 0.25)
        frame.pose.altitudeMeanSeaMeters = 123.456
        var packet = Message.frame(frame, .init(topics: .inFrames, dropped: 0)).packet(sequence: 1)
        var changed = 0
        for place in stride(from: 0, to: packet.count - 7, by: 8) {
            let value = packet.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: Double.self) }
            guard value == 123.456 || abs(value - 0.5 * 180 / .pi) < 1e-9 else { continue }
            changed += 1
            withUnsafeBytes(of: poison) { packet.replaceSubrange(place..<(place + 8), with: $0) }
        }
        #expect(changed == 2)
        guard case .frame(let told, _) = try packet.withUnsafeBytes({ try ReceivedMessage(packet: $0) }).message else {
            throw NoMessage()
        }
        #expect(told.pose.latitudeRadians == nil && told.pose.altitudeMeanSeaMeters == nil)
    }

    @Test(arguments: [(100, 100), (101, 100), (450, 100)]) func aListOfPointsHasItsMostEntries(
        count: Int, kept: Int
    ) throws {
        // GIVEN as many points as may be sent, or more WHEN sent THEN the first ones arrive
        var points = Message.InterestPoints()
        points.points = (0..<count).map { .init(id: "\($0)", name: "", category: "") }
        guard case .points(let near) = try sent(.points(points)) else { throw NoMessage() }
        #expect(near.points.map(\.id) == (0..<kept).map { "\($0)" })
        var scene = Message.Scene()
        scene.points = (0..<count).map { .init(number: UInt32($0), kind: .turn) }
        guard case .scene(let seen) = try sent(.scene(scene)) else { throw NoMessage() }
        #expect(seen.points.map(\.number) == (0..<min(UInt32(count), 400)).map { $0 })
    }

    @Test(arguments: [(32, 32), (33, 32)]) func aTurnHas32LanesAtMost(count: Int, kept: Int) throws {
        var maneuver = Message.Maneuver(routeVersion: 1)
        maneuver.index = 2
        maneuver.lanes = (0..<count).map {
            .init(arrows: [.left], isValid: $0.isMultiple(of: 2), isRecommended: $0.isMultiple(of: 3))
        }
        guard case .maneuver(let turn) = try sent(.maneuver(maneuver)) else { throw NoMessage() }
        #expect(turn.lanes == Array(maneuver.lanes.prefix(kept)))
        let line = GoldenValues.text(.maneuver(maneuver))
        #expect(line.matches(of: /"arrows"/).count == kept)
    }

    @Test func anErrorNumberHasItsText() {
        #expect(describe(2) == "No such file or directory" && describe(13) == "Permission denied")
    }

    @Test(arguments: [(4096, 4096), (4097, 4096), (0, 0)]) func aTextHas4096Bytes(count: Int, kept: Int) throws {
        // GIVEN a text of the greatest length, or longer WHEN sent THEN it arrives whole, or is cut
        let text = String(repeating: "x", count: count)
        guard case .bye(let bye) = try sent(.bye(.init(reason: .flood, text: text))) else { throw NoMessage() }
        #expect(bye.text.utf8.count == kept)
        // AND those of a point of interest have 96 bytes
        let short = String(repeating: "x", count: count == 0 ? 0 : count - 4000)
        var points = Message.InterestPoints()
        points.points = [.init(id: short, name: short, category: short)]
        guard case .points(let near) = try sent(.points(points)) else { throw NoMessage() }
        let texts = near.points.flatMap { [$0.id, $0.name, $0.category].map(\.utf8.count) }
        #expect(texts == [Int](repeating: kept == 0 ? 0 : 96, count: 3))
        // AND a character that does not fit whole is left out
        let umlaut = String(repeating: "x", count: 4095) + "ü"
        guard case .bye(let cut) = try sent(.bye(.init(reason: .flood, text: umlaut))) else { throw NoMessage() }
        #expect(cut.text == String(repeating: "x", count: 4095))
    }

    @Test(arguments: [
        (Double.pi / 2, 0.0, 0.0, [0, 0, 6_356_752.3142]), (-Double.pi / 2, 1, 1000, [0, 0, -6_357_752.3142]),
        (0, Double.pi / 2, -1000, [0, 6_377_137, 0]), (0, -Double.pi, 0, [-6_378_137, 0, 0]),
    ]) func aPlaceIsEarthCentred(latitude: Double, longitude: Double, altitude: Double, meters: [Double]) throws {
        // GIVEN the poles and the equator THEN they are where the axes of WGS 84 have them, to 0.1 mm
        var pose = Frame.Pose()
        (pose.latitudeRadians, pose.longitudeRadians, pose.altitudeEllipsoidMeters) = (latitude, longitude, altitude)
        let place = try #require(pose.ecefMeters)
        for (value, expected) in zip([place.x, place.y, place.z], meters) { #expect(abs(value - expected) < 1e-4) }
    }

    @Test func aPlaceThatIsNoneHasNoCoordinates() {
        // GIVEN a place of which one part is just below its limit, at it, or unknown
        var pose = Frame.Pose()
        (pose.latitudeRadians, pose.longitudeRadians, pose.altitudeEllipsoidMeters) = (0.5, 0.25, 100)
        let parts: [(WritableKeyPath<Frame.Pose, Double?>, Double)] = [
            (\.latitudeRadians, 10), (\.longitudeRadians, 10), (\.altitudeEllipsoidMeters, 1e8),
        ]
        for (part, limit) in parts {
            var other = pose
            for (value, isKnown) in [(limit.nextDown, true), (-limit.nextDown, true), (limit, false), (-limit, false)] {
                other[keyPath: part] = value
                #expect((other.ecefMeters != nil) == isKnown, "\(value)")
            }
            other[keyPath: part] = nil
            #expect(other.ecefMeters == nil)
        }
    }
}
