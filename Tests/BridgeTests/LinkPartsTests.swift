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
        #expect(courier.silence(nowNanoseconds: 250) == 250)
        let second = courier.acknowledge(11, nowNanoseconds: 210)
        let unknown = courier.acknowledge(99, nowNanoseconds: 220)
        #expect(second.isEmpty && unknown.isEmpty && courier.silence(nowNanoseconds: 250) == 250)
        let first = courier.acknowledge(10, nowNanoseconds: 150)
        #expect(first == Array(places.prefix(2)))
        #expect(courier.silence(nowNanoseconds: 250) == 50 && courier.topic(of: 10) == nil)
        courier.removeAll()
        #expect(courier.silence(nowNanoseconds: 250) == 0)
    }

    @Test func aSlowLineIsNoSilentBroker() {
        // GIVEN a full window that was sent at once over a line that takes a second for each message
        var courier = Courier()
        for number in 0..<64 {
            courier.add(
                number: Int32(number), place: StorePlace(segment: 1, index: number), topic: "", nowNanoseconds: 0)
        }
        // WHEN the broker acknowledges one after the other THEN it is never silent for longer than a second
        for number in 0..<64 {
            let now = Int64(number + 1) * 1_000_000_000
            #expect(courier.silence(nowNanoseconds: now) == 1_000_000_000)
            let delivered = courier.acknowledge(Int32(number), nowNanoseconds: now)
            #expect(delivered.count == 1)
        }
        #expect(courier.silence(nowNanoseconds: 70_000_000_000) == 0)
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

    @Test func aBrokerThatEndsALongConnectionIsTriedAgainSoon() {
        // GIVEN a broker that was away for minutes, so that the wait has grown to 60 s
        let away = [(seconds: Double, wasUseful: Bool)](repeating: (seconds: 1, wasUseful: false), count: 7)
        // WHEN it then ends each connection, tells why, as at a restart or after a longest time, and takes the next one
        let life = 3600.0
        let wasUseful = LossRecord.wasUseful(isBorn: true, isRefused: true, lifeOf: life)
        // THEN each time the first attempt comes after a second at most
        #expect(wasUseful && waits(away + [(life, wasUseful), (life, wasUseful)]).suffix(2) == ["1", "1"])
        // AND a refusal that comes at once, or before the birth message was taken, lets the wait grow
        #expect(!LossRecord.wasUseful(isBorn: true, isRefused: true, lifeOf: 14.9))
        #expect(!LossRecord.wasUseful(isBorn: false, isRefused: false, lifeOf: life))
        #expect(LossRecord.wasUseful(isBorn: true, isRefused: false, lifeOf: 0.1))
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

    @Test func aDaemonThatEndsIsNotWaitedFor() {
        // GIVEN a daemon that says goodbye at the first command, because it is restarted
        let path = socketPath
        let daemon = PlayedDaemon(path) { line in
            line.contains("last")
                ? [#"{"type":"bye","reason":"stopping","text":"the daemon stops"}"#]
                : [#"{"type":"reply","cmd":"ping","ok":true}"#]
        }
        var runner = CommandRunner(path: path)
        // WHEN that is sent THEN it has no answer before the runner is told to end, and the next one has its own
        var asked = 0
        let last = runner.run("{\"cmd\":\"last\"}") {
            asked += 1
            return asked > 60
        }
        #expect(last == nil && asked <= 60)
        let next = runner.run("{\"cmd\":\"ping\"}") { false }
        #expect(next?.contains("ping") == true && daemon.lines.count == 2)
    }
}
