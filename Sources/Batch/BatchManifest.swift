import BoundedJSON
import Files
import Frames

/// The tasks of a batch that a scheduler runs, in the file `manifest.json` of the folder of the results.
package struct BatchManifest: Sendable, Equatable {
    /// One recording.
    package struct Task: Sendable, Equatable {
        /// Path of the recording.
        package var recording: String
        /// Name of its results.
        package var name: String
        /// The vehicle: the folder in which the recording lies.
        package var vehicle: String
    }

    /// The tasks, numbered from 0.
    package var tasks: [Task]
    /// Options of `posectl report`.
    package var options: [String]

    /// Why a manifest cannot be used.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// What is wrong, and what to do.
        package var description: String
    }

    private static let limits = JSONLimits(maximumBytes: 64_000_000, maximumDepth: 8, maximumEntries: 2_000_000)

    /// Plans recordings.
    package init(_ recordings: [String], options: [String]) {
        self.options = options
        tasks = zip(recordings, BatchRun.names(of: recordings)).map { recording, name in
            let folder = AtomicFile.folder(of: recording).split(separator: "/").last.map(String.init)
            return Task(recording: recording, name: name, vehicle: folder ?? ".")
        }
    }

    /// Reads a manifest.
    package init(path: String) throws(Failure) {
        let bytes: [UInt8]
        do throws(FileFault) {
            bytes = try RegularFile(path).bytes(count: Self.limits.maximumBytes)
        } catch { throw Failure(description: "\(path): \(error)") }
        do throws(JSONProblem) {
            let root = try JSONDocument(bytes: bytes, limits: Self.limits).root
            var options: [String] = []
            for option in try root.required("options").requiredElements() {
                options.append(try option.requiredString())
            }
            var tasks: [Task] = []
            for task in try root.required("tasks").requiredElements() {
                let name = try task.required("name").requiredString()
                guard !name.isEmpty, !name.contains("/"), !name.hasPrefix(".") else {
                    throw task.problem("has a name that is no file name", remedy: "plan the batch again")
                }
                tasks.append(
                    Task(
                        recording: try task.required("recording").requiredString(), name: name,
                        vehicle: try task.required("vehicle").requiredString()))
            }
            (self.options, self.tasks) = (options, tasks)
        } catch { throw Failure(description: "\(path):\(error)") }
    }

    /// Writes the manifest.
    package func write(to path: String) throws(FileFault) {
        var writer = JSONWriter(capacity: 1 << 14)
        writer.strings("{\"options\":", options)
        writer.literal(",\"tasks\":")
        writer.list(tasks) { writer, task in
            writer.string("\n{\"recording\":", task.recording)
            writer.string(",\"name\":", task.name)
            writer.string(",\"vehicle\":", task.vehicle)
            writer.literal("}")
        }
        writer.literal("}\n")
        try AtomicFile.replace(path, with: writer.withBytes { Array($0) }, permissions: 0o644)
    }

    /// The numbers of the tasks of one of `total` parts: every `total`-th, so that long and short ones mix.
    package func part(_ part: Int, of total: Int) -> [Int] {
        guard total > 0, (0..<total).contains(part), part < tasks.count else { return [] }
        return Array(stride(from: part, to: tasks.count, by: total))
    }
}
