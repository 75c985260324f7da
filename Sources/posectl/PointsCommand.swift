import ArgumentParser
import Glibc
import RoadData

/// `posectl points`.
struct PointsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "points", abstract: "Create the file of points of interest that posed shows.",
        subcommands: [Import.self])

    /// `posectl points import`.
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Create a file of points from GeoJSON, GPX, CSV, a property list, or an OpenStreetMap extract.",
            discussion: """
                Put the file's path into points.file. Records without a valid point are skipped and listed.
                Exit status: 0 done, 64 wrong usage, 65 the source has no points, or it is invalid, or the output \
                cannot be written.
                """)

        @Argument(
            help: "The source; its format is detected from its content, an extract from its name (.osm.pbf).",
            completion: .file())
        var source: String

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("The new file; it replaces an old one when it is complete.", valueName: "path"),
            completion: .file())
        var output = "points.posed"

        @Option(
            help: ArgumentHelp(
                "OpenStreetMap keys whose values become categories, separated by commas.", valueName: "keys"))
        var keys: String?

        func run() throws {
            do throws(ImportProblem) {
                var points = PointImport()
                if let keys { points.osmKeys = Set(keys.split(separator: ",").map { String($0) }) }
                let report = try points.run(from: source, to: output)
                var lines = [
                    "\(output): \(report.count) points of \(report.categories) categories, \(report.bytes) bytes"
                ]
                if report.skipped > 0 {
                    lines.append("skipped records: \(report.skipped)")
                    lines += report.reasons.map { "  " + $0 }
                }
                writeText(lines.joined(separator: "\n") + "\n", to: STDOUT_FILENO)
            } catch {
                complain(error.description)
                throw ExitCode.badData
            }
        }
    }
}
