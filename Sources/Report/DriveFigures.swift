import Conversion
import Frames
import Fusion
import Geodesy
import Measurements
import PoseMath

/// Everything that a report tells of one recording: the figures, and the series that its pictures are drawn from.
struct DriveFigures {
    /// Name of the recording for people, and its format.
    let name: String
    let format: String
    /// What was collected.
    let drive: DriveCollector
    /// Differences to the reference; `nil` without one.
    let errors: TrackErrors?
    /// Where the reference comes from.
    let referenceName: String?
    /// Whether the reference is the smoothed track.
    let isReferenceSmoothed: Bool
    /// The antenna and the mount that the settings tell.
    let settings: FusionSettings
    /// What a user has to know about the reading.
    let notes: [String]
    /// The roads around the track.
    let roads: RoadsAround?
    /// Statistics of sigmas, latencies, over the samples.
    private(set) var sigma = Distribution()
    private(set) var headingSigma = Distribution()
    private(set) var heights: ClosedRange<Double>?
    private(set) var latencies: Distribution
    private(set) var findings: [Finding] = []

    /// Computes the figures.
    init(
        name: String, format: String, drive: DriveCollector, reference: ReferenceTrack?, settings: FusionSettings,
        notes: [String], roads: RoadsAround?
    ) {
        (self.name, self.format, self.drive, self.settings) = (name, format, drive, settings)
        (self.notes, self.roads) = (notes, roads)
        errors = reference.map { TrackErrors(drive.track.samples, $0) }
        referenceName = reference?.name
        isReferenceSmoothed = reference?.isSmoothed ?? false
        latencies = drive.latencies
        for sample in drive.track.samples {
            if let value = sample.horizontalSigmaMeters { sigma.add(value) }
            if let value = sample.headingSigmaRadians { headingSigma.add(value.radiansInDegrees) }
            guard let height = sample.altitudeMeters, height.isFinite else { continue }
            heights = min(heights?.lowerBound ?? height, height)...max(heights?.upperBound ?? height, height)
        }
        findings = FindingRules(self).findings
    }

    /// Start of the recording: time zero of the report.
    var begin: MonotonicTime { drive.begin ?? MonotonicTime(nanoseconds: 0) }
    /// Length of the recording, seconds.
    var seconds: Double { max((drive.end ?? begin).seconds(since: begin), 0) }
    /// UTC at the start, nanoseconds since 1970; `nil` if no frame has UTC.
    var beginUTCNanoseconds: Int64? {
        guard let sample = drive.track.samples.first(where: { $0.utcNanoseconds != nil }),
            let utc = sample.utcNanoseconds
        else { return nil }
        let age = (sample.time.seconds(since: begin) * 1e9).rounded()
        guard abs(age) < 9e18 else { return nil }
        let (difference, overflow) = utc.subtractingReportingOverflow(Int64(age))
        return overflow ? nil : difference
    }
    /// The first known place: the origin of the map.
    var origin: GeodeticPosition? {
        drive.track.samples.lazy.compactMap { sample in
            guard let latitude = sample.latitudeRadians, let longitude = sample.longitudeRadians else { return nil }
            return GeodeticPosition(
                latitudeRadians: latitude, longitudeRadians: longitude,
                altitudeEllipsoidMeters: sample.altitudeMeters ?? 0)
        }.first
    }
    /// Seconds from the start of the recording.
    func at(_ time: MonotonicTime) -> Double { time.seconds(since: begin) }
    /// Share of the time in a state, 0 to 1.
    func share(_ state: Frame.PoseState) -> Double {
        drive.poses.seconds > 0 ? (drive.poses.stateSeconds[state] ?? 0) / drive.poses.seconds : 0
    }
}
