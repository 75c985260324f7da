import Foundation
import Fusion
import Geodesy
import Guidance
import PoseMath
import Simulation

/// One position of a drive with the truth beside it.
package struct RoadFix: Sendable {
    package var input: GuidanceInput
    package var truth: GeodeticPosition
    /// How far the vehicle has driven, metres.
    package var drivenMeters: Double
    /// How far the position is from where the vehicle is, in a yard too, metres; 0 where that is not kept.
    package var errorMeters = 0.0
}

/// How a drive is seen.
package struct DriveView: Sendable {
    package var name: String
    package var receiver = SatelliteReceiver()
    /// Whether the fixes tell speed and course.
    package var givesMotion = true
    /// Whether they tell their accuracy.
    package var givesAccuracy = true
    /// What they tell instead of the truth about it, metres.
    package var statedSigma: Double?
    /// The accuracy that the fixes tell, as a share of the one that the receiver has.
    package var statedShare = 1.0
    /// Chance of a gap a minute, and its longest.
    package var gapsPerMinute = 0.0
    package var longestGapSeconds = 60.0
    /// Whether receivers see nothing in tunnels.
    package var tunnelsAreDark = false

    /// The receivers that drives are seen by in turn.
    package static let all: [DriveView] = {
        var open = DriveView(name: "open sky")
        open.receiver.rateHertz = 1
        var city = DriveView(name: "city")
        city.receiver.multipathEpisodesPerMinute = 2
        var poor = DriveView(name: "poor")
        (poor.receiver.whiteMeters, poor.receiver.wanderingMeters) = (3, 8)
        (poor.receiver.multipathEpisodesPerMinute, poor.receiver.multipathMeters) = (1, 25)
        var gaps = DriveView(name: "gaps")
        (gaps.gapsPerMinute, gaps.receiver.wanderingMeters) = (1, 4)
        var sparse = DriveView(name: "5 s")
        (sparse.receiver.rateHertz, sparse.receiver.multipathEpisodesPerMinute) = (0.2, 1)
        var rare = DriveView(name: "15 s, positions only")
        (rare.receiver.rateHertz, rare.givesMotion) = (1.0 / 15, false)
        var plain = DriveView(name: "positions only")
        (plain.givesMotion, plain.givesAccuracy) = (false, false)
        (plain.receiver.wanderingMeters, plain.receiver.whiteMeters) = (4, 1)
        (plain.receiver.multipathEpisodesPerMinute, plain.receiver.multipathMeters) = (1, 15)
        var fast = DriveView(name: "10 Hz")
        (fast.receiver.rateHertz, fast.receiver.multipathEpisodesPerMinute) = (10, 1)
        return [
            open, city, poor, gaps, sparse, rare, plain, fast,
        ]
    }()

    /// Receivers that tell a fraction of their errors: in a city, with reflections, without velocity, and 5 s apart.
    package static let overconfident: [DriveView] = all.filter {
        ["city", "poor", "positions only", "5 s"].contains($0.name)
    }.map { view in
        var view = view
        (view.name, view.statedShare, view.givesAccuracy) = ("overconfident, \(view.name)", 0.5, true)
        return view
    }

    /// Positions of fleets as they are found in archives: nothing else is told, and one in forty is more than 25 m off.
    package static func fleet(every seconds: Double, episode: Double) -> DriveView {
        var view = DriveView(name: "fleet, \(Int(seconds)) s")
        (view.givesMotion, view.statedSigma) = (false, 10)
        view.receiver.rateHertz = 1 / seconds
        (view.receiver.wanderingMeters, view.receiver.whiteMeters) = (5, 1.5)
        (view.receiver.multipathMeters, view.receiver.multipathSeconds) = (25, episode)
        view.receiver.multipathEpisodesPerMinute = 4 / episode
        return view
    }

    /// The drive as this receiver tells it.
    package func fixes(of drive: Drive, seed: UInt64) -> [RoadFix] {
        var random = RandomSource(seed: seed, use: 9)
        var receiver = receiver
        var at = 20.0
        while gapsPerMinute > 0 {
            at += 60 / gapsPerMinute * random.uniform(0.3, 1.7)
            guard at < drive.durationSeconds else { break }
            let length = random.uniform(5, longestGapSeconds)
            receiver.outages.append(at...(at + length))
            at += length
        }
        var sensors = SensorSuite()
        sensors.inertial = nil
        sensors.satellite = receiver
        return SimulatedDrive(drive: drive, sensors: sensors, seed: seed).compactMap { event in
            guard case .gnss(let fix) = event, let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians
            else { return nil }
            var input = GuidanceInput(
                time: fix.validityTime,
                position: GeodeticPosition(
                    latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: 0)
            )
            if givesAccuracy {
                input.horizontalSigmaMeters = statedSigma ?? fix.horizontalSigmaMeters.map { statedShare * $0 }
            }
            if givesMotion, let velocity = fix.horizontalVelocity {
                let speed = hypot(velocity.eastMetersPerSecond, velocity.northMetersPerSecond)
                input.speedMetersPerSecond = speed
                if speed > 1 {
                    input.courseOverGroundRadians = Angle.wrappedToTwoPi(
                        atan2(velocity.eastMetersPerSecond, velocity.northMetersPerSecond))
                    input.courseSigmaRadians = min(0.15 / speed, 1)
                }
            }
            let truth = drive.place(atSeconds: fix.validityTime.seconds)
            return RoadFix(input: input, truth: truth.position, drivenMeters: truth.distanceMeters)
        }
    }
}

extension DriveView {
    /// The drive as the daemon's filter tells it from an IMU and a receiver that sees nothing in the dark: positions
    /// ten times a second, the dark ones carried on.
    package static func fused(_ drive: Drive, seed: UInt64, dark: [ClosedRange<Double>]) -> [RoadFix] {
        var sensors = SensorSuite()
        sensors.inertial?.rateHertz = 50
        sensors.satellite?.outages = dark
        sensors.satellite?.multipathEpisodesPerMinute = 1
        var estimator = PoseEstimator()
        var fixes: [RoadFix] = []
        var next = 0.0
        for event in SimulatedDrive(drive: drive, sensors: sensors, seed: seed) {
            guard estimator.ingest(event) else { continue }
            let estimate = estimator.estimate
            let seconds = estimate.time.seconds
            guard seconds >= next else { continue }
            next = seconds + 0.1
            let truth = drive.place(atSeconds: seconds)
            fixes.append(RoadFix(input: input(estimate), truth: truth.position, drivenMeters: truth.distanceMeters))
        }
        return fixes
    }

    /// What guidance is given of an estimate.
    private static func input(_ estimate: PoseEstimate) -> GuidanceInput {
        var input = GuidanceInput(time: estimate.time, position: estimate.state == .lost ? nil : estimate.position)
        if let sigma = estimate.positionSigmaENUMeters { input.horizontalSigmaMeters = max(sigma.x, sigma.y) }
        if let velocity = estimate.velocityENUMetersPerSecond {
            let speed = velocity.horizontalLength
            input.speedMetersPerSecond = speed
            if speed >= 1 {
                input.courseOverGroundRadians = Angle.wrappedToTwoPi(atan2(velocity.x, velocity.y))
                if let sigma = estimate.velocitySigmaENUMetersPerSecond {
                    input.courseSigmaRadians = min(max(sigma.x, sigma.y) / speed, .pi)
                }
            }
        }
        input.isDeadReckoning = estimate.state == .deadReckoning
        return input
    }
}
