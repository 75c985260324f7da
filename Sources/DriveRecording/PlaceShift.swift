import Frames
import Fusion
import Geodesy
import Guidance
import Measurements
import PoseMath

/// Moves all positions of a recording rigidly from their true place to another one: distances and angles stay, the
/// place is lost. East, north and up at the true place become east, north and up at the other place.
struct PlaceShift: Sendable {
    private let from: LocalFrame
    private let to: LocalFrame

    /// Moves `from` to `to`.
    init(from: GeodeticPosition, to: GeodeticPosition) {
        self.from = LocalFrame(origin: from)
        self.to = LocalFrame(origin: to)
    }

    /// The moved position.
    func moved(_ position: GeodeticPosition) -> GeodeticPosition {
        to.position(ofENUMeters: from.enuMeters(of: position))
    }

    /// A velocity at a position, moved: north at two distant places is not the same direction.
    private func moved(_ velocity: Vector3, at position: GeodeticPosition) -> Vector3 {
        let (here, there) = (LocalFrame(origin: position), LocalFrame(origin: moved(position)))
        let ahead = here.position(ofENUMeters: velocity)
        return there.enuMeters(of: moved(ahead))
    }

    /// A moved fix. The geoid's separation tells the place, so the height above mean sea level is kept only where it is
    /// the only one.
    func moved(_ fix: GnssFix) -> GnssFix {
        guard let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians else { return fix.withoutPlace }
        var result = fix
        result.geoidSeparationMeters = nil
        let height = fix.altitudeEllipsoidMeters ?? fix.altitudeMeanSeaMeters ?? from.origin.altitudeEllipsoidMeters
        let position = GeodeticPosition(
            latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: height)
        let there = moved(position)
        (result.latitudeRadians, result.longitudeRadians) = (there.latitudeRadians, there.longitudeRadians)
        if fix.altitudeEllipsoidMeters != nil {
            result.altitudeEllipsoidMeters = there.altitudeEllipsoidMeters
            result.altitudeMeanSeaMeters = nil
        } else if fix.altitudeMeanSeaMeters != nil {
            result.altitudeMeanSeaMeters = there.altitudeEllipsoidMeters
        }
        if let velocity = fix.horizontalVelocity {
            let turned = moved(
                Vector3(velocity.eastMetersPerSecond, velocity.northMetersPerSecond, 0), at: position)
            result.horizontalVelocity = HorizontalVelocity(
                eastMetersPerSecond: turned.x, northMetersPerSecond: turned.y)
        }
        return result
    }

    /// A moved frame. Directions keep their values: they refer to north at the position.
    func moved(_ frame: Frame) -> Frame {
        var result = frame
        let pose = frame.pose
        if let latitude = pose.latitudeRadians, let longitude = pose.longitudeRadians {
            let there = moved(position(latitude, longitude, pose.altitudeEllipsoidMeters))
            (result.pose.latitudeRadians, result.pose.longitudeRadians) =
                (there.latitudeRadians, there.longitudeRadians)
            if pose.altitudeEllipsoidMeters != nil {
                result.pose.altitudeEllipsoidMeters = there.altitudeEllipsoidMeters
            }
        } else {
            result.pose.removePosition()
        }
        if let latitude = pose.originLatitudeRadians, let longitude = pose.originLongitudeRadians {
            let there = moved(position(latitude, longitude, pose.originAltitudeEllipsoidMeters))
            (result.pose.originLatitudeRadians, result.pose.originLongitudeRadians) =
                (there.latitudeRadians, there.longitudeRadians)
            if pose.originAltitudeEllipsoidMeters != nil {
                result.pose.originAltitudeEllipsoidMeters = there.altitudeEllipsoidMeters
            }
        } else {
            result.pose.removeOrigin()
        }
        result.pose.altitudeMeanSeaMeters = nil
        return result
    }

    /// A moved route, without names and texts: these tell the place.
    func moved(_ plan: RoutePlan) -> RoutePlan {
        var result = plan
        result.name = nil
        result.points = plan.points.map { moved(position($0.latitudeRadians, $0.longitudeRadians, nil)) }
        result.elevationsMeters = []
        for index in result.maneuvers.indices {
            (result.maneuvers[index].instruction, result.maneuvers[index].roadName) = (nil, nil)
        }
        return result
    }

    /// A moved pose of the last stop.
    func moved(_ rest: RestingPose) -> RestingPose {
        var result = rest
        result.position = moved(rest.position)
        return result
    }

    /// A moved maneuver with the one after it, without their texts.
    func moved(_ maneuver: Message.Maneuver) -> Message.Maneuver {
        var result = maneuver
        result.text = ""
        result.then = maneuver.then.map { moved($0) }
        if let latitude = maneuver.latitudeRadians, let longitude = maneuver.longitudeRadians {
            let there = moved(position(latitude, longitude, nil))
            (result.latitudeRadians, result.longitudeRadians) = (there.latitudeRadians, there.longitudeRadians)
        } else {
            (result.latitudeRadians, result.longitudeRadians) = (nil, nil)
        }
        return result
    }

    /// Without a height, that of the anchor is used.
    private func position(_ latitude: Double, _ longitude: Double, _ height: Double?) -> GeodeticPosition {
        GeodeticPosition(
            latitudeRadians: latitude, longitudeRadians: longitude,
            altitudeEllipsoidMeters: height ?? from.origin.altitudeEllipsoidMeters)
    }
}

extension GnssFix {
    /// The fix without position, heights and the geoid's separation.
    var withoutPlace: GnssFix {
        var result = self
        (result.latitudeRadians, result.longitudeRadians) = (nil, nil)
        (result.altitudeEllipsoidMeters, result.altitudeMeanSeaMeters) = (nil, nil)
        result.geoidSeparationMeters = nil
        return result
    }
}

extension Frame {
    /// The frame without position, heights and the local frame's origin.
    var withoutPlace: Frame {
        var result = self
        result.pose.removePosition()
        result.pose.removeOrigin()
        return result
    }
}

extension Frame.Pose {
    /// Makes position and heights unknown.
    fileprivate mutating func removePosition() {
        (latitudeRadians, longitudeRadians) = (nil, nil)
        (altitudeEllipsoidMeters, altitudeMeanSeaMeters) = (nil, nil)
    }

    /// Makes the local frame's origin unknown.
    fileprivate mutating func removeOrigin() {
        (originLatitudeRadians, originLongitudeRadians) = (nil, nil)
        originAltitudeEllipsoidMeters = nil
    }
}
