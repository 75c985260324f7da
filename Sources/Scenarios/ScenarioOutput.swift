import Conversion
import Recording
import Replay

/// Writes the recording of a scenario with its truth.
package struct ScenarioOutput: Sendable {
    /// Why there is no recording.
    package enum Failure: Error, CustomStringConvertible {
        /// The scenario cannot be driven.
        case scenario(Scenario.Failure)
        /// The recording cannot be written.
        case recording(Conversion.Failure)
        /// The truth cannot be written.
        case truth(LineOutputError)

        /// One sentence with the place and the remedy.
        package var description: String {
            switch self {
            case .scenario(let failure): failure.description
            case .recording(let failure): failure.description
            case .truth(let error): error.description
            }
        }
    }

    /// Path of the recording: an MCAP file, or a folder of CSV files.
    package var path: String
    /// Called now and then with the share that is done, 0 to 1.
    package var onProgress: (@Sendable (Double) -> Void)?

    /// Creates an output.
    package init(path: String) { self.path = path }

    /// Writes both; returns the number of measurements and the path of the truth.
    package func write(_ scenario: Scenario) throws(Failure) -> (measurements: Int, truth: String) {
        let recording: ScenarioRecording
        do throws(Scenario.Failure) { recording = try ScenarioRecording(scenario) } catch { throw .scenario(error) }
        let isFile = path.hasSuffix(".mcap")
        var conversion = Conversion(input: scenario.name, from: .csv, output: path, to: isFile ? .mcap : .csv)
        conversion.replay.onProgress = onProgress
        let report: Conversion.Report
        do throws(Conversion.Failure) {
            report = try conversion.write(recording, title: "simulation \(scenario.name)")
        } catch { throw .recording(error) }
        var folder = path
        while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
        let truth = isFile ? "\(folder.dropLast(5)).truth.csv" : "\(folder)/truth.csv"
        do throws(LineOutputError) { try TruthFile.write(recording.simulated, to: truth) } catch { throw .truth(error) }
        return (report.written, truth)
    }
}
