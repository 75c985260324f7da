import Conversion
import Engine
import MCAP
import Measurements
import PoseMath
import Recording

@testable import DriveRecording

/// Readers of recordings.
enum RecordingReaders {
    /// Reads the bytes.
    static func read(_ target: FuzzTarget, _ bytes: [UInt8]) {
        switch target {
        case .mcap: drive(bytes)
        case .messages: messages(bytes)
        case .csv: folder(bytes, ["imu.csv", "gnss.csv", "wheel.csv", "mag.csv", "pressure.csv", "events.csv"], .csv)
        case .phone:
            folder(
                bytes,
                [
                    "Metadata.csv", "Gyroscope.csv", "TotalAcceleration.csv", "Accelerometer.csv", "Gravity.csv",
                    "Location.csv",
                ], .sensorLogger)
        default: events(ScratchFolder.write(bytes, to: "log.json"), .gpsd)
        }
    }

    private static func drive(_ bytes: [UInt8]) {
        var engine = Engine()
        var reader = DriveRecordingReader(bytes: bytes, path: "fuzz.mcap")
        do throws(MCAPProblem) {
            while let entry = try reader.next() {
                if case .input(let input, _) = entry { _ = engine.apply(input) }
            }
        } catch {
            if error.problem.isEmpty || error.remedy.isEmpty { broken("a problem without words") }
        }
    }

    /// Per message: the topic, and a part.
    private static func messages(_ bytes: [UInt8]) {
        var writer = MCAPWriter(profile: "posed", library: "fuzz")
        let channels = Topic.allCases.map {
            writer.addChannel(topic: $0.rawValue, encoding: $0.messageEncoding, schema: 0)
        }
        var input = InputSplitter(bytes)
        var sequence: UInt32 = 0
        while !input.rest.isEmpty {
            sequence += 1
            let channel = channels[Int(input.byte()) % channels.count]
            let time = UInt64(sequence) * 10_000_000
            writer.add(
                MCAPMessage(
                    channel: channel, sequence: sequence, logTime: time, publishTime: time, data: input.part()[...]))
        }
        writer.finish()
        drive(writer.takeBytes())
    }

    /// The files of a folder, in the order of their names.
    private static func folder(_ bytes: [UInt8], _ names: [String], _ format: InputFormat) {
        ScratchFolder.clear()
        for (name, part) in zip(names, InputSplitter.parts(bytes)) where !part.isEmpty {
            _ = ScratchFolder.write(part, to: name)
        }
        events(ScratchFolder.path, format)
    }

    private static func events(_ path: String, _ format: InputFormat) {
        do throws(RecordingError) {
            let reader = try Conversion.open(path, format)
            while let event = try reader.next() { if !isFinite(event) { broken("\(event) is not finite") } }
        } catch {
            if error.problem.isEmpty || error.remedy.isEmpty { broken("a problem without words") }
        }
    }

    private static func isFinite(_ event: SensorEvent) -> Bool {
        switch event {
        case .inertial(let sample):
            sample.angularRateRadiansPerSecond.isFinite && sample.specificForceMetersPerSecondSquared.isFinite
        case .magnetic(let sample): sample.fluxDensityTesla.isFinite
        case .pressure(let sample): sample.pressurePascal.isFinite
        case .wheelSpeed(let sample): sample.speedMetersPerSecond.isFinite
        case .gnss(let fix): (fix.latitudeRadians ?? 0).isFinite && (fix.longitudeRadians ?? 0).isFinite
        }
    }
}
