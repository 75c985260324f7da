import Measurements
import Simulation

/// How the receiver and the IMU of a simulated drive are connected, and what they leave out.
package struct Installation: Sendable {
    /// How late every fix arrives, seconds.
    package var fixDelaySeconds: Double
    /// One fix of so many arrives.
    package var everyNthFix = 1
    /// Whether a fix states its velocity.
    package var statesVelocity = true
    /// Whether a fix states how accurate it is.
    package var statesAccuracy = true
    /// Whether the receiver is as late as those of telephones and loggers: see ``SatelliteReceiver/becomeLate(_:)``.
    package var isReceiverLate = false
    /// One sample of the IMU of so many arrives.
    package var everyNthSample = 1
    /// The IMU is silent for so long out of every `secondsBetweenGaps`; zero for never.
    package var gapSeconds = 0.0
    /// From the begin of a gap to the next one's, seconds.
    package var secondsBetweenGaps = 20.0

    /// Everything but what is given arrives at once and whole.
    package init(fixDelaySeconds: Double = 0) {
        self.fixDelaySeconds = fixDelaySeconds
    }

    /// What arrives of `events`, in the order of arrival.
    package func events(of events: some Sequence<SensorEvent>) -> [SensorEvent] {
        var (fixes, samples) = (0, 0)
        let arrived = events.compactMap { event -> SensorEvent? in
            switch event {
            case .gnss(let fix):
                fixes += 1
                return fixes.isMultiple(of: everyNthFix) ? .gnss(changed(fix)) : nil
            case .inertial(let sample):
                samples += 1
                return samples.isMultiple(of: everyNthSample) && !isInGap(sample.time.seconds) ? event : nil
            default: return event
            }
        }
        return arrived.enumerated().sorted { ($0.element.arrivalTime, $0.offset) < ($1.element.arrivalTime, $1.offset) }
            .map(\.element)
    }

    private func changed(_ fix: GnssFix) -> GnssFix {
        var fix = fix
        fix.arrivalTime = fix.arrivalTime.advanced(bySeconds: fixDelaySeconds)
        if !statesVelocity {
            (fix.horizontalVelocity, fix.climbMetersPerSecond) = (nil, nil)
            (fix.speedSigmaMetersPerSecond, fix.climbSigmaMetersPerSecond) = (nil, nil)
        }
        if !statesAccuracy {
            (fix.horizontalSigmaMeters, fix.verticalSigmaMeters) = (nil, nil)
            (fix.speedSigmaMetersPerSecond, fix.climbSigmaMetersPerSecond) = (nil, nil)
        }
        return fix
    }

    private func isInGap(_ seconds: Double) -> Bool {
        gapSeconds > 0 && seconds.truncatingRemainder(dividingBy: secondsBetweenGaps) < gapSeconds
    }
}

extension SatelliteReceiver {
    /// Makes places and velocities old, by random times: five receivers of telephones and loggers had places 0 to 1.2 s
    /// and velocities 0.5 to 2.0 s old.
    mutating func becomeLate(_ random: inout RandomSource) {
        positionLagSeconds = random.uniform(0, 1.2)
        velocityLagSeconds = positionLagSeconds + random.uniform(0, 0.8)
    }
}
