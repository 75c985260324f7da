import ArgumentParser
import Configuration
import Glibc
import Monitor

/// The options that select the daemon.
struct SocketOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The daemon's stream socket; without it $POSED_STREAM, else the default path.", valueName: "path"),
        completion: .file())
    var socket: String?

    @Option(
        help: ArgumentHelp("The folder of the daemon's sockets, instead of --socket.", valueName: "path"),
        completion: .directory)
    var folder: String?

    func validate() throws {
        guard socket == nil || folder == nil else { throw ValidationError("give --socket or --folder, not both") }
    }

    /// The path to connect to.
    var path: String {
        if let socket { return socket }
        if let folder { return folder + "/stream" }
        if let variable = getenv("POSED_STREAM"), variable.pointee != 0 { return String(cString: variable) }
        return PublishingSettings().streamPath
    }

    /// Sends a command; on failure prints the reason and ends the program. `hint` may add to the reason why the daemon
    /// refused it.
    func perform(_ command: CommandClient.Command, hint: (String) -> String? = { _ in nil }) throws -> String {
        do throws(CommandClient.Failure) {
            return try CommandClient(socketPath: path).perform(command)
        } catch {
            complain(error.description)
            if case .noDaemon = error { throw ExitCode.noDaemon }
            if let more = hint(error.description) { complain(more) }
            throw ExitCode.badData
        }
    }
}
