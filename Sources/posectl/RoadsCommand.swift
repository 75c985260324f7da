import ArgumentParser
import Glibc
import RoadData
import Roads

/// `posectl roads`.
struct RoadsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roads", abstract: "Make and look at the file of roads that posed takes limits from.",
        subcommands: [Import.self, Info.self])

    /// `posectl roads import`.
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Make a file of roads from an OpenStreetMap extract (.osm.pbf).",
            discussion: """
                Put the file's path into roads.file. What does not fit in memory is sorted beside the new file, which \
                takes about twice the
                extract's size for a while. Exit status: 0 done, 64 wrong usage, 65 the extract is broken.
                """)

        @Argument(help: "The extract.", completion: .file(extensions: ["pbf"]))
        var extract: String

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("The new file; an old one is replaced when the new one is whole.", valueName: "path"),
            completion: .file())
        var output = "roads.posed"

        @Option(
            help: ArgumentHelp(
                "The country whose law holds where nothing else is said, such as AD; without it a general table.",
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

        private static func text(_ report: RoadImportReport, _ output: String, _ seconds: Double) -> String {
            var lines = [
                "\(output): \(report.edges) road segments, \(report.nodes) junctions and ends, \(report.points) "
                    + "points, \(report.bytes) bytes, in \(seconds) s",
                "limits: \(report.edgesWithLimit) stretches have their own, the others that of their class",
            ]
            if report.unreadLimits > 0 { lines.append("limits that could not be read: \(report.unreadLimits)") }
            if report.incompleteWays > 0 {
                lines.append("roads cut because points of theirs are not in the extract: \(report.incompleteWays)")
            }
            return lines.joined(separator: "\n") + "\n"
        }
    }

    /// `posectl roads info`.
    struct Info: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "info", abstract: "Check a file of roads and say what it holds.",
            discussion: "Exit status: 0 the file is whole, 64 wrong usage, 65 it is not.")

        @Argument(help: "The file of roads.", completion: .file(extensions: ["posed"]))
        var file: String

        func run() throws {
            do throws(ImportProblem) {
                let map = try RoadFile.open(path: file)
                let summary = map.summary
                let country = RoadMap.countryCode(summary.country).map { "the law of \($0)" } ?? "the general table"
                writeText(
                    """
                    \(file): whole
                    road segments: \(summary.edges); junctions and ends: \(summary.nodes); points: \(summary.points)
                    limits of classes: \(country)
                    data of: \(summary.dataSeconds == 0 ? "not said" : UTCDate.text(seconds: summary.dataSeconds))

                    """, to: STDOUT_FILENO)
            } catch {
                complain(error.description)
                throw ExitCode.badData
            }
        }
    }
}
