import ArgumentParser
import Explanation
import Glibc
import Monitor

extension Explanation.Quantity: ExpressibleByArgument {}

/// `posectl explain`.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Show why a quantity is not known better, and what would help most.",
        discussion: """
            Prints what contributes to its uncertainty (receiver, gyro, mount, lag, age), the largest first, and the \
            one action that would help most.
            Exit status: 0 done, 2 the daemon does not run, 64 wrong usage, 73 output cannot be written.
            """)

    @Argument(help: "The quantity: heading, position, speed, off-route or limit.")
    var quantity: Explanation.Quantity

    @OptionGroup var socket: SocketOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let text: String
        do throws(CommandClient.Failure) {
            let explanation = try Explainer(socketPath: socket.path).explain(quantity)
            text = json ? Explainer.json(explanation) : Explainer.text(explanation)
        } catch {
            complain(error.description)
            throw ExitCode.noDaemon
        }
        try printResult(text + "\n")
    }
}
