import BoundedJSON
import Glibc
import GpsdReports
import Platform
import PoseMath
import SensorInterface

/// Connects to gpsd and listens until it has reported a fix and its satellites, or the time is over.
struct GpsdProbe: Sendable {
    /// Host, port and device of the settings.
    let settings: GPSSettings
    let files: SystemFiles
    /// The devices that the settings list for this gpsd, in the order of preference; empty without a list.
    var listed: [String] = []

    /// Time for the connection and for the greeting, seconds.
    private static let connectSeconds = 1.5
    /// Time for reports, seconds: receivers report once a second.
    private static let listenSeconds = 2.2
    private static let cycleSeconds = 1.2

    func run() -> GpsdState {
        var state = GpsdState()
        (state.host, state.port, state.wanted) = (settings.host, settings.port, settings.device)
        state.listed = listed
        state.isInstalled = ["/usr/sbin/gpsd", "/usr/local/sbin/gpsd", "/usr/bin/gpsd"].contains(where: files.exists)
        state.hasClients = ["/usr/bin/gpspipe", "/usr/local/bin/gpspipe"].contains(where: files.exists)
        findPorts(&state)
        findProcess(&state)
        switch Self.connect(host: settings.host, port: settings.port) {
        case .failure(let problem): state.connection = problem.connection
        case .success(let socket):
            defer { socket.close() }
            listen(socket, &state)
        }
        if state.connection != .greeted, settings.port != 2947 {
            if case .unreachable = state.connection { return state }
            state.isOnDefaultPort = greets(host: settings.host, port: 2947)
        }
        return state
    }

    /// Serial devices of this machine: first those that udev names after a receiver, then those with a plug.
    private func findPorts(_ state: inout GpsdState) {
        let names = files.entries("/dev")
        func paths(_ prefixes: [String]) -> [String] {
            prefixes.flatMap { prefix in names.filter { $0.hasPrefix(prefix) } }.map { files.path("/dev/\($0)") }
        }
        state.candidates = paths(["gps", "ttyACM", "ttyUSB"])
        // serial0 is the port on the pins of a Raspberry Pi; ttyAMA0 is that of its Bluetooth on many models.
        state.boardPorts = paths(["serial0", "ttyAMA"])
    }

    /// gpsd on this machine, by the port of its command line.
    private func findProcess(_ state: inout GpsdState) {
        guard state.isLocal else { return }
        let system = SystemFiles(root: "")
        for process in system.processes(named: "gpsd") {
            let arguments = system.arguments(of: process)
            guard Self.port(of: arguments) == settings.port, Self.isService(system.facts("/proc/\(process)")?.owner)
            else { continue }
            (state.process, state.arguments) = (process, ["gpsd"] + arguments.dropFirst())
        }
    }

    /// Whether a process is of this user or of a service. The arguments of another person's program must not become a
    /// command that is run as root.
    static func isService(_ owner: UInt32?) -> Bool {
        guard let owner else { return false }
        let nobody: UInt32 = 65_534
        return owner < 1000 || owner == nobody || owner == geteuid()
    }

    /// The port in a command line of gpsd: that of `-S 2948` or `-S2948`, or its default.
    static func port(of arguments: [String]) -> UInt16? {
        guard let place = arguments.firstIndex(where: { $0.hasPrefix("-S") }) else { return 2947 }
        let attached = arguments[place].dropFirst(2)
        return UInt16(attached.isEmpty ? arguments.dropFirst(place + 1).first ?? "" : String(attached))
    }

    private struct Problem: Error { var connection: GpsdState.Connection }

    private static func connect(host: String, port: UInt16) -> Result<TCPSocket, Problem> {
        let stop = StopSignal()
        var addresses: [HostAddress] = []
        if host == "localhost" {
            addresses = ["127.0.0.1", "::1"].flatMap { HostAddress.lookUp(host: $0, port: port, onlyNumeric: true) }
        } else {
            addresses = HostAddress.lookUp(host: host, port: port, onlyNumeric: true)
            if addresses.isEmpty {
                addresses = NameLookup.begin(host: host, port: port)?.wait(stop: stop, seconds: connectSeconds) ?? []
            }
        }
        var last = Problem(connection: .unreachable("the host is unknown"))
        for address in addresses.prefix(4) {
            switch TCPSocket.connect(to: address, stop: stop, seconds: connectSeconds) {
            case .success(let socket): return .success(socket)
            case .failure(let error):
                // The first address is that of the protocol in use: its error is the better one.
                if case .unreachable("the host is unknown") = last.connection {
                    last.connection =
                        error.code == ECONNREFUSED
                        ? .refused : .unreachable(String(cString: strerror(error.code)))
                }
            }
        }
        return .failure(last)
    }

    /// Whether gpsd greets on a port.
    private func greets(host: String, port: UInt16) -> Bool {
        guard case .success(let socket) = Self.connect(host: host, port: port) else { return false }
        defer { socket.close() }
        var lines = Lines(socket)
        let deadline = SystemClock.monotonicNow.advanced(bySeconds: Self.connectSeconds)
        return lines.next(until: deadline).map { $0.starts(with: Array("{\"class\":\"VERSION\"".utf8)) } ?? false
    }

    private func listen(_ socket: TCPSocket, _ state: inout GpsdState) {
        var lines = Lines(socket)
        let now = SystemClock.monotonicNow
        // gpsd greets at once; many other programs say nothing before they are asked.
        let isAsked = socket.send("?WATCH={\"enable\":true,\"json\":true};\n?DEVICES;\n")
        guard isAsked, let first = lines.next(until: now.advanced(bySeconds: Self.connectSeconds)) else {
            state.connection = .silent
            return
        }
        if let foreign = ForeignService(line: first[...]) {
            state.connection = .foreign(kind: foreign.kind, line: foreign.line)
            return
        }
        take(first, &state)
        let deadline = now.advanced(bySeconds: Self.listenSeconds)
        var asked = now
        while true {
            let time = SystemClock.monotonicNow
            guard time < deadline, !isComplete(state, after: time.seconds(since: now)) else { break }
            if time.seconds(since: asked) > 0.8 {
                // The speed that gpsd tries changes while it recognizes nothing.
                _ = socket.send("?DEVICES;\n")
                asked = time
            }
            if let line = lines.next(until: min(deadline, time.advanced(bySeconds: 0.25))) { take(line, &state) }
            if lines.isEnded { break }
        }
        state.receivers = state.receivers.map { $0.map(examined) }
    }

    /// Whether nothing more can be learned: the receiver has reported everything, or there is none to wait for. A
    /// receiver at 1 Hz has sent each report once in ``cycleSeconds``.
    private func isComplete(_ state: GpsdState, after seconds: Double) -> Bool {
        if !state.release.isEmpty, state.protocolMajor != 3 { return true }
        if let receivers = state.receivers {
            let used = receivers.filter { isMeant($0.path, state) }
            if used.allSatisfy({ examined($0).isLocal && examined($0).file == nil }) { return true }
        }
        let reports = state.reports
        guard reports.count > 0, reports.visible != nil else { return false }
        return reports.mode >= 2 && reports.hasVelocity || seconds > Self.cycleSeconds
    }

    /// A receiver with the facts of its device.
    private func examined(_ receiver: GpsdState.Receiver) -> GpsdState.Receiver {
        var receiver = receiver
        receiver.isLocal = receiver.path.hasPrefix("/") && DoctorFacts.isHere(settings.host)
        receiver.file = receiver.isLocal ? SystemFiles(root: "").facts(receiver.path) : nil
        return receiver
    }

    private func take(_ line: [UInt8], _ state: inout GpsdState) {
        guard let root = (try? JSONDocument(bytes: line))?.root, let name = root["class"]?.string else { return }
        switch name {
        case "VERSION":
            state.release = root["release"]?.string ?? ""
            state.protocolMajor = root["proto_major"]?.int ?? 0
        case "DEVICES": takeDevices(root, &state)
        case "DEVICE": takeDevice(root, &state)
        case "TPV" where isUsed(root, state): takeFix(root, &state.reports)
        case "SKY" where isUsed(root, state):
            let listed = root["satellites"].map { Array($0.elements) }
            state.reports.visible = root["nSat"]?.int ?? listed?.count ?? state.reports.visible
            state.reports.used =
                root["uSat"]?.int ?? listed?.count { $0["used"]?.bool == true } ?? state.reports.used
        default: break
        }
    }

    private func isUsed(_ report: JSONValue, _ state: GpsdState) -> Bool {
        guard let device = report["device"]?.string else { return true }
        return isMeant(device, state)
    }

    /// Whether posed uses a receiver: that of the settings, of a list the first that gpsd has.
    private func isMeant(_ path: String, _ state: GpsdState) -> Bool {
        guard let wanted = settings.device else { return true }
        return path == (listed.isEmpty ? wanted : state.used?.path ?? wanted)
    }

    private func takeDevices(_ root: JSONValue, _ state: inout GpsdState) {
        let old = state.receivers ?? []
        state.receivers = root["devices"].map { Array($0.elements) }?.prefix(16).compactMap { json in
            json["path"]?.string.map { path in Self.receiver(path, json, old.first { $0.path == path }) }
        }
    }

    private func takeDevice(_ root: JSONValue, _ state: inout GpsdState) {
        guard let path = root["path"]?.string else { return }
        var receivers = state.receivers ?? []
        let receiver = Self.receiver(path, root, receivers.first { $0.path == path })
        receivers.removeAll { $0.path == path }
        state.receivers = Array((receivers + [receiver]).suffix(16))
    }

    private static func receiver(_ path: String, _ json: JSONValue, _ old: GpsdState.Receiver?) -> GpsdState.Receiver {
        var receiver = old ?? GpsdState.Receiver(path: path)
        if let driver = json["driver"]?.string { receiver.driver = driver }
        if let speed = json["bps"]?.int { receiver.speeds = Array((receiver.speeds + [speed]).suffix(16)) }
        // 0, or the text of a time: open since then.
        receiver.isActive = json["activated"].map { $0.string != nil || ($0.double ?? 0) > 0 } ?? false
        return receiver
    }

    private func takeFix(_ root: JSONValue, _ reports: inout GpsdState.Reports) {
        reports.count += 1
        let mode = root["mode"]?.int ?? 0
        reports.mode = max(reports.mode, mode)
        if mode >= 2, root["speed"]?.double != nil { reports.hasVelocity = true }
        if let text = root["time"]?.string, let seconds = UTCText.seconds(text) {
            reports.utcSeconds = seconds
            reports.systemSeconds = Double(SystemClock.realtimeNanoseconds) * 1e-9
            reports.uptimeSeconds = Double(SystemClock.bootReading.boot) * 1e-9
        }
    }
}

/// Lines from a socket, in bounded memory.
private struct Lines {
    private let socket: TCPSocket
    private let stop = StopSignal()
    private var pending: [UInt8] = []
    /// Whether the other end closed the connection.
    private(set) var isEnded = false

    init(_ socket: TCPSocket) { self.socket = socket }

    /// The next line without its line end; `nil` when the time is over or the connection has ended. At the end of the
    /// connection the rest counts as a line.
    mutating func next(until deadline: MonotonicTime) -> [UInt8]? {
        while true {
            if let end = pending.firstIndex(of: 10) {
                let line = pending[..<end].filter { $0 != 13 }
                pending.removeSubrange(...end)
                if line.isEmpty { continue }
                return Array(line)
            }
            guard !isEnded, pending.count < 1 << 18 else {
                defer { pending = [] }
                return pending.isEmpty ? nil : pending
            }
            let left = deadline.seconds(since: SystemClock.monotonicNow)
            guard left > 0, stop.wait(for: socket.descriptor, seconds: left) == .ready else { return nil }
            var buffer = [UInt8](repeating: 0, count: 16_384)
            switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
            case .bytes(let count): pending += buffer[..<count]
            case .nothing: continue
            case .closed, .failed: isEnded = true
            }
        }
    }
}

/// The time in a report of gpsd.
enum UTCText {
    /// Seconds since 1970 of `2026-11-23T15:00:00.000Z`; `nil` for another form.
    static func seconds(_ text: String) -> Double? {
        let parts = text.split { "-T:Z".contains($0) }.map(String.init)
        guard text.hasSuffix("Z"), parts.count == 6, let year = Int(parts[0]), let month = Int(parts[1]),
            let day = Int(parts[2]), let hour = Int(parts[3]), let minute = Int(parts[4]),
            let second = Double(parts[5]), (1970...9999).contains(year), (1...12).contains(month),
            (1...31).contains(day), (0...23).contains(hour), (0...59).contains(minute), second >= 0, second < 61
        else { return nil }
        // Days of the civil calendar (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return Double(days) * 86_400 + Double(hour * 3600 + minute * 60) + second
    }
}
