import ArgumentParser
import Conversion
import Glibc
import Recording

/// `posectl info`.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show what a recording contains: sensors, rates, gaps and the first problems.",
        discussion: """
            Reads every format that `posectl convert` reads, in full.
            Exit status: 0 the recording can be read, 64 wrong usage, 65 it cannot, 73 output cannot be written. One \
            of posed can be read up to the place where it was cut off or is damaged, as one that is still being \
            written; the problems name that place.
            """)

    @Argument(help: "The recording: a file or a folder; its format is detected from its content.", completion: .file())
    var recording: String

    @Option(help: ArgumentHelp("The recording's format, instead of detecting it.", valueName: "format"))
    var from: InputFormat?

    func run() throws {
        let format = try RecordingFormat.detected(from, of: recording)
        let reader: any EventReader
        do throws(RecordingError) {
            reader = try Conversion.open(recording, format)
        } catch {
            complain(error.description)
            throw ExitCode.badData
        }
        let progress = ProgressBar(isHidden: false)
        let info = RecordingSummary(reader) { progress.show($0) }
        progress.clear()
        try printResult(info.text(name: recording, format: format.title))
        if !info.isComplete { throw ExitCode.badData }
    }
}
