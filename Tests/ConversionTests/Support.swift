import Foundation
import Measurements
import Recording

@testable import Conversion

/// A folder for one test, removed with the value.
final class TemporaryFolder {
    let path: String

    init(_ files: [String: String] = [:]) throws {
        path = NSTemporaryDirectory() + "posed-conversion-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for (name, text) in files { try write(text, to: name) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file, with its folders.
    func write(_ text: String, to name: String) throws { try write(Data(text.utf8), to: name) }

    func write(_ data: Data, to name: String) throws {
        let file = URL(fileURLWithPath: path + "/" + name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
    }

    func text(of name: String) throws -> String { try String(contentsOfFile: path + "/" + name, encoding: .utf8) }
}

/// All measurements of a recording.
func events(_ path: String, _ format: InputFormat) throws -> [SensorEvent] {
    let reader = try Conversion.open(path, format)
    return try events(reader)
}

func events(_ reader: any EventReader) throws -> [SensorEvent] {
    var all: [SensorEvent] = []
    while let event = try reader.next() { all.append(event) }
    return all
}

extension [SensorEvent] {
    /// The fixes.
    var fixes: [GnssFix] { compactMap { if case .gnss(let fix) = $0 { fix } else { nil } } }
    /// The readings of gyro and accelerometer.
    var samples: [InertialSample] { compactMap { if case .inertial(let sample) = $0 { sample } else { nil } } }
}
