import CAllocationCount
import Glibc
import Measurements
import Platform
import PoseMath
import SensorInterface
import Sensors
import Synchronization

/// Runs an `IIOSource` and tells its standard output what it hands over; the tests speak to it through standard input.
///
/// Arguments: the context, then `key=value`. Commands, one a line: `status`, `fds`, `memory`, `allocations`, `devices`,
/// `stop`; end of input ends it.
@main struct IIOProbe {
    static func main() {
        var settings = IIOSettings()
        var isQuiet = false
        settings.contextURI = CommandLine.arguments.dropFirst().first ?? "local:"
        for argument in CommandLine.arguments.dropFirst(2) {
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            if parts == ["quiet", "1"] { isQuiet = true }
            if parts.count == 2 { set(parts[0], parts[1], &settings) }
        }
        let board = SourceStatusBoard()
        let sink = ProbeSink(isQuiet: isQuiet)
        let source = IIOSource(settings: settings, sink: sink, board: board)
        say("F \(descriptors())")
        source.start()
        while let command = readLine() { obey(command, source, board, sink, settings) }
        source.stop()
    }

    static func obey(
        _ command: String, _ source: IIOSource, _ board: SourceStatusBoard, _ sink: ProbeSink, _ settings: IIOSettings
    ) {
        switch command {
        case "status":
            for status in board.statuses {
                let rejections = status.rejections.map { "\($0.reason)=\($0.count)" }.joined(separator: ",")
                let rate = status.rateHertz.map { "\($0)" } ?? "none"
                say(
                    "S \(status.description.name)|\(status.state)|\(status.acceptedCount)|\(rate)|\(rejections)|"
                        + status.explanation
                )
            }
            say("S .")
        case "temperatures":
            for status in board.statuses {
                say("T \(status.description.name) \(status.celsius.map { "\($0)" } ?? "none")")
            }
            say("T .")
        case "degradations":
            for status in board.statuses { say("G \(status.description.name) \(status.degradation ?? "none")") }
        case "fds": say("F \(descriptors())")
        case "memory": say("M \(memory())")
        case "allocations":
            say("A \(sink.measurements.load(ordering: .relaxed)) \(sink.allocatingIntervals.load(ordering: .relaxed))")
        case "devices":
            do {
                for device in try IIODevice.all(at: settings.contextURI) {
                    say("D \(device)".split(separator: "\n").joined(separator: "\nD "))
                }
            } catch {
                say("D \(error)")
            }
            say("D .")
        case "stop":
            let before = SystemClock.monotonicNow
            source.stop()
            say("Q \(SystemClock.monotonicNow.seconds(since: before))")
        default: say("? \(command)")
        }
    }

    static func set(_ key: String, _ value: String, _ settings: inout IIOSettings) {
        let number = Double(value)
        switch key {
        case "gyro": settings.gyro.device = IIODeviceSelector(value) ?? .automatic
        case "accelerometer": settings.accelerometer.device = IIODeviceSelector(value) ?? .automatic
        case "magnetometer": settings.magnetometer.device = IIODeviceSelector(value) ?? .automatic
        case "barometer": settings.barometer.device = IIODeviceSelector(value) ?? .automatic
        case "rate":
            settings.gyro.rateHertz = number ?? 200
            settings.accelerometer.rateHertz = number ?? 200
        case "gyro_scale": settings.gyro.scaleOverride = number
        case "mount": settings.gyro.mountMatrixOverride = value
        case "stale": settings.staleAfterSeconds = number ?? 0.5
        case "reopen": settings.reopenAfterSeconds = number ?? 1
        case "timeout": settings.contextTimeoutSeconds = number ?? 1
        case "acceleration_range": settings.accelerometer.leastRange = number
        case "rate_range": settings.gyro.leastRange = number
        case "backoff":
            (settings.backoffMinimumSeconds, settings.backoffMaximumSeconds) = (number ?? 0.1, number ?? 5)
        case "stuck": settings.stuckSampleLimit = Int(value) ?? 100
        default: break
        }
    }

    static func descriptors() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return -1 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count - 3
    }
}

/// Resident memory of this process without files, bytes; 0 if it is unknown.
func memory() -> Int {
    let file = open("/proc/self/statm", O_RDONLY)
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 128)
    let count = max(read(file, &text, text.count), 0)
    let words = String(decoding: text[..<count], as: UTF8.self).split(separator: " ")
    return words.count > 2 ? ((Int(words[1]) ?? 0) - (Int(words[2]) ?? 0)) * 4096 : 0
}

/// One line at once, whichever thread speaks.
func say(_ line: String) {
    let text = line + "\n"
    text.withCString { pointer in
        var rest = pointer
        var left = strlen(pointer)
        while left > 0 {
            let written = write(1, rest, left)
            guard written > 0 else { return }
            rest += written
            left -= written
        }
    }
}

/// Prints what it gets; when quiet, only counts, and looks for allocations between one measurement and the next on the
/// same thread.
final class ProbeSink: EventSink {
    let measurements = Atomic<Int>(0)
    let allocatingIntervals = Atomic<Int>(0)
    private let lastCount = Atomic<UInt64>(0)
    private let isQuiet: Bool

    init(isQuiet: Bool) { self.isQuiet = isQuiet }

    func send(_ event: SensorEvent) {
        measurements.add(1, ordering: .relaxed)
        guard !isQuiet else {
            let count = allocation_count_of_this_thread()
            if lastCount.exchange(count, ordering: .relaxed) != count { allocatingIntervals.add(1, ordering: .relaxed) }
            return
        }
        let arrival = SystemClock.monotonicNow.nanoseconds
        switch event {
        case .inertial(let s):
            let (w, f) = (s.angularRateRadiansPerSecond, s.specificForceMetersPerSecondSquared)
            say("E inertial \(s.time.nanoseconds) \(arrival) \(w.x) \(w.y) \(w.z) \(f.x) \(f.y) \(f.z)")
        case .magnetic(let s):
            let b = s.fluxDensityTesla
            say("E magnetic \(s.time.nanoseconds) \(arrival) \(b.x) \(b.y) \(b.z)")
        case .pressure(let s): say("E pressure \(s.time.nanoseconds) \(arrival) \(s.pressurePascal)")
        case .gnss, .wheelSpeed: say("E unexpected")
        }
    }

    func send(_ report: SourceReport) { say("R \(report.source) \(report.state)") }
}
