import ArgumentParser
import Calibration
import Glibc
import Measurements

/// `posectl calibrate`.
struct CalibrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate", abstract: "Measure the errors of gyro, accelerometer and magnetometer.",
        discussion: """
            Live from the running daemon, or from a recording of any format that posectl convert reads. Live it tells \
            at each moment what to do next. The result is judged by numbers with limits; --save keeps it for the \
            device, and the one before as well. docs/calibration.md explains each step.
            Exit status: 0 passed, 1 failed (nothing is saved), 2 the daemon does not run, 64 wrong usage, 65 invalid \
            recording or no samples, 73 the result cannot be written, 78 invalid settings.
            """,
        subcommands: [Gyro.self, Accelerometer.self, Magnetometer.self, Noise.self])

    /// `posectl calibrate gyro`.
    struct Gyro: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "gyro", abstract: "Measure the gyro's bias while the device lies still.")

        @OptionGroup var input: CalibrationInput
        @OptionGroup var output: CalibrationOutput

        func run() throws {
            var run = CalibrationRun(GyroBiasCollector(), input: input, title: "gyro", isQuiet: output.json)
            let report = try run.collect()
            try output.finish(report, run, of: .gyro)
        }
    }

    /// `posectl calibrate accel`.
    struct Accelerometer: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "accel", abstract: "Measure the accelerometer's offset and scale on six faces.",
            discussion: """
                Put the box on each of its six faces, three seconds each, in any order. With twelve poses or more, \
                some of them tilted, the angles between the axes are measured too.
                """)

        @OptionGroup var input: CalibrationInput
        @OptionGroup var output: CalibrationOutput

        @Option(help: ArgumentHelp("Gravity at the place; without it that of the fixes.", valueName: "m/s2"))
        var gravity: Double?

        func validate() throws {
            if let gravity, !(gravity >= 9.7 && gravity <= 9.9) {
                throw ValidationError("--gravity must lie between 9.7 and 9.9 m/s2")
            }
        }

        func run() throws {
            let place = try gravity ?? input.recordedGravity() ?? InertialSample.standardGravity
            var run = CalibrationRun(
                AccelerometerCollector(gravity: place), input: input, title: "accelerometer", isQuiet: output.json)
            let report = try run.collect()
            try output.finish(report, run, of: .accelerometer)
        }
    }

    /// `posectl calibrate mag`.
    struct Magnetometer: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "mag", abstract: "Measure hard and soft iron of the magnetometer while it is turned.",
            discussion: "Turn the device slowly to all sides, upside down too, away from iron.")

        @OptionGroup var input: CalibrationInput
        @OptionGroup var output: CalibrationOutput

        func run() throws {
            var run = CalibrationRun(MagnetometerCollector(), input: input, title: "magnetometer", isQuiet: output.json)
            let report = try run.collect()
            try output.finish(report, run, of: .magnetometer)
        }
    }

    /// `posectl calibrate noise`.
    struct Noise: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "noise", abstract: "Measure the noise of gyro and accelerometer by the Allan deviation.",
            discussion: """
                Leave the device still: two minutes show the random walk, an hour the bias instability. The random \
                walk is printed as settings of the daemon. Ctrl-C ends the measurement, and uses what there is.
                """)

        @OptionGroup var input: CalibrationInput

        @Option(help: ArgumentHelp("Time to measure live, 2 to 10000.", valueName: "minutes"))
        var minutes = 60.0

        @Option(
            help: ArgumentHelp("Also draw the curves into an SVG file.", valueName: "file"), completion: .file())
        var plot: String?

        @Option(
            help: ArgumentHelp("Write the settings into this settings file of posed.", valueName: "file"),
            completion: .file())
        var settings: String?

        @Flag(help: "Print one JSON object.")
        var json = false

        func validate() throws {
            guard minutes >= 2, minutes <= 10_000 else {
                throw ValidationError("--minutes must lie between 2 and 10000")
            }
        }

        /// Seconds after which a live measurement ends in any case: a minute more than it takes.
        var limitSeconds: Double { input.limit ?? minutes * 60 + 60 }

        func run() throws {
            var input = input
            input.limit = limitSeconds
            var run = CalibrationRun(
                NoiseCollector(neededSeconds: minutes * 60), input: input, title: "noise", isQuiet: json)
            let report = try run.collect()
            try NoiseOutput(plot: plot, settings: settings, json: json).finish(report, run.collector)
        }
    }
}
