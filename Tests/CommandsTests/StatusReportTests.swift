import EngineRuntime
import Frames
import Geodesy
import Guidance
import Platform
import PoseMath
import Publishing
import SensorInterface
import StoredTexts
import Testing

@testable import Commands
@testable import Fusion

/// The reply to `status`, whole, with every member known and with none.
@Suite struct StatusReportTests {
    /// The member of the reply, one per line, so that a difference is found.
    private func text(_ report: StatusReport, _ route: RouteInForce, _ loop: EngineLoop) -> String {
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(clients: 20, heldBytes: 4 << 20))
        var writer = JSONWriter(capacity: 8192)
        report.write(to: &writer, route: route, fanOut: fanOut, loop: loop)
        return writer.text.replacing(Release.version, with: "RELEASE").replacing("{\"", with: "{\n\"").replacing(
            ",\"", with: ",\n\"")
    }

    private static var report: StatusReport {
        var report = StatusReport(
            startTime: MonotonicTime(nanoseconds: 5_000_000_000), now: MonotonicTime(nanoseconds: 75_250_000_000))
        report.frame.pose.state = .aligned
        (report.frame.pose.fixMode, report.frame.pose.fixAgeSeconds) = (3, 0.25)
        (report.sources, report.trust, report.calibration) = (sources, trust, calibration)
        report.dropped = [("gps1", 3), ("icm", 4)]
        (report.stateNotes, report.settingsNotes) = (["the mount is kept"], ["one is old"])
        report.settingsFile = "/etc/posed.yaml"
        return report
    }

    private static var sources: [SourceStatus] {
        var gps = SourceStatus(description: .init(name: "gps1", kind: .gps, place: "gpsd"))
        (gps.state, gps.explanation, gps.acceptedCount, gps.rateHertz) = (.streaming, "fixes", 120, 4.9876)
        gps.lastDataTime = MonotonicTime(nanoseconds: 75_000_500_000)
        gps.rejections = [.init(reason: "old", count: 3)]
        var receiver = ReceiverStatus()
        (receiver.device, receiver.driver, receiver.rank) = ("/dev/ttyACM0", "u-blox", 2)
        (receiver.isInUse, receiver.useReason, receiver.takeovers) = (true, "gps2 is silent", 5)
        (receiver.mode, receiver.quality) = (.threeDimensional, .rtkFixed)
        (receiver.correctionsAgeSeconds, receiver.correctionsStation) = (1.25, 22)
        (receiver.jammingIndicator, receiver.isJammed) = (7, true)
        (receiver.satellitesUsed, receiver.satellitesVisible) = (12, 20)
        (receiver.headingDegrees, receiver.pitchDegrees, receiver.rollDegrees) = (33.256, -1.256, 2.256)
        gps.receiver = receiver
        var imu = SourceStatus(description: .init(name: "icm", kind: .imu, place: "iio:device0"))
        (imu.celsius, imu.clockDriftPartsPerMillion, imu.state) = (41.36, -12.56, .stale)
        imu.degradation = "its clock runs away; check it"
        return [gps, imu]
    }

    private static var trust: TrustReport {
        var trust = TrustReport()
        (trust.isFilterRunning, trust.receiver, trust.receiverSigmaFactor) = (true, .drifting, 2.5555)
        (trust.isVelocityUnstated, trust.isAccuracyUnstated, trust.fixLatenessSeconds) = (true, true, 0.12345)
        trust.wheels = .init(
            scale: 1.01254, scaleSigma: 0.00256, lagSeconds: 0.0316, lagSigmaSeconds: 0.0043, isUsed: true)
        trust.lags = .init(
            positionSeconds: 0.0216, positionSigmaSeconds: 0.0326, velocitySeconds: 0.3154, velocitySigmaSeconds: 0.0437
        )
        trust.heading = .init(
            baselineRadians: 0.5, baselineSigmaRadians: 0.025, scatterFactor: 1.2555, isUsed: true, isGivenUp: false)
        trust.inertial = [.gyroStuck, .accelerometerClipped]
        trust.doesProfileFit = false
        (trust.rejections.inertialClipped, trust.rejections.fixPoorAccuracy) = (40, 2)
        (trust.positionLagSeconds, trust.velocityLagSeconds, trust.gyroNoiseDensity) = (0.02164, 0.31546, 0.00021)
        for (index, part) in [\UncertaintyBudget.heading, \.position, \.speed].enumerated() {
            var parts = UncertaintyBudget.Parts()
            (parts.receiver, parts.gyro, parts.mount) = (0.51234, 0.12345, 0.21345)
            (parts.lag, parts.age) = (0.05123 + Double(index), 0.01234)
            trust.budget[keyPath: part] = parts
        }
        var aid = AidSourceStatus()
        (aid.observation, aid.observationVariance, aid.innovation) = (1.23456, 0.1234567, -2.34567)
        (aid.innovationVariance, aid.testRatio) = (0.2345678, 0.34567)
        aid.reject(because: .innovation)
        for _ in 0..<9 { aid.accept() }
        trust.aids[0] = aid
        aid.reject(because: .innovation)
        trust.aids[1] = aid
        return trust
    }

    private static var calibration: SensorCalibration {
        var calibration = SensorCalibration()
        (calibration.isConfiguredMountRefused, calibration.isAntennaTold) = (true, true)
        var antenna = AntennaArm()
        antenna.meters = SIMD2(-1.4236, 0.1236)
        antenna.sigmaMeters = SIMD2(0.1254, 0.2546)
        calibration.mount = MountEstimate(
            sensorToBody: Quaternion(w: 0.5, x: 0.5, y: 0.5, z: 0.5), sigmaBodyRadians: Vector3(0.01, 0.02, 0.03),
            origin: .kept, antenna: antenna)
        return calibration
    }

    @Test func everyMemberIsWritten() throws {
        // GIVEN a report in which everything is known, a route and a rejected one, and counters of the engine WHEN
        // written THEN it is the stored one
        let points = [(42.5, 1.5), (42.51, 1.5)].map {
            GeodeticPosition(latitudeDegrees: $0.0, longitudeDegrees: $0.1)
        }
        var route = RouteInForce(
            route: try Route(RoutePlan(points: points)), origin: "/r.json", notes: ["has no limits"])
        route.version = 7
        route.refusal = .init(
            origin: "/bad.json", problem: .init(what: "is no route", place: "column 1", remedy: "give one"))
        let loop = EngineLoop(engine: .init())
        for isRepeat in [true, true, false] { loop.counters.note(PublishedFrame(frame: Frame(), isRepeat: isRepeat)) }
        loop.counters.note(beat: MonotonicTime(nanoseconds: 75_225_500_000))
        loop.counters.note(lateHorizons: 6)
        loop.counters.note(suspendedSeconds: 12.34)
        loop.counters.note(realTime: 0)
        #expect(try StoredText.differences(of: text(Self.report, route, loop), from: "status") == [])
    }

    @Test func whatIsUnknownIsNull() throws {
        // GIVEN a daemon that has just started, and one whose calibration is no antenna's WHEN written THEN it is the
        // stored one
        var report = StatusReport(startTime: MonotonicTime(nanoseconds: 0), now: MonotonicTime(nanoseconds: 0))
        let loop = EngineLoop(engine: .init())
        #expect(try StoredText.differences(of: text(report, RouteInForce(), loop), from: "status-empty") == [])
        // AND a refused priority has its reason
        loop.counters.note(realTime: 1)
        report.trust.isFilterRunning = false
        #expect(text(report, RouteInForce(), loop).contains(#""real_time":"refused: Operation not permitted""#))
    }

    /// A frame with nothing to complain about.
    private static var good: Frame {
        var frame = Frame()
        (frame.pose.state, frame.pose.fixMode, frame.pose.fixAgeSeconds) = (.aligned, 3, 1)
        return frame
    }

    /// The reasons where both sources stream, after a name.
    private func reasons(_ name: String, _ frame: Frame, _ trust: TrustReport = TrustReport()) -> [String] {
        var imu = SourceStatus(description: .init(name: "icm", kind: .imu, place: "iio"))
        var gps = SourceStatus(description: .init(name: "gps", kind: .gps, place: "gpsd"))
        (imu.state, gps.state) = (.streaming, .streaming)
        return [name] + Diagnosis.reasons(frame: frame, sources: [imu, gps], trust: trust).map { "  \($0)" }
    }

    private static let faults: [(String, @Sendable (inout TrustReport) -> Void)] = [
        ("nothing", { _ in }), ("stuck", { $0.receiver = .stuck }), ("drifting", { $0.receiver = .drifting }),
        ("contradicted", { $0.receiver = .contradicted }), ("interference", { $0.receiver = .interference }),
        ("false velocity", { $0.receiver = .falseVelocity }),
        ("late by 2 s", { $0.fixLatenessSeconds = 2 }), ("late by 2.5 s", { $0.fixLatenessSeconds = 2.5 }),
        ("too late", { ($0.fixLatenessSeconds, $0.isReceiverTooLate) = (7.9, true) }),
        ("no velocity", { $0.isVelocityUnstated = true }), ("no accuracy", { $0.isAccuracyUnstated = true }),
        ("profile", { $0.doesProfileFit = false }), ("gyro stuck", { $0.inertial = .gyroStuck }),
        ("accelerometer stuck", { $0.inertial = .accelerometerStuck }), ("clipped", { $0.inertial = .gyroClipped }),
        ("both clipped", { $0.inertial = .accelerometerClipped }), ("contradicts", { $0.inertial = .inconsistent }),
        ("turned", { $0.inertial = .turned }),
    ]

    @Test func everyReasonIsTold() throws {
        // GIVEN each verdict, fault and state alone WHEN asked why the pose is not better THEN the sentences are the
        // stored ones
        var told = Self.faults.flatMap { name, change in
            var trust = TrustReport()
            change(&trust)
            return reasons(name, Self.good, trust)
        }
        for state in [Frame.PoseState.starting, .aligning, .coarse, .deadReckoning, .lost, .attitudeOnly] {
            var frame = Self.good
            frame.pose.state = state
            if state == .starting || state == .aligning { frame.pose.fixAgeSeconds = nil }
            told += reasons("\(state)", frame)
            frame.pose.headingTrueRadians = 1
            told += reasons("\(state) with a heading", frame)
        }
        for (mode, age) in [(UInt8(0), nil), (1, 0.5), (2, 5.0), (2, 5.5)] as [(UInt8, Double?)] {
            var frame = Self.good
            (frame.pose.fixMode, frame.pose.fixAgeSeconds) = (mode, age)
            told += reasons("mode \(mode), \(age ?? -1) s", frame)
        }
        #expect(try StoredText.differences(of: told.joined(separator: "\n"), from: "reasons") == [])
    }

    @Test func whatIsMissingIsNamed() {
        // GIVEN no source, sources that do not stream, and one of two that does THEN the first one, or the one in use,
        // has its reason
        func reasons(_ sources: [SourceStatus]) -> [String] {
            Diagnosis.reasons(frame: Self.good, sources: sources)
        }
        #expect(
            reasons([]) == [
                "no motion sensor: none is configured", "no satellite receiver: none is configured",
            ])
        var (first, second) = (
            SourceStatus(description: .init(name: "gps1", kind: .gps, place: "a")),
            SourceStatus(description: .init(name: "gps2", kind: .gps, place: "b"))
        )
        let imu = SourceStatus(description: .init(name: "icm", kind: .imu, place: "iio"))
        #expect(
            reasons([first, second, imu]) == [
                "no motion sensor: icm (iio): not started", "no satellite receiver: gps1 (a): not started",
            ])
        var receiver = ReceiverStatus()
        receiver.isInUse = true
        second.receiver = receiver
        #expect(reasons([first, second, imu]).last == "no satellite receiver: gps2 (b): not started")
        (first.state, first.degradation) = (.streaming, "is slow")
        #expect(reasons([first, second, imu]) == ["no motion sensor: icm (iio): not started", "gps1: is slow"])
    }
}
