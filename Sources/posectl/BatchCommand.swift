import ArgumentParser
import Batch
import Files
import Glibc
import Synchronization

/// `posectl batch`.
struct BatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch", abstract: "Replay, smooth or report many recordings, on all cores or by a scheduler.",
        discussion: """
            INPUT is a recording, a folder that is searched for recordings, or @FILE, a list with one path per line. \
            Each recording has a process of its own; its output goes to the folder of --output, under its name. \
            results.csv and results.json there have a row for each recording. A run that was interrupted goes on: \
            what is done is not done again unless the recording, the options or the release have changed, or with \
            --force. --with passes an option to the command: posectl batch report drives -o reports --with --smooth
            For a scheduler: plan writes the tasks, run does one of them, collect makes the tables of the fleet.
            Exit status: 0 all done, 1 at least one failed, 64 wrong usage, 65 no recording, 73 the folder cannot be \
            written.
            """,
        subcommands: [
            BatchReplayCommand.self, BatchSmoothCommand.self, BatchReportCommand.self, BatchPlanCommand.self,
            BatchTaskCommand.self, BatchCollectCommand.self,
        ])
}

/// `posectl batch replay`.
struct BatchReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "replay", abstract: "Replay many recordings.")
    @OptionGroup var batch: BatchOptions

    func run() throws { try batch.run(.replay) }
}

/// `posectl batch smooth`.
struct BatchSmoothCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "smooth", abstract: "Smooth many recordings.")
    @OptionGroup var batch: BatchOptions

    func run() throws { try batch.run(.smooth) }
}

/// `posectl batch report`.
struct BatchReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "report", abstract: "Report many recordings.")
    @OptionGroup var batch: BatchOptions

    func run() throws { try batch.run(.report) }
}

/// What the three have in common.
struct BatchOptions: ParsableArguments {
    @Argument(help: "Recordings, folders, and lists (@FILE).", completion: .file())
    var inputs: [String]

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The folder of the outputs and of the table; created if it does not exist.", valueName: "path"),
        completion: .directory)
    var output: String

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Processes at a time; without it one per core.", valueName: "number"))
    var jobs: Int?

    @Flag(help: "Make results again that are there.")
    var force = false

    @Option(
        name: .customLong("with"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("An option of the command; may be repeated.", valueName: "option"))
    var options: [String] = []

    @Flag(help: "Print only the failures.")
    var quiet = false

    func validate() throws {
        guard !inputs.isEmpty else { throw ValidationError("give recordings, folders or @LIST") }
        if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs must be 1 to 256") }
        try Self.check(options)
    }

    /// Refuses options that the batch sets itself.
    static func check(_ options: [String]) throws {
        let own = ["--frames", "--output", "-o", "--figures", "--json", "--speed", "--folder"]
        if let option = options.first(where: { word in own.contains { word == $0 || word.hasPrefix($0 + "=") } }) {
            throw ValidationError("\(option) is set by the batch; leave it out")
        }
    }

    /// Runs a command over the recordings.
    func run(_ command: BatchRun.Command) throws {
        let recordings: [String]
        do throws(BatchInputs.Failure) { recordings = try BatchInputs.recordings(of: inputs) } catch {
            complain(error.description)
            throw ExitCode.badData
        }
        guard !recordings.isEmpty else {
            complain("\(inputs.joined(separator: ", ")): no recording; give folders with recordings")
            throw ExitCode.badData
        }
        do throws(FileFault) { try Folder.create(output, permissions: 0o755) } catch {
            complain("\(output): \(error.reason); choose another folder")
            throw ExitCode.cannotWrite
        }
        let results = try perform(command, recordings)
        do throws(FileFault) { try BatchTable.write(results, folder: output) } catch {
            complain("\(output)/results.csv: \(error.description)")
            throw ExitCode.cannotWrite
        }
        let failed = results.count { $0.status == .failed }
        let missing = recordings.count - results.count
        if !quiet || failed + missing > 0 {
            let kept = results.count { $0.status == .kept }
            let parts = [
                "\(results.count - failed - kept) done", kept > 0 ? "\(kept) kept" : nil,
                failed > 0 ? "\(failed) failed" : nil, missing > 0 ? "\(missing) not begun" : nil,
            ]
            complain("\(parts.compactMap { $0 }.joined(separator: ", ")); \(output)/results.csv")
        }
        if failed + missing > 0 { throw ExitCode(1) }
    }

    private func perform(_ command: BatchRun.Command, _ recordings: [String]) throws -> [BatchRun.Result] {
        // The program that started this one may have blocked them.
        var ends = sigset_t()
        sigemptyset(&ends)
        for number in [SIGINT, SIGTERM] {
            sigaddset(&ends, number)
            signal(number) { _ in Self.hasEnded.store(true, ordering: .relaxed) }
        }
        pthread_sigmask(SIG_UNBLOCK, &ends, nil)
        let cores = max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
        var batch = BatchRun(
            command: command, options: options, program: Self.program, folder: output, jobs: jobs ?? cores)
        batch.isForced = force
        let progress = ProgressBar(isHidden: quiet)
        let all = Double(recordings.count)
        return batch.run(
            recordings, shouldEnd: { Self.hasEnded.load(ordering: .relaxed) },
            onResult: { finished, result in
                if result.status == .failed {
                    progress.clear()
                    complain(Self.text(result))
                }
                progress.show(Double(finished) / all)
                if finished == recordings.count { progress.clear() }
            })
    }

    /// A failure as one line; the message of the process names itself.
    static func text(_ result: BatchRun.Result) -> String {
        let own = "posectl: "
        let message = result.message.hasPrefix(own) ? String(result.message.dropFirst(own.count)) : result.message
        return message.contains(result.recording) ? message : "\(result.recording): \(message)"
    }

    /// This program.
    static var program: String {
        var path = [CChar](repeating: 0, count: 4097)
        let count = readlink("/proc/self/exe", &path, 4096)
        guard count > 0 else { return CommandLine.arguments[0] }
        return String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether a signal has asked to end.
    private static let hasEnded = Atomic<Bool>(false)
}
