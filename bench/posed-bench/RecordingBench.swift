import CBench
import DriveRecording
import Engine
import Frames
import Glibc
import Measurements
import PoseMath
import Simulation

/// Recordings: their size, the speed of their replay, and what recording a 1 kHz IMU costs the daemon.
struct RecordingBench {
    /// The folder of posed and posectl.
    var folder: String

    private static let liveSeconds = 10

    /// Measures and reports.
    func run() throws {
        try measureSize()
        try measureReplay()
        guard EmulatedIMU.isInstalled else {
            return Report.skip("recording of a 1 kHz IMU", because: "umockdev is not installed: scripts/packages test")
        }
        try measureDaemon()
    }

    /// An hour at 100 Hz IMU and 1 Hz fixes. Readings of the simulation have all digits, which compress worse than
    /// those of a real sensor.
    private func measureSize() throws {
        let files = try TemporaryFolder()
        let (seconds, bytes) = try record(imuHertz: 100, fixHertz: 1, to: "\(files.path)/drive.mcap")
        Report.add(
            Figure(
                name: "recording, 100 Hz IMU, 1 Hz fixes, size of an hour", value: Double(bytes) / seconds * 3600 / 1e6,
                unit: "MB", limit: .atMost(60)))
    }

    private func measureReplay() throws {
        let files = try TemporaryFolder()
        let (seconds, _) = try record(imuHertz: 200, fixHertz: 5, to: "\(files.path)/drive.mcap")
        var times: [Double] = []
        for _ in 0..<3 {
            let arguments = ["replay", "\(files.path)/drive.mcap", "--frames", "\(files.path)/frames.ndjson"]
            var child = try ChildProcess("\(folder)/posectl", arguments)
            let code = child.wait()
            guard code == 0 else { throw BenchError("posectl replay ended with \(code)") }
            times.append(child.processorSeconds)
        }
        Report.add(
            Figure(
                name: "replay of a recording of \(Text.number(seconds)) s, 200 Hz IMU",
                value: seconds / Distribution(times).median, unit: "x real time", limit: .atLeast(500)))
    }

    /// Writes a simulated drive as the daemon records it. Returns its duration and the size of the file.
    private func record(imuHertz: Double, fixHertz: Double, to path: String) throws -> (seconds: Double, bytes: Int) {
        let drive = try Drive(.random(seed: 11, edges: 60))
        var sensors = SensorSuite()
        sensors.inertial?.rateHertz = imuHertz
        sensors.satellite?.rateHertz = fixHertz
        var info = RecordingInfo(release: "bench", session: "bench")
        (info.startsWithEngine, info.hasPublications) = (true, true)
        var writer = DriveRecordingWriter(info: info, settings: RecordedSettings())
        guard let file = fopen(path, "we") else { throw BenchError("\(path): \(String(cString: strerror(errno)))") }
        defer { fclose(file) }
        var (engine, predictor, number, made) = (Engine(), FramePredictor(), UInt64(0), UInt64(0))
        var publications: [Publication] = []
        for event in SimulatedDrive(drive: drive, sensors: sensors, seed: 11) {
            number += 1
            writer.write(.event(event), number: number)
            guard engine.ingest(event) else { continue }
            made += 1
            // As by the daemon, 0.2 to 0.3 ms after the sample.
            let time = event.arrivalTime.advanced(bySeconds: 2e-4 + Double(made % 97) * 1e-6)
            let frame = predictor.prepare(engine.frame, isRepeat: false, isNewest: true, now: time)
            if made % UInt64(imuHertz / 5) == 0 { writer.write(frame, number: made) }
            publications.append(Publication(number: made, time: time, isNewest: true, isRepeat: false))
            guard publications.count >= Int(imuHertz) else { continue }
            writer.write(publications)
            publications.removeAll(keepingCapacity: true)
            writer.finishChunk()
            let bytes = writer.takeBytes()
            fwrite(bytes, 1, bytes.count, file)
        }
        writer.write(publications)
        writer.finish()
        let bytes = writer.takeBytes()
        fwrite(bytes, 1, bytes.count, file)
        return (drive.durationSeconds, writer.size)
    }

    // MARK: - The daemon

    private func measureDaemon() throws {
        let idle = try live(mode: "off")
        let recording = try live(mode: "always")
        Report.add(
            Figure(
                name: "recording of a 1 kHz IMU, its two threads", value: recording.threads * 100, unit: "% of a core",
                limit: .atMost(3)))
        Report.add(
            Figure(
                name: "  the whole daemon, compared with no recording", value: (recording.all - idle.all) * 100,
                unit: "% of a core", limit: .none))
        Report.add(
            Figure(
                name: "  memory, compared with no recording", value: (recording.kibibytes - idle.kibibytes) / 1024,
                unit: "MiB", limit: .atMost(8)))
        Report.add(Figure(name: "  lost inputs and frames", value: recording.lost, unit: "", limit: .atMost(0)))
    }

    /// What a daemon needs for a 1 kHz IMU.
    private struct Need {
        /// Processor time of the whole daemon and of the recorder's threads, seconds per second.
        var all: Double
        var threads: Double
        var kibibytes: Double
        var lost: Double
    }

    private func live(mode: String) throws -> Need {
        let files = try TemporaryFolder()
        try files.write("", to: "posed.yaml")
        let recordings = "\(files.path)/recordings"
        var imu = try EmulatedIMU.start(
            [
                "\(folder)/posed", "--config", "\(files.path)/posed.yaml", "--source", "live", "--set",
                "sockets.folder=\(files.path)", "--log-level", "error", "--set", "recording.mode=\(mode)", "--set",
                "recording.folder=\(recordings)", "--set", "recording.reserve_mib=0", "--set", "imu.gyro_rate_hz=1000",
            ], rateHertz: 1000, in: files)
        defer { imu.stop() }
        sleep(3)
        let before = Self.processorSeconds(of: imu.program)
        sleep(UInt32(Self.liveSeconds))
        let after = Self.processorSeconds(of: imu.program)
        let memory = ChildProcess.residentKibibytes(of: imu.program) ?? .nan
        let seconds = Double(Self.liveSeconds)
        return Need(
            all: (after.all - before.all) / seconds, threads: (after.recorder - before.recorder) / seconds,
            kibibytes: memory, lost: mode == "off" ? 0 : Self.lost(recordings))
    }

    /// Processor time of all threads of a process, and of the recorder's.
    private static func processorSeconds(of process: pid_t) -> (all: Double, recorder: Double) {
        let threads = Folder.names(in: "/proc/\(process)/task")
        guard !threads.isEmpty else { return (.nan, .nan) }
        var (all, recorder) = (0.0, 0.0)
        for name in threads {
            // Nanoseconds on a processor come first; clock ticks would be too coarse.
            let text = TextFile.read("/proc/\(process)/task/\(name)/schedstat")
            guard let time = text.split(separator: " ").first.flatMap({ Double($0) }) else { continue }
            all += time * 1e-9
            let thread = TextFile.read("/proc/\(process)/task/\(name)/comm")
            if thread == "recorder\n" || thread == "recording\n" { recorder += time * 1e-9 }
        }
        return (all, recorder)
    }

    /// Gaps in the numbers of the inputs in the recordings of a folder.
    private static func lost(_ path: String) -> Double {
        var (last, lost) = (UInt64(0), UInt64(0))
        for file in recordings(path) {
            guard var reader = try? DriveRecordingReader(path: file) else { return .nan }
            while let entry = try? reader.next() {
                guard case .input(_, let number) = entry, number > 0 else { continue }
                lost += number - last - 1
                last = number
            }
        }
        return last == 0 ? .nan : Double(lost)
    }

    private static func recordings(_ path: String) -> [String] {
        Folder.names(in: path).filter { $0.hasSuffix(".mcap") }.map { "\(path)/\($0)" }
    }
}
