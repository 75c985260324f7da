import BoundedJSON
import Geodesy

/// The route of the demo drive, bundled with the program.
package enum DemoRoute {
    /// The points of the route, and the speed limits between them, m/s.
    package static func corners() throws(JSONProblem) -> (points: [GeodeticPosition], limitsMetersPerSecond: [Double]) {
        let route = try JSONDocument(text).root.required("routes")[0]
        guard let route, let leg = try route.required("legs")[0] else { return ([], []) }
        var points: [GeodeticPosition] = []
        for place in try route.required("geometry").required("coordinates").requiredElements() {
            guard let longitude = place[0]?.double, let latitude = place[1]?.double else {
                throw place.wrongKind(expected: "[longitude, latitude]")
            }
            points.append(
                GeodeticPosition(latitudeDegrees: latitude, longitudeDegrees: longitude, altitudeEllipsoidMeters: 60))
        }
        var limits: [Double] = []
        for limit in try leg.required("annotation").required("maxspeed").requiredElements() {
            limits.append(try limit.required("speed").requiredDouble() / 3.6)
        }
        return (points, limits)
    }
}
