import ArgumentParser
import Glibc
import Scenarios
import Synchronization

/// `posectl simulate`.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Simulate a drive: a recording with its truth, or live sensors.",
        discussion: """
            SCENARIO is a file (docs/scenarios.md), or the name of one that comes with the program; --list names them. \
            Writes a recording and beside it the truth, with which posectl report shows the errors. --check runs the \
            engine and compares the result with what the scenario expects. --live plays the drive in real time: NMEA \
            on a pseudo-terminal for gpsd, and the IMU as an emulated IIO device on loopback; the commands for gpsd \
            and posed are printed.
            Exit status: 0 done, 1 the result is not what is expected (--check), 64 wrong usage, 65 invalid scenario, \
            73 output cannot be written.
            """)

    @Argument(help: "A scenario file, or the name of a scenario.", completion: .file(extensions: ["yaml"]))
    var scenario: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The recording: a file (.mcap), or a folder of CSV files. Without it NAME.mcap in the current folder.",
            valueName: "path"), completion: .file())
    var output: String?

    @Option(help: ArgumentHelp("The seed instead of that of the scenario.", valueName: "number"))
    var seed: UInt64?

    @Flag(help: "Compare the result of the engine with what the scenario expects.")
    var check = false

    @Flag(help: "Play live sensors until the end of the drive.")
    var live = false

    @Option(help: ArgumentHelp("Port of the emulated IIO device; 0 a free one.", valueName: "number"))
    var port: UInt16 = 0

    @Flag(help: "List the scenarios that come with the program.")
    var list = false

    @Flag(help: "Print the text of a scenario that comes with the program, to begin an own one with.")
    var print = false

    @Flag(help: "Print no summary.")
    var quiet = false

    func validate() throws {
        let modes = [check, live, list, print].filter { $0 }.count
        guard modes <= 1 else { throw ValidationError("give one of --check, --live, --list and --print") }
        guard list || scenario != nil else { throw ValidationError("give a scenario, or --list") }
        guard output == nil || modes == 0 else { throw ValidationError("--output is for a recording") }
    }

    func run() throws {
        if list { return try listScenarios() }
        let name = scenario ?? ""
        if print {
            guard let text = ScenarioLibrary.text(name) else { throw Self.unknown(name) }
            return try printResult(String(decoding: text, as: UTF8.self))
        }
        let scenario = try read(name)
        if check { return try compare(scenario) }
        if live { return try play(scenario) }
        try record(scenario)
    }

    private func listScenarios() throws {
        for name in ScenarioLibrary.names {
            let title = try read(name).title
            let blanks = String(repeating: " ", count: max(15 - name.count, 1))
            writeText("\(name)\(blanks)\(title)\n", to: STDOUT_FILENO)
        }
    }

    /// Whether it is the path of a file, and not the name of a scenario of the library: it has a slash or a dot.
    static func isPath(_ name: String) -> Bool { name.contains("/") || name.contains(".") }

    /// Reads a scenario of a file or of the library.
    private func read(_ name: String) throws -> Scenario {
        do throws(ScenarioReader.Failure) {
            var scenario: Scenario
            if Self.isPath(name) {
                scenario = try ScenarioReader.read(path: name)
            } else if let known = try ScenarioLibrary.scenario(name) {
                scenario = known
            } else {
                throw Self.failure(name)
            }
            if let seed { scenario.seed = seed }
            return scenario
        } catch {
            complain(error.description)
            throw ExitCode.badData
        }
    }

    private static func failure(_ name: String) -> ScenarioReader.Failure {
        ScenarioReader.Failure(problems: [
            "'\(name)' is no scenario; give a file, or one of " + ScenarioLibrary.names.joined(separator: ", ")
        ])
    }

    private static func unknown(_ name: String) -> ExitCode {
        complain(failure(name).description)
        return ExitCode.badData
    }

    private func record(_ scenario: Scenario) throws {
        var output = ScenarioOutput(path: output ?? "\(scenario.name).mcap")
        let progress = ProgressBar(isHidden: quiet)
        output.onProgress = { progress.show($0) }
        do throws(ScenarioOutput.Failure) {
            let (measurements, truth) = try output.write(scenario)
            progress.clear()
            guard !quiet else { return }
            writeText(
                "\(output.path): \(measurements) measurements; the truth is in \(truth)\n"
                    + "posectl report \(output.path) shows the errors\n", to: STDOUT_FILENO)
        } catch {
            progress.clear()
            complain(error.description)
            if case .scenario = error { throw ExitCode.badData }
            throw ExitCode.cannotWrite
        }
    }

    private func compare(_ scenario: Scenario) throws {
        let result: ScenarioCheck
        do throws(Scenario.Failure) { result = try ScenarioCheck(scenario) } catch {
            complain(error.description)
            throw ExitCode.badData
        }
        func text(_ value: Double?) -> String { value.map { "\(($0 * 1000).rounded() / 1000)" } ?? "-" }
        for row in result.rows where !quiet {
            let asked = row.asked.map { " (\(row.isLeast ? "at least" : "at most") \(text($0)))" } ?? ""
            writeText(
                "\(row.isGood ? "  " : "! ")\(row.name): \(text(row.reached))\(asked)\n", to: STDOUT_FILENO)
        }
        guard result.isGood else { throw ExitCode(1) }
    }

    private func play(_ scenario: Scenario) throws {
        // The program that started this one may have blocked them.
        var ends = sigset_t()
        sigemptyset(&ends)
        for number in [SIGINT, SIGTERM] {
            sigaddset(&ends, number)
            signal(number) { _ in SimulateCommand.hasEnded.store(true, ordering: .relaxed) }
        }
        pthread_sigmask(SIG_UNBLOCK, &ends, nil)
        signal(SIGPIPE, SIG_IGN)
        let progress = ProgressBar(isHidden: quiet)
        do throws(LiveScenario.Failure) {
            try LiveScenario(scenario, port: port).run(
                announce: { places in
                    var lines: [String] = []
                    if let terminal = places.terminal { lines.append("receiver: gpsd -N -n \(terminal)") }
                    if let port = places.port { lines.append("imu: posed --set imu.context=ip:127.0.0.1:\(port)") }
                    writeText(lines.joined(separator: "\n") + "\n", to: STDOUT_FILENO)
                }, shouldEnd: { Self.hasEnded.load(ordering: .relaxed) }, onProgress: { progress.show($0) })
            progress.clear()
        } catch {
            progress.clear()
            complain(error.description)
            throw ExitCode.cannotWrite
        }
    }

    /// Whether a signal has asked to end.
    private static let hasEnded = Atomic<Bool>(false)
}
