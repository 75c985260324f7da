import Glibc

/// Encodes a frame as NMEA 0183 sentences, so that navigation programs can use the fused position: RMC, GGA, VTG, HDT,
/// and the attitude as PASHR and OHPR.
///
/// Unknown fields are empty, as the standard requires. A position that must not be used is marked void. Every sentence
/// has its checksum and ends with CR LF.
public struct NMEAEncoder {
    private var bytes: [UInt8] = []
    private var sentenceBegin = 0
    private var isSimulated = false

    /// Creates an encoder with an empty buffer.
    public init() { bytes.reserveCapacity(1024) }

    /// The sentences of one frame; none without UTC, because NMEA receivers take the time from them.
    public mutating func sentences(_ frame: Frame) -> [UInt8] {
        bytes.removeAll(keepingCapacity: true)
        guard let utc = frame.utcNanoseconds else { return bytes }
        let time = CivilTime(utcNanoseconds: utc)
        let pose = frame.pose
        isSimulated = frame.isSimulated
        // The attitude comes first: gpsd uses the last sentence with a time as the end of a cycle and reports the
        // position there.
        if let heading = pose.headingTrueRadians {
            begin("GPHDT")
            field(bearing: heading)
            text(",T")
            end()
        }
        attitude(pose, time)
        compass(pose)
        recommendedMinimum(pose, time)
        track(pose)
        fixData(pose, time)
        return bytes
    }

    /// The validity of the position in NMEA codes: the mode of RMC and VTG, the quality of GGA.
    private enum Trust {
        case void
        case estimated
        case autonomous
        case simulated

        init(_ pose: Frame.Pose, isSimulated: Bool) {
            guard pose.latitudeRadians != nil, pose.longitudeRadians != nil else {
                self = .void
                return
            }
            switch pose.state {
            // Before the first fix the place is that of the last stop.
            case .aligned, .coarse, .aligning: self = pose.fixAgeSeconds == nil ? .estimated : .autonomous
            case .deadReckoning: self = .estimated
            case .starting, .lost, .attitudeOnly: self = .void
            }
            if isSimulated, self != .void { self = .simulated }
        }

        var mode: StaticString {
            switch self {
            case .void: "N"
            case .estimated: "E"
            case .autonomous: "A"
            case .simulated: "S"
            }
        }

        /// The quality of GGA.
        var quality: StaticString {
            switch self {
            case .void: ",0"
            case .estimated: ",6"
            case .autonomous: ",1"
            case .simulated: ",8"
            }
        }
    }

    private mutating func recommendedMinimum(_ pose: Frame.Pose, _ time: CivilTime) {
        let trust = Trust(pose, isSimulated: isSimulated)
        begin("GPRMC")
        clock(time, decimals: 2)
        text(trust == .void ? ",V" : ",A")
        place(pose, trust)
        field(horizontalSpeed(pose).map { $0 * Self.knotsPerMeterPerSecond }, decimals: 3)
        field(bearing: pose.courseOverGroundRadians)
        text(",")
        two(time.day)
        two(time.month)
        two(time.year % 100)
        if let heading = pose.headingTrueRadians, let magnetic = pose.headingMagneticRadians {
            let variation = Self.wrapped(heading - magnetic)
            field(abs(variation) * degreesPerRadian, decimals: 1)
            text(variation < 0 ? ",W" : ",E")
        } else {
            text(",,")
        }
        text(",")
        text(trust.mode)
        end()
    }

    private mutating func fixData(_ pose: Frame.Pose, _ time: CivilTime) {
        let trust = Trust(pose, isSimulated: isSimulated)
        begin("GPGGA")
        clock(time, decimals: 2)
        place(pose, trust)
        text(trust.quality)
        text(",")
        two(satelliteCount(pose, trust))
        // No dilution of precision: the filter has sigmas, not a satellite geometry.
        text(",")
        let height = trust == .void ? nil : pose.altitudeMeanSeaMeters
        field(height, decimals: 2)
        text(",M")
        field(height.flatMap { height in pose.altitudeEllipsoidMeters.map { $0 - height } }, decimals: 2)
        text(",M,,")
        end()
    }

    /// The satellites of the last fix. gpsd takes a position with 0 satellites, or without their number, for none:
    /// where the receiver does not tell it, the smallest number that gives such a fix is written.
    private func satelliteCount(_ pose: Frame.Pose, _ trust: Trust) -> Int {
        let used = min(Int(pose.satellitesUsed ?? 0), 99)
        guard trust != .void, used == 0 else { return used }
        return pose.fixMode == 2 ? 3 : 4
    }

    private mutating func track(_ pose: Frame.Pose) {
        begin("GPVTG")
        field(bearing: pose.courseOverGroundRadians)
        text(",T")
        if let course = pose.courseOverGroundRadians, let heading = pose.headingTrueRadians,
            let magnetic = pose.headingMagneticRadians
        {
            field(bearing: course - (heading - magnetic))
        } else {
            text(",")
        }
        text(",M")
        let speed = horizontalSpeed(pose)
        field(speed.map { $0 * Self.knotsPerMeterPerSecond }, decimals: 3)
        text(",N")
        field(speed.map { $0 * 3.6 }, decimals: 3)
        text(",K,")
        text(Trust(pose, isSimulated: isSimulated).mode)
        end()
    }

    /// Heading, roll, pitch and their accuracy: Ashtech's sentence, which most attitude sensors and navigation programs
    /// use. gpsd ignores it.
    private mutating func attitude(_ pose: Frame.Pose, _ time: CivilTime) {
        guard let heading = pose.headingTrueRadians, let roll = pose.rollRadians, let pitch = pose.pitchRadians else {
            return
        }
        begin("PASHR")
        clock(time, decimals: 3)
        field(bearing: heading)
        text(",T")
        field(roll * degreesPerRadian, decimals: 2, isSigned: true)
        field(pitch * degreesPerRadian, decimals: 2, isSigned: true)
        text(",")
        // About an axis that points up or down, a tilt is a larger roll.
        field(pose.tiltSigmaRadians.map { min($0 / cos(pitch), .pi / 2) * degreesPerRadian }, decimals: 3)
        field(pose.tiltSigmaRadians.map { $0 * degreesPerRadian }, decimals: 3)
        field(pose.headingSigmaRadians.map { $0 * degreesPerRadian }, decimals: 3)
        text(Trust(pose, isSimulated: isSimulated) == .void ? ",0,0" : ",1,0")
        end()
    }

    /// Heading, pitch and roll again, in the sentence of OceanServer's compasses: the only one from which gpsd 3.22
    /// reads pitch and roll in degrees for its ATT report. The other fields of such a compass (temperature, depth,
    /// field, acceleration, rates) are empty, and gpsd omits them.
    private mutating func compass(_ pose: Frame.Pose) {
        guard let heading = pose.headingTrueRadians, let roll = pose.rollRadians, let pitch = pose.pitchRadians else {
            return
        }
        begin("OHPR")
        field(bearing: heading)
        field(pitch * degreesPerRadian, decimals: 2)
        field(roll * degreesPerRadian, decimals: 2)
        text(",,,,,,,,,,,,,,,")
        end()
    }

    private func horizontalSpeed(_ pose: Frame.Pose) -> Double? {
        pose.velocityENUMetersPerSecond.flatMap { $0.isWritable ? ($0.x * $0.x + $0.y * $0.y).squareRoot() : nil }
    }

    private mutating func place(_ pose: Frame.Pose, _ trust: Trust) {
        guard trust != .void, let latitude = pose.latitudeRadians, let longitude = pose.longitudeRadians,
            abs(latitude) < 10, abs(longitude) < 10
        else {
            return text(",,,,")
        }
        angle(latitude, degreeDigits: 2, limit: 90)
        text(latitude < 0 ? ",S" : ",N")
        angle(longitude, degreeDigits: 3, limit: 180)
        text(longitude < 0 ? ",W" : ",E")
    }

    /// Degrees and minutes with seven decimals: a resolution of a fifth of a millimetre, so that the format loses no
    /// precision.
    private mutating func angle(_ radians: Double, degreeDigits: Int, limit: Int) {
        let unit = 10_000_000
        let whole = min(Int((abs(radians) * degreesPerRadian * 60 * Double(unit)).rounded()), limit * 60 * unit)
        text(",")
        digits(whole / (60 * unit), count: degreeDigits)
        digits(whole / unit % 60, count: 2)
        text(".")
        digits(whole % unit, count: 7)
    }

    private mutating func clock(_ time: CivilTime, decimals: Int) {
        text(",")
        two(time.hour)
        two(time.minute)
        two(time.second)
        text(".")
        digits(time.nanosecond / (decimals == 2 ? 10_000_000 : 1_000_000), count: decimals)
    }

    private mutating func field(bearing radians: Double?) {
        field(bearingDegrees(radians, decimals: 3), decimals: 3)
    }

    private mutating func field(_ value: Double?, decimals: Int, isSigned: Bool = false) {
        text(",")
        guard let value, abs(value) < 1e9 else { return }
        var unit = 1
        for _ in 0..<decimals { unit *= 10 }
        let whole = Int((value * Double(unit)).rounded())
        if whole < 0 { text("-") } else if isSigned { text("+") }
        bytes.append(contentsOf: String(abs(whole) / unit).utf8)
        text(".")
        digits(abs(whole) % unit, count: decimals)
    }

    private mutating func two(_ value: Int) { digits(value, count: 2) }

    private mutating func digits(_ value: Int, count: Int) {
        var value = value
        let begin = bytes.count
        for _ in 0..<count { bytes.append(0x30) }
        for place in stride(from: begin + count - 1, through: begin, by: -1) {
            bytes[place] = 0x30 + UInt8(truncatingIfNeeded: value % 10)
            value /= 10
        }
    }

    private mutating func text(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func begin(_ name: StaticString) {
        sentenceBegin = bytes.count
        text("$")
        text(name)
    }

    /// The checksum: exclusive-or of all characters between `$` and `*`.
    private mutating func end() {
        let sum = bytes[(sentenceBegin + 1)...].reduce(0, ^)
        text("*")
        for half in [sum >> 4, sum & 15] { bytes.append(half < 10 ? 0x30 + half : 0x37 + half) }
        text("\r\n")
    }

    private static let knotsPerMeterPerSecond = 3600.0 / 1852

    /// Wraps an angle into (-pi, pi].
    private static func wrapped(_ angle: Double) -> Double {
        let turned = angle.truncatingRemainder(dividingBy: 2 * .pi)
        return turned > .pi ? turned - 2 * .pi : turned <= -.pi ? turned + 2 * .pi : turned
    }
}
