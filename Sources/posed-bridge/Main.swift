import ArgumentParser
import Bridge
import CSystem
import Configuration
import Files
import Glibc
import JournalLog
import Logging
import Platform

/// The command line of the bridge: reads the options and the settings, then runs the bridge.
@main struct PosedBridge: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "posed-bridge",
        abstract: "Connects posed with a fleet: sends its pose by MQTT, takes commands, and gives metrics.",
        discussion: """
            The settings are those of the daemon, section bridge. Without --config they are read from \
            \(Self.defaultFile), if it exists. Options override the file.
            SIGTERM and SIGINT stop the bridge.
            Exit codes: 0 stopped as requested or nothing to do, 64 usage, 70 internal error, 78 settings.
            """,
        version: "posed-bridge \(Release.version)")

    static let defaultFile = "/etc/posed/posed.yaml"

    @Option(help: ArgumentHelp("Read the settings from this file.", valueName: "file"), completion: .file())
    var config: String?

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp("Set one key, such as bridge.rate_hz=2. May be given several times.", valueName: "key=value")
    )
    var assignments: [String] = []

    @Flag(help: "Print the id of this board, and end.")
    var printId = false

    func validate() throws {
        for assignment in assignments where SettingsOption(assignment: assignment) == nil {
            throw ValidationError("--set \(assignment): write KEY=VALUE, such as --set bridge.rate_hz=2.")
        }
    }

    // What the loader of the program and the reading of the command line have used is needed once: without it, the
    // start would be the largest memory that this program ever has.
    static func main() {
        posed_release_startup_pages()
        main(nil)
    }

    func run() throws {
        posed_release_startup_pages()
        // Before any other thread starts, so that only this thread receives signals.
        guard let signals = SignalSource() else { throw ExitCode(BridgeService.faultExitCode) }
        let loaded: LoadedSettings
        do throws(SettingsFailure) {
            let options = assignments.compactMap { SettingsOption(assignment: $0) }
            loaded = try SettingsSources(file: file, options: options).load()
        } catch {
            try? FileTransfer.write("\(error.description)\nposed-bridge: not started\n", to: STDERR_FILENO)
            throw ExitCode(BridgeService.settingsExitCode)
        }
        if printId { return try printIdentity(loaded.settings.bridge) }
        let output = LogOutput(program: "posed-bridge", level: loaded.settings.logLevel)
        let log = Logger(label: "posed-bridge") { _ in JournalLogHandler(output: output) }
        throw ExitCode(BridgeService.run(loaded, log: log, signals: signals))
    }

    private func printIdentity(_ settings: BridgeSettings) throws {
        guard let identity = BoardIdentity.ofThisMachine(named: settings.id) else {
            let text = "posed-bridge: this machine has no id in /etc/machine-id; run systemd-machine-id-setup\n"
            try? FileTransfer.write(text, to: STDERR_FILENO)
            throw ExitCode(BridgeService.settingsExitCode)
        }
        try? FileTransfer.write("\(identity.id)\n", to: STDOUT_FILENO)
    }

    /// The file to read: the one of --config, otherwise the default file if it exists.
    private var file: String? {
        if let config { return config }
        return access(Self.defaultFile, F_OK) == 0 ? Self.defaultFile : nil
    }
}
