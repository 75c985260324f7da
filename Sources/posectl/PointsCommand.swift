import ArgumentParser
import Glibc
import RoadData

/// `posectl points`.
struct PointsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "points", abstract: "Make the file of points of interest that posed shows.",
        subcommands: [Import.self])

    /// `posectl points import`.
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Make a file of points from GeoJSON, GPX, CSV, a property list, or an OpenStreetMap extract.",
            discussion: """
                Put the file's path into points.file. Records that make no point are left out one by one and named.
                Exit status: 0 done, 64 wrong usage, 65 there is no point in the source, or it is broken.
                """)

        @Argument(
            help: "The source; its form is known by its content, an extract by its name (.osm.pbf).",
            completion: .file())
        var source: String

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("The new file; an old one is replaced when the new one is whole.", valueName: "path"),
            completion: .file())
        var output = "points.posed"

        @Option(
            help: ArgumentHelp(
                "Keys of OpenStreetMap whose values are taken as categories, with commas between.", valueName: "keys"))
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
                    lines.append("records left out: \(report.skipped)")
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
