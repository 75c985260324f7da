import Geodesy
import Glibc
import PoseMath

/// The path of a vehicle: straight pieces and smooth turns over hilly ground, parameterised by horizontal distance from
/// its start.
struct RoadTrack: Sendable {
    /// A straight piece of constant heading, or a turn.
    struct Piece: Sendable {
        /// Start, metres from the start of the track.
        var start: Double
        /// Length, metres.
        var length: Double
        /// Heading at its start, clockwise from north, radians, not wrapped.
        var heading: Double
        /// Turn angle, clockwise positive, radians; 0 for a straight piece.
        var turn: Double
        /// The speed limit on it, m/s.
        var limit: Double
    }

    /// Heading and its derivatives along the track.
    struct Bend: Sendable {
        /// Heading, clockwise from north, radians, not wrapped.
        var heading: Double
        /// Derivative of the heading, rad/m.
        var curvature: Double
        /// Derivative of the curvature, rad/m2.
        var curvatureRate: Double
    }

    /// One sinusoidal component of the ground's height.
    struct Hill: Sendable {
        /// Half the height from valley to top, metres.
        var amplitude: Double
        /// Distance between two hilltops, metres.
        var wavelength: Double
    }

    let pieces: [Piece]
    let hills: [Hill]
    let lengthMeters: Double
    private let origin: GeodeticPosition
    private let nodes: [Node]

    /// A precomputed position; one per metre.
    private struct Node {
        var latitude: Double
        var longitude: Double
        var piece: Int
    }

    private static let spacing = 1.0

    /// Creates a track of consecutive pieces from a position.
    init(origin: GeodeticPosition, pieces: [Piece], hills: [Hill]) {
        self.origin = origin
        self.pieces = pieces
        self.hills = hills
        lengthMeters = pieces.last.map { $0.start + $0.length } ?? 0
        var nodes = [Node(latitude: origin.latitudeRadians, longitude: origin.longitudeRadians, piece: 0)]
        while Double(nodes.count - 1) * Self.spacing < lengthMeters {
            let last = nodes[nodes.count - 1]
            let start = Double(nodes.count - 1) * Self.spacing
            let next = Self.walk(from: last, at: start, by: Self.spacing) { s, hint in
                (
                    Self.bend(pieces, at: s, from: hint),
                    origin.altitudeEllipsoidMeters + Self.height(hills, at: s)
                )
            }
            nodes.append(
                Node(
                    latitude: next.latitude, longitude: next.longitude,
                    piece: Self.piece(pieces, at: start + Self.spacing, from: last.piece)))
        }
        self.nodes = nodes
    }

    /// The position at a distance, clamped to the track.
    func position(at distance: Double) -> GeodeticPosition {
        let s = min(max(distance, 0), lengthMeters)
        let index = min(Int(s / Self.spacing), nodes.count - 1)
        let start = Double(index) * Self.spacing
        let place = Self.walk(from: nodes[index], at: start, by: s - start) { s, hint in
            (Self.bend(pieces, at: s, from: hint), origin.altitudeEllipsoidMeters + Self.height(hills, at: s))
        }
        return GeodeticPosition(
            latitudeRadians: place.latitude, longitudeRadians: Angle.wrappedToPi(place.longitude),
            altitudeEllipsoidMeters: altitude(at: s))
    }

    /// Height above the ellipsoid at a distance, metres.
    func altitude(at distance: Double) -> Double {
        origin.altitudeEllipsoidMeters + Self.height(hills, at: distance)
    }

    /// Slope of the ground (rise over horizontal distance) and its derivative per metre.
    func slope(at distance: Double) -> (value: Double, change: Double) {
        Self.slope(hills, at: distance)
    }

    /// Heading and curvature at a distance.
    func bend(at distance: Double) -> Bend {
        let s = min(max(distance, 0), lengthMeters)
        let index = min(Int(s / Self.spacing), nodes.count - 1)
        return Self.bend(pieces, at: s, from: nodes[index].piece)
    }

    /// The speed limit at a distance, m/s.
    func limit(at distance: Double) -> Double {
        let index = min(Int(max(distance, 0) / Self.spacing), nodes.count - 1)
        return pieces[Self.piece(pieces, at: distance, from: nodes[index].piece)].limit
    }

    /// One fourth-order Runge-Kutta step along the surface: the rates of latitude and longitude per metre are
    /// cos(heading) / (M + h) and sin(heading) / ((N + h) cos(latitude)).
    private static func walk(
        from node: Node, at start: Double, by step: Double, _ road: (Double, Int) -> (bend: Bend, altitude: Double)
    ) -> (latitude: Double, longitude: Double) {
        func rates(_ s: Double, _ latitude: Double) -> (latitude: Double, longitude: Double) {
            let (bend, altitude) = road(s, node.piece)
            return (
                cos(bend.heading) / (WGS84.meridianRadiusMeters(latitudeRadians: latitude) + altitude),
                sin(bend.heading)
                    / ((WGS84.primeVerticalRadiusMeters(latitudeRadians: latitude) + altitude) * cos(latitude))
            )
        }
        let a = rates(start, node.latitude)
        let b = rates(start + step / 2, node.latitude + step / 2 * a.latitude)
        let c = rates(start + step / 2, node.latitude + step / 2 * b.latitude)
        let d = rates(start + step, node.latitude + step * c.latitude)
        return (
            node.latitude + step / 6 * (a.latitude + 2 * b.latitude + 2 * c.latitude + d.latitude),
            node.longitude + step / 6 * (a.longitude + 2 * b.longitude + 2 * c.longitude + d.longitude)
        )
    }

    private static func piece(_ pieces: [Piece], at distance: Double, from hint: Int) -> Int {
        var index = hint
        while index + 1 < pieces.count, pieces[index + 1].start <= distance { index += 1 }
        return index
    }

    private static func bend(_ pieces: [Piece], at distance: Double, from hint: Int) -> Bend {
        let piece = pieces[piece(pieces, at: distance, from: hint)]
        guard piece.turn != 0, piece.length > 0 else {
            return Bend(heading: piece.heading, curvature: 0, curvatureRate: 0)
        }
        let x = min(max((distance - piece.start) / piece.length, 0), 1)
        let step = TurnShape.step(x)
        return Bend(
            heading: piece.heading + piece.turn * step.value,
            curvature: piece.turn * step.firstDerivative / piece.length,
            curvatureRate: piece.turn * step.secondDerivative / (piece.length * piece.length))
    }

    /// Height above the start; at the start all components are at their minimum.
    private static func height(_ hills: [Hill], at distance: Double) -> Double {
        hills.reduce(0) { $0 + $1.amplitude * (1 - cos(2 * Double.pi / $1.wavelength * distance)) }
    }

    /// Slope of the ground and its derivative.
    private static func slope(_ hills: [Hill], at distance: Double) -> (value: Double, change: Double) {
        var sum = (value: 0.0, change: 0.0)
        for hill in hills {
            let wave = 2 * Double.pi / hill.wavelength
            sum.value += hill.amplitude * wave * sin(wave * distance)
            sum.change += hill.amplitude * wave * wave * cos(wave * distance)
        }
        return sum
    }
}
