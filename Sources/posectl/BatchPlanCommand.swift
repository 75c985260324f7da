import ArgumentParser
import Batch
import BoundedJSON
import Files
import Glibc

/// `posectl batch plan`.
struct BatchPlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Write the tasks of a batch for a scheduler.",
        discussion: """
            INPUT is as for posectl batch report. The folder of --output gets manifest.json with one task for each \
            recording, numbered from 0. The vehicle of a recording is the name of the folder in which it lies. Prints \
            the number of tasks.
            Exit status: 0 done, 64 wrong usage, 65 no recording, 73 the folder cannot be written.
            """)

    @Argument(help: "Recordings, folders, and lists (@FILE).", completion: .file())
    var inputs: [String]

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The folder of the tasks and results; created if it does not exist.", valueName: "path"),
        completion: .directory)
    var output: String

    @Option(
        name: .customLong("with"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("An option of posectl report. May be given several times.", valueName: "option"))
    var options: [String] = []

    func validate() throws {
        guard !inputs.isEmpty else { throw ValidationError("give recordings, folders or @LIST") }
        try BatchOptions.check(options)
    }

    func run() throws {
        let found: [String]
        do throws(BatchInputs.Failure) { found = try BatchInputs.recordings(of: inputs) } catch {
            complain(error.description)
            throw ExitCode.badData
        }
        guard !found.isEmpty else {
            complain("\(inputs.joined(separator: ", ")): no recording; give folders with recordings")
            throw ExitCode.badData
        }
        // Tasks run in other folders, perhaps on other machines with the same files.
        let manifest = BatchManifest(found.map(Self.absolute), options: Self.absolute(options))
        do throws(FileFault) { try Folder.create(output, permissions: 0o755) } catch {
            complain("\(output): \(error.reason); choose another folder")
            throw ExitCode.cannotWrite
        }
        do throws(FileFault) { try manifest.write(to: "\(output)/manifest.json") } catch {
            complain("\(output)/manifest.json: \(error)")
            throw ExitCode.cannotWrite
        }
        writeText("\(manifest.tasks.count)\n", to: STDOUT_FILENO)
    }

    /// The options with the whole paths of the files that they name.
    static func absolute(_ options: [String]) -> [String] {
        let files = ["--config", "--reference", "--roads", "--route"]
        return options.indices.map { index -> String in
            let option = options[index]
            if index > 0, files.contains(options[index - 1]) { return absolute(option) }
            let words = option.split(separator: "=", maxSplits: 1).map(String.init)
            guard words.count == 2, files.contains(words[0]) else { return option }
            return "\(words[0])=\(absolute(words[1]))"
        }
    }

    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return "\(String(cString: folder))/\(path)"
    }
}

/// `posectl batch run`.
struct BatchTaskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Do one task of a plan, or one part of all tasks.",
        discussion: """
            Writes NAME.html and NAME.json beside the manifest. A task that is done is not done again unless the \
            recording, the options or the release have changed. A task that was killed leaves no result, and may be \
            given again, on any machine that has the files. With --of, part N is every M-th task from N on.
            Exit status: 0 done, 1 a recording failed, 64 wrong usage, 65 invalid manifest.
            """)

    @Argument(help: "The manifest that plan wrote.", completion: .file())
    var manifest: String

    @Option(help: ArgumentHelp("Number of the task, or of the part, from 0.", valueName: "n"))
    var task: Int

    @Option(help: ArgumentHelp("Number of parts; without it one for each recording.", valueName: "m"))
    var of: Int?

    @Flag(help: "Make results again that are there.")
    var force = false

    func validate() throws {
        guard task >= 0 else { throw ValidationError("--task must be 0 or more") }
        if let of, !(1...1_000_000).contains(of) { throw ValidationError("--of must be 1 to 1000000") }
    }

    func run() throws {
        let plan = try BatchCollectCommand.read(manifest)
        let numbers = plan.part(task, of: of ?? plan.tasks.count)
        guard task < (of ?? plan.tasks.count) else {
            complain("\(manifest): there is no task \(task); there are \(plan.tasks.count), from 0")
            throw ExitCode.badData
        }
        var batch = BatchRun(
            command: .report, options: plan.options, program: BatchOptions.program,
            folder: AtomicFile.folder(of: manifest), jobs: 1)
        batch.isForced = force
        let tasks = numbers.map { plan.tasks[$0] }
        var failures = 0
        _ = batch.run(tasks.map(\.recording), names: tasks.map(\.name), shouldEnd: { false }) { _, result in
            guard result.status == .failed else { return }
            failures += 1
            complain(BatchOptions.text(result))
        }
        if failures > 0 { throw ExitCode(1) }
    }
}

/// `posectl batch collect`.
struct BatchCollectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collect", abstract: "Make the tables of a plan's results.",
        discussion: """
            Beside the manifest: results.csv and results.json with a row for each recording; fleet.csv and fleet.md \
            with each vehicle's mount, antenna, lags and wheel scale and how they change over weeks, its receiver and \
            IMU, and where guidance went wrong; fleet.geojson with the places where fixes are bad. May be called while \
            tasks run.
            Exit status: 0 all tasks are done, 1 some failed or are missing, 64 wrong usage, 65 invalid manifest, 73 a \
            table cannot be written.
            """)

    @Argument(help: "The manifest that plan wrote.", completion: .file())
    var manifest: String

    func run() throws {
        let plan = try Self.read(manifest)
        let folder = AtomicFile.folder(of: manifest)
        let batch = BatchRun(
            command: .report, options: plan.options, program: BatchOptions.program, folder: folder, jobs: 1)
        var (results, fleet) = ([BatchRun.Result](), FleetTable())
        for task in plan.tasks {
            var result = batch.known(task.recording, name: task.name)
            let limits = JSONLimits(maximumBytes: 16_000_000, maximumDepth: 16, maximumEntries: 1_000_000)
            if result.status == .kept {
                if let bytes = try? RegularFile(batch.figures(task.name)).bytes(count: limits.maximumBytes),
                    let document = try? JSONDocument(bytes: bytes, limits: limits)
                {
                    fleet.add(document.root, vehicle: task.vehicle)
                } else {
                    (result.status, result.message) = (.failed, "\(batch.figures(task.name)): cut; give the task again")
                }
            }
            results.append(result)
        }
        do throws(FileFault) {
            try BatchTable.write(results, folder: folder)
            try fleet.write(folder: folder)
        } catch {
            complain("\(folder): \(error)")
            throw ExitCode.cannotWrite
        }
        let missing = results.count { $0.status == .failed }
        complain("\(results.count - missing) of \(results.count) done; \(folder)/fleet.md, results.csv, fleet.geojson")
        if missing > 0 { throw ExitCode(1) }
    }

    /// Reads a manifest; an invalid one ends the program.
    static func read(_ path: String) throws -> BatchManifest {
        do throws(BatchManifest.Failure) { return try BatchManifest(path: path) } catch {
            complain(error.description)
            throw ExitCode.badData
        }
    }
}
