import Foundation
import Glibc

/// Packages from the Python index that only tests need, in an environment of their own beside the build.
enum PythonEnvironment {
    /// The interpreter that finds a package; `nil` where the package cannot be had, which is printed with the reason.
    ///
    /// Makes the environment when it is asked for the first time, and installs the package unless it is there. Without
    /// network it is not. Only the condition of a test that needs the package may ask: conditions are evaluated for the
    /// tests that are chosen to run, the texts beside them for all.
    ///
    /// - Parameter module: what Python imports, where its name is another than the package's.
    static func with(_ package: String, module: String? = nil) -> String? {
        let folder = "\(ExternalProgram.buildFolder)/python-\(package)"
        let python = "\(folder)/bin/python"
        func isThere() -> Bool {
            (try? ExternalProgram.run(python, ["-W", "ignore", "-c", "import \(module ?? package)"]))?.exitCode == 0
        }
        if access(python, X_OK) == 0, isThere() { return python }
        guard ExternalProgram.has("python3"),
            (try? ExternalProgram.run("python3", ["-m", "venv", folder]))?.exitCode == 0
        else {
            print("python3-venv is not installed")
            return nil
        }
        let result = try? ExternalProgram.run(
            python, ["-m", "pip", "install", "--quiet", "--timeout", "30", "--retries", "1", package])
        if isThere() { return python }
        print("\(package) cannot be had: \(result?.errors.suffix(200) ?? "")")
        return nil
    }
}
