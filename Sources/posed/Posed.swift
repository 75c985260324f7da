import ArgumentParser
import Configuration
import Daemon
import Platform

/// The daemon's command line: reads the options and the settings, then runs the daemon.
@main struct Posed: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "posed",
        abstract: "Fuses a GPS receiver and an IMU into one pose, follows a route, and serves both on Unix sockets.",
        discussion: """
            Without --config the settings are read from \(Self.defaultFile), if it exists. Options override the file.
            SIGHUP reloads the settings; SIGTERM and SIGINT stop the daemon.
            Exit codes: 0 stopped as requested, 64 usage, 70 internal error, 73 output, 78 settings.
            """,
        version: "posed \(Release.version)")

    static let defaultFile = "/etc/posed/posed.yaml"

    @Option(help: ArgumentHelp("Read the settings from this file.", valueName: "file"), completion: .file())
    var config: String?

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp("Set one key, such as gps.port=2950. May be given several times.", valueName: "key=value"))
    var assignments: [String] = []

    @Option(
        help: "The source of the measurements: auto, live or simulated.",
        completion: .list(["auto", "live", "simulated"]))
    var source: String?

    @Option(help: ArgumentHelp("Follow this route from the start.", valueName: "file"), completion: .file())
    var route: String?

    @Option(
        help: "The lowest level that is logged.",
        completion: .list(["trace", "debug", "info", "notice", "warning", "error", "critical"]))
    var logLevel: String?

    @Flag(help: "Check the settings, print every mistake, and end.")
    var check = false

    @Flag(help: "Print the settings in force with the origin of each value, and end.")
    var printConfig = false

    @Flag(help: "Print a commented settings file with the defaults, and end.")
    var printSample = false

    @Flag(help: "Print the reference of all settings in Markdown, and end.")
    var printReference = false

    func validate() throws {
        guard [check, printConfig, printSample, printReference].count(where: { $0 }) <= 1 else {
            throw ValidationError("--check, --print-config, --print-sample and --print-reference exclude each other.")
        }
        for assignment in assignments where SettingsOption(assignment: assignment) == nil {
            throw ValidationError("--set \(assignment): write KEY=VALUE, such as --set gps.port=2950.")
        }
    }

    func run() throws {
        if printSample { return try CommandOutput.print(SettingsWriter.sample()) }
        if printReference { return try CommandOutput.print(SettingsWriter.reference()) }
        let sources = SettingsSources(file: config, defaultFile: Self.defaultFile, options: options)
        let loaded: LoadedSettings
        do throws(SettingsFailure) {
            loaded = try sources.load()
        } catch {
            CommandOutput.complain(error, checking: check)
            throw ExitCode(CommandOutput.settingsExitCode)
        }
        if check { return try CommandOutput.print(CommandOutput.verdict(loaded)) }
        if printConfig { return try CommandOutput.print(SettingsWriter.effective(loaded)) }
        throw ExitCode(Daemon.run(loaded, reload: sources))
    }

    /// The settings of the command line, in the order of precedence.
    private var options: [SettingsOption] {
        var options: [SettingsOption] = []
        for (name, path, value) in [
            ("--source", "source", source), ("--route", "route_file", route), ("--log-level", "log_level", logLevel),
        ] {
            if let value { options.append(SettingsOption(spelling: name, path: path, value: value)) }
        }
        return options + assignments.compactMap { SettingsOption(assignment: $0) }
    }
}
