import Calibration
import Engine
import EngineRuntime
import Frames
import Fusion
import Horizon
import Logging
import Measurements
import Platform
import PoseMath
import Recorder
import Routing
import SensorInterface
import Testing

@testable import Commands
@testable import Publishing

/// What the handler of the commands tells of the daemon: samples, the short status, recorder, routing and horizon.
@Suite struct HandlerStatusTests {
    private let loop = EngineLoop(engine: .init())
    private let board = SourceStatusBoard()
    private let fanOut = FanOut(hello: .init(release: "test"), limits: .init(clients: 20, heldBytes: 4 << 20))
    private let sink: QueueSink
    private let handler: CommandHandler

    init() {
        sink = loop.makeSink(name: "imu", capacity: 1)
        handler = CommandHandler(
            loop: loop, wheels: sink, board: board, completionEvent: EventFD(), defaultRateMillihertz: 10_000,
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The text of some members.
    private func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(capacity: 1024)
        write(&writer)
        return writer.text
    }

    private func register(_ kind: SensorKind, _ change: (inout SourceStatus) -> Void) {
        let entry = board.register(SourceDescription(name: "\(kind)", kind: kind, place: "x"))
        board.update(entry, change)
    }

    /// What a trusted client is answered last to a line.
    private func client() -> (String) -> String {
        let end = StreamEnd(3, Peer(processId: 1, userId: 0, mayCommand: true))
        fanOut.admit(end.client, now: MonotonicTime(nanoseconds: 0))
        return { line in
            _ = end.lines()
            handler.perform(ArraySlice(line.utf8), from: end.client, fanOut: fanOut)
            return end.lines().last ?? ""
        }
    }

    /// An IMU and a magnetometer with corrections.
    private func registerDevices() {
        register(.imu) { imu in
            imu.device = "iio:1"
            imu.corrections.gyro = .init(
                offset: Vector3(0.1234567891, 0.2, 0.3), diagonal: Vector3(1.1, 1.2, 1.3),
                offDiagonal: Vector3(0.01, 0.02, 0.03))
            imu.corrections.accelerometer = .init(offset: Vector3(1, 2, 3))
        }
        register(.magnetometer) { magnetometer in
            magnetometer.device = "iio:2"
            magnetometer.corrections.magnetometer = .init(offset: Vector3(1e-6, 2e-6, 3e-6))
        }
    }

    @Test func samplesAreSentAsTheyGoToTheEngine() {
        // GIVEN an IMU and a magnetometer with corrections, and a client that has asked before WHEN samples come THEN
        // the reply has them in rad/s, m/s2 and microtesla, with the devices and corrections; of sources without a
        // device nothing is told
        let ask = client()
        register(.imu) { _ in }
        #expect(
            ask(#"{"cmd":"samples"}"#) == #"{"type":"reply","cmd":"samples","ok":true,"last":0,"lost":0,"#
                + #""imu_device":null,"mag_device":null,"imu":[],"mag":[]}"#)
        registerDevices()
        let time = MonotonicTime(nanoseconds: 5_000_000_001)
        sink.send(
            .inertial(
                .init(
                    time: time, angularRateRadiansPerSecond: Vector3(0.1234567891, -0.2, 0.3),
                    specificForceMetersPerSecondSquared: Vector3(1.23456789, -2, 9.81))))
        sink.send(.magnetic(.init(time: time, fluxDensityTesla: Vector3(21.1234567e-6, -1e-6, 42e-6))))
        #expect(
            ask(#"{"cmd":"samples","after":0}"#) == #"{"type":"reply","cmd":"samples","ok":true,"last":2,"lost":0,"#
                + #""imu_device":"iio:1","mag_device":"iio:2","gyro_correction":[0.123456789,0.200000000,0.300000000,"#
                + #"1.100000000,1.200000000,1.300000000,0.010000000,0.020000000,0.030000000],"#
                + #""accelerometer_correction":[1.000000000,2.000000000,3.000000000,1.000000000,1.000000000,"#
                + #"1.000000000,0.000000000,0.000000000,0.000000000],"magnetometer_correction":[1.000000000,"#
                + #"2.000000000,3.000000000,1.000000000,1.000000000,1.000000000,0.000000000,0.000000000,0.000000000],"#
                + #""imu":[[5000000001,0.123456789,-0.200000000,0.300000000,1.2345679,-2.0000000,9.8100000]],"#
                + #""mag":[[5000000001,21.12346,-1.00000,42.00000]]}"#)
        // AND at most 256 at once
        let sample = MagneticSample(time: time, fluxDensityTesla: .zero)
        for _ in 0..<300 { sink.send(.magnetic(sample)) }
        #expect(ask(#"{"cmd":"samples","after":2}"#).contains(#","last":258,"lost":0,"#))
    }

    @Test func theShortStatusAddsUpWhatIsKnown() {
        // GIVEN two receivers, an IMU, a barometer and wheels, counters of the engine, and two clients THEN the message
        // has the sums over the receivers, the rates of receiver and IMU, and what the frame says
        for (accepted, rejected, rate) in [(UInt64(120), UInt64(3), 5.0), (7, 4, nil)] as [(UInt64, UInt64, Double?)] {
            register(.gps) { gps in
                (gps.acceptedCount, gps.rateHertz) = (accepted, rate)
                gps.rejections = [.init(reason: "old", count: rejected), .init(reason: "late", count: 1)]
            }
        }
        register(.imu) { ($0.acceptedCount, $0.rateHertz) = (9000, 200) }
        register(.barometer) { ($0.acceptedCount, $0.rateHertz) = (50, 10) }
        for isRepeat in [true, true, false] { loop.counters.note(PublishedFrame(frame: Frame(), isRepeat: isRepeat)) }
        // The queue holds some; of many more at least one is lost, and all that are lost are counted.
        for _ in 0..<100 {
            sink.send(.magnetic(.init(time: MonotonicTime(nanoseconds: 0), fluxDensityTesla: .zero)))
        }
        for number in [UInt64(1), 2] {
            let end = StreamEnd(number, Peer(processId: 1, userId: 0, mayCommand: true))
            fanOut.admit(end.client, now: MonotonicTime(nanoseconds: 0))
        }
        var frame = Frame()
        (frame.pose.state, frame.guidance.state, frame.isSimulated) = (.lost, .offRoute, true)
        frame.sources.gps = .stale
        handler.didPublish(frame, fanOut: fanOut)
        handler.calibration.mount = MountEstimate(
            sensorToBody: Quaternion(w: 0.5, x: 0.5, y: 0.5, z: 0.5), sigmaBodyRadians: Vector3(0.01, 0.02, 0.03),
            origin: .kept, antenna: AntennaArm())
        let status = handler.statusMessage(fanOut)
        #expect([status.fixesAccepted, status.fixesRejected] == [127, 9])
        #expect([status.fixRateHertz, status.imuRateHertz] == [5, 200])
        #expect(status.framesMade == loop.counters.frameCount && status.framesRepeated == 2)
        #expect(status.measurementsLost == loop.dropped.reduce(0) { $0 + $1.count } && status.measurementsLost > 0)
        #expect([status.clients, status.clientLimit] == [2, 20])
        #expect(status.poseState == .lost && status.guidanceState == .offRoute && status.isSimulated)
        #expect(status.sources.gps == .stale && status.messagesLost == 0)
        #expect(status.mount?.origin == .kept && status.mount?.sigmaRadians == .init(0.01, 0.02, 0.03))
        #expect(status.why.first == "no motion sensor: imu (x): not started" && status.uptimeSeconds >= 0)
        #expect(handler.poseSummary == "lost: " + status.why.joined(separator: "; "))
    }

    @Test(arguments: [0, 1])
    func theFixRateIsThatOfTheReceiverInUse(_ used: Int) {
        // GIVEN two receivers, one in use and one that stands by THEN the message has the rate of the one in use
        let rates = [10.0, 1]
        for (place, rate) in rates.enumerated() {
            register(.gps) { gps in
                gps.rateHertz = rate
                gps.receiver = ReceiverStatus()
                gps.receiver?.isInUse = place == used
            }
        }
        #expect(handler.statusMessage(fanOut).fixRateHertz == rates[used])
    }

    @Test func theRecorderHasItsMembers() {
        // GIVEN a recorder that is off, and one with everything to tell THEN these are its members
        #expect(
            text { CommandHandler.write(RecorderStatus(), &$0) } == ",\"recording\":{\"state\":\"off\",\"folder\":null,"
                + "\"file\":null,\"bytes\":0,\"seconds\":0.0,\"from_start\":false,\"has_reset\":false,"
                + "\"private\":false,\"lost\":0,\"lost_chunks\":0,\"problem\":null}")
        var status = RecorderStatus()
        (status.state, status.folder, status.file, status.bytes) = (.failed, "/f", "/f/1.mcap", 77)
        (status.seconds, status.isFromStart, status.lost, status.lostChunks) = (1.26, true, 2, 3)
        status.problem = "the disk is full"
        #expect(
            text { CommandHandler.write(status, &$0) } == ",\"recording\":{\"state\":\"failed\",\"folder\":\"/f\","
                + "\"file\":\"/f/1.mcap\",\"bytes\":77,\"seconds\":1.3,\"from_start\":true,\"has_reset\":false,"
                + "\"private\":false,\"lost\":2,\"lost_chunks\":3,\"problem\":\"the disk is full\"}")
        (status.isFromStart, status.hasReset) = (false, true)
        #expect(
            text { CommandHandler.write(status, &$0) }.contains(#""from_start":false,"has_reset":true,"private":f"#))
        (status.hasReset, status.isPrivate) = (false, true)
        #expect(text { CommandHandler.write(status, &$0) }.contains(#""has_reset":false,"private":true"#))
    }

    @Test func aRecorderWithoutAFolderSaysWhatToDo() {
        // GIVEN a recorder without a folder WHEN it is asked, started and stopped THEN only the start is refused
        handler.recorder = Recorder(
            source: Recorder.Source(
                inputs: InputTap(), publications: PublicationTap(), release: "1", settings: { _ in .init() },
                roads: { nil }), log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let ask = client()
        let off = #""recording":{"state":"off","folder":null,"file":null,"bytes":0,"#
        #expect(ask(#"{"cmd":"record","action":"status"}"#).contains(#""cmd":"record","ok":true,"# + off))
        #expect(
            ask(#"{"cmd":"record","action":"start"}"#).hasSuffix(
                #""ok":false,"error":{"what":"no folder for recordings is set","where":"record","#
                    + #""remedy":"set recording.folder, or run posed as a service"}}"#))
        #expect(ask(#"{"cmd":"record","action":"stop"}"#).contains(#""cmd":"record","ok":true,"# + off))
        // AND the status tells of it
        #expect(ask(#"{"cmd":"status"}"#).contains("," + off))
    }

    @Test func aRecordingInMidRunBeginsWithRouteAndTrim() {
        // GIVEN an engine that has got no route and no trim THEN a recording begins with the sources alone
        func context() -> [String] { handler.recordingContext.map { "\($0)" } }
        #expect(context().count == SensorKind.allCases.count)
        // WHEN the route is cleared, and the heading trimmed THEN it begins with that too
        _ = client()(#"{"cmd":"route_clear"}"#)
        var frame = Frame()
        frame.pose.headingTrimRadians = 0.25
        handler.didPublish(frame, fanOut: fanOut)
        let inputs: [EngineInput] = [
            .command(.setRoute(nil, version: 1)), .command(.setHeadingTrim(radians: 0.25)),
        ]
        #expect(Array(context().dropFirst(SensorKind.allCases.count)) == inputs.map { "\($0)" })
    }

    @Test func routingAndRoadsHaveTheirMembers() {
        // GIVEN no routing server, and then one THEN its name and state are told; with a horizon also the files
        #expect(
            text { handler.writeHorizon(&$0) }
                == ",\"routing\":{\"server\":null,\"state\":\"no server\",\"reroutes\":0}")
        handler.routing.address = "http://[::1]:8002"
        #expect(text { handler.writeHorizon(&$0) }.contains(#","state":"following","reroutes":0}"#))
        handler.horizon = HorizonWorker(
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, wakeUp: EventFD(), nextQuestion: { nil },
            route: { _ in nil }, publishSpeedHorizon: { _ in })
        #expect(
            text { handler.writeHorizon(&$0) }.hasSuffix(
                ",\"roads\":{\"file\":null,\"holds\":\"\",\"problem\":null}"
                    + ",\"points\":{\"file\":null,\"holds\":\"\",\"problem\":null}"))
    }

    @Test func targetsAndPointsAreAnsweredWithAHorizon() {
        // GIVEN a horizon that shows no point WHEN targets and categories are chosen THEN the reply tells the first
        // place, how many there are, and the categories in order; a point that is not shown is refused
        handler.horizon = HorizonWorker(
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, wakeUp: EventFD(), nextQuestion: { nil },
            route: { _ in nil }, publishSpeedHorizon: { _ in })
        handler.routing.address = "http://[::1]:8002"
        let answer = client()
        func ask(_ line: String) -> String { answer(line).replacing(#"{"type":"reply","#, with: "") }
        #expect(ask(#"{"cmd":"target"}"#) == #""cmd":"target","ok":true,"lat_deg":null,"lon_deg":null,"targets":0}"#)
        #expect(
            ask(#"{"cmd":"target","places":[[42.12345678,1.5],[43,2]]}"#)
                == #""cmd":"target","ok":true,"lat_deg":42.1234568,"lon_deg":1.5000000,"targets":2}"#)
        #expect(
            ask(#"{"cmd":"target","point_id":"node/8"}"#) == #""cmd":"target","ok":false,"error":{"what":"no point of "#
                + #"interest shown has the id node/8","where":"point_id","#
                + #""remedy":"use the id of a point that is shown"}}"#
        )
        #expect(
            ask(#"{"cmd":"points","categories":["fuel","cafe"]}"#)
                == #""cmd":"points","ok":true,"categories":["cafe","fuel"]}"#)
        // AND a long id is cut to 64 characters
        let long = ask(#"{"cmd":"point","point_id":"\#(String(repeating: "i", count: 70))"}"#)
        #expect(long.contains("the id " + String(repeating: "i", count: 64) + #"","where""#))
        // AND a route needs a position
        #expect(
            ask(#"{"cmd":"route_to","lat_deg":1,"lon_deg":2}"#) == #""cmd":"route_to","ok":false,"error":{"what":"the "#
                + #"position is too inaccurate for the start of a route","where":"pose","remedy":"wait for a fix; "#
                + #"`posectl status` says what is missing"}}"#)
    }
}
