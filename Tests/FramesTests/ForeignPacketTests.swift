import CPosed
import Testing

@testable import Frames

/// Packets of other programs, and of other releases: what is wrong with them, and what of them is read.
@Suite struct ForeignPacketTests {
    /// Another message came than was sent.
    private struct NoMessage: Error {}

    private func decoded(_ packet: [UInt8]) throws(BinaryError) -> Message {
        var result: Result<Message, BinaryError> = .failure(.truncated)
        packet.withUnsafeBytes { bytes in
            do throws(BinaryError) { result = .success(try ReceivedMessage(packet: bytes).message) } catch {
                result = .failure(error)
            }
        }
        return try result.get()
    }

    private func problem(_ packet: [UInt8]) -> BinaryError? {
        do throws(BinaryError) {
            _ = try decoded(packet)
            return nil
        } catch { return error }
    }

    private func write<Value: BitwiseCopyable>(_ value: Value, at place: Int, of packet: inout [UInt8]) {
        withUnsafeBytes(of: value) { packet.replaceSubrange(place..<(place + $0.count), with: $0) }
    }

    /// A packet with more blocks behind its own.
    private func packet(_ message: Message, with more: [UInt8], blocks: UInt32) -> [UInt8] {
        var packet = message.packet(sequence: 1)
        let own = packet.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 12, as: UInt32.self) }
        packet += more
        write(UInt32(packet.count), at: 8, of: &packet)
        write(own + blocks, at: 12, of: &packet)
        return packet
    }

    @Test func aHeaderSaysWhatAPacketIs() {
        // GIVEN the shortest packet, and ones that are shorter, foreign, of another version or of another length THEN
        // each has its error
        let shortest = Message.unknown(type: 999).packet(sequence: 7)
        #expect(shortest.count == 24 && problem(shortest) == nil)
        #expect(problem(Array(shortest.dropLast())) == .truncated && problem([]) == .truncated)
        var foreign = shortest
        foreign[0] ^= 1
        #expect(problem(foreign) == .foreign)
        var later = shortest
        later[4] = 2
        #expect(problem(later) == .version(2))
        #expect(problem(shortest + [0]) == .length)
        var shorter = shortest
        shorter[8] = 23
        #expect(problem(shorter) == .length)
    }

    @Test func aBlockLiesWithinItsPacket() throws {
        // GIVEN blocks of an unknown kind behind a goodbye: of a head alone, which is the shortest, and of 16 bytes
        // THEN they are passed over
        let bye = Message.bye(.init(reason: .flood, text: "why"))
        let head: [UInt8] = [0x30, 0x75, 8, 0, 0, 0, 0, 0]
        let longer: [UInt8] = [0x31, 0x75, 16, 0, 0, 0, 0, 0] + [UInt8](repeating: 0xEE, count: 8)
        for (more, blocks) in [(head, 1), (longer, 1), (head + head, 2), (longer + head, 2)] as [([UInt8], UInt32)] {
            #expect(try decoded(packet(bye, with: more, blocks: blocks)) == bye)
        }
        // AND with fewer or more of them than the header says the length is wrong
        #expect(problem(packet(bye, with: head, blocks: 0)) == .length)
        #expect(problem(packet(bye, with: head, blocks: 2)) == .length)
        #expect(problem(packet(bye, with: Array(head.dropLast()), blocks: 1)) == .length)
        // AND one that is shorter than its head, or ends behind the packet, is named
        var short = head
        short[2] = 7
        #expect(problem(packet(bye, with: short, blocks: 1)) == .block(id: 0x7530))
        var long = head
        long[2] = 9
        #expect(problem(packet(bye, with: long, blocks: 1)) == .block(id: 0x7530))
    }

    @Test func aMessageHasItsBlock() {
        // GIVEN messages of each type without a block THEN the missing one is named
        let types: [(UInt32, UInt32)] = [
            (POSED_HELLO, POSED_BLOCK_HELLO), (POSED_SUBSCRIBE, POSED_BLOCK_SUBSCRIBE),
            (POSED_FRAME, POSED_BLOCK_STAMP),
            (POSED_MANEUVER, POSED_BLOCK_MANEUVER), (POSED_EVENT, POSED_BLOCK_EVENT), (POSED_BYE, POSED_BLOCK_BYE),
            (POSED_STATUS, POSED_BLOCK_STATUS), (POSED_SCENE, POSED_BLOCK_SCENE), (POSED_POINTS, POSED_BLOCK_POINTS),
            (POSED_ROUTE, POSED_BLOCK_ROUTE), (POSED_SHARED, POSED_BLOCK_SHARED),
        ]
        for (type, block) in types {
            let packet = Message.unknown(type: UInt16(type)).packet(sequence: 1)
            #expect(problem(packet) == .missingBlock(id: UInt16(block)))
        }
    }

    @Test func elementsLieWithinTheirBlock() throws {
        // GIVEN a scene of two points WHEN another program states one point more, or points of less than 8 bytes THEN
        // the block is named; without points their size is of no importance
        var scene = Message.Scene()
        scene.points = [.init(number: 1, kind: .turn), .init(number: 2, kind: .marker)]
        let head = MemoryLayout<posed_header>.size
        let count = head + (try #require(MemoryLayout<posed_scene>.offset(of: \.count)))
        let size = head + (try #require(MemoryLayout<posed_scene>.offset(of: \.element_size)))
        for (number, bytes, isRead) in [
            (2, nil, true), (3, nil, false), (1, nil, true), (2, 8, true), (2, 7, false), (0, 0, true),
        ] as [(UInt16, UInt16?, Bool)] {
            var packet = Message.scene(scene).packet(sequence: 1)
            write(number, at: count, of: &packet)
            if let bytes { write(bytes, at: size, of: &packet) }
            #expect(problem(packet) == (isRead ? nil : .block(id: UInt16(POSED_BLOCK_SCENE))), "\(number)")
            guard isRead, case .scene(let told) = try decoded(packet) else { continue }
            #expect(told.points.count == Int(number) && (number == 0 || told.points[0].number == 1))
        }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity]) func aPlaceWithoutNumbersIsLeftOut(poison: Double) throws {
        // GIVEN a route with two points and two places WHEN another program writes what is no number in one of them
        // THEN that one is left out, or without its distance
        var route = Message.RouteLine()
        route.points = [1, 2].map { .init(latitudeRadians: 0.5, longitudeRadians: 0.25, alongRouteMeters: $0) }
        route.places = [3, 4].map {
            .init(kind: .turn, number: $0, latitudeRadians: 0.5, longitudeRadians: 0.25, alongRouteMeters: 9)
        }
        let whole = Message.route(route).packet(sequence: 1)
        let points = MemoryLayout<posed_header>.size + MemoryLayout<posed_route>.size
        let places = points + 2 * MemoryLayout<posed_route_point>.size
        func told(_ place: Int?) throws -> Message.RouteLine {
            var packet = whole
            write(poison, at: try #require(place), of: &packet)
            guard case .route(let line) = try decoded(packet) else { throw NoMessage() }
            return line
        }
        for field in [\posed_route_point.lat_deg, \.lon_deg, \.along_route_m] {
            let line = try told(MemoryLayout<posed_route_point>.offset(of: field).map { points + $0 })
            #expect(line.points.map(\.alongRouteMeters) == [2] && line.places.count == 2)
        }
        for field in [\posed_route_place.lat_deg, \.lon_deg] {
            let line = try told(MemoryLayout<posed_route_place>.offset(of: field).map { places + $0 })
            #expect(line.points.count == 2 && line.places.map(\.number) == [4])
        }
        let line = try told(MemoryLayout<posed_route_place>.offset(of: \.along_route_m).map { places + $0 })
        #expect(line.places.map(\.alongRouteMeters) == [nil, 9])
        let length = try told(MemoryLayout<posed_route>.offset(of: \.length_m).map { 24 + $0 })
        #expect(length.lengthMeters == 0 && length.points.count == 2)
    }

    @Test(arguments: [Double.nan, .infinity]) func aPointWithoutItsPlaceStays(poison: Double) throws {
        // GIVEN a point of a scene and one of interest WHEN another program writes what is no number as their latitude
        // or longitude, or clears the bit THEN the points stay, and their place is unknown
        var (scene, points) = (Message.Scene(), Message.InterestPoints())
        var (turn, shop) = (
            Message.ScenePoint(number: 1, kind: .turn), Message.InterestPoint(id: "a", name: "", category: "")
        )
        (turn.latitudeRadians, turn.longitudeRadians, turn.alongRouteMeters) = (0.5, 0.25, 9)
        (shop.latitudeRadians, shop.longitudeRadians) = (0.5, 0.25)
        (scene.points, points.points) = ([turn], [shop])
        let begin = 24 + MemoryLayout<posed_scene>.size
        for field in [\posed_scene_point.lat_deg, \.lon_deg, \.along_route_m] {
            var packet = Message.scene(scene).packet(sequence: 1)
            write(poison, at: begin + (try #require(MemoryLayout<posed_scene_point>.offset(of: field))), of: &packet)
            guard case .scene(let told) = try decoded(packet) else { throw NoMessage() }
            let point = try #require(told.points.first)
            let isPlace = field != \.along_route_m
            #expect((point.latitudeRadians == nil) == isPlace && (point.longitudeRadians == nil) == isPlace)
            #expect(point.alongRouteMeters == (isPlace ? 9 : nil) && point.number == 1)
        }
        let other = 24 + MemoryLayout<posed_points>.size
        for field in [\posed_point.lat_deg, \.lon_deg] {
            var packet = Message.points(points).packet(sequence: 1)
            write(poison, at: other + (try #require(MemoryLayout<posed_point>.offset(of: field))), of: &packet)
            guard case .points(let told) = try decoded(packet) else { throw NoMessage() }
            #expect(told.points.map(\.id) == ["a"] && told.points[0].latitudeRadians == nil)
            #expect(told.points[0].longitudeRadians == nil)
        }
    }

    @Test func aCalibrationThatIsNoneIsUnknown() throws {
        // GIVEN the status of a daemon with mount and magnetometer WHEN another program writes what is no rotation, no
        // sigma and no field THEN that one is unknown, and the other is not
        var status = Message.Status()
        status.mount = .init(sensorToBody: .init(1, 0, 0, 0), sigmaRadians: .init(0.1, 0.1, 0.1), origin: .found)
        status.magnetometer = Message.Magnetometer()
        let whole = Message.status(status).packet(sequence: 1)
        func told<Value>(_ field: KeyPath<posed_status, Value>, _ value: Double) throws -> Message.Status {
            var packet = whole
            write(value, at: 24 + (try #require(MemoryLayout<posed_status>.offset(of: field))), of: &packet)
            guard case .status(let told) = try decoded(packet) else { throw NoMessage() }
            return told
        }
        for value in [2.0, .nan, .infinity] {
            let told = try told(\.mount_q, value)
            #expect(told.mount == nil && told.magnetometer != nil)
        }
        for value in [-1.0, 600, .nan] {
            let told = try told(\.mount_sigma_deg, value)
            #expect(told.mount == nil && told.magnetometer != nil)
        }
        // 1000 T, in microtesla.
        for value in [1e9, -1e9, .nan] {
            let told = try told(\.magnetic_field_ut, value)
            #expect(told.mount != nil && told.magnetometer == nil)
        }
        for value in [.nan, 1e6] { #expect(try told(\.magnetic_soft_iron, value).magnetometer == nil) }
        #expect(try told(\.magnetic_field_ut, 50).magnetometer?.fieldTesla == 50e-6)
    }
}
