import Calibration
import PoseMath

/// How to find the IIO device for a sensor.
package enum IIODeviceSelector: Hashable, Sendable, CustomStringConvertible {
    /// The best device available.
    case automatic
    /// No device: the sensor is not used.
    case off
    /// The device whose `name` attribute is this, such as `icm20608`.
    case name(String)
    /// The device whose `label` attribute is this, such as `accel-base`.
    case label(String)
    /// The device whose serial number is this (attribute `serial_number` or `serial`).
    case serial(String)
    /// The device with this kernel id, such as `iio:device0`. Ids change with the order of probing, so prefer the other
    /// forms.
    case id(String)

    /// Reads `auto`, `off`, `name:X`, `label:X`, `serial:X`, `id:X` or a bare name; `nil` when the text after the colon
    /// is empty.
    package init?(_ text: String) {
        switch text {
        case "auto", "automatic": self = .automatic
        case "off", "none": self = .off
        default:
            for (prefix, make) in Self.prefixes where text.hasPrefix(prefix) {
                let rest = String(text.dropFirst(prefix.count))
                guard !rest.isEmpty else { return nil }
                self = make(rest)
                return
            }
            guard !text.isEmpty else { return nil }
            self = .name(text)
        }
    }

    private static var prefixes: [(String, (String) -> IIODeviceSelector)] {
        [("name:", { .name($0) }), ("label:", { .label($0) }), ("serial:", { .serial($0) }), ("id:", { .id($0) })]
    }

    /// The text that ``init(_:)`` reads.
    package var description: String {
        switch self {
        case .automatic: "auto"
        case .off: "off"
        case .name(let x): "name:\(x)"
        case .label(let x): "label:\(x)"
        case .serial(let x): "serial:\(x)"
        case .id(let x): "id:\(x)"
        }
    }
}

/// Settings of one sensor that replace what its driver reports.
package struct IIOSensorSettings: Equatable, Sendable {
    /// The device to use.
    package var device: IIODeviceSelector
    /// Requested sample rate, hertz, in (0, 8000].
    package var rateHertz: Double
    /// Units (rad/s, m/s2, gauss, kilopascal) per raw count, replaces the driver's `scale`, which kernels print with
    /// few decimals. A negative value inverts the sensor: for sensor hubs that report gravity instead of specific
    /// force.
    package var scaleOverride: Double?
    /// Nine numbers in the kernel's form `a, b, c; d, e, f; g, h, i`, replace the driver's mount matrix.
    package var mountMatrixOverride: String?
    /// Least full-scale range, rad/s or m/s2: a smaller one is raised if the driver offers one; 0 leaves the range as
    /// it is. `nil`: that of the profile (``IIOSettings/useRanges(acceleration:rate:)``).
    package var leastRange: Double?

    /// Creates the settings of one sensor.
    package init(
        device: IIODeviceSelector = .automatic, rateHertz: Double, scaleOverride: Double? = nil,
        mountMatrixOverride: String? = nil
    ) {
        self.device = device
        self.rateHertz = rateHertz
        self.scaleOverride = scaleOverride
        self.mountMatrixOverride = mountMatrixOverride
    }
}

/// All settings of the IIO source.
package struct IIOSettings: Equatable, Sendable {
    /// Where the devices are: `local:` or `ip:HOST[:PORT]`.
    package var contextURI = "local:"
    /// The gyro.
    package var gyro = IIOSensorSettings(rateHertz: 200)
    /// The accelerometer. A chip with one rate for several sensors gets the highest of theirs.
    package var accelerometer = IIOSensorSettings(rateHertz: 200)
    /// The magnetometer.
    package var magnetometer = IIOSensorSettings(rateHertz: 50)
    /// The barometer.
    package var barometer = IIOSensorSettings(rateHertz: 25)
    /// Name of the trigger to use instead of the device's own.
    package var triggerName: String?
    /// Samples per read, 1...4; `nil` selects a number that adds at most 5 ms of delay.
    package var bufferSamples: Int?
    /// Time without data after which a source is stale, seconds; never less than five sample periods.
    package var staleAfterSeconds = 0.5
    /// Time without data after which a device is closed and opened again, seconds; never less than ten sample periods.
    package var reopenAfterSeconds = 1.0
    /// Time limit of one request to a remote context, seconds.
    package var contextTimeoutSeconds = 1.0
    /// First delay before reopening, seconds.
    package var backoffMinimumSeconds = 0.1
    /// Longest delay before reopening, seconds.
    package var backoffMaximumSeconds = 5.0
    /// Number of equal consecutive samples after which a gyro, accelerometer or magnetometer counts as stuck; 0
    /// disables the check.
    package var stuckSampleLimit = 100

    /// Corrections of the sensors by device, as ``SourceStatus/device`` names it.
    package var corrections: [String: SensorCorrections] = [:]

    /// Whether the low-pass filters of gyro and accelerometer are set to their sample rate.
    package var matchesFilters = true

    /// The defaults.
    package init() {}

    /// Sets the ranges that the settings leave open: acceleration in m/s2, rate in rad/s.
    package mutating func useRanges(acceleration: Double, rate: Double) {
        accelerometer.leastRange = accelerometer.leastRange ?? acceleration
        gyro.leastRange = gyro.leastRange ?? rate
    }

    /// The trigger that posed-trigger.service makes: it is used by a device that has none of its own.
    package static let softwareTriggerName = "posed"

    /// Whether the context is local and uses this machine's clocks for time stamps.
    package var isLocal: Bool { contextURI == "local:" || contextURI == "local" }

    /// All mistakes in the settings, one sentence each, starting with the key; empty when the settings are valid.
    package var problems: [String] {
        var found: [String] = []
        if !isLocal, !(contextURI.hasPrefix("ip:") && contextURI.count > 3) {
            found.append("context: '\(contextURI)' is neither 'local:' nor 'ip:HOST[:PORT]'")
        }
        found += Self.problems("gyro", gyro) + Self.problems("accelerometer", accelerometer)
        found += Self.problems("magnetometer", magnetometer) + Self.problems("barometer", barometer)
        if let n = bufferSamples, !(1...4).contains(n) { found.append("buffer_samples: \(n) is not within 1...4") }
        let spans = [
            ("stale_after", staleAfterSeconds, 0.02, 60.0), ("reopen_after", reopenAfterSeconds, 0.05, 60),
            ("context_timeout", contextTimeoutSeconds, 0.05, 60), ("backoff_minimum", backoffMinimumSeconds, 0.01, 60),
            ("backoff_maximum", backoffMaximumSeconds, backoffMinimumSeconds, 600),
        ]
        for (key, value, low, high) in spans where !(value >= low && value <= high) {
            found.append("\(key): \(value) s is not within \(low)...\(high) s")
        }
        if stuckSampleLimit < 0 {
            found.append("stuck_samples: \(stuckSampleLimit) is negative; 0 turns the check off")
        }
        return found
    }

    private static func problems(_ key: String, _ sensor: IIOSensorSettings) -> [String] {
        var found: [String] = []
        if !(sensor.rateHertz > 0 && sensor.rateHertz <= 8000) {
            found.append("\(key).rate: \(sensor.rateHertz) Hz is not within 0 (excluded)...8000 Hz")
        }
        if let scale = sensor.scaleOverride, !(abs(scale) > 0 && abs(scale) < 1e9) {
            found.append("\(key).scale: \(scale) must be finite and not zero")
        }
        if let text = sensor.mountMatrixOverride,
            case .failure(let fault) = Result(catching: { () throws(MountMatrixFault) in try MountMatrix(text) })
        {
            found.append("\(key).mount_matrix: \(fault)")
        }
        return found
    }
}
