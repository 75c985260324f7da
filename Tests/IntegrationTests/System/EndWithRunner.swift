import Foundation
import Glibc

/// Ends the programs of the tests with the test runner, also where it is killed.
enum EndWithRunner {
    /// A variable that all programs inherit which this process starts: it tells them from those of another runner.
    static let variable = "POSED_TEST_RUNNER"

    /// Whether something ends the programs when this process has ended. The first use starts it, unless the runner was
    /// started by `scripts/contain`.
    static let isSet: Bool = {
        let mark = "\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        setenv(variable, mark, 1)
        if getenv("POSED_CONTAINED") != nil { return true }
        let watcher = Process()
        watcher.executableURL = URL(fileURLWithPath: "\(ExternalProgram.packageFolder)/scripts/contain")
        watcher.arguments = ["--after", "\(getpid())", "\(variable)=\(mark)"]
        // The watcher has no mark, so that another one of this runner would not end it.
        watcher.environment = ProcessInfo.processInfo.environment.filter { $0.key != variable }
        watcher.standardInput = FileHandle.nullDevice
        return (try? watcher.run()) != nil
    }()
}
