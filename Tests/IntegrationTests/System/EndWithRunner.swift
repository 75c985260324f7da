import Foundation
import Glibc

/// Ends the programs of the tests with the test runner, also where it is killed.
enum EndWithRunner {
    /// A variable that all programs inherit which this process starts: it tells them from those of another runner.
    static let variable = "POSED_TEST_RUNNER"

    /// Whether something ends the programs when this process has ended. The first use starts it, unless the runner was
    /// started by `scripts/contain`.
    static let isSet: Bool = {
        setenv(variable, mark, 1)
        return getenv("POSED_CONTAINED") != nil || watcher != nil
    }()

    private static let mark = "\(getpid())-\(UInt32.random(in: 0...UInt32.max))"

    /// What ends them. It is never released, as it has to outlive this process. It has no mark, so that another one of
    /// this runner would not end it.
    private static let watcher = try? ChildProcess(
        "\(ExternalProgram.packageFolder)/scripts/contain", ["--after", "\(getpid())", "\(variable)=\(mark)"],
        environment: ProcessInfo.processInfo.environment.filter { $0.key != variable }, output: .inherited,
        errors: .inherited)
}
