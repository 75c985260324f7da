import Foundation
import Glibc

/// Packages from the Python index that only tests need, in an environment of their own beside the build.
enum PythonEnvironment {
    /// A package that can be used, or why not.
    struct Package {
        /// The interpreter that finds it; `nil` where there is none.
        var python: String?
        /// Why there is none.
        var reason = ""
    }

    /// Makes the environment when it is asked for the first time, and installs the package unless it is there. Without
    /// network it is not.
    static func with(_ package: String) -> Package {
        let folder = "\(ExternalProgram.buildFolder)/python-\(package)"
        let python = "\(folder)/bin/python"
        func isThere() -> Bool {
            (try? ExternalProgram.run(python, ["-W", "ignore", "-c", "import \(package)"]))?.exitCode == 0
        }
        if access(python, X_OK) == 0, isThere() { return Package(python: python) }
        guard ExternalProgram.has("python3"),
            (try? ExternalProgram.run("python3", ["-m", "venv", folder]))?.exitCode == 0
        else {
            return Package(reason: "python3-venv is not installed")
        }
        let result = try? ExternalProgram.run(
            python, ["-m", "pip", "install", "--quiet", "--timeout", "5", "--retries", "1", package], seconds: 120)
        return isThere()
            ? Package(python: python) : Package(reason: "\(package) cannot be had: \(result?.errors.suffix(200) ?? "")")
    }
}
