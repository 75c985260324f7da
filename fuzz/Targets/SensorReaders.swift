import Measurements
import PoseMath
import SensorInterface

@testable import GpsdReports
@testable import Sensors

/// Readers of what sensors send.
enum SensorReaders {
    /// Reads the bytes.
    static func read(_ target: FuzzTarget, _ bytes: [UInt8]) {
        switch target {
        case .gpsd: gpsd(bytes)
        case .device: bytes.withUnsafeBytes { _ = DeviceEvent(message: $0)?.isOfIIO }
        default: bus(bytes)
        }
    }

    private static func gpsd(_ bytes: [UInt8]) {
        let parser = GpsdParser()
        var buffer = GpsdLineBuffer()
        var pipeline = GPSPipeline(settings: GPSSettings())
        var time: Int64 = 1_000_000_000
        func take(_ fixes: [GnssFix]) {
            for fix in fixes {
                guard let latitude = fix.latitudeRadians else { continue }
                if !(latitude.magnitude <= .pi / 2) { broken("a latitude of \(latitude)") }
            }
        }
        buffer.append(bytes) { line in
            time += 100_000_000
            _ = ForeignService(line: line)
            let arrival = ArrivalTime(
                monotonic: MonotonicTime(nanoseconds: time), realtimeNanoseconds: 1_795_251_001_000_000_000 + time)
            take(pipeline.ingest(parser.parse(line), at: arrival))
            take(pipeline.expire(at: MonotonicTime(nanoseconds: time + 50_000_000)))
        }
        _ = pipeline.receiverStatus(at: MonotonicTime(nanoseconds: time))
    }

    /// The text of a signal; then frames: an identifier of four bytes, and a part.
    private static func bus(_ bytes: [UInt8]) {
        let parts = bytes.split(separator: 0x1D, maxSplits: 1, omittingEmptySubsequences: false)
        guard let signal = try? CANSignal(String(decoding: parts[0], as: UTF8.self)) else { return }
        if (try? CANSignal(signal.text)) != signal { broken("\(signal.text) is another signal") }
        var settings = CANSettings()
        settings.speed = signal
        settings.diagnostics = .standard
        var signals = VehicleSignals(settings)
        var diagnostics = DiagnosticSpeed(.standard, rateHertz: 10)
        var input = InputSplitter(parts.count > 1 ? Array(parts[1]) : [])
        var time: Int64 = 1_000_000_000
        while !input.rest.isEmpty {
            time += 10_000_000
            let id = UInt32(input.number()) | UInt32(input.number()) << 16
            let moment = MonotonicTime(nanoseconds: time)
            input.part().withUnsafeBytes { data in
                for id in [id, signal.id.kernelValue] {
                    let sample = signals.take(id: id, data, time: moment)
                    if let sample, !sample.speedMetersPerSecond.isFinite { broken("a speed that is not finite") }
                }
                _ = diagnostics?.read(id: id, data, time: moment)
                _ = CANBusState(error: id, data: data)
            }
        }
    }
}
