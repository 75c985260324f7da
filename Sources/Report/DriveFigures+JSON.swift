import Conversion
import Frames
import Fusion
import Measurements
import PoseMath

/// The figures as JSON: the output of `--json`, and what the page shows.
extension DriveFigures {
    /// Width of a bin of the latencies, milliseconds, and number of bins.
    private static let latencyBins = (width: 25.0, count: 41)

    /// Writes one object.
    func writeFigures(to writer: inout JSONWriter) {
        writer.string("{\"name\":", name)
        writer.string(",\"format\":", format)
        writer.string(",\"release\":", drive.info?.release)
        writer.boolean(",\"private\":", drive.info?.isPrivate ?? false)
        writer.number(",\"begin_utc_s\":", beginUTCNanoseconds.map { Double($0) * 1e-9 }, decimals: 3)
        writer.number(",\"duration_s\":", seconds, decimals: 1)
        writer.number(",\"length_m\":", drive.poses.lengthMeters, decimals: 0)
        writeSensors(&writer)
        writeFixes(&writer)
        writePose(&writer)
        writeSpeed(&writer)
        writeErrors(&writer)
        writeInnovations(&writer)
        writeInstallation(&writer)
        writeFleet(&writer)
        writer.integer(",\"events\":", drive.eventCount)
        writer.literal(",\"findings\":")
        writer.list(findings) { writer, finding in
            writer.name("{\"severity\":", finding.severity.name)
            writer.string(",\"text\":", finding.text)
            writer.string(",\"remedy\":", finding.remedy)
            writer.number(",\"at_s\":", finding.atSeconds, decimals: 1)
            writer.literal("}")
        }
        writer.literal("}")
    }

    private func writeSensors(_ writer: inout JSONWriter) {
        writer.literal(",\"sensors\":")
        writer.list(SensorKind.allCases.filter { drive.summary.sensors[$0] != nil }) { writer, kind in
            let sensor = drive.summary.sensors[kind] ?? .init()
            writer.string("{\"name\":", kind.title)
            writer.integer(",\"count\":", sensor.count)
            writer.number(",\"rate_hz\":", sensor.rateHertz, decimals: 2)
            writer.integer(",\"gaps\":", sensor.gaps)
            writer.number(",\"longest_gap_s\":", sensor.longestGap, decimals: 3)
            writer.integer(",\"repeats\":", sensor.repeats)
            writer.literal("}")
        }
    }

    private func writeFixes(_ writer: inout JSONWriter) {
        let gps = drive.summary.sensors[.gps]?.count ?? 0
        let position = drive.innovations.sources[.gnssPosition]
        writer.integer(",\"fixes\":{\"count\":", gps)
        writer.integer(",\"with_height\":", drive.summary.threeDimensional)
        writer.integer(",\"without_position\":", drive.summary.withoutPosition)
        writer.integer(",\"used\":", position?.accepted ?? 0)
        writer.integer(",\"refused\":", position?.rejected ?? 0)
        writer.counts(
            ",\"refused_before_filter\":", drive.innovations.trust.rejections.named.filter { $0.count > 0 })
        var latencies = latencies
        writer.number("},\"latency_ms\":{\"median\":", latencies.quantile(0.5), decimals: 1)
        writer.number(",\"p95\":", latencies.quantile(0.95), decimals: 1)
        writer.number(",\"max\":", latencies.largest, decimals: 1)
        writer.number(",\"bin\":", Self.latencyBins.width, decimals: 0)
        writer.literal(",\"counts\":")
        writer.list(latencies.counts(binWidth: Self.latencyBins.width, bins: Self.latencyBins.count)) {
            $0.integer("", $1)
        }
        writer.literal("}")
    }

    private func writePose(_ writer: inout JSONWriter) {
        let poses = drive.poses
        writer.number(",\"pose\":{\"aligned_after_s\":", poses.secondsToAligned, decimals: 1)
        writer.literal(",\"state_share\":{")
        for (index, state) in Frame.PoseState.allCases.enumerated() {
            if index > 0 { writer.literal(",") }
            writer.string("\(state)")
            writer.number(":", share(state), decimals: 4)
        }
        writer.integer("},\"jumps\":", poses.jumps)
        writer.number(",\"longest_without_fix_s\":", poses.longestWithoutFix.seconds, decimals: 1)
        write(",\"sigma_m\":", sigma, decimals: 3, &writer)
        write(",\"heading_sigma_deg\":", headingSigma, decimals: 3, &writer)
        writer.number(",\"height_min_m\":", heights?.lowerBound, decimals: 1)
        writer.number(",\"height_max_m\":", heights?.upperBound, decimals: 1)
        writer.literal("}")
    }

    private func writeSpeed(_ writer: inout JSONWriter) {
        let poses = drive.poses
        let mean = poses.movingSeconds > 0 ? poses.lengthMeters / poses.movingSeconds : nil
        writer.number(",\"speed\":{\"mean_moving_m_s\":", mean, decimals: 2)
        writer.number(",\"max_m_s\":", poses.largestSpeed, decimals: 2)
        writer.number(",\"moving_s\":", poses.movingSeconds, decimals: 1)
        writer.number(",\"with_limit_s\":", poses.limitedSeconds, decimals: 1)
        writer.number(",\"over_limit_s\":", poses.overLimitSeconds, decimals: 1)
        writer.literal("}")
    }

    private func write(_ key: StaticString, _ values: Distribution, decimals: Int, _ writer: inout JSONWriter) {
        var values = values
        writer.literal(key)
        writer.number("{\"rms\":", values.rootMeanSquare, decimals: decimals)
        writer.number(",\"median\":", values.quantile(0.5), decimals: decimals)
        writer.number(",\"p95\":", values.quantile(0.95), decimals: decimals)
        writer.number(",\"max\":", values.largest, decimals: decimals)
        writer.literal("}")
    }

    private func writeErrors(_ writer: inout JSONWriter) {
        guard let errors else { return writer.literal(",\"error\":null") }
        writer.string(",\"error\":{\"reference\":", referenceName)
        writer.boolean(",\"smoothed\":", isReferenceSmoothed)
        write(",\"horizontal_m\":", errors.horizontal, decimals: 3, &writer)
        write(",\"height_m\":", errors.height, decimals: 3, &writer)
        write(",\"heading_deg\":", errors.headingDegrees, decimals: 3, &writer)
        let shares = errors.within.map { errors.judged > 0 ? Double($0) / Double(errors.judged) : 0 }
        writer.numbers(",\"within_sigmas\":", shares, decimals: 4)
        writer.literal("}")
    }

    private func writeInnovations(_ writer: inout JSONWriter) {
        writer.literal(",\"innovations\":")
        writer.list(AidSource.allCases.filter { drive.innovations.sources[$0] != nil }) { writer, source in
            let record = drive.innovations.sources[source] ?? .init()
            writer.string("{\"source\":", "\(source)")
            writer.integer(",\"used\":", record.accepted)
            writer.integer(",\"refused\":", record.rejected)
            writer.number(",\"normalised_rms\":", record.rootMeanSquare, decimals: 3)
            writer.integer(",\"beyond_3_sigma\":", record.beyondThree)
            writer.literal("}")
        }
    }

    private func writeInstallation(_ writer: inout JSONWriter) {
        let trust = drive.innovations.trust
        writer.literal(",\"antenna\":")
        if let antenna = drive.calibration.mount?.antenna, antenna.isValid {
            writer.numbers("{\"forward_left_m\":", [antenna.meters.x, antenna.meters.y], decimals: 2)
            writer.numbers(",\"sigma_m\":", [antenna.sigmaMeters.x, antenna.sigmaMeters.y], decimals: 2)
            writer.boolean(",\"configured\":", settings.antennaLeverArmBodyMeters != nil)
            writer.literal("}")
        } else {
            writer.literal("null")
        }
        writer.calibration(
            drive.calibration.mount.map { mount in
                let (q, sigma) = (mount.sensorToBody.canonical, mount.sigmaBodyRadians)
                let origins: [MountEstimate.Origin: Message.MountOrigin] = [.configured: .configured, .kept: .kept]
                return Message.Mount(
                    sensorToBody: .init(q.w, q.x, q.y, q.z), sigmaRadians: .init(sigma.x, sigma.y, sigma.z),
                    origin: origins[mount.origin] ?? .found)
            }, nil)
        writer.number(",\"position_lag_s\":", trust.isFilterRunning ? trust.positionLagSeconds : nil, decimals: 3)
        writer.number(",\"velocity_lag_s\":", trust.isFilterRunning ? trust.velocityLagSeconds : nil, decimals: 3)
        writer.number(",\"wheel_scale\":", trust.wheels?.scale, decimals: 4)
    }
}
