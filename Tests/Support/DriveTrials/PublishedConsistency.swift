import Fusion
import PoseMath
import Simulation

/// Errors of what is published beside their sigmas.
package struct PublishedConsistency: Sendable {
    /// Of both horizontal axes.
    package private(set) var position = TrialErrors()
    /// Of both horizontal axes.
    package private(set) var velocity = TrialErrors()
    package private(set) var climb = TrialErrors()
    /// Of both axes.
    package private(set) var tilt = TrialErrors()
    package private(set) var heading = TrialErrors()

    /// Nothing.
    package init() {}

    /// Compares what is published at one instant with the truth.
    package mutating func add(_ estimate: PoseEstimate, _ truth: DriveTruth) {
        if let place = estimate.position, let sigma = estimate.positionSigmaENUMeters {
            let offset = truth.position.surfaceOffsetMeters(to: place)
            position.add(offset.east, sigma: sigma.x)
            position.add(offset.north, sigma: sigma.y)
        }
        if let moved = estimate.velocityENUMetersPerSecond, let sigma = estimate.velocitySigmaENUMetersPerSecond {
            let error = moved - truth.velocityENUMetersPerSecond
            velocity.add(error.x, sigma: sigma.x)
            velocity.add(error.y, sigma: sigma.y)
            climb.add(error.z, sigma: sigma.z)
        }
        guard let attitude = estimate.bodyToENU else { return }
        let turn = (attitude * truth.bodyToENU.inverse).rotationVector
        if let sigma = estimate.headingSigmaRadians { heading.add(turn.z, sigma: sigma) }
        if let sigma = estimate.tiltSigmaRadians {
            tilt.add(turn.x, sigma: sigma)
            tilt.add(turn.y, sigma: sigma)
        }
    }

    package static func + (a: Self, b: Self) -> Self {
        var sum = a
        sum.position = a.position + b.position
        sum.velocity = a.velocity + b.velocity
        sum.climb = a.climb + b.climb
        sum.tilt = a.tilt + b.tilt
        sum.heading = a.heading + b.heading
        return sum
    }
}
