import Foundation
import Frames
import PosedClient
import Testing

/// The Swift client of the stream with the real daemon.
@Suite struct StreamClientTests {
    @Test func itReadsFramesAndCommands() throws {
        // GIVEN the daemon on its demo drive WHEN a client subscribes with Earth-centred coordinates, asks for the
        // route and gives a wrong command
        let daemon = try DaemonProcess()
        var wish = StreamSubscription(topics: [.pose, .guidance], rateHertz: 50)
        wish.wantsECEF = true
        var client = StreamClient(path: daemon.streamPath, subscription: wish)
        var greeting: Message.Hello?
        _ = DaemonProcess.poll(seconds: 60) {
            if case .connected(let hello) = client.next(timeoutSeconds: 1) { greeting = hello }
            return greeting != nil
        }
        let hello = try #require(greeting)
        #expect(hello.isSimulated && hello.topics == .all)
        let isSent = client.send(#"{"cmd":"route_get","id":"r"}"#)
        let isSentToo = client.send(#"{"cmd":"subscribe","ecef":"yes","id":"e"}"#)
        #expect(isSent && isSentToo)
        var (problems, frames, hasECEF): ([String?: StreamReply.Problem?], Int, Bool) = ([:], 0, false)
        var route: Message.RouteLine?
        let hasAll = DaemonProcess.poll(seconds: 60) {
            switch client.next(timeoutSeconds: 1) {
            case .reply(let reply): problems[reply.id] = .some(reply.problem)
            case .message(.route(let line)): route = line
            case .message(.frame(let frame, let delivery)):
                frames += 1
                hasECEF = hasECEF || delivery.topics.contains(.ecef) && frame.pose.ecefMeters != nil
            case .disconnected(let why): Issue.record("\(why)")
            default: break
            }
            return frames > 20 && hasECEF && route != nil && problems.count >= 3
        }
        // THEN frames with these coordinates arrive, the route, and the reason of the refusal with its place and remedy
        #expect(hasAll, "\(frames) \(hasECEF) \(problems)")
        #expect(problems["r"] == .some(nil) && problems["e"]??.place.contains("ecef") == true, "\(problems)")
        #expect(problems["e"]??.remedy.isEmpty == false)
    }
}
