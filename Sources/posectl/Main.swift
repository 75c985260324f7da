import ArgumentParser
import Glibc
import Platform

/// The command-line tool for the daemon.
@main struct PoseControl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "posectl", abstract: "Monitor, control and test posed, the pose daemon.",
        version: "posectl \(Release.version)",
        subcommands: [
            MonitorCommand.self, StatusCommand.self, WaitCommand.self, ExplainCommand.self, DoctorCommand.self,
            RouteCommand.self, TrimCommand.self, ResetCommand.self, RecordCommand.self, ReplayCommand.self,
            SmoothCommand.self, ReportCommand.self, BatchCommand.self, SimulateCommand.self, ConvertCommand.self,
            InfoCommand.self, CalibrateCommand.self, AlignCommand.self, RoadsCommand.self, PointsCommand.self,
        ])

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let unknown = UnknownCommand(in: arguments, of: Self.self) {
            writeText(unknown.message, to: STDERR_FILENO)
            exit(withError: ExitCode.validationFailure)
        }
        main(NegativeNumbers.marked(in: arguments))
    }
}
