import Frames
import Fusion
import PoseMath

extension StatusReport {
    /// Writes the status of each aiding source and the detected faults of receiver and IMU.
    func writeTrust(_ writer: inout JSONWriter) {
        writer.string(",\"trust\":{\"receiver\":", "\(trust.receiver)")
        writer.number(",\"receiver_sigma_factor\":", trust.receiverSigmaFactor, decimals: 2)
        writer.number(",\"fix_lateness_s\":", trust.fixLatenessSeconds, decimals: 3)
        writer.literal(",\"wheels\":")
        write(trust.wheels, &writer)
        writer.literal(",\"lags\":")
        write(trust.lags, &writer)
        writer.literal(",\"heading\":")
        write(trust.heading, &writer)
        writer.boolean(",\"velocity_stated\":", !trust.isVelocityUnstated)
        writer.boolean(",\"accuracy_stated\":", !trust.isAccuracyUnstated)
        writer.boolean(",\"mount_refused\":", calibration.isConfiguredMountRefused)
        writer.number(
            ",\"gyro_noise_dps_rthz\":", trust.gyroNoiseDensity.radiansInDegrees, decimals: 4)
        writer.boolean(",\"profile_fits\":", trust.doesProfileFit)
        writer.strings(",\"imu_faults\":", trust.inertial.names)
        writer.counts(",\"rejected\":", trust.rejections.named)
        writer.number(",\"position_lag_s\":", trust.isFilterRunning ? trust.positionLagSeconds : nil, decimals: 3)
        writer.number(",\"velocity_lag_s\":", trust.isFilterRunning ? trust.velocityLagSeconds : nil, decimals: 3)
        writeBudget(&writer)
        writer.literal(",\"aids\":")
        writer.list(trust.isFilterRunning ? AidSource.allCases : []) { write(trust[$1], of: $1, &$0) }
        writer.literal("}")
    }

    /// Writes what the sigmas consist of.
    private func writeBudget(_ writer: inout JSONWriter) {
        guard trust.isFilterRunning else { return writer.literal(",\"budget\":null") }
        writer.literal(",\"budget\":{\"heading_deg\":")
        write(trust.budget.heading, scale: 1.0.radiansInDegrees, &writer)
        writer.literal(",\"position_m\":")
        write(trust.budget.position, scale: 1, &writer)
        writer.literal(",\"speed_m_s\":")
        write(trust.budget.speed, scale: 1, &writer)
        writer.literal("}")
    }

    private func write(_ parts: UncertaintyBudget.Parts, scale: Double, _ writer: inout JSONWriter) {
        writer.number("{\"receiver\":", parts.receiver * scale, decimals: 4)
        writer.number(",\"gyro\":", parts.gyro * scale, decimals: 4)
        writer.number(",\"mount\":", parts.mount * scale, decimals: 4)
        writer.number(",\"lag\":", parts.lag * scale, decimals: 4)
        writer.number(",\"age\":", parts.age * scale, decimals: 4)
        writer.literal("}")
    }

    private func write(_ wheels: WheelCalibration?, _ writer: inout JSONWriter) {
        guard let wheels else { return writer.literal("null") }
        writer.number("{\"scale\":", wheels.scale, decimals: 4)
        writer.number(",\"scale_sigma\":", wheels.scaleSigma, decimals: 4)
        writer.number(",\"lag_s\":", wheels.lagSeconds, decimals: 3)
        writer.number(",\"lag_sigma_s\":", wheels.lagSigmaSeconds, decimals: 3)
        writer.boolean(",\"used\":", wheels.isUsed)
        writer.literal("}")
    }

    private func write(_ lags: LagCalibration?, _ writer: inout JSONWriter) {
        guard let lags else { return writer.literal("null") }
        writer.number("{\"position_s\":", lags.positionSeconds, decimals: 3)
        writer.number(",\"position_sigma_s\":", lags.positionSigmaSeconds, decimals: 3)
        writer.number(",\"velocity_s\":", lags.velocitySeconds, decimals: 3)
        writer.number(",\"velocity_sigma_s\":", lags.velocitySigmaSeconds, decimals: 3)
        writer.literal("}")
    }

    private func write(_ heading: HeadingCalibration?, _ writer: inout JSONWriter) {
        guard let heading else { return writer.literal("null") }
        writer.number("{\"baseline_deg\":", heading.baselineRadians.radiansInDegrees, decimals: 2)
        writer.number(",\"baseline_sigma_deg\":", heading.baselineSigmaRadians.radiansInDegrees, decimals: 2)
        writer.number(",\"scatter_factor\":", heading.scatterFactor, decimals: 2)
        writer.boolean(",\"used\":", heading.isUsed)
        writer.boolean(",\"given_up\":", heading.isGivenUp)
        writer.literal("}")
    }

    private func write(_ record: AidSourceStatus, of source: AidSource, _ writer: inout JSONWriter) {
        writer.string("{\"source\":", "\(source)")
        writer.number(",\"observation\":", record.observation, decimals: 4)
        writer.number(",\"observation_variance\":", record.observationVariance, decimals: 6)
        writer.number(",\"innovation\":", record.innovation, decimals: 4)
        writer.number(",\"innovation_variance\":", record.innovationVariance, decimals: 6)
        writer.number(",\"test_ratio\":", record.testRatio, decimals: 3)
        writer.boolean(",\"accepted\":", record.rejection == .none && record.acceptedCount > 0)
        writer.string(",\"reason\":", "\(record.rejection)")
        writer.string(",\"last_reason\":", "\(record.lastRejection)")
        writer.integer(",\"accepted_count\":", record.acceptedCount)
        writer.integer(",\"rejected_count\":", record.rejectedCount)
        writer.literal("}")
    }
}
