import CBench
import Glibc

/// A program with an emulated `/sys` with one six-axis IIO device. Its device node is a FIFO into which readings are
/// written at a given rate.
struct EmulatedIMU: ~Copyable {
    private static let emulation = "/usr/bin/umockdev-run"
    private static let axes = ["accel_x", "accel_y", "accel_z", "anglvel_x", "anglvel_y", "anglvel_z"]

    /// The process id of the program itself.
    let program: pid_t
    private var emulator: ChildProcess
    private let feeder: pid_t

    /// Whether the emulation is installed.
    static var isInstalled: Bool { access(emulation, X_OK) == 0 }
    /// Readings per second where nothing else is asked for.
    static let rateHertz = 200.0
    /// Names of the files that the emulation creates in its folder.
    private static let files = ["root", "root.part", "go"]

    private init(program: pid_t, emulator: consuming ChildProcess, feeder: pid_t) {
        self.program = program
        self.emulator = emulator
        self.feeder = feeder
    }

    /// Starts the program; the device exists from its start.
    /// Without `delivers` its buffer delivers nothing, and its channels have single readings.
    static func start(
        _ command: [String], rateHertz: Double = EmulatedIMU.rateHertz, delivers: Bool = true,
        in folder: borrowing TemporaryFolder
    ) throws -> EmulatedIMU {
        for file in files { unlink("\(folder.path)/\(file)") }
        let script = """
            echo "$$ $UMOCKDEV_DIR" > "$0/root.part"; mv "$0/root.part" "$0/root"
            tries=0
            while [ ! -e "$0/go" ]; do sleep 0.01; tries=$((tries + 1)); [ $tries -lt 1000 ] || exit 1; done
            exec "$@"
            """
        let emulator = try ChildProcess(emulation, ["--", "/bin/sh", "-c", script, folder.path] + command)
        let (program, root) = try root(in: folder)
        try makeDevice(root, rateHertz, isReadable: !delivers)
        let feeder = delivers ? bench_start_imu("\(root)/dev/iio:device0", Int64(1e9 / rateHertz)) : 0
        guard feeder > 0 || !delivers else { throw BenchError("cannot start the process that writes the readings") }
        try folder.write("", to: "go")
        return EmulatedIMU(program: program, emulator: emulator, feeder: feeder)
    }

    /// Ends the program, then the emulation.
    mutating func stop() {
        kill(program, SIGTERM)
        _ = emulator.wait()
        guard feeder > 0 else { return }
        var status: Int32 = 0
        kill(feeder, SIGKILL)
        waitpid(feeder, &status, 0)
    }

    /// The program's process and the emulated root, as soon as the emulation has reported them.
    private static func root(in folder: borrowing TemporaryFolder) throws -> (pid_t, String) {
        let deadline = monotonicNanoseconds() + 10_000_000_000
        while monotonicNanoseconds() < deadline {
            let words = TextFile.read("\(folder.path)/root").split(whereSeparator: { $0 == " " || $0 == "\n" })
            if words.count == 2, let process = pid_t(words[0]) { return (process, String(words[1])) }
            usleep(2000)
        }
        throw BenchError("\(emulation) did not start")
    }

    private static func makeDevice(_ root: String, _ rateHertz: Double, isReadable: Bool) throws {
        var folder = root
        for part in ["sys", "bus", "iio", "devices", "iio:device0"] {
            folder += "/\(part)"
            mkdir(folder, 0o755)
        }
        for sub in ["\(folder)/buffer", "\(folder)/scan_elements", "\(root)/dev"] { mkdir(sub, 0o755) }
        var files = [
            "name": "bench-imu", "in_accel_scale": "0.000598", "in_anglvel_scale": "0.001065",
            "sampling_frequency": "\(rateHertz)",
            "current_timestamp_clock": "monotonic", "buffer/enable": "0", "buffer/length": "128",
            "buffer/watermark": "1",
        ]
        if isReadable { for (index, axis) in axes.enumerated() { files["in_\(axis)_raw"] = "\(100 + index)" } }
        for (index, channel) in (axes + ["timestamp"]).enumerated() {
            files["scan_elements/in_\(channel)_en"] = "0"
            files["scan_elements/in_\(channel)_index"] = String(index)
            files["scan_elements/in_\(channel)_type"] = channel == "timestamp" ? "le:s64/64>>0" : "le:s16/16>>0"
        }
        for (name, text) in files { try TextFile.write(text + "\n", to: "\(folder)/\(name)") }
        guard mkfifo("\(root)/dev/iio:device0", 0o600) == 0 else {
            throw BenchError("cannot create a FIFO in \(root)/dev: \(String(cString: strerror(errno)))")
        }
    }
}
