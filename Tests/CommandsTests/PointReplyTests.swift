import Dispatch
import EngineRuntime
import Foundation
import Frames
import Horizon
import Logging
import Platform
import PoseMath
import SensorInterface
import Synchronization
import Testing

@testable import Commands
@testable import Publishing

/// What a client is told of a point of interest that is shown.
@Suite struct PointReplyTests {
    /// The questions of an engine; it tells when all of them are answered.
    private final class Questions: Sendable {
        let idle = DispatchSemaphore(value: 0)
        private let frames: Mutex<[Frame]>

        init(_ frames: [Frame]) { self.frames = Mutex(frames) }

        func next() -> Frame? {
            let frame = frames.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if frame == nil { idle.signal() }
            return frame
        }
    }

    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private static let rows = [
        "id;name;lat;lon;ele;category;description;address;phone;url;image",
        "node/7;Near;47.5009;8.4991;431.46;bar,cafe;good coffee;Way 1;+41 1;http://a.example;http://a.example/i.png",
        "node/8;Far;47.53;8.5;;;;;;;", "node/9;Bare;47.503;8.5;;zoo;;;;;",
    ]

    /// A frame with a position.
    private static var frame: Frame {
        var frame = Frame()
        frame.pose.state = .aligned
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (47.5 * .pi / 180, 8.5 * .pi / 180)
        frame.pose.positionSigmaENUMeters = .init(1, 1, 2)
        return frame
    }

    /// A worker that shows the points of a file with these rows.
    private func worker(_ rows: [String]) throws -> HorizonWorker {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("posed-\(UUID().uuidString).csv")
        try rows.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let questions = Questions([Self.frame])
        let worker = HorizonWorker(
            log: Self.log, wakeUp: EventFD(), nextQuestion: { questions.next() }, route: { _ in nil },
            publishSpeedHorizon: { _ in })
        var settings = HorizonSettings()
        settings.pointFile = file.path
        worker.start(settings)
        // The thread signals when it has answered; a minute allows for a loaded machine.
        #expect(questions.idle.wait(timeout: .now() + 60) == .success)
        return worker
    }

    /// The fields of a reply without the place.
    private static func others(_ fields: [String]) -> String {
        fields.filter { !$0.hasPrefix("\"lat_deg\"") && !$0.hasPrefix("\"lon_deg\"") }.joined(separator: ",")
    }

    @Test func aPointIsToldWithWhatIsKnownOfIt() throws {
        // GIVEN a horizon that shows a point with everything, and one with hardly anything
        let worker = try worker(Self.rows)
        defer { worker.stop() }
        let loop = EngineLoop(engine: .init())
        let handler = CommandHandler(
            loop: loop, wheels: loop.makeSink(name: "wheels"), board: SourceStatusBoard(), completionEvent: EventFD(),
            defaultRateMillihertz: 10_000, log: Self.log)
        handler.horizon = worker
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(clients: 20, heldBytes: 4 << 20))
        let end = StreamEnd(3, Peer(processId: 1, userId: 0, mayCommand: true))
        fanOut.admit(end.client, now: MonotonicTime(nanoseconds: 0))
        func ask(_ line: String) -> [String] {
            _ = end.lines()
            handler.perform(ArraySlice(line.utf8), from: end.client, fanOut: fanOut)
            return (end.lines().last ?? "").split(separator: ",").map(String.init)
        }
        // WHEN the first is asked for THEN its place has seven decimals, to the centimetre that a file keeps
        let near = ask(#"{"cmd":"point","point_id":"node/7"}"#)
        for (name, degrees) in [("lat_deg", 47.5009), ("lon_deg", 8.4991)] {
            let field = try #require(near.first { $0.hasPrefix("\"\(name)\":") })
            let text = field.dropFirst(name.utf8.count + 3)
            #expect(abs((Double(text) ?? 0) - degrees) < 2e-7, "\(field)")
            #expect(text.split(separator: ".").last?.count == 7, "\(field)")
        }
        // AND its height has one, and its texts follow
        #expect(
            Self.others(near)
                == #"{"type":"reply","cmd":"point","ok":true,"point":{"id":"node/7","categories":["bar","cafe"],"#
                + #""alt_msl_m":431.5,"title":"Near","text":"good coffee","address":"Way 1","phone":"+41 1","#
                + #""website":"http://a.example","image":"http://a.example/i.png"}}"#)
        // AND of the other what is not known is left out
        #expect(
            Self.others(ask(#"{"cmd":"point","point_id":"node/9"}"#))
                == #"{"type":"reply","cmd":"point","ok":true,"point":{"id":"node/9","categories":["zoo"],"#
                + #""title":"Bare"}}"#)
        // AND one that is too far away to be shown is not told
        #expect(Self.others(ask(#"{"cmd":"point","point_id":"node/8"}"#)).contains(#""ok":false"#))
        // AND a point may be the target
        #expect(ask(#"{"cmd":"target","point_id":"node/9"}"#).last == #""targets":1}"#)
    }
}
