import Frames
import Fusion

extension StatusReport {
    /// Writes what the estimator makes of its sources: one record for each aid, and what receiver and IMU were caught at.
    func writeTrust(_ writer: inout JSONWriter) {
        writer.literal(",\"trust\":{\"receiver\":")
        writer.string("\(trust.receiver)")
        writer.literal(",\"receiver_sigma_factor\":")
        writer.number(trust.receiverSigmaFactor, decimals: 2)
        writer.literal(",\"imu_faults\":")
        writer.strings(trust.inertial.names)
        writer.literal(",\"aids\":[")
        if trust.isFilterRunning {
            for (index, source) in AidSource.allCases.enumerated() {
                if index > 0 { writer.literal(",") }
                write(trust[source], of: source, &writer)
            }
        }
        writer.literal("]}")
    }

    private func write(_ record: AidRecord, of source: AidSource, _ writer: inout JSONWriter) {
        writer.literal("{\"source\":")
        writer.string("\(source)")
        writer.literal(",\"observation\":")
        writer.number(record.observation, decimals: 4)
        writer.literal(",\"observation_variance\":")
        writer.number(record.observationVariance, decimals: 6)
        writer.literal(",\"innovation\":")
        writer.number(record.innovation, decimals: 4)
        writer.literal(",\"innovation_variance\":")
        writer.number(record.innovationVariance, decimals: 6)
        writer.literal(",\"test_ratio\":")
        writer.number(record.testRatio, decimals: 3)
        writer.literal(",\"accepted\":")
        writer.boolean(record.rejection == .none && record.acceptedCount > 0)
        writer.literal(",\"reason\":")
        writer.string("\(record.rejection)")
        writer.literal(",\"accepted_count\":")
        writer.integer(UInt64(record.acceptedCount))
        writer.literal(",\"rejected_count\":")
        writer.integer(UInt64(record.rejectedCount))
        writer.literal("}")
    }
}

extension InertialFaults {
    /// The names of the faults in the set.
    var names: [String] {
        let all: [(InertialFaults, String)] = [
            (.gyroStuck, "gyroStuck"), (.accelerometerStuck, "accelerometerStuck"), (.gyroClipped, "gyroClipped"),
            (.accelerometerClipped, "accelerometerClipped"), (.inconsistent, "inconsistent"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}
