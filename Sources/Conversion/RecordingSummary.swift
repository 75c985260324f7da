import Geodesy
import Measurements
import PoseMath
import Recording

/// What a recording contains: rates, gaps and the first problems, on one screen.
package struct RecordingSummary: Sendable {
    /// What is known of one sensor.
    package struct Sensor: Sendable {
        /// Number of measurements.
        package var count = 0
        /// Time of the first and the last measurement, seconds.
        package var begin = 0.0
        /// Time of the last measurement, seconds.
        package var end = 0.0
        /// Longest interval, seconds.
        package var longestGap = 0.0
        /// Number of intervals of more than three cycles and 0.1 s.
        package var gaps = 0
        /// Begin and end of the first of these intervals, seconds.
        package var gapSpans: [ClosedRange<Double>] = []
        /// Number of measurements with the values of the previous one.
        package var repeats = 0
        /// Nothing measured.
        package init() {}

        /// Rate, Hz; `nil` with fewer than two measurements.
        package var rateHertz: Double? { count > 1 && end > begin ? Double(count - 1) / (end - begin) : nil }

        /// Takes the last gaps back: they were a new cycle.
        fileprivate mutating func withdraw(_ last: Int) {
            gaps -= last
            // The spans are those of the first gaps.
            gapSpans.removeLast(max(gapSpans.count - gaps, 0))
        }
    }

    /// The sensors present.
    package private(set) var sensors: [SensorKind: Sensor] = [:]
    /// Fixes with a position in three dimensions.
    package private(set) var threeDimensional = 0
    /// Fixes without a position.
    package private(set) var withoutPosition = 0
    /// Longest time from the validity of a fix to its arrival, seconds.
    package private(set) var longestDelay = 0.0
    /// Length of the way from fix to fix, metres.
    package private(set) var lengthMeters = 0.0
    /// The first position.
    package private(set) var start: GeodeticPosition?
    /// UTC of the first fix that has it, nanoseconds since 1970.
    package private(set) var utcNanoseconds: Int64?
    /// What else the recording tells, one line each.
    package private(set) var details: [String] = []
    /// The problems found, the most important first.
    package private(set) var problems: [String] = []

    /// Whether the whole recording could be read.
    package private(set) var isComplete = true

    private var cycles: [SensorKind: CycleMeter] = [:]
    private var last: [SensorKind: SensorEvent] = [:]
    private var previous: GeodeticPosition?
    private var first: MonotonicTime?
    private var latest: MonotonicTime?

    /// Reads a whole recording. A problem of the recording ends the reading; what came before is shown with it.
    package init(_ reader: any EventReader, onProgress: ((Double) -> Void)? = nil) {
        self.init(kinds: reader.kinds)
        var count = 0
        do throws(RecordingError) {
            while let event = try reader.next() {
                note(event)
                count += 1
                if count % 100 == 0 { onProgress?(reader.progress) }
            }
        } catch {
            problems.append("\(error.description); only what comes before it is shown")
            isComplete = false
        }
        complete(reader)
    }

    /// Begins with the sensors of a recording; ``note(_:)`` takes its measurements, ``complete(_:)`` ends it.
    package init(kinds: Set<SensorKind>) {
        for kind in kinds { sensors[kind] = Sensor() }
    }

    /// Adds what the reader knows at the end of the recording.
    package mutating func complete(_ reader: any EventReader) {
        complete(details: reader.details, notes: reader.notes)
    }

    /// Adds what is known at the end of the recording.
    package mutating func complete(details: [String], notes: [String]) {
        self.details = details
        describeProblems(notes)
    }

    /// Duration, seconds.
    package var seconds: Double {
        guard let first, let latest else { return 0 }
        return latest.seconds(since: first)
    }

    /// Gaps whose times are kept of each sensor at most.
    private static let mostSpans = 1000

    /// Counts a measurement.
    package mutating func note(_ event: SensorEvent) {
        let time = event.validityTime.seconds
        first = min(first ?? event.arrivalTime, event.validityTime)
        latest = max(latest ?? event.arrivalTime, event.arrivalTime)
        var sensor = sensors[event.kind] ?? Sensor()
        if sensor.count == 0 { (sensor.begin, sensor.end) = (time, time) }
        if let before = last[event.kind] {
            let interval = event.validityTime.seconds(since: before.validityTime)
            switch cycles[event.kind, default: CycleMeter()].judge(interval) {
            case .usual: break
            case .gap:
                sensor.gaps += 1
                if sensor.gapSpans.count < Self.mostSpans { sensor.gapSpans.append((time - interval)...time) }
            case .newCycle(let gaps): sensor.withdraw(gaps)
            }
            sensor.longestGap = max(sensor.longestGap, interval)
            if event.repeats(before) { sensor.repeats += 1 }
        }
        sensor.count += 1
        sensor.end = max(sensor.end, time)
        sensors[event.kind] = sensor
        last[event.kind] = event
        if case .gnss(let fix) = event { note(fix) }
    }

    private mutating func note(_ fix: GnssFix) {
        longestDelay = max(longestDelay, fix.arrivalTime.seconds(since: fix.validityTime))
        if utcNanoseconds == nil { utcNanoseconds = fix.utcNanoseconds }
        guard let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians else {
            withoutPosition += 1
            return
        }
        if fix.mode == .threeDimensional { threeDimensional += 1 }
        let place = GeodeticPosition(
            latitudeRadians: latitude, longitudeRadians: longitude,
            altitudeEllipsoidMeters: fix.altitudeEllipsoidMeters ?? 0)
        if start == nil { start = place }
        guard let before = previous else {
            previous = place
            return
        }
        let step = LocalFrame(origin: before).enuMeters(of: place).horizontalLength
        // The noise of a receiver at standstill is no way.
        guard step > max(2, 2 * (fix.horizontalSigmaMeters ?? 0)) else { return }
        lengthMeters += step
        previous = place
    }

    private mutating func describeProblems(_ notes: [String]) {
        for kind in SensorKind.allCases {
            guard let sensor = sensors[kind] else { continue }
            if sensor.count == 0 { problems.append("\(kind.title): no measurement") }
            if sensor.gaps > 0 {
                problems.append(
                    "\(kind.title): \(sensor.gaps) gaps, the longest of \(sensor.longestGap.short) s")
            }
            if sensor.repeats * 20 > sensor.count, kind == .imu || kind == .magnetometer {
                problems.append(
                    "\(kind.title): \(sensor.repeats) measurements repeat the one before; it was read faster than it "
                        + "measures")
            }
        }
        if sensors[.imu] == nil, sensors[.gps] != nil { problems.append("no imu: the pose has no attitude") }
        if sensors[.gps] == nil { problems.append("no gps: the pose has no position") }
        if withoutPosition > 0 { problems.append("gps: \(withoutPosition) fixes without a position") }
        if longestDelay > 1.5 { problems.append("gps: a fix came \(longestDelay.short) s late") }
        problems += notes
    }
}

/// The usual interval of a sensor, to find gaps.
private struct CycleMeter {
    /// What an interval is.
    enum Interval {
        case usual
        case gap
        /// The sensor has become slower, or its first interval was too short: so many gaps just before were none.
        case newCycle(gaps: Int)
    }

    private var seconds: Double?
    /// Gaps that came one after the other, the longest at most twice the shortest.
    private var alike: [Double] = []

    /// Number of such gaps that are a new cycle.
    private static let newCycleCount = 5

    /// Judges an interval: a gap has more than three cycles, and 0.1 s more than one. Two measurements of the same
    /// time, or out of order, tell nothing about the cycle.
    mutating func judge(_ interval: Double) -> Interval {
        guard interval > 0 else { return .usual }
        guard let cycle = seconds else {
            seconds = interval
            return .usual
        }
        guard interval > max(3 * cycle, cycle + 0.1) else {
            seconds = cycle + (interval - cycle) * 0.05
            alike.removeAll()
            return .usual
        }
        alike.append(interval)
        if (alike.max() ?? 0) > 2 * (alike.min() ?? 0) { alike = [interval] }
        guard alike.count == Self.newCycleCount else { return .gap }
        seconds = alike.reduce(0, +) / Double(alike.count)
        alike.removeAll()
        return .newCycle(gaps: Self.newCycleCount - 1)
    }
}

extension SensorKind {
    /// The sensor's name.
    package var title: String {
        switch self {
        case .gps: "gps"
        case .imu: "imu"
        case .magnetometer: "magnetometer"
        case .barometer: "barometer"
        case .wheels: "wheels"
        }
    }
}

extension SensorEvent {
    /// Whether all values are those of another measurement.
    fileprivate func repeats(_ other: SensorEvent) -> Bool {
        switch (self, other) {
        case (.inertial(let a), .inertial(let b)):
            a.angularRateRadiansPerSecond == b.angularRateRadiansPerSecond
                && a.specificForceMetersPerSecondSquared == b.specificForceMetersPerSecondSquared
        case (.magnetic(let a), .magnetic(let b)): a.fluxDensityTesla == b.fluxDensityTesla
        default: false
        }
    }
}

extension Double {
    /// Two significant decimals for a message.
    fileprivate var short: String { Decimal.text(self, decimals: 2) }
}
