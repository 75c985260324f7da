import Foundation
import Geodesy
import PoseMath

@testable import Fusion

/// One random state of Tests/FusionTests/Resources/jacobians.txt with the derivatives there.
struct DerivedJacobians {
    /// The state.
    var state: NavigationState
    /// Rate of turn and specific force as measured, sensor axes.
    var rate: Vector3
    var force: Vector3
    /// Antenna from the IMU, body axes, metres.
    var lever: Vector3
    /// Velocity over the receiver's lag, the slope over the other, the acceleration since the last constraints, east,
    /// north, up.
    var pastVelocity: Vector3
    var slope: Vector3
    var gained: Vector3
    /// Speed of the wheels, m/s.
    var wheelSpeed: Double
    /// What the gait foretells, east, north, m/s.
    var walked: Vector3
    /// Elements of the dynamics by row and column.
    var dynamics: [Int: [Int: Double]] = [:]
    /// Elements of the rows by name and column.
    var rows: [String: [Int: Double]] = [:]

    /// What is wrong with the file.
    struct Malformed: Error {
        var line: Substring
    }

    /// All of them.
    static func read() throws -> [DerivedJacobians] {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "Resources/jacobians.txt")
        var all: [DerivedJacobians] = []
        for line in try String(contentsOf: path, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            if words[0] == "state" {
                var numbers = Numbers(words.dropFirst().compactMap { Double($0) })
                guard numbers.count == 52 else { throw Malformed(line: line) }
                all.append(DerivedJacobians(&numbers))
                continue
            }
            guard !all.isEmpty, words.count >= 2 else { throw Malformed(line: line) }
            var elements: [Int: Double] = [:]
            for word in words.dropFirst(2) {
                let parts = word.split(separator: ":")
                guard parts.count == 2, let index = Int(parts[0]), let value = Double(parts[1]) else {
                    throw Malformed(line: line)
                }
                elements[index] = value
            }
            if words[0] == "F", let row = Int(words[1]) {
                all[all.count - 1].dynamics[row] = elements
            } else {
                all[all.count - 1].rows[String(words[1])] = elements
            }
        }
        return all
    }

    /// Takes the inputs in the order of the script.
    private init(_ numbers: inout Numbers) {
        let place = GeodeticPosition(
            latitudeRadians: numbers.one(), longitudeRadians: 0, altitudeEllipsoidMeters: numbers.one())
        let velocity = numbers.three()
        state = NavigationState(
            time: MonotonicTime(nanoseconds: 1_000_000_000), position: place, velocityENU: velocity,
            sensorToENU: numbers.rotation())
        state.gyroBias = numbers.three()
        state.accelerometerBias = numbers.three()
        state.sensorToVehicle = numbers.rotation()
        state.rearAxleOffsetMeters = numbers.one()
        state.positionLagSeconds = numbers.one()
        state.velocityLagSeconds = numbers.one()
        state.wheelScale = numbers.one()
        state.squat = numbers.one()
        state.turnCoupling = numbers.three()
        state.sideslip = numbers.one()
        state.forceCoupling = numbers.three()
        rate = numbers.three()
        force = numbers.three()
        lever = numbers.three()
        pastVelocity = numbers.three()
        slope = numbers.three()
        gained = numbers.three()
        wheelSpeed = numbers.one()
        walked = Vector3(numbers.one(), numbers.one(), 0)
        let unbiased = rate - state.gyroBias
        state.angularRateSensor = unbiased - state.turnCoupling * state.sensorToVehicle.rotate(unbiased).z
        state.meanAngularRateSensor = state.angularRateSensor
    }

    /// Numbers one after the other.
    private struct Numbers {
        private let values: [Double]
        private var next = 0

        init(_ values: [Double]) { self.values = values }

        var count: Int { values.count }

        mutating func one() -> Double {
            next += 1
            return values[next - 1]
        }

        mutating func three() -> Vector3 {
            let (x, y) = (one(), one())
            return Vector3(x, y, one())
        }

        mutating func rotation() -> Quaternion {
            let (w, x, y) = (one(), one(), one())
            return Quaternion(w: w, x: x, y: y, z: one())
        }
    }
}
