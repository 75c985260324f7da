import Geodesy
import PoseMath

/// Differences of the poses to a reference.
struct TrackErrors: Sendable {
    /// The difference of one sample.
    struct Difference: Sendable {
        /// Distance on the ground, metres.
        var horizontalMeters: Double
        /// Height above the reference, metres; `nil` where either is unknown.
        var heightMeters: Double?
        /// Heading clockwise from the reference's, radians; `nil` where either is unknown.
        var headingRadians: Double?
        /// Place of the reference.
        var reference: GeodeticPosition
    }

    /// One entry for each sample; `nil` where there is no reference.
    private(set) var differences: [Difference?] = []
    /// Distances on the ground, metres; heights, metres; headings, degrees; all without sign.
    private(set) var horizontal = Distribution()
    private(set) var height = Distribution()
    private(set) var headingDegrees = Distribution()
    /// Number of samples with a sigma, and of those whose distance is within one, two and three of it.
    private(set) var judged = 0
    private(set) var within = [0, 0, 0]
    /// The largest distance and its time.
    private(set) var worst: (meters: Double, time: MonotonicTime)?

    /// Compares samples with a reference.
    init(_ samples: [TrackSample], _ reference: ReferenceTrack) {
        var cursor = 0
        differences.reserveCapacity(samples.count)
        for sample in samples {
            let difference = Self.difference(sample, reference, &cursor)
            differences.append(difference)
            if let difference { note(difference, sample) }
        }
    }

    private mutating func note(_ difference: Difference, _ sample: TrackSample) {
        let distance = difference.horizontalMeters
        horizontal.add(distance)
        if let height = difference.heightMeters { self.height.add(abs(height)) }
        if let heading = difference.headingRadians { headingDegrees.add(abs(heading).radiansInDegrees) }
        if distance > worst?.meters ?? -1 { worst = (distance, sample.time) }
        guard let sigma = sample.horizontalSigmaMeters, sigma > 0 else { return }
        judged += 1
        for index in within.indices where distance <= Double(index + 1) * sigma { within[index] += 1 }
    }

    private static func difference(_ sample: TrackSample, _ reference: ReferenceTrack, _ cursor: inout Int)
        -> Difference?
    {
        guard let latitude = sample.latitudeRadians, let longitude = sample.longitudeRadians,
            let point = reference.point(at: sample.time, cursor: &cursor)
        else { return nil }
        let place = GeodeticPosition(
            latitudeRadians: latitude, longitudeRadians: longitude,
            altitudeEllipsoidMeters: sample.altitudeMeters ?? point.position.altitudeEllipsoidMeters)
        let offset = point.position.surfaceOffsetMeters(to: place)
        var difference = Difference(
            horizontalMeters: (offset.east * offset.east + offset.north * offset.north).squareRoot(),
            reference: point.position)
        if reference.hasHeight {
            difference.heightMeters = sample.altitudeMeters.map { $0 - point.position.altitudeEllipsoidMeters }
        }
        if let own = sample.headingRadians, let other = point.headingRadians {
            difference.headingRadians = Angle.wrappedToPi(own - other)
        }
        return difference
    }
}
