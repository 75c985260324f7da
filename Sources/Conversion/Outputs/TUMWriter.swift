import Frames
import Geodesy
import PoseMath
import Replay

/// Writes poses in the format of the TUM benchmark: time, position and orientation, as evo and other tools read it.
///
/// Times are those of the recording's clock. Positions are east, north and up of one origin for the whole file, which
/// the first line names; the quaternion turns the body (x forward, y left, z up) to them.
final class TUMWriter: PoseSink {
    private(set) var written = 0

    private let path: String
    private var output: LineOutput
    private var frame: LocalFrame?
    /// The last height above the ellipsoid, for frames without one, metres.
    private var lastHeight: Double?
    /// The first height, where the origin had none, metres: the track has no step there.
    private var heightOfOrigin = 0.0

    init(path: String) throws(LineOutputError) {
        self.path = path
        output = try LineOutput(path: path)
    }

    func write(_ frame: Frame) throws(LineOutputError) {
        let pose = frame.pose
        guard let point = TrackPoint(frame), let attitude = pose.bodyToENU, pose.headingTrueRadians != nil else {
            return
        }
        if let height = point.altitudeEllipsoidMeters {
            if lastHeight == nil, self.frame != nil { heightOfOrigin = height }
            lastHeight = height
        }
        let place = GeodeticPosition(
            latitudeDegrees: point.latitudeDegrees, longitudeDegrees: point.longitudeDegrees,
            altitudeEllipsoidMeters: (lastHeight ?? 0) - heightOfOrigin)
        if self.frame == nil {
            let height = lastHeight.map { Decimal.text($0, decimals: 3) + " m" } ?? "unknown"
            self.frame = LocalFrame(origin: place)
            try output.append(
                """
                # timestamp tx ty tz qx qy qz qw; origin lat \(point.latitude) lon \(point.longitude) \
                height above the ellipsoid \(height)

                """)
        }
        guard let local = self.frame else { return }
        let offset = local.enuMeters(of: place)
        let numbers =
            [offset.x, offset.y, offset.z].map { Decimal.text($0, decimals: 4) }
            + [attitude.x, attitude.y, attitude.z, attitude.w].map { Decimal.text($0, decimals: 9) }
        written += 1
        try output.append("\(Decimal.seconds(frame.timeNanoseconds)) \(numbers.joined(separator: " "))\n")
    }

    func finish() throws(LineOutputError) {
        guard frame != nil else {
            throw LineOutputError(
                path: path,
                problem: "not written, because no frame has position and heading, which TUM needs; write GPX instead")
        }
        try output.finish()
    }
}
