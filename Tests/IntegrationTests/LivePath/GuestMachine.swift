import Foundation
import Testing

/// The guest with Debian's own kernel and an emulated sensor hub; see `Guest/README.md`.
final class GuestMachine {
    /// The address of its devices, for libiio.
    let contextURI: String
    private let process: ChildProcess
    private let log = try? TemporaryFolder()

    private static let scripts = "\(ExternalProgram.packageFolder)/Tests/IntegrationTests/Guest"
    /// Kept between runs: the kernel is downloaded once.
    private static let image = "\(ExternalProgram.packageFolder)/.build/guest"
    /// EX_UNAVAILABLE of the scripts: this machine cannot run the guest.
    private static let cannot: Int32 = 77

    /// Builds the image if necessary, and starts the guest. Cancels the test with the reason if the machine cannot do
    /// this.
    init() throws {
        try Self.build()
        let port = try GpsdProcess.freePort()
        contextURI = "ip:127.0.0.1:\(port)"
        let folder = log?.path ?? "/tmp"
        process = try ExternalProgram.start(
            "\(Self.scripts)/run.sh", [Self.image, String(port)], output: "\(folder)/console",
            errors: "\(folder)/errors")
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    private static func build() throws {
        let built = try ExternalProgram.run("\(scripts)/build.sh", [image], seconds: 300)
        switch built.exitCode {
        case 0: return
        case cannot: try Test.cancel(Comment(rawValue: built.errors))
        default: throw GuestFailure(text: "the guest cannot be built: \(built.errors)")
        }
    }

    /// The console output so far.
    var console: String { (log?.text(of: "console") ?? "") + (log?.text(of: "errors") ?? "") }

    /// Waits until its devices are served: 7 s of emulation on an idle machine, a minute on a busy one.
    func waitUntilReady() throws {
        let isReady = eventually(within: 240) { console.contains("guest: ready") || !process.isRunning }
        guard isReady, process.isRunning else { throw GuestFailure(text: "the guest did not start:\n\(console)") }
    }
}

/// The reason why the guest cannot be used.
struct GuestFailure: Error, CustomStringConvertible {
    var text: String
    var description: String { text }
}
