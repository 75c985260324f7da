import Frames
import Measurements
import PoseMath
import Testing

@testable import DriveRecording

/// What is written stands under the number that other programs, and releases before and after, look for.
@Suite struct FieldNumberTests {
    /// A message as a reader without its description sees it. A path leads through messages inside of messages.
    private struct Message {
        let bytes: ArraySlice<UInt8>

        init(_ write: (inout ProtobufWriter) -> Void) {
            var writer = ProtobufWriter()
            write(&writer)
            bytes = writer.bytes[...]
        }

        private func content(_ path: [UInt32]) -> ProtobufValue? {
            var (bytes, content): (ArraySlice<UInt8>, ProtobufValue?) = (bytes, nil)
            for number in path {
                var reader = ProtobufReader(bytes)
                content = nil
                while let field = try? reader.next() { if field.number == number { content = field.value } }
                if case .bytes(let inner) = content { bytes = inner }
            }
            return content
        }

        func double(_ path: UInt32...) -> Double? {
            if case .fixed64(let bits) = content(path) { Double(bitPattern: bits) } else { nil }
        }

        func whole(_ path: UInt32...) -> UInt64? {
            if case .varint(let number) = content(path) { number } else { nil }
        }

        func text(_ path: UInt32...) -> String? {
            if case .bytes(let bytes) = content(path) { String(decoding: bytes, as: UTF8.self) } else { nil }
        }

        /// The fields 1, 2, 3 and so on of a message, all of them numbers.
        func doubles(_ path: UInt32..., count: UInt32) -> [Double?] {
            (1...count).map { last in
                if case .fixed64(let bits) = content(path + [last]) { Double(bitPattern: bits) } else { nil }
            }
        }

        /// A packed list of numbers.
        func list(_ path: UInt32...) -> [Double] {
            guard case .bytes(let packed) = content(path) else { return [] }
            return stride(from: packed.startIndex, to: packed.endIndex, by: 8).map { start in
                Double(bitPattern: packed[start..<(start + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) })
            }
        }
    }

    private var frame: Frame {
        var frame = Frame()
        frame.pose.bodyToENU = Frame.Quadruple(0.5, 0.25, -0.125, 0.75)
        frame.pose.positionENUMeters = Frame.Triple(100, -200, 30)
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (.pi / 4, -.pi / 6)
        frame.pose.altitudeEllipsoidMeters = 512
        frame.pose.positionSigmaENUMeters = Frame.Triple(2, 3, 5)
        return frame
    }

    @Test func aPoseInFrameIsAsFoxgloveReadsIt() throws {
        // GIVEN a frame with a pose WHEN it is written THEN it is that of foxglove/PoseInFrame.proto: 1 timestamp,
        // 2 frame_id, 3 pose with 1 position and 2 orientation (x, y, z, w)
        let message = Message { _ = $0.poseInFrame(frame, stamp: 7_000_000_008) }
        #expect(message.whole(1, 1) == 7 && message.whole(1, 2) == 8)
        #expect(message.text(2) == "local")
        #expect(message.doubles(3, 1, count: 3) == [100, -200, 30])
        let q = try #require(frame.pose.bodyToENU)
        #expect(message.doubles(3, 2, count: 4) == [q.x, q.y, q.z, q.w])
        // AND without an attitude nothing is written
        #expect(Message { _ = $0.poseInFrame(Frame(), stamp: 1) }.bytes.isEmpty)
    }

    @Test func aFrameTransformIsAsFoxgloveReadsIt() throws {
        // GIVEN a frame with a pose WHEN it is written THEN it is that of foxglove/FrameTransform.proto: 1 timestamp,
        // 2 parent_frame_id, 3 child_frame_id, 4 translation, 5 rotation
        let message = Message { _ = $0.frameTransform(frame, stamp: 7_000_000_008) }
        #expect(message.whole(1, 1) == 7 && message.whole(1, 2) == 8)
        #expect(message.text(2) == "local" && message.text(3) == "body")
        #expect(message.doubles(4, count: 3) == [100, -200, 30])
        let q = try #require(frame.pose.bodyToENU)
        #expect(message.doubles(5, count: 4) == [q.x, q.y, q.z, q.w])
    }

    @Test func aLocationFixIsAsFoxgloveReadsIt() {
        // GIVEN a frame with a position WHEN it is written THEN it is that of foxglove/LocationFix.proto: 1 latitude
        // and 2 longitude in degrees, 3 altitude, 4 the covariance (of which the diagonal is known: 5 is 2), 6
        // timestamp, 7 frame_id
        let message = Message { _ = $0.locationFix(frame, stamp: 7_000_000_008) }
        // A conversion from radians may change the last bit.
        #expect(abs((message.double(1) ?? 0) - 45) < 1e-12 && abs((message.double(2) ?? 0) + 30) < 1e-12)
        #expect(message.double(3) == 512)
        #expect(message.list(4) == [4, 0, 0, 0, 9, 0, 0, 0, 25] && message.whole(5) == 2)
        #expect(message.whole(6, 1) == 7 && message.whole(6, 2) == 8)
        #expect(message.text(7) == "body")
    }

    @Test func aLogLineIsAsFoxgloveReadsIt() {
        // GIVEN a warning WHEN it is written THEN it is that of foxglove/Log.proto: 1 timestamp, 2 level (3 is a
        // warning), 3 message, 4 name
        let line = RecordedLogLine(time: at(1), level: .warning, text: "low")
        let message = Message { $0.log(line, stamp: 7_000_000_008) }
        #expect(message.whole(1, 1) == 7 && message.whole(1, 2) == 8)
        #expect(message.whole(2) == 3 && message.text(3) == "low" && message.text(4) == "posed")
    }

    @Test func theFieldsOfAFixKeepTheirNumbers() throws {
        // GIVEN a fix with every number WHEN it is written THEN each is where every release looks for it
        let fix = Sample.fullFix
        let message = Message { MeasurementLayouts.fix.encode(fix, to: &$0) }
        let velocity = try #require(fix.horizontalVelocity)
        let doubles: [(UInt32, Double?)] = [
            (6, fix.latitudeRadians), (7, fix.longitudeRadians), (8, fix.altitudeEllipsoidMeters),
            (9, fix.altitudeMeanSeaMeters), (10, velocity.eastMetersPerSecond), (11, velocity.northMetersPerSecond),
            (12, fix.climbMetersPerSecond), (13, fix.horizontalSigmaMeters), (14, fix.verticalSigmaMeters),
            (15, fix.speedSigmaMetersPerSecond), (16, fix.climbSigmaMetersPerSecond), (17, fix.geoidSeparationMeters),
            (18, fix.magneticVariationRadians), (22, fix.headingTrueRadians), (23, fix.headingSigmaRadians),
        ]
        for (number, value) in doubles { #expect(message.double(number) == value, "\(number)") }
        let counts: [(UInt32, UInt64)] = [(19, 1), (20, 11), (21, 17), (24, 9)]
        for (number, value) in counts { #expect(message.whole(number) == value, "\(number)") }
    }

    @Test func aListThatIsEmptyIsNotWritten() throws {
        // GIVEN a route that was cleared WHEN it is written THEN its fields are 1 time, 2 version and 3 whether one is
        // followed, and no list and no text
        func numbers(_ route: RouteMessage) throws -> [UInt32] {
            var writer = ProtobufWriter()
            RouteLayout.route.encode(route, to: &writer)
            var (reader, found): (ProtobufReader, [UInt32]) = (ProtobufReader(writer.bytes[...]), [])
            while let field = try reader.next() { found.append(field.number) }
            return found
        }
        #expect(try numbers(RouteMessage()) == [1, 2, 3])
        // AND a list with one element is one field
        var route = RouteMessage()
        (route.limits, route.tunnels) = ([12.5], [0])
        #expect(try numbers(route) == [1, 2, 3, 7, 9])
    }

    @Test func noNumberAndNoNameIsUsedTwice() {
        // GIVEN the messages of a recording THEN their fields are numbered 1, 2, 3 in their order, and each name is
        // another one
        let fields = [
            MeasurementLayouts.inertial.description.fields, MeasurementLayouts.magnetic.description.fields,
            MeasurementLayouts.pressure.description.fields, MeasurementLayouts.wheelSpeed.description.fields,
            MeasurementLayouts.fix.description.fields, MeasurementLayouts.report.description.fields,
            CommandLayouts.command.description.fields, CommandLayouts.tick.description.fields,
            CommandLayouts.roadAhead.description.fields,
        ]
        for fields in fields {
            let numbers = fields.map(\.number)
            #expect(numbers == Array(1...UInt32(numbers.count)), "\(fields.map(\.name))")
            #expect(Set(fields.map(\.name)).count == fields.count)
        }
    }
}
