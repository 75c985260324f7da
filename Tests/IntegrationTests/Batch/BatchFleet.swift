import Foundation
import Testing

/// A folder with recordings of two vehicles, of which one is damaged, and the folder of the results.
final class BatchFleet {
    let folder: TemporaryFolder
    var results: String { "\(folder.path)/results" }
    /// Number of recordings.
    let count = 6
    /// What finds posectl.
    let environment = [
        "PATH": "\(ExternalProgram.buildFolder):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    ]

    init() throws {
        folder = try TemporaryFolder()
        let sample = "\(ExternalProgram.packageFolder)/samples/drive"
        for index in 0..<(count - 1) {
            let vehicle = "\(folder.path)/drives/bus\(index % 2)"
            try FileManager.default.createDirectory(atPath: vehicle, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: sample, toPath: "\(vehicle)/d\(index)")
        }
        let bad = "\(folder.path)/drives/bus1/bad"
        try FileManager.default.createDirectory(atPath: bad, withIntermediateDirectories: true)
        try "t_s,nothing\n1,2\n".write(toFile: "\(bad)/imu.csv", atomically: false, encoding: .utf8)
        let planned = try posectl("plan", "\(folder.path)/drives", "-o", results)
        #expect(planned.exitCode == 0 && planned.output == "\(count)\n", "\(planned)")
    }

    func posectl(_ words: String...) throws -> ProgramResult {
        try ExternalProgram.run("\(ExternalProgram.buildFolder)/posectl", ["batch"] + words)
    }

    /// Runs a program whose children end, with Python. A thread of the tests blocks signals, and all that it starts
    /// would inherit that.
    static func run(_ words: [String], environment: [String: String], seconds: Double) throws -> ProgramResult {
        let unblocking =
            "import os,signal,sys; signal.pthread_sigmask(signal.SIG_SETMASK,[]); os.execv(sys.argv[1],sys.argv[1:])"
        return try ExternalProgram.run(
            "python3", ["-c", unblocking] + words, environment: environment, seconds: seconds)
    }

    func collect() throws -> ProgramResult { try posectl("collect", "\(results)/manifest.json") }

    /// The rows of the table with a status.
    func rows(_ status: String) -> [String] {
        folder.text(of: "results/results.csv").split(separator: "\r\n").map(String.init).filter {
            $0.contains(",\(status),")
        }
    }
}
