import BoundedJSON
import Foundation
import Frames
import Glibc
import MQTT
import Platform
import PlayedDaemon
import Testing

@testable import Bridge
@testable import MessageStore

/// The parts of a link that need no broker.
@Suite struct LinkPartsTests {
    // MARK: - Messages on their way

    @Test func whatIsDeliveredIsAllBeforeTheFirstThatIsNot() {
        // GIVEN three messages on their way WHEN they are acknowledged in another order THEN only those are delivered
        // before which none is missing
        var courier = Courier()
        let places = (0..<3).map { StorePlace(segment: 1, index: $0) }
        for (index, place) in places.enumerated() {
            courier.add(number: Int32(10 + index), place: place, topic: "t\(index)", nowNanoseconds: Int64(100 * index))
        }
        #expect(courier.topic(of: 11) == "t1" && courier.topic(of: 13) == nil)
        #expect(courier.oldestWait(nowNanoseconds: 250) == 250)
        let second = courier.acknowledge(11)
        let unknown = courier.acknowledge(99)
        #expect(second.isEmpty && unknown.isEmpty && courier.oldestWait(nowNanoseconds: 250) == 250)
        let first = courier.acknowledge(10)
        #expect(first == Array(places.prefix(2)))
        #expect(courier.oldestWait(nowNanoseconds: 250) == 50 && courier.topic(of: 10) == nil)
        courier.removeAll()
        #expect(courier.oldestWait(nowNanoseconds: 250) == 0)
    }

    @Test func sixtyFourMessagesAreOnTheirWayAtMost() {
        var courier = Courier()
        for number in 0..<64 {
            #expect(courier.hasRoom)
            courier.add(
                number: Int32(number), place: StorePlace(segment: 1, index: number), topic: "", nowNanoseconds: 0)
        }
        #expect(!courier.hasRoom)
    }

    @Test func aBrokerAddressHasItsDefaults() {
        // GIVEN a broker of which only place and client are known THEN signs of life come each 30 s, the subscription
        // ends with the connection, and a packet has a mebibyte at most
        let address = BrokerAddress(host: "h", port: 1883, clientID: "c")
        #expect(address.keepAliveSeconds == 30 && address.sessionSeconds == 0 && address.packetLimit == 1_048_576)
        #expect(address.tls == nil && address.login == nil && Publication(topic: "t", payload: []).isRetained == false)
    }

    // MARK: - Losses

    /// The longest wait after each loss, seconds, with a mark where the hint is given.
    private func waits(_ losses: [(seconds: Double, wasUseful: Bool)]) -> [String] {
        var record = LossRecord()
        return losses.map {
            record.note(lifeOf: $0.seconds, wasUseful: $0.wasUseful)
            return "\(Int(record.waitSeconds))\(record.isHintDue ? " hint" : "")"
        }
    }

    @Test func fourConnectionsOfLessThanFifteenSecondsAreShort() {
        // GIVEN connections that were useful for less than 15 s THEN the fourth in succession gives the hint, once, and
        // the wait grows from it on; one that was longer begins anew
        let short = (seconds: 14.9, wasUseful: true)
        let long = (seconds: 15.0, wasUseful: true)
        #expect(waits([short, short, short, short, short, short]) == ["1", "1", "1", "2 hint", "4", "8"])
        #expect(waits([short, short, short, long, short, short]) == ["1", "1", "1", "1", "1", "1"])
        #expect(waits([long, long, long, long, long]) == ["1", "1", "1", "1", "1"])
        #expect(
            LossRecord.hint("b1")
                == "4 connections were lost within 15 s each: another board may have the id b1, for example after its "
                + "disk was copied; compare `posed-bridge --print-id`")
    }

    @Test func theWaitGrowsUpToAMinuteWhileNoConnectionIsUseful() {
        // GIVEN attempts of which none was useful, however long they took THEN the wait doubles up to 60 s, without a
        // hint, and the first useful one ends that
        let useless = [Double](repeating: 1, count: 7).map { (seconds: $0, wasUseful: false) }
        #expect(waits(useless + [(20, true)]) == ["2", "4", "8", "16", "32", "60", "60", "1"])
    }

    // MARK: - Secrets

    /// The login in a file with that text, or the reason why there is none, without the path.
    private func login(_ text: String) throws -> String {
        let path = NSTemporaryDirectory() + "posed-login-\(UUID().uuidString)"
        defer { unlink(path) }
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        do throws(BrokerFault) {
            let login = try Secrets.login(path)
            return "\(login.user)|\(login.password)"
        } catch {
            #expect(error.kind == .settings)
            return error.text.replacing(path, with: "PATH")
        }
    }

    @Test func aLoginIsTheFirstTwoLines() throws {
        #expect(try login("u\np") == "u|p")
        #expect(try login("u v\r\np w\r\nmore") == "u v|p w")
        for text in ["", "u", "u\n", "\np\n", "\n\n"] {
            #expect(
                try login(text)
                    == "bridge.login_file: PATH needs the user in its first line and the password in its second")
        }
    }

    @Test func aFileThatCannotBeReadIsToldWithTheRemedy() {
        func problem(_ name: String) -> String {
            do throws(BrokerFault) { return try Secrets.readable(name, key: "ca_file") } catch { return error.text }
        }
        #expect(
            problem("/nowhere/ca.pem")
                == "bridge.ca_file: /nowhere/ca.pem: No such file or directory; check the path and the rights of the "
                + "file")
        #expect(
            problem("nowhere.pem")
                == "bridge.ca_file: nowhere.pem: No such file or directory; a name without a slash is a credential of "
                + "systemd: pass it by LoadCredential=")
        #expect(problem("/proc/self/status") == "/proc/self/status")
    }

    // MARK: - The board

    @Test func theBootIsThatOfTheKernel() throws {
        // GIVEN files of a machine and of a boot, as the kernel writes them THEN spaces and dashes do not count
        let folder = NSTemporaryDirectory() + "posed-board-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (machine, boot) = ("\(folder)/machine", "\(folder)/boot")
        try "0123456789abcdef 0123456789abcdef\nx".write(toFile: machine, atomically: false, encoding: .utf8)
        try "7c0e-12\n34\n".write(toFile: boot, atomically: false, encoding: .utf8)
        #expect(
            BoardIdentity.ofThisMachine(named: nil, machineFile: machine, bootFile: boot)
                == BoardIdentity(id: "7160ab67134e", boot: "7c0e12"))
        // AND without a boot each start counts as one
        let other = BoardIdentity.ofThisMachine(named: "a", machineFile: machine, bootFile: "/nowhere")
        #expect(other?.id == "a" && other?.boot.hasPrefix("01") == true)
        #expect(other != BoardIdentity.ofThisMachine(named: "a", machineFile: machine, bootFile: "/nowhere"))
    }

    // MARK: - Questions to the daemon

    /// A path for a socket, in a folder that is there.
    private var socketPath: String { NSTemporaryDirectory() + "posed-q-\(UUID().uuidString.prefix(8))" }

    @Test func theStatusIsAskedForOncePerSecond() {
        // GIVEN a daemon that answers another command first WHEN the status is asked for twice THEN both have the
        // same answer
        let path = socketPath
        let daemon = PlayedDaemon(path) { _ in
            [#"{"type":"reply","cmd":"ping","ok":true}"#, #"{"type":"reply","cmd":"status","ok":true,"uptime_s":5}"#]
        }
        var question = StatusQuestion(path: path)
        let first = question.status()?.root["uptime_s"]?.int
        let second = question.status()?.root["uptime_s"]?.int
        #expect(first == 5 && second == 5)
        #expect(daemon.lines == [#"{"cmd":"status"}"#])
        // AND without a daemon there is none
        var other = StatusQuestion(path: "/nowhere/stream")
        let none = other.status() == nil
        #expect(none)
    }

    @Test func aCommandIsSentWhenTheDaemonIsThere() {
        let path = socketPath
        let daemon = PlayedDaemon(path) { line in
            [#"{"type":"reply","cmd":"ping","ok":true,"of":\#(line)}"#]
        }
        var runner = CommandRunner(path: path)
        let answers = ["{\"cmd\":\"1\"}", "{\"cmd\":\"2\"}"].map { runner.run($0) { false } }
        #expect(
            answers == [
                #"{"type":"reply","cmd":"ping","ok":true,"of":{"cmd":"1"}}"#,
                #"{"type":"reply","cmd":"ping","ok":true,"of":{"cmd":"2"}}"#,
            ])
        // AND not after a stop
        let stopped = runner.run("{\"cmd\":\"3\"}") { true }
        #expect(stopped == nil && daemon.lines.prefix(2) == ["{\"cmd\":\"1\"}", "{\"cmd\":\"2\"}"])
    }
}
