import CSystem
import Foundation
import Glibc

/// A real mosquitto on a port of its own; it ends with the test.
final class Broker {
    /// Where its files are.
    let folder: TemporaryFolder
    let port: Int
    private(set) var process: ChildProcess

    /// Whether the tools are installed.
    static var isInstalled: Bool { ExternalProgram.has("mosquitto", "mosquitto_pub", "mosquitto_sub", "python3") }

    /// Starts a broker with lines of configuration behind those that every test needs.
    init(_ lines: [String] = ["allow_anonymous true"], folder: TemporaryFolder? = nil) throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        port = Self.freePort()
        let all = ["listener \(port) 127.0.0.1", "user root", "max_queued_messages 0"] + lines
        try folder.write(all.joined(separator: "\n") + "\n", to: "mosquitto.conf")
        process = try Self.start(folder)
        try wait()
    }

    deinit { process.kill() }

    /// Starts a broker with that configuration, whose files are in the folder.
    init(configuration: String, port: Int, folder: TemporaryFolder) throws {
        (self.folder, self.port) = (folder, port)
        try folder.write(configuration, to: "mosquitto.conf")
        process = try Self.start(folder)
        try wait()
    }

    /// Its log.
    var log: String { folder.text(of: "log") }

    /// Ends it without a goodbye.
    func kill() { process.kill() }

    /// Starts it again on the same port.
    func restart() throws {
        process = try Self.start(folder)
        try wait()
    }

    /// Stops the process or lets it go on: a broker that does not answer.
    func pause(_ isPaused: Bool) { process.send(isPaused ? SIGSTOP : SIGCONT) }

    /// Publishes a message as another client.
    @discardableResult func publish(_ topic: String, _ payload: String, _ options: [String] = []) throws
        -> ProgramResult
    {
        try ExternalProgram.run(
            "mosquitto_pub",
            ["-p", "\(port)", "-h", "127.0.0.1", "-V", "5", "-q", "1", "-t", topic, "-m", payload] + options)
    }

    private func wait() throws {
        // A connection that only tries the port would count as a client.
        let isOpen = DaemonProcess.poll(seconds: 60) { log.contains(" running\n") }
        guard isOpen else { throw DaemonProcess.Failure(description: "no broker: \(log)") }
    }

    private static func start(_ folder: TemporaryFolder) throws -> ChildProcess {
        try ExternalProgram.start(
            "mosquitto", ["-c", "\(folder.path)/mosquitto.conf"], output: "\(folder.path)/out",
            errors: "\(folder.path)/log")
    }

    /// A port that nobody uses; 0, which no program takes, if there is none.
    static func freePort() -> Int { (try? FreePort.take()).map(Int.init) ?? 0 }
}

/// The reference consumer, connected to a broker.
final class Consumer {
    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// Starts it and waits until it has subscribed.
    init(_ broker: Broker, _ options: [String] = [], port: Int? = nil, name: String = "consumer") throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        process = try ExternalProgram.start(
            "python3",
            [
                "\(ExternalProgram.packageFolder)/clients/fleet/consumer.py", "127.0.0.1", "--port",
                "\(port ?? broker.port)",
            ]
                + ["--name", name] + options, output: "\(folder.path)/out", errors: "\(folder.path)/err")
        guard DaemonProcess.poll(seconds: 60, { folder.text(of: "err").contains("connected") }) else {
            throw DaemonProcess.Failure(description: "the consumer does not connect: \(folder.text(of: "err"))")
        }
    }

    deinit { process.kill() }

    /// The messages so far.
    var messages: [(channel: String, content: [String: Any])] {
        folder.text(of: "out").split(separator: "\n").compactMap { line in
            guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let channel = object["channel"] as? String, let content = object["message"] as? [String: Any]
            else { return nil }
            return (channel, content)
        }
    }

    /// The numbers of the messages so far.
    var sequences: [Int] { messages.compactMap { ($0.content["bridge"] as? [String: Any])?["sequence"] as? Int } }

    /// Whether the board's newest link message says that it is connected; `nil` before the first.
    var isOnline: Bool? { messages.last { $0.channel == "link" }?.content["online"] as? Bool }

    /// Waits until so many messages of a channel arrived.
    func wait(_ channel: String, count: Int, seconds: Double = 60) -> Bool {
        DaemonProcess.poll(seconds: seconds) { self.messages.count { $0.channel == channel } >= count }
    }

    /// Ends it and returns its counts.
    func end() -> [String: Int] {
        process.terminate()
        _ = DaemonProcess.poll(seconds: 60) { !self.process.isRunning }
        process.kill()
        let last = folder.text(of: "err").split(separator: "\n").last.map(String.init) ?? ""
        return (try? JSONSerialization.jsonObject(with: Data(last.utf8))) as? [String: Int] ?? [:]
    }
}

/// A bridge on the sockets of a daemon.
final class BridgeProcess {
    let folder: TemporaryFolder
    private(set) var process: ChildProcess
    private let arguments: [String]
    private let environment: [String: String]

    /// Starts a bridge for the daemon; without `plain` the settings set the encryption.
    init(
        _ daemon: DaemonProcess, _ settings: [String], id: String = "b1", environment: [String: String] = [:]
    ) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        self.environment = environment
        arguments =
            [
                "sockets.folder=\(daemon.folder.path)", "bridge.broker=127.0.0.1",
                "bridge.store_folder=\(folder.path)/messages", "bridge.id=\(id)", "bridge.keep_alive_s=5",
            ].reduce(into: settings.flatMap { ["--set", $0] }) { $0 = ["--set", $1] + $0 }
        process = try ExternalProgram.start(
            "posed-bridge", arguments, environment: environment, output: "\(folder.path)/out",
            errors: "\(folder.path)/log")
    }

    deinit { process.kill() }

    var log: String { folder.text(of: "log") }

    /// The size of the messages that wait on the disk, bytes.
    var waitingBytes: Int {
        let store = "\(folder.path)/messages"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: store)) ?? []
        return names.reduce(0) { sum, name in
            sum + ((try? FileManager.default.attributesOfItem(atPath: "\(store)/\(name)")[.size] as? Int) ?? 0)
        }
    }

    /// Ends it with a signal, and waits; returns the exit code, `nil` where the signal ended it.
    @discardableResult func end(_ signal: Int32 = SIGTERM) -> Int32? {
        process.send(signal)
        process.waitUntilExit()
        return process.exitCode
    }

    /// Starts it again; the log begins anew.
    func restart() throws {
        process = try ExternalProgram.start(
            "posed-bridge", arguments, environment: environment, output: "\(folder.path)/out",
            errors: "\(folder.path)/log")
    }

    /// The value of a metric from its port; `nil` if it is not there.
    func metric(_ name: String, port: Int) throws -> Double? {
        let url = "http://127.0.0.1:\(port)/metrics"
        let script =
            "import urllib.request,sys;sys.stdout.write(urllib.request.urlopen('\(url)',timeout=60).read().decode())"
        let text = try ExternalProgram.run("python3", ["-c", script]).output
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
        return line.flatMap { Double($0.dropFirst(name.count + 1)) }
    }
}
