import Engine
import Files
import Geodesy
import Platform

/// Settings of the declination.
package struct MagneticSettings: Sendable, Equatable {
    /// Path of the coefficients of the magnetic model; `nil`: those that are installed with the program.
    package var modelFile: String?
    /// Where posed is, as long as no receiver tells it; `nil` if it is unknown.
    package var place: GeodeticPosition?

    /// The defaults.
    package init() {}

    /// Name of the file of the coefficients, as NOAA publishes them.
    private static let fileName = "WMM.COF"
    /// Longest file, bytes: ten times the present one.
    private static let sizeLimit = 65_536

    /// The schedule with the model of these settings; without a model also why.
    package func schedule() -> (schedule: DeclinationSchedule, problem: String?) {
        switch load() {
        case .success(let model): (DeclinationSchedule(model: model, configuredPlace: place), nil)
        case .failure(let problem): (DeclinationSchedule(model: nil, configuredPlace: place), problem.text)
        }
    }

    private struct Problem: Error {
        var text: String
    }

    private func load() -> Result<GeomagneticModel, Problem> {
        let paths = modelFile.map { [$0] } ?? Self.installedPaths(program: ProgramFile.path)
        for path in paths {
            let bytes: [UInt8]
            do throws(FileFault) {
                bytes = try RegularFile(path).bytes(count: Self.sizeLimit)
            } catch {
                guard modelFile == nil else { return .failure(Problem(text: "\(path): \(error.reason)")) }
                continue
            }
            do throws(GeomagneticModelFault) {
                return .success(try GeomagneticModel(text: String(decoding: bytes, as: UTF8.self)))
            } catch {
                return .failure(Problem(text: "\(path): \(error); install WMM.COF of NOAA again"))
            }
        }
        return .failure(Problem(text: "no \(Self.fileName) beside the program; set magnetic.model to its path"))
    }

    /// Where the coefficients may be: installed beside the program, or in the sources of which it was built.
    ///
    /// - Parameter program: its absolute path; `nil` if it is unknown.
    static func installedPaths(program: String?) -> [String] {
        guard let program else { return ["/usr/share/posed/\(fileName)"] }
        var folders = program.split(separator: "/").dropLast()
        var paths: [String] = []
        if !folders.isEmpty {
            let prefix = folders.dropLast().map { "/\($0)" }.joined()
            paths.append("\(prefix)/share/posed/\(fileName)")
        }
        // SwiftPM builds into .build/ARCHITECTURE/CONFIGURATION below the sources.
        if let build = folders.lastIndex(of: ".build") {
            folders.removeSubrange(build...)
            paths.append("\(folders.map { "/\($0)" }.joined())/data/\(fileName)")
        }
        return paths
    }
}
