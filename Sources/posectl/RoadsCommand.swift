import ArgumentParser
import Glibc
import RoadData
import Roads

/// `posectl roads`.
struct RoadsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roads", abstract: "Create and inspect the road file from which posed reads limits.",
        subcommands: [Import.self, Info.self])

    /// `posectl roads import`.
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Create a road file from an OpenStreetMap extract (.osm.pbf).",
            discussion: """
                Put the file's path into roads.file. Data that does not fit in memory is sorted on disk beside the new \
                file, which temporarily takes about twice the extract's size.
                Exit status: 0 done, 64 wrong usage, 65 invalid extract, or the output cannot be written.
                """)

        @Argument(help: "The extract.", completion: .file(extensions: ["pbf"]))
        var extract: String

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("The new file; it replaces an old one when it is complete.", valueName: "path"),
            completion: .file())
        var output = "roads.posed"

        @Option(
            help: ArgumentHelp(
                "The country whose default limits apply, such as AD; without it a general table.",
                valueName: "code"))
        var country: String?

        func run() throws {
            let began = SystemSeconds.now
            do throws(ImportProblem) {
                let report = try RoadImport(country: country?.uppercased()).run(from: extract, to: output)
                let seconds = ((SystemSeconds.now - began) * 10).rounded() / 10
                writeText(Self.text(report, output, seconds), to: STDOUT_FILENO)
            } catch {
                complain(error.description)
                throw ExitCode.badData
            }
        }

        static func text(_ report: RoadImportReport, _ output: String, _ seconds: Double) -> String {
            var lines = [
                "\(output): \(report.edges) road segments, \(report.nodes) junctions and ends, \(report.points) "
                    + "points, \(report.bytes) bytes, in \(seconds) s",
                "limits: \(report.edgesWithLimit) segments have their own, the others use that of their road class",
            ]
            if report.ruledEdges > 0 {
                lines.append("limits for some vehicles or under conditions: \(report.ruledEdges) segments")
            }
            if report.unreadLimits > 0 { lines.append("unreadable limits: \(report.unreadLimits)") }
            if report.incompleteWays > 0 {
                lines.append("roads cut because points are missing in the extract: \(report.incompleteWays)")
            }
            return lines.joined(separator: "\n") + "\n"
        }
    }

    /// `posectl roads info`.
    struct Info: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "info", abstract: "Check a road file and show its content.",
            discussion: "Exit status: 0 the file is valid, 64 wrong usage, 65 it is not.")

        @Argument(help: "The road file.", completion: .file(extensions: ["posed"]))
        var file: String

        func run() throws {
            do throws(ImportProblem) {
                let map = try RoadFile.open(path: file)
                let summary = map.summary
                let country = RoadMap.countryCode(summary.country).map { "those of \($0)" } ?? "the general table"
                let rules =
                    map.hasRules
                    ? "\(map.ruledEdgeCount) segments"
                    : "none, because an earlier release made the file; import the extract again"
                let date = summary.dataSeconds == 0 ? "unknown" : UTCDate.text(seconds: summary.dataSeconds)
                writeText(
                    """
                    \(file): valid
                    road segments: \(summary.edges); junctions and ends: \(summary.nodes); points: \(summary.points)
                    limits by road class: \(country)
                    limits for some vehicles or under conditions: \(rules)
                    date of the data: \(date)

                    """, to: STDOUT_FILENO)
            } catch {
                complain(error.description)
                throw ExitCode.badData
            }
        }
    }
}
