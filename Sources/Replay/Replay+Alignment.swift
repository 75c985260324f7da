import Calibration
import Engine
import Frames
import Fusion
import Measurements
import PoseMath
import Recording

/// What a drive shows of the installation: the mount, the place of the antenna, the lags and the wheels.
package struct DriveAlignment: Sendable {
    /// The last mount that the drive found; `nil` if it found none.
    package var mount: MountEstimate?
    /// The antenna's place with it.
    package var antenna: AntennaArm?
    /// The lags with it.
    package var lags: LagCalibration?
    /// The wheels at the end; `nil` if they were not calibrated.
    package var wheels: WheelCalibration?
    /// Whether the drive contradicted the mount in the settings.
    package var isConfiguredMountRefused = false
    /// Whether the motion fits a vehicle.
    package var doesProfileFit = true
    /// Length of the recording, seconds.
    package var seconds = 0.0
    /// Time from the start until the pose was aligned; `nil` if it never was.
    package var alignedAfterSeconds: Double?
    /// Way driven while aligned, metres.
    package var wayMeters = 0.0
    /// Turn driven while aligned, radians, without sign.
    package var turnRadians = 0.0
    /// Number of measurements by kind that were read.
    package var counts: [SensorKind: Int] = [:]

    /// Nothing known.
    package init() {}
}

extension DriveAlignment {
    /// The same for a verdict.
    package var findings: InstallationFindings {
        var findings = InstallationFindings()
        if let mount {
            findings.mount = .init(
                sensorToBody: mount.sensorToBody, sigmaBodyRadians: mount.sigmaBodyRadians, isFound: true)
        }
        findings.antenna = antenna.map { .init(meters: $0.meters, sigmaMeters: $0.sigmaMeters) }
        findings.lags = lags.map {
            .init(
                positionSeconds: $0.positionSeconds, positionSigmaSeconds: $0.positionSigmaSeconds,
                velocitySeconds: $0.velocitySeconds, velocitySigmaSeconds: $0.velocitySigmaSeconds)
        }
        findings.wheels = wheels.map {
            .init(
                scale: $0.scale, scaleSigma: $0.scaleSigma, lagSeconds: $0.lagSeconds,
                lagSigmaSeconds: $0.lagSigmaSeconds)
        }
        findings.isConfiguredMountRefused = isConfiguredMountRefused
        findings.doesProfileFit = doesProfileFit
        return findings
    }
}

extension Replay {
    /// Runs the measurements of a reader through the engine, and returns what they show of the installation.
    package func align(_ reader: any EventReader) throws(Failure) -> DriveAlignment {
        var machine = Engine(settings: engine)
        var sources = ReplaySources(kinds: reader.kinds)
        var alignment = DriveAlignment()
        var declination = placedDeclination
        var (first, last): (MonotonicTime?, MonotonicTime?)
        var count = 0
        while let event = try Self.next(of: reader) {
            if first == nil { sources.open(at: event.arrivalTime) { machine.ingest($0) } }
            let start = first ?? event.arrivalTime
            first = start
            alignment.counts[event.kind, default: 0] += 1
            count += 1
            if count % 1000 == 0 { onProgress?(reader.progress) }
            sources.note(event) { machine.ingest($0) }
            guard machine.ingest(event) else { continue }
            if let command = declination?.update(with: machine.frame) { machine.perform(command) }
            alignment.seconds = event.arrivalTime.seconds(since: start)
            guard last.map({ event.arrivalTime.seconds(since: $0) >= Self.alignmentStep }) ?? true else { continue }
            let seconds = last.map { event.arrivalTime.seconds(since: $0) } ?? 0
            last = event.arrivalTime
            alignment.note(&machine, seconds: min(seconds, 1))
        }
        alignment.note(&machine, seconds: 0)
        return alignment
    }

    /// Time between two looks at the estimate, seconds.
    private static let alignmentStep = 0.2
}

extension DriveAlignment {
    /// Takes what the engine knows now.
    fileprivate mutating func note(_ machine: inout Engine, seconds passed: Double) {
        let calibration = machine.calibration
        isConfiguredMountRefused = calibration.isConfiguredMountRefused
        let pose = machine.frame.pose
        if pose.state == .aligned {
            alignedAfterSeconds = alignedAfterSeconds ?? seconds
            wayMeters += (machine.frame.speed.speedMetersPerSecond ?? 0).magnitude * passed
            turnRadians += (pose.angularRateBodyRadiansPerSecond?.z ?? 0).magnitude * passed
        }
        guard let found = calibration.mount, found.origin == .found, found.isValid else { return }
        mount = found
        antenna = found.antenna ?? antenna
        var trust = TrustReport()
        machine.describeTrust(&trust)
        doesProfileFit = trust.doesProfileFit
        wheels = trust.wheels ?? wheels
        lags = trust.lags ?? lags
    }
}
