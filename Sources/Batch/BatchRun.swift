import BoundedJSON
import Files
import Frames
import Glibc
import Platform
import Replay

/// Runs a command over many recordings, each in a process of its own, on all cores. A recording whose result is there
/// already is skipped.
package struct BatchRun: Sendable {
    /// The commands.
    package enum Command: String, CaseIterable, Sendable {
        case replay
        case smooth
        case report
    }

    /// Result of one recording.
    package struct Result: Sendable, Equatable {
        /// How it went.
        package enum Status: String, Sendable {
            case done
            case failed
            /// The result was there before.
            case kept
        }

        package var recording: String
        package var status: Status
        /// Exit status of the process; `nil` if a signal ended it.
        package var exit: Int32?
        /// Seconds that it took.
        package var seconds: Double
        /// Path of the output; empty if there is none.
        package var output: String
        /// The last line that the process wrote to its standard error.
        package var message: String
        /// Figures of a report: their names and values.
        package var figures: [(name: String, value: Double?)] = []

        package static func == (a: Result, b: Result) -> Bool {
            a.recording == b.recording && a.status == b.status && a.exit == b.exit && a.output == b.output
        }
    }

    /// The command and its further options.
    package var command: Command
    package var options: [String]
    /// The program that runs the command: this one.
    package var program: String
    /// Folder of the outputs and of the table.
    package var folder: String
    /// Processes at a time.
    package var jobs: Int
    /// Whether results that are there are made again.
    package var isForced = false

    /// Maximum number of bytes that are read of what a process has written.
    private static let mostLogBytes = 1 << 16
    /// Maximum number of files of a recording whose state is kept.
    private static let mostFiles = 500

    /// Creates a batch.
    package init(command: Command, options: [String], program: String, folder: String, jobs: Int) {
        (self.command, self.options, self.program) = (command, options, program)
        (self.folder, self.jobs) = (folder, max(jobs, 1))
    }

    private struct Job {
        var index: Int
        var child: pid_t
        var began: Double
        /// What the result is made of, as it was at the start: a file that is edited meanwhile is another one.
        var origin: String?
    }

    /// Runs all; `onResult` gets the number of finished ones. Ends early if `shouldEnd`: what is missing stays missing,
    /// and the next run goes on.
    ///
    /// - Parameter names: names of the outputs; `nil` takes those of the recordings.
    package func run(
        _ recordings: [String], names given: [String]? = nil, shouldEnd: () -> Bool, onResult: (Int, Result) -> Void
    ) -> [Result] {
        let names = given?.count == recordings.count ? given ?? [] : Self.names(of: recordings)
        var results = [Result?](repeating: nil, count: recordings.count)
        var (next, finished, running) = (0, 0, [Job]())
        func finish(_ index: Int, _ result: Result) {
            results[index] = result
            finished += 1
            onResult(finished, result)
        }
        // A parent that ignores the end of its children passes that on: their exit codes would be lost.
        signal(SIGCHLD, SIG_DFL)
        while next < recordings.count && !shouldEnd() || !running.isEmpty {
            while running.count < jobs, next < recordings.count, !shouldEnd() {
                let index = next
                next += 1
                if !isForced, let kept = kept(recordings[index], names[index]) {
                    finish(index, kept)
                } else if let job = start(index, recordings[index], names[index]) {
                    running.append(job)
                } else {
                    finish(index, failure(recordings[index], "cannot start \(program)"))
                }
            }
            for job in running {
                var status: Int32 = 0
                guard waitpid(job.child, &status, WNOHANG) == job.child else { continue }
                running.removeAll { $0.child == job.child }
                finish(job.index, ended(job, recordings[job.index], names[job.index], status))
            }
            usleep(5000)
        }
        return results.compactMap { $0 }
    }

    /// What is known of a recording from earlier runs: kept, failed, or missing.
    package func known(_ recording: String, name: String) -> Result {
        if let kept = kept(recording, name) { return kept }
        guard let last = try? lastLine(ofLog: name) else {
            let isCut = access(stamp(name), F_OK) == 0 && access(output(name), F_OK) == 0
            return failure(
                recording, isCut ? "its result is cut or of another state; give this task again" : "not run yet")
        }
        return failure(recording, last.isEmpty ? "ended without a message; give this task again" : last)
    }

    /// The last line of what a recording's process has written; of a long text only the end is read.
    private func lastLine(ofLog name: String) throws(FileFault) -> String {
        let file = try RegularFile(log(name))
        let bytes = try file.bytes(at: max(file.size - Self.mostLogBytes, 0), count: Self.mostLogBytes)
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
    }

    // MARK: - One recording

    /// Names of the outputs: the last part of the path, with a number where it is not unique.
    package static func names(of recordings: [String]) -> [String] {
        var used: Set<String> = []
        return recordings.map { path in
            var name = path.split(separator: "/").last.map(String.init) ?? "recording"
            if name.hasSuffix(".mcap") { name.removeLast(5) }
            var unique = name
            var number = 2
            while !used.insert(unique).inserted {
                unique = "\(name)-\(number)"
                number += 1
            }
            return unique
        }
    }

    private func output(_ name: String) -> String {
        "\(folder)/\(name)" + (command == .report ? ".html" : command == .smooth ? ".smooth.ndjson" : ".ndjson")
    }

    package func figures(_ name: String) -> String { "\(folder)/\(name).json" }
    private func log(_ name: String) -> String { "\(folder)/\(name).log" }
    private func stamp(_ name: String) -> String { "\(folder)/.\(name).\(command.rawValue).done" }

    /// What a result is made of: the recording as it is, the options, and the files that they name.
    private func origin(_ recording: String) -> String? {
        guard let states = Self.states(of: recording) else { return nil }
        return ([recording] + states + [Release.version] + options + optionStates).joined(separator: "\n") + "\n"
    }

    /// Size and time of change of each file that an option names, such as settings, a route or roads.
    private var optionStates: [String] {
        let values = options.compactMap { option in
            option.firstIndex(of: "=").map { String(option[$0...].dropFirst()) }
        }
        return (options + values).compactMap { Self.state(of: $0, isFile: true) }
    }

    /// Size and time of change of a recording and of its further parts; of one that is a folder those of its files,
    /// because the folder's own time does not change with their content, and is another one in each copy.
    private static func states(of recording: String) -> [String]? {
        guard let names = BatchInputs.entries(of: recording) else {
            guard let first = state(of: recording) else { return nil }
            let parts = RecordedParts.files(after: recording, most: mostFiles - 1)
            return [first] + parts.compactMap { state(of: $0) }
        }
        return names.prefix(mostFiles).compactMap { name in
            state(of: "\(recording)/\(name)").map { "\(name) \($0)" }
        }
    }

    private static func state(of file: String, isFile: Bool = false) -> String? {
        var status = stat()
        guard stat(file, &status) == 0, !isFile || status.st_mode & S_IFMT == S_IFREG else { return nil }
        return "\(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }

    private func kept(_ recording: String, _ name: String) -> Result? {
        guard let origin = origin(recording), access(output(name), F_OK) == 0,
            let bytes = try? RegularFile(stamp(name)).bytes(count: 1 << 18), bytes == Array(origin.utf8)
        else { return nil }
        let figures = readFigures(name)
        // Figures that were cut are made again.
        guard command != .report || !figures.isEmpty else { return nil }
        return Result(
            recording: recording, status: .kept, exit: 0, seconds: 0, output: output(name), message: "",
            figures: figures)
    }

    private func start(_ index: Int, _ recording: String, _ name: String) -> Job? {
        let origin = origin(recording)
        var arguments = [program, command.rawValue, recording]
        switch command {
        case .replay, .smooth: arguments += ["--frames", output(name)]
        case .report: arguments += ["--output", output(name), "--figures", figures(name)]
        }
        arguments += options
        unlink(stamp(name))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log(name), O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        guard posix_spawn(&child, program, &actions, nil, &words, environ) == 0 else { return nil }
        return Job(index: index, child: child, began: SystemClock.monotonicNow.seconds, origin: origin)
    }

    private func ended(_ job: Job, _ recording: String, _ name: String, _ status: Int32) -> Result {
        let seconds = SystemClock.monotonicNow.seconds - job.began
        // The lower seven bits are the signal, the next byte the exit status.
        let signal = status & 0x7F
        let exit = signal == 0 ? (status >> 8) & 0xFF : nil
        let isDone = exit == 0
        let last = (try? lastLine(ofLog: name)) ?? ""
        if isDone {
            unlink(log(name))
            if let origin = job.origin {
                try? AtomicFile.replace(stamp(name), with: Array(origin.utf8), permissions: 0o644)
            }
        }
        return Result(
            recording: recording, status: isDone ? .done : .failed, exit: exit, seconds: seconds,
            output: isDone ? output(name) : "",
            message: isDone ? "" : signal != 0 ? "ended by signal \(signal)" : last,
            figures: isDone ? readFigures(name) : [])
    }

    private func failure(_ recording: String, _ message: String) -> Result {
        Result(recording: recording, status: .failed, exit: nil, seconds: 0, output: "", message: message)
    }

    /// The figures of a report that the table shows.
    private func readFigures(_ name: String) -> [(name: String, value: Double?)] {
        guard command == .report, let bytes = try? RegularFile(figures(name)).bytes(count: 1 << 22),
            let root = (try? JSONDocument(bytes: bytes))?.root
        else { return [] }
        let error = root["error"]
        let problems = root["findings"].map { $0.elements.filter { $0["severity"]?.string == "problem" }.count }
        return [
            ("duration_s", root["duration_s"]?.double), ("length_m", root["length_m"]?.double),
            ("aligned_share", root["pose"]?["state_share"]?["aligned"]?.double),
            ("sigma_median_m", root["pose"]?["sigma_m"]?["median"]?.double),
            ("error_rms_m", error?["horizontal_m"]?["rms"]?.double),
            ("error_p95_m", error?["horizontal_m"]?["p95"]?.double),
            ("heading_rms_deg", error?["heading_deg"]?["rms"]?.double), ("problems", problems.map { Double($0) }),
        ]
    }
}
