import GpsdReports
import PoseMath
import SensorInterface
import Testing

@testable import Sensors

/// Programs that are not gpsd on its port, and receivers that it does not have.
@Suite struct ForeignServiceTests {
    @Test(arguments: [
        ("HTTP/1.1 400 Bad Request", "an HTTP server"), ("<!DOCTYPE HTML>", "an HTTP server"),
        ("SSH-2.0-OpenSSH_9.2", "an SSH server"), ("{\"jsonrpc\":\"2.0\"}", "another JSON service"),
        ("220 mail \u{7} ready", "another program"), ("<html>", "an HTTP server"), ("<?xml?>", "another program"),
        ("html", "another program"), ("", "another program"),
    ])
    func isNamedByItsFirstLine(line: String, kind: String) {
        let service = ForeignService(line: Array(line.utf8)[...])
        #expect(service?.kind == kind)
        let text = service?.explanation(host: "localhost", port: 8080) ?? ""
        #expect(text.hasPrefix("localhost port 8080 is \(kind), not gpsd"))
        #expect(text.contains("set gps.port") && !text.contains("\u{7}"))
    }

    @Test func onlyThePrintableStartOfItsLineIsShown() {
        // GIVEN a long line with characters on both sides of the printable ones THEN 60 of them are shown
        let bytes = [0x1F, 0x20, 0x7E, 0x7F, 0xC3] + [UInt8](repeating: 0x78, count: 100)
        #expect(ForeignService(line: bytes[...])?.line == "? ~??" + String(repeating: "x", count: 55))
    }

    @Test func aDamagedReportIsStillGpsd() {
        #expect(ForeignService(line: Array("{\"class\":\"TPV\",\"dev".utf8)[...]) == nil)
    }

    @Test func theLinkGivesUpAtOnceAndSaysWhy() {
        // GIVEN a connection WHEN a foreign line arrives before a greeting THEN it is closed at once with that reason
        func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }
        var link = GpsdLink(jitterSeed: 1)
        #expect(link.advance(to: at(0)) == [.connect])
        link.connected(at: at(0))
        #expect((link.deadline?.seconds ?? 0) > 1)
        link.receivedForeign("an HTTP server")
        #expect(link.foreignService == "an HTTP server" && link.deadline == at(0))
        #expect(link.advance(to: at(0.01)) == [.close])
        #expect(link.failure == "an HTTP server" && link.state(at: at(0.02)) == .absent)
        // GIVEN a greeting THEN noise after it says nothing of the kind
        var greeted = GpsdLink(jitterSeed: 1)
        _ = greeted.advance(to: at(0))
        greeted.connected(at: at(0))
        greeted.received(at: at(0))
        greeted.receivedForeign("noise")
        #expect(greeted.foreignService == nil && greeted.advance(to: at(0.1)) == [])
    }

    @Test func aReceiverThatGpsdDoesNotHaveIsNamedWithThoseThatItHas() {
        // GIVEN gpsd with one receiver, and another name in the settings
        func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }
        var link = GpsdLink(jitterSeed: 1)
        _ = link.advance(to: at(0))
        link.connected(at: at(0))
        link.received(at: at(0))
        let pipeline = GPSPipeline(settings: GPSSettings())
        func text(_ facts: GpsdFacts, _ wanted: String?) -> String {
            facts.explanation(
                state: link.state(at: at(0.1)), wanted: wanted, link: link, pipeline: pipeline, at: at(0.1))
        }
        var facts = GpsdFacts()
        // THEN nothing is claimed before gpsd has listed its receivers
        #expect(!text(facts, "/dev/gps1").contains("gps.device"))
        facts.update(.devices([GpsdDevice(path: "/dev/ttyACM0")]))
        #expect(
            text(facts, "/dev/gps1")
                == "gpsd has /dev/ttyACM0, and gps.device is /dev/gps1: set gps.device to one that gpsd has, or to null"
        )
        #expect(!text(facts, "/dev/ttyACM0").contains("gps.device") && !text(facts, nil).contains("gps.device"))
        facts.update(.devices([]))
        #expect(text(facts, "/dev/gps1").hasPrefix("gpsd has no receiver, and gps.device is /dev/gps1: "))
        // and the list is requested, because gpsd answers an unknown name only with an error
        #expect(GpsdRequest.watch(device: "/dev/gps1").hasSuffix("?DEVICES;\n"))
        #expect(!GpsdRequest.watch(device: nil).contains("DEVICES"))
    }

    @Test(arguments: [(Int32(3), false), (4, true), (2, true)])
    func anotherProtocolOfGpsdIsTold(major: Int32, isTold: Bool) {
        // GIVEN gpsd with a version of its protocol WHEN the state is explained THEN only another version is told
        func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }
        var link = GpsdLink(jitterSeed: 1)
        _ = link.advance(to: at(0))
        link.connected(at: at(0))
        link.received(at: at(0))
        var facts = GpsdFacts()
        facts.update(.version(GpsdVersion(release: "9.1", protocolMajor: major)))
        let text = facts.explanation(
            state: link.state(at: at(0.1)), wanted: nil, link: link, pipeline: GPSPipeline(settings: GPSSettings()),
            at: at(0.1))
        #expect(text.hasSuffix("; gpsd 9.1 uses protocol \(major), supported is 3") == isTold, "\(text)")
        #expect(text.contains("uses protocol") == isTold, "\(text)")
    }
}
